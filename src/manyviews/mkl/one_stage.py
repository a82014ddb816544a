"""SVMs and the weights of their kernels at once: shared by SimpleMKL and LpMKL."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np

from manyviews.base import Run, warn_not_converged
from manyviews.mkl.classifier import (
    chosen_penalty,
    most_iterations,
    penalty_value,
    prepared_classifier,
)
from manyviews.mkl.kernel_learner import KernelLearner, LinearCombination
from manyviews.mkl.kernel_matrices import KernelMatrices
from manyviews.mkl.svm import Machines, class_signs, fit_svms
from manyviews.typing import Count, FloatArray, IntArray, NonNegative

__all__ = ["OneStageLearner", "Point", "Problem"]


@dataclass(frozen=True)
class Point:
    """Weights of kernels and what the machines with these weights say."""

    weights: FloatArray
    objective: float
    """``J(μ)``: the dual value of the machines, summed."""
    negative_gradient: FloatArray
    """``S_l = ½ Σ αᵀ Y K_l Y α``; −S is the gradient of J."""
    sum_of_alphas: float
    primal: float

    def gap(self, dual_norm: float) -> float:
        """Duality gap as a share of the objective; ``dual_norm`` is q of ``‖S‖_q``.

        Both sides count what the solver of the machines left open.
        """
        gradient = self.negative_gradient
        largest = float(gradient.max(initial=0.0)) or 1.0  # so that no power overflows
        norm = largest * float(np.linalg.norm(gradient / largest, dual_norm))
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
            warm_start=self._last,
        )
        self._last = beta = machines.coefficients  # β = yα
        sum_of_alphas = float(np.abs(beta).sum())
        squares = self.kernels.products(lambda rows, columns: beta[rows] @ beta[columns].T)
        negative_gradient = np.maximum(0.5 * squares, 0.0)  # zero kernels leave rounding below it
        # αᵀ1 − ½ αᵀY(Σ_l μ_l K_l)Yα: Eq. (2.6) of [@kumar2013]
        objective = sum_of_alphas - float(weights @ negative_gradient)
        primal = primal_value(gram, self.signs, machines, self.C, self.machine_tol)
        return Point(weights, objective, negative_gradient, sum_of_alphas, primal)


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


class OneStageLearner(KernelLearner):
    """Base of methods that minimise the SVM objective over machines and weights alike.

    A child says which norm of its weights is one in ``_norm``, and goes on in ``_step``.
    """

    max_iter: Count
    tol: NonNegative

    @abstractmethod
    def _norm(self) -> float: ...

    @abstractmethod
    def _step(self, problem: Problem, point: Point) -> Point:
        """A better point; the same one if there is none."""

    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> LinearCombination:
        equal = np.full(len(kernels), len(kernels) ** (-1.0 / self._norm()))
        self.learning_C_ = self._learning_penalty(kernels, codes, equal)
        tol = min(max(self.tol / 20, 1e-6), 1e-3)  # machines closer than their gap, within reason
        problem = Problem(kernels, class_signs(codes), self.learning_C_, tol)
        self._store(problem, self._minimise(problem, problem.at(equal)))
        return LinearCombination(self.kernel_weights_)

    def _minimise(self, problem: Problem, point: Point) -> Run[Point]:
        """Step until the duality gap is at most ``tol``, or no step helps."""
        dual_norm, history = conjugate(self._norm()), [point.objective]
        for number in range(1, self.max_iter + 1):
            if point.gap(dual_norm) <= self.tol:
                break
            before, point = point, self._step(problem, point)
            history.append(point.objective)
            if self.verbose > 1:
                gap = point.gap(dual_norm)
                self._report(
                    f"step {number}, objective {point.objective:.6g}, duality gap {gap:.2g}"
                )
            if point is before:
                break
        return Run(point, np.array(history), converged=point.gap(dual_norm) <= self.tol)

    def _learning_penalty(
        self, kernels: KernelMatrices, codes: IntArray, equal: FloatArray
    ) -> float:
        """Return the C to learn the weights with; "auto" chooses it at equal weights."""
        own = prepared_classifier(self.classifier, codes)
        if self.C is None:
            return penalty_value(own) or 1.0
        if not isinstance(self.C, str):
            return float(self.C)
        machines = prepared_classifier(None, codes)
        return chosen_penalty(kernels.combined(equal), codes, machines, self.C) or 1.0

    def _scale(self, gram: FloatArray) -> float:  # noqa: ARG002 (a hook)
        """The weights go with C as it is."""
        return 1.0

    def _store(self, problem: Problem, run: Run[Point]) -> None:
        self.kernel_weights_ = run.state.weights
        self.duality_gap_ = run.state.gap(conjugate(self._norm()))
        self.objective_history_ = run.history
        self.n_iter_ = max(run.n_iter, 1)
        self.n_machine_fits_ = problem.n_points * problem.signs.shape[1]
        self.converged_ = run.converged
        self._report(
            f"objective {run.objective:.6g} after {run.n_iter} steps, duality gap "
            f"{self.duality_gap_:.2g}"
        )
        if not run.converged:
            warn_not_converged(
                self,
                f"did not converge in {run.n_iter} steps (its duality gap is "
                f"{self.duality_gap_:.2g}, tol={self.tol:g})",
            )


def conjugate(p: float) -> float:
    """The q with ``1/p + 1/q = 1``: the dual of the p-norm is the q-norm.

    Examples
    --------
    >>> conjugate(1.0), conjugate(4.0), conjugate(np.inf)
    (inf, 1.3333333333333333, 1.0)
    """
    if np.isinf(p):
        return 1.0
    return p / (p - 1.0) if p > 1.0 else np.inf
