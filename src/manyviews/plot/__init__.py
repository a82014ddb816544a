"""Figures of what the other rooms find, as Display objects; only here is matplotlib imported."""

from manyviews.plot._diagnosis import DiagnosisDisplay

__all__ = ["DiagnosisDisplay"]
