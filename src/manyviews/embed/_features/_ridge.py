"""Least squares for very many targets at once, by whichever side of the data is small."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from manyviews.maths import conjugate_gradients, row_blocks
from manyviews.typing import FloatArray, Matrix, is_sparse

DIRECT = 3000
"""Up to so many features, or objects, their products are formed and factorised."""
_TOL = 1e-5
"""Accuracy of conjugate gradients, relative to the right-hand side."""
_MAX_ITER = 1000
_COLUMNS = 8
"""How many systems are solved together by conjugate gradients."""


class Ridge(ABC):
    """The weights ``W = (ZᵀZ + λI)⁻¹ ZᵀT`` of all targets, as something that can be applied.

    ``W`` has a row per feature and a column per target, too many to be written down where both
    are words.
    """

    tol: ClassVar[float] = 1e-9
    """To which accuracy it is worth while to ask for its singular vectors."""

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        self.rows, self.targets, self.penalty = rows, targets, penalty

    @abstractmethod
    def weights(self, block: FloatArray) -> FloatArray:
        """``W @ block``: weights of combinations of the targets."""

    @abstractmethod
    def adjoint(self, block: FloatArray) -> FloatArray:
        """``Wᵀ @ block``: what the targets give to directions in the view."""

    @abstractmethod
    def crossed(self, block: FloatArray) -> FloatArray:
        """``TᵀZ @ block``: products of the targets with functions of the view."""


class PrimalRidge(Ridge):
    """By the products of the features, factorised once."""

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        super().__init__(rows, targets, penalty)
        self.cross = _product(rows, targets)

    def weights(self, block: FloatArray) -> FloatArray:
        return self._solve(np.asarray(self.cross @ block))

    def adjoint(self, block: FloatArray) -> FloatArray:
        return self.crossed(self._solve(block))

    def crossed(self, block: FloatArray) -> FloatArray:
        return np.asarray(self.cross.T @ block)

    def _solve(self, block: FloatArray) -> FloatArray:
        if not hasattr(self, "_factor"):
            gram = _dense(_product(self.rows, self.rows))
            gram[np.diag_indices_from(gram)] += self.penalty
            self._factor = cho_factor(gram, lower=True, overwrite_a=True)
        return np.asarray(cho_solve(self._factor, block))


class DualRidge(Ridge):
    """By the products of the objects, where these are few: ``W = Zᵀ (ZZᵀ + λI)⁻¹ T``."""

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        super().__init__(rows, targets, penalty)
        gram = _dense(rows @ rows.T)
        gram[np.diag_indices_from(gram)] += penalty
        self._factor = cho_factor(gram, lower=True, overwrite_a=True)

    def weights(self, block: FloatArray) -> FloatArray:
        inner = cho_solve(self._factor, np.asarray(self.targets @ block))
        return np.asarray(self.rows.T @ inner)

    def adjoint(self, block: FloatArray) -> FloatArray:
        inner = cho_solve(self._factor, np.asarray(self.rows @ block))
        return np.asarray(self.targets.T @ inner)

    def crossed(self, block: FloatArray) -> FloatArray:
        return np.asarray(self.targets.T @ np.asarray(self.rows @ block))


class IterativeRidge(PrimalRidge):
    """By conjugate gradients, where both features and objects are many."""

    tol: ClassVar[float] = 1e-4

    def __init__(self, rows: Matrix, targets: Matrix, penalty: float) -> None:
        super().__init__(rows, targets, penalty)
        self.diagonal = column_squares(rows) + penalty

    def _solve(self, block: FloatArray) -> FloatArray:
        flat = block.reshape(len(block), -1)
        found = np.empty(flat.shape)
        for part in row_blocks(flat.shape[1], _COLUMNS):
            found[:, part] = self._solve_few(flat[:, part])
        return found.reshape(block.shape)

    def _solve_few(self, block: FloatArray) -> FloatArray:
        solved = conjugate_gradients(
            self._apply, block, self.diagonal, tol=_TOL, max_iter=_MAX_ITER
        )
        if solved.residual > _TOL:
            from sklearn.exceptions import ConvergenceWarning

            warnings.warn(
                f"the auxiliary problems were solved to a residual of {solved.residual:.1g} only; "
                "scale the features, or raise regularization.",
                ConvergenceWarning,
                stacklevel=6,
            )
        return solved.solution

    def _apply(self, block: FloatArray) -> FloatArray:
        return np.asarray(self.rows.T @ (self.rows @ block)) + self.penalty * block


def ridge(rows: Matrix, targets: Matrix, penalty: float) -> Ridge:
    """Least squares with penalty ``λ |w|²`` for every column of the targets, without intercept.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]])
    >>> targets = sparse.csr_array(np.array([[1.0], [0.0], [1.0]]))
    >>> ridge(rows, targets, 1.0).weights(np.eye(1)).ravel().round(3)
    array([0.235, 0.294])
    """
    n_objects, n_features = rows.shape
    if n_features <= min(n_objects, DIRECT):
        return PrimalRidge(rows, targets, penalty)
    if n_objects <= DIRECT:
        return DualRidge(rows, targets, penalty)
    return IterativeRidge(rows, targets, penalty)


def column_squares(rows: Matrix) -> FloatArray:
    """Sum of squares of each feature."""
    if is_sparse(rows):
        sums = np.bincount(rows.indices, weights=rows.data**2, minlength=rows.shape[1])
        return sums.astype(np.float64)  # counts, where nothing is stored
    return np.einsum("ij,ij->j", rows, rows)


def _product(left: Matrix, right: Matrix) -> Matrix:
    """``leftᵀ right``, sparse only if both are."""
    if is_sparse(left) == is_sparse(right):
        found = left.T @ right
        return sparse.csr_array(found) if is_sparse(found) else found
    return np.asarray(left.T @ right) if is_sparse(left) else np.asarray(right.T @ left).T


def _dense(matrix: Matrix) -> FloatArray:
    return matrix.toarray() if is_sparse(matrix) else np.array(matrix)
