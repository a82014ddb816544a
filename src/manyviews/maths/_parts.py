"""The parts of a graph that no edge joins, the largest first."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, connected_components

from manyviews.typing import FloatArray, IntArray, is_sparse

_ROWS = 256
"""So many rows of a dense matrix are looked at in one go: what is copied of it stays small."""


def connected_parts(
    matrix: FloatArray | sparse.csr_array, order: IntArray | None = None
) -> list[IntArray]:
    """Rows of each connected part of a symmetric matrix, the part of most rows first.

    Parts of equal size stand in the order of their first rows. Entries so small that all of them
    together would be lost in the rounding of the matrix join nothing.

    Parameters
    ----------
    matrix : array or sparse array of shape (n, n)
        Symmetric.
    order : array of shape (n,), optional
        Which object each row is, if the rows stand in another order than the objects.

    Examples
    --------
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> connected_parts(pairs)
    [array([0, 1]), array([2, 3])]
    """
    size = matrix.shape[0]
    if is_connected(matrix):
        return [np.arange(size)]
    edges = (
        _edges(matrix)
        if is_sparse(matrix)
        else sparse.csr_array(np.abs(matrix) > _lost_in_rounding(matrix))
    )
    n_parts, part = connected_components(edges, directed=False)
    sizes = np.bincount(part, minlength=n_parts)
    first = np.full(n_parts, size)
    np.minimum.at(first, part, np.arange(size) if order is None else order)
    by_part = np.split(np.argsort(part, kind="stable"), np.cumsum(sizes)[:-1])
    return [by_part[number] for number in np.lexsort((first, -sizes))]


def is_connected(matrix: FloatArray | sparse.csr_array) -> bool:
    """Whether all objects are met from the first one; quicker told than the parts are found.

    Examples
    --------
    >>> is_connected(np.ones((2, 2))), is_connected(np.eye(2))
    (True, False)
    """
    if is_sparse(matrix):
        met = breadth_first_order(_edges(matrix), 0, return_predecessors=False)
        return len(met) == matrix.shape[0]
    least = _lost_in_rounding(matrix)
    seen = np.arange(len(matrix)) == 0
    new = np.flatnonzero(seen)
    while len(new) and not seen.all():
        reached = np.zeros_like(seen)
        for first in range(0, len(new), _ROWS):
            reached |= (np.abs(matrix[new[first : first + _ROWS]]) > least).any(axis=0)
            if (seen | reached).all():
                return True
        new = np.flatnonzero(reached & ~seen)
        seen |= reached
    return bool(seen.all())


def _edges(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix without entries that are lost in its rounding."""
    strong = np.abs(matrix.data) > _lost_in_rounding(matrix.data, matrix.shape[0])
    if strong.all():
        return matrix
    # A copy: what is left out is left out in place, and the places are the matrix's own.
    edges = sparse.csr_array((strong, matrix.indices, matrix.indptr), matrix.shape, copy=True)
    edges.eliminate_zeros()
    return edges


def _lost_in_rounding(entries: FloatArray, size: int | None = None) -> float:
    """The largest entry that, in every place of a row, would still change nothing."""
    largest = max(float(entries.max(initial=0.0)), -float(entries.min(initial=0.0)))
    return float(np.finfo(entries.dtype).eps) * largest / (len(entries) if size is None else size)
