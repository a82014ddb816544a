"""``CoTrainedSpectral`` beside mvlearn's, and on graphs beside the search for neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
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
    growth_exponent,
    medians,
    peak_bytes,
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
SMALL, N_DRAWS = 500, 8
PEER_SIZES = (1_000, 2_000)
"""Sizes at which the peer is timed; it is too slow for the size of the goal."""
LARGE = 5_000
SIZES = (5_000, 20_000, 100_000)
MOST_BYTES = 3 * 2**30


def run() -> Iterator[Comparison]:
    yield from _dense()
    yield from _graphs()


def _dense() -> Iterator[Comparison]:
    """Dense Gaussian similarities; the peer's time at the large size is extrapolated."""
    name, peer = _peer()
    yield _scores(name, peer)
    smaller = [_arrays(clouds(n, 2)[0]) for n in PEER_SIZES]
    peer_seconds = [
        np.median([cpu_seconds(lambda arrays=arrays: peer(arrays)) for _ in range(5)])
        for arrays in smaller
    ]
    growth = growth_exponent(PEER_SIZES, peer_seconds)
    expected = peer_seconds[-1] * (LARGE / PEER_SIZES[-1]) ** growth
    views, _ = clouds(LARGE, 2)
    seconds = float(np.median([cpu_seconds(lambda: _fit(views)) for _ in range(5)]))
    yield Comparison(
        f"dense {LARGE:,} × 2, beside {name} extrapolated from {PEER_SIZES[-1]:,} with its "
        f"exponent {growth:.2f}",
        seconds,
        expected,
        peak_bytes(lambda: _fit(views)),
        "at most 0.01×",
        seconds <= 0.01 * expected,
    )


def _scores(name: str, peer: Callable[[list[Any]], Any]) -> Comparison:
    """Both on several draws of the data: time of the first, mean agreement of all."""
    drawn = [clouds(SMALL, 2, seed) for seed in range(N_DRAWS)]
    row = compare("", lambda: _fit(drawn[0][0]), lambda: peer(_arrays(drawn[0][0])), repeats=5)
    ours = np.mean([adjusted_rand_score(y, _fit(views)) for views, y in drawn])
    theirs = np.mean([adjusted_rand_score(y, peer(_arrays(views))) for views, y in drawn])
    return replace(
        row,
        name=f"dense {SMALL} × 2, beside {name}: mean ARI {ours:.2f} of {N_DRAWS} draws",
        goal=f"ARI at least {theirs:.2f}",
        met=bool(ours >= theirs),
    )


def _arrays(views: Views) -> list[Any]:
    return [views[view] for view in views.names]


def _graphs() -> Iterator[Comparison]:
    """Neighbour graphs: how the eigen part grows, and the largest one whole."""
    eigen_seconds, entry_seconds = [], []
    for n_objects in SIZES:
        views, y = clouds(n_objects, 3)
        found = medians(lambda views=views, y=y: _round(views, y))
        eigen_seconds.append(found["training"] - found["entries"])
        entry_seconds.append(found["entries"])
        rest = (
            max(found["comparing"] - found["search"], 0.0) + found["training"] + found["grouping"]
        )
        prepare = f"warm(); views = clouds({n_objects}, 3)[0]"
        peak = resident_peak("bench_co_trained", prepare, "fit_graphs(views)")
        yield Comparison(
            f"graph {n_objects:,} × 3, all but the search, beside it: ARI {found['ARI']:.2f}",
            rest,
            found["search"],
            peak,
            "at most 1×, 3 GiB" if n_objects == SIZES[-1] else "",
            n_objects < SIZES[-1] or (rest <= found["search"] and peak <= MOST_BYTES),
        )
    for what, seconds in (("eigen part", eigen_seconds), ("smallest entries", entry_seconds)):
        growth = growth_exponent(SIZES, seconds)
        yield Comparison(
            f"graph: {what}, exponent {growth:.2f}",
            seconds[-1],
            seconds[0] * SIZES[-1] / SIZES[0],
            None,
            "exponent at most 1.1" if what == "eigen part" else "",
            growth <= 1.1 or what != "eigen part",
        )


def _round(views: Views, y: IntArray) -> dict[str, float]:
    """Seconds of each part of a fit, and of the bare search."""
    search = cpu_seconds(lambda: search_neighbors(views))
    comparing, (_, grams) = timed(lambda: fit_similarities(views, KNNGraph(10)))
    training, entries, found = _train(grams)
    rows = np.hstack([unit_rows(one) for one in found.embeddings.values()])
    grouping, (_, labels) = timed(lambda: group_rows(rows, N_CLUSTERS, n_init=10, rng=generator(0)))
    return {
        "search": search,
        "comparing": comparing,
        "training": training,
        "entries": entries,
        "grouping": grouping,
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


def _peer() -> tuple[str, Callable[[list[Any]], Any]]:
    """mvlearn where it is installed, else Algorithm 1 with whole matrices."""
    try:
        from mvlearn.cluster import MultiviewSpectralClustering as Peer
    except ImportError:
        return "whole matrices and eigsh", _plain
    return "mvlearn", lambda arrays: Peer(
        N_CLUSTERS, max_iter=N_ROUNDS, random_state=0
    ).fit_predict(arrays)


def _plain(arrays: list[Any]) -> Any:
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
