"""Methods of other packages, where they are installed: imml, mvlearn, sslearn."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from benchmarks.quality._sets import Problem
from manyviews import Views
from manyviews.typing import FloatArray


def dense(views: Views) -> list[FloatArray]:
    """The views as these packages take them: dense, NaN where a view is unobserved."""
    found = []
    for name, matrix in views.items():
        rows = np.array(matrix.toarray() if hasattr(matrix, "toarray") else matrix, dtype=float)
        rows[~views.observed_in(name)] = np.nan
        found.append(rows)
    return found


class PeerClusterer:
    """A clusterer that takes a list of dense arrays."""

    def __init__(self, estimator: Any, *, gaps: bool) -> None:
        self.estimator = estimator
        self.gaps = gaps

    def fit_predict(self, X: Views) -> Any:
        if not self.gaps and not X.observed.all():
            raise ValueError("takes no gaps")
        return self.estimator.fit_predict(dense(X))


class PeerCoTraining:
    """sslearn's co-training with its default learner's place taken by logistic regression."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: Views, y: Any) -> PeerCoTraining:
        one, two = self._two(X)
        self.scalers_ = StandardScaler().fit(one), StandardScaler().fit(two)
        learner = import_module("sslearn.wrapper").CoTraining(
            LogisticRegression(max_iter=1000), random_state=self.seed
        )
        self.learner_ = learner.fit(
            self.scalers_[0].transform(one), y, self.scalers_[1].transform(two)
        )
        return self

    def predict(self, X: Views) -> Any:
        one, two = self._two(X)
        return self.learner_.predict(
            self.scalers_[0].transform(one), self.scalers_[1].transform(two)
        )

    def _two(self, X: Views) -> list[FloatArray]:
        if len(X.names) != 2 or not X.observed.all():
            raise ValueError("takes two views without gaps")
        return dense(X)


def peers(task: str) -> list[tuple[str, Callable[[Problem, int], Any]]]:
    """Names and makers of what is installed for a task."""
    found: list[tuple[str, Callable[[Problem, int], Any]]] = []
    if task == "clustering" and find_spec("imml"):
        found.append(("imml NEMO", _nemo))
    if task == "clustering" and find_spec("mvlearn"):
        found.append(("mvlearn co-regularised spectral", _mvlearn))
    if task == "few labels" and find_spec("sslearn"):
        found.append(("sslearn co-training", lambda _, seed: PeerCoTraining(seed)))
    return found


def _nemo(problem: Problem, seed: int) -> Any:
    method = import_module("imml.cluster").NEMO
    return PeerClusterer(method(problem.n_classes, random_state=seed), gaps=True)


def _mvlearn(problem: Problem, seed: int) -> Any:
    method = import_module("mvlearn.cluster").MultiviewCoRegSpectralClustering
    return PeerClusterer(method(problem.n_classes, random_state=seed), gaps=False)
