"""Compiled cutting of rows at the means of columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)  # type: ignore[untyped-decorator]
def cut_by_columns(X: Any, n_groups: int) -> Any:
    """Cut the group that varies most in one column there, at its mean, until there are enough."""
    order = np.arange(len(X))
    ends = np.zeros((n_groups, 2), np.int64)
    columns, cuts, scatters = np.zeros(n_groups, np.int64), np.zeros(n_groups), np.zeros(n_groups)
    ends[0, 1] = len(X)
    columns[0], cuts[0], scatters[0] = _widest_column(X, order)
    count = 1
    while count < n_groups:
        group = np.argmax(scatters[:count])
        if scatters[group] <= 0.0:
            break
        first, last = ends[group]
        middle = first + _put_above_last(X[:, columns[group]], cuts[group], order[first:last])
        if middle in (first, last):  # values so near that their mean is one of the ends
            scatters[group] = 0.0
            continue
        ends[group], ends[count] = (first, middle), (middle, last)
        for part in (group, count):
            rows = order[ends[part, 0] : ends[part, 1]]
            columns[part], cuts[part], scatters[part] = _widest_column(X, rows)
        count += 1
    groups = np.zeros(len(X), np.int64)
    for number in range(count):
        groups[order[ends[number, 0] : ends[number, 1]]] = number
    return groups


@njit(cache=True)  # type: ignore[untyped-decorator]
def _widest_column(X: Any, rows: Any) -> tuple[int, float, float]:
    """Return the column with the largest sum of squares about its mean, the mean, and that sum."""
    means, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for row in rows:
        means += X[row]
    means /= len(rows)
    for row in rows:
        for k in range(X.shape[1]):
            squares[k] += (X[row, k] - means[k]) ** 2
    widest = int(np.argmax(squares))
    return widest, means[widest], squares[widest]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _put_above_last(values: Any, cut: float, rows: Any) -> int:
    """Order rows so that those above the cut come last; return where they begin."""
    place = 0
    for i in range(len(rows)):
        if values[rows[i]] <= cut:
            rows[place], rows[i] = rows[i], rows[place]
            place += 1
    return place
