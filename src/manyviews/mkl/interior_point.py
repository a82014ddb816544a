"""The K-classifier to a certified optimum: Mehrotra's predictor-corrector interior-point method.

With m pairs, ``a_i = t_i z_i`` and λ > 0, Eq. (5.2) of [@kumar2013] is the quadratic programme

    minimise  λ/2 ‖μ‖² + Σ ξ_i / m   subject to  u_i = a_i·μ + ξ_i − 1 ≥ 0,  ξ ≥ 0,  μ ≥ 0.

The slack u has the dual 0 ≤ b ≤ 1, and μ the reduced cost ``ν = λμ − Σ b_i a_i / m ≥ 0``. The
optimum is where all products ``b u``, ``(1 − b) ξ`` and ``μ ν`` are zero (complementarity).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import warn_user
from manyviews.mkl.k_examples import KExamples, Solution
from manyviews.typing import FloatArray

__all__ = ["Exact", "solve_interior_point"]

MAX_ITER = 500
"""Ten to forty steps do, whatever λ is; terms whose values differ by orders of magnitude took a
hundred and more."""
LEAST_COMPLEMENTARITY = 1e-14
"""Sum of all products below which there is only rounding."""
STEP_TO_BOUNDARY = 0.995
"""Share of the way to the boundary that a step may go, so that all variables stay positive; just
below 1, as is usual, for fast convergence near the end."""
JITTER = 4 * np.finfo(np.float64).eps
"""Added to the Hessian's diagonal, for each term and relative to its entries: terms may be equal,
and the Cholesky factor of n of them errs by about n machine precisions."""
START = 3.0
"""Size of the first margins, losses and slacks: a few times the margin of 1 where the loss ends, so
that the start is well inside."""
COARSE_TOL = 1e-5
"""Duality gap where regularisations are only compared: far below the standard error of a loss."""


class InteriorPoint(NamedTuple):
    """Positive variables, or a direction of all: three pairs whose products are to vanish."""

    weights: FloatArray  # μ
    reduced_costs: FloatArray  # ν
    dual: FloatArray  # b
    slack: FloatArray  # u
    dual_slack: FloatArray  # 1 − b
    losses: FloatArray  # ξ

    def advanced(self, direction: InteriorPoint, step_size: float) -> InteriorPoint:
        """The point after a step."""
        both = zip(self, direction, strict=True)
        return InteriorPoint(*(own + step_size * change for own, change in both))

    def longest_step(self, direction: InteriorPoint) -> float:
        """Step size at which the first variable is zero; 1 at most."""
        both = zip(self, direction, strict=True)
        worst = max(float((-change / own).max()) for own, change in both)
        return 1.0 / max(worst, 1.0)

    def complementarity(self) -> float:
        """Sum of all products: the duality gap of a feasible point."""
        of_pairs = self.dual @ self.slack + self.dual_slack @ self.losses
        return float(self.weights @ self.reduced_costs + of_pairs / len(self.losses))


class NewtonSystem:
    """Newton's equations at a point, reduced to those of the weights, whose Hessian is factored."""

    def __init__(self, signed: FloatArray, regularization: float, point: InteriorPoint) -> None:
        weights, reduced_costs, dual, slack, dual_slack, losses = point
        self.signed, self.point = signed, point
        gradient = regularization * weights - dual @ signed / len(signed)
        self.dual_residual = gradient - reduced_costs
        self.primal_residual = signed @ weights + losses - 1.0 - slack
        self.scaling = 1.0 / (losses / dual_slack + slack / dual)
        rows = signed * np.sqrt(self.scaling / len(signed))[:, None]
        hessian = rows.T @ rows
        diagonal = hessian.diagonal() + regularization + reduced_costs / weights
        hessian[np.diag_indices_from(hessian)] = diagonal * (1.0 + JITTER * len(diagonal))
        self.factor = cho_factor(hessian)

    def direction(self, target: float, affine: InteriorPoint | None = None) -> InteriorPoint:
        """Towards products of ``target`` (m times that for pairs).

        With the affine direction, its second-order terms are corrected for.
        """
        weights, reduced_costs, dual, slack, dual_slack, losses = self.point
        n_pairs = len(self.signed)
        of_weights = target - weights * reduced_costs
        of_slack = n_pairs * target - dual * slack
        of_losses = n_pairs * target - dual_slack * losses
        if affine is not None:
            of_weights -= affine.weights * affine.reduced_costs
            of_slack -= affine.dual * affine.slack
            of_losses -= affine.dual_slack * affine.losses
        residual = of_slack / dual - of_losses / dual_slack - self.primal_residual
        right_side = (self.scaling * residual) @ self.signed / n_pairs
        right_side += of_weights / weights - self.dual_residual
        d_weights = np.asarray(cho_solve(self.factor, right_side))
        d_dual = self.scaling * (residual - self.signed @ d_weights)
        return InteriorPoint(
            weights=d_weights,
            reduced_costs=(of_weights - reduced_costs * d_weights) / weights,
            dual=d_dual,
            slack=(of_slack - slack * d_dual) / dual,
            dual_slack=-d_dual,
            losses=(of_losses + losses * d_dual) / dual_slack,
        )


def predictor_corrector_step(
    signed: FloatArray, regularization: float, point: InteriorPoint
) -> InteriorPoint:
    """One step of Mehrotra's method: an affine predictor, then a centring corrector."""
    system = NewtonSystem(signed, regularization, point)
    affine = system.direction(0.0)
    gap = point.complementarity()
    affine_gap = point.advanced(affine, point.longest_step(affine)).complementarity()
    centring = (affine_gap / gap) ** 3  # Mehrotra's sigma
    n_products = len(point.weights) + 2 * len(point.losses)
    direction = system.direction(gap / n_products * centring, affine)
    return point.advanced(direction, STEP_TO_BOUNDARY * point.longest_step(direction))


def starting_point(signed: FloatArray) -> InteriorPoint:
    """Weights, duals and losses of middling size, and reduced costs that make products alike."""
    n_pairs, n_terms = signed.shape
    length = np.sqrt(np.vdot(signed, signed) / n_pairs)
    weights = np.full(n_terms, START / (length or 1.0))
    short = 1.0 - signed @ weights
    losses = np.maximum(short, 0.0) + START
    half = np.full(n_pairs, 0.5)
    slack = losses - short
    reduced_costs = (losses + slack).mean() / (4 * n_pairs * weights)
    return InteriorPoint(weights, reduced_costs, half, slack, half, losses)


def primal_objective(signed: FloatArray, weights: FloatArray, regularization: float) -> float:
    """Eq. (5.2)."""
    hinge = np.maximum(1.0 - signed @ weights, 0.0)
    return regularization / 2 * float(weights @ weights) + float(hinge.mean())


def dual_objective(signed: FloatArray, dual: FloatArray, regularization: float) -> float:
    """``mean(b) − ‖[Σ b_i a_i / m]_+‖² / 2λ``, never above Eq. (5.2) if 0 ≤ b ≤ 1."""
    positive = np.maximum(dual @ signed / len(signed), 0.0)
    return float(dual.mean()) - float(positive @ positive) / (2 * regularization)


def solve_interior_point(
    signed: FloatArray, regularization: float, *, tol: float = 1e-6
) -> Solution:
    """Minimise Eq. (5.2) over non-negative weights until the duality gap is at most ``tol``.

    A step costs one matrix of second moments of the terms. The best point of all is returned, its
    weights set to zero where that leaves the gap at ``tol``.

    Parameters
    ----------
    signed : array of shape (n_pairs, n_terms)
        K-examples times their K-labels.
    regularization : float
        λ, above 0.
    tol : float
        Largest duality gap.

    Examples
    --------
    >>> signed = np.array([[1.0, 0.0], [1.0, -2.0]])
    >>> found = solve_interior_point(signed, 0.5)
    >>> found.weights.round(4), round(found.objective, 4)
    (array([1., 0.]), 0.25)
    """
    point = best = starting_point(signed)
    n_iter, duality_gap = 0, np.inf
    for step in range(MAX_ITER + 1):
        primal = primal_objective(signed, point.weights, regularization)
        gap = primal - dual_objective(signed, point.dual, regularization)
        if gap < duality_gap:
            best, n_iter, duality_gap = point, step, gap
        if duality_gap <= tol or point.complementarity() < LEAST_COMPLEMENTARITY:
            break
        point = predictor_corrector_step(signed, regularization, point)
    return _rounded(signed, regularization, best, n_iter, max(duality_gap, tol))


def _rounded(
    signed: FloatArray, regularization: float, point: InteriorPoint, n_iter: int, tol: float
) -> Solution:
    """Set to zero what can be without a gap above ``tol``: the most first, then less, then none."""
    weights, costs, dual = point.weights, point.reduced_costs, point.dual
    at_zero = weights * costs.max() <= costs * weights.max()
    bound = dual_objective(signed, dual, regularization)
    for zero in (dual @ signed <= 0, at_zero, False):
        rounded = np.where(zero, 0.0, weights)
        value = primal_objective(signed, rounded, regularization)
        if value - bound <= tol:
            break
    return Solution(rounded, value, n_iter, max(value - bound, 0.0))


@dataclass(frozen=True)
class Exact:
    """Solver of Eq. (5.2) to a duality gap of at most ``tol``."""

    tol: float = 1e-6

    def solve(
        self,
        examples: KExamples,
        regularization: float,
        warm_start: Solution | None = None,  # noqa: ARG002 (interior points gain nothing from it)
    ) -> Solution:
        """Find the weights, with their duality gap."""
        if not examples.fits:
            raise ValueError(
                f"{len(examples):,} pairs of {examples.n_terms:,} terms are too many for "
                "solver='exact', which keeps them all; use 'stochastic', or a smaller n_pairs."
            )
        found = solve_interior_point(examples.signed, regularization, tol=self.tol)
        if found.gap > self.tol:
            warn_user(
                f"the duality gap is {found.gap:.2g} and not below tol={self.tol:g}; raise tol.",
                ConvergenceWarning,
            )
        return found

    def coarse(self) -> Exact:
        """Return the same with a larger gap, for comparing regularisations."""
        return Exact(max(self.tol, COARSE_TOL))
