"""``HybridTree`` on two dense views beside scikit-learn's ``BisectingKMeans`` on both at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.cluster import BisectingKMeans

from benchmarks._measure import Comparison, compare, growing
from manyviews.cluster import HybridTree
from manyviews.maths import GeneralizedKL, SquaredEuclidean

LEAVES = 100
DIVERGENCES = {
    "squared": SquaredEuclidean(),
    "squared and KL": {"one": SquaredEuclidean(), "two": GeneralizedKL()},
}


def growth(kind: str, *sizes: int) -> Iterator[Comparison]:
    rows = [beside_bisecting(kind, n) for n in sizes]
    yield from rows
    yield growing(kind, sizes, [row.seconds for row in rows], at_most=1.1)


def beside_bisecting(kind: str, n_objects: int) -> Comparison:
    """Both to the same number of leaves; scikit-learn's runs one start of 2-means per node."""
    views = two_views(n_objects)
    wide = np.hstack(list(views.values()))
    return compare(
        f"{kind}, {n_objects:,} × (50 + 50), {LEAVES} leaves (beside BisectingKMeans)",
        lambda: tree(DIVERGENCES[kind]).fit(views),
        lambda: BisectingKMeans(LEAVES, random_state=0).fit(wide),
        repeats=5,
    )


def tree(divergence: object = None) -> HybridTree:
    """Views count alike and are not judged, which the reference does not do either."""
    return HybridTree(divergence, LEAVES, view_weights=None, max_leaves=LEAVES)


def full_tree(n_objects: int) -> Comparison:
    """Down to single objects, beside the same number of leaves from scikit-learn."""
    views = two_views(n_objects)
    wide = np.hstack(list(views.values()))
    return compare(
        f"squared, {n_objects:,} × (50 + 50), to single objects (beside BisectingKMeans)",
        lambda: HybridTree(view_weights=None).fit(views),
        lambda: BisectingKMeans(n_objects, random_state=0).fit(wide),
        repeats=5,
    )


def predicting(n_objects: int) -> Comparison:
    views = two_views(n_objects)
    wide = np.hstack(list(views.values()))
    fitted = tree().fit(views)
    bisecting = BisectingKMeans(LEAVES, random_state=0).fit(wide)
    return compare(
        f"predict {n_objects:,} × (50 + 50), {LEAVES} leaves (beside BisectingKMeans)",
        lambda: fitted.predict(views),
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


SHORT = (
    partial(growth, "squared", 500, 2_000),
    partial(beside_bisecting, "squared and KL", 1_000),
    partial(predicting, 2_000),
)
ALL = (
    *(partial(growth, kind, 5_000, 10_000, 20_000) for kind in DIVERGENCES),
    partial(full_tree, 5_000),
    partial(predicting, 20_000),
)
