"""Numba kernels of the assignment of labels: flat, forests, elimination [@dalvi2015]."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray

# Classes that exclude each other softly -----------------------------------------------------------


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


# Forests of classes -------------------------------------------------------------------------------


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
        for step in range(2 * len(parents)):  # up with the values, then down with the choices
            upwards = step < len(parents)
            group = step if upwards else 2 * len(parents) - 1 - step
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


# Elimination, for a few objects side by side ------------------------------------------------------

LANES = 16
"""Objects at a time, two cache lines: each entry of the plan is read once for all of them."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def tabulate(
    own: FloatArray,
    penalties: FloatArray,
    sources: IntArray,
    start: int,
    tables: FloatArray,
    choices: IntArray,
) -> None:
    """Best own state for every joint state of the scope; earlier tables are read by ``sources``."""
    n_entries, n_states = penalties.shape
    width = own.shape[1]
    value = np.empty(width)
    for entry in range(n_entries):
        best, chosen = tables[start + entry], choices[start + entry]
        for lane in range(width):
            best[lane] = -np.inf
        for state in range(n_states):
            for lane in range(width):
                value[lane] = own[state, lane] - penalties[entry, state]
            for source in range(len(sources)):
                table = tables[sources[source, entry, state]]
                for lane in range(width):
                    value[lane] += table[lane]
            for lane in range(width):
                better = value[lane] > best[lane]
                best[lane] = value[lane] if better else best[lane]
                chosen[lane] = state if better else chosen[lane]


@njit(cache=True)  # type: ignore[untyped-decorator]
def own_values(gains: FloatArray, disagreement: FloatArray, own: FloatArray) -> None:
    """Value of every state of one class of the objects side by side."""
    for state in range(len(disagreement)):
        own[state] = -disagreement[state]
        for view in range(len(gains)):
            if state >> view & 1:
                own[state] += gains[view]


@njit(cache=True)  # type: ignore[untyped-decorator]
def eliminate(
    gains: FloatArray,
    disagreement: FloatArray,
    penalties: FloatArray,
    order: IntArray,
    starts: IntArray,
    n_sources: IntArray,
    sources: IntArray,
    scope_starts: IntArray,
    scope_members: IntArray,
    states: IntArray,
) -> None:
    """Take out every class in order, then choose their states in the opposite order.

    ``gains`` is (n_views, n_classes, n_objects), ``states`` gets (n_classes, n_objects).
    """
    n_views, _, n_objects = gains.shape
    n_states = len(disagreement)
    tables = np.empty((starts[-1], LANES))
    choices = np.empty((starts[-1], LANES), dtype=np.uint8)
    own = np.zeros((n_states, LANES))
    for first in range(0, n_objects, LANES):
        width = min(LANES, n_objects - first)
        read = 0
        for step in range(len(order)):
            n_entries = starts[step + 1] - starts[step]
            length = n_sources[step] * n_entries * n_states
            maps = sources[read : read + length].reshape(n_sources[step], n_entries, n_states)
            read += length
            own_values(gains[:, order[step], first : first + width], disagreement, own[:, :width])
            tabulate(
                own, penalties[starts[step] : starts[step + 1]], maps, starts[step], tables, choices
            )
        for lane in range(width):
            for step in range(len(order) - 1, -1, -1):
                entry = starts[step]
                for i in range(scope_starts[step], scope_starts[step + 1]):
                    above = states[scope_members[i], first + lane]
                    entry += above << (n_views * (i - scope_starts[step]))
                states[order[step], first + lane] = choices[entry, lane]
