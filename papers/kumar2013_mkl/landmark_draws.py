"""Landmarks drawn several times on one matrix of similarities, as in section 6.2.2.3."""

from __future__ import annotations

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from manyviews.typing import FloatArray, IntArray

N_DRAWS = 5
"""Selections of landmarks whose accuracies are averaged."""


class LandmarkDraws(ClassifierMixin, BaseEstimator):
    """Landmark classifiers, one per selection of landmarks, on one matrix of similarities."""

    def __init__(self, n_draws: int = N_DRAWS) -> None:
        self.n_draws = n_draws

    def fit(self, X: FloatArray, y: IntArray) -> Self:
        """Fit one classifier per selection."""
        from manyviews.mkl import LandmarkClassifier

        self.classes_ = np.unique(y)
        self.draws_ = [
            LandmarkClassifier("precomputed", random_state=draw).fit(X, y)
            for draw in range(self.n_draws)
        ]
        return self

    def predict(self, X: FloatArray) -> IntArray:
        """Classes by the first selection."""
        return np.asarray(self.draws_[0].predict(X))

    def accuracies(self, X: FloatArray, y: IntArray) -> list[float]:
        """Share of right answers by each selection."""
        return [float(each.score(X, y)) for each in self.draws_]
