"""Support vector machines by scikit-learn, each object with a cost of its own."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from sklearn import config_context

from manyviews.semi_supervised._shared import early_ends, most_steps, refuse_extremes
from manyviews.semi_supervised._transduction._label_switching import Machine, Solve
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_ACCURACY, _NEWTON_ACCURACY = 1e-6, 1e-8
"""To which the conditions of an optimum hold; scikit-learn's 1e-3 would let order matter.

Newton's method gets from one to the other in a step, on features at the same scale.
"""
_INTERCEPT_SCALE = 10.0
"""The squared loss penalises an intercept b by (b / scale)² / 2, which is next to nothing."""
_MOST_NEWTON_STEPS = 100
"""On views at one scale some tens are enough; raw measurements took thousands, for minutes."""
LOWER = "lower C, C_unlabelled, class_weight or view_weights"


def hinge_machines(gram: FloatArray) -> Solve:
    """Return what trains machines with the hinge loss on a matrix of kernel values.

    Examples
    --------
    >>> solve = hinge_machines(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    >>> solve(np.array([1, -1]), np.array([9.0, 9.0])).decisions.round(3)
    array([ 1., -1.])
    """
    from sklearn.svm import SVC

    longest = float(np.abs(gram.diagonal()).max())

    def solve(labels: IntArray, costs: FloatArray) -> Machine:
        refuse_extremes(float(costs.max()), longest, remedy=LOWER)
        rows = np.flatnonzero(costs > 0)
        inside = gram if len(rows) == len(gram) else gram[np.ix_(rows, rows)]
        machine = SVC(
            kernel="precomputed", tol=_ACCURACY, max_iter=most_steps(len(gram)), random_state=0
        )
        with config_context(assume_finite=True), early_ends() as ended:
            machine.fit(inside, labels[rows], sample_weight=costs[rows])
        factors = np.zeros(len(gram))
        factors[rows[machine.support_]] = machine.dual_coef_[0]
        values = gram @ factors
        decisions = values + machine.intercept_[0]
        slack = np.maximum(1.0 - labels * decisions, 0.0)
        objective = 0.5 * factors @ values + costs @ slack  # OP 3 of Joachims 1999
        return Machine(
            decisions, float(objective), factors, float(machine.intercept_[0]), not ended
        )

    return solve


def squared_hinge_machines(rows: Matrix) -> Solve:
    """Return what trains linear machines with the squared hinge loss on features.

    Examples
    --------
    >>> solve = squared_hinge_machines(np.array([[1.0], [-1.0]]))
    >>> solve(np.array([1, -1]), np.array([1e6, 1e6])).decisions.round(3)
    array([ 1., -1.])
    """
    from sklearn.svm import LinearSVC

    if is_sparse(rows):
        rows = _with_short_numbers(rows)

    longest = float((rows * rows).sum(axis=1).max())

    def solve(labels: IntArray, costs: FloatArray) -> Machine:
        refuse_extremes(float(costs.max()), longest, remedy=LOWER)
        used = np.flatnonzero(costs > 0)
        machine = LinearSVC(
            dual=False,
            tol=_NEWTON_ACCURACY,
            intercept_scaling=_INTERCEPT_SCALE,
            max_iter=_MOST_NEWTON_STEPS,
            random_state=0,
        )
        with early_ends() as ended:
            machine.fit(rows[used], labels[used], sample_weight=costs[used])
        weights, intercept = machine.coef_[0], float(machine.intercept_[0])
        decisions = rows @ weights + intercept
        slack = np.maximum(1.0 - labels * decisions, 0.0)
        penalty = weights @ weights + (intercept / _INTERCEPT_SCALE) ** 2
        objective = 0.5 * penalty + costs @ slack**2
        return Machine(decisions, float(objective), weights, intercept, not ended)

    return solve


def _with_short_numbers(rows: csr_array) -> csr_array:
    """The same rows with 32-bit indices, which is all that LIBLINEAR takes."""
    indices, starts = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    return csr_array((rows.data, indices, starts), shape=rows.shape)
