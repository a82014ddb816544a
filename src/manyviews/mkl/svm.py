"""Support vector machines of all classes on one kernel matrix, without the ceremony of estimators.

scikit-learn's SVC takes a millisecond around each fit to check what it is given; with a hundred
classes, kernels by the dozen and folds that was nine tenths of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from manyviews.typing import FloatArray, IntArray

__all__ = ["Machines", "class_signs", "fit_svms"]


LEAST_CURVATURE = 1e-12
"""Curvature that a pair of equal objects counts as, so that a step is finite: as in LIBSVM."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def minimise(  # pragma: no cover (compiled)
    gram: FloatArray,
    signs: FloatArray,
    C: float,
    tol: float,
    max_iter: int,
    coefficients: FloatArray,
    residuals: FloatArray,
) -> int:
    """Solve the dual of one SVM in place; return how many steps it took.

    ``coefficients`` are ``β = yα``, feasible at the start, and ``residuals`` are ``y − Kβ``: the
    gradient of the dual along β. It ends where the largest residual that may rise is within
    ``tol`` of the smallest that may fall, or after ``max_iter`` steps.
    """
    n_objects = len(signs)
    for step in range(max_iter):
        first, largest = -1, -np.inf
        for t in range(n_objects):
            upper = C if signs[t] > 0 else 0.0
            if coefficients[t] < upper and residuals[t] > largest:
                first, largest = t, residuals[t]
        if first < 0:
            return step
        own = gram[first]
        second, smallest, best, curvature = -1, np.inf, 0.0, 1.0
        for t in range(n_objects):
            lower = 0.0 if signs[t] > 0 else -C
            if coefficients[t] > lower:
                smallest = min(smallest, residuals[t])
                gain = largest - residuals[t]
                if gain > 0:
                    pair_curvature = max(own[first] + gram[t, t] - 2.0 * own[t], LEAST_CURVATURE)
                    if gain * gain > best * pair_curvature:
                        second, best, curvature = t, gain * gain / pair_curvature, pair_curvature
        if second < 0 or largest - smallest < tol:
            return step
        upper = C if signs[first] > 0 else 0.0
        lower = 0.0 if signs[second] > 0 else -C
        length = (largest - residuals[second]) / curvature
        to_upper, to_lower = upper - coefficients[first], coefficients[second] - lower
        length = min(length, to_upper, to_lower)
        coefficients[first] = upper if length == to_upper else coefficients[first] + length
        coefficients[second] = lower if length == to_lower else coefficients[second] - length
        other = gram[second]
        for t in range(n_objects):
            residuals[t] -= length * (own[t] - other[t])
    return max_iter


@njit(cache=True)  # type: ignore[untyped-decorator]
def intercept(  # pragma: no cover (compiled)
    signs: FloatArray, C: float, coefficients: FloatArray, residuals: FloatArray
) -> float:
    """Mean residual of the support vectors on the margin; without any, the middle of its range."""
    total, n_free, low, high = 0.0, 0, -np.inf, np.inf
    for t in range(len(signs)):
        alpha = signs[t] * coefficients[t]
        if 0.0 < alpha < C:
            total += residuals[t]
            n_free += 1
        elif (alpha > 0.0) == (signs[t] > 0):  # its margin is an upper bound of the intercept
            high = min(high, residuals[t])
        else:
            low = max(low, residuals[t])
    return total / n_free if n_free else (low + high) / 2.0


@dataclass(frozen=True)
class Machines:
    """Machines on one kernel, one for each column of signs."""

    coefficients: FloatArray
    """``y_i α_i``, objects × machines."""
    intercepts: FloatArray
    n_steps: int
    """What the longest of them took."""

    def decisions(self, rows: FloatArray) -> FloatArray:
        """Scores of objects, given their kernel with those learnt from: objects × machines."""
        return np.asarray(rows @ self.coefficients + self.intercepts)


def class_signs(codes: IntArray) -> FloatArray:
    """Targets ±1 of the machines: one for two classes, else each class against the rest."""
    classes = np.unique(codes)
    chosen = classes[1:] if len(classes) == 2 else classes
    return np.where(codes[:, None] == chosen, 1.0, -1.0)


def fit_svms(
    gram: FloatArray,
    signs: FloatArray,
    C: float,
    *,
    tol: float,
    max_iter: int,
    warm_start: FloatArray | None = None,
) -> Machines:
    """Fit a machine for every column of signs, objects × machines; ±1 both occur in each.

    ``tol`` is by how much the conditions of optimality may be missed, as in scikit-learn's SVC;
    ``warm_start`` are coefficients of the same C on another kernel, zeros if not given.

    Examples
    --------
    >>> rows = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    >>> signs = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    >>> machines = fit_svms(rows @ rows.T, signs, 10.0, tol=1e-6, max_iter=100)
    >>> machines.coefficients.ravel().round(3) + 0.0
    array([ 0. , -0.5,  0.5,  0. ])
    >>> machines.decisions(rows @ rows.T).ravel().round(3) + 0.0
    array([-2., -1.,  1.,  3.])
    """
    # As LIBSVM does, in single precision: what is equal up to rounding is so for the solver too,
    # and last digits do not choose its way.
    gram = np.ascontiguousarray(gram).astype(np.float32).astype(np.float64)
    targets = np.ascontiguousarray(signs.T)
    found = np.zeros(targets.shape) if warm_start is None else np.array(warm_start.T, order="C")
    residuals = targets - found @ gram if warm_start is not None else targets.copy()
    intercepts, n_steps = np.empty(len(targets)), 0
    for number, own in enumerate(targets):
        row, left = found[number], residuals[number]
        n_steps = max(n_steps, minimise(gram, own, C, tol, max_iter, row, left))
        intercepts[number] = intercept(own, C, row, left)
    return Machines(found.T, intercepts, n_steps)
