"""How sure each view is of each class, and all of them together [@kriegel2005]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyviews.typing import BoolArray, FloatArray, IntArray

_SURE_OF_NOTHING = 1e-9
"""Weights that sum to less than this are rounding."""


def class_confidences(
    distances: FloatArray, codes: IntArray, n_classes: int, softening: float
) -> FloatArray:
    """Share of each class among the neighbours of each object, the nearer the heavier.

    A neighbour at distance ``ρ`` weighs ``1/(ρ² + softening²)``; without any at a finite distance
    all shares are zero.

    Examples
    --------
    >>> class_confidences(np.array([[1.0, 2.0]]), np.array([[0, 1]]), 2, softening=0.0)
    array([[0.8, 0.2]])
    """
    n_objects = len(distances)
    unit = max(1.0, softening)  # shares are the same in any, and squares stay finite
    squares = (distances / unit) ** 2 + (softening / unit) ** 2
    votes = 1.0 / np.maximum(squares, np.finfo(np.float64).tiny ** 0.5)
    cells = np.arange(n_objects)[:, None] * n_classes + codes
    sums = np.bincount(cells.ravel(), weights=votes.ravel(), minlength=n_objects * n_classes)
    shares = sums.reshape(n_objects, n_classes)
    totals = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, totals, out=shares, where=totals > 0)


def sureness(confidences: FloatArray) -> FloatArray:
    """One minus the entropy of each row, its logarithm taken to the base of the classes.

    Examples
    --------
    >>> sureness(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([1., 0.])
    """
    logarithms = np.log(np.where(confidences > 0, confidences, 1.0))
    entropies = -np.einsum("ij,ij->i", confidences, logarithms) / np.log(confidences.shape[1])
    return np.clip(1.0 - entropies, 0.0, 1.0)


def combined(
    confidences: Sequence[FloatArray], weights: Sequence[FloatArray], otherwise: FloatArray
) -> FloatArray:
    """Weighted mean of the views' confidences; ``otherwise`` where no view says anything.

    ``weights`` hold the candidates for the weights (objects × views), of which each object takes
    the first that are not all zero.
    """
    chosen = np.zeros_like(weights[0])
    for candidate in weights:
        idle = chosen.sum(axis=1) <= _SURE_OF_NOTHING
        chosen[idle] = candidate[idle]
    total = np.zeros_like(confidences[0])
    for confidence, weight in zip(confidences, chosen.T, strict=True):
        total += weight[:, None] * confidence
    sums = chosen.sum(axis=1)
    silent = sums == 0
    total[silent], sums[silent] = otherwise, 1.0
    return total / sums[:, None]


def candidate_weights(
    confidences: Sequence[FloatArray], shown: BoolArray, view_weights: FloatArray, weighting: str
) -> list[FloatArray]:
    """Weights of the views for each object: by sureness, else as given, else equal."""
    given = shown * view_weights
    plain = [given, shown.astype(np.float64)]
    if weighting == "uniform":
        return plain
    return [given * np.column_stack([sureness(each) for each in confidences]), *plain]
