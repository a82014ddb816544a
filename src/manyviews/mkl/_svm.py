"""Support vector machines of all classes on one kernel matrix, without the ceremony of estimators.

scikit-learn's SVC takes a millisecond around each fit to check what it is given; with a hundred
classes, kernels by the dozen and folds that was nine tenths of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.mkl._smo_kernel import intercept, minimise
from manyviews.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Machines:
    """Machines on one kernel, one for each column of signs."""

    coefficients: FloatArray
    """``y_i α_i``, objects × machines."""
    intercepts: FloatArray
    n_steps: int
    """What the longest of them took."""

    def decisions(self, rows: FloatArray) -> FloatArray:
        """Scores of objects, given their kernel with those learnt from: objects × machines."""
        return np.asarray(rows @ self.coefficients + self.intercepts)


def class_signs(codes: IntArray) -> FloatArray:
    """Targets ±1 of the machines: one for two classes, else each class against the rest."""
    classes = np.unique(codes)
    chosen = classes[1:] if len(classes) == 2 else classes
    return np.where(codes[:, None] == chosen, 1.0, -1.0)


def fit_svms(
    gram: FloatArray,
    signs: FloatArray,
    C: float,
    *,
    tol: float,
    max_iter: int,
    start: FloatArray | None = None,
) -> Machines:
    """Fit a machine for every column of signs.

    Parameters
    ----------
    gram : array of shape (n_objects, n_objects)
        The kernel.
    signs : array of shape (n_objects, n_machines)
        Targets ±1; both occur in every column.
    C : float
        What errors cost.
    tol : float
        By how much the conditions of optimality may be missed, as in scikit-learn's SVC.
    max_iter : int
        Most steps of a machine.
    start : array of shape (n_objects, n_machines), optional
        Coefficients to begin with, those of the same C on another kernel; zeros if not given.

    Examples
    --------
    >>> rows = np.array([[-2.0], [-1.0], [1.0], [3.0]])
    >>> signs = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    >>> machines = fit_svms(rows @ rows.T, signs, 10.0, tol=1e-6, max_iter=100)
    >>> machines.coefficients.ravel().round(3) + 0.0
    array([ 0. , -0.5,  0.5,  0. ])
    >>> machines.decisions(rows @ rows.T).ravel().round(3) + 0.0
    array([-2., -1.,  1.,  3.])
    """
    # As LIBSVM does, in single precision: what is equal up to rounding is so for the solver too,
    # and last digits do not choose its way.
    gram = np.ascontiguousarray(gram).astype(np.float32).astype(np.float64)
    targets = np.ascontiguousarray(signs.T)
    found = np.zeros(targets.shape) if start is None else np.array(start.T, order="C")
    residuals = targets - found @ gram if start is not None else targets.copy()
    intercepts, n_steps = np.empty(len(targets)), 0
    for number, own in enumerate(targets):
        row, left = found[number], residuals[number]
        n_steps = max(n_steps, minimise(gram, own, C, tol, max_iter, row, left))
        intercepts[number] = intercept(own, C, row, left)
    return Machines(found.T, intercepts, n_steps)
