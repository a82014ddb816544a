"""A kernel on a view as coordinates: inner products with few of its objects, the pivots.

Partial Gram-Schmidt orthogonalisation, which is pivoted incomplete Cholesky [@fine2001].
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular

from manyviews.maths import PivotedCholesky, gram_cholesky, pivoted_cholesky
from manyviews.similarity import ViewFunction, ViewKernel
from manyviews.typing import FloatArray

_LARGEST_GRAM = 8192
"""Up to so many objects a whole Gram matrix is formed if most of its columns are wanted."""
_FEW = 8
"""One in so many objects as pivots is few: then columns are read one by one."""


@dataclass(frozen=True)
class PivotCoordinates:
    """Coordinates of the rows of a view whose inner products are the kernel's, or near to it."""

    pivots: ViewKernel
    rows: FloatArray = field(repr=False)
    """Of the observed training objects."""
    triangle: FloatArray = field(repr=False)
    """Of the pivots: lower triangular."""

    def function(self, weights: FloatArray, mean: FloatArray) -> ViewFunction:
        """The linear function of the coordinates, as one of similarities to the pivots."""
        coefficients = solve_triangular(self.triangle, weights, lower=True, trans="T")
        return ViewFunction(self.pivots.kernel, self.pivots.rows, coefficients, -(mean @ weights))


def pivot_coordinates(
    fitted: ViewKernel, *, tol: float, min_rank: int = 0, max_rank: int | None = None
) -> PivotCoordinates:
    """Coordinates of the rows from as few pivots as ``tol`` allows.

    Parameters
    ----------
    fitted : ViewKernel
        A kernel with its rows.
    tol : float
        The squared distance of a row from the span of the pivots may be this share of the mean
        squared distance of the rows from their mean; 0 is exact.
    min_rank, max_rank : int
        How many pivots there are at least and at most.
    """
    found = _choose_pivots(fitted, tol, min_rank, max_rank)
    if not len(found.pivots):  # all rows are zero in the kernel's space: one stands for all
        first = fitted.restricted(np.zeros(1, dtype=np.intp))
        return PivotCoordinates(first, np.zeros((len(fitted.places), 1)), np.eye(1))
    triangle = found.factor[found.pivots]
    return PivotCoordinates(fitted.restricted(found.pivots), found.factor, triangle)


def _choose_pivots(
    fitted: ViewKernel, tol: float, min_rank: int, max_rank: int | None
) -> PivotedCholesky:
    """Read columns one by one while they are few, else form the matrix: the answer is the same."""
    n = len(fitted.places)
    limit = fitted.largest_rank if max_rank is None else min(max_rank, fitted.largest_rank)
    few = limit if n > _LARGEST_GRAM else min(limit, n // _FEW)
    if limit == few or (tol > 0 and min_rank < few):
        diagonal, column = fitted.columns()
        found = pivoted_cholesky(
            diagonal, column, tol=0.0, row_tol=tol, min_rank=min_rank, max_rank=few
        )
        if limit == few or len(found.pivots) < few:
            return found
    return gram_cholesky(fitted.gram, row_tol=tol, min_rank=min_rank, max_rank=limit)
