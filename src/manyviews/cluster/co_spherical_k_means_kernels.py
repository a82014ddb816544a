"""The loops of co-spherical k-means, compiled: best sums, moves from cluster to cluster."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_and_sum_of_best(scores: FloatArray, more: FloatArray) -> tuple[IntArray, float]:
    """Which row is largest in each column, and the sum of what is largest with ``more`` added."""
    n_rows, n_columns = scores.shape
    labels = np.empty(n_columns, dtype=np.int32)
    total = 0.0
    for column in range(n_columns):
        label, value = 0, scores[0, column]
        best = value + more[0, column]
        for row in range(1, n_rows):
            score = scores[row, column]
            together = score + more[row, column]
            label = row if score > value else label
            value = score if score > value else value
            best = together if together > best else best
        labels[column] = label
        total += best
    return labels, total


@njit(cache=True)  # type: ignore[untyped-decorator]
def move_rows(
    rows: FloatArray, moved: IntArray, before: IntArray, after: IntArray, sums: FloatArray
) -> None:
    """Take each row that moved from the sum of its old cluster to that of its new one."""
    for row in moved:
        old, new = before[row], after[row]
        for feature in range(rows.shape[1]):
            sums[new, feature] += rows[row, feature]
            sums[old, feature] -= rows[row, feature]


@njit(cache=True)  # type: ignore[untyped-decorator]
def move_rows_by_pair(
    rows: FloatArray, moved: IntArray, before: IntArray, after: IntArray, sums: FloatArray
) -> None:
    """Do the same over sums by pair of clusters, with half the additions if there are few pairs."""
    n_clusters, n_features = sums.shape
    crossing = np.zeros((n_clusters, n_clusters, n_features), dtype=sums.dtype)
    for row in moved:
        old, new = before[row], after[row]
        for feature in range(n_features):
            crossing[old, new, feature] += rows[row, feature]
    for old in range(n_clusters):
        for new in range(n_clusters):
            sums[new] += crossing[old, new]
            sums[old] -= crossing[old, new]


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
def changed_rows(before: IntArray, after: IntArray) -> IntArray:
    """Places at which two arrays differ."""
    rows = np.empty(len(before), dtype=np.int64)
    found = 0
    for row in range(len(before)):
        rows[found] = row  # without a branch: the next one overwrites it if it stays
        found += before[row] != after[row]
    return rows[:found]


@njit(cache=True)  # type: ignore[untyped-decorator]
def empty_clusters(labels: IntArray, counted: BoolArray, n_clusters: int) -> IntArray:
    """Clusters that have no object that counts; looks no further once all have one."""
    empty = np.ones(n_clusters, dtype=np.bool_)
    n_empty = n_clusters
    for row in range(len(labels)):
        if counted[row] and empty[labels[row]]:
            empty[labels[row]] = False
            n_empty -= 1
            if n_empty == 0:
                break
    return np.flatnonzero(empty)
