"""Support vector machines on a weighted sum of kernels, and what they say of each kernel."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning

from manyviews.mkl._classifier import most_iterations, svm
from manyviews.mkl._library._matrices import Block, KernelMatrices
from manyviews.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Machines:
    """Machines of all classes on one kernel, summed over classes."""

    coefficients: FloatArray
    """``y_i α_i``, objects × machines."""
    sum_of_alphas: float
    primal: float
    """An upper bound of the SVM objective."""


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

    def at(self, weights: FloatArray) -> Point:
        """Fit the machines at some weights."""
        self.n_points += 1
        gram = self.kernels.combined(weights)
        machines = fit_machines(gram, self.signs, self.C, self.machine_tol)
        halves = 0.5 * self.kernels.products(outer(machines.coefficients))
        halves = np.maximum(halves, 0.0)  # rounding of kernels that are zero
        objective = machines.sum_of_alphas - float(weights @ halves)
        return Point(weights, objective, halves, machines.sum_of_alphas, machines.primal)


def outer(coefficients: FloatArray) -> Block:
    """``Σ_c β_c β_cᵀ`` of coefficients, objects × classes; ``⟨K, ·⟩`` sums the ``β_cᵀ K β_c``."""
    return lambda rows, columns: coefficients[rows] @ coefficients[columns].T


def class_signs(codes: IntArray) -> FloatArray:
    """Targets ±1 of the machines: one for two classes, else each class against the rest."""
    classes = np.unique(codes)
    chosen = classes[1:] if len(classes) == 2 else classes
    return np.where(codes[:, None] == chosen, 1.0, -1.0)


def fit_machines(gram: FloatArray, signs: FloatArray, C: float, tol: float) -> Machines:
    """Fit a support vector machine for every column of signs.

    One that takes too long is left as it is then; its primal value tells.
    """
    coefficients, primal = np.zeros(signs.shape), 0.0
    with config_context(assume_finite=True), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for number, own in enumerate(signs.T):
            machine = svm(C=C, tol=tol, max_iter=10 * most_iterations(len(own))).fit(gram, own)
            coefficients[machine.support_, number] = machine.dual_coef_[0]
            primal += primal_value(
                gram, own, coefficients[:, number], machine.intercept_[0], C, tol
            )
    return Machines(coefficients, float(np.abs(coefficients).sum()), primal)


def primal_value(
    gram: FloatArray,
    own: FloatArray,
    coefficients: FloatArray,
    intercept: float,
    C: float,
    tol: float,
) -> float:
    """``½‖w‖² + C Σ ξ`` of a machine, or of one that is longer by a hair if that is less.

    A solver leaves margins short by up to ``tol``, which a large C makes dear; a vector longer by
    that share has no such errors and still gives an upper bound.
    """
    values = gram @ coefficients
    norm = float(coefficients @ values)
    margins = own * (values + intercept)
    return min(
        0.5 * scale**2 * norm + C * float(np.maximum(0.0, 1.0 - scale * margins).sum())
        for scale in (1.0, 1.0 + tol / 2, 1.0 + tol, 1.0 + 2 * tol)
    )
