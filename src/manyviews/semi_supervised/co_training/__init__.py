"""Classifiers that label objects for one another."""
