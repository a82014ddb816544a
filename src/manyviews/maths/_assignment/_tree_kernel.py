"""Compiled: the best labels of objects whose classes form a forest [@dalvi2015]."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray


@njit(cache=True)  # type: ignore[untyped-decorator]
def most_at_once(phi: FloatArray, n_views: int, penalty: float, worth: FloatArray) -> int:
    """How many siblings that exclude each other can be on in one view of a best solution.

    Turning one of m off saves penalty·(m - 1) and costs at most the largest gain of that bit: each
    of the m must be worth so much. ``worth`` is room for one number per sibling.
    """
    most = 1
    for view in range(n_views):
        bit = 1 << view
        for child in range(len(phi)):
            worth[child] = -np.inf
            for state in range(1 << n_views):
                if state & bit:
                    worth[child] = max(worth[child], phi[child, state] - phi[child, state ^ bit])
        n_worthy = len(phi)
        while n_worthy > most:  # are there more than ``most`` that pay for one more?
            n_worthy = 0
            for child in range(len(phi)):
                n_worthy += worth[child] >= penalty * most
            most += n_worthy > most
    return most


@njit(cache=True)  # type: ignore[untyped-decorator]
def tabulate_crowding(
    n_views: int, most: int, penalty: float, prices: FloatArray, before: IntArray
) -> None:
    """For counts per view (as digits) and the last sibling's state: its price and the others.

    The price is infinite where the counts say that nobody is on.
    """
    base = most + 1
    for counts in range(base**n_views):
        for state in range(1 << n_views):
            prices[counts, state], before[counts, state] = 0.0, counts
            for view in range(n_views):
                if state >> view & 1:
                    others = counts // base**view % base - 1
                    prices[counts, state] += penalty * others if others >= 0 else np.inf
                    before[counts, state] -= base**view
            if prices[counts, state] == np.inf:
                before[counts, state] = 0


@njit(cache=True)  # type: ignore[untyped-decorator]
def fill_counts(
    phi: FloatArray,
    prices: FloatArray,
    before: IntArray,
    table: FloatArray,
    choice: IntArray,
) -> int:
    """Best value of all siblings by how many are on in each view; return the best counts."""
    n_counts = len(prices)
    table[:n_counts] = -np.inf
    table[0] = 0.0
    for child in range(len(phi)):
        for counts in range(n_counts - 1, -1, -1):  # downwards: what is read is still the old
            best, chosen = table[counts] + phi[child, 0], 0
            for state in range(1, phi.shape[1]):
                value = table[before[counts, state]] + phi[child, state] - prices[counts, state]
                if value > best:
                    best, chosen = value, state
            table[counts] = best
            choice[counts, child] = chosen
    best_counts = 0
    for counts in range(1, n_counts):
        if table[counts] > table[best_counts]:
            best_counts = counts
    return best_counts


@njit(cache=True)  # type: ignore[untyped-decorator]
def see_from_parent(
    values: FloatArray, members: IntArray, above: int, penalty: float, phi: FloatArray
) -> None:
    """Values of the members' states when the parent is on in the views ``above``."""
    for child in range(len(members)):
        for state in range(values.shape[1]):
            orphans = state & ~above
            broken = 0
            while orphans:
                orphans &= orphans - 1
                broken += 1
            phi[child, state] = values[members[child], state] - penalty * broken


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_alone(phi: FloatArray, chosen: IntArray) -> float:
    """Choose the best state of every sibling, none excluding another, and return their value."""
    total = 0.0
    for child in range(len(phi)):
        best = 0
        for state in range(1, phi.shape[1]):
            if phi[child, state] > phi[child, best]:
                best = state
        chosen[child] = best
        total += phi[child, best]
    return total


@njit(cache=True)  # type: ignore[untyped-decorator]
def best_siblings(
    phi: FloatArray,
    n_views: int,
    penalty: float,
    places: IntArray,
    tabulated: BoolArray,
    prices: FloatArray,
    before: IntArray,
    table: FloatArray,
    choice: IntArray,
    worth: FloatArray,
    chosen: IntArray,
) -> float:
    """Choose the best states of siblings and return their value; NaN if the table is too small."""
    size = len(phi)
    if size == 1 or penalty == 0.0:
        return best_alone(phi, chosen)
    most = most_at_once(phi, n_views, penalty, worth)
    if most + 1 >= len(places):
        chosen[:size] = 0
        return np.nan
    price = prices[places[most] : places[most + 1]]
    rest = before[places[most] : places[most + 1]]
    if not tabulated[most]:
        tabulate_crowding(n_views, most, penalty, price, rest)
        tabulated[most] = True
    counts = fill_counts(phi, price, rest, table, choice)
    value = table[counts]
    for child in range(size - 1, -1, -1):
        chosen[child] = choice[counts, child]
        counts = rest[counts, chosen[child]]
    return value


@njit(cache=True)  # type: ignore[untyped-decorator]
def fill_values(gains: FloatArray, disagreement: FloatArray, values: FloatArray) -> None:
    """Value of every state of every class of one object, as if it stood alone."""
    for k in range(len(gains)):
        for state in range(len(disagreement)):
            values[k, state] = -disagreement[state]
            for view in range(gains.shape[1]):
                if state >> view & 1:
                    values[k, state] += gains[k, view]


@njit(cache=True)  # type: ignore[untyped-decorator]
def solve_forest(
    gains: FloatArray,
    disagreement: FloatArray,
    penalty: float,
    parents: IntArray,
    starts: IntArray,
    members: IntArray,
    places: IntArray,
    states: IntArray,
) -> FloatArray:
    """Choose states group by group; return their value per object, NaN if a table is too large.

    ``gains`` is (n_objects, n_classes, n_views). Group g has the members
    ``members[starts[g]:starts[g + 1]]`` below ``parents[g]`` (-1: roots) and comes after the groups
    below its members. What m siblings at once need is tabulated at ``places[m]:places[m + 1]``.
    """
    n_objects, n_classes, n_views = gains.shape
    n_states, widest = 1 << n_views, (starts[1:] - starts[:-1]).max()
    totals = np.zeros(n_objects)
    values, workspace = np.empty((n_classes, n_states)), np.empty((widest, n_states))
    tabulated, most_counts = np.zeros(len(places), dtype=np.bool_), places[-1] - places[-2]
    prices = np.empty((places[-1], n_states))
    before = np.empty(prices.shape, dtype=np.int64)
    table, choice = np.empty(most_counts), np.empty((most_counts, widest), dtype=np.uint8)
    chosen, worth = np.empty(widest, dtype=np.int64), np.empty(widest)
    for row in range(n_objects):
        fill_values(gains[row], disagreement, values)
        for turn in range(2 * len(parents)):  # up with the values, then down with the choices
            upwards = turn < len(parents)
            group = turn if upwards else 2 * len(parents) - 1 - turn
            inside, parent = members[starts[group] : starts[group + 1]], parents[group]
            phi = workspace[: len(inside)]
            first, last = 0, n_states - 1
            if not upwards:
                first = last = states[row, parent] if parent >= 0 else n_states - 1
            elif parent < 0:
                continue
            for above in range(first, last + 1):
                see_from_parent(values, inside, above, penalty, phi)
                value = best_siblings(
                    phi,
                    n_views,
                    penalty,
                    places,
                    tabulated,
                    prices,
                    before,
                    table,
                    choice,
                    worth,
                    chosen,
                )
                totals[row] += value if parent < 0 else value - value  # 0, or NaN
                if upwards:
                    values[parent, above] += value
            if not upwards:
                for child in range(len(inside)):
                    states[row, inside[child]] = chosen[child]
    return totals
