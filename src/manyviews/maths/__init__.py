"""Pure functions on arrays; nothing here knows a view or an estimator."""

from manyviews.maths._random import generator

__all__ = ["generator"]
