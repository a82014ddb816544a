"""Naive Bayes of one view, for objects that belong to every class with some weight."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from manyviews.maths import Likelihood, log_softmax, safe_log
from manyviews.typing import FloatArray, IntArray, Matrix


class ViewNaiveBayes(ClassifierMixin, BaseEstimator):
    """Classify the rows of one matrix by a likelihood of them in each class.

    Rows that say nothing under the likelihood, such as those without a word, get the prior.
    """

    def __init__(self, likelihood: Likelihood[Any, Any]) -> None:
        self.likelihood = likelihood

    def fit(self, X: Matrix, y: IntArray, sample_weight: FloatArray) -> Self:
        """Learn from rows that have one class each."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        return self._fit(X, np.eye(len(self.classes_))[codes] * sample_weight[:, None])

    def fit_weighted(self, X: Matrix, weights: FloatArray) -> Self:
        """Learn from rows that belong to every class with some weight (rows × classes)."""
        self.classes_ = np.flatnonzero(weights.sum(axis=0) > 0)
        return self._fit(X, weights[:, self.classes_])

    def predict_proba(self, X: Matrix) -> FloatArray:
        """Return the probability of each class."""
        joint = np.tile(safe_log(self.prior_), (X.shape[0], 1))
        tells = np.flatnonzero(self.likelihood.informative(X))
        joint[tells] += self.likelihood.log_density(X[tells], self.parameters_)
        return log_softmax(joint)[0]

    def predict(self, X: Matrix) -> IntArray:
        """Return the most probable class."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _fit(self, X: Matrix, weights: FloatArray) -> Self:
        tells = np.flatnonzero(self.likelihood.informative(X))
        stats = self.likelihood.summarize(X[tells], weights[tells])
        self.parameters_ = self.likelihood.update(stats)
        mass = weights.sum(axis=0)
        self.prior_ = mass / mass.sum()
        return self
