"""Similarities against scikit-learn's and against the bare search for neighbours."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growth_exponent,
    medians,
    resident_peak,
)
from manyviews.maths import pivoted_cholesky
from manyviews.similarity import RBF, KNNGraph

N_OBJECTS, N_FEATURES, N_NEIGHBORS = 100_000, 50, 10


def run() -> Iterator[Comparison]:
    yield from matrices()
    yield from factors()
    yield graph_growth()
    for method in ("faiss", "scikit-learn"):
        yield graph(method)


def rows(n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = 2.0 * rng.standard_normal((20, N_FEATURES))
    X = rng.standard_normal((n, N_FEATURES))
    for start in range(0, n, 1000):  # nothing large beside the rows, whose memory is measured
        part = X[start : start + 1000]
        part += centres[rng.integers(20, size=len(part))]
    return X


def matrices() -> Iterator[Comparison]:
    from sklearn.metrics.pairwise import rbf_kernel

    X, gamma = rows(5000), 0.01
    kernel = RBF(gamma=gamma)
    yield compare(
        "RBF gram 5,000 × 50, beside rbf_kernel",
        lambda: kernel.gram(X),
        lambda: rbf_kernel(X, gamma=gamma),
        at_most=1.3,
        repeats=5,
    )
    yield compare(
        "RBF of 2,000 new rows to 5,000, beside rbf_kernel",
        lambda: kernel.cross(X[:2000], X),
        lambda: rbf_kernel(X[:2000], X, gamma=gamma),
        at_most=1.3,
        repeats=5,
    )


def factors() -> Iterator[Comparison]:
    """A factor of rank 200 beside the dense matrix alone, which nobody has decomposed yet."""
    X, kernel = rows(5000), RBF(gamma=0.001)
    yield compare(
        "pivoted Cholesky of rank 200, 5,000 rows, beside the dense matrix",
        lambda: pivoted_cholesky(kernel.diagonal(X), kernel.columns(X), tol=0.0, max_rank=200),
        lambda: kernel.gram(X),
        repeats=5,
    )
    sizes = (5_000, 20_000, 80_000)
    seconds = [
        np.median(
            [cpu_seconds(lambda X=X: kernel.factor(X, 50, method="cholesky")) for _ in range(5)]
        )
        for X in map(rows, sizes)
    ]
    exponent = growth_exponent(sizes, seconds)
    yield Comparison(
        f"pivoted Cholesky of rank 50, 5,000 to 80,000 rows: exponent {exponent:.2f}",
        seconds[-1],
        seconds[0],
        None,
        "exponent at most 1.1",
        exponent <= 1.1,
    )


def graph_growth() -> Comparison:
    """All but the search, on made-up neighbours, from 10,000 to 100,000 rows."""
    from manyviews.similarity import graphs as parts
    from manyviews.similarity.neighbors import measured

    def assemble(n: int) -> float:
        rng = np.random.default_rng(0)
        X, indices = rows(n), rng.integers(n, size=(n, N_NEIGHBORS))
        start = time.process_time()
        neighbors = measured(X, X, indices)
        edges = parts.directed(np.exp(-neighbors.distances), neighbors, n)
        parts.symmetrised(edges, "union")
        return time.process_time() - start

    sizes = (10_000, 30_000, 100_000)
    seconds = [float(np.median([assemble(n) for _ in range(5)])) for n in sizes]
    exponent = growth_exponent(sizes, seconds)
    return Comparison(
        f"KNNGraph without the search, 10,000 to 100,000 rows: exponent {exponent:.2f}",
        seconds[-1],
        seconds[0],
        None,
        "",
        True,
    )


def graph(method: str) -> Comparison:
    """The whole graph beside the bare search in the same library, by turns."""
    X = rows(N_OBJECTS)
    search, kind = bare_search(X, method), graph_by(method)
    found = medians(
        lambda: {"whole": cpu_seconds(lambda: kind.fitted(X)), "bare": cpu_seconds(search)}
    )
    prepare = f"X = rows({N_OBJECTS}); kind = graph_by({method!r}); kind.gram(X[:1000])"
    return Comparison(
        f"KNNGraph {N_OBJECTS:,} × {N_FEATURES}, k={N_NEIGHBORS}, {method}, beside the search",
        found["whole"],
        found["bare"],
        resident_peak("bench_similarity", prepare, "kind.fitted(X)"),
        "at most 1.2×",
        found["whole"] <= 1.2 * found["bare"],
    )


def graph_by(method: str) -> KNNGraph:
    return KNNGraph(N_NEIGHBORS, "similarity", method=method)


def bare_search(X: np.ndarray, method: str) -> Callable[[], object]:
    if method == "faiss":
        import faiss

        single = X.astype(np.float32)
        return lambda: faiss.knn(single, single, N_NEIGHBORS)
    from sklearn.neighbors import NearestNeighbors

    return lambda: NearestNeighbors(n_neighbors=N_NEIGHBORS).fit(X).kneighbors(X)
