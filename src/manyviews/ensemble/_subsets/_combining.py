"""One decision from what several classifiers say, some of them silent [@okun2005].

What members say of objects are *codes*, the positions of classes, objects × members, with -1
where a member is silent; or *shares* of the classes, members × objects × classes, NaN where it is.
"""

from __future__ import annotations

import numpy as np

from manyviews.maths import log_softmax
from manyviews.typing import FloatArray, IntArray

SILENT = -1
_NEVER = -2
"""Equal to nothing that is remembered, so that silence agrees with nobody."""
_BLOCK = 1_000_000
"""Pairs of label vectors that are compared at a time."""


def vote_counts(codes: IntArray, n_classes: int) -> FloatArray:
    """How many members vote for each class.

    Parameters
    ----------
    codes : array of int of shape (n_objects, n_members)
        The class that each member takes an object for, by its position; -1 where it is silent.
    n_classes : int
        How many classes there are.

    Returns
    -------
    array of shape (n_objects, n_classes)

    Examples
    --------
    >>> vote_counts(np.array([[0, 1, 1], [2, -1, -1]]), 3)
    array([[1., 2., 0.],
           [0., 0., 1.]])
    """
    counts = np.zeros((len(codes), n_classes + 1))  # the last column takes silence
    rows = np.arange(len(codes))
    for votes in codes.T:
        counts[rows, votes] += 1.0
    return counts[:, :-1]


def nearest_counts(
    remembered: IntArray, labels: IntArray, codes: IntArray | None, n_classes: int
) -> FloatArray:
    """Classes of the training objects whose label vectors are nearest by Hamming distance (CRV).

    [@lepisto2003]

    Parameters
    ----------
    remembered : array of int of shape (n_training, n_members)
        What the members say of each training object when they have not seen it.
    labels : array of int of shape (n_training,)
        The true classes of these.
    codes : array of int of shape (n_objects, n_members) or None
        What they say of the objects in question; None: the training objects themselves, none of
        which is a neighbour of itself.
    n_classes : int
        How many classes there are.

    Returns
    -------
    array of shape (n_objects, n_classes)
        How many of the nearest training objects are of each class.

    Examples
    --------
    >>> remembered = np.array([[0, 0, 1], [1, 1, 1], [1, 0, 1]])
    >>> labels = np.array([0, 1, 1])
    >>> nearest_counts(remembered, labels, np.array([[0, 0, 0], [1, 1, -1]]), 2)
    array([[1., 0.],
           [0., 1.]])
    """
    patterns, place = distinct_rows(remembered)
    counts = np.zeros((len(patterns), n_classes))
    np.add.at(counts, (place, labels), 1.0)
    if codes is None:
        return _of_the_others(patterns, counts, place, labels)
    asked, which = distinct_rows(codes)
    return _of_nearest(asked, patterns, counts)[which]


def distinct_rows(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Each row once, and where every row went.

    Examples
    --------
    >>> rows, place = distinct_rows(np.array([[1, 0], [0, 0], [1, 0]]))
    >>> rows[place]
    array([[1, 0],
           [0, 0],
           [1, 0]])
    """
    place = np.zeros(len(codes), dtype=np.intp)
    base = int(codes.max(initial=0)) + 2
    for column in codes.T:  # a number for each row, renumbered before it can overflow
        place = np.unique(place * base + (column + 1), return_inverse=True)[1]
    _, first = np.unique(place, return_index=True)
    return codes[first], place


def modified(shares: FloatArray, threshold: float) -> FloatArray:
    """Raise shares below a threshold to it and leave the others, against vetoes [@alkoot2002].

    Examples
    --------
    >>> modified(np.array([[[0.0, 1.0]]]), 0.1)
    array([[[0.1, 1. ]]])
    """
    return np.maximum(shares, threshold)  # NaN, which is silence, stays


def moderated(shares: FloatArray, n_observations: FloatArray) -> FloatArray:
    """Shares κ/k with a uniform prior over m classes: (κ + 1) / (k + m) [@alkoot2002moderating].

    Examples
    --------
    >>> moderated(np.array([[[0.0, 1.0]], [[0.5, 0.5]]]), np.array([1, 8])).round(2)
    array([[[0.33, 0.67]],
           [[0.5 , 0.5 ]]])
    """
    k = np.asarray(n_observations, dtype=np.float64)[:, None, None]
    return np.asarray((k * shares + 1.0) / (k + shares.shape[2]))  # (kappa + 1) / (k + m)


def product(shares: FloatArray) -> FloatArray:
    """Product over the members that speak, made to sum to one; zeros where none does.

    Examples
    --------
    >>> product(np.array([[[0.2, 0.8]], [[0.5, 0.5]], [[np.nan, np.nan]]]))
    array([[0.2, 0.8]])
    """
    speaks = np.isfinite(shares[:, :, 0])
    logs = np.log(np.where(speaks[:, :, None], shares, 1.0)).sum(axis=0)
    joint, _ = log_softmax(logs)
    return np.where(np.any(speaks, axis=0, keepdims=True).T, joint, 0.0)


def normalised(weights: FloatArray, prior: FloatArray) -> FloatArray:
    """Weights of the classes as shares, and the prior where there is no weight.

    Examples
    --------
    >>> normalised(np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([0.4, 0.6]))
    array([[0.75, 0.25],
           [0.4 , 0.6 ]])
    """
    total = weights.sum(axis=1, keepdims=True)
    return np.where(total > 0, weights / np.where(total > 0, total, 1.0), prior)


def _agreements(asked: IntArray, patterns: IntArray) -> IntArray:
    """In how many members two label vectors agree; silence agrees with nobody."""
    most = max(int(patterns.max(initial=0)), int(asked.max(initial=0)))
    narrow = np.int8 if most <= np.iinfo(np.int8).max else np.int32  # bytes compare faster
    mine = np.where(asked < 0, _NEVER, asked).T.astype(narrow, order="C")
    theirs = patterns.T.astype(narrow, order="C")
    total = np.zeros((len(asked), len(patterns)), dtype=np.min_scalar_type(len(mine)))
    for one, other in zip(mine, theirs, strict=True):
        total += (one[:, None] == other).view(np.uint8)
    return total


def _of_nearest(asked: IntArray, patterns: IntArray, counts: FloatArray) -> FloatArray:
    found = np.empty((len(asked), counts.shape[1]))
    step = max(1, _BLOCK // max(len(patterns), 1))
    for start in range(0, len(asked), step):
        agreements = _agreements(asked[start : start + step], patterns)
        nearest = agreements == agreements.max(axis=1, keepdims=True)
        found[start : start + step] = nearest.astype(counts.dtype) @ counts
    return found


def _of_the_others(
    patterns: IntArray, counts: FloatArray, place: IntArray, labels: IntArray
) -> FloatArray:
    """The same for training objects, each without itself."""
    found = np.empty_like(counts)
    alone = counts.sum(axis=1) == 1.0
    step = max(1, _BLOCK // len(patterns))
    for start in range(0, len(patterns), step):
        rows = np.arange(start, min(start + step, len(patterns)))
        agreements = _agreements(patterns[rows], patterns).astype(np.int32)
        single = np.flatnonzero(alone[rows])
        agreements[single, rows[single]] = -1
        nearest = agreements == agreements.max(axis=1, keepdims=True)
        found[rows] = nearest.astype(counts.dtype) @ counts
    others = found[place]
    shared = np.flatnonzero(~alone[place])  # who shares a vector stands among its own neighbours
    others[shared, labels[shared]] -= 1.0
    return others
