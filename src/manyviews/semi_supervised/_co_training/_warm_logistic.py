"""Logistic regression that goes on from its last solution, for the rounds of co-training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manyviews.semi_supervised._co_training._curvature_memory import CurvatureMemory
from manyviews.semi_supervised._co_training._logistic_loss import (
    Total,
    class_shares,
    curvature_at,
    curvature_diagonal_at,
    total_at,
)
from manyviews.semi_supervised._co_training._rows_so_far import RowsSoFar
from manyviews.semi_supervised._co_training._shares import class_scores
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_VERY_FEW = 32
_FEW = 700
"""Weights whose whole curvature is inverted; ten classes of 64 features are solved three times as
quickly by it as by its diagonal."""
_STALE = 2.0
_STEP_SIZES = 0.5 ** np.arange(30)
_ENOUGH = 1e-4
_ROUNDING = 1e-14
_LEAST_CURVATURE = 1e-10


@dataclass(frozen=True)
class Point:
    """Weights, and what their loss is like."""

    weights: FloatArray
    total: Total
    """Over all objects, without the penalty."""
    loss: float
    """The mean, with the penalty."""
    slope: FloatArray


class WarmLogistic:
    """What ``LogisticRegression(C=…)`` would say, fitted on all objects so far.

    Its penalised loss is a sum over objects, so that new ones add their part to the slope where
    the weights are, and a few quasi-Newton steps from there over all rows bring it back to zero.
    The curvature is that of the rows, all of it for few weights and its diagonal for many. It is
    computed for every step if weights are very few, else when the rows have doubled, and corrected
    by the steps since.

    Examples
    --------
    >>> rows, codes = np.array([[0.0], [1.0], [4.0], [5.0]]), np.array([0, 0, 1, 1])
    >>> model = WarmLogistic(n_classes=2, C=1.0, fit_intercept=True, tol=1e-8)
    >>> model.add(rows, codes)
    >>> model.probabilities(np.array([[2.5], [4.0]])).round(3)
    array([[0.5  , 0.5  ],
           [0.189, 0.811]])
    """

    def __init__(
        self, n_classes: int, C: float, *, fit_intercept: bool, tol: float, max_iter: int = 100
    ) -> None:
        self._n_classes = n_classes
        self._ridge = 1 / C
        self._fit_intercept = fit_intercept
        self._tol = tol
        self._max_iter = max_iter
        self._store = RowsSoFar(constant=float(fit_intercept))
        self._codes: IntArray = np.empty(0, dtype=np.intp)
        self._targets: IntArray = self._codes
        self._met: IntArray = self._codes
        self._stale = False

    def add(self, rows: Matrix, codes: IntArray) -> None:
        """Take up some labelled objects."""
        rows = self._store.add(rows)
        self._codes = np.concatenate([self._codes, codes])
        met = np.union1d(self._met, codes)
        if len(met) > len(self._met):
            self._start(met)
        else:
            targets = np.searchsorted(met, codes)
            self._targets = np.concatenate([self._targets, targets])
            self._total += total_at(self._weights, rows, targets)
        self._stale = True

    def probabilities(self, rows: Matrix) -> FloatArray:
        """Probabilities of all classes; zero for those that no object had."""
        if self._stale:
            self._solve()
        scores = class_scores(self._weights[:, :-1], rows)
        scores += self._weights[:, -1:]
        found = class_shares(scores)
        if len(found) == 1:
            found = np.concatenate([1 - found, found])
        shares = np.zeros((self._n_classes, rows.shape[0]))
        shares[self._met] = found
        return shares.T

    def _start(self, met: IntArray) -> None:
        """Begin at zero: with a class more it is another function."""
        self._met = met
        self._targets = np.searchsorted(met, self._codes)
        width = self._store.rows.shape[1]
        self._penalty = np.full(width, self._ridge)
        self._penalty[-1] = 0.0 if self._fit_intercept else 1.0
        self._weights: FloatArray = np.zeros((1 if len(met) <= 2 else len(met), width))
        self._total = total_at(self._weights, self._store.rows, self._targets)
        self._n_remembered = 0
        self._newton = self._weights.size <= _VERY_FEW and not is_sparse(self._store.rows)

    def _solve(self) -> None:
        """Quasi-Newton steps until the slope is level."""
        here = self._point(self._weights, self._total)
        for _ in range(self._max_iter):
            if np.abs(here.slope).max() <= self._tol:
                break
            if self._newton or len(self._store) >= _STALE * self._n_remembered:
                self._memory = CurvatureMemory(self._inverse_curvature(here.weights))
                self._n_remembered = len(self._store)
            step = self._memory.step_against(here.slope.ravel()).reshape(here.slope.shape)
            there = self._search(here, step)
            if there is None:  # within rounding, nothing is lower
                break
            if not self._newton:
                self._memory.remember(
                    (there.weights - here.weights).ravel(), (there.slope - here.slope).ravel()
                )
            here = there
        self._weights, self._total, self._stale = here.weights, here.total, False

    def _search(self, here: Point, step: FloatArray) -> Point | None:
        """Halve a step until the loss falls."""
        promised = float((here.slope * step).sum())
        for size in _STEP_SIZES:
            weights = here.weights + size * step
            there = self._point(weights, total_at(weights, self._store.rows, self._targets))
            if there.loss <= here.loss * (1 + _ROUNDING) + _ENOUGH * size * promised:
                return there
        return None

    def _point(self, weights: FloatArray, total: Total) -> Point:
        pull = self._penalty * weights
        loss = total.loss + 0.5 * float((pull * weights).sum())
        n_rows = len(self._store)
        return Point(weights, total, loss / n_rows, (total.slope + pull) / n_rows)

    def _inverse_curvature(self, weights: FloatArray) -> Callable[[FloatArray], FloatArray]:
        """Divide by the curvature at the weights: all of it for few, its diagonal for many."""
        rows, n_rows = self._store.rows, len(self._store)
        least = self._penalty + _LEAST_CURVATURE * n_rows
        if is_sparse(rows) or weights.size > _FEW:
            diagonal = ((curvature_diagonal_at(weights, rows) + least) / n_rows).ravel()
            return lambda slope: slope / diagonal
        curved = curvature_at(weights, rows)
        curved += np.diag(np.tile(least, len(weights)))
        if len(weights) > 1:  # the same in all intercepts changes nothing, which has no inverse
            ends = np.arange(weights.size)[weights.shape[1] - 1 :: weights.shape[1]]
            curved[np.ix_(ends, ends)] += n_rows
        inverse = np.linalg.inv(curved / n_rows)
        return lambda slope: inverse @ slope
