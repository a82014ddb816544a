"""One view as an svmlight file: one line per object, features counted from one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data._io._csr import from_cells
from manyviews.data._io._table import Table
from manyviews.typing import AnyArray, Matrix, is_sparse


def write_svmlight(path: Path, matrix: Matrix, targets: AnyArray | None) -> None:
    """Write a view; the targets are the labels if these are integers, else 0."""
    csr = matrix if is_sparse(matrix) else _stored_cells(matrix)
    labels = targets.tolist() if targets is not None and targets.dtype.kind in "iu" else None
    with path.open("x", encoding="ascii", newline="\n") as file:
        for row, (start, stop) in enumerate(zip(csr.indptr[:-1], csr.indptr[1:], strict=True)):
            columns, values = csr.indices[start:stop].tolist(), csr.data[start:stop].tolist()
            cells = [f" {column + 1}:{v!r}" for column, v in zip(columns, values, strict=True)]
            file.write(f"{labels[row] if labels else 0}{''.join(cells)}\n")


def _stored_cells(matrix: AnyArray) -> Any:
    """A dense view as CSR that keeps negative zeros; rows without any number stay empty."""
    keep = ((matrix != 0) | np.signbit(matrix)) & ~np.isnan(matrix).all(axis=1, keepdims=True)
    return from_cells(matrix, keep)


def read_svmlight(path: Path, n_features: int | None, first_index: int | None) -> Table:
    """Read a view; without a first index it is 0 if that occurs in the file, else 1."""
    from sklearn.datasets import load_svmlight_file

    zero_based: Any = "auto" if first_index is None else first_index == 0
    with path.open("rb") as file:
        matrix, _ = load_svmlight_file(
            file, n_features=n_features or None, dtype=np.float64, zero_based=zero_based
        )
    csr = sparse.csr_array(matrix)
    if n_features == 0:
        csr = sparse.csr_array((csr.shape[0], 0), dtype=np.float64)
    return Table(csr, None, None)
