"""Compiled: tables of eliminated classes, for a few objects side by side."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray, IntArray

LANES = 16  # objects at a time: each entry of the plan is read once for all of them


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
