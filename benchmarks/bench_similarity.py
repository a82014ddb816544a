"""Similarities against scikit-learn's and against the bare search for neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growing,
    medians,
    peer,
    resident_peak,
    seconds_by_size,
)
from manyviews.maths import pivoted_cholesky
from manyviews.similarity import RBF, KNNGraph
from manyviews.similarity.graphs import directed, symmetrised
from manyviews.similarity.neighbors import measured

N_FEATURES, N_NEIGHBORS = 50, 10


def rows(n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = 2.0 * rng.standard_normal((20, N_FEATURES))
    X = rng.standard_normal((n, N_FEATURES))
    for start in range(0, n, 1000):  # nothing large beside the rows, whose memory is measured
        part = X[start : start + 1000]
        part += centres[rng.integers(20, size=len(part))]
    return X


def matrices(n: int) -> Iterator[Comparison]:
    X, gamma = rows(n), 0.01
    kernel = RBF(gamma=gamma)
    yield compare(
        f"RBF gram {n:,} × 50, beside rbf_kernel",
        lambda: kernel.gram(X),
        lambda: rbf_kernel(X, gamma=gamma),
        at_most=1.3,
        repeats=5,
    )
    yield compare(
        f"RBF of {n // 2:,} new rows to {n:,}, beside rbf_kernel",
        lambda: kernel.cross(X[: n // 2], X),
        lambda: rbf_kernel(X[: n // 2], X, gamma=gamma),
        at_most=1.3,
        repeats=5,
    )


def factor(n: int) -> Comparison:
    """A factor of rank 200 beside the dense matrix alone, which nobody has decomposed yet."""
    X, kernel = rows(n), RBF(gamma=0.001)
    return compare(
        f"pivoted Cholesky of rank 200, {n:,} rows, beside the dense matrix",
        lambda: pivoted_cholesky(kernel.diagonal(X), kernel.columns(X), tol=0.0, max_rank=200),
        lambda: kernel.gram(X),
        repeats=5,
    )


def factor_growth(*sizes: int) -> Comparison:
    kernel = RBF(gamma=0.001)
    works = {n: partial(kernel.factor, rows(n), 50, method="cholesky") for n in sizes}
    return growing("pivoted Cholesky of rank 50", *seconds_by_size(works), at_most=1.1)


def graph_growth(*sizes: int) -> Comparison:
    """All but the search, on made-up neighbours."""
    works = {}
    for n in sizes:
        indices = np.random.default_rng(0).integers(n, size=(n, N_NEIGHBORS))
        works[n] = partial(assemble, rows(n), indices)
    return growing("KNNGraph without the search", *seconds_by_size(works))


def assemble(X: np.ndarray, indices: np.ndarray) -> None:
    neighbors = measured(X, X, indices)
    edges = directed(np.exp(-neighbors.distances), neighbors, len(X))
    symmetrised(edges, "union")


def graph(method: str, n: int) -> Comparison:
    """The whole graph beside the bare search in the same library, by turns."""
    X = rows(n)
    search, kind = bare_search(X, method), graph_by(method)
    found = medians(
        lambda: {"whole": cpu_seconds(lambda: kind.fitted(X)), "bare": cpu_seconds(search)}
    )
    judged = n >= 100_000  # the goal is set for this size
    prepare = f"X = rows({n}); kind = graph_by({method!r}); kind.gram(X[:1000])"
    return Comparison(
        f"KNNGraph {n:,} × {N_FEATURES}, k={N_NEIGHBORS}, {method}, beside the search",
        found["whole"],
        found["bare"],
        resident_peak("bench_similarity", prepare, "kind.fitted(X)"),
        "at most 1.2×" if judged else "",
        not judged or found["whole"] <= 1.2 * found["bare"],
    )


def graph_by(method: str) -> KNNGraph:
    return KNNGraph(N_NEIGHBORS, "similarity", method=method)


def bare_search(X: np.ndarray, method: str) -> Callable[[], object]:
    if method == "faiss":
        knn, single = peer("faiss", "knn"), X.astype(np.float32)
        return lambda: knn(single, single, N_NEIGHBORS)
    return lambda: NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(X).kneighbors(X)


SHORT = (
    partial(matrices, 2_000),
    partial(factor, 2_000),
    partial(factor_growth, 2_500, 20_000),
    partial(graph_growth, 5_000, 20_000),
    partial(graph, "faiss", 10_000),
)
ALL = (
    partial(matrices, 5_000),
    partial(factor, 5_000),
    partial(factor_growth, 5_000, 20_000, 80_000),
    partial(graph_growth, 10_000, 30_000, 100_000),
    *(partial(graph, method, 100_000) for method in ("faiss", "scikit-learn")),
)
