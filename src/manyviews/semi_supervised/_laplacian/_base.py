"""What both Co-Laplacian methods share: graphs, one kernel function per view, and their mean."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from manyviews.base import BaseMultiViewClassifier, Labels, ViewTags
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.semi_supervised._classes import (
    Proportions,
    best_class,
    class_targets,
    flat,
    read_proportions,
    softmax_of_decisions,
)
from manyviews.semi_supervised._laplacian._deformed import Penalty
from manyviews.semi_supervised._laplacian._problem import (
    Expansion,
    Solver,
    ViewProblem,
    choose_solver,
    thresholds,
)
from manyviews.semi_supervised._laplacian._regularizer import (
    GraphLike,
    Power,
    Regularizer,
    Smoothness,
    fit_graphs,
)
from manyviews.semi_supervised._usual import (
    KernelLike,
    chosen_kernels,
    spread_of_features,
    spread_of_gram,
)
from manyviews.semi_supervised._view_weights import read_or_judge_class_weights, weighted_mean
from manyviews.semi_supervised.co_rls import class_offsets
from manyviews.similarity import (
    ViewFunction,
    ViewKernel,
    fit_kernel,
    kernel_function,
    values_by_view,
)
from manyviews.typing import (
    AnyArray,
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    Divisor,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Verbosity,
    ViewsLike,
)

_MANY_OBJECTS = 30_000
"""Of more objects than this a matrix of all with all is not made unasked (7 GiB)."""


def with_concatenation(views: Views) -> Views:
    """Add a view that is all others side by side; it shows the objects that all others show.

    Examples
    --------
    >>> with_concatenation(Views({"page": [[1.0]], "link": [[2.0]]})).names
    ('page', 'link', 'page+link')
    """
    if views.n_views == 1:
        return views
    joined = "+".join(views.names)
    seen = np.column_stack([views.observed, views.observed.all(axis=1)])
    return Views({**dict(views.items()), joined: views.concatenate()}, observed=seen)


class CoLaplacian(BaseMultiViewClassifier, ABC):
    """Base of both methods; a child says how a function is fitted to labels in a view."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    kernel: ByView[KernelLike]
    graph: ByView[GraphLike]
    gamma: ByView[Divisor]
    intrinsic: ByView[NonNegative]
    relative: bool
    view_weights: AutoViewWeights
    concatenate: bool
    power: Power
    normalized: bool
    proportions: Proportions | Literal["auto"] | None
    solver: Solver
    tol: NonNegative
    max_iter: Count
    verbose: Verbosity

    functions_: dict[str, ViewFunction]
    transduction_: AnyArray
    view_weights_: dict[str, float]
    n_iter_: int
    converged_: bool

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit a function in each view, smooth over the graphs of all views."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        shown = self._shown(views)
        given = read_or_judge_class_weights(self.view_weights, shown, labels)
        self.view_weights_ = {name: w / sum(given.values()) for name, w in given.items()}
        shares = self._shares(labels)
        self.functions_, values, solutions = {}, {}, {}
        for name, kernel, problem in self._problems(shown, labels):
            if self.verbose:
                print(f"{type(self).__name__}: solving view {name!r} by {problem.solver}")
            solutions[name] = self._solve(problem)
            values[name] = self._keep(name, kernel, problem, solutions[name], shares, len(shown))
        if self._cuts_at_labels():
            values = self._cut_at_labels(values, shown.observed.T, labels)
        self._report(solutions)
        best = np.where(labels.labelled, labels.codes, best_class(self._mean(values)))
        self.transduction_ = self.classes_[best]
        return self

    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Mean decision of the views that show an object.

        Returns
        -------
        array of shape (n,) for two classes, else (n, n_classes)
            Positive, or largest, for the class that is predicted.
        """
        return flat(self._mean(self._values(X)))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Return the class of new objects, from whatever views they have."""
        best = best_class(self._mean(self._values(X)))
        return self.classes_[best]

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class: the logistic function, or softmax, of twice the decisions.

        They are not calibrated on other objects.
        """
        return softmax_of_decisions(self._mean(self._values(X)))

    def view_decisions(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Return what every view says alone, shaped as ``decision_function``.

        NaN for objects that a view does not show.
        """
        return {name: flat(found) for name, found in self._values(X).items()}

    @abstractmethod
    def _solve(self, problem: ViewProblem) -> Expansion:
        """Fit the functions of one view."""

    def _mean(self, values: Mapping[str, FloatArray]) -> FloatArray:
        """Mean over the views that show an object, those of weight zero aside."""
        counts = {name: float(weight > 0) for name, weight in self.view_weights_.items()}
        return weighted_mean(values, counts)

    def _values(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Values of every function at new objects."""
        shown = self._shown(self._new_views(X))
        return values_by_view(self.functions_, shown)

    def _shares(self, labels: Labels) -> FloatArray | None:
        """Share of each class by which functions are cut; None where they are not."""
        given = self.proportions
        if given is None or (isinstance(given, str) and given == "auto"):
            return None
        return read_proportions(given, labels)

    def _cuts_at_labels(self) -> bool:
        """Whether constants are chosen anew where the labelled objects of the classes part."""
        if not (isinstance(self.proportions, str) and self.proportions == "auto"):
            return False
        smooth = per_view(self.intrinsic, list(self.view_weights_), parameter="intrinsic")
        return any(smooth.values()) and not self._weighs_classes()

    def _cut_at_labels(
        self, values: dict[str, FloatArray], seen: BoolArray, labels: Labels
    ) -> dict[str, FloatArray]:
        """Move the functions so that ``y ≈ s (f + b)`` fits best, and return their values."""
        stacked = np.where(seen[:, :, None], np.stack(list(values.values())), 0.0)
        targets = class_targets(labels.codes, len(labels.classes))
        offsets = class_offsets(stacked, seen, labels, targets)
        moved = {}
        for (name, own), offset in zip(values.items(), offsets, strict=True):
            function = self.functions_[name]
            self.functions_[name] = replace(function, intercept=function.intercept + offset)
            moved[name] = own + offset
        return moved

    def _weighs_classes(self) -> bool:
        """Whether the threshold was moved by weights of classes, and is to stay there."""
        return False

    def _shown(self, views: Views) -> Views:
        return with_concatenation(views) if self.concatenate else views

    def _problems(
        self, shown: Views, labels: Labels
    ) -> Iterator[tuple[str, ViewKernel, ViewProblem]]:
        """Fit the kernel of every view, and say what is to be solved there; one at a time."""
        kernels = chosen_kernels(self.kernel, shown)
        gammas = per_view(self.gamma, shown.names, parameter="gamma")
        intrinsics = per_view(self.intrinsic, shown.names, parameter="intrinsic")
        smooth = self._smoothness(shown, intrinsics)
        for name in shown.names:
            kernel = fit_kernel(shown, name, kernels[name])
            codes = labels.codes[kernel.places]
            labelled = np.flatnonzero(codes >= 0)
            _refuse_unlabelled(name, labelled, self.view_names_)
            basis, solver = self._basis(name, kernel)
            gamma, intrinsic = float(gammas[name]), float(intrinsics[name])
            if self.relative:
                gamma *= _spread(basis, solver)
                intrinsic /= len(kernel.places)
            penalty = Penalty(intrinsic / gamma, smooth[name]) if intrinsic else None
            targets = class_targets(codes[labelled], len(labels.classes))
            yield (
                name,
                kernel,
                ViewProblem(basis, solver, penalty, labelled, codes[labelled], targets, gamma),
            )

    def _smoothness(self, shown: Views, intrinsics: Mapping[str, Any]) -> dict[str, Smoothness]:
        """The regulariser over the objects of every view; one for views of the same objects."""
        if not any(intrinsics.values()):
            return {}
        graphs = fit_graphs(shown, self.graph, self.view_weights_, relative=self.relative)
        regularizer = Regularizer(graphs, self.view_weights_, self.normalized, self.power)
        found: dict[bytes, Smoothness] = {}
        by_view = {}
        for name in shown.names:
            seen = shown.observed_in(name)
            if seen.tobytes() not in found:
                found[seen.tobytes()] = regularizer.among(np.flatnonzero(seen))
            by_view[name] = found[seen.tobytes()]
        return by_view

    def _basis(self, name: str, own: ViewKernel) -> tuple[Matrix, str]:
        """The features or the kernel of a view, and the solver they go with."""
        n_objects, kind = own.rows.shape[0], type(own.kernel).__name__
        solver = choose_solver(self.solver, n_objects, own.n_features)
        if solver != "dual":
            if own.n_features is None:
                raise ValueError(
                    f"solver={solver!r} needs features, which {kind} of view {name!r} has not; "
                    "wrap it in LowRankKernel() or use solver='dual'."
                )
            return own.features, solver
        if n_objects > _MANY_OBJECTS and self.solver == "auto":
            raise ValueError(
                f"view {name!r} shows {n_objects} objects and {kind} compares all with all; wrap "
                "it in LowRankKernel(), or insist with solver='dual'."
            )
        return own.gram, "dual"

    def _keep(
        self,
        name: str,
        own: ViewKernel,
        problem: ViewProblem,
        solution: Expansion,
        shares: FloatArray | None,
        n_objects: int,
    ) -> FloatArray:
        """Keep the function of a view, and return its values at the training objects."""
        values = np.full((n_objects, len(solution.intercept)), np.nan)
        found = problem.basis @ solution.weights
        intercept = solution.intercept if shares is None else -thresholds(found, shares)
        values[own.places] = found + intercept
        self.functions_[name] = (
            kernel_function(own, solution.weights, intercept)
            if problem.solver == "dual"
            else ViewFunction(own.kernel, None, solution.weights, intercept)
        )
        return values

    def _report(self, solutions: Mapping[str, Expansion]) -> None:
        self.n_iter_ = max(solution.n_iter for solution in solutions.values())
        left = {name: found.residual for name, found in solutions.items()}
        unsolved = [name for name in left if left[name] > self.tol]
        self.converged_ = not unsolved
        if self.verbose:
            for name, solution in solutions.items():
                print(
                    f"{type(self).__name__}: view {name!r} solved in {solution.n_iter} steps, "
                    f"residual {solution.residual:.2g}"
                )
        if unsolved:
            warnings.warn(
                f"{type(self).__name__} did not converge in {', '.join(map(repr, unsolved))} in "
                f"max_iter={self.max_iter} steps (the residual is {max(left.values()):.2g}); "
                "raise max_iter, tol or gamma.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _spread(basis: Matrix, solver: str) -> float:
    """Mean diagonal of the kernel, from itself or from its features."""
    if solver == "dual":
        return spread_of_gram(np.asarray(basis), center=False)
    return spread_of_features(basis, center=False)


def _refuse_unlabelled(name: str, labelled: IntArray, given: tuple[str, ...]) -> None:
    if len(labelled):
        return
    remedy = "leave the view out" if name in given else "use concatenate=False"
    raise UnobservedViewsError(
        f"view {name!r} shows no labelled object, so that nothing can be learnt in it; label an "
        f"object that it shows, or {remedy}."
    )
