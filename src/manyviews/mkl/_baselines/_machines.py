"""Support vector machines on a weighted sum of kernels, and what they say of each kernel."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manyviews.mkl._classifier import most_iterations
from manyviews.mkl._library._matrices import Block, KernelMatrices
from manyviews.mkl._svm import Machines, fit_svms
from manyviews.typing import FloatArray


@dataclass(frozen=True)
class Point:
    """Weights of kernels and what the machines with these weights say."""

    weights: FloatArray
    objective: float
    """``J(μ)``: the dual value of the machines, summed."""
    halves: FloatArray
    """``S_l = ½ Σ αᵀ Y K_l Y α``; −S is the gradient of J."""
    sum_of_alphas: float
    primal: float

    def gap(self, dual_norm: float) -> float:
        """Duality gap as a share of the objective; ``dual_norm`` is q of ``‖S‖_q``.

        Both sides count what the solver of the machines left open.
        """
        largest = float(self.halves.max(initial=0.0)) or 1.0  # so that no power overflows
        norm = largest * float(np.linalg.norm(self.halves / largest, dual_norm))
        dual = self.sum_of_alphas - norm
        return (self.primal - dual) / self.primal if self.primal > 0 else 0.0


@dataclass
class Problem:
    """Base kernels, classes and C: everything of kernel learning but the weights."""

    kernels: KernelMatrices
    signs: FloatArray
    C: float
    machine_tol: float
    n_points: int = field(default=0)
    """How often machines were fitted."""
    _last: FloatArray | None = field(default=None, repr=False)
    """Coefficients of the machines at the point before: the next are not far."""

    def at(self, weights: FloatArray) -> Point:
        """Fit the machines at some weights.

        One that takes too long is left as it is then; its primal value tells.
        """
        self.n_points += 1
        gram = self.kernels.combined(weights)
        machines = fit_svms(
            gram,
            self.signs,
            self.C,
            tol=self.machine_tol,
            max_iter=10 * most_iterations(len(gram)),
            start=self._last,
        )
        self._last = machines.coefficients
        sum_of_alphas = float(np.abs(machines.coefficients).sum())
        halves = 0.5 * self.kernels.products(outer(machines.coefficients))
        halves = np.maximum(halves, 0.0)  # rounding of kernels that are zero
        objective = sum_of_alphas - float(weights @ halves)
        primal = primal_value(gram, self.signs, machines, self.C, self.machine_tol)
        return Point(weights, objective, halves, sum_of_alphas, primal)


def outer(coefficients: FloatArray) -> Block:
    """``Σ_c β_c β_cᵀ`` of coefficients, objects × classes; ``⟨K, ·⟩`` sums the ``β_cᵀ K β_c``."""
    return lambda rows, columns: coefficients[rows] @ coefficients[columns].T


def primal_value(
    gram: FloatArray, signs: FloatArray, machines: Machines, C: float, tol: float
) -> float:
    """``½‖w‖² + C Σ ξ`` of all machines, each longer by a hair if that is less.

    A solver leaves margins short by up to ``tol``, which a large C makes dear; a vector longer by
    that share has no such errors and still gives an upper bound.
    """
    values = gram @ machines.coefficients
    norms = np.einsum("ij,ij->j", machines.coefficients, values)
    margins = signs * (values + machines.intercepts)
    longer = [
        0.5 * scale**2 * norms + C * np.maximum(0.0, 1.0 - scale * margins).sum(axis=0)
        for scale in (1.0, 1.0 + tol / 2, 1.0 + tol, 1.0 + 2 * tol)
    ]
    return float(np.min(longer, axis=0).sum())
