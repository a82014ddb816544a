"""Whether the parts of a sparse matrix fit together, which compiled code takes for granted."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.typing import AnyArray


def sparse_fault(matrix: Any) -> str | None:
    """Say what is wrong with a sparse matrix of SciPy's, or None if nothing is.

    A wild index in it would be read and written at without a look, here or in SciPy. This looks
    once at every index, which is cheap beside whatever is done with them.

    Examples
    --------
    >>> from scipy import sparse
    >>> matrix = sparse.csr_array([[1.0, 0.0], [0.0, 2.0]])
    >>> matrix.indices[1] = 9
    >>> sparse_fault(matrix)
    'a CSR column index outside of its 2 columns'
    """
    if matrix.format == "csr":
        return csr_fault(matrix.data, matrix.indices, matrix.indptr, matrix.shape)
    if matrix.format == "csc":  # the CSR parts of its transpose
        return csr_fault(matrix.data, matrix.indices, matrix.indptr, matrix.shape[::-1])
    if matrix.format == "coo":
        for places, length in zip(matrix.coords, matrix.shape, strict=True):
            if len(places) != len(matrix.data) or not _all_below(places, length):
                return "coordinates that do not fit its shape"
    if matrix.format == "bsr":
        try:
            matrix.check_format(full_check=True)
        except ValueError:
            return "blocks that do not fit its shape"
    return None


def csr_fault(
    data: AnyArray, indices: AnyArray, indptr: AnyArray, shape: tuple[int, ...]
) -> str | None:
    """Say what is wrong with the parts of a CSR matrix, or None if nothing is."""
    n_rows, n_columns = shape
    if any(part.ndim != 1 for part in (data, indices, indptr)):
        return "CSR parts that are not vectors"
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        return "CSR indices that are no integers"
    ends_meet = len(indptr) == n_rows + 1 and indptr[0] == 0 and indptr[-1] <= len(indices)
    if not ends_meet or len(data) != len(indices) or (indptr[1:] < indptr[:-1]).any():
        return f"CSR row pointers that fit neither its {n_rows} rows nor its {len(data)} values"
    if not _all_below(indices[: int(indptr[-1])], n_columns):  # behind may be room to grow
        return f"a CSR column index outside of its {n_columns} columns"
    return None


def _all_below(indices: AnyArray, length: int) -> bool:
    return not len(indices) or 0 <= int(np.min(indices)) <= int(np.max(indices)) < length
