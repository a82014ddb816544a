"""``CoRegularizedSpectral`` beside mvlearn's, and on graphs beside the search for neighbours."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from benchmarks._clouds import N_CLUSTERS, clouds, cpu_seconds, search_neighbors
from benchmarks._measure import Comparison, compare, growth_exponent, peak_bytes
from manyviews.cluster import CoRegularizedSpectral
from manyviews.cluster._spectral._base import group_rows
from manyviews.cluster._spectral._co_regularization import Graph, co_regularize, pairwise_ties
from manyviews.maths import generator, unit_rows
from manyviews.similarity import RBF, KNNGraph, fit_similarities

SIZES = (5_000, 20_000, 100_000)
MOST_BYTES = 3 * 2**30


def run() -> Iterator[Comparison]:
    name, peer = _peer()
    yield _dense(2_000, name, peer, repeats=5)
    yield _dense(5_000, name, peer, repeats=1)
    yield from _graphs()


def _dense(
    n_objects: int, name: str, peer: Callable[[list[Any]], Any], *, repeats: int
) -> Comparison:
    """Dense Gaussian similarities; both choose the width by the median distance."""
    views, y = clouds(n_objects, 2)
    arrays = [views[view] for view in views.names]
    labels: dict[str, Any] = {}

    def ours() -> None:
        model = CoRegularizedSpectral(N_CLUSTERS, "rbf", random_state=0)
        labels["ours"] = model.fit_predict(views)

    def theirs() -> None:
        labels["theirs"] = peer(arrays)

    if repeats > 1:
        row = compare("", ours, theirs, repeats=repeats)
        seconds, reference, extra = row.seconds, row.reference_seconds, row.extra_bytes
    else:
        seconds, reference, extra = cpu_seconds(ours), cpu_seconds(theirs), peak_bytes(ours)
    scores = {who: adjusted_rand_score(y, found) for who, found in labels.items()}
    title = f"dense {n_objects:,} × 2, beside {name}: ARI {scores['ours']:.2f}"
    met = seconds <= 0.1 * reference and scores["ours"] >= scores["theirs"]
    goal = f"at most 0.1×, ARI at least {scores['theirs']:.2f}"
    return Comparison(title, seconds, reference, extra, goal, met)


def _graphs() -> Iterator[Comparison]:
    """Neighbour graphs: how the eigen part grows, and the largest one whole."""
    eigen_seconds, n_sweeps = [], []
    for n_objects in SIZES:
        views, y = clouds(n_objects, 3)
        tracemalloc.start()
        search = cpu_seconds(lambda views=views: search_neighbors(views))
        start = time.process_time()
        _, grams = fit_similarities(views, KNNGraph(10))
        comparing = time.process_time() - start
        start = time.process_time()
        run = _eigen_part(list(grams.values()))
        eigen_seconds.append(time.process_time() - start)
        n_sweeps.append(run.n_iter)
        start = time.process_time()
        rows = np.hstack([unit_rows(own) for own in run.state.views])
        labels = group_rows(rows, N_CLUSTERS, n_init=10, rng=generator(0))[1]
        grouping = time.process_time() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        rest = max(comparing - search, 0.0) + eigen_seconds[-1] + grouping
        score = adjusted_rand_score(y, labels)
        yield Comparison(
            f"graph {n_objects:,} × 3, all but the search, beside it: ARI {score:.2f}",
            rest,
            search,
            peak,
            "at most 1×, 3 GiB" if n_objects == SIZES[-1] else "",
            n_objects < SIZES[-1] or (rest <= search and peak <= MOST_BYTES),
        )
    growth = growth_exponent(SIZES, eigen_seconds)
    yield Comparison(
        f"graph: eigen part, exponent {growth:.2f}; {'/'.join(map(str, n_sweeps))} sweeps",
        eigen_seconds[-1],
        eigen_seconds[0] * SIZES[-1] / SIZES[0],
        None,
        "exponent at most 1.1",
        growth <= 1.1,
    )


def _eigen_part(grams: list[Any]) -> Any:
    ties = pairwise_ties(0.03, np.ones(len(grams)))
    return co_regularize([Graph.of(gram) for gram in grams], N_CLUSTERS, ties)


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
