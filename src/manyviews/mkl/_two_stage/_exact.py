"""The K-classifier to a certified optimum: an interior point method."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from manyviews.mkl._two_stage._problem import Solution
from manyviews.typing import FloatArray

MOST_STEPS = 500
LEAST_SUM = 1e-14
"""Sum of all products below which there is only rounding."""
SHORT_OF_EDGE = 0.995
"""Share of the way to the first variable at zero that a step may go."""
JITTER = 4 * np.finfo(np.float64).eps
"""What is added to a diagonal, for each term and in units of its entries: terms may be equal."""
FIRST_SIZE = 3.0
"""Size of the first margins, about, and of what the first losses and excesses have in common."""


def solve_exact(signed: FloatArray, regularization: float, *, tol: float = 1e-6) -> Solution:
    """Minimise Eq. (5.2) over non-negative weights until the duality gap is at most ``tol``.

    Each of the m pairs has a loss ξ ≥ 0 and an excess u = t μ·z + ξ − 1 ≥ 0, the latter with a
    multiplier 0 ≤ b ≤ 1; each weight has a price ν = λμ − Σ b t z / m ≥ 0. The optimum is where
    all b u, (1 − b) ξ and μ ν are zero. Newton's method follows the points where these products
    are one number σ (m σ for pairs) down to σ = 0, with Mehrotra's predictor and corrector. A step
    needs one matrix of second moments of the terms, and ten to forty steps do, whatever λ is;
    terms whose values differ by orders of magnitude take a hundred and more.

    Parameters
    ----------
    signed : array of shape (n_pairs, n_terms)
        K-examples times their K-labels.
    regularization : float
        λ, above 0.
    tol : float
        Largest duality gap.

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
    point = best = _start(signed)
    n_iter, gap = 0, np.inf
    for step in range(MOST_STEPS + 1):
        bound = _dual(signed, point.multipliers, regularization)
        current = _primal(signed, point.weights, regularization) - bound
        if current < gap:
            best, n_iter, gap = point, step, current
        if gap <= tol or point.sum_of_products() < LEAST_SUM:
            break
        point = _advance(signed, regularization, point)
    return _rounded(signed, regularization, best, n_iter, max(gap, tol))


class _Point(NamedTuple):
    """Positive variables, or the changes of all: three pairs whose products are to vanish."""

    weights: FloatArray
    prices: FloatArray
    multipliers: FloatArray
    excess: FloatArray
    rest: FloatArray
    """One minus the multipliers."""
    losses: FloatArray

    def moved(self, step: _Point, length: float) -> _Point:
        return _Point(*(own + length * change for own, change in zip(self, step, strict=True)))

    def longest(self, step: _Point) -> float:
        """How much of a step can be gone before a variable is zero; 1 at most."""
        worst = max(float((-change / own).max()) for own, change in zip(self, step, strict=True))
        return 1.0 / max(worst, 1.0)

    def sum_of_products(self) -> float:
        """What is to vanish, and the duality gap once prices and excesses are what they should."""
        of_pairs = self.multipliers @ self.excess + self.rest @ self.losses
        return float(self.weights @ self.prices + of_pairs / len(self.losses))


def _start(signed: FloatArray) -> _Point:
    """Weights, multipliers and losses of middling size, and prices that make all products alike."""
    n_pairs, n_terms = signed.shape
    length = np.sqrt(np.vdot(signed, signed) / n_pairs)
    weights = np.full(n_terms, FIRST_SIZE / (length or 1.0))
    short = 1.0 - signed @ weights
    losses = np.maximum(short, 0.0) + FIRST_SIZE
    half = np.full(n_pairs, 0.5)
    excess = losses - short
    prices = (losses + excess).mean() / (4 * n_pairs * weights)
    return _Point(weights, prices, half, excess, half, losses)


def _advance(signed: FloatArray, regularization: float, point: _Point) -> _Point:
    """Look where a step towards σ = 0 would lead, and step towards a σ that can be had."""
    system = _System(signed, regularization, point)
    ahead = system.step(0.0)
    now = point.sum_of_products()
    then = point.moved(ahead, point.longest(ahead)).sum_of_products()
    n_products = len(point.weights) + 2 * len(point.losses)
    step = system.step(now / n_products * (then / now) ** 3, ahead)
    return point.moved(step, SHORT_OF_EDGE * point.longest(step))


class _System:
    """Newton's equations at a point, down to those of the weights, whose matrix is factored."""

    def __init__(self, signed: FloatArray, regularization: float, point: _Point) -> None:
        weights, prices, multipliers, excess, rest, losses = point
        self.signed, self.point = signed, point
        pull = multipliers @ signed / len(signed)
        self.lack_of_price = regularization * weights - pull - prices
        self.lack_of_excess = signed @ weights + losses - 1.0 - excess
        self.stiffness = 1.0 / (losses / rest + excess / multipliers)
        rows = signed * np.sqrt(self.stiffness / len(signed))[:, None]
        matrix = rows.T @ rows
        diagonal = matrix.diagonal() + regularization + prices / weights
        matrix[np.diag_indices_from(matrix)] = diagonal * (1.0 + JITTER * len(diagonal))
        self.factor = cho_factor(matrix)

    def step(self, aim: float, ahead: _Point | None = None) -> _Point:
        """Towards products of ``aim``, with the second order as seen from the step ``ahead``."""
        weights, prices, multipliers, excess, rest, losses = self.point
        n_pairs = len(self.signed)
        of_weights = aim - weights * prices
        of_excess = n_pairs * aim - multipliers * excess
        of_losses = n_pairs * aim - rest * losses
        if ahead is not None:
            of_weights -= ahead.weights * ahead.prices
            of_excess -= ahead.multipliers * ahead.excess
            of_losses -= ahead.rest * ahead.losses
        push = of_excess / multipliers - of_losses / rest - self.lack_of_excess
        right = (self.stiffness * push) @ self.signed / n_pairs
        right += of_weights / weights - self.lack_of_price
        turn = np.asarray(cho_solve(self.factor, right))
        bend = self.stiffness * (push - self.signed @ turn)
        return _Point(
            weights=turn,
            prices=(of_weights - prices * turn) / weights,
            multipliers=bend,
            excess=(of_excess - excess * bend) / multipliers,
            rest=-bend,
            losses=(of_losses + losses * bend) / rest,
        )


def _rounded(
    signed: FloatArray, regularization: float, point: _Point, n_iter: int, tol: float
) -> Solution:
    """Set to zero what can be without a gap above ``tol``."""
    weights, prices, multipliers = point[:3]
    pull = multipliers @ signed
    unneeded = (pull <= 0, weights * prices.max() <= prices * weights.max(), False)
    bound = _dual(signed, multipliers, regularization)
    for zero in unneeded:
        rounded = np.where(zero, 0.0, weights)
        value = _primal(signed, rounded, regularization)
        if value - bound <= tol:
            break
    return Solution(rounded, value, n_iter, max(value - bound, 0.0))


def _primal(signed: FloatArray, weights: FloatArray, regularization: float) -> float:
    """Eq. (5.2)."""
    hinge = np.maximum(1.0 - signed @ weights, 0.0)
    return regularization / 2 * float(weights @ weights) + float(hinge.mean())


def _dual(signed: FloatArray, multipliers: FloatArray, regularization: float) -> float:
    """``mean(b) − ‖[Σ b t z / m]_+‖² / 2λ``, never above Eq. (5.2) if 0 ≤ b ≤ 1."""
    pull = np.maximum(multipliers @ signed / len(signed), 0.0)
    return float(multipliers.mean()) - float(pull @ pull) / (2 * regularization)
