"""Recipes that are compared: our methods by default, and what a user would try instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from inspect import signature
from types import ModuleType
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, ClusterMixin, TransformerMixin
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from benchmarks.quality._peers import peers
from benchmarks.quality._sets import Problem
from manyviews import MergeViews, Views, acquire, cluster, ensemble, mkl, semi_supervised
from manyviews.compose import LabelledOnly
from manyviews.similarity import KNNGraph

Kind = Literal["default", "recipe", "rival", "alone", "peer"]
"""Ours by bare default or by a documented recipe; rivals; one view by itself; other packages."""

PER_CLASS = 5
"""Labelled objects of each class in the task of few labels."""


@dataclass(frozen=True)
class Recipe:
    """A fixed way to do a task: the same for every set."""

    name: str
    kind: Kind
    make: Callable[[Problem, int], Any]
    """An estimator for a problem and a seed."""


# -- rivals --------------------------------------------------------------------------------------


def merged(estimator: Any, *, balance: bool, dense: bool = False) -> Any:
    """All views side by side, each divided by its size or as it is, then an estimator."""
    steps = [FunctionTransformer(_dense)] if dense else []
    return make_pipeline(MergeViews(balance=balance), *steps, estimator)


def _dense(X: Any) -> Any:
    return X.toarray() if hasattr(X, "toarray") else X


class OneView(TransformerMixin, BaseEstimator):
    """A single view; objects that lack it have the mean of its features, or zeros."""

    def __init__(self, view: str) -> None:
        self.view = view

    def fit(self, X: Views, y: Any = None) -> OneView:  # noqa: ARG002
        self.merge_ = MergeViews().fit(X)
        columns = self.merge_.get_feature_names_out()
        self.columns_ = np.flatnonzero([name.startswith(f"{self.view}__") for name in columns])
        return self

    def transform(self, X: Views) -> Any:
        return self.merge_.transform(X)[:, self.columns_]


def k_means(problem: Problem, seed: int) -> Any:
    return KMeans(problem.n_classes, n_init=10, random_state=seed)


def ward(problem: Problem, seed: int) -> Any:  # noqa: ARG001 (nothing is drawn)
    return AgglomerativeClustering(problem.n_classes)


def spectral(problem: Problem, seed: int) -> Any:
    return SpectralClustering(
        problem.n_classes, affinity="nearest_neighbors", n_neighbors=10, random_state=seed
    )


def logistic(problem: Problem, seed: int) -> Any:  # noqa: ARG001
    return LogisticRegression(max_iter=1000)


def chosen_svc(problem: Problem, seed: int) -> Any:  # noqa: ARG001
    folds = StratifiedKFold(3, shuffle=True, random_state=seed)
    return GridSearchCV(SVC(), {"C": [0.1, 1.0, 10.0, 100.0]}, cv=folds)


def spreading(problem: Problem, seed: int) -> Any:  # noqa: ARG001
    return LabelSpreading(kernel="knn", n_neighbors=10)


def _concatenated(
    name: str,
    make: Callable[[Problem, int], Any],
    *,
    dense: bool = False,
    wrap: Callable[[Any], Any] = lambda estimator: estimator,
) -> list[Recipe]:
    def build(problem: Problem, seed: int, balance: bool) -> Any:
        return merged(wrap(make(problem, seed)), balance=balance, dense=dense)

    return [
        Recipe(f"{name}, {way} views", "rival", partial(build, balance=way == "balanced"))
        for way in ("plain", "balanced")
    ]


def alone(problem: Problem, make: Callable[[Problem, int], Any], wrap: Any) -> list[Recipe]:
    """One recipe per view of a problem."""

    def build(problem: Problem, seed: int, view: str) -> Any:
        return make_pipeline(OneView(view), wrap(make(problem, seed)))

    return [
        Recipe(f"alone: {view}", "alone", partial(build, view=view))
        for view in problem.views.names
        if view != "noise"
    ]


# -- ours ----------------------------------------------------------------------------------------


def _default(method: type, kind: Kind = "default", suffix: str = "", **options: Any) -> Recipe:
    """A method as a user first calls it: nothing given but what the task asks for."""
    names = signature(method).parameters

    def make(problem: Problem, seed: int) -> Any:
        given = {key: value() if callable(value) else value for key, value in options.items()}
        for number in ("n_clusters", "n_components"):
            if number in names and issubclass(method, ClusterMixin):
                given[number] = problem.n_classes
        if "random_state" in names:
            given["random_state"] = seed
        return method(**given)

    return Recipe(f"{method.__name__}({suffix})", kind, make)


def _defaults(room: ModuleType, base: type) -> list[Recipe]:
    """Every method of a room that is of a kind."""
    found = [getattr(room, name) for name in room.__all__]
    return [_default(one) for one in found if isinstance(one, type) and issubclass(one, base)]


CLUSTERING = [
    *_defaults(cluster, ClusterMixin),
    _default(
        cluster.CoRegularizedSpectral, "recipe", "KNNGraph(10)", affinity=lambda: KNNGraph(10)
    ),
    *_concatenated("KMeans", k_means),
    *_concatenated("Ward", ward, dense=True),
    *_concatenated("spectral", spectral),
]

FEW_LABELS = [
    *_defaults(semi_supervised, ClassifierMixin),
    *_defaults(acquire, ClassifierMixin),
    *_concatenated("LogisticRegression", logistic, wrap=LabelledOnly),
    *_concatenated("SVC, C chosen", chosen_svc, wrap=LabelledOnly),
    *_concatenated("LabelSpreading", spreading, dense=True),
]

SUPERVISED = [
    *_defaults(mkl, ClassifierMixin),
    *_defaults(ensemble, ClassifierMixin),
    *_concatenated("LogisticRegression", logistic),
    *_concatenated("SVC, C chosen", chosen_svc),
]

TASKS = {"clustering": CLUSTERING, "few labels": FEW_LABELS, "supervised": SUPERVISED}


def recipes(task: str, problem: Problem) -> list[Recipe]:
    """All that is compared in a task on a problem: fixed recipes, and each view alone."""
    others = [Recipe(name, "peer", make) for name, make in peers(task)]
    if task == "clustering":
        return [*CLUSTERING, *others, *alone(problem, k_means, lambda estimator: estimator)]
    wrap = LabelledOnly if task == "few labels" else lambda estimator: estimator
    return [*TASKS[task], *others, *alone(problem, logistic, wrap)]


def score(task: str, problem: Problem, estimator: Any, seed: int) -> float:
    """NMI of the clusters, or accuracy on the objects whose classes were not given."""
    from sklearn.metrics import normalized_mutual_info_score

    if task == "clustering":
        labels = estimator.fit_predict(problem.views)
        return float(normalized_mutual_info_score(problem.y, labels))
    if task == "few labels":
        y = problem.few_labels(PER_CLASS, seed)
        asked = np.flatnonzero(y == -1)
        estimator.fit(problem.views, y)
    else:
        known, asked = problem.half(seed)
        estimator.fit(problem.views[known], problem.y[known])
    return float(np.mean(estimator.predict(problem.views[asked]) == problem.y[asked]))
