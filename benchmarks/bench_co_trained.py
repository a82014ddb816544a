"""``CoTrainedSpectral`` beside mvlearn's, and on graphs beside the search for neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any
from unittest.mock import patch

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
    growth_exponent,
    medians,
    peak_bytes,
    peer,
    resident_peak,
    timed,
)
from manyviews import Views
from manyviews.cluster import CoTrainedSpectral
from manyviews.cluster.spectral import co_trained
from manyviews.cluster.spectral.co_trained import co_train, smallest_entry
from manyviews.cluster.spectral.fused import group_rows
from manyviews.maths import generator, unit_rows
from manyviews.similarity import RBF, KNNGraph, fit_similarities
from manyviews.typing import IntArray

N_ROUNDS = 5
MVLEARN, WHOLE = "mvlearn", "whole matrices and eigsh"
MOST_BYTES = 3 * 2**30
LARGE = 100_000


def dense(name: str, n_objects: int, n_draws: int) -> Comparison:
    """Gaussian similarities of several draws: time of the first, mean agreement of all."""
    reference = _reference(name)
    drawn = [clouds(n_objects, 2, seed) for seed in range(n_draws)]
    row = compare(
        f"dense {n_objects:,} × 2, beside {name}",
        lambda: _fit(drawn[0][0]),
        lambda: reference(_arrays(drawn[0][0])),
        repeats=5,
    )
    ours = np.mean([adjusted_rand_score(y, _fit(views)) for views, y in drawn])
    theirs = np.mean([adjusted_rand_score(y, reference(_arrays(views))) for views, y in drawn])
    judged = n_draws >= 8  # the mean of two hangs on the draws
    return replace(
        row,
        goal="ARI at least theirs" if judged else "",
        met=not judged or bool(ours >= theirs),
        found=f"mean ARI of {n_draws} draws {ours:.2f}, theirs {theirs:.2f}",
    )


def extrapolated(name: str, n_objects: int, *sizes: int) -> Comparison:
    """Beside what a reference would take by its growth, which is too slow for so many objects."""
    reference, (views, _) = _reference(name), clouds(n_objects, 2)
    smaller = {n: _arrays(clouds(n, 2)[0]) for n in sizes}
    found = medians(
        lambda: {
            "ours": cpu_seconds(lambda: _fit(views)),
            **{
                str(n): cpu_seconds(lambda arrays=arrays: reference(arrays))
                for n, arrays in smaller.items()
            },
        }
    )
    theirs = [found[str(n)] for n in sizes]
    growth = growth_exponent(sizes, theirs)
    expected = theirs[-1].scaled((n_objects / sizes[-1]) ** growth)
    return Comparison(
        f"dense {n_objects:,} × 2, beside {name} extrapolated from {sizes[-1]:,}",
        found["ours"],
        expected,
        peak_bytes(lambda: _fit(views)),
        "at most 0.01×",
        found["ours"] <= 0.01 * expected,
        f"by its exponent {growth:.2f}",
    )


def _arrays(views: Views) -> list[Any]:
    return [views[view] for view in views.names]


def graphs(*sizes: int) -> Iterator[Comparison]:
    """Neighbour graphs: how the eigen part grows, and the largest one whole."""
    eigen_seconds, entry_seconds = [], []
    for n_objects in sizes:
        views, y = clouds(n_objects, 3)
        found = medians(lambda views=views, y=y: _round(views, y))
        eigen_seconds.append(found["eigen"])
        entry_seconds.append(found["entries"])
        prepare = f"warm(); views = clouds({n_objects}, 3)[0]"
        peak = resident_peak("bench_co_trained", prepare, "fit_graphs(views)")
        yield Comparison(
            f"graph {n_objects:,} × 3, all but the search, beside it",
            found["rest"],
            found["search"],
            peak,
            "at most 1×, 3 GiB" if n_objects == LARGE else "",
            n_objects < LARGE or (found["rest"] <= found["search"] and peak <= MOST_BYTES),
            f"ARI {found['ARI']:.2f}",
        )
    yield growing("graph, eigen part", sizes, eigen_seconds, at_most=1.1)
    yield growing("graph, smallest entries", sizes, entry_seconds)


def _round(views: Views, y: IntArray) -> dict[str, float]:
    """Seconds of each part of a fit, and of the bare search."""
    search = cpu_seconds(lambda: search_neighbors(views))
    comparing, (_, grams) = timed(lambda: fit_similarities(views, KNNGraph(10)))
    training, entries, found = _train(grams)
    rows = np.hstack([unit_rows(one) for one in found.embeddings.values()])
    grouping, (_, labels) = timed(lambda: group_rows(rows, N_CLUSTERS, n_init=10, rng=generator(0)))
    return {
        "search": search,
        "rest": max(comparing - search, 0.0) + training + grouping,
        "eigen": training - entries,
        "entries": entries,
        "ARI": adjusted_rand_score(y, labels),
    }


def fit_graphs(views: Views) -> None:
    model = CoTrainedSpectral(N_CLUSTERS, KNNGraph(10), n_iter=N_ROUNDS, random_state=0)
    model.fit(views)


def warm() -> None:
    """Load and compile all that is needed, which is not counted."""
    fit_graphs(clouds(500, 3)[0])


def _fit(views: Views) -> Any:
    return CoTrainedSpectral(N_CLUSTERS, n_iter=N_ROUNDS, random_state=0).fit_predict(views)


def _train(grams: dict[str, Any]) -> tuple[float, float, Any]:
    """Seconds of a training, those of them that finding the smallest entries takes, and the end."""
    spent = []

    def smallest_entry_timed(*arrays: Any) -> float:
        seconds, smallest = timed(lambda: smallest_entry(*arrays))
        spent.append(seconds)
        return smallest

    with patch.object(co_trained, "smallest_entry", smallest_entry_timed):
        training, found = timed(lambda: co_train(grams, N_CLUSTERS, N_ROUNDS))
    return training, sum(spent), found


def _reference(name: str) -> Callable[[list[Any]], Any]:
    if name == WHOLE:
        return _plain
    kind = peer("mvlearn.cluster", "MultiviewSpectralClustering")
    return lambda arrays: kind(N_CLUSTERS, max_iter=N_ROUNDS, random_state=0).fit_predict(arrays)


def _plain(arrays: list[Any]) -> Any:
    """Algorithm 1 as it stands there."""
    grams = [RBF().fitted(array).gram(array) for array in arrays]
    bases = [_leading(gram) for gram in grams]
    for _ in range(N_ROUNDS):
        projectors = [basis @ basis.T for basis in bases]
        graphs = [
            (sum(projectors) - own) @ gram for own, gram in zip(projectors, grams, strict=True)
        ]
        graphs = [(graph + graph.T) / 2 for graph in graphs]
        bases = [_leading(graph - min(graph.min(), 0.0)) for graph in graphs]
    rows = np.hstack([unit_rows(basis) for basis in bases])
    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit_predict(rows)


def _leading(graph: Any) -> Any:
    root = np.sqrt(graph.sum(axis=1))
    return eigsh(graph / np.outer(root, root), N_CLUSTERS, which="LA", v0=root)[1]


SHORT = (
    partial(dense, MVLEARN, 300, 2),
    partial(dense, WHOLE, 500, 2),
    partial(graphs, 2_500, 10_000),
)
ALL = (
    partial(dense, MVLEARN, 500, 8),
    partial(dense, WHOLE, 500, 8),
    partial(extrapolated, MVLEARN, 5_000, 1_000, 2_000),
    partial(extrapolated, WHOLE, 5_000, 1_000, 2_000),
    partial(graphs, 5_000, 20_000, LARGE),
)
