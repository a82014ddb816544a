"""Maximum entropy with soft labels: log-linear probabilities by limited-memory BFGS."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from manyviews.embed._features._ridge import column_squares
from manyviews.maths import log_softmax
from manyviews.typing import FloatArray, Matrix


@dataclass(frozen=True)
class Design:
    """Rows of a view with a constant beside them, which is never written down."""

    rows: Matrix
    constant: float
    """Its value; 0 for none."""
    penalty: float
    """λ, of the squares of all weights."""

    @property
    def n_weights(self) -> int:
        """One per feature, and one for the constant."""
        return int(self.rows.shape[1]) + 1

    def scores(self, weights: FloatArray) -> FloatArray:
        """``wᵀz`` of every row for every class."""
        found = np.asarray(self.rows @ weights[:-1])
        found += self.constant * weights[-1]
        return found

    def moments(self, shares: FloatArray) -> FloatArray:
        """Sum of the rows of each class, by their shares in it."""
        return np.vstack([self.rows.T @ shares, self.constant * shares.sum(axis=0)])


def design(rows: Matrix, *, regularization: float, fit_intercept: bool = True) -> Design:
    """Pose maximum entropy to a view, in its own scale.

    The penalty is ``regularization`` times the mean squared length of a row, and the constant as
    large as a feature is in the mean square: views that differ in scale or in width are treated
    alike, and no weight has a curvature far from that of the others. As a prior on the weights it
    gives scores of variance 1 / ``regularization``, however many objects there are.

    Examples
    --------
    >>> posed = design(np.array([[3.0, 0.0], [0.0, 4.0]]), regularization=0.1)
    >>> posed.penalty, posed.constant
    (1.25, 2.5)
    """
    rows = rows.astype(np.float64, copy=False)
    squared_length = float(column_squares(rows).sum()) / rows.shape[0]
    constant = float(np.sqrt(squared_length / rows.shape[1])) if fit_intercept else 0.0
    return Design(rows, constant, regularization * squared_length)


def maximum_entropy(
    posed: Design, shares: FloatArray, weights: FloatArray, *, max_iter: int, tol: float = 0.0
) -> FloatArray:
    """Improve the weights of ``P(y|z) ∝ exp(w(y)ᵀz)`` for objects that belong to classes in part.

    Parameters
    ----------
    posed : Design
        The objects.
    shares : array of shape (n, n_classes)
        Their soft labels.
    weights : array of shape (n_features + 1, n_classes)
        Where to start.
    max_iter : int
        Steps at most; each lowers Σ −shares·ln P + λ/2 |w|².
    tol : float
        Stop when no entry of the gradient, per object, is larger.

    Examples
    --------
    >>> posed = Design(np.eye(2), constant=0.0, penalty=0.1)
    >>> found = maximum_entropy(posed, np.eye(2), np.zeros((3, 2)), max_iter=50)
    >>> posed.scores(found).argmax(axis=1)
    array([0, 1])
    """
    n_objects, shape = posed.rows.shape[0], weights.shape
    wanted = posed.moments(shares)

    def cost(flat: FloatArray) -> tuple[float, FloatArray]:
        each = flat.reshape(shape)
        given, log_sums = log_softmax(posed.scores(each))
        value = log_sums.sum() + np.sum((posed.penalty / 2 * each - wanted) * each)
        gradient = posed.moments(given) - wanted + posed.penalty * each
        return float(value) / n_objects, gradient.ravel() / n_objects

    options = {"maxiter": max_iter, "gtol": tol, "ftol": 0.0}
    found = minimize(cost, weights.ravel(), jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x).reshape(shape)
