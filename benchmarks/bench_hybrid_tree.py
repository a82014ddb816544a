"""``HybridTree`` on two dense views beside scikit-learn's ``BisectingKMeans`` on both at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from sklearn.cluster import BisectingKMeans

from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews.cluster import HybridTree
from manyviews.maths import GeneralizedKL, SquaredEuclidean

SIZES = (5_000, 10_000, 20_000)
LEAVES = 100
DIVERGENCES = {
    "squared": SquaredEuclidean(),
    "squared and KL": {"one": SquaredEuclidean(), "two": GeneralizedKL()},
}


def run() -> Iterator[Comparison]:
    for kind, divergence in DIVERGENCES.items():
        found = [beside_bisecting(kind, divergence, n) for n in SIZES]
        yield from found
        yield growth(kind, found)
    yield full_tree(5_000)
    yield predicting(SIZES[-1])


def beside_bisecting(kind: str, divergence: object, n_objects: int) -> Comparison:
    """Both to the same number of leaves; scikit-learn's runs one start of 2-means per node."""
    views = two_views(n_objects)
    wide = np.hstack(list(views.values()))
    return compare(
        f"{kind}, {n_objects:,} × (50 + 50), {LEAVES} leaves (beside BisectingKMeans)",
        lambda: HybridTree(divergence, LEAVES, max_leaves=LEAVES).fit(views),
        lambda: BisectingKMeans(LEAVES, random_state=0).fit(wide),
        repeats=5,
    )


def growth(kind: str, found: list[Comparison]) -> Comparison:
    """The growth exponent from the smallest to the largest size."""
    exponent = growth_exponent((SIZES[0], SIZES[-1]), (found[0].seconds, found[-1].seconds))
    return replace(
        found[-1],
        name=f"{kind}: growth exponent {exponent:.2f} from {SIZES[0]:,} to {SIZES[-1]:,}",
        extra_bytes=None,
        goal="exponent at most 1.1",
        met=exponent <= 1.1,
    )


def full_tree(n_objects: int) -> Comparison:
    """Down to single objects, beside the same number of leaves from scikit-learn."""
    views = two_views(n_objects)
    wide = np.hstack(list(views.values()))
    return compare(
        f"squared, {n_objects:,} × (50 + 50), to single objects (beside BisectingKMeans)",
        lambda: HybridTree().fit(views),
        lambda: BisectingKMeans(n_objects, random_state=0).fit(wide),
        repeats=5,
    )


def predicting(n_objects: int) -> Comparison:
    views = two_views(n_objects)
    wide = np.hstack(list(views.values()))
    tree = HybridTree(n_clusters=LEAVES, max_leaves=LEAVES).fit(views)
    bisecting = BisectingKMeans(LEAVES, random_state=0).fit(wide)
    return compare(
        f"predict {n_objects:,} × (50 + 50), {LEAVES} leaves (beside BisectingKMeans)",
        lambda: tree.predict(views),
        lambda: bisecting.predict(wide),
        repeats=5,
    )


def two_views(n_objects: int) -> dict[str, np.ndarray]:
    """Twenty groups in each view that do not depend on one another; rows of the second sum to 1."""
    rng = np.random.default_rng(0)
    one = 2 * rng.normal(size=(20, 50))[rng.integers(20, size=n_objects)]
    two = rng.normal(size=(20, 50))[rng.integers(20, size=n_objects)]
    raw = np.exp(two + rng.normal(size=two.shape) / 2)
    return {"one": one + rng.normal(size=one.shape), "two": raw / raw.sum(axis=1, keepdims=True)}
