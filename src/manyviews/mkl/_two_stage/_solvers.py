"""The two ways to a K-classifier, and the choice of how much it is held back."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.mkl._two_stage._exact import solve_exact
from manyviews.mkl._two_stage._problem import (
    KExamples,
    Solution,
    mean_hinge,
    objective,
    standard_error,
)
from manyviews.mkl._two_stage._rounds import MOST_ROUNDS
from manyviews.mkl._two_stage._stochastic import MOST_MOVES, solve_stochastic
from manyviews.typing import FloatArray

GRID = 100.0 * 4.0 ** -np.arange(17)
"""Regularisations that are tried: from 100 to 1e-8, a quarter each time."""
TRAINING_SHARE = 0.8
COARSE_TOL = 1e-5
COARSE_STEPS, COARSE_MOVES = 5, 100
"""One step in so many is made, and of those in a metric so many at most and in no rounds, where
solutions are only compared."""


class Solver(Protocol):
    """A way to minimise Eq. (5.2)."""

    def solve(
        self, examples: KExamples, regularization: float, start: Solution | None = None
    ) -> Solution:
        """Find the weights, from where ``start`` ended."""

    def coarse(self) -> Self:
        """Return the same with less care, for comparing regularisations."""


@dataclass(frozen=True)
class Exact:
    """Interior points, to a duality gap below ``tol``."""

    tol: float = 1e-6

    def solve(
        self,
        examples: KExamples,
        regularization: float,
        start: Solution | None = None,  # noqa: ARG002 (interior points gain nothing from it)
    ) -> Solution:
        """Find the weights, with their duality gap."""
        if not examples.fits:
            raise ValueError(
                f"{len(examples):,} pairs of {examples.n_terms:,} terms are too many for "
                "solver='exact', which keeps them all; use 'stochastic', or a smaller n_pairs."
            )
        found = solve_exact(examples.signed, regularization, tol=self.tol)
        if found.gap > self.tol:
            warnings.warn(
                f"the duality gap is {found.gap:.2g} and not below tol={self.tol:g}; raise tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return found

    def coarse(self) -> Exact:
        """Return the same with a larger gap."""
        return Exact(max(self.tol, COARSE_TOL))


@dataclass(frozen=True)
class Stochastic:
    """Sub-gradient steps on batches."""

    n_steps: int = 10_000
    batch_size: int = 100
    most_moves: int = MOST_MOVES
    """Steps in a metric."""
    most_rounds: int = MOST_ROUNDS
    """Rounds of such steps, if there are many terms."""

    def solve(
        self, examples: KExamples, regularization: float, start: Solution | None = None
    ) -> Solution:
        """Find the weights, about."""
        weights = solve_stochastic(
            examples,
            regularization,
            n_steps=self.n_steps,
            batch_size=self.batch_size,
            start=None if start is None else start.weights,
            most_moves=self.most_moves,
            most_rounds=self.most_rounds,
        )
        return Solution(weights, objective(examples, weights, regularization), self.n_steps)

    def coarse(self) -> Stochastic:
        """Return the same with fewer steps."""
        n_steps = max(1, self.n_steps // COARSE_STEPS)
        return Stochastic(n_steps, self.batch_size, COARSE_MOVES, most_rounds=0)


@dataclass(frozen=True)
class Selection:
    """How the regularisations of the grid did on K-examples held out."""

    best: Solution
    """What was found with the chosen one on the others."""
    regularization: float
    grid: FloatArray = field(repr=False)
    losses: FloatArray = field(repr=False)
    """Mean hinge loss of the K-examples held out."""


def choose_regularization(
    examples: KExamples, solver: Solver, report: Callable[[str], None]
) -> Selection:
    """Compare the grid on one K-example in five, from strong to weak, each from the last's end."""
    n_training = max(1, int(TRAINING_SHARE * len(examples)))
    training = examples.take(slice(n_training))
    held_out = examples.take(slice(min(n_training, len(examples) - 1), None))
    coarse = solver.coarse()
    found: list[Solution] = []
    losses: list[float] = []
    for regularization in GRID:
        start = found[-1] if found else None
        found.append(coarse.solve(training, float(regularization), start))
        losses.append(mean_hinge(held_out, found[-1].weights))
        report(f"regularization {regularization:.3g}: held-out hinge loss {losses[-1]:.5f}")
    best = int(np.argmin(losses))
    alike = losses[best] + standard_error(held_out, found[best].weights)
    chosen = int(np.argmax(np.array(losses) <= alike))
    return Selection(found[chosen], float(GRID[chosen]), GRID.copy(), np.array(losses))
