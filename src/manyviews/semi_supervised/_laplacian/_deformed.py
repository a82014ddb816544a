"""A kernel bent along the unlabelled data, so that its functions are smooth there [@sindhwani2005].

``K̃(x, z) = K(x, z) − k_xᵀ (I + M G)⁻¹ M k_z`` is the kernel of the norm ``|f|² + fᵀ M f``. Where K
has features, ``K = Φ Φᵀ``, it is ``φ(x)ᵀ (I + Φᵀ M Φ)⁻¹ φ(z)`` (by Woodbury): as large as there are
features instead of objects. Only columns at labelled objects are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lu_factor, lu_solve
from scipy.sparse import csc_array

from manyviews.maths import Solved, check_memory, conjugate_gradients
from manyviews.semi_supervised._laplacian._regularizer import Smoothness
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_COLUMNS = 256
"""Of sparse features, so many are made dense at a time."""


@dataclass(frozen=True)
class Penalty:
    """``M = ratio · L`` with ``ratio = γ_I / γ_A``."""

    ratio: float
    smoothness: Smoothness

    def __matmul__(self, block: FloatArray) -> FloatArray:
        return self.ratio * (self.smoothness @ block)

    def diagonal(self) -> FloatArray:
        """Return the diagonal of ``M``, roughly where L is a power."""
        return self.ratio * self.smoothness.diagonal()


@dataclass(frozen=True)
class Deformed:
    """The deformed kernel at the labelled objects, and as a function of any other."""

    gram: FloatArray
    """``K̃`` among the labelled objects, exactly symmetric."""
    columns: FloatArray
    """``K̃(x, labelled) = b(x)ᵀ columns``, with b the kernel row or the features of x."""
    n_iter: int = 1
    residual: float = 0.0
    """What an iterative solution left undone, relative to what was asked."""


def deformed_dual(gram: FloatArray, penalty: Penalty | None, labelled: IntArray) -> Deformed:
    """Deform a kernel that is known by its matrix among all objects.

    Examples
    --------
    >>> G = np.eye(2)
    >>> L = Smoothness((1.0,), (np.array([[1.0, -1.0], [-1.0, 1.0]]),), 1)
    >>> deformed_dual(G, Penalty(1.0, L), np.array([0, 1])).gram.round(4)
    array([[0.6667, 0.3333],
           [0.3333, 0.6667]])
    """
    columns = np.zeros((len(gram), len(labelled)))
    columns[labelled, np.arange(len(labelled))] = 1.0
    if penalty is not None:
        system = penalty @ gram  # M G
        targets = system[:, labelled].copy()
        system.flat[:: len(gram) + 1] += 1.0
        factor = lu_factor(system, overwrite_a=True, check_finite=False)
        columns -= lu_solve(factor, targets, overwrite_b=True, check_finite=False)
    return Deformed(_symmetric(gram[labelled] @ columns), columns)


def deformed_primal(features: Matrix, penalty: Penalty | None, labelled: IntArray) -> Deformed:
    """Deform a kernel ``Φ Φᵀ`` exactly, by a system as large as there are features.

    Examples
    --------
    >>> X = np.array([[1.0], [3.0]])
    >>> L = Smoothness((1.0,), (np.array([[1.0, -1.0], [-1.0, 1.0]]),), 1)
    >>> deformed_primal(X, Penalty(1.0, L), np.array([0])).gram  # 1 / (1 + (3 − 1)²)
    array([[0.2]])
    """
    shown = _dense_rows(features, labelled)
    if penalty is None:
        return Deformed(_symmetric(shown @ shown.T), shown.T.copy())
    system = roughness(features, penalty)  # Φᵀ M Φ
    system.flat[:: len(system) + 1] += 1.0
    factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
    columns = cho_solve(factor, shown.T, check_finite=False)
    return Deformed(_symmetric(shown @ columns), columns)


def deformed_iterative(
    features: Matrix,
    penalty: Penalty | None,
    labelled: IntArray,
    *,
    tol: float,
    max_iter: int,
) -> Deformed:
    """Deform a kernel ``Φ Φᵀ`` with nothing larger than the features and a few vectors."""
    if penalty is None:
        return deformed_primal(features, None, labelled)
    shown = _dense_rows(features, labelled)
    turned = features.T

    def apply(block: FloatArray) -> FloatArray:
        found: FloatArray = block + turned @ (penalty @ (features @ block))
        return found

    diagonal = 1.0 + squared_columns(features, penalty.diagonal())
    found = conjugate_gradients(apply, shown.T, diagonal, tol=tol, max_iter=max_iter)
    columns = found.solution
    return Deformed(_symmetric(shown @ columns), columns, found.n_iter, found.residual)


def iterative_ridge(
    features: Matrix,
    penalty: Penalty | None,
    labelled: IntArray,
    targets: FloatArray,
    ridge: float,
    *,
    tol: float,
    max_iter: int,
) -> Solved:
    """Weights ``w`` of least ``|y − Φ_l w|² + ridge · (|w|² + (Φw)ᵀ M (Φw))``, for all columns."""
    shown, turned = features[labelled], features.T

    def apply(block: FloatArray) -> FloatArray:
        found: FloatArray = shown.T @ (shown @ block) + ridge * block
        if penalty is not None:
            found += ridge * (turned @ (penalty @ (features @ block)))
        return found

    diagonal = ridge + squared_columns(shown, np.ones(len(labelled)))
    if penalty is not None:
        diagonal += ridge * squared_columns(features, penalty.diagonal())
    asked = np.asarray(shown.T @ targets)
    return conjugate_gradients(apply, asked, diagonal, tol=tol, max_iter=max_iter)


def roughness(features: Matrix, penalty: Penalty) -> FloatArray:
    """Return ``Φᵀ M Φ``, some columns at a time."""
    width = features.shape[1]
    turned, by_column = features.T, csc_array(features) if is_sparse(features) else features
    check_memory(
        (width, width),
        f"the system of {width:,} features",
        remedy="use solver='iterative', or a kernel of low rank, LowRankKernel()",
    )
    found = np.empty((width, width))
    for start in range(0, width, _COLUMNS):
        part = slice(start, min(start + _COLUMNS, width))
        block = by_column[:, part]
        found[:, part] = turned @ (penalty @ (block.toarray() if is_sparse(block) else block))
    return _symmetric(found)


def squared_columns(features: Matrix, weights: FloatArray) -> FloatArray:
    """Weighted sum of the squares of every column.

    Examples
    --------
    >>> squared_columns(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([1.0, 10.0]))
    array([91.,  4.])
    """
    if not is_sparse(features):
        return np.einsum("ij,ij,i->j", features, features, weights)
    return np.asarray((features * features).T @ weights)


def _dense_rows(features: Matrix, rows: IntArray) -> FloatArray:
    n_rows, width = len(rows), features.shape[1]
    check_memory(
        (n_rows, max(n_rows, width)),
        f"the kernel of {n_rows:,} labelled objects with {width:,} features",
        remedy="label fewer objects, or use a kernel of low rank, LowRankKernel()",
    )
    shown = features[rows]
    return shown.toarray() if is_sparse(shown) else shown


def _symmetric(matrix: FloatArray) -> FloatArray:
    return (matrix + matrix.T) / 2
