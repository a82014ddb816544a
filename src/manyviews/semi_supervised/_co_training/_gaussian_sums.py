"""Gaussian naive Bayes as sums that grow with every object, for the rounds of co-training."""

from __future__ import annotations

import numpy as np

from manyviews.semi_supervised._co_training._shares import shares_of
from manyviews.typing import FloatArray, IntArray


class GaussianSums:
    """What ``GaussianNB(var_smoothing=…)`` fitted on all objects so far would say of others.

    scikit-learn's own ``partial_fit`` smooths by the largest variance of the last part only, and
    checks its input anew for every part; these sums smooth by that of all objects, as ``fit``
    does.

    Examples
    --------
    >>> rows, codes = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> sums = GaussianSums(n_classes=2, var_smoothing=1e-9)
    >>> sums.add(rows[:3], codes[:3])
    >>> sums.add(rows[3:], codes[3:])
    >>> sums.probabilities(np.array([[0.5], [2.5]])).round(3)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """

    def __init__(self, n_classes: int, var_smoothing: float) -> None:
        self._var_smoothing = var_smoothing
        self._counts = np.zeros(n_classes)
        self._sums = self._squares = self._origin = np.empty(0)

    def add(self, rows: FloatArray, codes: IntArray) -> None:
        """Take up some labelled objects."""
        if not len(self._origin):
            self._origin = rows.mean(axis=0, dtype=np.float64)  # sums about it lose no digits
            self._sums, self._squares = np.zeros((2, len(self._counts), rows.shape[1]))
        members = (codes == np.arange(len(self._counts))[:, None]).astype(np.float64)
        moved = rows - self._origin
        self._counts += members.sum(axis=1)
        self._sums += members @ moved
        self._squares += members @ np.square(moved, out=moved)

    def probabilities(self, rows: FloatArray) -> FloatArray:
        """Probabilities of all classes; zero for those that no object had."""
        means, variances = self._moments()
        moved = rows - self._origin
        scores = np.full((len(self._counts), len(rows)), -np.inf)
        for code in np.flatnonzero(self._counts):
            gaps = moved - means[code]
            np.square(gaps, out=gaps)
            spread = np.log(2 * np.pi * variances[code]).sum()
            scores[code] = np.log(self._counts[code]) - 0.5 * (
                spread + gaps @ (1 / variances[code])
            )
        return shares_of(scores).T

    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and smoothed variance of each class, as far as it has objects."""
        total = self._counts.sum()
        overall = self._squares.sum(axis=0) / total - (self._sums.sum(axis=0) / total) ** 2
        counts = np.maximum(self._counts, 1.0)[:, None]
        means = self._sums / counts
        variances = np.maximum(self._squares / counts - means**2, 0.0)
        return means, variances + self._var_smoothing * overall.max()
