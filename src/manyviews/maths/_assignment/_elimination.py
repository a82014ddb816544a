"""Any constraint graph of small width: exact elimination of one class after the other.

A class is taken out by tabulating, for every joint state of the classes it still touches, its own
best state; the table then stands for it. Taken in a good order the tables stay small: their size is
2^(V·width), whatever the number of classes (Eq. 9, 10) [@dalvi2015].
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from manyviews.maths._assignment._problem import Constraints, Problem, popcounts
from manyviews.maths._assignment._tree import disagreement_of_states
from manyviews.typing import BoolArray, IntArray

MOST_ENTRIES = 2**22  # of all tables together; beyond it a mixed-integer programme is no slower


@dataclass(frozen=True)
class Plan:
    """In which order the classes go, and where each finds what it needs.

    Entry e of the table of step t is the joint state of the step's scope, its first class in the
    lowest bits. ``penalties`` and ``sources`` have one row per entry and one column per own state;
    sources hold places in the tables of earlier steps.
    """

    order: IntArray
    scopes: tuple[tuple[int, ...], ...]
    starts: IntArray  # of each step's table among all entries
    n_sources: IntArray
    penalties: IntArray  # broken constraints, (n_entries, n_states)
    sources: IntArray  # flat, step by step: (n_sources, entries of the step, n_states)


Steps = tuple[tuple[int, tuple[int, ...]], ...]


@lru_cache(maxsize=16)
def elimination_steps(constraints: Constraints, n_views: int) -> Steps | None:
    """Return the classes with the later ones they touch, or None where the tables are too large.

    The next is always one whose neighbours know each other best (min-fill).
    """
    touching = {k: set(constraints.neighbours[k]) for k in range(constraints.n_classes)}
    strangers = {k: _strangers(k, touching) for k in touching}
    steps: list[tuple[int, tuple[int, ...]]] = []
    while touching:
        chosen = min(strangers, key=lambda k: (strangers[k], len(touching[k]), k))
        scope = touching.pop(chosen)
        del strangers[chosen]
        for k in scope:
            touching[k] |= scope
            touching[k] -= {k, chosen}
        for k in set().union(scope, *(touching[k] for k in scope)):
            strangers[k] = _strangers(k, touching)
        steps.append((chosen, tuple(sorted(scope))))
        if n_entries(tuple(steps), n_views) > MOST_ENTRIES:
            return None
    return tuple(steps)


def _strangers(k: int, touching: dict[int, set[int]]) -> int:
    """How many pairs of neighbours are no neighbours, twice."""
    return sum(len(touching[k] - touching[other]) - 1 for other in touching[k])


def n_entries(steps: Steps, n_views: int) -> int:
    """Return the size of all tables, own states counted."""
    return sum(2 ** (n_views * (len(scope) + 1)) for _, scope in steps)


@lru_cache(maxsize=4)
def plan_elimination(steps: Steps, constraints: Constraints, n_views: int) -> Plan:
    """Find where the table of each step reads those of earlier ones, and what it breaks."""
    sizes = [2 ** (n_views * len(scope)) for _, scope in steps]
    starts = np.cumsum([0, *sizes], dtype=np.int64)
    place = {k: step for step, (k, _) in enumerate(steps)}
    senders: list[list[int]] = [[] for _ in steps]
    for step, (_, scope) in enumerate(steps):
        if scope:
            senders[min(place[k] for k in scope)].append(step)
    sources = [
        starts[sender] + _entries_of(steps[sender][1], steps[step], n_views)
        for step in range(len(steps))
        for sender in senders[step]
    ]
    penalties = [_broken(constraints, step, n_views) for step in steps]
    return Plan(
        order=np.array([k for k, _ in steps], dtype=np.int64),
        scopes=tuple(scope for _, scope in steps),
        starts=starts,
        n_sources=np.array([len(each) for each in senders], dtype=np.int64),
        penalties=np.concatenate(penalties),
        sources=np.concatenate([each.ravel() for each in (*sources, np.zeros(0, dtype=np.int64))]),
    )


def _states_in(step: tuple[int, tuple[int, ...]], n_views: int) -> dict[int, IntArray]:
    """State of every class of a step, over (joint states of the scope, own states)."""
    chosen, scope = step
    entry = np.arange(2 ** (n_views * len(scope)), dtype=np.int64)[:, None]
    states = {k: entry >> (n_views * i) & (2**n_views - 1) for i, k in enumerate(scope)}
    return {chosen: np.arange(2**n_views, dtype=np.int64)[None, :], **states}


def _entries_of(
    scope: tuple[int, ...], step: tuple[int, tuple[int, ...]], n_views: int
) -> IntArray:
    """Where the table over a scope is read for every joint state of a later step."""
    states = _states_in(step, n_views)
    shape = np.broadcast_shapes(*(each.shape for each in states.values()))
    entry = np.zeros(shape, dtype=np.int64)
    for i, k in enumerate(scope):
        entry += states[k] << (n_views * i)
    return entry


def _broken(constraints: Constraints, step: tuple[int, tuple[int, ...]], n_views: int) -> IntArray:
    """How many constraints between a class and its scope are broken, summed over the views."""
    chosen, scope = step
    states, on = _states_in(step, n_views), popcounts(n_views)
    count = np.zeros((2 ** (n_views * len(scope)), 2**n_views), dtype=np.int64)
    for child, parent in constraints.subset:
        if chosen in (child, parent) and {child, parent} <= set(states):
            count += on[states[child] & ~states[parent]]
    for one, other in constraints.mutex:
        if chosen in (one, other) and {one, other} <= set(states):
            count += on[states[one] & states[other]]
    return count


def solve_by_elimination(problem: Problem, plan: Plan) -> tuple[IntArray, BoolArray]:
    """Return the best joint state of every class of every object, known for all of them."""
    from manyviews.maths._assignment._elimination_kernel import eliminate

    gains = np.ascontiguousarray(np.moveaxis(problem.gains, 1, 2))  # objects side by side
    states = np.zeros(gains.shape[1:], dtype=np.int64)
    scope_starts = np.cumsum([0, *map(len, plan.scopes)], dtype=np.int64)
    scope_members = np.array([k for scope in plan.scopes for k in scope], dtype=np.int64)
    eliminate(
        gains,
        disagreement_of_states(problem),
        problem.penalty * plan.penalties,
        plan.order,
        plan.starts,
        plan.n_sources,
        plan.sources,
        scope_starts,
        scope_members,
        states,
    )
    return states.T, np.ones(problem.n_objects, dtype=bool)
