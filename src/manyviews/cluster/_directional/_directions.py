"""Rows as directions from zero or from their mean, and seeds that lie far apart among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from manyviews.data import Views, per_view
from manyviews.maths import (
    Directions,
    cosines,
    dense_rows,
    dense_within_memory,
    mostly_zeros,
    unit_length,
)
from manyviews.typing import FloatArray, IntArray, Matrix

ROUNDING = 64
"""Rounding errors, of a mean's length, within which a row is that mean and has no direction."""


def feature_means(views: Views, center: Any) -> dict[str, FloatArray]:
    """Mean of the observed rows of each view that is to be centred.

    Examples
    --------
    >>> views = Views({"sizes": [[1.0, 2.0], [3.0, 4.0]], "words": [[0, 0, 0, 1], [0, 2, 0, 0]]})
    >>> feature_means(views, "auto")
    {'sizes': array([2., 3.])}
    """
    means = {}
    for name, wanted in per_view(center, views.names, parameter="center").items():
        rows = views[name][np.flatnonzero(views.observed_in(name))]
        if rows.shape[0] and (not mostly_zeros(rows) if wanted == "auto" else wanted):
            means[name] = np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel()
    return means


def moved_rows(matrix: Matrix, mean: FloatArray | None) -> Matrix:
    """Rows less a mean, if there is one; what is sparse is made dense by that."""
    if mean is None:
        return matrix
    dense = dense_within_memory(matrix, "a view less its mean", remedy="set center=False for it")
    moved = dense - mean.astype(dense.dtype)
    lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
    moved[lengths <= ROUNDING * np.finfo(moved.dtype).eps * np.linalg.norm(mean)] = 0.0
    return moved


def mean_lengths(views: Directions) -> FloatArray:
    """Length of the mean direction of each view: 1 where all point the same way, 0 where all ways.

    Examples
    --------
    >>> units = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0], [1.0]])
    >>> mean_lengths(Directions(units, np.ones((2, 2), dtype=bool), ())).round(3)
    array([0.707, 1.   ])
    """
    sums = [np.linalg.norm(np.asarray(unit.sum(axis=0, dtype=np.float64))) for unit in views.units]
    return np.array(sums) / np.maximum(views.shown.sum(axis=0), 1)


def in_order(views: Directions, order: IntArray) -> Directions:
    """The same directions, the views in another order."""
    units, alone = ([own[view] for view in order] for own in (views.units, views.alone))
    return Directions(tuple(units), views.shown[:, order], tuple(alone))


def weighted_directions(views: Directions, weights: FloatArray) -> Directions:
    """Directions as long as their view weighs, so that cosines with unit centres are weighted."""
    if (weights == 1).all():
        return views
    pairs = zip(views.units, weights, strict=True)
    return replace(views, units=tuple(unit * unit.dtype.type(weight) for unit, weight in pairs))


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
    total = reduce(np.add, (cosines(unit, unit_length(dense_rows(unit[rows]))) for unit in units))
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
