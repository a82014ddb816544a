"""Inner products of base kernels with each other and with any matrix, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import FloatArray

_VALUES = 1 << 19
"""How many values of kernels are in memory at once."""

Rows = Callable[[slice], FloatArray]
"""Some rows of a matrix of all pairs of objects."""


def pair_blocks(kernels: KernelMatrices) -> Iterator[tuple[slice, FloatArray]]:
    """K-examples of all pairs: rows of objects, and (pairs × kernels) for each."""
    n_rows, n_columns = kernels.shape
    step = max(1, _VALUES // (n_columns * len(kernels)))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        yield rows, kernels.examples(rows).reshape(-1, len(kernels))


def products_with(kernels: KernelMatrices, matrix: Rows) -> FloatArray:
    """``⟨K_l, A⟩`` of every kernel with a matrix, of which rows are asked for.

    The cost does not depend on what the matrix is made of: for ``A = Σ_c β_c β_cᵀ`` these are
    quadratic forms summed over classes.
    """
    found = np.zeros(len(kernels))
    for rows, examples in pair_blocks(kernels):
        found += matrix(rows).ravel() @ examples
    return found


def quadratic_forms(kernels: KernelMatrices, coefficients: FloatArray) -> FloatArray:
    """``Σ_c β_cᵀ K_l β_c`` of every kernel, for coefficients of objects × classes."""
    return products_with(kernels, lambda rows: coefficients[rows] @ coefficients.T)
