"""Sparse matrices from parts that a damaged file may have made inconsistent."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data._compressed import csr_fault
from manyviews.data._io._damage import DamageError
from manyviews.typing import AnyArray, BoolArray


def checked_csr(
    name: str, data: AnyArray, indices: AnyArray, indptr: AnyArray, shape: AnyArray
) -> Any:
    """Build a CSR array after looking at every part: compiled code downstream trusts them."""
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise DamageError(f"view {name!r} has no valid shape of two numbers; write the file again.")
    rows, columns = (int(length) for length in shape)
    fault = csr_fault(data, indices, indptr, (rows, columns))
    if fault is None and int(indptr[-1]) != len(data):
        fault = f"{len(data)} values and row pointers for {int(indptr[-1])} of them"
    if fault is not None:
        raise DamageError(f"view {name!r} has {fault}; write the file again.")
    return sparse.csr_array((data, indices, indptr), shape=(rows, columns))


def with_index_type(matrix: Any, dtype: np.dtype[Any]) -> Any:
    """The same CSR array with indices of that integer type, if they fit."""
    if matrix.indices.dtype == dtype and matrix.indptr.dtype == dtype:
        return matrix
    if max(*matrix.shape, matrix.nnz) > np.iinfo(dtype).max:
        raise DamageError(
            f"a sparse matrix of {matrix.shape[1]} features and {matrix.nnz} values has indices "
            f"beyond the type {dtype} that is stated for them; state int64."
        )
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
