"""Directions in each view along which the views correlate."""
