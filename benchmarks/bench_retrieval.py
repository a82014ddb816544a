"""Search in a common space against scikit-learn, faiss and the bare product of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from benchmarks._measure import (
    Comparison,
    compare,
    growth_exponent,
    medians,
    peak_bytes,
    resident_peak,
    timed,
)
from manyviews.embed import keyword_queries
from manyviews.embed.retrieval.retriever import as_points, mate_standing, nearest

N_OBJECTS = 100_000
N_QUERIES = 1_000
N_DIMENSIONS = 200
K = 10
SIZES = (25_000, 50_000, 100_000, 200_000)
N_DOCUMENTS = 50_000


def run() -> Iterator[Comparison]:
    objects, queries = points(N_OBJECTS), points(N_QUERIES, seed=1)
    yield from searching(objects, queries)
    yield growing()
    yield one_by_one(objects, queries)
    yield ranking(objects, queries)
    yield keywords()


def searching(objects: np.ndarray, queries: np.ndarray) -> Iterator[Comparison]:
    """The ten best of 100,000 for 1,000 queries, beside those who do the same, and beside less."""
    indexed = as_points(objects)
    memory = resident_peak("bench_retrieval", "given = prepared()", "search(*given)")
    rivals = {
        "scikit-learn, brute force": ("cosine", scikit_learn(objects, queries, "cosine"), 1.0),
        "scikit-learn, brute force, distances": (
            "euclidean",
            scikit_learn(objects, queries, "euclidean"),
            1.5,  # it selects while it multiplies, and so takes no longer than the product
        ),
        "the product of matrices alone": ("cosine", lambda: product(objects, queries), 1.6),
    }
    for name, (metric, rival, at_most) in rivals.items():
        comparison = compare(
            f"{K} of {N_OBJECTS:,} for {N_QUERIES:,}, beside {name}",
            lambda metric=metric: nearest(queries, indexed, K, metric),
            rival,
            at_most=at_most,
            repeats=5,
        )
        yield replace(comparison, extra_bytes=memory)
    yield from beside_faiss(objects, queries)


def scikit_learn(objects: np.ndarray, queries: np.ndarray, metric: str) -> Callable[[], Any]:
    searched = NearestNeighbors(n_neighbors=K, algorithm="brute", metric=metric).fit(objects)
    return lambda: searched.kneighbors(queries)


def product(objects: np.ndarray, queries: np.ndarray) -> None:
    """What no exact search can do without; in blocks, so that memory is no matter."""
    for start in range(0, len(queries), 40):
        queries[start : start + 40] @ objects.T


def beside_faiss(objects: np.ndarray, queries: np.ndarray) -> Iterator[Comparison]:
    """faiss searches in single precision; shown without a goal."""
    try:
        import faiss
    except ImportError:
        return
    faiss.omp_set_num_threads(1)
    unit = [rows / np.linalg.norm(rows, axis=1)[:, None] for rows in (objects, queries)]
    single = [np.ascontiguousarray(rows, dtype=np.float32) for rows in unit]
    index = faiss.IndexFlatIP(N_DIMENSIONS)
    index.add(single[0])
    indexed = as_points(objects)
    yield compare(
        f"{K} of {N_OBJECTS:,} for {N_QUERIES:,}, beside faiss in single precision",
        lambda: nearest(queries, indexed, K, "cosine"),
        lambda: index.search(single[1], K),
        repeats=5,
    )


def growing() -> Comparison:
    """Time over the number of objects for 200 queries."""
    queries = points(200, seed=1)

    def measure() -> dict[str, float]:
        return {
            str(size): timed(lambda size=size: nearest(queries, sets[size], K, "cosine"))[0]
            for size in SIZES
        }

    sets = {size: as_points(points(size)) for size in SIZES}
    seconds = list(medians(measure).values())
    exponent = growth_exponent(SIZES, seconds)
    return Comparison(
        f"growth with objects, exponent {exponent:.2f}",
        seconds[-1],
        seconds[0],
        None,
        "exponent at most 1.1",
        exponent <= 1.1,
    )


def one_by_one(objects: np.ndarray, queries: np.ndarray) -> Comparison:
    """A person's query: one at a time, beside a product of the matrix and a vector."""
    indexed = as_points(objects)
    return compare(
        f"{K} of {N_OBJECTS:,}, twenty queries one by one, beside bare products",
        lambda: [nearest(queries[[row]], indexed, K, "cosine") for row in range(20)],
        lambda: [objects @ queries[row] for row in range(20)],
        at_most=1.5,
        repeats=5,
    )


def ranking(objects: np.ndarray, queries: np.ndarray) -> Comparison:
    """Ranks of all mates, without ever holding all scores."""
    indexed, mates = as_points(objects), np.arange(len(queries))

    def work() -> Any:
        return mate_standing(queries, indexed, mates, "cosine")

    comparison = compare(
        f"ranks of {N_QUERIES:,} mates among {N_OBJECTS:,}, beside the product alone",
        work,
        lambda: product(objects, queries),
        at_most=1.5,
        repeats=5,
    )
    return replace(comparison, extra_bytes=peak_bytes(work))


def keywords() -> Comparison:
    """Ten words of each of 50,000 documents, beside sorting all words of each in a loop."""
    documents = sparse.random_array(
        (N_DOCUMENTS, 30_000), density=0.003, rng=np.random.default_rng(0), format="csr"
    )
    return compare(
        f"10 keywords of {N_DOCUMENTS:,} documents, beside a loop over rows",
        lambda: keyword_queries(documents, 10),
        lambda: loop_over_rows(documents),
        at_most=1.0,
        repeats=5,
    )


def loop_over_rows(documents: sparse.csr_array) -> list[np.ndarray]:
    """The columns of the ten largest entries of each row."""
    ends = documents.indptr
    return [
        documents.indices[start:stop][np.argsort(-documents.data[start:stop], kind="stable")[:10]]
        for start, stop in pairwise(ends.tolist())
    ]


def points(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, N_DIMENSIONS))


def prepared() -> tuple[Any, np.ndarray]:
    return as_points(points(N_OBJECTS)), points(N_QUERIES, seed=1)


def search(objects: Any, queries: np.ndarray) -> None:
    nearest(queries, objects, K, "cosine")
