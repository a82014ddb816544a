"""Similarities of objects of which something is missing."""
