"""Ensembles over subsets of views."""
