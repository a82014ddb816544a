"""The loss of logistic regression with its slope and curvature, as sums over objects.

Weights have a row per class, and one row for two classes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from manyviews.semi_supervised._co_training._shares import class_scores, shares_of
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class Total:
    """Loss and slope summed over objects, at the same weights."""

    loss: float
    slope: FloatArray

    def __add__(self, other: Total) -> Total:
        return Total(self.loss + other.loss, self.slope + other.slope)


def class_shares_at(weights: FloatArray, rows: Matrix) -> FloatArray:
    """Probabilities of all classes, classes × objects; of the second one of two.

    Examples
    --------
    >>> class_shares_at(np.array([[1.0, -2.0]]), np.array([[2.0, 1.0], [3.0, 1.0]])).round(3)
    array([[0.5  , 0.731]])
    """
    return class_shares(class_scores(weights, rows))


def class_shares(scores: FloatArray) -> FloatArray:
    """Probabilities of all classes from scores; of the second one of two.

    Examples
    --------
    >>> class_shares(np.array([[0.0, 1.0]])).round(3)
    array([[0.5  , 0.731]])
    """
    return np.asarray(expit(scores)) if len(scores) == 1 else shares_of(scores)


def total_at(weights: FloatArray, rows: Matrix, targets: IntArray) -> Total:
    """Sum the loss, which is minus the log likelihood, and its slope over some objects.

    Examples
    --------
    >>> total = total_at(np.zeros((1, 1)), np.array([[2.0], [4.0]]), np.array([0, 1]))
    >>> round(total.loss, 3), total.slope
    (1.386, array([[-1.]]))
    """
    scores = class_scores(weights, rows)
    if len(scores) == 1:
        smaller = np.exp(-np.abs(scores))  # of the two odds, the larger being one
        sums = 1.0 + smaller
        loss = np.log(sums).sum() + np.maximum(scores, 0.0).sum() - scores[0] @ targets
        excess = np.where(scores >= 0.0, 1.0, smaller) / sums
        excess -= targets
    else:
        picked = targets, np.arange(len(targets))
        scores -= scores.max(axis=0)
        loss = -scores[picked].sum()
        excess = np.exp(scores, out=scores)
        sums = excess.sum(axis=0)
        loss += np.log(sums).sum()
        excess /= sums
        excess[picked] -= 1.0
    return Total(float(loss), _against(excess, rows))


def curvature_at(weights: FloatArray, rows: FloatArray) -> FloatArray:
    """Sum the second derivatives over some objects: a matrix over all weights, row by row.

    Examples
    --------
    >>> curvature_at(np.zeros((1, 2)), np.array([[2.0, 1.0], [4.0, 1.0]]))
    array([[5. , 1.5],
           [1.5, 0.5]])
    """
    shares = class_shares_at(weights, rows)
    n_functions, width = weights.shape
    if n_functions == 1:
        return np.asarray(rows.T @ (rows * (shares[0] * (1 - shares[0]))[:, None]))
    weighted = (shares.T[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)
    curved = -(weighted.T @ weighted)
    for function in range(n_functions):
        own = slice(function * width, (function + 1) * width)
        curved[own, own] += rows.T @ weighted[:, own]
    return np.asarray(curved)


def curvature_diagonal_at(weights: FloatArray, rows: Matrix) -> FloatArray:
    """Sum the second derivatives by each weight alone; shaped as the weights.

    Examples
    --------
    >>> curvature_diagonal_at(np.zeros((1, 2)), np.array([[2.0, 1.0], [4.0, 1.0]]))
    array([[5. , 0.5]])
    """
    shares = class_shares_at(weights, rows)
    squares = rows.multiply(rows).tocsr() if is_sparse(rows) else np.square(rows)
    return _against(shares * (1 - shares), squares)


def _against(values: FloatArray, rows: Matrix) -> FloatArray:
    """Sum the rows with the objects' values, which are classes × objects."""
    return (rows.T @ values.T).T if is_sparse(rows) else np.asarray(values @ rows)
