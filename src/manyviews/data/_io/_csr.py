"""Sparse matrices from parts that a damaged file may have made inconsistent."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data._io._damage import DamageError
from manyviews.typing import AnyArray, BoolArray


def checked_csr(
    name: str, data: AnyArray, indices: AnyArray, indptr: AnyArray, shape: AnyArray
) -> Any:
    """Build a CSR array after looking at every part: compiled code downstream trusts them."""
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise DamageError(f"view {name!r} has no valid shape of two numbers; write the file again.")
    rows, columns = (int(length) for length in shape)
    if any(part.ndim != 1 for part in (data, indices, indptr)):
        raise DamageError(
            f"view {name!r} has CSR parts that are not vectors; write the file again."
        )
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        raise DamageError(
            f"view {name!r} has CSR indices that are no integers; write the file again."
        )
    ends_meet = len(indptr) == rows + 1 and indptr[0] == 0 and indptr[-1] == len(indices)
    if not ends_meet or len(data) != len(indices) or (indptr[1:] < indptr[:-1]).any():
        raise DamageError(
            f"view {name!r} has CSR row pointers that fit neither its {rows} rows nor its "
            f"{len(data)} values; write the file again."
        )
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < columns:
        raise DamageError(
            f"view {name!r} has a CSR column index outside of its {columns} features; "
            "write the file again."
        )
    return sparse.csr_array((data, indices, indptr), shape=(rows, columns))


def with_index_type(matrix: Any, dtype: np.dtype[Any]) -> Any:
    """The same CSR array with indices of that integer type."""
    if matrix.indices.dtype == dtype and matrix.indptr.dtype == dtype:
        return matrix
    parts = matrix.data, matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return sparse.csr_array(parts, shape=matrix.shape)


def to_cells(matrix: Any) -> tuple[AnyArray, BoolArray]:
    """Dense values and where a value is stored; unlike ``toarray`` it keeps negative zeros."""
    values = np.zeros(matrix.shape, dtype=matrix.dtype)
    stored = np.zeros(matrix.shape, dtype=bool)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    values[rows, matrix.indices] = matrix.data
    stored[rows, matrix.indices] = True
    return values, stored


def from_cells(values: AnyArray, stored: BoolArray) -> Any:
    """CSR array of the values that are to be stored, zeros among them."""
    rows, columns = np.nonzero(stored)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(values)))])
    return sparse.csr_array((values[rows, columns], columns, indptr), shape=values.shape)
