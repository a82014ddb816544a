"""Probabilities from scores: one temperature, by likelihood on objects held out [@guo2017]."""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax, softmax

from manyviews.typing import FloatArray, IntArray

SHARPNESS_GRID = 2.0 ** (np.arange(-40, 41) / 4)
"""What is tried: from 1/1000 to 1000, beyond which classes are equally probable or certain, margins
of an SVM being about one. Steps are coarse, a fifth each, because the scores of an SVM without a
free support vector have a constant that hangs on last digits; the probabilities must not."""


def class_scores(decisions: FloatArray) -> FloatArray:
    """Return a score for every class; of two classes with one score, half of it and its negative.

    Examples
    --------
    >>> class_scores(np.array([2.0, -1.0]))
    array([[-1. ,  1. ],
           [ 0.5, -0.5]])
    """
    if decisions.ndim == 2:
        return decisions
    return np.column_stack([-decisions, decisions]) / 2


def probabilities(decisions: FloatArray, sharpness: float) -> FloatArray:
    """Softmax of the scores times ``sharpness``, one over the temperature.

    The most probable class is the one with the largest score, so that answers stay as they are.

    Examples
    --------
    >>> probabilities(np.array([0.0, 2.0]), 1.0).round(2)
    array([[0.5 , 0.5 ],
           [0.12, 0.88]])
    """
    return np.asarray(softmax(sharpness * class_scores(decisions), axis=1))


def fit_sharpness(scores: FloatArray, codes: IntArray) -> float:
    """Return one over the temperature, of a grid, under which held-out classes are most likely.

    ``scores`` are objects × classes; −inf for a class that a fold did not know, and an object of
    such a class takes no part. As with Platt [@platt1999], targets stop short of certainty, by one
    object in n + 2, so that scores without an error do not make an answer certain. It is 1 without
    objects.

    Examples
    --------
    >>> scores = class_scores(np.array([-2.0, -1.0, 1.0, 2.0] * 10))
    >>> right = fit_sharpness(scores, np.array([0, 0, 1, 1] * 10))
    >>> half = fit_sharpness(scores, np.array([0, 1, 0, 1] * 10))
    >>> bool(right > 1.0 > half)
    True
    """
    told = np.isfinite(scores[np.arange(len(codes)), codes])
    scores, codes = scores[told], codes[told]
    if not len(codes):
        return 1.0
    known = np.isfinite(scores)
    true = np.arange(scores.shape[1]) == codes[:, None]
    others = known & ~true
    doubt = 1.0 / (len(codes) + 2.0)
    targets = np.where(true, 1.0 - doubt, others * doubt / others.sum(axis=1, keepdims=True))

    losses = [
        -np.sum(targets * np.where(known, log_softmax(sharpness * scores, axis=1), 0.0))
        for sharpness in SHARPNESS_GRID
    ]
    return float(SHARPNESS_GRID[int(np.argmin(losses))])
