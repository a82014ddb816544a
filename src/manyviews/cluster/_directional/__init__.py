"""Clusters of directions."""
