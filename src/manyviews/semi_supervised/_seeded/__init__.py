"""Spherical k-means from labelled seeds, with sets of labels."""
