"""Forests of classes: an exact dynamic programme over groups of siblings (Eq. 9, 10) [@dalvi2015].

A class has 2^V states, one bit per view. Given its parent's state, what lies below a class depends
on nothing else, so that values go up the tree and choices come down. Siblings that exclude each
other are chosen together: they pay α₃·m(m - 1)/2 in a view where m of them are on, so that only the
counts per view need be carried along. The counts are small: turning one of m off saves α₃(m - 1),
so that in a best solution each of the m bits gains at least as much.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from manyviews.maths._assignment._problem import Constraints, Problem, popcounts
from manyviews.typing import FloatArray, IntArray

MOST_VIEWS = 6
MOST_ENTRIES = 2**20  # of the tables over counts per view and states
MOST_STEPS = 2**22  # per sibling and object; beyond it a mixed-integer programme is no slower


@dataclass(frozen=True)
class Forest:
    """Groups of siblings that exclude each other, every group after those below its members."""

    parents: IntArray  # class above each group, -1 for roots
    starts: IntArray
    members: IntArray


def read_forest(constraints: Constraints) -> Forest | None:
    """Return the groups of siblings, or None where the constraints are not those of a forest.

    Every class may have one parent, and exclusions must make siblings fall apart into groups in
    which all exclude each other.
    """
    parent = dict(constraints.subset)
    if len(parent) < len(constraints.subset) or _has_cycle(parent):
        return None
    excluded = Constraints(constraints.n_classes, (), constraints.mutex)
    groups = excluded.components()
    n_pairs = sum(len(group) * (len(group) - 1) // 2 for group in groups)
    if n_pairs != len({frozenset(pair) for pair in constraints.mutex}):
        return None
    if any(len({parent.get(k, -1) for k in group}) > 1 for group in groups):
        return None
    return _in_order(groups, parent)


def _has_cycle(parent: dict[int, int]) -> bool:
    for start in parent:
        above = start
        for _ in parent:
            above = parent.get(above, -1)
        if above in parent:  # as many steps up as there are pairs, and still not at a root
            return True
    return False


def _in_order(groups: list[list[int]], parent: dict[int, int]) -> Forest:
    below = defaultdict(list)
    for group in groups:
        below[parent.get(group[0], -1)].append(group)
    downwards: list[tuple[int, list[int]]] = [(-1, group) for group in below[-1]]
    for _, group in downwards:
        downwards.extend((k, further) for k in group for further in below[k])
    upwards = downwards[::-1]
    sizes = [len(group) for _, group in upwards]
    return Forest(
        np.array([above for above, _ in upwards], dtype=np.int64),
        np.cumsum([0, *sizes], dtype=np.int64),
        np.array([k for _, group in upwards for k in group], dtype=np.int64),
    )


def solve_tree(problem: Problem, forest: Forest) -> tuple[IntArray, FloatArray]:
    """Return the best joint state of every class, and their value for each object.

    The value is NaN, and the states are not the best, where so many siblings might be on at once
    that the table over their counts is too large.
    """
    from manyviews.maths._assignment._tree_kernel import solve_forest

    gains = np.ascontiguousarray(np.moveaxis(problem.gains, 0, 2))
    states = np.zeros(gains.shape[:2], dtype=np.int64)
    values = solve_forest(
        gains,
        disagreement_of_states(problem),
        problem.penalty,
        forest.parents,
        forest.starts,
        forest.members,
        _places(forest, problem.n_views),
        states,
    )
    return states, values


def _places(forest: Forest, n_views: int) -> IntArray:
    """Return where the tables over counts up to m = 1, 2, … begin, as far as there is room."""
    most = np.arange(1, np.diff(forest.starts).max() + 1)
    n_counts = (most + 1.0) ** n_views
    ends = np.cumsum(n_counts)
    small = (ends * 2**n_views <= MOST_ENTRIES) & (n_counts * 4**n_views <= MOST_STEPS)
    return np.array([0, 0, *ends[small]], dtype=np.int64)


def disagreement_of_states(problem: Problem) -> FloatArray:
    """Return what each joint state of a class pays: m views that are on differ from V - m."""
    on = popcounts(problem.n_views)
    price: FloatArray = problem.disagreement * on * (problem.n_views - on)
    return price
