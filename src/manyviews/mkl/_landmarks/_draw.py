"""Landmarks drawn among the training objects, equally many of each class."""

from __future__ import annotations

import numbers

import numpy as np

from manyviews.typing import IntArray


def draw_landmarks(codes: IntArray, n_landmarks: int, rng: np.random.Generator) -> IntArray:
    """Draw objects, equally many of each class; return their numbers in order.

    Examples
    --------
    >>> codes = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    >>> chosen = draw_landmarks(codes, 4, np.random.default_rng(0))
    >>> codes[chosen]
    array([0, 0, 1, 1])
    """
    shares = class_shares(np.bincount(codes), n_landmarks)
    drawn = [
        rng.permutation(np.flatnonzero(codes == code))[:share] for code, share in enumerate(shares)
    ]
    return np.sort(np.concatenate(drawn))


def class_shares(counts: IntArray, n_landmarks: int) -> IntArray:
    """How many objects each class gives: the same number, but no class more than it has.

    What small classes lack is shared by the others, as is what cannot be divided. Each class
    gives at least one.

    Examples
    --------
    >>> class_shares(np.array([10, 2, 10]), 9)
    array([3, 2, 4])
    """
    shares = np.zeros(len(counts), dtype=np.intp)
    left = max(n_landmarks, len(counts))
    for place, code in enumerate(np.argsort(counts, kind="stable")):
        shares[code] = min(counts[code], left // (len(counts) - place))
        left -= shares[code]
    return shares


def read_n_landmarks(value: str | float, n_objects: int) -> int:
    """The number of landmarks that a user meant: "third", a share, or a number.

    Examples
    --------
    >>> read_n_landmarks("third", 10), read_n_landmarks(0.5, 10), read_n_landmarks(20, 10)
    (3, 5, 10)
    """
    if isinstance(value, str):
        return n_objects // 3
    if isinstance(value, numbers.Integral):
        return min(int(value), n_objects)
    return max(1, int(value * n_objects))
