"""From views and labels to one function per view: choose a solver, centre, solve, cut."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from manyviews.data import Labels, Views, per_view
from manyviews.maths import centre_gram, spread_gram, to_dense
from manyviews.semi_supervised._co_regularized._dual import solve_dual
from manyviews.semi_supervised._co_regularized._primal import Features, solve_primal
from manyviews.semi_supervised._co_regularized._system import (
    CoupledLoss,
    Solution,
    objective,
    pose_loss,
)
from manyviews.semi_supervised._shared import (
    chosen_kernels,
    spread_of_features,
    spread_of_gram,
)
from manyviews.similarity import (
    ViewFunction,
    ViewKernel,
    fit_kernel,
    kernel_function,
)
from manyviews.typing import BoolArray, FloatArray, is_sparse

_MANY_OBJECTS = 2000
"""With more objects, features are preferred even if they are more."""

Cut: TypeAlias = Callable[[FloatArray, BoolArray], FloatArray]
"""From centred functions, views × objects × targets, and where they are seen to offsets."""


@dataclass(frozen=True)
class Settings:
    """The parameters, as every view has them."""

    gammas: list[float]
    coupling: float
    balance: list[float]
    view_weights: list[float]
    center: bool
    relative: bool
    solver: str
    max_iter: int
    tol: float
    verbose: int
    method: str = "CoRLS"

    def weights_of_norms(self, spreads: Sequence[float]) -> list[float]:
        """What the squared norms cost, given the mean diagonals of the kernels."""
        if not self.relative:
            return self.gammas
        return [gamma * spread for gamma, spread in zip(self.gammas, spreads, strict=True)]

    @classmethod
    def read(cls, given: Any, view_weights: Mapping[str, float]) -> Settings:
        """Spread over the views what is given once."""
        names = list(view_weights)
        gammas = per_view(given.gamma, names, parameter="gamma")
        balance = per_view(given.balance, names, parameter="balance")
        if not any(balance.values()):
            raise ValueError("balance is zero in every view; give one a positive weight.")
        return cls(
            [float(gammas[name]) for name in names],
            float(given.coupling),
            [float(balance[name]) for name in names],
            list(view_weights.values()),
            given.center,
            given.relative,
            given.solver,
            given.max_iter,
            given.tol,
            given.verbose,
            type(given).__name__,
        )


@dataclass(frozen=True)
class FittedFunctions:
    """One function per view with what is known of them."""

    functions: dict[str, ViewFunction]
    solution: Solution
    offsets: FloatArray
    """Shape (n_views, n_targets)."""
    coefficients: FloatArray | None
    """Shape (n_views, n_objects, n_targets), of the plain kernels."""
    decisions: dict[str, FloatArray]
    """At the training objects by view, objects × targets; NaN where unobserved."""
    objective: float
    disagreement: float
    solver: str


@dataclass(frozen=True)
class _Solved:
    """A solution, what plain functions have too much if centred, and the weights of the norms."""

    solution: Solution
    shifts: FloatArray
    gammas: list[float]


def fit_functions(
    views: Views, targets: FloatArray, known: BoolArray, kernel: Any, settings: Settings, cut: Cut
) -> FittedFunctions:
    """Solve the coupled system and turn its solution into functions of new objects.

    ``targets`` are objects × targets, with zeros where they are not ``known``; ``cut`` says what
    is added to functions that were centred.
    """
    loss = pose_loss(
        views.observed,
        known,
        targets,
        coupling=settings.coupling,
        balance=settings.balance,
        view_weights=settings.view_weights,
    )
    given = chosen_kernels(kernel, views)
    kernels = {name: fit_kernel(views, name, chosen) for name, chosen in given.items()}
    solver = choose_solver(settings.solver, kernels, len(views))
    if settings.verbose:
        print(
            f"{settings.method}: solving the {solver} system of {len(kernels)} views of "
            f"{len(views)} objects"
        )
    solve = _by_features if solver == "primal" else _by_kernels
    solved = solve(kernels, loss, settings)
    solution = solved.solution
    seen = views.observed.T
    offsets = np.zeros_like(solved.shifts)
    if settings.center:
        offsets = cut(solution.values, seen)
    coefficients = _plain_coefficients(solution, seen, settings.center)
    functions = _functions(kernels, solution, coefficients, offsets - solved.shifts)
    decisions = np.where(seen[:, :, None], solution.values + offsets[:, None], np.nan)
    return FittedFunctions(
        functions,
        solution,
        offsets,
        coefficients,
        dict(zip(views.names, decisions, strict=True)),
        objective(loss, solved.gammas, solution),
        disagreement(solution.values, seen),
        solver,
    )


def choose_solver(
    asked: str, kernels: Mapping[str, ViewKernel], n_objects: int
) -> Literal["dual", "primal"]:
    """Take features where there are some and they are fewer than objects, or objects are many."""
    widths = {name: own.n_features for name, own in kernels.items()}
    without = [name for name, width in widths.items() if width is None]
    if asked == "primal" and without:
        raise ValueError(
            f"solver='primal' needs features and the kernel of view {without[0]!r} has none; "
            "use 'linear', 'cosine' or LowRankKernel(...), or solver='dual'."
        )
    if asked == "dual" or without:
        return "dual"
    few = sum(width or 0 for width in widths.values()) <= n_objects
    return "primal" if asked == "primal" or few or n_objects > _MANY_OBJECTS else "dual"


def class_offsets(
    values: FloatArray, seen: BoolArray, labels: Labels, targets: FloatArray
) -> FloatArray:
    """Where to cut the functions of each view; shape (n_views, n_targets).

    A view without labelled objects of some class is cut as the mean of the functions is.
    """
    known = labels.labelled
    mean = values.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)[:, None]
    joint = offset(mean[known], targets[known])
    found = []
    for own, shown in zip(values, seen & known, strict=True):
        complete = len(np.unique(labels.codes[shown])) == len(labels.classes)
        found.append(offset(own[shown], targets[shown]) if complete else joint)
    return np.array(found)


def mean_offsets(
    values: FloatArray, seen: BoolArray, known: BoolArray, targets: FloatArray
) -> FloatArray:
    """Mean error of the functions of each view on the known objects; shape (n_views, n_targets).

    A view that shows none of them is moved as the mean of the functions is.
    """
    mean = values.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)[:, None]
    joint = (targets - mean)[known].mean(axis=0)
    return np.array(
        [
            (targets - own)[shown].mean(axis=0) if shown.any() else joint
            for own, shown in zip(values, seen & known, strict=True)
        ]
    )


def offset(values: FloatArray, targets: FloatArray) -> FloatArray:
    """Return the ``b`` with which ``y ≈ s (f + b)`` fits best, ``s`` being one for all targets.

    Examples
    --------
    >>> offset(np.array([[0.1], [0.5]]), np.array([[-1.0], [1.0]]))
    array([-0.3])
    """
    centre, middle = values.mean(axis=0), targets.mean(axis=0)
    spread = float(((values - centre) ** 2).sum())
    shared = float(((values - centre) * (targets - middle)).sum())
    scale = shared / spread if spread > 0 and shared > 0 else 1.0
    return np.asarray(middle / scale - centre)


def disagreement(values: FloatArray, seen: BoolArray) -> float:
    """Mean over pairs of views of their mean squared difference; 0 for one view."""
    found = []
    for first, second in zip(*np.triu_indices(len(values), 1), strict=True):
        both = seen[first] & seen[second]
        if both.any():
            found.append(((values[first] - values[second])[both] ** 2).mean())
    return float(np.mean(found)) if found else 0.0


def _by_kernels(
    kernels: Mapping[str, ViewKernel], loss: CoupledLoss, settings: Settings
) -> _Solved:
    """Solve by matrices of similarities."""
    n_objects = len(loss.targets)
    grams, means, spreads = [], [], []
    for own in kernels.values():
        gram = own.gram
        means.append(gram.mean(axis=0))
        spreads.append(spread_of_gram(gram, center=settings.center))
        gram = centre_gram(gram) if settings.center else gram
        whole = len(own.places) == n_objects
        spread = gram if whole else spread_gram(gram, own.places, own.places, (n_objects,) * 2)
        grams.append(to_dense(spread))
    gammas = settings.weights_of_norms(spreads)
    solution = solve_dual(grams, loss, gammas)
    shifts = np.zeros((len(grams), loss.targets.shape[1]))
    if settings.center:
        assert solution.coefficients is not None
        for shift, mean, own, found in zip(
            shifts, means, kernels.values(), solution.coefficients, strict=True
        ):
            here = found[own.places]
            shift[:] = mean @ (here - here.mean(axis=0))
    return _Solved(solution, shifts, gammas)


def _by_features(
    kernels: Mapping[str, ViewKernel], loss: CoupledLoss, settings: Settings
) -> _Solved:
    """Solve by features."""
    spreads = [spread_of_features(own.features, center=settings.center) for own in kernels.values()]
    gammas = settings.weights_of_norms(spreads)
    pairs = [centred_features(own, len(loss.targets), settings.center) for own in kernels.values()]

    def report(step: int, left: float) -> None:
        if settings.verbose > 1:
            print(f"{settings.method}: step {step}, residual {left:.3g}")

    solution = solve_primal(
        [features for features, _ in pairs],
        loss,
        gammas,
        tol=settings.tol,
        max_iter=settings.max_iter,
        report=report,
    )
    assert solution.weights is not None
    shifts = [mean @ weights for (_, mean), weights in zip(pairs, solution.weights, strict=True)]
    return _Solved(solution, np.array(shifts), gammas)


def centred_features(own: ViewKernel, n_objects: int, center: bool) -> tuple[Features, FloatArray]:
    """Features of a view over all objects, and their mean if it is taken away."""
    rows = own.features
    mean = np.asarray(rows.mean(axis=0) if center else np.zeros(rows.shape[1]), dtype=np.float64)
    seen = np.zeros(n_objects, dtype=bool)
    seen[own.places] = True
    if is_sparse(rows):
        whole = (
            rows
            if seen.all()
            else spread_gram(rows, own.places, np.arange(rows.shape[1]), (n_objects, rows.shape[1]))
        )
        return Features(whole, seen, mean), mean
    matrix = np.zeros((n_objects, rows.shape[1]))
    matrix[own.places] = rows - mean
    return Features(matrix, seen, np.zeros_like(mean)), mean


def _plain_coefficients(solution: Solution, seen: BoolArray, center: bool) -> FloatArray | None:
    """Coefficients of the kernels themselves: those of centred ones less their mean."""
    if solution.coefficients is None or not center:
        return solution.coefficients
    counts = np.maximum(seen.sum(axis=1), 1)[:, None, None]
    means = solution.coefficients.sum(axis=1, keepdims=True) / counts
    return np.where(seen[:, :, None], solution.coefficients - means, 0.0)


def _functions(
    kernels: Mapping[str, ViewKernel],
    solution: Solution,
    coefficients: FloatArray | None,
    intercepts: FloatArray,
) -> dict[str, ViewFunction]:
    found: dict[str, ViewFunction] = {}
    for number, (name, own) in enumerate(kernels.items()):
        if coefficients is not None:
            here = coefficients[number][own.places]
            found[name] = kernel_function(own, here, intercepts[number])
        else:
            assert solution.weights is not None
            weights = solution.weights[number]
            found[name] = ViewFunction(own.kernel, None, weights, intercepts[number])
    return found
