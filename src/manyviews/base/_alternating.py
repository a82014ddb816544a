"""The one template for methods that improve an objective step by step, from several starts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from manyviews.base._messages import report, warn_not_converged
from manyviews.data import Views
from manyviews.maths import generator
from manyviews.typing import Count, FloatArray, NonNegative, RandomState, Verbosity, ViewsLike

State = TypeVar("State")


@dataclass(frozen=True)
class Run(Generic[State]):
    """Where one start led."""

    state: State
    history: FloatArray
    """The objective at the start and after every step."""
    converged: bool

    @property
    def objective(self) -> float:
        """The last value of the objective."""
        return float(self.history[-1])

    @property
    def n_iter(self) -> int:
        """How many steps were taken."""
        return len(self.history) - 1


def alternate(
    state: State,
    step: Callable[[State], State],
    objective: Callable[[State], float],
    *,
    max_iter: int,
    tol: float,
    report: Callable[[int, float], None] | None = None,
    may_stop: Callable[[State], bool] | None = None,
) -> Run[State]:
    """Repeat a step until the objective changes by no more than ``tol`` of its size.

    ``may_stop`` can say of a state that it is too early to stop there.

    Examples
    --------
    >>> run = alternate(8.0, lambda x: x / 2, lambda x: -x, max_iter=50, tol=1e-3)
    >>> run.converged, run.n_iter
    (True, 13)
    """
    history = [_finite(objective(state), 0)]
    for number in range(1, max_iter + 1):
        state = step(state)
        history.append(_finite(objective(state), number))
        if report is not None:
            report(number, history[-1])
        change = abs(history[-1] - history[-2])
        # Relative, but never to less than one: an objective may pass through zero.
        still = change <= tol * max(abs(history[-2]), 1.0)
        if still and (may_stop is None or may_stop(state)):
            return Run(state, np.array(history), converged=True)
    return Run(state, np.array(history), converged=False)


def _finite(value: float, number: int) -> float:
    if not np.isfinite(value):
        raise FloatingPointError(
            f"the objective became {value} at step {number}; look for extreme values in the views, "
            "or scale them with PerView(StandardScaler())."
        )
    return float(value)


class AlternatingMixin(ABC):
    """``fit`` for a method that says how it starts, steps and measures itself.

    The method gives ``n_init``, ``max_iter``, ``tol``, ``random_state`` and ``verbose`` as
    parameters and implements the hooks ``_start``, ``_step``, ``_objective`` (larger is better; a
    cost is returned with a minus sign) and ``_store``. Restarts draw from generators of their own,
    so that the first ones are the same whatever their number.
    """

    n_init: Count
    max_iter: Count
    tol: NonNegative
    random_state: RandomState
    verbose: Verbosity

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Fit from several starts and keep the best."""
        views: Views = self._fit_views(X, min_objects=self._min_objects())  # type: ignore[attr-defined]
        self._check_labels(views, y)  # type: ignore[attr-defined]
        problem = self._prepare(views, y)
        # Generators of their own: the first starts are the same, however many there are.
        starts = enumerate(generator(self.random_state).spawn(self.n_init), 1)
        runs = (self._run(problem, rng, number) for number, rng in starts)  # one kept at a time
        best = max(runs, key=lambda run: run.objective)
        if not best.converged and best.n_iter < self.max_iter:
            best = self._go_on(problem, best)
        if not best.converged:
            self._warn_not_converged(best)
        self.objective_history_ = best.history
        self.n_iter_ = best.n_iter
        self.converged_ = best.converged
        self._store(problem, best.state)
        return self

    def _run(self, problem: Any, rng: np.random.Generator, number: int) -> Run[Any]:
        start = self._start(problem, rng)
        run = self._improve(problem, start, self._steps_per_start(), f"start {number}")
        if self.verbose:
            report(
                self,
                f"start {number} of {self.n_init}, objective {run.objective:.6g} after "
                f"{run.n_iter} steps",
            )
        return run

    def _go_on(self, problem: Any, run: Run[Any]) -> Run[Any]:
        """Follow the best start to its end."""
        rest = self._improve(problem, run.state, self.max_iter - run.n_iter, "best start")
        whole = Run(rest.state, np.append(run.history, rest.history[1:]), rest.converged)
        if self.verbose:
            report(
                self,
                f"best start goes on to objective {whole.objective:.6g} after {whole.n_iter} steps",
            )
        return whole

    def _improve(self, problem: Any, state: Any, max_iter: int, what: str) -> Run[Any]:
        def step_report(step: int, value: float) -> None:
            if self.verbose > 1:
                report(self, f"{what}, step {step}, objective {value:.6g}")

        return alternate(
            state,
            lambda state: self._step(problem, state),
            self._objective,
            max_iter=max_iter,
            tol=self.tol,
            report=step_report,
            may_stop=self._may_stop,
        )

    def _steps_per_start(self) -> int:
        """How many steps each start gets; if fewer than ``max_iter``, the best goes on alone."""
        return self.max_iter

    def _warn_not_converged(self, run: Run[Any]) -> None:
        change = abs(run.history[-1] - run.history[-2])
        warn_not_converged(
            self,
            f"did not converge in max_iter={self.max_iter} steps (the objective last changed by "
            f"{change:.2g})",
        )

    def _may_stop(self, state: Any) -> bool:  # noqa: ARG002 (a hook's signature)
        """Whether a state that no longer changes may be the last; annealing says no at first."""
        return True

    def _min_objects(self) -> int:
        """How many objects it needs; a clusterer returns its number of clusters."""
        return 1

    def _prepare(self, views: Views, y: Any) -> Any:  # noqa: ARG002 (a hook's signature)
        """What all starts share; the views themselves unless a method needs more."""
        return views

    @abstractmethod
    def _start(self, problem: Any, rng: np.random.Generator) -> Any:
        """Return a first state."""

    @abstractmethod
    def _step(self, problem: Any, state: Any) -> Any:
        """Return the next state."""

    @abstractmethod
    def _objective(self, state: Any) -> float:
        """Return how good a state is."""

    @abstractmethod
    def _store(self, problem: Any, state: Any) -> None:
        """Set the fitted attributes from the best state."""
