"""Classifiers that learn from few labels and many unlabelled objects seen through several views."""

__all__: list[str] = []
