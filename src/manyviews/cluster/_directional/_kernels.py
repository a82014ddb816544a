"""Loops over objects that NumPy has no fast word for: best sums, moves between groups."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray


@njit(cache=True)  # type: ignore[untyped-decorator]
def sum_of_best(first: FloatArray, second: FloatArray) -> float:
    """Sum over the columns of the largest entry in the sum of two arrays."""
    n_rows, n_columns = first.shape
    total = 0.0
    for column in range(n_columns):
        best = first[0, column] + second[0, column]
        for row in range(1, n_rows):
            score = first[row, column] + second[row, column]
            best = score if score > best else best
        total += best
    return total


@njit(cache=True)  # type: ignore[untyped-decorator]
def move_rows(
    rows: FloatArray, moved: IntArray, before: IntArray, after: IntArray, sums: FloatArray
) -> None:
    """Take each row that moved from the sum of its old group to that of its new one."""
    for row in moved:
        old, new = before[row], after[row]
        for feature in range(rows.shape[1]):
            sums[new, feature] += rows[row, feature]
            sums[old, feature] -= rows[row, feature]


@njit(cache=True)  # type: ignore[untyped-decorator]
def move_sparse_rows(
    data: FloatArray,
    indices: IntArray,
    indptr: IntArray,
    moved: IntArray,
    before: IntArray,
    after: IntArray,
    sums: FloatArray,
) -> None:
    """Do the same with rows of a CSR matrix."""
    for row in moved:
        old, new = before[row], after[row]
        for entry in range(indptr[row], indptr[row + 1]):
            sums[new, indices[entry]] += data[entry]
            sums[old, indices[entry]] -= data[entry]


@njit(cache=True)  # type: ignore[untyped-decorator]
def rows_that_differ(before: IntArray, after: IntArray) -> IntArray:
    """Places at which two arrays differ."""
    rows = np.empty(len(before), dtype=np.int64)
    found = 0
    for row in range(len(before)):
        rows[found] = row  # without a branch: the next one overwrites it if it stays
        found += before[row] != after[row]
    return rows[:found]


@njit(cache=True)  # type: ignore[untyped-decorator]
def empty_groups(groups: IntArray, counted: BoolArray, n_groups: int) -> IntArray:
    """Groups that have no object that counts; looks no further once all have one."""
    empty = np.ones(n_groups, dtype=np.bool_)
    n_empty = n_groups
    for row in range(len(groups)):
        if counted[row] and empty[groups[row]]:
            empty[groups[row]] = False
            n_empty -= 1
            if n_empty == 0:
                break
    return np.flatnonzero(empty)
