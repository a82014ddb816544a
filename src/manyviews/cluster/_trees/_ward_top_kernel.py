"""Compiled greedy merging of few clusters, until two are left.

``terms`` are rows of (kind of divergence, first column, column after the last), ``weights`` their
factors. A cluster has a mean, a size and, for terms that are not squares, a ``bend``: the value of
φ at its mean less the tangent plane at the ``centre`` of all. Costs of merging do not feel the
plane, and what is left is no larger than they are, so that differences keep their digits.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

SQUARED, KULLBACK_LEIBLER, ITAKURA_SAITO = range(3)


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def _squared_distance(one: Any, other: Any) -> float:
    total = 0.0
    for k in range(one.size):
        total += (one[k] - other[k]) ** 2
    return total


@njit(cache=True)  # type: ignore[untyped-decorator]
def _bend(terms: Any, weights: Any, centre: Any, one: Any, other: Any, share: float) -> float:
    """φ of the terms that are not squares, at the mean of two clusters, less the tangent plane."""
    total = 0.0
    for t in range(len(terms)):
        if terms[t, 0] == SQUARED:
            continue
        bend = 0.0
        for k in range(terms[t, 1], terms[t, 2]):
            mean = one[k] + share * (other[k] - one[k])
            if terms[t, 0] == ITAKURA_SAITO:
                bend += mean / centre[k] - np.log(mean / centre[k]) - 1.0
            elif mean > 0.0:
                bend += mean * np.log(mean / centre[k]) - mean + centre[k]
            else:
                bend += centre[k]
        total += weights[t] * bend
    return total


@njit(cache=True)  # type: ignore[untyped-decorator]
def _merge_cost(
    terms: Any, weights: Any, centre: Any, means: Any, sizes: Any, bends: Any, i: int, j: int
) -> float:
    """Cost of merging two clusters by the Lemma."""
    both = sizes[i] + sizes[j]
    total = 0.0
    all_squares = True
    for t in range(len(terms)):
        if terms[t, 0] == SQUARED:
            first, last = terms[t, 1], terms[t, 2]
            square = _squared_distance(means[i, first:last], means[j, first:last])
            total += weights[t] * square * (sizes[i] * sizes[j] / both)
        else:
            all_squares = False
    if all_squares:
        return total
    bend = _bend(terms, weights, centre, means[i], means[j], sizes[j] / both)
    return total + max(sizes[i] * bends[i] + sizes[j] * bends[j] - both * bend, 0.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def merge_down_to_two(
    terms: Any, weights: Any, centre: Any, means: Any, sizes: Any, owner: Any
) -> None:
    """Merge the cheapest pair until two are left; ``owner`` tells the slot each one ended in.

    Every slot knows its cheapest partner, so that a merge costs one row of new costs, and a scan
    of known costs for those whose partner is gone. ``means``, ``sizes`` and ``owner`` are changed.
    """
    count = len(means)
    bends = np.empty(count)
    for i in range(count):
        bends[i] = _bend(terms, weights, centre, means[i], means[i], 0.0)
    costs = np.full((count, count), np.inf)
    nearest, lowest = np.zeros(count, np.int64), np.full(count, np.inf)
    active = np.arange(count)
    for i in range(count):
        for j in range(i):
            costs[i, j] = _merge_cost(terms, weights, centre, means, sizes, bends, i, j)
            costs[j, i] = costs[i, j]
    for i in range(count):
        _find_partner(active, costs, lowest, nearest, i)
    while count > 2:
        slot = active[np.argmin(lowest[active[:count]])]
        kept, gone = min(slot, nearest[slot]), max(slot, nearest[slot])
        _absorb(means, sizes, kept, gone)
        bends[kept] = _bend(terms, weights, centre, means[kept], means[kept], 0.0)
        owner[owner == gone] = kept
        count = _leave(active, count, gone)
        for other in active[:count]:
            if other != kept:
                cost = _merge_cost(terms, weights, centre, means, sizes, bends, other, kept)
                costs[other, kept] = costs[kept, other] = cost
        _tell_others(active[:count], costs, lowest, nearest, kept, gone)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _absorb(means: Any, sizes: Any, kept: int, gone: int) -> None:
    share = sizes[gone] / (sizes[kept] + sizes[gone])
    for k in range(means.shape[1]):
        means[kept, k] += share * (means[gone, k] - means[kept, k])
    sizes[kept] += sizes[gone]


@njit(cache=True)  # type: ignore[untyped-decorator]
def _leave(active: Any, count: int, gone: int) -> int:
    """Close the gap that a slot leaves, keeping the order."""
    place = 0
    while active[place] != gone:
        place += 1
    for later in range(place, count - 1):
        active[later] = active[later + 1]
    return count - 1


@njit(cache=True)  # type: ignore[untyped-decorator]
def _tell_others(active: Any, costs: Any, lowest: Any, nearest: Any, kept: int, gone: int) -> None:
    """Let every slot know of the one that has grown and of the one that is gone."""
    for slot in active:
        if slot == kept or nearest[slot] == kept or nearest[slot] == gone:
            _find_partner(active, costs, lowest, nearest, slot)
        elif costs[slot, kept] < lowest[slot]:
            lowest[slot], nearest[slot] = costs[slot, kept], kept


@njit(cache=True)  # type: ignore[untyped-decorator]
def _find_partner(active: Any, costs: Any, lowest: Any, nearest: Any, slot: int) -> None:
    lowest[slot] = np.inf
    for other in active:
        if other != slot and costs[slot, other] < lowest[slot]:
            lowest[slot], nearest[slot] = costs[slot, other], other
