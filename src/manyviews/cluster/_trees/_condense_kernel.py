"""Compiled cutting of rows at the means of columns.

Rows are an array, or ``(data, indices, indptr, n_columns)`` of a CSR matrix with sorted indices.
Which of the two is known when the code is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload


@njit(cache=True)  # type: ignore[untyped-decorator]
def cut(X: Any, n_rows: int, n_groups: int) -> Any:
    """Cut the group that varies most in one column there, at its mean, until there are enough."""
    order = np.arange(n_rows)
    ends = np.zeros((n_groups, 2), np.int64)
    columns, cuts, scatters = np.zeros(n_groups, np.int64), np.zeros(n_groups), np.zeros(n_groups)
    ends[0, 1] = n_rows
    columns[0], cuts[0], scatters[0] = _widest(X, order)
    count = 1
    while count < n_groups:
        group = np.argmax(scatters[:count])
        if scatters[group] <= 0.0:
            break
        first, last = ends[group]
        middle = first + _put_above_last(X, columns[group], cuts[group], order[first:last])
        if middle in (first, last):  # values so near that their mean is one of the ends
            scatters[group] = 0.0
            continue
        ends[group], ends[count] = (first, middle), (middle, last)
        for part in (group, count):
            rows = order[ends[part, 0] : ends[part, 1]]
            columns[part], cuts[part], scatters[part] = _widest(X, rows)
        count += 1
    groups = np.zeros(n_rows, np.int64)
    for number in range(count):
        groups[order[ends[number, 0] : ends[number, 1]]] = number
    return groups


@njit(cache=True)  # type: ignore[untyped-decorator]
def _put_above_last(X: Any, column: int, cut: float, rows: Any) -> int:
    """Order rows so that those above the cut come last; return where they begin."""
    place = 0
    for i in range(len(rows)):
        if _cell(X, rows[i], column) <= cut:
            rows[place], rows[i] = rows[i], rows[place]
            place += 1
    return place


def _widest_dense(X: Any, rows: Any) -> tuple[int, float, float]:
    means, squares = np.zeros(X.shape[1]), np.zeros(X.shape[1])
    for row in rows:
        means += X[row]
    means /= len(rows)
    for row in rows:
        for k in range(X.shape[1]):
            squares[k] += (X[row, k] - means[k]) ** 2
    widest = int(np.argmax(squares))
    return widest, means[widest], squares[widest]


def _widest_sparse(X: Any, rows: Any) -> tuple[int, float, float]:
    data, indices, indptr, n_columns = X
    means, squares, stored = np.zeros(n_columns), np.zeros(n_columns), np.zeros(n_columns)
    for row in rows:
        for place in range(indptr[row], indptr[row + 1]):
            means[indices[place]] += data[place]
            stored[indices[place]] += 1
    means /= len(rows)
    for row in rows:
        for place in range(indptr[row], indptr[row + 1]):
            squares[indices[place]] += (data[place] - means[indices[place]]) ** 2
    squares += (len(rows) - stored) * means**2  # cells that are not stored are zeros
    widest = int(np.argmax(squares))
    return widest, means[widest], squares[widest]


def _cell_sparse(X: Any, row: int, column: int) -> float:
    data, indices, indptr, _ = X
    first, last = indptr[row], indptr[row + 1]
    place = first + np.searchsorted(indices[first:last], column)
    if place < last and indices[place] == column:
        return float(data[place])
    return 0.0


def _cell_dense(X: Any, row: int, column: int) -> Any:
    return X[row, column]


def _widest(X: Any, rows: Any) -> tuple[int, float, float]:
    """Return the column with the largest sum of squares about its mean, the mean, and that sum."""
    raise NotImplementedError("compiled only")


def _cell(X: Any, row: int, column: int) -> float:
    """Return the value of a row in a column."""
    raise NotImplementedError("compiled only")


@overload(_widest)  # type: ignore[untyped-decorator]
def _choose_widest(X: Any, rows: Any) -> Callable[..., Any]:  # noqa: ARG001 (numba's signature)
    return _widest_sparse if isinstance(X, types.BaseTuple) else _widest_dense


@overload(_cell)  # type: ignore[untyped-decorator]
def _choose_cell(X: Any, row: int, column: int) -> Callable[..., Any]:  # noqa: ARG001
    return _cell_sparse if isinstance(X, types.BaseTuple) else _cell_dense
