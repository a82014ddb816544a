"""Ward's method under divergences against ``fastcluster``'s for squared distances."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews.cluster import BregmanWard, GeneralizedKL
from manyviews.typing import FloatArray

N_OBJECTS = 20_000
N_FEATURES = 50
N_GROUPS = 30
SMALLER = 5_000


def run() -> Iterator[Comparison]:
    for n_objects, n_groups in ((N_OBJECTS, N_GROUPS), (SMALLER, 1)):  # one group: little to prune
        kind = f"{n_objects:,} in {n_groups} groups"
        points, counts = gaussians(n_objects, n_groups), multinomials(n_objects, n_groups)
        squared, entropy = BregmanWard(), BregmanWard(GeneralizedKL())
        comparison = beside_fastcluster(f"squared Euclidean, {kind}", squared, points, at_most=2)
        yield growing(comparison, squared, points)
        comparison = beside_fastcluster(f"KL, {kind}", entropy, counts, at_most=10)
        yield growing(comparison, entropy, counts)


def beside_fastcluster(
    name: str, model: BregmanWard, X: FloatArray, *, at_most: float
) -> Comparison:
    """Compare with the same rows clustered by squared distances."""
    import fastcluster

    return compare(
        name,
        lambda: model.fit(X),
        lambda: fastcluster.linkage_vector(X, method="ward"),
        at_most=at_most,
        repeats=5,
    )


def growing(comparison: Comparison, model: BregmanWard, X: FloatArray) -> Comparison:
    """Name the growth exponent from a quarter of the rows, and hold the memory against a limit."""
    start = time.process_time()
    model.fit(X[: len(X) // 4])
    seconds = time.process_time() - start, comparison.seconds
    exponent = growth_exponent([len(X) // 4, len(X)], seconds)
    most = 4 * len(X) * (len(X) - 1) // 2
    return replace(
        comparison,
        name=f"{comparison.name}, exponent {exponent:.2f}",
        goal=f"{comparison.goal}, 4 bytes per pair",
        met=comparison.met and (comparison.extra_bytes or 0) <= most,
    )


def gaussians(n_objects: int, n_groups: int) -> FloatArray:
    rng = np.random.default_rng(0)
    centers = 2 * rng.standard_normal((n_groups, N_FEATURES))
    groups = rng.integers(n_groups, size=n_objects)
    return centers[groups] + rng.standard_normal((n_objects, N_FEATURES))


def multinomials(n_objects: int, n_groups: int) -> FloatArray:
    """Documents of 300 words, as shares."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(N_FEATURES, 0.5), size=n_groups)
    return rng.multinomial(300, topics[rng.integers(n_groups, size=n_objects)]) / 300
