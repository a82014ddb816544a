"""Co-Laplacian least squares on 100,000 sparse documents, with the neighbour search and without."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from benchmarks._measure import (
    Comparison,
    Median,
    compare,
    cpu_seconds,
    growing,
    medians,
    resident_peak,
    timed,
)
from manyviews import Views
from manyviews.semi_supervised import CoLaplacianRLS, CoLaplacianSVM
from manyviews.similarity import KNNGraph
from manyviews.typing import FloatArray, IntArray

WIDTHS = {"body": 20_000, "links": 10_000}
N_LABELLED = 100
N_TOKENS = 100
SECONDS = 60.0
BYTES = 4 * 2**30
SOLVERS = ("iterative", "dual")
N_PRODUCTS = 100
TOLD: dict[str, Any] = {"kernel": "linear", "view_weights": None}
"""No view is judged, no kernel chosen: the linear algebra is what is measured."""


def steps_beside_direct(n: int) -> Iterator[Comparison]:
    """Conjugate gradients beside the system of all objects, solved directly."""
    views, few, _ = documents(n)
    for method in (CoLaplacianRLS, CoLaplacianSVM):
        steps, direct = (
            method(graph=reduced_graphs(n), solver=solver, **TOLD) for solver in SOLVERS
        )
        row = compare(
            f"{method.__name__}, {n:,} documents: steps beside direct",
            lambda steps=steps: steps.fit(views, few),
            lambda direct=direct: direct.fit(views, few),
            repeats=5,
        )
        one, other = (model.decision_function(views) for model in (steps, direct))
        gap = float(np.abs(one - other).max() / np.abs(other).max())
        yield replace(row, found=f"differ by {gap:.1g}", goal="within 1e-3", met=gap <= 1e-3)


def fits(*sizes: int) -> Iterator[Comparison]:
    """Whole fits, the graphs given, beside the products that each of their steps makes."""
    seconds: list[Median] = []
    for n in sizes:
        model, data = task(n)
        model.fit(*data)
        found = medians(
            lambda model=model, data=data, n=n: {
                "fit": cpu_seconds(lambda: model.fit(*data)),
                "bare": cpu_seconds(lambda: bare_products(n)),
            }
        )
        seconds.append(found["fit"])
        right = float(np.mean(model.transduction_ == documents(n)[2]))
        yield Comparison(
            f"RLS, sparse {n:,} × (20,000 + 10,000), graphs given, beside {N_PRODUCTS} products",
            found["fit"],
            found["bare"],
            None,
            "a minute",
            found["fit"] <= SECONDS,
            f"{right:.1%} right",
        )
    yield growing("RLS, sparse, graphs given", sizes, seconds, at_most=1.2)


def bare_products(n: int) -> None:
    """``X w``, ``Xᵀ r`` and ``L f`` in every view, so often."""
    graphs = reduced_graphs(n)
    for name, X in documents(n)[0].items():
        weights, values = np.ones(X.shape[1]), np.ones(n)
        for _ in range(N_PRODUCTS):
            X @ weights, X.T @ values, graphs[name] @ values


def memory(n: int) -> Comparison:
    peak = resident_peak("bench_co_laplacian", f"work = task({n})", "work[0].fit(*work[1])")
    size = sum(X.data.nbytes + X.indices.nbytes for _, X in documents(n)[0].items())
    name = f"RLS, sparse {n:,}, graphs given: GiB of the fit, beside those of the views"
    return Comparison(name, peak / 2**30, size / 2**30, peak, "under 4 GiB", peak < BYTES)


def searches(n: int, n_exact: int) -> Comparison:
    """Neighbours in 64 directions of the words, approximate, beside exact ones by all words.

    The exact search is timed on fewer documents, once, and scaled: it grows with their square.
    """
    views, graph = documents(n_exact)[0], KNNGraph(10, metric="cosine")
    ours = timed(lambda: reduced_graphs.__wrapped__(n))[0]
    exact = timed(lambda: [graph.gram(matrix) for _, matrix in views.items()])[0]
    name = f"graphs of {n:,} by 64 directions, beside all words, scaled from {n_exact:,} (once)"
    return Comparison(name, ours, exact * (n / n_exact) ** 2, None, "", True)


def task(n: int) -> tuple[CoLaplacianRLS, tuple[Views, IntArray]]:
    """What is measured: the method and what it is fitted on."""
    model = CoLaplacianRLS(graph=reduced_graphs(n), proportions="labelled", **TOLD)
    return model, documents(n)[:2]


@cache
def reduced_graphs(n: int) -> dict[str, sparse.csr_array]:
    graph = KNNGraph(10, metric="cosine", method="approximate")
    return {name: graph.gram(directions(matrix)) for name, matrix in documents(n)[0].items()}


def directions(matrix: Any) -> FloatArray:
    """The documents in the 64 leading directions of their words."""
    return TruncatedSVD(64, n_iter=2, random_state=0).fit_transform(matrix)


@cache
def documents(n: int) -> tuple[Views, IntArray, IntArray]:
    """Two classes of texts, of which a hundred are labelled; words are as rare as in a language."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=n)
    views = {name: words(truth, width, rng) for name, width in WIDTHS.items()}
    few = np.full(n, -1)
    chosen = rng.permutation(n)[:N_LABELLED]
    few[chosen] = truth[chosen]
    return Views(views), few, truth


def words(truth: IntArray, width: int, rng: np.random.Generator) -> sparse.csr_array:
    """Weights of words, rare ones more, in rows of length one."""
    common = 1.0 / np.arange(1, width + 1)
    found = np.empty((len(truth), N_TOKENS), dtype=np.int32)
    for label in (0, 1):
        own = common * np.where(rng.random(width) < 0.05, 4.0, 1.0)
        rows = np.flatnonzero(truth == label)
        found[rows] = rng.choice(width, size=(len(rows), N_TOKENS), p=own / own.sum())
    starts = np.arange(len(truth) + 1) * N_TOKENS
    shape = (len(truth), width)
    counts = sparse.csr_array((np.ones(found.size), found.ravel(), starts), shape=shape)
    counts.sum_duplicates()
    rare = np.log((1 + len(truth)) / (1 + np.bincount(counts.indices, minlength=width)))
    counts.data *= rare[counts.indices]
    return sparse.csr_array(normalize(counts))


SHORT = (partial(steps_beside_direct, 1_000), partial(fits, 3_000, 12_000))
ALL = (
    partial(steps_beside_direct, 3_000),
    partial(fits, 25_000, 50_000, 100_000),
    partial(memory, 100_000),
    partial(searches, 100_000, 25_000),
)
