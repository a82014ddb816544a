"""Probabilities from scores: sure where the scores were right, in doubt where they were not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.svm import SVC

from manyviews.mkl import AverageKernel, LandmarkClassifier, TwoStageMKL
from manyviews.mkl.classifier import SHARPNESS_GRID, fit_sharpness, probabilities


def noisy_rows(n_objects=300, n_classes=3, noise=1.5, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_objects) % n_classes
    return rng.normal(size=(n_objects, 4)) * noise + 1.5 * np.eye(n_classes, 4)[codes], codes


@pytest.mark.parametrize("true", [0.25, 1.0, 4.0])
def test_the_sharpness_by_which_classes_were_drawn_is_found(true):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(4000, 3)) / true
    codes = np.array([rng.choice(3, p=each) for each in probabilities(scores, true)])
    assert fit_sharpness(scores, codes) == pytest.approx(true, rel=0.3)


def test_scores_that_say_nothing_give_equal_probabilities():
    rng = np.random.default_rng(0)
    sharpness = fit_sharpness(rng.normal(size=(3000, 2)), rng.integers(2, size=3000))
    assert sharpness < 0.1


def test_scores_without_an_error_leave_some_doubt():
    scores = np.where(np.arange(2) == np.array([0, 1] * 20)[:, None], 1.0, -1.0)
    sharpness = fit_sharpness(scores, np.array([0, 1] * 20))
    assert 1.0 < sharpness < SHARPNESS_GRID[-1]


def test_classes_that_a_fold_does_not_know_take_no_part():
    scores = np.array([[1.0, -1.0, -np.inf], [-1.0, 1.0, -np.inf], [0.5, 0.1, -np.inf]])
    assert fit_sharpness(scores, np.array([0, 1, 2])) == fit_sharpness(scores[:2], np.array([0, 1]))
    assert fit_sharpness(scores[2:], np.array([2])) == 1.0


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [AverageKernel("rbf", C=1.0), LandmarkClassifier(random_state=0)],
    ids=lambda model: type(model).__name__,
)
def test_probabilities_of_new_objects_are_better_than_the_shares_of_the_classes(model, n_classes):
    X, y = noisy_rows(n_classes=n_classes)
    model.fit(X[:150], y[:150])
    proba = model.predict_proba(X[150:])
    assert log_loss(y[150:], proba) < 0.95 * np.log(n_classes)
    np.testing.assert_array_equal(proba.argmax(axis=1), model.predict(X[150:]))


def test_a_forest_tells_probabilities_by_its_landmarks():
    X, y = noisy_rows(60)
    model = TwoStageMKL("rbf", combiner="forest", n_trees=20, n_pairs=500, random_state=0).fit(X, y)
    assert model.sharpness_ is None
    np.testing.assert_array_equal(model.predict_proba(X).argmax(axis=1), model.predict(X))


def test_scores_of_an_overfitted_svm_are_softened():
    X, y = noisy_rows(n_classes=2, noise=3.0)
    model = AverageKernel("rbf", C=100.0).fit(X[:150], y[:150])
    plain = probabilities(model.decision_function(X[150:]), 1.0)
    assert log_loss(y[150:], model.predict_proba(X[150:])) < log_loss(y[150:], plain)


def test_a_classifier_that_tells_no_probabilities_has_none_here():
    given = SVC(kernel="precomputed")
    assert not hasattr(AverageKernel("rbf", classifier=given), "predict_proba")
    X, y = noisy_rows()
    assert AverageKernel("rbf", classifier=given).fit(X, y).sharpness_ is None
