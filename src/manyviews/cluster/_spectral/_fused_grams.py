"""One matrix of similarities from those of several views, in the sparsest shape it can have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.maths import Gram, LowRank, spread_gram, to_dense
from manyviews.typing import BoolArray, FloatArray, is_sparse

_MOST_COLUMNS = 2000
"""Up to this rank the product of low-rank similarities is kept as one."""


def sum_of_grams(grams: Sequence[Gram], factors: Sequence[float]) -> Gram:
    """Add similarities; sparse ones stay sparse, those of low rank stay so.

    Examples
    --------
    >>> sum_of_grams([np.eye(2), np.ones((2, 2))], [1.0, 2.0])
    array([[3., 2.],
           [2., 3.]])
    """
    kinds = {"sparse" if is_sparse(gram) else type(gram).__name__ for gram in grams}
    if kinds == {"sparse", "LowRank"}:
        raise ValueError(
            "fusion='sum' would make a dense matrix of sparse and low-rank similarities; give "
            "all views an affinity of one kind, or use fusion='product'."
        )
    terms: list[Any] = [_times(gram, factor) for gram, factor in zip(grams, factors, strict=True)]
    if "ndarray" in kinds:
        terms = [to_dense(term) for term in terms]
    total: Gram = reduce(add, terms)
    return total


def _times(gram: Gram, factor: float) -> Gram:
    if factor == 1.0:
        return gram
    return LowRank(gram.left * factor, gram.right) if isinstance(gram, LowRank) else gram * factor


def mean_of_grams(
    grams: Sequence[Gram], weights: Sequence[float], rows: BoolArray, columns: BoolArray
) -> sparse.csr_array:
    """Mean of sparse similarities over the views that show both objects.

    Parameters
    ----------
    grams : sequence of sparse matrices
        By view: similarities of the row objects seen there to the column objects seen there.
    weights : sequence of float
        How much each view counts in the mean.
    rows, columns : arrays of bool
        Which object is seen in which view, objects × views.

    Examples
    --------
    >>> pair = sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> seen = np.array([[True, True], [True, True], [True, False]])
    >>> three = sparse.csr_array(1.0 - np.eye(3))
    >>> mean_of_grams([three, 3 * pair], [1.0, 1.0], seen, seen).toarray()
    array([[0., 2., 1.],
           [2., 0., 1.],
           [1., 1., 0.]])
    """
    if not all(is_sparse(gram) for gram in grams):
        raise ValueError(
            "fusion='neighbourhoods' takes graphs of neighbours; leave affinity at 'auto', or give "
            "Neighbourhoods() or KNNGraph()."
        )
    shape = (len(rows), len(columns))
    total = sparse.csr_array(shape)
    for view, (gram, weight) in enumerate(zip(grams, weights, strict=True)):
        places = np.flatnonzero(rows[:, view]), np.flatnonzero(columns[:, view])
        total = total + spread_gram(_times(gram, weight), *places, shape)
    at_row = np.repeat(np.arange(shape[0]), np.diff(total.indptr))
    counts = (rows[at_row] & columns[total.indices]) @ np.asarray(weights, dtype=np.float64)
    means = np.divide(total.data, counts, out=np.zeros(total.nnz), where=counts > 0)
    return sparse.csr_array((means, total.indices, total.indptr), shape=shape)


def product_of_grams(grams: Sequence[Gram]) -> Gram:
    """Multiply similarities entry by entry; with a sparse one, on its support only.

    Examples
    --------
    >>> product_of_grams([np.full((2, 2), 2.0), sparse.csr_array(np.eye(2))]).toarray()
    array([[2., 0.],
           [0., 2.]])
    """
    sparsest_first = sorted(
        grams, key=lambda gram: (not is_sparse(gram), isinstance(gram, LowRank))
    )
    return reduce(_product, sparsest_first)


def _product(one: Gram, other: Gram) -> Gram:
    """The product of two, the first no less sparse than the second."""
    if is_sparse(one):
        if is_sparse(other):
            return sparse.csr_array(one.multiply(other))
        return _on_support(one, other)
    if isinstance(one, LowRank) and isinstance(other, LowRank):
        return _columnwise_product(one, other)
    dense: FloatArray = to_dense(one) * to_dense(other)
    return dense


def _on_support(one: Any, other: FloatArray | LowRank) -> sparse.csr_array:
    rows = np.repeat(np.arange(one.shape[0]), np.diff(one.indptr))
    if isinstance(other, LowRank):
        values = np.einsum("ij,ij->i", other.left[rows], other.right[one.indices])
    else:
        values = other[rows, one.indices]
    return sparse.csr_array((one.data * values, one.indices, one.indptr), shape=one.shape)


def _columnwise_product(one: LowRank, other: LowRank) -> LowRank:
    """``(a b') ∘ (c d')`` has as factors all products of a column of one and one of the other."""
    rank = one.rank * other.rank
    if rank > _MOST_COLUMNS:
        raise ValueError(
            f"the product of similarities of rank {one.rank} and {other.rank} has rank {rank}, "
            f"more than {_MOST_COLUMNS}; lower the ranks, or use fusion='sum'."
        )
    left = (one.left[:, :, None] * other.left[:, None, :]).reshape(-1, rank)
    right = (one.right[:, :, None] * other.right[:, None, :]).reshape(-1, rank)
    return LowRank(left, right)


def without_diagonal(gram: Gram) -> Gram:
    """Leave out the similarity of an object to itself.

    Examples
    --------
    >>> without_diagonal(np.ones((2, 2)))
    array([[0., 1.],
           [1., 0.]])
    """
    if isinstance(gram, LowRank):
        raise ValueError(
            "similarities of low rank have none left without their diagonal; use "
            "zero_diagonal=False, or an affinity that is dense or sparse."
        )
    if is_sparse(gram):
        entries = gram.tocoo()
        rows, columns = entries.coords
        off = rows != columns
        return sparse.csr_array((entries.data[off], (rows[off], columns[off])), shape=gram.shape)
    emptied = np.array(gram)
    np.fill_diagonal(emptied, 0.0)
    return emptied
