"""A fit of ``InformationBottleneck`` on sparse counts, its steps, and clusterers beside it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._measure import Comparison, compare, growing
from manyviews.cluster import CoEMMixture
from manyviews.explain import InformationBottleneck
from manyviews.explain.bottleneck_equations import minimize, pose
from manyviews.typing import FloatArray

N_CLUSTERS, BETA, N_STEPS = 10, 20.0, 5
WORDS_PER_DOCUMENT = 85


def topics(n: int, n_words: int) -> sparse.csr_array:
    """Counts of words by ten topics that share half of their words."""
    rng = np.random.default_rng(0)
    own = n_words // (2 * N_CLUSTERS)
    topic = np.arange(n) % N_CLUSTERS
    shape = n, WORDS_PER_DOCUMENT
    common = rng.integers(N_CLUSTERS * own, n_words, shape)
    words = np.where(
        rng.random(shape) < 0.5, topic[:, None] * own + rng.integers(0, own, shape), common
    )
    rows = np.repeat(np.arange(n), WORDS_PER_DOCUMENT)
    found = sparse.csr_array((np.ones(words.size), (rows, words.ravel())), shape=(n, n_words))
    found.sum_duplicates()
    return found


def beside_dense_steps(n: int, n_words: int) -> Comparison:
    """Five steps on sparse rows, and the equations as they are printed on dense ones."""
    counts = topics(n, n_words)
    rows = sparse.csr_array(counts / WORDS_PER_DOCUMENT)
    dense, p_u = rows.toarray(), np.full(n, 1.0 / n)
    start = np.random.default_rng(1).dirichlet(np.ones(N_CLUSTERS), n)
    problem = pose(p_u, rows)
    return compare(
        f"{N_STEPS} steps, {n:,} × {n_words:,}, beside dense",
        lambda: minimize(problem, start, BETA, max_iter=N_STEPS, tol=0.0),
        lambda: printed_equations(p_u, dense, start),
        at_most=0.2,
        repeats=3,
    )


def printed_equations(p_u: FloatArray, p_v: FloatArray, membership: FloatArray) -> FloatArray:
    """Section 3, and F after each step, as anyone writes them down."""
    for _ in range(N_STEPS):
        p_uc = p_u[:, None] * membership
        p_c = p_uc.sum(axis=0)
        p_v_given_c = (p_uc / p_c).T @ p_v
        scores = np.log(p_c) + BETA * p_v @ np.log(p_v_given_c + 1e-300).T
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        membership = scores / scores.sum(axis=1, keepdims=True)
        p_uc = p_u[:, None] * membership
        p_cv = p_uc.T @ p_v
        independent = np.outer(p_uc.sum(axis=0), p_cv.sum(axis=0))
        float(np.sum(p_cv * np.log((p_cv + 1e-300) / (independent + 1e-300))))
        float(np.sum(p_uc * np.log(membership / p_uc.sum(axis=0) + 1e-300)))
    return membership


def beside_co_em(n: int, n_words: int) -> Comparison:
    counts = topics(n, n_words)
    return compare(
        f"fit {n:,} × {n_words:,}, beside CoEMMixture",
        lambda: bottleneck_fit(counts),
        lambda: CoEMMixture(N_CLUSTERS, n_init=10, random_state=0).fit({"words": counts}),
        repeats=3,
    )


def bottleneck_fit(counts: Any) -> InformationBottleneck:
    return InformationBottleneck(N_CLUSTERS, random_state=0).fit({"words": counts})


def growth(*sizes: int) -> Iterator[Comparison]:
    rows = [beside_co_em(n, 5_000) for n in sizes]
    yield from rows
    yield growing("bottleneck", sizes, [row.seconds for row in rows], at_most=1.3)


SHORT = (partial(beside_dense_steps, 4_000, 5_000), partial(beside_co_em, 2_000, 5_000))
ALL = (partial(beside_dense_steps, 20_000, 5_000), partial(growth, 5_000, 20_000))
