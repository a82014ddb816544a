"""Whether a view falls into clusters: k-means, with a silhouette that knows its chance level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.explain._thresholds import CLUSTER_COMPONENTS, CLUSTER_RANGE, SILHOUETTE_OBJECTS
from manyviews.typing import BoolArray, FloatArray, IntArray

_SECOND_LARGEST = 0.05
_RESTARTS = 3


@dataclass(frozen=True)
class Clusters:
    """Clusterings of one view, and the number of clusters that suits it best."""

    labels: dict[int, IntArray]
    """By number of clusters; -1 where the view is unobserved."""
    n_clusters: int
    silhouette: float
    chance: float
    """Best silhouette of a Gaussian cloud with the same variances."""
    largest: float
    """Share of the objects in the largest cluster."""


def find_clusters(scores: FloatArray, seen: BoolArray, seed: int) -> Clusters | None:
    """Cluster the observed objects for every number of clusters; None if there are too few.

    A number of clusters whose second largest cluster holds less than 5 % of the objects has only
    split off outliers, and is chosen only if all are like that.
    """
    points = scores[seen, :CLUSTER_COMPONENTS]
    distinct = len(np.unique(points.round(6), axis=0)) if points.size else 0
    sizes = [size for size in CLUSTER_RANGE if size < distinct]
    if not sizes:
        return None
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=points.shape) * points.std(axis=0)
    sample = rng.permutation(len(points))[:SILHOUETTE_OBJECTS]
    own = [_cluster(points, size, seed) for size in sizes]
    silhouettes = np.array([_silhouette(points, labels, sample) for labels in own])
    chance = max(_silhouette(cloud, _cluster(cloud, size, seed), sample) for size in sizes)
    balanced = np.array([_second_share(labels) >= _SECOND_LARGEST for labels in own])
    eligible = np.where(balanced, silhouettes, -np.inf) if balanced.any() else silhouettes
    best = int(eligible.argmax())
    return Clusters(
        {size: _spread(labels, seen) for size, labels in zip(sizes, own, strict=True)},
        sizes[best],
        float(silhouettes[best]),
        float(chance),
        float(np.bincount(own[best]).max() / len(points)),
    )


def cluster_agreement(first: Clusters, second: Clusters) -> float | None:
    """Adjusted Rand index of two views, at the number of clusters of either where they agree best.

    None where too few objects are in both.
    """
    from sklearn.metrics import adjusted_rand_score

    found = []
    for size in {first.n_clusters, second.n_clusters}:
        if size in first.labels and size in second.labels:
            one, other = first.labels[size], second.labels[size]
            both = (one >= 0) & (other >= 0)
            if both.sum() >= 2:
                found.append(float(adjusted_rand_score(one[both], other[both])))
    return max(found, default=None)


def _cluster(points: FloatArray, n_clusters: int, seed: int) -> IntArray:
    from sklearn.cluster import KMeans

    return KMeans(n_clusters, n_init=_RESTARTS, random_state=seed).fit_predict(points)


def _silhouette(points: FloatArray, labels: IntArray, sample: IntArray) -> float:
    from sklearn.metrics import silhouette_score

    found = len(np.unique(labels[sample]))
    if not 2 <= found < len(sample):
        return 0.0
    return float(silhouette_score(points[sample], labels[sample]))


def _second_share(labels: IntArray) -> float:
    return float(np.sort(np.bincount(labels))[-2] / len(labels))


def _spread(labels: IntArray, seen: BoolArray) -> IntArray:
    everywhere = np.full(len(seen), -1, dtype=np.intp)
    everywhere[seen] = labels
    return everywhere
