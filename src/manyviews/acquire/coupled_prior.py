"""Views in coordinates that can be compared, and the prior that couples them [@krishnapuram2005].

From the top: coordinates of a view, the terms of the prior (Eq. 2 to 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import qr

from manyviews.maths import (
    check_memory,
    dense_within_memory,
    leading_eigenvectors,
    mostly_zeros,
    operator_eigenvectors,
)
from manyviews.similarity import KNNGraph, evenly_spaced
from manyviews.similarity.rows import (
    blocks,
    median_square,
    paired_squared_distances,
    squared_lengths,
    unit,
)
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix

__all__ = [
    "Coordinates",
    "Prior",
    "agreement",
    "fit_coordinates",
    "leading_directions",
    "neighbour_graph",
    "smoothness_of",
]

CONSTANT = 1e-10
"""A standard deviation of less than this share of the mean is that of a constant feature."""
EMPTY = 1e-12
"""Directions with less than this share of the largest variance are rounding: eigenvalues of sums
of squares are known to 1e-16 of the largest, times some thousand terms."""
DENSE = 1000
"""Rows or features up to which a decomposition is exact, which takes less than a second; of the
2,708 papers of cora it takes 15 s, and the iteration one."""
GUARDS, PRODUCTS = 20, 4
"""Directions beside the wanted ones, and products of the iteration: 300 directions of the two views
of cora have 0.997 and 0.995 of the variance that the best 300 have."""


# -- coordinates of a view -------------------------------------------------------------------------


@dataclass(frozen=True)
class Coordinates:
    """How rows of a view become the model's: scaled, of few dimensions, with a constant column.

    Rows of mostly zeros, such as words, are brought to length one; features of others to zero mean
    and unit variance. Then the view as a whole is brought to a total variance of one, so that its
    units and its number of features are without effect.
    """

    unit: bool
    mean: FloatArray
    scale: FloatArray
    rotation: FloatArray | None
    centre: FloatArray
    """Mean of the rows of fit after all that, which is taken off: an intercept is then the mean log
    odds of the objects that the view shows."""

    def __call__(self, rows: Matrix) -> FloatArray:
        """Coordinates of rows, the intercept's column last."""
        found = self.scaled(rows)
        if self.rotation is not None:
            found = found @ self.rotation
        dense = dense_within_memory(
            found,
            f"coordinates of {found.shape[0]:,} rows in {found.shape[1]:,} features",
            remedy="lower max_features",
        )
        return np.column_stack([dense - self.centre, np.ones(len(dense))])

    def scaled(self, rows: Matrix) -> Matrix:
        """Rows before they are rotated; sparse ones of mostly zeros stay sparse."""
        if self.unit:
            return unit(rows) * self.scale[0]
        dense = dense_within_memory(
            rows,
            f"{rows.shape[0]:,} rows of {rows.shape[1]:,} features made dense",
            remedy="reduce the features, as by PerView(TruncatedSVD(100))",
        )
        return (dense.astype(np.float64, copy=False) - self.mean) * self.scale


def fit_coordinates(rows: Matrix, max_features: int | None, *, rotate: bool = True) -> Coordinates:
    """Choose the coordinates of a view from the rows that it shows.

    With more features than rows, or than ``max_features``, these are the leading principal
    directions; all directions that the rows span if there is no limit, which loses nothing.

    Examples
    --------
    >>> fit_coordinates(np.array([[1.0, 5.0], [3.0, 5.0]]), None)(np.array([[3.0, 5.0]]))
    array([[1., 0., 1.]])
    """
    n_rows, n_features = rows.shape
    kind = bool(n_rows) and mostly_zeros(rows)
    if kind:
        units = unit(rows)
        mean: FloatArray = np.zeros(n_features)
        average = np.asarray(units.mean(axis=0)).ravel()
        lengths = float(squared_lengths(units).sum())
        total = lengths / n_rows - float(average @ average)
        scale = np.full(n_features, 1.0 / np.sqrt(total) if total > EMPTY else 1.0)
    else:
        dense = dense_within_memory(
            rows, "rows made dense", remedy="reduce the features, as by PerView(TruncatedSVD(100))"
        ).astype(np.float64, copy=False)
        mean = dense.mean(axis=0) if n_rows else np.zeros(n_features)
        spread = dense.std(axis=0) if n_rows else np.zeros(n_features)
        varies = spread > CONSTANT * np.abs(mean)
        scale = np.divide(1.0, spread, out=np.zeros(n_features), where=varies)
        scale /= np.sqrt(max(varies.sum(), 1))
    scaled = Coordinates(kind, mean, scale, None, np.zeros(n_features)).scaled(rows)
    most = min(n_rows, n_features if max_features is None else max_features)
    rotation = leading_directions(scaled, most) if rotate and n_features > most else None
    centre = np.asarray(scaled.mean(axis=0)).ravel() if n_rows else np.zeros(n_features)
    return Coordinates(
        kind, mean, scale, rotation, centre if rotation is None else centre @ rotation
    )


def leading_directions(rows: Matrix, n_directions: int) -> FloatArray:
    """Directions of largest squared projections, at most so many, as orthonormal columns.

    Of large matrices few directions are found by a randomised subspace iteration
    [@halko2011].

    Examples
    --------
    >>> leading_directions(np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 2.0]]), 1).ravel()
    array([1., 0., 0.])
    """
    if not n_directions:
        return np.zeros((rows.shape[1], 0))
    if min(rows.shape) > max(DENSE, 2 * n_directions):
        return _by_subspace_iteration(rows, n_directions)
    wide = rows.shape[0] < rows.shape[1]
    left = rows if wide else rows.T
    # The smaller of the two matrices of inner products has the same eigenvalues as the larger.
    values, vectors = operator_eigenvectors(
        lambda block: left @ (left.T @ block), left.shape[0], n_directions
    )
    kept = values > EMPTY * values[0]
    if not wide:
        return np.asarray(vectors[:, kept])
    return np.asarray(rows.T @ vectors[:, kept]) / np.sqrt(values[kept])


def _by_subspace_iteration(rows: Matrix, n_directions: int) -> FloatArray:
    # Drawn over the features, so that the order of the objects is without effect.
    probes = np.random.default_rng(0).standard_normal((rows.shape[1], n_directions + GUARDS))
    block = rows @ probes
    for _ in range(PRODUCTS):
        block = rows @ (rows.T @ qr(block, mode="economic", check_finite=False)[0])
    found = rows.T @ qr(block, mode="economic", check_finite=False)[0]
    values, vectors = leading_eigenvectors(found.T @ found, n_directions)
    kept = values > EMPTY * values[0]
    return np.asarray(found @ (vectors[:, kept] / np.sqrt(values[kept])))


# -- the prior of Eq. (5) --------------------------------------------------------------------------


def agreement(rows: FloatArray, observed: BoolArray, slices: Sequence[slice]) -> FloatArray:
    """C of Eq. (2): ``wᵀ C w`` is the sum over pairs of views of their squared differences.

    ``rows`` are the coordinates of all views side by side, zeros where unobserved, so that the
    product with them of an object adds up over its views.

    Examples
    --------
    >>> agreement(np.array([[2.0, 3.0]]), np.ones((1, 2), dtype=bool), [slice(0, 1), slice(1, 2)])
    array([[ 4., -6.],
           [-6.,  9.]])
    """
    n_seen = observed.sum(axis=1)
    found = -(rows.T @ rows)
    for place in slices:
        own = rows[:, place]
        found[place, place] += (own * n_seen[:, None]).T @ own
    return found


def neighbour_graph(rows: FloatArray, n_neighbors: int | None) -> tuple[Any, float]:
    """K of Eq. (19) without its diagonal, for nearest neighbours or all pairs, and its width.

    The width is the root of the median squared distance between the pairs that are kept.

    Examples
    --------
    >>> graph, width = neighbour_graph(np.array([[0.0], [2.0], [4.0]]), 1)
    >>> width, graph.toarray().round(2)
    (2.0, array([[0.  , 0.61, 0.  ],
           [0.61, 0.  , 0.61],
           [0.  , 0.61, 0.  ]]))
    """
    n_rows = len(rows)
    if n_rows < 2 or not rows.shape[1]:
        return sparse.csr_array((n_rows, n_rows)), 1.0
    if n_neighbors is None:
        check_memory(
            (n_rows, n_rows),
            f"similarities of all pairs of {n_rows:,} objects",
            remedy="keep those of nearest neighbours: n_neighbors=10",
        )
        squared = np.square(np.linalg.norm(rows, axis=1))
        gaps = np.maximum(squared[:, None] + squared - 2.0 * (rows @ rows.T), 0.0)
        width = np.sqrt(median_square(rows[evenly_spaced(n_rows, 2000)]))
        similar = np.exp(-gaps / (2.0 * width**2))
        np.fill_diagonal(similar, 0.0)
        return similar, float(width)
    edges = KNNGraph(n_neighbors + 1).fitted(rows).edges.tocoo()
    apart = edges.row != edges.col
    first, second = edges.row[apart], edges.col[apart]
    gaps = np.empty(len(first))
    for part in blocks(len(first), rows.shape[1]):  # not a copy of a row for every edge
        gaps[part] = paired_squared_distances(rows[first[part]], rows[second[part]])
    middle = float(np.sqrt(np.median(gaps))) if gaps.any() else 1.0
    width = middle if middle > 0 else float(np.sqrt(gaps[gaps > 0].min()))
    similar = np.exp(-gaps / (2.0 * width**2))  # Eq. (19), its constant left to the strength
    return sparse.csr_array((similar, (first, second)), shape=(n_rows, n_rows)), width


def smoothness_of(rows: FloatArray, graph: Any) -> FloatArray:
    """Δ of Eq. (5): ``Σ_{i>j} K_ij (x_i − x_j)(x_i − x_j)ᵀ``, by the graph's Laplacian.

    Examples
    --------
    >>> smoothness_of(np.array([[1.0], [4.0]]), np.array([[0.0, 0.5], [0.5, 0.0]]))
    array([[4.5]])
    """
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    return np.asarray((rows * degrees[:, None]).T @ rows - rows.T @ (graph @ rows))


@dataclass(frozen=True)
class Prior:
    """The terms of Eq. (5), each divided by what it sums over, and who the ridges are of.

    Strengths are one array: the ridges, then the coupling, then the smoothness.
    """

    fixed: FloatArray
    """Ridge of each intercept, which is not learnt; zero elsewhere."""
    group: IntArray
    """Which ridge each weight has; -1 for intercepts."""
    n_ridges: int
    agreement: FloatArray
    """C over the number of objects that show two views."""
    smoothness: FloatArray
    """Δ of each view over the sum of its K, on the diagonal."""

    def precision(self, strengths: FloatArray) -> FloatArray:
        """Precision of the weights, Eq. (5)."""
        ridges = self.fixed + np.where(self.group < 0, 0.0, strengths[self.group])
        coupling, smoothness = strengths[self.n_ridges :]
        found = coupling * self.agreement + smoothness * self.smoothness
        found[np.diag_indices_from(found)] += ridges
        return found

    def traces(self, matrix: FloatArray) -> FloatArray:
        """Trace of a matrix with what each strength multiplies: of W Wᵀ, the quadratic forms."""
        learnt = self.group >= 0
        ridges = np.bincount(self.group[learnt], matrix.diagonal()[learnt], minlength=self.n_ridges)
        coupled = (np.vdot(matrix, self.agreement), np.vdot(matrix, self.smoothness))
        return np.append(ridges, coupled)
