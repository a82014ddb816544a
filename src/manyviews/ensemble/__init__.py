"""Nearest neighbours in many views: hyperplanes, ensembles over subsets of views, confidences."""

__all__: list[str] = []
