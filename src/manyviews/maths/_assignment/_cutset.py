"""Nearly a forest: try every state of the few classes that are in the way (Eq. 9, 10) [@dalvi2015].

With a class's state given, its constraints are gains and losses of the bits of its neighbours, and
what is left has fewer constraints. Once a forest is left the dynamic programme solves it. So large
groups of siblings stay cheap although some class has a second parent or excludes a cousin.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from manyviews.maths._assignment._problem import Constraints, Problem
from manyviews.maths._assignment._tree import (
    Forest,
    disagreement_of_states,
    read_forest,
    solve_tree,
)
from manyviews.typing import BoolArray, FloatArray, IntArray

MOST_TRIALS = 256  # joint states of the fixed classes


@dataclass(frozen=True)
class Cutset:
    """The classes to be fixed, the others, and the forest that they form."""

    fixed: tuple[int, ...]
    rest: tuple[int, ...]
    forest: Forest


@lru_cache(maxsize=16)
def find_cutset(constraints: Constraints, n_views: int) -> Cutset | None:
    """Return few classes without which a forest is left, or None where it takes too many."""
    fixed: list[int] = []
    while 2 ** (n_views * len(fixed)) <= MOST_TRIALS:
        rest = tuple(k for k in range(constraints.n_classes) if k not in fixed)
        inside = constraints.within(rest)
        forest = read_forest(inside)
        if forest is not None and rest:
            return Cutset(tuple(fixed), rest, forest)
        culprits = _culprits(inside)
        if not culprits:
            return None
        best = min(culprits, key=lambda k: (sum(_culprits(_without(inside, k)).values()), k))
        fixed.append(rest[best])
    return None


def _without(constraints: Constraints, k: int) -> Constraints:
    return constraints.within([other for other in range(constraints.n_classes) if other != k])


def _culprits(constraints: Constraints) -> Counter[int]:
    """How often each class has a part in what no forest has."""
    parents: dict[int, set[int]] = defaultdict(set)
    found: Counter[int] = Counter()
    for child, parent in constraints.subset:
        parents[child].add(parent)
    for child, above in parents.items():
        if len(above) > 1:
            found.update([child, *above])
    for one, other in constraints.mutex:
        if parents[one] != parents[other]:
            found.update([one, other])
    excluded = Constraints(constraints.n_classes, (), constraints.mutex)
    for group in excluded.components():
        for k in group:
            strangers = len(group) - 1 - len(excluded.neighbours[k])
            if strangers:
                found[k] += strangers
    return found


def n_operations(cutset: Cutset, n_views: int) -> int:
    """Return the effort per object, in entries of a table of elimination."""
    return int(2 ** (n_views * len(cutset.fixed)) * len(cutset.rest) * 12 * 4**n_views)


def solve_by_cutset(
    problem: Problem, constraints: Constraints, cutset: Cutset
) -> tuple[IntArray, BoolArray]:
    """Return the best joint state of every class, and for which objects it is known."""
    states = np.zeros(problem.gains.shape[1:], dtype=np.int64)
    best = np.full(problem.n_objects, -np.inf)
    known = np.ones(problem.n_objects, dtype=bool)
    free, fixed = np.array(cutset.rest), np.array(cutset.fixed, dtype=np.intp)
    rest = problem.columns(free)
    for trial in product(range(2**problem.n_views), repeat=len(cutset.fixed)):
        given = dict(zip(cutset.fixed, trial, strict=True))
        shift, broken = _effect(constraints, given, problem.n_views)
        moved = rest.gains + problem.penalty * shift[:, None, free]
        found, value = solve_tree(replace(rest, gains=moved), cutset.forest)
        known &= ~np.isnan(value)
        value += _own_value(problem, given) - problem.penalty * broken
        better = value > best
        best[better] = value[better]
        states[np.ix_(better, free)] = found[better]
        states[np.ix_(better, fixed)] = trial
    return states, known


def _own_value(problem: Problem, given: dict[int, int]) -> FloatArray:
    price = disagreement_of_states(problem)
    value = np.zeros(problem.n_objects)
    for k, state in given.items():
        value -= price[state]
        for view in range(problem.n_views):
            if state >> view & 1:
                value += problem.gains[view, :, k]
    return value


def _effect(
    constraints: Constraints, given: dict[int, int], n_views: int
) -> tuple[FloatArray, int]:
    """What the given states add to the bits of the others, in penalties, and break anyway."""
    shift = np.zeros((n_views, constraints.n_classes))
    broken = 0
    for view in range(n_views):
        on = {k: state >> view & 1 for k, state in given.items()}
        for child, parent in constraints.subset:
            if child in on and parent in on:
                broken += on[child] * (1 - on[parent])
            elif child in on:
                broken += on[child]
                shift[view, parent] += on[child]
            elif parent in on:
                shift[view, child] -= 1 - on[parent]
        for one, other in constraints.mutex:
            if one in on and other in on:
                broken += on[one] * on[other]
            elif one in on or other in on:
                shift[view, other if one in on else one] -= on[one] if one in on else on[other]
    return shift, broken
