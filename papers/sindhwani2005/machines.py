"""Least squares and support vectors from a block of a kernel, also as classifiers."""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import numpy as np
from scipy.linalg import solve
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC

from manyviews.maths import to_dense
from manyviews.similarity import RBF, Linear
from manyviews.typing import FloatArray, IntArray, Matrix
from papers.sindhwani2005.pages import Columns

Loss: TypeAlias = Literal["squared", "hinge"]
TOLERANCE = 1e-6
"""Of the support vector machines, as in :class:`manyviews.semi_supervised.CoLaplacianSVM`."""


def coefficients(
    gram: FloatArray, signs: FloatArray, loss: Loss, gamma: float, *, constant: bool = True
) -> tuple[FloatArray, float]:
    """Coefficients and constant of least ``(1/l) Σ V(y, f) + γ |f|²``, Equation (1)."""
    if loss == "hinge":
        cost = 1.0 / (2.0 * len(gram) * gamma)
        machine = SVC(C=cost, kernel="precomputed", tol=TOLERANCE, random_state=0).fit(gram, signs)
        found = np.zeros(len(gram))
        found[machine.support_] = machine.dual_coef_[0]
        return found, float(machine.intercept_[0])
    asked = np.column_stack([signs, np.ones(len(gram))])
    system = gram + gamma * len(gram) * np.eye(len(gram))
    found, ones = solve(system, asked, assume_a="pos").T
    if not constant:
        return found, 0.0
    intercept = float(found.sum() / ones.sum())  # so that the coefficients sum to zero
    return found - intercept * ones, intercept


def decisions(
    columns: Columns,
    signs: FloatArray,
    rows: IntArray,
    loss: Loss,
    gamma: float,
    *,
    constant: bool = True,
) -> FloatArray:
    """Decisions about all objects, learnt from the labels of some."""
    block = columns.of(rows)
    found, intercept = coefficients(block[rows], signs[rows], loss, gamma, constant=constant)
    return block @ found + intercept


class KernelMachine(ClassifierMixin, BaseEstimator):
    """The same as a classifier, with probabilities that grow with the decision.

    ``width`` is the factor in a Gaussian kernel; None is the linear kernel. Least squares have no
    constant where ``constant`` is False.

    Examples
    --------
    >>> machine = KernelMachine("squared").fit(np.array([[1.0], [-1.0]]), np.array([1, 0]))
    >>> machine.predict_proba(np.array([[0.0], [2.0]])).round(2)
    array([[0.5 , 0.5 ],
           [0.02, 0.98]])
    """

    def __init__(
        self,
        loss: Loss = "squared",
        gamma: float = 0.01,
        *,
        width: float | None = None,
        constant: bool = True,
    ) -> None:
        self.loss = loss
        self.gamma = gamma
        self.width = width
        self.constant = constant

    def fit(self, X: Matrix, y: IntArray) -> Self:
        """Learn from two classes, numbered 0 and 1."""
        self.classes_ = np.unique(y)
        self.kernel_ = (Linear() if self.width is None else RBF(self.width)).fitted(X)
        self.rows_ = X
        signs = np.where(y == self.classes_[-1], 1.0, -1.0)
        self.coefficients_, self.intercept_ = coefficients(
            to_dense(self.kernel_.gram(X)), signs, self.loss, self.gamma, constant=self.constant
        )
        return self

    def predict_proba(self, X: Matrix) -> FloatArray:
        """Probability of both classes; ``f = ±1`` is as sure as logistic regression at ±2."""
        similar = to_dense(self.kernel_.cross(X, self.rows_))
        positive = expit(2.0 * (similar @ self.coefficients_ + self.intercept_))
        return np.column_stack([1.0 - positive, positive])
