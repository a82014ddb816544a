"""Kernels of incomplete rows pair by pair, compiled, for rows that all lack something else.

First the Gaussian kernel, from ``fill_pairs`` on, then the polynomial one, from ``fill_powers``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from manyviews.similarity.incomplete.kernels import PairRows, Pairs

__all__ = ["fill_pairs", "fill_powers"]

_NEGLIGIBLE = 1e-16
"""Pairs of components of less joint weight are left out; what each would add is at most that."""
_TILE = 8
"""So many left rows are compared with a right one while its covariances are at hand."""
_LARGE = 1e150
"""Products of pivots that grow beyond this are taken to the logarithm before they overflow."""


class Scratch(NamedTuple):
    """Room for what one row is, per component, once the other row is known."""

    own: IntArray
    logs: FloatArray
    given: FloatArray
    spread: FloatArray


@njit(cache=True, fastmath={"contract", "reassoc"})  # type: ignore[untyped-decorator]
def fill_pairs(found: FloatArray, pairs: Pairs, variance: float) -> None:
    """Write the kernel of all pairs of rows whose pair of patterns is wanted."""
    left, right, wanted, symmetric = pairs
    here, there = _scratch(left), _scratch(right)
    n, width = len(left.pattern), left.means.shape[2]
    work, both = np.empty((width, width + 1)), np.empty(width, dtype=np.intp)
    # Left rows in tiles: the covariances of a right row stay in the cache for all of a tile.
    for start in range(0, n, _TILE):
        for j in range(start if symmetric else 0, len(right.pattern)):
            for i in range(start, min(start + _TILE, j + 1 if symmetric else n, n)):
                p, q = left.pattern[i], right.pattern[j]
                if not wanted[p, q]:
                    continue
                n_here, n_there, n_both = split_features(
                    left.missing[p], right.missing[q], here.own, there.own, both
                )
                lacking = both[:n_both]
                _condition(left, i, right.means[j, 0], n_here, lacking, variance, work, here)
                _condition(right, j, left.means[i, 0], n_there, lacking, variance, work, there)
                shared = _log_shared(left, i, right, j, variance)
                found[i, j] = _sum_components(
                    left.weights[i], right.weights[j], here, there, shared, n_both, variance, work
                )
                if symmetric:
                    found[j, i] = found[i, j]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _scratch(rows: PairRows) -> Scratch:
    _, n_components, width = rows.means.shape
    own, logs = np.empty(width, dtype=np.intp), np.empty(n_components)
    given, spread = np.empty((n_components, width)), np.empty((n_components, width, width))
    return Scratch(own, logs, given, spread)


@njit(cache=True)  # type: ignore[untyped-decorator]
def split_features(
    left: BoolArray, right: BoolArray, only_left: IntArray, only_right: IntArray, both: IntArray
) -> tuple[int, int, int]:
    """Write which features are missing on the left only, the right only and on both sides."""
    n_left, n_right, n_both = 0, 0, 0
    for feature in range(len(left)):
        if left[feature] and right[feature]:
            both[n_both] = feature
            n_both += 1
        elif left[feature]:
            only_left[n_left] = feature
            n_left += 1
        elif right[feature]:
            only_right[n_right] = feature
            n_right += 1
    return n_left, n_right, n_both


@njit(cache=True, fastmath={"contract", "reassoc"})  # type: ignore[untyped-decorator]
def _log_shared(left: PairRows, i: int, right: PairRows, j: int, variance: float) -> float:
    """Logarithm of the kernel on the features that both rows show."""
    one, other = left.missing[left.pattern[i]], right.missing[right.pattern[j]]
    square = 0.0
    for feature in range(len(one)):
        if not (one[feature] or other[feature]):
            square += (left.means[i, 0, feature] - right.means[j, 0, feature]) ** 2
    return -0.5 * square / variance


@njit(cache=True)  # type: ignore[untyped-decorator]
def _sum_components(
    left_weights: FloatArray,
    right_weights: FloatArray,
    here: Scratch,
    there: Scratch,
    shared: float,
    n_both: int,
    variance: float,
    work: FloatArray,
) -> float:
    """Sum over the pairs of components: a factorisation each, if both rows lack something."""
    value = 0.0
    for one in range(len(left_weights)):
        for other in range(len(right_weights)):
            # The weights are in `logs` already, which _condition leaves unset for those of zero.
            if left_weights[one] * right_weights[other] < _NEGLIGIBLE:
                continue
            height = here.logs[one] + there.logs[other] + shared
            if n_both:
                height += _log_overlap(
                    here.given[one],
                    here.spread[one],
                    there.given[other],
                    there.spread[other],
                    n_both,
                    variance,
                    work,
                )
            value += math.exp(height)
    return value


@njit(cache=True, fastmath={"contract", "reassoc"})  # type: ignore[untyped-decorator]
def _condition(
    rows: PairRows,
    number: int,
    shown: FloatArray,
    n_own: int,
    both: IntArray,
    variance: float,
    work: FloatArray,
    into: Scratch,
) -> None:
    """Take in what the other row shows of the features that only this row lacks.

    For each component: the logarithm of its weight times the kernel on these features, and mean
    and covariance of the features that both lack, given the other row up to the kernel's variance.
    It is a Cholesky factorisation that stops after the features ``own``.
    """
    own, n_all = into.own, n_own + len(both)
    for component in range(rows.weights.shape[1]):
        if rows.weights[number, component] == 0.0:
            continue
        mean = rows.means[number, component]
        covariance = rows.covariances[rows.pattern[number], component]
        for row in range(n_all):
            feature = own[row] if row < n_own else both[row - n_own]
            for column in range(row, n_own):
                work[row, column] = covariance[feature, own[column]]
            for column in range(max(row, n_own), n_all):
                work[row, column] = covariance[feature, both[column - n_own]]
            if row < n_own:
                work[row, row] += variance
                work[row, n_all] = shown[feature] - mean[feature]
            else:
                work[row, n_all] = -mean[feature]
        lost = _eliminate(work, n_all, n_own, variance)
        into.logs[component] = math.log(rows.weights[number, component]) - 0.5 * lost
        for row in range(len(both)):
            into.given[component, row] = -work[n_own + row, n_all]
            for column in range(row, len(both)):
                into.spread[component, row, column] = work[n_own + row, n_own + column]


@njit(cache=True, fastmath={"contract", "reassoc"})  # type: ignore[untyped-decorator]
def _log_overlap(
    left: FloatArray,
    left_spread: FloatArray,
    right: FloatArray,
    right_spread: FloatArray,
    n_both: int,
    variance: float,
    work: FloatArray,
) -> float:
    """Logarithm of the kernel's expectation over the features that both rows lack."""
    for row in range(n_both):
        for column in range(row, n_both):
            work[row, column] = left_spread[row, column] + right_spread[row, column]
        work[row, row] += variance
        work[row, n_both] = left[row] - right[row]
    return -0.5 * _eliminate(work, n_both, n_both, variance)


@njit(cache=True, fastmath={"contract", "reassoc"})  # type: ignore[untyped-decorator]
def _eliminate(work: FloatArray, size: int, n_pivots: int, variance: float) -> float:
    """Take the first rows out of an upper triangle that has a column of gaps at its end.

    It is a Cholesky factorisation, without roots, that stops after some pivots and leaves what then
    remains of the other rows. Returns the square of the gaps in units of the pivots' block, plus
    the logarithm of its determinant over that of ``variance`` times the identity, below which no
    pivot is.
    """
    product, lost = 1.0, 0.0  # one logarithm of the product is cheaper than one for each pivot
    for pivot in range(n_pivots):
        inverse = 1.0 / work[pivot, pivot]
        product *= work[pivot, pivot] / variance
        if product > _LARGE:
            lost += math.log(product)
            product = 1.0
        lost += inverse * work[pivot, size] ** 2
        for row in range(pivot + 1, size):
            factor = inverse * work[pivot, row]
            for column in range(row, size + 1):
                work[row, column] -= factor * work[pivot, column]
    return lost + math.log(product)


# Powers of inner products -------------------------------------------------------------------------


class Gaussian(NamedTuple):
    """One component of one row."""

    mean: FloatArray
    covariance: FloatArray
    lacks: IntArray
    """The features for which the covariance is not zero."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def fill_powers(found: FloatArray, pairs: Pairs, degree: int, gamma: float, coef0: float) -> None:
    """Write the kernel of all pairs of rows whose pair of patterns is wanted."""
    left, right, wanted, symmetric = pairs
    width = left.means.shape[2]
    cumulants, moments = np.empty(degree + 1), np.empty(degree + 1)
    vectors, matrices = np.empty((2, width)), np.empty((3, width, width))
    only = np.empty((2, width), dtype=np.intp)  # what one row lacks alone, which no trace needs
    both = np.empty(width, dtype=np.intp)
    for i in range(len(left.pattern)):
        for j in range(i if symmetric else 0, len(right.pattern)):
            p, q = left.pattern[i], right.pattern[j]
            if not wanted[p, q]:
                continue
            value = 0.0
            lacks, others = np.flatnonzero(left.missing[p]), np.flatnonzero(right.missing[q])
            n_both = split_features(left.missing[p], right.missing[q], only[0], only[1], both)[2]
            for one in range(left.weights.shape[1]):
                here = Gaussian(left.means[i, one], left.covariances[p, one], lacks)
                for other in range(right.weights.shape[1]):
                    weight = left.weights[i, one] * right.weights[j, other]
                    if weight:
                        there = Gaussian(right.means[j, other], right.covariances[q, other], others)
                        _cumulants(here, there, both[:n_both], cumulants, vectors, matrices)
                        value += weight * _moment(cumulants, moments, gamma, coef0)
            found[i, j] = value
            if symmetric:
                found[j, i] = value


@njit(cache=True)  # type: ignore[untyped-decorator]
def _cumulants(
    here: Gaussian,
    there: Gaussian,
    both: IntArray,
    cumulants: FloatArray,
    vectors: FloatArray,
    matrices: FloatArray,
) -> None:
    """Cumulants of the inner product of two Gaussians, by their order; as `product_cumulants`."""
    cumulants[:] = 0.0
    for feature in range(len(here.mean)):
        cumulants[1] += here.mean[feature] * there.mean[feature]
    if len(cumulants) > 2:
        # Terms with both means would be counted twice: the first chain adds all, the second none.
        _add_chain(cumulants, here, there, 1.0, vectors)
        _add_chain(cumulants, there, here, 0.0, vectors)
        _add_traces(cumulants, here.covariance, there.covariance, both, matrices)
    factorial = 1.0
    for order in range(1, len(cumulants)):
        factorial *= order
        cumulants[order] *= factorial


@njit(cache=True)  # type: ignore[untyped-decorator]
def _add_chain(
    cumulants: FloatArray, here: Gaussian, there: Gaussian, odd_share: float, vectors: FloatArray
) -> None:
    """Add half the terms that this mean is in twice, and a share of those that both are in."""
    ahead, back = vectors[0], vectors[1]
    ahead[:] = here.mean
    for order in range(2, len(cumulants)):
        if order % 2 == 0:
            _multiply(there.covariance, there.lacks, ahead, back)
            for feature in there.lacks:
                cumulants[order] += 0.5 * back[feature] * here.mean[feature]
        else:
            _multiply(here.covariance, here.lacks, back, ahead)
            for feature in here.lacks:
                cumulants[order] += odd_share * ahead[feature] * there.mean[feature]


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
    cumulants: FloatArray, here: FloatArray, there: FloatArray, both: IntArray, matrices: FloatArray
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
