"""A co-EM step on sparse counts against the bare sparse products that it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._documents import N_WORDS, documents
from benchmarks._measure import Comparison, compare, growing
from manyviews.cluster import Multinomial
from manyviews.cluster.co_em import Problem, Sweep, begin, pose, sweep

N_COMPONENTS = 20


def em_step(n: int, kind: str, at_most: float | None = 1.5) -> Comparison:
    name = f"EM step {n:,} × {N_WORDS:,}, {kind}"
    return compare(name, *step_and_products([documents(n, kind)]), at_most=at_most, repeats=5)


def co_em_step(n: int) -> Comparison:
    X = documents(n, "float64")
    halves = [X[:, : N_WORDS // 2].tocsr(), X[:, N_WORDS // 2 :].tocsr()]
    name = f"co-EM step {n:,}, the same words in two views"
    return compare(name, *step_and_products(halves), repeats=5)


def growth(*sizes: int) -> Iterator[Comparison]:
    """Time of a step at growing sizes in single precision, and how it and its reference grow."""
    rows = [em_step(n, "float32", None) for n in sizes]
    yield from rows[1:]
    yield growing("EM step", sizes, [row.seconds for row in rows], at_most=1.05)
    yield growing("bare products", sizes, [row.reference_seconds for row in rows])


def step_and_products(matrices: list[Any]) -> tuple[Any, Any]:
    """One sweep with its objective, and the products X θ and Xᵀ R alone."""
    problem, state = started(matrices)
    parts = [
        (
            X,
            np.ascontiguousarray(own.log_probabilities.T, dtype=X.dtype),
            one.posterior,
        )
        for X, own, one in zip(matrices, state.parameters, state.posteriors, strict=True)
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


SHORT = (
    partial(em_step, 5_000, "float64"),
    partial(co_em_step, 5_000),
    partial(growth, 5_000, 40_000),
)
ALL = (
    partial(em_step, 20_000, "float64"),
    partial(em_step, 20_000, "float32"),
    partial(co_em_step, 20_000),
    partial(growth, 20_000, 140_000, 1_000_000),
)
