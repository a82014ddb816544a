"""Seeds that lie far apart among directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from manyviews.maths import (
    Directions,
    cosines,
    dense_rows,
)
from manyviews.typing import FloatArray, IntArray, Matrix


def seed_scores(views: Directions, n_seeds: int, rng: np.random.Generator) -> FloatArray:
    """Likeness of all objects to seeds that greedy k-means++ draws far apart [@arthur2007]."""
    n_trials = 2 + int(np.log(n_seeds))
    shown = views.shown.astype(np.float32)
    found = [likeness(views.units, shown, rng.integers(len(shown), size=1))[0]]
    gaps = np.maximum(1.0 - found[0], 0.0)  # half the squared chord, which k-means++ draws by
    for _ in range(1, n_seeds):
        trials = likeness(views.units, shown, _draw(gaps, n_trials, rng))
        closer = np.minimum(1.0 - trials, gaps)
        np.maximum(closer, 0.0, out=closer)
        chosen = int(closer.sum(axis=1).argmin())
        gaps = closer[chosen]
        found.append(trials[chosen])
    return np.stack(found)


def likeness(units: Sequence[Matrix], shown: FloatArray, rows: IntArray) -> FloatArray:
    """Mean cosine of some objects with all, over the views that both show; 0 where there is none.

    Objects that share no view are taken to be as unlike as two that share no word.
    """
    total = reduce(np.add, (cosines(unit, dense_rows(unit[rows])) for unit in units))
    shared = shown[rows] @ shown.T
    total /= np.maximum(shared, 1.0, out=shared)
    return total


def _draw(weights: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
    """Draw by weight; evenly if all weights are zero."""
    cumulated = np.cumsum(weights, dtype=np.float64)
    if cumulated[-1] <= 0:
        return rng.integers(len(weights), size=size)
    places = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
    return np.minimum(places, len(weights) - 1)
