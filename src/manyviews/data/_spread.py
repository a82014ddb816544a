"""Rows of a matrix put at their places among more objects; the other rows are unobserved."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from manyviews.typing import IntArray, Matrix, is_sparse


def spread_rows(matrix: Matrix, places: IntArray, n_objects: int) -> Matrix:
    """Return a matrix of ``n_objects`` rows with the given ones at ``places``, in any order.

    The other rows are NaN in a dense matrix and empty in a sparse one, as ``Views`` has them.

    Examples
    --------
    >>> spread_rows(np.array([[1.0], [2.0]]), np.array([2, 0]), 3).ravel()
    array([ 2., nan,  1.])
    """
    shape = (n_objects, int(matrix.shape[1]))
    if is_sparse(matrix):
        counts = np.zeros(n_objects, dtype=matrix.indptr.dtype)
        counts[places] = np.diff(matrix.indptr)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(matrix.indptr.dtype)
        ordered = matrix[np.argsort(places)]
        return sparse.csr_array((ordered.data, ordered.indices, indptr), shape=shape)
    dtype = np.result_type(matrix.dtype, np.float32)
    spread = np.full(shape, np.nan, dtype=dtype)
    spread[places] = matrix
    return spread
