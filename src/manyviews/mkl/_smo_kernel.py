"""Sequential minimal optimisation with second-order working sets, compiled [@fan2005]."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray

LEAST_CURVATURE = 1e-12
"""What a pair of equal objects counts as, so that a step is finite: as in LIBSVM."""


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
                    curving = max(own[first] + gram[t, t] - 2.0 * own[t], LEAST_CURVATURE)
                    if gain * gain > best * curving:
                        second, best, curvature = t, gain * gain / curving, curving
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
