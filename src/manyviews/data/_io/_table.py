"""One view as it stands in a file of its own: rows with keys, columns with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from manyviews.typing import BoolArray, IntArray, Matrix, is_sparse

ID = "id"
"""Column with the keys of the objects."""


@dataclass(frozen=True)
class Table:
    """The rows of a view that a file holds; ``keys`` says which objects they are, if it knows."""

    matrix: Matrix
    names: Sequence[str] | None
    """Names of the columns, if the file has any."""
    keys: Sequence[str] | None

    def __len__(self) -> int:
        return int(self.matrix.shape[0])


def spread(matrix: Matrix, target: IntArray, n_objects: int) -> tuple[Matrix, BoolArray]:
    """Put each row at its place among all objects, and say which places are taken."""
    seen = np.zeros(n_objects, dtype=bool)
    seen[target] = True
    if not is_sparse(matrix):
        placed = np.full((n_objects, matrix.shape[1]), np.nan, dtype=matrix.dtype)
        placed[target] = matrix
        return placed, seen
    counts = np.zeros(n_objects, dtype=matrix.indptr.dtype)
    counts[target] = np.diff(matrix.indptr)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    ordered = matrix[np.argsort(target)]
    shape = (n_objects, matrix.shape[1])
    return sparse.csr_array((ordered.data, ordered.indices, indptr), shape=shape), seen
