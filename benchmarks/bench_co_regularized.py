"""``CoRegularizedSpectral`` beside mvlearn's, and on graphs beside the search for neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks._clouds import N_CLUSTERS, clouds, search_neighbors
from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growing,
    medians,
    peer,
    resident_peak,
    timed,
)
from manyviews import Views
from manyviews.cluster import CoRegularizedSpectral
from manyviews.cluster.spectral._shared import group_rows
from manyviews.cluster.spectral.co_regularized import Graph, co_regularize, pairwise_coupling
from manyviews.maths import generator, unit_rows
from manyviews.similarity import RBF, KNNGraph, fit_similarities
from manyviews.typing import IntArray

MOST_BYTES = 3 * 2**30
LARGE = 100_000


def beside_mvlearn(n_objects: int) -> Comparison:
    kind = peer("mvlearn.cluster", "MultiviewCoRegSpectralClustering")
    fit = lambda arrays: kind(N_CLUSTERS, random_state=0).fit_predict(arrays)  # noqa: E731
    return _dense(n_objects, "mvlearn", fit, 1 / 31 if n_objects >= 5_000 else 0.1)


def beside_whole_matrices(n_objects: int) -> Comparison:
    return _dense(n_objects, "whole matrices and eigsh", _plain, 0.1)


def _dense(
    n_objects: int, name: str, reference: Callable[[list[Any]], Any], at_most: float
) -> Comparison:
    """Dense Gaussian similarities; both choose the width by the median distance."""
    views, y = clouds(n_objects, 2)
    arrays = [views[view] for view in views.names]
    labels: dict[str, Any] = {}

    def ours() -> None:
        model = CoRegularizedSpectral(N_CLUSTERS, "rbf", random_state=0)
        labels["ours"] = model.fit_predict(views)

    def theirs() -> None:
        labels["theirs"] = reference(arrays)

    row = compare(f"dense {n_objects:,} × 2, beside {name}", ours, theirs, repeats=5)
    scores = {who: adjusted_rand_score(y, found) for who, found in labels.items()}
    judged = n_objects >= 2_000  # the goal is set for these sizes
    return replace(
        row,
        goal=f"at most {at_most:.2g}×, ARI at least theirs" if judged else "",
        met=not judged or (row.ratio <= at_most and scores["ours"] >= scores["theirs"]),
        found=f"ARI {scores['ours']:.2f}, theirs {scores['theirs']:.2f}",
    )


def graphs(*sizes: int) -> Iterator[Comparison]:
    """Neighbour graphs: how the eigen part grows, and the largest one whole."""
    eigen_seconds = []
    for n_objects in sizes:
        views, y = clouds(n_objects, 3)
        found = medians(lambda views=views, y=y: _round(views, y))
        eigen_seconds.append(found["eigen"])
        prepare = f"warm(); views = clouds({n_objects}, 3)[0]"
        peak = resident_peak("bench_co_regularized", prepare, "fit_graphs(views)")
        yield Comparison(
            f"graph {n_objects:,} × 3, all but the search, beside it",
            found["rest"],
            found["search"],
            peak,
            "at most 1×, 3 GiB" if n_objects == LARGE else "",
            n_objects < LARGE or (found["rest"] <= found["search"] and peak <= MOST_BYTES),
            f"ARI {found['ARI']:.2f}, {found['sweeps']:.0f} sweeps",
        )
    yield growing("graph, eigen part", sizes, eigen_seconds, at_most=1.1)


def _round(views: Views, y: IntArray) -> dict[str, float]:
    """Seconds of each part of a fit, and of the bare search."""
    search = cpu_seconds(lambda: search_neighbors(views))
    comparing, (_, grams) = timed(lambda: fit_similarities(views, KNNGraph(10)))
    eigen, run = timed(lambda: _eigen_part(list(grams.values())))
    rows = np.hstack([unit_rows(own) for own in run.state.views])
    grouping, (_, labels) = timed(lambda: group_rows(rows, N_CLUSTERS, n_init=10, rng=generator(0)))
    return {
        "search": search,
        "rest": max(comparing - search, 0.0) + eigen + grouping,
        "eigen": eigen,
        "ARI": adjusted_rand_score(y, labels),
        "sweeps": run.n_iter,
    }


def fit_graphs(views: Views) -> None:
    CoRegularizedSpectral(N_CLUSTERS, KNNGraph(10), random_state=0).fit(views)


def warm() -> None:
    """Load and compile all that is needed, which is not counted."""
    fit_graphs(clouds(500, 3)[0])


def _eigen_part(grams: list[Any]) -> Any:
    coupling = pairwise_coupling(0.03, np.ones(len(grams)))
    return co_regularize([Graph.of(gram) for gram in grams], N_CLUSTERS, coupling)


def _plain(arrays: list[Any], agreement: float = 0.03, n_sweeps: int = 10) -> Any:
    """The chapter's algorithm as it stands there."""
    graphs, embeddings = [], []
    for array in arrays:
        gram = RBF().fitted(array).gram(array)
        root = np.sqrt(gram.sum(axis=1))
        graphs.append(gram / np.outer(root, root))
        embeddings.append(eigsh(graphs[-1], N_CLUSTERS, which="LA", v0=root)[1])
    for _ in range(n_sweeps):
        for view, graph in enumerate(graphs):
            others = [u @ u.T for other, u in enumerate(embeddings) if other != view]
            pulled = graph + agreement * sum(others)
            embeddings[view] = eigsh(pulled, N_CLUSTERS, which="LA", v0=graph.sum(axis=1))[1]
    rows = np.hstack([unit_rows(own) for own in embeddings])
    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit_predict(rows)


SHORT = (
    partial(beside_mvlearn, 500),
    partial(beside_whole_matrices, 500),
    partial(graphs, 2_500, 10_000),
)
ALL = (
    *(partial(beside_mvlearn, n) for n in (2_000, 5_000)),
    *(partial(beside_whole_matrices, n) for n in (2_000, 5_000)),
    partial(graphs, 5_000, 20_000, LARGE),
)
