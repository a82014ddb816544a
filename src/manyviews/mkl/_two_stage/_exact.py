"""The K-classifier to a certified optimum: Newton steps on ever sharper smoothed hinge losses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from manyviews.mkl._two_stage._problem import Solution
from manyviews.typing import BoolArray, FloatArray

MOST_ROUNDS, MOST_STEPS, MOST_HALVINGS = 60, 100, 40
SHARPER = 5.0
SHARPEST = 1e12


def solve_exact(
    signed: FloatArray,
    regularization: float,
    *,
    tol: float = 1e-6,
    start: Solution | None = None,
) -> Solution:
    """Minimise Eq. (5.2) over non-negative weights until the duality gap is at most ``tol``.

    The hinge loss is the largest ``b r`` over 0 ≤ b ≤ 1, r = 1 − t μ·z. Taking
    ``b r − (b − a)² / 2σ`` instead, with the last multipliers a, gives a smooth problem (the
    augmented Lagrangian) whose multipliers are the next a. Newton's method with an active set for
    μ ≥ 0 solves it: only pairs with 0 < b < 1 enter its matrix, and these become few.

    Parameters
    ----------
    signed : array of shape (n_pairs, n_terms)
        K-examples times their K-labels.
    regularization : float
        λ, above 0.
    tol : float
        Largest duality gap.
    start : Solution
        The solution for another λ, to begin with.

    Returns
    -------
    Solution
        The weights and their certificate.

    Examples
    --------
    >>> signed = np.array([[1.0, 0.0], [1.0, -2.0]])
    >>> found = solve_exact(signed, 0.5)
    >>> found.weights.round(4), round(found.objective, 4)
    (array([1., 0.]), 0.25)
    """
    n_pairs, n_terms = signed.shape
    weights: FloatArray = np.zeros(n_terms) if start is None else start.weights
    multipliers = None if start is None else start.multipliers
    if multipliers is None:
        multipliers = np.full(n_pairs, 0.5)
    sharpness, n_iter, value, gap = 1.0, 0, np.inf, np.inf
    for _ in range(MOST_ROUNDS):
        problem = _Smoothed(signed, regularization, multipliers, sharpness)
        weights, multipliers, steps = _newton(problem, weights, tol)
        n_iter += steps
        value = _primal(signed, weights, regularization)
        gap = value - _dual(signed, multipliers, regularization)
        if gap <= tol or sharpness > SHARPEST:
            break
        sharpness *= SHARPER
    return Solution(weights, value, n_iter, max(gap, 0.0), multipliers)


@dataclass(frozen=True)
class _Smoothed:
    """The objective with its hinge rounded off around the multipliers of the last round."""

    signed: FloatArray
    regularization: float
    centre: FloatArray
    sharpness: float

    def multipliers(self, residuals: FloatArray) -> FloatArray:
        return np.clip(self.centre + self.sharpness * residuals, 0.0, 1.0)

    def value(self, weights: FloatArray, residuals: FloatArray) -> float:
        own = self.multipliers(residuals)
        losses = own * residuals - (own - self.centre) ** 2 / (2 * self.sharpness)
        return self.regularization / 2 * float(weights @ weights) + float(losses.mean())

    def gradient(self, weights: FloatArray, multipliers: FloatArray) -> FloatArray:
        return self.regularization * weights - multipliers @ self.signed / len(self.signed)

    def direction(self, slope: FloatArray, multipliers: FloatArray, free: BoolArray) -> FloatArray:
        """Newton's step of the free weights."""
        bent = np.flatnonzero((multipliers > 0) & (multipliers < 1))
        rows = self.signed[bent]
        rows = rows if free.all() else rows[:, free]
        found = np.zeros(len(free))
        scale = self.sharpness / len(self.signed)
        found[free] = -_solve_ridge(rows, scale, self.regularization, slope[free])
        return found


def _newton(
    problem: _Smoothed, weights: FloatArray, tol: float
) -> tuple[FloatArray, FloatArray, int]:
    """Minimise a smoothed objective over non-negative weights."""
    residuals: FloatArray = 1.0 - problem.signed @ weights
    for step in range(MOST_STEPS):
        multipliers = problem.multipliers(residuals)
        slope = problem.gradient(weights, multipliers)
        free = (weights > 0) | (slope < 0)
        if _is_flat(slope[free], weights, problem.regularization, tol):
            return weights, multipliers, step
        direction = problem.direction(slope, multipliers, free)
        moved = _search(problem, weights, residuals, slope, direction)
        if moved is None:
            return weights, multipliers, step
        weights, residuals = moved
    return weights, problem.multipliers(residuals), MOST_STEPS


def _is_flat(slope: FloatArray, weights: FloatArray, regularization: float, tol: float) -> bool:
    """Whether what is left of the slope adds less than a tenth of ``tol`` to the duality gap."""
    if not len(slope):
        return True
    first_order = np.abs(slope).max() * np.abs(weights).sum()
    return bool(max(first_order, slope @ slope / (2 * regularization)) < tol / 10)


def _search(
    problem: _Smoothed,
    weights: FloatArray,
    residuals: FloatArray,
    slope: FloatArray,
    direction: FloatArray,
) -> tuple[FloatArray, FloatArray] | None:
    """Halve the step until the objective falls enough; None if it cannot."""
    before = problem.value(weights, residuals)
    for _ in range(MOST_HALVINGS):
        moved = np.maximum(weights + direction, 0.0)
        left = 1.0 - problem.signed @ moved
        if problem.value(moved, left) < before + 1e-4 * min(float(slope @ (moved - weights)), 0.0):
            return moved, left
        direction = direction / 2
    return None


def _solve_ridge(rows: FloatArray, scale: float, ridge: float, right: FloatArray) -> FloatArray:
    """Solve ``(ridge I + scale rowsᵀ rows) x = right`` by the smaller of its two sides."""
    n_rows, n_columns = rows.shape
    if n_columns <= n_rows:
        matrix = scale * (rows.T @ rows)
        matrix[np.diag_indices(n_columns)] += ridge
        return np.asarray(cho_solve(cho_factor(matrix), right))
    if not n_rows:
        return right / ridge
    matrix = rows @ rows.T
    matrix[np.diag_indices(n_rows)] += ridge / scale
    return (right - rows.T @ cho_solve(cho_factor(matrix), rows @ right)) / ridge


def _primal(signed: FloatArray, weights: FloatArray, regularization: float) -> float:
    """Eq. (5.2)."""
    hinge = np.maximum(1.0 - signed @ weights, 0.0)
    return regularization / 2 * float(weights @ weights) + float(hinge.mean())


def _dual(signed: FloatArray, multipliers: FloatArray, regularization: float) -> float:
    """``mean(b) − ‖[Σ b t z / m]_+‖² / 2λ``, never above Eq. (5.2) if 0 ≤ b ≤ 1."""
    pull = np.maximum(multipliers @ signed / len(signed), 0.0)
    return float(multipliers.mean()) - float(pull @ pull) / (2 * regularization)
