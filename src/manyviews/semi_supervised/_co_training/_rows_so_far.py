"""Rows that come in parts and are wanted as one matrix with a constant column."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.typing import FloatArray, Matrix, is_sparse


class RowsSoFar:
    """The rows of all parts so far, in their order, and a constant as their last column.

    Examples
    --------
    >>> store = RowsSoFar(constant=1.0)
    >>> first = store.add(np.array([[1.0, 2.0]]))
    >>> store.add(np.array([[3.0, 4.0], [5.0, 6.0]]))
    array([[3., 4., 1.],
           [5., 6., 1.]])
    >>> store.rows
    array([[1., 2., 1.],
           [3., 4., 1.],
           [5., 6., 1.]])
    """

    def __init__(self, constant: float) -> None:
        self._constant = constant
        self.rows: Matrix = np.empty((0, 0))
        self._room: FloatArray = np.empty((0, 0))

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def add(self, rows: Matrix) -> Matrix:
        """Append some rows; return them with the constant."""
        if is_sparse(rows):
            column = np.full((rows.shape[0], 1), self._constant)
            new = sparse.hstack([rows, column], format="csr", dtype=np.float64)
            self.rows = sparse.vstack([self.rows, new], format="csr") if len(self) else new
            return new
        n_rows = len(self) + len(rows)
        if n_rows > len(self._room):
            self._room = np.empty((2 * n_rows, rows.shape[1] + 1))
            if len(self):
                self._room[: len(self)] = self.rows
        new = self._room[len(self) : n_rows]
        new[:, :-1], new[:, -1] = rows, self._constant
        self.rows = self._room[:n_rows]
        return new
