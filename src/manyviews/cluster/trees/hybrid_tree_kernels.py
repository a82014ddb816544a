"""Compiled cutting of rows at the means of columns, for :mod:`manyviews.cluster.trees.hybrid_tree`.

Rows are those of a CSR matrix with sorted indices: ``rows`` is ``(data, indices, indptr)``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)  # type: ignore[untyped-decorator]
def cut(rows: Any, n_columns: int, n_groups: int) -> Any:
    """Cut the group that varies most in one column there, at its mean, until there are enough."""
    n_rows = len(rows[2]) - 1
    order = np.arange(n_rows)
    ends = np.zeros((n_groups, 2), np.int64)
    columns, cuts, scatters = np.zeros(n_groups, np.int64), np.zeros(n_groups), np.zeros(n_groups)
    ends[0, 1] = n_rows
    columns[0], cuts[0], scatters[0] = _widest(rows, n_columns, order)
    count = 1
    while count < n_groups:
        group = np.argmax(scatters[:count])
        if scatters[group] <= 0.0:
            break
        first, last = ends[group]
        middle = first + _put_above_last(rows, columns[group], cuts[group], order[first:last])
        if middle in (first, last):  # values so near that their mean is one of the ends
            scatters[group] = 0.0
            continue
        ends[group], ends[count] = (first, middle), (middle, last)
        for part in (group, count):
            members = order[ends[part, 0] : ends[part, 1]]
            columns[part], cuts[part], scatters[part] = _widest(rows, n_columns, members)
        count += 1
    groups = np.zeros(n_rows, np.int64)
    for number in range(count):
        groups[order[ends[number, 0] : ends[number, 1]]] = number
    return groups


@njit(cache=True)  # type: ignore[untyped-decorator]
def _put_above_last(rows: Any, column: int, cut: float, members: Any) -> int:
    """Order members so that those above the cut come last; return where they begin."""
    place = 0
    for i in range(len(members)):
        if _cell(rows, members[i], column) <= cut:
            members[place], members[i] = members[i], members[place]
            place += 1
    return place


@njit(cache=True)  # type: ignore[untyped-decorator]
def _cell(rows: Any, row: int, column: int) -> float:
    data, indices, indptr = rows
    first, last = indptr[row], indptr[row + 1]
    place = first + np.searchsorted(indices[first:last], column)
    return data[place] if place < last and indices[place] == column else 0.0


@njit(cache=True)  # type: ignore[untyped-decorator]
def _widest(rows: Any, n_columns: int, members: Any) -> tuple[int, float, float]:
    """Return the column with the largest sum of squares about its mean, the mean, and that sum."""
    data, indices, indptr = rows
    means, squares, stored = np.zeros(n_columns), np.zeros(n_columns), np.zeros(n_columns)
    for row in members:
        for place in range(indptr[row], indptr[row + 1]):
            means[indices[place]] += data[place]
            stored[indices[place]] += 1
    means /= len(members)
    for row in members:
        for place in range(indptr[row], indptr[row + 1]):
            squares[indices[place]] += (data[place] - means[indices[place]]) ** 2
    squares += (len(members) - stored) * means**2  # cells that are not stored are zeros
    widest = int(np.argmax(squares))
    return widest, means[widest], squares[widest]
