"""A co-EM step on sparse counts against the bare sparse products that it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks._documents import N_WORDS, documents
from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews.cluster import Multinomial
from manyviews.cluster.co_em import Problem, Sweep, begin, pose, sweep

N_COMPONENTS = 20
SIZES = (20_000, 140_000, 1_000_000)


def run() -> Iterator[Comparison]:
    for dtype in (np.float64, np.float32):
        X = documents(20_000, dtype)
        name = f"EM step 20,000 × 20,000, {np.dtype(dtype).name}"
        yield compare(name, *step_and_products([X]), at_most=1.5, repeats=5)
    X = documents(20_000, np.float64)
    halves = [X[:, : N_WORDS // 2].tocsr(), X[:, N_WORDS // 2 :].tocsr()]
    yield compare("co-EM step, the same words in two views", *step_and_products(halves), repeats=5)
    yield from growth(np.float32)


def growth(dtype: Any) -> Iterator[Comparison]:
    """Time of a step at growing sizes, and the exponent of its growth."""
    rows = []
    for n in SIZES:
        step, products = step_and_products([documents(n, dtype)])
        name = f"EM step {n:,} documents, {np.dtype(dtype).name}"
        rows.append(compare(name, step, products, repeats=5))
        yield rows[-1]
    ours = growth_exponent(SIZES, [row.seconds for row in rows])
    bare = growth_exponent(SIZES, [row.reference_seconds for row in rows])
    name = f"growth exponent up to {SIZES[-1]:,} (ours, bare products)"
    yield Comparison(name, ours, bare, None, "at most 1.05", ours <= 1.05)


def step_and_products(matrices: list[Any]) -> tuple[Any, Any]:
    """One sweep with its objective, and the products X θ and Xᵀ R alone."""
    problem, state = started(matrices)
    parts = [
        (
            X,
            np.ascontiguousarray(own.log_probabilities.T, dtype=X.dtype),
            belief.posterior,
        )
        for X, own, belief in zip(matrices, state.parameters, state.beliefs, strict=True)
    ]
    return (
        lambda: sweep(problem, state, 1.0, shared_prior=True),
        lambda: [(X @ weights, X.T @ posterior) for X, weights, posterior in parts],
    )


def started(matrices: list[Any]) -> tuple[Problem, Sweep]:
    n = matrices[0].shape[0]
    everyone = np.ones(n, dtype=bool)
    problem = pose([(Multinomial(), X, everyone) for X in matrices], np.full(n, -1), N_COMPONENTS)
    rng = np.random.default_rng(1)
    start = rng.dirichlet(np.ones(N_COMPONENTS), size=n)
    return problem, begin(problem, [start] * len(matrices), 1.0)
