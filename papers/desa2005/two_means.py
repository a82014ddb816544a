"""Two clusters of few objects: the optimum of k-means, and where a single start leads."""

from __future__ import annotations

from functools import cache

import numpy as np

from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray


def best_two_means(rows: FloatArray, seed: int = 0) -> IntArray:  # noqa: ARG001  (a Clusterer)
    """Return the optimum of 2-means over all partitions; the first object is in cluster 0.

    Examples
    --------
    >>> best_two_means(np.array([[0.0], [5.0], [0.5], [5.5]]))
    array([0, 1, 0, 1])
    """
    partitions = _partitions(len(rows))
    sizes = partitions.sum(axis=1)
    totals = partitions @ rows
    rest = rows.sum(axis=0) - totals
    explained = _squares(totals) / sizes + _squares(rest) / (len(rows) - sizes)
    return partitions[np.argmax(explained)]


def two_means_once(rows: FloatArray, seed: int) -> IntArray:
    """Return 2-means from a single start at two objects drawn at random, run to its fixed point."""
    centres = rows[generator(seed).choice(len(rows), size=2, replace=False)]
    labels = np.full(len(rows), -1)
    while True:
        nearest = np.argmin(((rows[:, None] - centres) ** 2).sum(axis=2), axis=1)
        if np.array_equal(nearest, labels) or len(np.unique(nearest)) < 2:
            return nearest ^ nearest[0]
        labels = nearest
        centres = np.stack([rows[labels == cluster].mean(axis=0) for cluster in (0, 1)])


@cache
def _partitions(n: int) -> IntArray:
    """All ways to split n objects in two, as rows of labels with a leading 0."""
    others = (np.arange(1, 2 ** (n - 1))[:, None] >> np.arange(n - 1)) & 1
    return np.insert(others, 0, 0, axis=1)


def _squares(vectors: FloatArray) -> FloatArray:
    return np.asarray((vectors**2).sum(axis=-1))
