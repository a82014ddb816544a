"""Least squares whose views agree on unlabelled objects."""
