"""The rows that trees of clusters compare: of words and links the roots of their shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.maths import Divergence, dense_within_memory, mostly_zeros
from manyviews.similarity import used_views
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse


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
