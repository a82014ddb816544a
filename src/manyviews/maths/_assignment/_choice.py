"""Which algorithm solves which problem: the quickest of those that are exact."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from manyviews.maths._assignment._cutset import find_cutset, n_operations, solve_by_cutset
from manyviews.maths._assignment._elimination import (
    elimination_steps,
    n_entries,
    plan_elimination,
    solve_by_elimination,
)
from manyviews.maths._assignment._flat import max_agree, one_label
from manyviews.maths._assignment._problem import Constraints, Problem, row_blocks
from manyviews.maths._assignment._programme import (
    Model,
    flat_model,
    hierarchical_model,
    one_label_model,
    solve_by_programme,
)
from manyviews.maths._assignment._reading import Solver
from manyviews.maths._assignment._tree import MOST_VIEWS
from manyviews.typing import BoolArray, IntArray

ENTRIES_AT_ONCE = 2**19  # gains of a block of objects, so that its copies stay small

Direct = Callable[[Problem], tuple[IntArray, BoolArray]]
"""An algorithm without a programme: the joint states, and for which objects they are the best."""


def solve_single(problem: Problem, solver: Solver) -> IntArray:
    """Choose exactly one label (Eq. 3)."""
    if solver == "milp":
        return solve_by_programme(problem, one_label_model(problem.gains.shape[2]))
    return one_label(problem.gains[0]).astype(np.int64)


def solve_flat(problem: Problem, solver: Solver) -> IntArray:
    """Choose about one label per view (Eq. 7, 8)."""
    return _solve(problem, max_agree, partial(flat_model, problem), solver)


def solve_hierarchical(problem: Problem, constraints: Constraints, solver: Solver) -> IntArray:
    """Choose sets of labels (Eq. 9, 10), separately where no constraint connects classes."""
    states = np.zeros(problem.gains.shape[1:], dtype=np.int64)
    for classes in constraints.components():
        part, inside = problem.columns(classes), constraints.within(classes)
        direct = None if solver == "milp" else _direct_algorithm(inside, problem.n_views)
        model = partial(hierarchical_model, part, inside)
        states[:, classes] = _solve(part, direct, model, solver)
    return states


def _direct_algorithm(constraints: Constraints, n_views: int) -> Direct | None:
    """Return the quicker of the algorithms without a programme, if there is one."""
    if n_views > MOST_VIEWS:
        return None
    cutset = find_cutset(constraints, n_views)
    if cutset is not None and not cutset.fixed:
        return partial(solve_by_cutset, constraints=constraints, cutset=cutset)
    steps = elimination_steps(constraints, n_views)
    if cutset is not None and (
        steps is None or n_operations(cutset, n_views) < n_entries(steps, n_views)
    ):
        return partial(solve_by_cutset, constraints=constraints, cutset=cutset)
    if steps is None:
        return None
    return partial(solve_by_elimination, plan=plan_elimination(steps, constraints, n_views))


def _solve(
    problem: Problem, direct: Direct | None, model: Callable[[], Model | None], solver: Solver
) -> IntArray:
    """Solve directly whoever can be, the others by HiGHS."""
    if solver == "milp":
        return solve_by_programme(problem, model())
    n_views, n_objects, n_classes = problem.gains.shape
    states = np.zeros((n_objects, n_classes), dtype=np.int64)
    left = np.full(n_objects, direct is None)
    if direct is not None:
        for rows in row_blocks(n_objects, max(1, ENTRIES_AT_ONCE // (n_views * n_classes))):
            states[rows], known = direct(problem.rows(rows))
            left[rows] = ~known
    if left.any():
        if solver == "exact":
            raise ValueError(
                f"There is no quick exact algorithm for {left.sum()} of {n_objects} objects, the "
                f"first in row {left.argmax()}: too many views, or too many constraints that "
                "cross; use solver='auto'."
            )
        states[left] = solve_by_programme(problem.rows(left), model())
    return states
