"""``CoRegularizedSpectral`` beside mvlearn's, and on graphs beside the search for neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
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
    growth_exponent,
    medians,
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

SIZES = (5_000, 20_000, 100_000)
MOST_BYTES = 3 * 2**30


def run() -> Iterator[Comparison]:
    name, peer = _peer()
    for n_objects in (2_000, 5_000):
        yield _dense(n_objects, name, peer)
    yield from _graphs()


def _dense(n_objects: int, name: str, peer: Callable[[list[Any]], Any]) -> Comparison:
    """Dense Gaussian similarities; both choose the width by the median distance."""
    views, y = clouds(n_objects, 2)
    arrays = [views[view] for view in views.names]
    labels: dict[str, Any] = {}

    def ours() -> None:
        model = CoRegularizedSpectral(N_CLUSTERS, "rbf", random_state=0)
        labels["ours"] = model.fit_predict(views)

    def theirs() -> None:
        labels["theirs"] = peer(arrays)

    row = compare("", ours, theirs, repeats=5)
    scores = {who: adjusted_rand_score(y, found) for who, found in labels.items()}
    title = f"dense {n_objects:,} × 2, beside {name}: ARI {scores['ours']:.2f}"
    met = row.ratio <= 0.1 and scores["ours"] >= scores["theirs"]
    goal = f"at most 0.1×, ARI at least {scores['theirs']:.2f}"
    return replace(row, name=title, goal=goal, met=met)


def _graphs() -> Iterator[Comparison]:
    """Neighbour graphs: how the eigen part grows, and the largest one whole."""
    eigen_seconds = []
    for n_objects in SIZES:
        views, y = clouds(n_objects, 3)
        found = medians(lambda views=views, y=y: _round(views, y))
        eigen_seconds.append(found["eigen"])
        rest = max(found["comparing"] - found["search"], 0.0) + found["eigen"] + found["grouping"]
        prepare = f"warm(); views = clouds({n_objects}, 3)[0]"
        peak = resident_peak("bench_co_regularized", prepare, "fit_graphs(views)")
        yield Comparison(
            f"graph {n_objects:,} × 3, all but the search, beside it: ARI {found['ARI']:.2f}, "
            f"{found['sweeps']:.0f} sweeps",
            rest,
            found["search"],
            peak,
            "at most 1×, 3 GiB" if n_objects == SIZES[-1] else "",
            n_objects < SIZES[-1] or (rest <= found["search"] and peak <= MOST_BYTES),
        )
    growth = growth_exponent(SIZES, eigen_seconds)
    yield Comparison(
        f"graph: eigen part, exponent {growth:.2f}",
        eigen_seconds[-1],
        eigen_seconds[0] * SIZES[-1] / SIZES[0],
        None,
        "exponent at most 1.1",
        growth <= 1.1,
    )


def _round(views: Views, y: IntArray) -> dict[str, float]:
    """Seconds of each part of a fit, and of the bare search."""
    search = cpu_seconds(lambda: search_neighbors(views))
    comparing, (_, grams) = timed(lambda: fit_similarities(views, KNNGraph(10)))
    eigen, run = timed(lambda: _eigen_part(list(grams.values())))
    rows = np.hstack([unit_rows(own) for own in run.state.views])
    grouping, (_, labels) = timed(lambda: group_rows(rows, N_CLUSTERS, n_init=10, rng=generator(0)))
    return {
        "search": search,
        "comparing": comparing,
        "eigen": eigen,
        "grouping": grouping,
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


def _peer() -> tuple[str, Callable[[list[Any]], Any]]:
    """mvlearn where it is installed, else the chapter's algorithm with whole matrices."""
    try:
        from mvlearn.cluster import MultiviewCoRegSpectralClustering as Peer
    except ImportError:
        return "whole matrices and eigsh", _plain
    return "mvlearn", lambda arrays: Peer(N_CLUSTERS, random_state=0).fit_predict(arrays)


def _plain(arrays: list[Any], agreement: float = 0.03, n_sweeps: int = 10) -> Any:
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
