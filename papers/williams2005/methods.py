"""Four ways to the kernel matrix of rows with gaps, and one classifier for all of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.maths import to_dense
from manyviews.typing import FloatArray, IntArray
from papers.williams2005.data import Objects

COMPLETE = "complete data"
PROPOSED = "proposed"
CONDITIONAL = "conditional mean"
UNCONDITIONAL = "unconditional mean"
ESTIMATED = (PROPOSED, CONDITIONAL, UNCONDITIONAL)
METHODS = (COMPLETE, *ESTIMATED)

Kernels = dict[str, FloatArray]
"""Kernel matrices of all objects by method."""


@dataclass(frozen=True)
class Choices:
    """What the paper leaves open."""

    n_components: int | None = None
    """Of the mixture; ``None`` for as many as lower the Bayesian information criterion."""
    reg_covar: float = 0.01
    """Added to the variances of the mixture."""
    width: float = 1.0
    """σ of the kernel over the median distance."""
    inverse_penalty: float = 100.0
    """C of the logistic regression."""
    normalized: bool = False
    """Whether the proposed kernel is brought to ones in its diagonal."""


AS_MEASURED = Choices()


def fitted_mixture(rows: FloatArray, choices: Choices, seed: int) -> Any:
    """Learn a mixture from all rows, those for the test included."""
    if choices.n_components is not None:
        return _mixture(rows, choices.n_components, choices, seed)
    best, n_components = _mixture(rows, 1, choices, seed), 2
    while True:
        larger = _mixture(rows, n_components, choices, seed)
        if larger.bic(rows) >= best.bic(rows):
            return best
        best, n_components = larger, n_components + 1


def _mixture(rows: FloatArray, n_components: int, choices: Choices, seed: int) -> Any:
    from sklearn.exceptions import ConvergenceWarning

    from manyviews.similarity import IncompleteGaussianMixture

    model = IncompleteGaussianMixture(n_components, reg_covar=choices.reg_covar, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # with much missing EM creeps
        return model.fit(rows)


def kernel_matrices(objects: Objects, mixture: Any, choices: Choices) -> Kernels:
    """Compare all objects by every method, with one width for all."""
    from sklearn.frozen import FrozenEstimator

    from manyviews.similarity import (
        RBF,
        ConditionalMeanImputer,
        IncompleteRBF,
        UnconditionalMeanImputer,
    )

    rows = objects.rows
    median = IncompleteRBF(mixture).fitted(rows).sigma
    sigma = choices.width * float(median)
    proposed = IncompleteRBF(mixture, sigma, normalize=choices.normalized)
    ordinary = RBF(proposed.gamma)
    conditional = ConditionalMeanImputer(FrozenEstimator(mixture))
    filled = {
        CONDITIONAL: conditional.fit_transform(rows),
        UNCONDITIONAL: UnconditionalMeanImputer().fit_transform(rows),
    }
    if objects.complete is not None:
        filled[COMPLETE] = objects.complete
    found = {PROPOSED: proposed.gram(rows)}
    return found | {name: to_dense(ordinary.gram(whole)) for name, whole in filled.items()}


def relative_distance(kernel: FloatArray, true: FloatArray) -> float:
    """Euclidean distance of a matrix from the true one, over the length of the latter."""
    return float(np.linalg.norm(kernel - true) / np.linalg.norm(true))


def mean_auc(
    kernel: FloatArray, y: IntArray, training: IntArray, test: IntArray, choices: Choices
) -> float:
    """Area under the curve of each class against the rest, Eq. (5), in the mean.

    The classifier is a logistic regression on the similarities to the training objects.
    """
    from sklearn.metrics import roc_auc_score

    features, new = kernel[np.ix_(training, training)], kernel[np.ix_(test, training)]
    classes = np.unique(y)
    areas = []
    for label in classes if len(classes) > 2 else classes[1:]:
        model = _logistic_regression(choices).fit(features, y[training] == label)
        areas.append(roc_auc_score(y[test] == label, model.decision_function(new)))
    return float(np.mean(areas))


def _logistic_regression(choices: Choices) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=choices.inverse_penalty, solver="newton-cholesky", max_iter=200)
