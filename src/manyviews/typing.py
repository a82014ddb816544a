"""Names for the types that cross the rooms."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

FloatArray: TypeAlias = NDArray[np.floating[Any]]
IntArray: TypeAlias = NDArray[np.integer[Any]]
BoolArray: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

Matrix: TypeAlias = FloatArray | csr_array
"""One view: a dense float array or a CSR array, one row per object."""

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None

ViewsLike: TypeAlias = Any
"""Whatever ``Views`` can be built from: see :class:`manyviews.Views`."""


def is_sparse(matrix: Any) -> TypeGuard[Any]:
    """Whether a matrix is sparse, in a way that type checkers understand."""
    return bool(issparse(matrix))
