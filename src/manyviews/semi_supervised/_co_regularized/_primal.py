"""The coupled system solved for weights of features, without any matrix of objects by objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from manyviews.maths import conjugate_gradients, scaled
from manyviews.semi_supervised._co_regularized._system import CoupledLoss, Solution
from manyviews.typing import BoolArray, FloatArray, Matrix, is_sparse

NARROW = 1000
"""With no more features than this in all views together, the normal equations are factorised."""


@dataclass(frozen=True)
class Features:
    """One view's features ``o (Φ − 1 mᵀ)``; of sparse ones the mean is subtracted in products."""

    matrix: Matrix
    """Shape (n_objects, n_features), with zeros in the rows of unobserved objects."""
    seen: BoolArray
    shift: FloatArray
    """What is still to be subtracted from the matrix, in observed rows."""

    def values(self, weights: FloatArray) -> FloatArray:
        """Values of the functions with these weights, at all objects."""
        found = np.asarray(self.matrix @ weights)
        if self.shift.any():
            found -= self.shift @ weights
            found[~self.seen] = 0.0
        return found

    def gathered(self, forces: FloatArray) -> FloatArray:
        """Sums of the features, weighted by forces that are zero where the view is unobserved."""
        found = np.asarray(self.matrix.T @ forces)
        if self.shift.any():
            found -= self.shift[:, None] * forces.sum(axis=0)
        return found

    def squares(self, weights: FloatArray) -> FloatArray:
        """Sums of the squared features, weighted; for sparse ones without forming differences."""
        squared = self.matrix.power(2) if is_sparse(self.matrix) else self.matrix**2
        found = np.asarray(squared.T @ weights)
        if self.shift.any():
            found += self.shift * (self.shift * weights.sum() - 2.0 * (self.matrix.T @ weights))
        return np.maximum(found, 0.0)

    def product(self, weights: FloatArray, other: Features) -> FloatArray:
        """``Φᵀ diag(weights) Ψ``, with weights that are zero where either is unobserved."""
        weighted: Any = scaled(other.matrix, weights, np.ones(other.matrix.shape[1]))
        found: Any = self.matrix.T @ weighted
        dense = np.array(found.toarray() if is_sparse(found) else found, dtype=np.float64)
        if self.shift.any() or other.shift.any():
            own, others = self.matrix.T @ weights, other.matrix.T @ weights
            dense -= np.outer(self.shift, others) + np.outer(own, other.shift)
            dense += weights.sum() * np.outer(self.shift, other.shift)
        return dense


def solve_primal(
    features: Sequence[Features],
    loss: CoupledLoss,
    gammas: Sequence[float],
    *,
    tol: float = 1e-8,
    max_iter: int = 1000,
    report: Callable[[int, float], None] | None = None,
) -> Solution:
    """Weights of the features, ``(Γ + Φᵀ A Φ) w = Φᵀ d y`` with ``Φ`` block-diagonal.

    Few features are solved for by one Cholesky factorisation, many by conjugate gradients.

    Examples
    --------
    >>> from manyviews.semi_supervised._co_regularized._system import pose_loss
    >>> every = np.ones((2, 1), dtype=bool)
    >>> y = np.array([[1.0], [-1.0]])
    >>> loss = pose_loss(every, every[:, 0], y, coupling=0, balance=[1], view_weights=[1])
    >>> features = Features(np.eye(2), every[:, 0], np.zeros(2))
    >>> solve_primal([features], loss, [0.5]).values.ravel()
    array([ 0.5, -0.5])
    """
    widths = [own.matrix.shape[1] for own in features]
    pulls = zip(features, loss.pulls(), strict=True)
    right = np.vstack([own.gathered(pull) for own, pull in pulls])
    if sum(widths) <= NARROW:
        normal = _normal_matrix(features, loss, gammas)
        stacked = cho_solve(factorised(normal), right)
        n_iter, converged = 1, True
    else:
        equations = _Equations(tuple(features), loss, tuple(gammas))
        found = conjugate_gradients(
            equations, right, equations.diagonal(), tol=tol, max_iter=max_iter, report=report
        )
        stacked, n_iter, converged = found.solution, found.n_iter, found.residual <= tol
    weights = tuple(np.split(stacked, np.cumsum(widths)[:-1]))
    values = np.stack([own.values(part) for own, part in zip(features, weights, strict=True)])
    norms = np.array([np.vdot(part, part) for part in weights])
    return Solution(values, norms, weights=weights, n_iter=n_iter, converged=converged)


@dataclass(frozen=True)
class _Equations:
    """The normal equations as a product: two passes over the features."""

    features: tuple[Features, ...]
    loss: CoupledLoss
    gammas: tuple[float, ...]

    def _blocks(self) -> Iterator[tuple[slice, Features, float]]:
        start = 0
        for own, gamma in zip(self.features, self.gammas, strict=True):
            stop = start + own.matrix.shape[1]
            yield slice(start, stop), own, gamma
            start = stop

    def __call__(self, weights: FloatArray) -> FloatArray:
        values = np.stack([own.values(weights[part]) for part, own, _ in self._blocks()])
        forces = self.loss.forces(values)
        found = np.empty_like(weights)
        for (part, own, gamma), force in zip(self._blocks(), forces, strict=True):
            found[part] = gamma * weights[part] + own.gathered(force)
        return found

    def diagonal(self) -> FloatArray:
        own_weights = np.einsum("vvi->vi", self.loss.weights)
        return np.concatenate(
            [
                gamma + own.squares(weights)
                for (_, own, gamma), weights in zip(self._blocks(), own_weights, strict=True)
            ]
        )


def factorised(normal: FloatArray) -> tuple[FloatArray, bool]:
    """Cholesky factor of the normal equations, or why there is none."""
    try:
        factor, lower = cho_factor(normal, lower=True, overwrite_a=True)
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "gamma is so small beside balance and coupling that it is lost in rounding, and no "
            "function costs least; raise gamma, or lower the others."
        ) from error
    return factor, lower


def _normal_matrix(
    features: Sequence[Features], loss: CoupledLoss, gammas: Sequence[float]
) -> FloatArray:
    blocks = [
        [own.product(weights, other) for other, weights in zip(features, row, strict=True)]
        for own, row in zip(features, loss.weights, strict=True)
    ]
    normal: FloatArray = np.block(blocks)
    widths = [own.matrix.shape[1] for own in features]
    normal[np.diag_indices_from(normal)] += np.repeat(gammas, widths)
    return normal
