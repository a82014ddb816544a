"""Logistic regression that goes on from its last solution, for the rounds of co-training."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from manyviews.typing import FloatArray, IntArray

_MOST_STEPS = 100
_STEP_SIZES = 0.5 ** np.arange(30)
_ENOUGH = 1e-4
_ROUNDING = 1e-14
_LEAST_CURVATURE = 1e-10


class NewtonLogistic:
    """What ``LogisticRegression(C=…)`` of two classes would say, fitted on all objects so far.

    Newton's steps on the same penalised loss from the weights of the round before: few objects
    more move them little, and one or two steps over the rows do.

    Examples
    --------
    >>> rows, codes = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> model = NewtonLogistic(n_features=1, C=1.0, fit_intercept=True, tol=1e-8)
    >>> model.add(rows, codes)
    >>> model.probabilities(np.array([[2.5], [4.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.189, 0.811]])
    """

    def __init__(self, n_features: int, C: float, *, fit_intercept: bool, tol: float) -> None:
        self._intercept = fit_intercept
        self._tol = tol
        self._penalty = np.full(n_features + 1, 1 / C)
        self._penalty[-1] = 0.0 if fit_intercept else 1.0
        self._weights = np.zeros(n_features + 1)
        self._rows = np.empty((0, n_features + 1))
        self._targets = np.empty(0)
        self._n_rows = 0
        self._stale = False

    def add(self, rows: FloatArray, codes: IntArray) -> None:
        """Take up some labelled objects."""
        n_rows = self._n_rows + len(rows)
        if n_rows > len(self._rows):
            grown = np.empty((2 * n_rows, self._rows.shape[1]))
            grown[: self._n_rows] = self._rows[: self._n_rows]
            self._rows = grown
            self._targets = np.concatenate([self._targets[: self._n_rows], np.empty(2 * n_rows)])
        new = slice(self._n_rows, n_rows)
        self._rows[new] = self._with_constant(rows)
        self._targets[new] = codes
        self._n_rows = n_rows
        self._stale = True

    def probabilities(self, rows: FloatArray) -> FloatArray:
        """Probabilities of both classes."""
        if self._stale:
            self._solve()
        second = expit(rows @ self._weights[:-1] + self._weights[-1])
        return np.column_stack([1 - second, second])

    def _with_constant(self, rows: FloatArray) -> FloatArray:
        return np.column_stack([rows, np.full(len(rows), float(self._intercept))])

    def _solve(self) -> None:
        """Newton's steps, each halved until the loss falls."""
        weights = self._weights
        loss, shares = self._loss(weights)
        for _ in range(_MOST_STEPS):
            slope = self._slope(weights, shares)
            if np.abs(slope).max() <= self._tol:
                break
            step = np.linalg.solve(self._curvature(shares), slope)
            before, promised = loss, float(slope @ step)
            for size in _STEP_SIZES:
                loss, shares = self._loss(weights - size * step)
                if loss <= before * (1 + _ROUNDING) - _ENOUGH * size * promised:
                    break
            weights = weights - size * step
        self._weights, self._stale = weights, False

    def _loss(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The mean penalised loss, and the probability of the second class for all objects."""
        rows, targets = self._rows[: self._n_rows], self._targets[: self._n_rows]
        odds = rows @ weights
        total = np.logaddexp(0.0, odds).sum() - odds @ targets
        return (total + 0.5 * self._penalty @ weights**2) / self._n_rows, expit(odds)

    def _slope(self, weights: FloatArray, shares: FloatArray) -> FloatArray:
        rows, targets = self._rows[: self._n_rows], self._targets[: self._n_rows]
        return np.asarray(((shares - targets) @ rows + self._penalty * weights) / self._n_rows)

    def _curvature(self, shares: FloatArray) -> FloatArray:
        rows = self._rows[: self._n_rows]
        curved = rows.T @ (rows * (shares * (1 - shares))[:, None])
        curved += np.diag(self._penalty + _LEAST_CURVATURE * self._n_rows)
        return np.asarray(curved / self._n_rows)
