"""The rows of a view that say something under a likelihood, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from manyviews.exceptions import UnobservedViewsError
from manyviews.maths._likelihoods._base import Likelihood
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, Matrix


@dataclass(frozen=True)
class LikelihoodRows:
    """The rows of one view that say anything, and where they stand among the objects."""

    family: Likelihood[Any, Any]
    matrix: Matrix
    places: IntArray | None
    """Objects of the rows; ``None`` if every object has one."""

    @classmethod
    def among(cls, family: Likelihood[Any, Any], matrix: Matrix, tells: BoolArray) -> Self:
        """Keep the rows of a view that tell something; no copy where all do.

        Examples
        --------
        >>> from manyviews.maths import Multinomial
        >>> rows = LikelihoodRows.among(Multinomial(), np.eye(2), np.array([False, True]))
        >>> rows.matrix, rows.spread(np.array([[5.0]]), 2)
        (array([[0., 1.]]), array([[0.],
               [5.]]))
        """
        places = None if tells.all() else np.flatnonzero(tells)
        return cls(family, matrix if places is None else matrix[places], places)

    @property
    def n_rows(self) -> int:
        """How many objects say something in this view."""
        return int(self.matrix.shape[0])

    @cached_property
    def log_base(self) -> FloatArray:
        """Log density of each row that all components share."""
        return self.family.log_base(self.matrix)

    def of(self, values: AnyArray) -> AnyArray:
        """Rows of an array over all objects, in the order of the matrix."""
        return values if self.places is None else values[self.places]

    def spread(self, rows: FloatArray, n_objects: int) -> FloatArray:
        """Rows put back to where they stand, zeros elsewhere."""
        if self.places is None:
            return rows
        values = np.zeros((n_objects, rows.shape[1]), dtype=rows.dtype)
        values[self.places] = rows
        return values


def refuse_silent_views(views: Sequence[LikelihoodRows], names: Sequence[str]) -> None:
    """Refuse a view that says nothing of any object."""
    for name, rows in zip(names, views, strict=True):
        if rows.n_rows == 0:
            raise UnobservedViewsError(
                f"view {name!r} is observed for no object, or is empty for all of them, and "
                "teaches nothing; leave it out."
            )
