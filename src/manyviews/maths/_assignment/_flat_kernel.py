"""Compiled: the best labels of objects whose classes exclude each other softly [@dalvi2015]."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_superset(
    gains: FloatArray, order: IntArray, forced: int, disagreement: float
) -> tuple[float, int]:
    """Value and mask of the best set of views for one label that has at least the forced ones.

    Given their number m, the others are those of the largest gains; they come in that order.
    """
    n_views = len(gains)
    value, count, chosen = 0.0, 0, forced
    for view in range(n_views):
        if forced >> view & 1:
            value += gains[view]
            count += 1
    best = value - disagreement * count * (n_views - count)
    mask = forced
    for view in order:
        if forced >> view & 1:
            continue
        value += gains[view]
        count += 1
        mask |= 1 << view
        if value - disagreement * count * (n_views - count) > best:
            best, chosen = value - disagreement * count * (n_views - count), mask
    return best, chosen


@njit(cache=True)  # type: ignore[untyped-decorator]
def sort_views(gains: FloatArray, order: IntArray) -> None:
    """Put the views of one label in the order of falling gains."""
    for place in range(len(gains)):
        spot = place
        while spot > 0 and gains[order[spot - 1]] < gains[place]:
            order[spot] = order[spot - 1]
            spot -= 1
        order[spot] = place


@njit(cache=True)  # type: ignore[untyped-decorator]
def cheapest_cover(
    loss: FloatArray, absence: float, n_bare: int, total: FloatArray, block: IntArray
) -> None:
    """For every set of bare views the cheapest partition into blocks that one label covers.

    ``block`` gets the part with the lowest view, or minus that view where it stays bare.
    """
    total[0] = 0.0
    for wanted in range(1, 1 << n_bare):
        lowest = wanted & -wanted
        total[wanted] = np.inf
        part = wanted
        while part > 0:
            if part & lowest and loss[part] + total[wanted ^ part] < total[wanted]:
                total[wanted] = loss[part] + total[wanted ^ part]
                block[wanted] = part
            part = (part - 1) & wanted
        if absence + total[wanted ^ lowest] < total[wanted]:
            total[wanted] = absence + total[wanted ^ lowest]
            block[wanted] = -lowest


@njit(cache=True)  # type: ignore[untyped-decorator]
def spread(part: int, bare: IntArray) -> int:
    """The views that a set of bare views stands for."""
    mask = 0
    place = 0
    while part >> place:
        if part >> place & 1:
            mask |= 1 << bare[place]
        place += 1
    return mask


@njit(cache=True)  # type: ignore[untyped-decorator]
def choose_alone(
    gains: FloatArray, disagreement: float, order: IntArray, best: FloatArray, states: IntArray
) -> int:
    """Let every label of an object choose its views as if no view had to have one."""
    covered = 0
    for k in range(len(gains)):
        sort_views(gains[k], order[k])
        best[k], states[k] = best_superset(gains[k], order[k], 0, disagreement)
        covered |= states[k]
    return covered


@njit(cache=True)  # type: ignore[untyped-decorator]
def cheapest_labels(
    gains: FloatArray,
    disagreement: float,
    order: IntArray,
    best: FloatArray,
    states: IntArray,
    bare: IntArray,
    loss: FloatArray,
    label: IntArray,
) -> None:
    """For every set of bare views the label that covers it at the least loss."""
    for part in range(1, 1 << len(bare)):
        wanted = spread(part, bare)
        loss[part] = np.inf
        for k in range(len(gains)):
            value, _ = best_superset(gains[k], order[k], states[k] | wanted, disagreement)
            if best[k] - value < loss[part]:
                loss[part], label[part] = best[k] - value, k


@njit(cache=True)  # type: ignore[untyped-decorator]
def agree(
    gains: FloatArray, disagreement: float, absence: float, most_bare: int, states: IntArray
) -> BoolArray:
    """Choose the views of every label of every object; say whose repair is too large to search.

    ``gains`` is (n_objects, n_classes, n_views), ``states`` gets a mask of views per label.
    """
    n_objects, n_classes, n_views = gains.shape
    solved = np.ones(n_objects, dtype=np.bool_)
    order = np.empty((n_classes, n_views), dtype=np.int64)
    best = np.empty(n_classes)
    size = 1 << min(n_views, most_bare)
    loss, total = np.empty(size), np.empty(size)
    label, block = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    views = np.arange(n_views)
    for row in range(n_objects):
        chosen = states[row]
        covered = choose_alone(gains[row], disagreement, order, best, chosen)
        bare = views[(covered >> views) & 1 == 0]
        solved[row] = len(bare) <= most_bare
        if len(bare) == 0 or not solved[row]:
            continue
        cheapest_labels(gains[row], disagreement, order, best, chosen, bare, loss, label)
        cheapest_cover(loss, absence, len(bare), total, block)
        left = (1 << len(bare)) - 1
        while left:
            part = block[left]
            if part > 0:
                k = label[part]
                wanted = chosen[k] | spread(part, bare)
                chosen[k] = best_superset(gains[row, k], order[k], wanted, disagreement)[1]
            left ^= abs(part)
    return solved
