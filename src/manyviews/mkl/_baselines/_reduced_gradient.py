"""Down the reduced gradient on the simplex until the duality gap is closed [@rakotomamonjy2008]."""

from __future__ import annotations

import numpy as np

from manyviews.base import Run
from manyviews.mkl._baselines._machines import Point, Problem
from manyviews.mkl._baselines._one_stage import Report
from manyviews.typing import BoolArray, FloatArray

_TINY = 1e-10
"""A weight below that is none."""
_FLAT = 0.1
"""A line search ends where the slope is down to this share."""
_MOST_TRIALS = 12


def descend(
    problem: Problem, start: Point, *, max_iter: int, tol: float, report: Report
) -> Run[Point]:
    """Take reduced-gradient steps until the duality gap is at most ``tol``, or no step helps."""
    point, history = start, [start.objective]
    for number in range(1, max_iter + 1):
        if point.gap(np.inf) <= tol:
            break
        following = step(problem, point, tol)
        history.append(following.objective)
        report(number, following.objective, following.gap(np.inf))
        if following is point:
            break
        point = following
    return Run(point, np.array(history), converged=point.gap(np.inf) <= tol)


def step(problem: Problem, point: Point, tol: float) -> Point:
    """Walk along one direction, leave kernels at the border, then search for the lowest point."""
    direction, n_left = reduced_direction(point), 1
    while slope(point, direction) < 0:
        reach = step_to_leave(point.weights, direction, n_left)
        border = problem.at(moved(point.weights, direction, reach))
        if border.objective < point.objective:
            point, n_left = border, 2 * n_left
            if point.gap(np.inf) <= tol:
                break
            direction = without_border(point.weights, direction)
        elif n_left == 1:
            return line_search(problem, point, border, direction, reach)
        else:
            n_left = 1  # that were too many at once
    return point


def reduced_direction(point: Point) -> FloatArray:
    """Down the gradient, with the largest weight standing in for the sum of one."""
    reference = largest(point.weights)
    direction = point.halves - point.halves[reference].mean()
    return without_border(point.weights, direction)


def without_border(weights: FloatArray, direction: FloatArray) -> FloatArray:
    """Leave a kernel where its weight has come down to zero."""
    direction = np.where((weights <= 0) & (direction < 0), 0.0, direction)
    reference = largest(weights)
    direction[reference] -= direction.sum() / reference.sum()  # so that the sum stays
    return direction


def largest(weights: FloatArray) -> BoolArray:
    """Which weight is the largest; all that share it, so that equal kernels are treated alike."""
    return weights >= (1.0 - 1e-9) * weights.max()


def slope(point: Point, direction: FloatArray) -> float:
    """How the objective changes along a direction."""
    return -float(point.halves @ direction)


def step_to_leave(weights: FloatArray, direction: FloatArray, number: int) -> float:
    """How far to go until so many weights, or all that fall, are zero."""
    falling = direction < 0
    lengths = np.sort(-weights[falling] / direction[falling])
    return float(lengths[min(number, len(lengths)) - 1])


def moved(weights: FloatArray, direction: FloatArray, length: float) -> FloatArray:
    """Weights after a step, on the simplex; those that would fall below zero stay there."""
    found = weights + length * direction
    found[found < _TINY] = 0.0
    return found / found.sum()


def line_search(
    problem: Problem, point: Point, border: Point, direction: FloatArray, reach: float
) -> Point:
    """Find a point between two where the objective is almost flat, by its slopes.

    The interval shrinks by regula falsi with a halved slope at an end that stays (Illinois).
    """
    low, high = 0.0, reach
    slope_low, slope_high = slope(point, direction), slope(border, direction)
    first, best = slope_low, point
    for _ in range(_MOST_TRIALS):
        share = slope_low / (slope_low - slope_high) if slope_high > 0 else 0.5
        length = low + (high - low) * min(max(share, 0.05), 0.95)
        trial = problem.at(moved(point.weights, direction, length))
        here = slope(trial, direction)
        best = trial if trial.objective < best.objective else best
        if abs(here) <= _FLAT * abs(first) and best is trial:
            break
        if here < 0:
            low, slope_low, slope_high = length, here, slope_high / 2
        else:
            high, slope_high, slope_low = length, here, slope_low / 2
    return best
