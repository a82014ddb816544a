"""SeededSphericalKMeans on sparse documents: "max_agree" beside "sum", with and without a tree.

All fits start from the same labelled objects. As assignments need different numbers of rounds,
the same is shown for a fixed number of rounds, and beside the bare cosines of as many.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchmarks._measure import Comparison, compare, cpu_seconds, growth_exponent
from manyviews import Views
from manyviews.datasets import HierarchicalDataset, make_hierarchical_views
from manyviews.semi_supervised import SeededSphericalKMeans
from manyviews.typing import AnyArray

SIZES = (10_000, 30_000, 100_000)
N_ROUNDS = 5
LABELLED = 0.02
TREE = {"all": {f"field {i}": [f"topic {4 * i + j}" for j in range(4)] for i in range(5)}}
"""Twenty leaves, 26 classes."""


def run() -> Iterator[Comparison]:
    warnings.simplefilter("ignore", ConvergenceWarning)  # a fixed number of rounds is asked
    largest = f"{SIZES[-1]:,} documents, 20 classes"
    yield fits(largest, documents(SIZES[-1]), None, at_most=2.0)
    yield rounds(f"{largest}: {N_ROUNDS} rounds", documents(SIZES[-1]), "max_agree", "sum")
    fewer = f"{SIZES[1]:,} documents, 20 classes"
    for method in ("product", "cotrain"):
        name = f"{fewer}: {N_ROUNDS} rounds, {method} beside sum"
        yield rounds(name, documents(SIZES[1]), method, "sum")
    yield beside_cosines(f"{fewer}: {N_ROUNDS} rounds of sum beside bare cosines")
    yield fits(f"{SIZES[0]:,} documents, tree of 26", documents(SIZES[0]), TREE, at_most=None)
    yield growth()


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


def fits(
    name: str, data: HierarchicalDataset, ontology: Any, *, at_most: float | None
) -> Comparison:
    """Whole fits, with the accuracy of both and their rounds."""
    labels = some_labels(data, ontology)
    truth = data.y if ontology is None else data.extra["indicator"]
    agree, total = (SeededSphericalKMeans(m, ontology=ontology) for m in ("max_agree", "sum"))
    row = compare(
        name,
        lambda: agree.fit(data.views, labels),
        lambda: total.fit(data.views, labels),
        at_most=at_most,
        repeats=5,
    )
    right = [np.mean(model.transduction_ == truth) for model in (agree, total)]
    told = f"right {right[0]:.3f} and {right[1]:.3f}, rounds {agree.n_iter_} and {total.n_iter_}"
    return replace(row, name=f"{name}: max_agree beside sum, {told}")


def rounds(name: str, data: HierarchicalDataset, method: Any, other: Any) -> Comparison:
    labels = some_labels(data, None)
    models = [SeededSphericalKMeans(m, max_iter=N_ROUNDS) for m in (method, other)]
    works = [partial(model.fit, data.views, labels) for model in models]
    return compare(name, *works, repeats=5)


def beside_cosines(name: str) -> Comparison:
    data = documents(SIZES[1])
    model = SeededSphericalKMeans("sum", max_iter=N_ROUNDS)
    labels = some_labels(data, None)
    model.fit(data.views, labels)
    bare = partial(bare_cosines, data.views, list(model.cluster_centers_.values()))
    return compare(name, partial(model.fit, data.views, labels), bare, repeats=5)


def bare_cosines(views: Views, centres: list[AnyArray]) -> None:
    for _ in range(N_ROUNDS):
        for (_, matrix), rows in zip(views.items(), centres, strict=True):
            matrix @ np.ascontiguousarray(rows.T)


def growth() -> Comparison:
    """How the time of the same number of rounds grows with the documents."""
    seconds = []
    for n_objects in SIZES:
        data = documents(n_objects)
        labels = some_labels(data, None)
        model = SeededSphericalKMeans(max_iter=N_ROUNDS)
        work = partial(model.fit, data.views, labels)
        seconds.append(float(np.median([cpu_seconds(work) for _ in range(5)])))
    power = growth_exponent(SIZES, seconds)
    name = f"{N_ROUNDS} rounds of max_agree: growth exponent {power:.2f}"
    return Comparison(name, seconds[-1], seconds[0], None, "at most 1.1", power <= 1.1)
