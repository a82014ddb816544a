"""SeededSphericalKMeans on sparse documents: "max_agree" beside "sum", with and without a tree.

All fits start from the same labelled objects. As assignments need different numbers of rounds,
the same is shown for a fixed number of rounds, and beside the bare cosines of as many.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._measure import Comparison, compare, growing, seconds_by_size
from manyviews import Views
from manyviews.datasets import HierarchicalDataset, make_hierarchical_views
from manyviews.semi_supervised import SeededSphericalKMeans
from manyviews.typing import AnyArray

N_ROUNDS = 5
LABELLED = 0.02
TREE = {"all": {f"field {i}": [f"topic {4 * i + j}" for j in range(4)] for i in range(5)}}
"""Twenty leaves, 26 classes."""
ONTOLOGIES = {"20 classes": None, "tree of 26": TREE}


@cache
def documents(n_objects: int) -> HierarchicalDataset:
    return make_hierarchical_views(
        n_objects,
        ontology=TREE,
        n_features=(20_000, 10_000),
        n_contexts=(80.0, 30.0),
        quality=(0.5, 0.4),
        random_state=0,
    )


def some_labels(data: HierarchicalDataset, ontology: Any) -> AnyArray:
    """Leaves, or with an ontology all classes, of a few documents."""
    chosen = np.random.default_rng(1).random(len(data.y)) < LABELLED
    if ontology is None:
        return np.where(chosen, data.y, -1)
    return np.where(chosen[:, None], data.extra["indicator"], -1)


def model(assignment: Any, **params: Any) -> SeededSphericalKMeans:
    """All views count alike and none is judged, which the bare cosines do not do either."""
    return SeededSphericalKMeans(assignment, view_weights=None, **params)


def fits(n_objects: int, kind: str, at_most: float | None = None) -> Comparison:
    """Whole fits, with the accuracy of both and their rounds."""
    data, ontology = documents(n_objects), ONTOLOGIES[kind]
    labels = some_labels(data, ontology)
    truth = data.y if ontology is None else data.extra["indicator"]
    agree, total = (model(m, ontology=ontology) for m in ("max_agree", "sum"))
    row = compare(
        f"{n_objects:,} documents, {kind}: max_agree beside sum",
        lambda: agree.fit(data.views, labels),
        lambda: total.fit(data.views, labels),
        at_most=at_most,
        repeats=5,
    )
    right = [np.mean(model.transduction_ == truth) for model in (agree, total)]
    told = f"right {right[0]:.3f} and {right[1]:.3f}, rounds {agree.n_iter_} and {total.n_iter_}"
    return replace(row, found=told)


def rounds(n_objects: int, method: str) -> Comparison:
    data = documents(n_objects)
    labels = some_labels(data, None)
    works = [partial(some_rounds, data.views, labels, m) for m in (method, "sum")]
    name = f"{n_objects:,} documents, 20 classes: {N_ROUNDS} rounds, {method} beside sum"
    return compare(name, *works, repeats=5)


def some_rounds(views: Views, labels: AnyArray, method: str) -> SeededSphericalKMeans:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # so many rounds are asked
        return model(method, max_iter=N_ROUNDS).fit(views, labels)


def beside_cosines(n_objects: int) -> Comparison:
    data = documents(n_objects)
    labels = some_labels(data, None)
    centres = list(some_rounds(data.views, labels, "sum").cluster_centers_.values())
    return compare(
        f"{n_objects:,} documents, 20 classes: {N_ROUNDS} rounds of sum beside bare cosines",
        partial(some_rounds, data.views, labels, "sum"),
        partial(bare_cosines, data.views, centres),
        repeats=5,
    )


def bare_cosines(views: Views, centres: list[AnyArray]) -> None:
    for _ in range(N_ROUNDS):
        for (_, matrix), rows in zip(views.items(), centres, strict=True):
            matrix @ np.ascontiguousarray(rows.T)


def growth(*sizes: int) -> Comparison:
    """How the time of the same number of rounds grows with the documents."""
    works = {}
    for n in sizes:
        data = documents(n)
        works[n] = partial(some_rounds, data.views, some_labels(data, None), "max_agree")
    return growing(f"{N_ROUNDS} rounds of max_agree", *seconds_by_size(works), at_most=1.1)


SHORT = (
    partial(fits, 2_000, "20 classes", 2.0),
    partial(rounds, 2_000, "max_agree"),
    partial(beside_cosines, 2_000),
    partial(fits, 1_000, "tree of 26"),
    partial(growth, 1_000, 4_000),
)
ALL = (
    partial(fits, 100_000, "20 classes", 2.0),
    partial(rounds, 100_000, "max_agree"),
    partial(rounds, 30_000, "product"),
    partial(rounds, 30_000, "cotrain"),
    partial(beside_cosines, 30_000),
    partial(fits, 10_000, "tree of 26"),
    partial(growth, 10_000, 30_000, 100_000),
)
