"""Rows of more columns than there are rows, in as many columns as there are different rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from manyviews.maths import Divergence, SquaredEuclidean, mostly_zeros
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse


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
