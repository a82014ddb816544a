"""Search in a common space against scikit-learn, faiss and the bare product of matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from benchmarks._measure import (
    Comparison,
    compare,
    growing,
    peak_bytes,
    peer,
    resident_peak,
    seconds_by_size,
)
from manyviews.embed import keyword_queries
from manyviews.embed.retrieval.retriever import as_points, mate_standing, nearest

N_DIMENSIONS = 200
K = 10


def searching(n_objects: int, n_queries: int) -> Iterator[Comparison]:
    """The ten best for many queries, beside those who do the same, and beside less."""
    objects, queries = points(n_objects), points(n_queries, seed=1)
    indexed = as_points(objects)
    prepare = f"given = prepared({n_objects}, {n_queries})"
    memory = resident_peak("bench_retrieval", prepare, "search(*given)")
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
            f"{K} of {n_objects:,} for {n_queries:,}, beside {name}",
            lambda metric=metric: nearest(queries, indexed, K, metric),
            rival,
            at_most=at_most,
            repeats=5,
        )
        yield replace(comparison, extra_bytes=memory)


def scikit_learn(objects: np.ndarray, queries: np.ndarray, metric: str) -> Callable[[], Any]:
    searched = NearestNeighbors(n_neighbors=K, algorithm="brute", metric=metric).fit(objects)
    return lambda: searched.kneighbors(queries)


def product(objects: np.ndarray, queries: np.ndarray) -> None:
    """What no exact search can do without; in blocks, so that memory is no matter."""
    for start in range(0, len(queries), 40):
        queries[start : start + 40] @ objects.T


def beside_faiss(n_objects: int, n_queries: int) -> Comparison:
    """faiss searches in single precision; shown without a goal."""
    peer("faiss", "omp_set_num_threads")(1)
    objects, queries = points(n_objects), points(n_queries, seed=1)
    unit = [rows / np.linalg.norm(rows, axis=1)[:, None] for rows in (objects, queries)]
    single = [np.ascontiguousarray(rows, dtype=np.float32) for rows in unit]
    index = peer("faiss", "IndexFlatIP")(N_DIMENSIONS)
    index.add(single[0])
    indexed = as_points(objects)
    return compare(
        f"{K} of {n_objects:,} for {n_queries:,}, beside faiss in single precision",
        lambda: nearest(queries, indexed, K, "cosine"),
        lambda: index.search(single[1], K),
        repeats=5,
    )


def growth(*sizes: int) -> Comparison:
    """Time over the number of objects for 200 queries."""
    queries = points(200, seed=1)
    works = {n: partial(nearest, queries, as_points(points(n)), K, "cosine") for n in sizes}
    return growing(f"{K} of all for 200", *seconds_by_size(works), at_most=1.1)


def one_by_one(n_objects: int) -> Comparison:
    """A person's query: one at a time, beside a product of the matrix and a vector."""
    objects, queries = points(n_objects), points(20, seed=1)
    indexed = as_points(objects)
    return compare(
        f"{K} of {n_objects:,}, twenty queries one by one, beside bare products",
        lambda: [nearest(queries[[row]], indexed, K, "cosine") for row in range(20)],
        lambda: [objects @ queries[row] for row in range(20)],
        at_most=1.5,
        repeats=5,
    )


def ranking(n_objects: int, n_queries: int) -> Comparison:
    """Ranks of all mates, without ever holding all scores."""
    objects, queries = points(n_objects), points(n_queries, seed=1)
    indexed, mates = as_points(objects), np.arange(len(queries))

    def work() -> Any:
        return mate_standing(queries, indexed, mates, "cosine")

    comparison = compare(
        f"ranks of {n_queries:,} mates among {n_objects:,}, beside the product alone",
        work,
        lambda: product(objects, queries),
        at_most=1.5,
        repeats=5,
    )
    return replace(comparison, extra_bytes=peak_bytes(work))


def keywords(n_documents: int) -> Comparison:
    """Ten words of each document, beside sorting all words of each in a loop."""
    documents = sparse.random_array(
        (n_documents, 30_000), density=0.003, rng=np.random.default_rng(0), format="csr"
    )
    return compare(
        f"10 keywords of {n_documents:,} documents, beside a loop over rows",
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


@cache
def points(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, N_DIMENSIONS))


def prepared(n_objects: int, n_queries: int) -> tuple[Any, np.ndarray]:
    return as_points(points(n_objects)), points(n_queries, seed=1)


def search(objects: Any, queries: np.ndarray) -> None:
    nearest(queries, objects, K, "cosine")


SHORT = (
    partial(searching, 20_000, 300),
    partial(beside_faiss, 20_000, 300),
    partial(growth, 10_000, 40_000),
    partial(one_by_one, 20_000),
    partial(keywords, 5_000),
)
ALL = (
    partial(searching, 100_000, 1_000),
    partial(beside_faiss, 100_000, 1_000),
    partial(growth, 25_000, 50_000, 100_000, 200_000),
    partial(one_by_one, 100_000),
    partial(ranking, 100_000, 1_000),
    partial(keywords, 50_000),
)
