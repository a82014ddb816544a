"""``BayesianCoTraining`` beside scikit-learn's logistic regressions, one for each view.

Two views of Gaussian features, forty labels of each class. Without coupling both do the same; with
it, what is added are the terms of the prior, their factors, and the learning of their strengths.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import Comparison, compare, growing
from manyviews import Views
from manyviews.acquire import BayesianCoTraining

N_LABELS = 40
"""Labelled objects of each class."""
ALONE: dict[str, Any] = {
    "coupling": 0.0,
    "smoothness": 0.0,
    "sparsity": 1.0,
    "update_hyperparameters": False,
}


def clouds(n_objects: int, width: int, n_classes: int) -> tuple[Views, Any]:
    """Objects of classes that are a little apart in both views."""
    rng = np.random.default_rng(0)
    groups = np.arange(n_objects) % n_classes
    views = {}
    for name in ("one", "two"):
        centres = 3.0 / np.sqrt(width) * rng.standard_normal((n_classes, width))
        views[name] = rng.standard_normal((n_objects, width)) + centres[groups]
    y = np.where(np.arange(n_objects) < N_LABELS * n_classes, groups, -1)
    return Views(views), y


def logistic_regressions(views: Views, y: Any) -> list[LogisticRegression]:
    """One for each view, on its labelled objects, with the model's scaling."""
    known, found = y >= 0, []
    for rows in (views[name] for name in views.names):
        scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0) / np.sqrt(rows.shape[1])
        found.append(LogisticRegression(tol=1e-8, max_iter=1000).fit(scaled[known], y[known]))
    return found


def uncoupled(n_objects: int, width: int, n_classes: int) -> Comparison:
    """The same fits: what coordinates, terms and the posterior cost."""
    views, y = clouds(n_objects, width, n_classes)
    return beside("uncoupled", BayesianCoTraining(**ALONE), views, y)


def by_default(n_objects: int, width: int, n_classes: int) -> Comparison:
    """Agreement, a graph of neighbours for each view, and strengths that are learnt."""
    views, y = clouds(n_objects, width, n_classes)
    return beside("by default", BayesianCoTraining(), views, y)


def beside(what: str, model: BayesianCoTraining, views: Views, y: Any) -> Comparison:
    width, n_classes = views.shape[1] // 2, int(y.max()) + 1
    return compare(
        f"{what}, {len(views):,} objects, 2 × {width} features, {n_classes} classes; "
        "LogisticRegression per view",
        lambda: model.fit(views, y),
        lambda: logistic_regressions(views, y),
        repeats=3,
    )


def growth(*sizes: int) -> Iterator[Comparison]:
    """Time with more objects, as many labels; without graphs, whose search is not ours."""
    rows = []
    for n_objects in sizes:
        views, y = clouds(n_objects, 100, 2)
        rows.append(beside("no graph", BayesianCoTraining(smoothness=0.0), views, y))
    yield from rows
    yield growing("no graph", sizes, [row.seconds for row in rows], at_most=1.1)


SHORT = (
    partial(uncoupled, 2_000, 100, 2),
    partial(by_default, 2_000, 100, 2),
    partial(by_default, 2_000, 50, 5),
    partial(growth, 5_000, 20_000),
)
ALL = (
    partial(uncoupled, 10_000, 200, 2),
    partial(by_default, 10_000, 200, 2),
    partial(by_default, 10_000, 200, 10),
    partial(growth, 10_000, 40_000, 160_000),
)
