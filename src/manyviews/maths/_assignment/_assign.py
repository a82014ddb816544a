"""Which labels an object gets, given its scores in several views; always the best [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyviews.maths._assignment._choice import solve_flat, solve_hierarchical, solve_single
from manyviews.maths._assignment._problem import Constraints, Problem, unpack
from manyviews.maths._assignment._reading import (
    Method,
    Solver,
    combined,
    read_alpha,
    read_method,
    read_ontology,
    read_scores,
    read_solver,
)
from manyviews.typing import BoolArray


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
