"""A Gaussian whose width is that of the place: wide where rows are sparse [@zelnik2004]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from manyviews.base import check_params
from manyviews.maths import Gram
from manyviews.similarity._base import EdgeSimilarity
from manyviews.similarity._rows import (
    alike,
    blocks,
    centred,
    check_similarities,
    compare,
    compare_all,
    squared_distances,
)
from manyviews.typing import Count, FloatArray, IntArray, Matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from manyviews.similarity._neighbors import Neighbors

_SAME = 1e-13
"""Squared distances up to this share of a row's largest are zero, up to rounding."""


@dataclass
class SelfTuningRBF(EdgeSimilarity):
    """The Gaussian ``exp(−|x − y|² / σ(x)σ(y))`` with a width for every row.

    The width ``σ(x)`` is the distance from ``x`` to its ``n_neighbors``-th nearest training row,
    rows equal to ``x`` not counted; so it is for training rows and for new ones, and a training
    row that comes again has the width it had. Groups of different density are all held together;
    the price is that the matrix need not be positive semi-definite.

    Parameters
    ----------
    n_neighbors : int
        Which neighbour gives the width; 7 in [@zelnik2004]. With fewer rows than that, the
        farthest.

    References
    ----------
    [@zelnik2004]

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> SelfTuningRBF(n_neighbors=1).gram(X).round(2)
    array([[1.  , 0.37, 0.01],
           [0.37, 1.  , 0.14],
           [0.01, 0.14, 1.  ]])
    """

    n_neighbors: Count = 7

    def fitted(self, X: Matrix, places: IntArray | None = None) -> FittedSelfTuningRBF:  # noqa: ARG002
        """Measure the width at every row."""
        check_params(self)
        rows, widths = centred(X, X), np.empty(X.shape[0])
        for part in blocks(len(widths), len(widths), of=X):
            squares = compare(rows[part], rows, squared_distances, np.dtype(np.float64))
            widths[part] = local_widths(squares, self.n_neighbors)
        return FittedSelfTuningRBF(self.n_neighbors, widths)

    def gram(self, X: Matrix) -> Gram:
        """Similarities among the rows of ``X``; exactly symmetric, with ones in the diagonal."""
        return self.fitted(X).gram(X)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the rows of ``X``."""
        return self.fitted(X).cross(new, X)

    def fitted_on(self, X: Matrix, neighbors: Neighbors) -> FittedSelfTuningRBF:  # noqa: ARG002
        """Measure the width at every row by the neighbours that are known."""
        check_params(self)
        widths = local_widths(neighbors.distances**2, self.n_neighbors)
        return FittedSelfTuningRBF(self.n_neighbors, widths)

    def edge_weights(self, new: Matrix, X: Matrix, neighbors: Neighbors) -> FloatArray:
        """Similarities of each new row to its neighbours among the rows of ``X``."""
        return self.fitted(X).edge_weights(new, X, neighbors)

    def graph(self, X: Matrix, n_neighbors: int) -> csr_array:
        """Similarities of each row of ``X`` to those nearest to it, sparse and symmetric."""
        from manyviews.similarity._knn_graph import KNNGraph

        return KNNGraph(n_neighbors, "similarity", kernel=self).fitted(X).edges


@dataclass(eq=False)
class FittedSelfTuningRBF(SelfTuningRBF):
    """A self-tuning Gaussian that knows the width at every training row."""

    widths: FloatArray = field(default_factory=lambda: np.zeros(0), repr=False)

    def fitted(self, X: Matrix, places: IntArray | None = None) -> FittedSelfTuningRBF:  # noqa: ARG002
        """Return itself."""
        return self

    def gram(self, X: Matrix) -> Gram:
        """Similarities among the training rows ``X``."""
        check_similarities((X.shape[0], X.shape[0]))
        squares = compare_all(centred(X, X), squared_distances, np.dtype(np.float64))
        return _gaussian(squares, self.widths, self.widths).astype(X.dtype, copy=False)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the training rows ``X``."""
        check_similarities((new.shape[0], X.shape[0]))
        left, right = centred(alike(new, X), X), centred(X, X)
        squares = compare(left, right, squared_distances, np.dtype(np.float64))
        widths = local_widths(squares, self.n_neighbors)
        found = _gaussian(squares, widths, self.widths)
        return found.astype(np.result_type(new.dtype, X.dtype), copy=False)

    def edge_weights(self, new: Matrix, X: Matrix, neighbors: Neighbors) -> FloatArray:  # noqa: ARG002
        """Similarities of each new row to its neighbours among the training rows."""
        squares = neighbors.distances**2
        widths = local_widths(squares, self.n_neighbors)
        scales = widths[:, None] * self.widths[neighbors.indices]
        return _exponentials(squares, scales)


def local_widths(squares: FloatArray, n_neighbors: int) -> FloatArray:
    """Distance of each row to its n-th nearest among those that differ from it, or the farthest.

    Parameters
    ----------
    squares : array of shape (m, n)
        Squared distances of rows to the training rows, or to the nearest of them.
    n_neighbors : int
        Which one.

    Examples
    --------
    >>> local_widths(np.array([[0.0, 9.0, 4.0], [0.0, 0.0, 1.0]]), 2)
    array([3., 1.])
    """
    if not squares.size:
        return np.zeros(len(squares))
    largest = squares.max(axis=1)
    kept = min(n_neighbors, squares.shape[1]) - 1
    widths = np.empty(len(squares))
    for part in blocks(*squares.shape):
        same = squares[part] <= _SAME * largest[part, None]
        others = np.partition(np.where(same, np.inf, squares[part]), kept, axis=1)[:, kept]
        widths[part] = np.where(np.isinf(others), largest[part], others)
    return np.sqrt(widths)


def _gaussian(squares: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
    """Turn squared distances into similarities, in place."""
    for part in blocks(*squares.shape):
        squares[part] = _exponentials(squares[part], left[part, None] * right)
    return squares


def _exponentials(squares: FloatArray, scales: FloatArray) -> FloatArray:
    """``exp(−d² / σσ′)``; where a width is zero, the limit: only equal rows are alike."""
    shares = np.where(squares > 0, np.inf, 0.0)
    np.divide(squares, scales, out=shares, where=scales > 0)
    return np.exp(-shares)
