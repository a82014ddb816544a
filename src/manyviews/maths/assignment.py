"""Assign sets of labels to objects scored in several views; always the best sets [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from manyviews.maths._ontology import Ontology
from manyviews.maths.assignment_solvers import (
    MOST_HIERARCHICAL_VIEWS,
    Constraints,
    Model,
    Problem,
    elimination_steps,
    find_cutset,
    flat_model,
    hierarchical_model,
    max_agree,
    n_entries,
    n_operations,
    one_label,
    one_label_model,
    plan_elimination,
    row_blocks,
    solve_by_cutset,
    solve_by_elimination,
    solve_by_programme,
    unpack,
)
from manyviews.typing import BoolArray, FloatArray, IntArray

Method = Literal["sum", "product", "max_agree"]
Solver = Literal["auto", "exact", "milp"]

MOST_VIEWS = 62
"""The bits of a class, one per view, are kept in one signed integer of 64 bits."""
ENTRIES_AT_ONCE = 2**19
"""Gains of a block of objects: 4 MB, so that the copies that solvers make of it stay small."""


def assign_labels(
    scores: Sequence[Any],
    method: Method = "max_agree",
    ontology: Any = None,
    alpha: Sequence[float] = (0.5, 0.1, 1.0),
    solver: Solver = "auto",
) -> list[BoolArray]:
    """Assign labels to objects that are scored in several views; the best there is, always.

    Without an ontology the classes exclude each other: "sum" and "product" choose the one label
    with the highest sum or product of scores (Eq. 3), "max_agree" chooses labels view by view and
    pays for views that differ and for views with no label or with more than one (Eq. 7, 8). With an
    ontology an object gets any set of labels, also none, and pays for constraints that it breaks
    (Eq. 9, 10).

    Parameters
    ----------
    scores : sequence of arrays of shape (n_objects, n_classes), one per view
        How well each object fits each class; with an ontology in the order of its classes.
    method : {"sum", "product", "max_agree"}
        How the views are put together.
    ontology : Ontology, or what :meth:`Ontology.read` reads, optional
        Which classes contain and exclude each other.
    alpha : three numbers
        For "max_agree": the weights of the scores, of each class in which a pair of views differs,
        and of each constraint that a view breaks. "sum" and "product" take each broken constraint
        as 1, as printed in Eq. (9).
    solver : {"auto", "exact", "milp"}
        "exact" uses the direct algorithms alone and refuses where they would be slow, "milp" uses
        mixed-integer programming alone, "auto" the direct ones wherever they are quick.

    Returns
    -------
    list of bool arrays of shape (n_objects, n_classes), one per view
        The labels; the same in all views for "sum" and "product". Between assignments of the same
        value the choice is arbitrary but always the same, the first label where there is one only.

    Notes
    -----
    Classes without constraints between them are solved apart. A part that is a forest in which
    siblings exclude each other in groups, or not at all, is solved by dynamic programming over the
    tree, also when a few classes have to be tried out first because they disturb it; one of small
    width by elimination; any other by HiGHS, on the cores that ``joblib.parallel_config`` allows.

    Where this differs from the paper: Eq. (8) as printed leaves the slacks of the third view out of
    the penalty, here every view pays; Eq. (10), printed for two views, is taken over all pairs of
    views as in Eq. (8).

    Examples
    --------
    >>> scores = [[[0.9, 0.1, 0.2]], [[0.7, 0.8, 0.1]]]
    >>> assign_labels(scores, "sum")[0]
    array([[ True, False, False]])
    >>> one, other = assign_labels(scores, "max_agree", alpha=(0.5, 0.01, 1.0))
    >>> one, other
    (array([[ True, False, False]]), array([[False,  True, False]]))
    >>> pets = {"animal": ["cat", "dog"]}
    >>> assign_labels([[[0.3, 0.6, 0.5]]], "sum", ontology=pets)[0]
    array([[ True,  True, False]])

    References
    ----------
    [@dalvi2015], sections 2.3, 2.4 and 3
    """
    read_method(method)
    read_solver(solver)
    hierarchy, weights = read_ontology(ontology), read_alpha(alpha)
    stacked = read_scores(scores, hierarchy)
    if method == "max_agree":
        np.multiply(stacked, weights[0], out=stacked)  # a copy, ours to write into
        problem = Problem(stacked, weights[1], weights[2])
    else:
        problem = Problem(combined(stacked, method)[None], 0.0, 1.0)
    if hierarchy is not None:
        states = solve_hierarchical(problem, Constraints.of(hierarchy), solver)
    elif method == "max_agree":
        states = solve_flat(problem, solver)
    else:
        states = solve_single(problem, solver)
    found = unpack(states, problem.n_views)
    return found if method == "max_agree" else [found[0].copy() for _ in stacked]


# The value of an assignment, which the solvers make as large as can be ----------------------------


def assignment_value(
    scores: Sequence[Any],
    assignment: Sequence[Any],
    method: Method = "max_agree",
    ontology: Any = None,
    alpha: Sequence[float] = (0.5, 0.1, 1.0),
) -> FloatArray:
    """Return what an assignment of labels is worth, object by object.

    Parameters
    ----------
    scores, method, ontology, alpha
        As for :func:`assign_labels`.
    assignment : sequence of bool arrays of shape (n_objects, n_classes), one per view
        Which labels each object has in each view.

    Returns
    -------
    array of shape (n_objects,)
        The value; minus infinity where "sum" or "product" without an ontology have not exactly one
        label, or where their views differ.

    Examples
    --------
    >>> scores = [[[0.9, 0.1]], [[0.2, 0.6]]]
    >>> assignment_value(scores, [[[True, False]], [[False, True]]]).round(2)
    array([0.55])
    """
    read_method(method)
    hierarchy = read_ontology(ontology)
    stacked = read_scores(scores, hierarchy)
    bits = np.stack([np.asarray(each, dtype=bool) for each in assignment])
    if bits.shape != stacked.shape:
        raise ValueError(
            f"The assignment has shape {bits.shape}, the scores have {stacked.shape} (views, "
            "objects, classes); give one array per view, shaped as its scores."
        )
    if method == "max_agree":
        return _agreeing_value(stacked, bits, hierarchy, read_alpha(alpha))
    value = (bits[0] * combined(stacked, method)).sum(axis=1)
    if hierarchy is not None:
        value = value - hierarchy.violations(bits[0])  # Eq. (9)
    else:
        value = np.where(bits[0].sum(axis=1) == 1, value, -np.inf)  # Eq. (3)
    return np.where((bits == bits[0]).all(axis=(0, 2)), value, -np.inf)


def _agreeing_value(
    scores: FloatArray, bits: BoolArray, ontology: Ontology | None, alpha: tuple[float, ...]
) -> FloatArray:
    gain = (scores * bits).sum(axis=(0, 2))
    differing = sum(
        ((one != other).sum(axis=1) for one, other in combinations(bits, 2)),
        start=np.zeros(bits.shape[1]),
    )
    if ontology is None:
        broken = np.abs(bits.sum(axis=2) - 1).sum(axis=0)  # ζ and δ, Eq. (7), (8)
    else:
        broken = sum(ontology.violations(view) for view in bits)  # ζ and δ, Eq. (10)
    value: FloatArray = alpha[0] * gain - alpha[1] * differing - alpha[2] * broken
    return value


# Reading what users give --------------------------------------------------------------------------


def read_method(method: str) -> None:
    """Refuse what is not a way to assign labels."""
    if method == "cotrain":
        raise ValueError(
            "'cotrain' is no assignment of labels but a way to move centroids; use it as the "
            "assignment of SeededSphericalKMeans."
        )
    if method not in ("sum", "product", "max_agree"):
        raise ValueError(f"method should be 'sum', 'product' or 'max_agree', not {method!r}.")


def read_solver(solver: str) -> None:
    """Refuse an unknown solver."""
    if solver not in ("auto", "exact", "milp"):
        raise ValueError(f"solver should be 'auto', 'exact' or 'milp', not {solver!r}.")


def read_ontology(ontology: Any) -> Ontology | None:
    """Read an ontology, or none."""
    return None if ontology is None else Ontology.read(ontology)


def read_alpha(alpha: Sequence[float]) -> tuple[float, float, float]:
    """Read the weights of scores, disagreement and broken constraints."""
    weights = np.asarray(alpha, dtype=float)
    if weights.shape != (3,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(
            f"alpha should be three numbers that are not negative, not {alpha!r}: the weights of "
            "scores, of disagreement and of broken constraints."
        )
    return float(weights[0]), float(weights[1]), float(weights[2])


def read_scores(scores: Sequence[Any], ontology: Ontology | None) -> FloatArray:
    """Stack the scores of the views, shape (n_views, n_objects, n_classes)."""
    arrays = [np.asarray(each, dtype=float) for each in scores]
    if not arrays:
        raise ValueError("scores is empty; give one array per view.")
    if len(arrays) > MOST_VIEWS:
        raise ValueError(f"There are {len(arrays)} views; give at most {MOST_VIEWS}.")
    for view, array in enumerate(arrays):
        if array.ndim != 2 or array.shape[1] == 0:
            raise ValueError(
                f"The scores of view {view} have shape {array.shape}; give one row per object and "
                "one column per class."
            )
        if array.shape != arrays[0].shape:
            raise ValueError(
                f"The scores of view {view} have shape {array.shape}, those of view 0 "
                f"{arrays[0].shape}; give all views the same objects and classes."
            )
        bad = ~np.isfinite(array).all(axis=1)
        if bad.any():
            raise ValueError(
                f"The scores of view {view} are not finite in row {bad.argmax()}; leave out views "
                "that an object does not have."
            )
    if ontology is not None and arrays[0].shape[1] != len(ontology):
        raise ValueError(
            f"The scores have {arrays[0].shape[1]} columns but the ontology has {len(ontology)} "
            "classes; give one column per class, in the order of ontology.classes."
        )
    return np.stack(arrays)


def combined(scores: FloatArray, method: Method) -> FloatArray:
    """Return the effective score of SUMSCORE (Eq. 4) or PRODSCORE (Eq. 5)."""
    together: FloatArray = scores.sum(axis=0) if method == "sum" else scores.prod(axis=0)
    return together


# The choice of the solver: the quickest of those that are exact -----------------------------------


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
    if n_views > MOST_HIERARCHICAL_VIEWS:
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
