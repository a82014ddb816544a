"""Mixtures that learn from each other: co-EM."""
