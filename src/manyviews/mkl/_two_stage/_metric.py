"""A metric of the K-classifier's weights in which K-examples that are much alike count as one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

from manyviews.typing import FloatArray

FORGOTTEN = 0.9
"""Share of a second moment that the next replaces; the rest remembers what is not in its sample."""
RIDGE, FLOOR = 2.0, 1e-7
"""What is added to a second moment, in units of λ and of its own size."""


@dataclass(frozen=True)
class Metric:
    """Lengths ``‖μ‖²_M = μᵀMμ`` with ``M = R Rᵀ``, the second moment of K-examples and a ridge."""

    moment: FloatArray
    root: FloatArray
    """R, lower triangular."""
    inverse: FloatArray
    """R⁻¹."""

    @classmethod
    def of(cls, moment: FloatArray, regularization: float) -> Metric:
        """Add the ridge, and find the root."""
        ridge = RIDGE * regularization + FLOOR * float(moment.diagonal().mean())
        root = np.linalg.cholesky(moment + ridge * np.eye(len(moment)))
        return cls(moment, root, solve_triangular(root, np.eye(len(root)), lower=True))

    def step(self, weights: FloatArray, slope: FloatArray, rate: float) -> FloatArray:
        """To the least of ``slope·μ + ‖μ − weights‖²_M / 2 rate`` over μ ≥ 0.

        That is the least of ``|Rᵀμ − Rᵀ weights + rate R⁻¹ slope|``.
        """
        aim = self.root.T @ weights - rate * (self.inverse @ slope)
        found: FloatArray = nnls(self.root.T, aim, maxiter=30 * len(weights))[0]
        return found


def measured(
    sample: FloatArray, weights: FloatArray, regularization: float, before: Metric | None = None
) -> Metric:
    """Second moment of a sample, of which nothing counts for more than at a margin of ±1."""
    drawn = sample / np.maximum(np.abs(sample @ weights), 1.0)[:, None]
    moment = drawn.T @ drawn / len(drawn)
    if before is not None:
        moment = before.moment + FORGOTTEN * (moment - before.moment)
    return Metric.of(moment, regularization)
