"""The rows that trees of clusters compare, and their means [@gupta2005].

Rows of words and links are compared by the roots of their shares; rows of more columns than there
are rows by their coordinates in the span of all, which are fewer and as far apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from scipy import sparse
from scipy.linalg import lapack

from manyviews.data import Views
from manyviews.maths import Divergence, SquaredEuclidean, dense_within_memory, mostly_zeros
from manyviews.similarity import used_views
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

__all__ = [
    "compared_rows",
    "coordinates",
    "dense_columns",
    "dense_view",
    "is_wide",
    "mean_rows",
    "means_of_members",
    "root_shares",
    "rooted_views",
]


def rooted_views(views: Views, given: Mapping[str, Divergence | None]) -> tuple[str, ...]:
    """Views of mostly zeros for which no divergence is given.

    Examples
    --------
    >>> rooted_views(Views({"words": np.eye(4), "sizes": np.ones((4, 2))}), {})
    ('words',)
    """
    return tuple(
        name
        for name, matrix in views.items()
        if given.get(name) is None and mostly_zeros(matrix[np.flatnonzero(views.observed_in(name))])
    )


def compared_rows(views: Views, weights: Mapping[str, float], rooted: Collection[str]) -> Views:
    """The views that weigh anything, some of them as roots of shares."""
    used = used_views(views, dict(weights))
    chosen = [name for name in used.names if name in rooted]
    if not chosen:
        return used
    rows = {name: root_shares(used[name]) if name in chosen else used[name] for name in used.names}
    return Views(rows, observed=used.observed, sample_ids=used.sample_ids)


def root_shares(X: Matrix) -> Matrix:
    """Root of each cell's share of its row, with its sign; all rows but empty ones have length one.

    Squared Euclidean distances between these are twice the squared Hellinger distances.

    Examples
    --------
    >>> root_shares(np.array([[9.0, 0.0, 16.0], [0.0, 0.0, 0.0]]))
    array([[0.6, 0. , 0.8],
           [0. , 0. , 0. ]])
    """
    if is_sparse(X):
        sizes = np.repeat(np.asarray(abs(X).sum(axis=1)).ravel(), np.diff(X.indptr))
        parts = _rooted(X.data, sizes), X.indices, X.indptr
        return sparse.csr_array(parts, shape=X.shape)
    return _rooted(X, np.abs(X).sum(axis=1, keepdims=True))


def mean_rows(rows: Matrix, groups: IntArray, n_groups: int) -> tuple[FloatArray, FloatArray]:
    """Mean of the rows of each group, NaN where there is none, and how many they are.

    Examples
    --------
    >>> mean_rows(np.array([[1.0], [3.0], [8.0]]), np.array([0, 0, 2]), 3)
    (array([[ 2.],
           [nan],
           [ 8.]]), array([2., 0., 1.]))
    """
    ends = np.arange(len(groups) + 1)
    members = sparse.csr_array((np.ones(len(groups)), groups, ends), shape=(len(groups), n_groups))
    return means_of_members(rows, members.T)


def means_of_members(rows: Matrix, members: sparse.csr_array) -> tuple[FloatArray, FloatArray]:
    """Mean of the rows that each line of ``members`` marks with ones, and how many they are."""
    sizes = np.asarray(members.sum(axis=1), dtype=np.float64)
    sums = dense_within_memory(
        members @ rows,
        f"means of {len(sizes):,} clusters with {rows.shape[1]:,} features",
        remedy="reduce the view first, as by PerView(TruncatedSVD(100))",
    )
    sums /= np.where(sizes > 0, sizes, np.nan)[:, None]
    return sums, sizes


def _rooted(cells: Matrix, sizes: Matrix) -> Matrix:
    return np.sign(cells) * np.sqrt(np.abs(cells) / np.where(sizes == 0, 1.0, sizes))


# -- dense rows, in few columns --------------------------------------------------------------------


def dense_columns(matrix: Matrix, name: str) -> FloatArray:
    """A view with all its zeros, in double precision; refused where that takes too much memory."""
    n_objects, n_features = matrix.shape
    dense = dense_within_memory(
        matrix,
        f"view {name!r} made dense, {n_objects:,} objects with {n_features:,} features,",
        remedy="reduce it first, as by PerView(TruncatedSVD(100))",
    )
    return np.asarray(dense, dtype=np.float64)


def dense_view(views: Views, name: str) -> FloatArray:
    """One view as rows in double precision, NaN where it is unobserved."""
    matrix = views[name]
    if not is_sparse(matrix):
        return np.ascontiguousarray(matrix, dtype=np.float64)
    dense = dense_columns(matrix, name)
    dense[~views.observed_in(name)] = np.nan
    return dense


def is_wide(X: Matrix, divergence: Divergence) -> bool:
    """Whether fewer columns could show the same divergences: more of them than rows, and squared.

    Examples
    --------
    >>> is_wide(np.ones((2, 3)), SquaredEuclidean()), is_wide(np.ones((3, 2)), SquaredEuclidean())
    (True, False)
    """
    return type(divergence) is SquaredEuclidean and X.shape[1] > X.shape[0]


def coordinates(X: Matrix, seen: BoolArray) -> FloatArray:
    """Coordinates of rows in their own span, with the same squared distances; NaN where unseen.

    They are the rows of the pivoted Cholesky factor of the inner products: ``n`` rows never need
    more than ``n`` columns. Rows that are equal have equal coordinates, to the last digit.

    Examples
    --------
    >>> X = np.array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    >>> found = coordinates(X, np.ones(2, dtype=bool))
    >>> found.shape, float(np.sum((found[0] - found[1]) ** 2).round(9))
    ((2, 1), 25.0)
    """
    if not seen.any():
        return np.full((X.shape[0], 1), np.nan)
    rows = X[np.flatnonzero(seen)]
    firsts, which = _different(rows)
    rows = rows[firsts].astype(np.float64)
    if is_sparse(rows) and mostly_zeros(rows):
        gram = (rows @ rows.T).toarray()
    else:
        dense = rows.toarray() if is_sparse(rows) else rows
        dense = dense - dense.mean(axis=0)  # so that what all have in common costs no digits
        gram = dense @ dense.T
    factor, pivots, rank, _ = lapack.dpstrf(gram, lower=1)
    rank = max(rank, 1)  # rows that are all alike have one coordinate, zero
    found = np.full((X.shape[0], rank), np.nan)
    places = np.empty(len(pivots), dtype=np.intp)
    places[pivots - 1] = np.arange(len(pivots))
    found[seen] = np.tril(factor)[:, :rank][places[which]]
    return found


def _different(rows: Matrix) -> tuple[IntArray, IntArray]:
    """The first of each kind of row, and for each row the number of its kind."""
    if is_sparse(rows):
        rows = rows.copy()
        rows.sum_duplicates()
        rows.eliminate_zeros()
        pairs = [slice(*ends) for ends in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)]
        keys = [rows.indices[own].tobytes() + rows.data[own].tobytes() for own in pairs]
    else:
        keys = [row.tobytes() for row in rows + 0.0]  # which turns -0 into 0
    kinds: dict[bytes, int] = {}
    which = np.array([kinds.setdefault(key, len(kinds)) for key in keys], dtype=np.intp)
    return np.unique(which, return_index=True)[1], which
