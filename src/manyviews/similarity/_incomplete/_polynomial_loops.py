"""Polynomial kernels of incomplete rows pair by pair, for rows that all lack something else."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.similarity._incomplete._pairs import PairRows
from manyviews.similarity._incomplete._rbf_loops import split_features
from manyviews.typing import BoolArray, FloatArray, IntArray


@njit(cache=True)  # type: ignore[untyped-decorator]
def fill_powers(
    found: FloatArray,
    left: PairRows,
    right: PairRows,
    wanted: BoolArray,
    rule: tuple[int, float, float],
    symmetric: bool,
) -> None:
    """Write the kernel of all pairs of rows whose pair of patterns is wanted."""
    degree, gamma, coef0 = rule
    width = left.means.shape[2]
    cumulants, moments = np.empty(degree + 1), np.empty(degree + 1)
    vectors, matrices = np.empty((2, width)), np.empty((3, width, width))
    features = np.empty((3, width), dtype=np.intp)
    for i in range(len(left.pattern)):
        for j in range(i if symmetric else 0, len(right.pattern)):
            if not wanted[left.pattern[i], right.pattern[j]]:
                continue
            value = 0.0
            for one in range(left.weights.shape[1]):
                for other in range(right.weights.shape[1]):
                    weight = left.weights[i, one] * right.weights[j, other]
                    if weight:
                        _cumulants(
                            left, i, one, right, j, other, cumulants, vectors, matrices, features
                        )
                        value += weight * _moment(cumulants, moments, gamma, coef0)
            found[i, j] = value
            if symmetric:
                found[j, i] = value


@njit(cache=True)  # type: ignore[untyped-decorator]
def _cumulants(
    left: PairRows,
    i: int,
    one: int,
    right: PairRows,
    j: int,
    other: int,
    cumulants: FloatArray,
    vectors: FloatArray,
    matrices: FloatArray,
    features: IntArray,
) -> None:
    """Cumulants of the inner product of two Gaussians, by their order."""
    p, q = left.pattern[i], right.pattern[j]
    mean, here = left.means[i, one], left.covariances[p, one]
    partner, there = right.means[j, other], right.covariances[q, other]
    cumulants[:] = 0.0
    for feature in range(len(mean)):
        cumulants[1] += mean[feature] * partner[feature]
    if len(cumulants) > 2:
        lacks, others = np.flatnonzero(left.missing[p]), np.flatnonzero(right.missing[q])
        _add_chain(cumulants, mean, here, lacks, partner, there, others, 1.0, vectors)
        _add_chain(cumulants, partner, there, others, mean, here, lacks, 0.0, vectors)
        n_both = split_features(
            left.missing[p], right.missing[q], features[0], features[1], features[2]
        )[2]
        _add_traces(cumulants, here, there, features[2, :n_both], matrices)
    factorial = 1.0
    for order in range(1, len(cumulants)):
        factorial *= order
        cumulants[order] *= factorial


@njit(cache=True)  # type: ignore[untyped-decorator]
def _add_chain(
    cumulants: FloatArray,
    mean: FloatArray,
    here: FloatArray,
    lacks: IntArray,
    partner: FloatArray,
    there: FloatArray,
    others: IntArray,
    odd_share: float,
    vectors: FloatArray,
) -> None:
    """Add half the terms that this mean is in twice, and a share of those that both are in."""
    ahead, back = vectors[0], vectors[1]
    ahead[:] = mean
    for order in range(2, len(cumulants)):
        if order % 2 == 0:
            _multiply(there, others, ahead, back)
            for feature in others:
                cumulants[order] += 0.5 * back[feature] * mean[feature]
        else:
            _multiply(here, lacks, back, ahead)
            for feature in lacks:
                cumulants[order] += odd_share * ahead[feature] * partner[feature]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _multiply(
    covariance: FloatArray, features: IntArray, vector: FloatArray, into: FloatArray
) -> None:
    """Multiply by a covariance that is zero but for some features."""
    into[:] = 0.0
    for row in features:
        total = 0.0
        for column in features:
            total += covariance[row, column] * vector[column]
        into[row] = total


@njit(cache=True)  # type: ignore[untyped-decorator]
def _add_traces(
    cumulants: FloatArray,
    here: FloatArray,
    there: FloatArray,
    both: IntArray,
    matrices: FloatArray,
) -> None:
    """Add the traces of powers of ``ST``, to which only the features that both lack add."""
    step, power, product = matrices[0], matrices[1], matrices[2]
    size = len(both)
    for row in both:
        for column in both:
            cumulants[2] += 0.5 * here[row, column] * there[row, column]
    if len(cumulants) < 5 or not size:
        return
    for row in range(size):
        for column in range(size):
            step[row, column] = 0.0
            for at in both:
                step[row, column] += here[both[row], at] * there[at, both[column]]
            power[row, column] = step[row, column]
    for order in range(4, len(cumulants), 2):
        for row in range(size):
            for column in range(size):
                product[row, column] = 0.0
                for at in range(size):
                    product[row, column] += power[row, at] * step[at, column]
        for row in range(size):
            cumulants[order] += product[row, row] / order
            for column in range(size):
                power[row, column] = product[row, column]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _moment(cumulants: FloatArray, moments: FloatArray, gamma: float, coef0: float) -> float:
    """``E (gamma s + coef0)^degree`` from the cumulants of ``s``, which are scaled in place."""
    scale = 1.0
    for order in range(1, len(cumulants)):
        scale *= gamma
        cumulants[order] *= scale
    cumulants[1] += coef0
    moments[0] = 1.0
    for order in range(1, len(cumulants)):
        moments[order] = 0.0
        choices = 1.0
        for taken in range(1, order + 1):
            moments[order] += choices * cumulants[taken] * moments[order - taken]
            choices *= (order - taken) / taken
    return float(moments[-1])
