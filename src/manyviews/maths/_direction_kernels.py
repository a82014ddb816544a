"""Loops that NumPy has no fast word for: the best row of each column, sums of rows by group."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray, IntArray


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_rows(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """Which row is largest in each column, the first among equals, and its value."""
    n_rows, n_columns = scores.shape
    labels = np.zeros(n_columns, dtype=np.int32)
    best = scores[0].copy()
    for row in range(1, n_rows):
        for column in range(n_columns):  # without branches, so that it runs on vectors
            better = scores[row, column] > best[column]
            best[column] = scores[row, column] if better else best[column]
            labels[column] = row if better else labels[column]
    return labels, best


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_rows_by_column(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """Do the same where each column lies together in memory."""
    n_rows, n_columns = scores.shape
    labels = np.empty(n_columns, dtype=np.int32)
    best = np.empty(n_columns, dtype=scores.dtype)
    for column in range(n_columns):
        label, value = 0, scores[0, column]
        for row in range(1, n_rows):
            better = scores[row, column] > value
            value = scores[row, column] if better else value
            label = row if better else label
        labels[column], best[column] = label, value
    return labels, best


@njit(cache=True)  # type: ignore[untyped-decorator]
def add_sparse_rows(
    data: FloatArray, indices: IntArray, indptr: IntArray, groups: IntArray, sums: FloatArray
) -> None:
    """Add every row of a CSR matrix to the sum of its group; rows of group -1 are left out."""
    for row in range(len(groups)):
        if groups[row] < 0:
            continue
        for entry in range(indptr[row], indptr[row + 1]):
            sums[groups[row], indices[entry]] += data[entry]


@njit(cache=True)  # type: ignore[untyped-decorator]
def add_chosen_sparse_rows(
    data: FloatArray,
    indices: IntArray,
    indptr: IntArray,
    rows: IntArray,
    groups: IntArray,
    sums: FloatArray,
) -> None:
    """Add rows of a CSR matrix to sums, one pair of a row and a group after the other."""
    for pair in range(len(rows)):
        for entry in range(indptr[rows[pair]], indptr[rows[pair] + 1]):
            sums[groups[pair], indices[entry]] += data[entry]
