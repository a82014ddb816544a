"""What learning the weights together with the machines has in common, whatever their norm."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable

from sklearn.exceptions import ConvergenceWarning

from manyviews.base import Run
from manyviews.mkl._base import KernelLearner
from manyviews.mkl._baselines._machines import Point, Problem
from manyviews.mkl._classifier import (
    best_penalty,
    cut_folds,
    fold_numbers,
    penalty_grid,
    penalty_value,
    prepared_classifier,
)
from manyviews.mkl._combination import LinearCombination
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.mkl._svm import class_signs
from manyviews.typing import Count, FloatArray, IntArray, NonNegative

Report = Callable[[int, float, float], None]
"""Told the step, the objective and the duality gap."""


class OneStageLearner(KernelLearner):
    """Base of methods that minimise the SVM objective over machines and weights alike.

    A child gives equal weights of its norm in ``_equal_weights``, minimises in ``_minimise`` and
    says the dual norm of its weights in ``_dual_norm``.
    """

    max_iter: Count
    tol: NonNegative

    @abstractmethod
    def _equal_weights(self, n_kernels: int) -> FloatArray: ...

    @abstractmethod
    def _dual_norm(self) -> float: ...

    @abstractmethod
    def _minimise(self, problem: Problem, start: Point, report: Report) -> Run[Point]: ...

    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> LinearCombination:
        equal = self._equal_weights(len(kernels))
        self.learning_C_ = self._learning_penalty(kernels, codes, equal)
        problem = Problem(kernels, class_signs(codes), self.learning_C_, machine_tol(self.tol))
        run = self._minimise(problem, problem.at(equal), self._report_step)
        self._store(problem, run)
        return LinearCombination(self.kernel_weights_)

    def _learning_penalty(
        self, kernels: KernelMatrices, codes: IntArray, equal: FloatArray
    ) -> float:
        """Return the C to learn the weights with; "auto" chooses it at equal weights."""
        own = prepared_classifier(self.classifier, codes)
        if self.C is None:
            return penalty_value(own) or 1.0
        machines = prepared_classifier(None, codes)
        grid = penalty_grid(machines, self.C)
        if len(grid) > 1:
            gram = kernels.combined(equal)
            folds = cut_folds(gram, fold_numbers(gram, codes), codes)
            choice = best_penalty(folds, machines, grid)
            grid = (choice.C if choice is not None else 1.0,)
        return grid[0] or 1.0

    def _scale(self, gram: FloatArray) -> float:  # noqa: ARG002 (a hook)
        """The weights go with C as it is."""
        return 1.0

    def _store(self, problem: Problem, run: Run[Point]) -> None:
        self.kernel_weights_ = run.state.weights
        self.duality_gap_ = run.state.gap(self._dual_norm())
        self.objective_history_ = run.history
        self.n_iter_ = max(run.n_iter, 1)
        self.n_machine_fits_ = problem.n_points * problem.signs.shape[1]
        self.converged_ = run.converged
        self._report(
            f"objective {run.objective:.6g} after {run.n_iter} steps, duality gap "
            f"{self.duality_gap_:.2g}"
        )
        if not run.converged:
            warnings.warn(
                f"{type(self).__name__} did not converge in {run.n_iter} steps (its duality gap is "
                f"{self.duality_gap_:.2g}, tol={self.tol:g}); raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _report_step(self, step: int, objective: float, gap: float) -> None:
        if self.verbose > 1:
            self._report(f"step {step}, objective {objective:.6g}, duality gap {gap:.2g}")


def machine_tol(tol: float) -> float:
    """How precisely to solve machines for a duality gap: twenty times more, within reason."""
    return min(max(tol / 20, 1e-6), 1e-3)
