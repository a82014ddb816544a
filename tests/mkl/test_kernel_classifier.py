"""The classifier on a learnt kernel, and the choice of its C."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from manyviews.mkl import AverageKernel
from manyviews.mkl._classifier import (
    C_GRID,
    best_penalty,
    cut_folds,
    fit_classifier,
    fold_numbers,
    penalty_name,
    penalty_value,
)


def problem(n_objects=60, n_classes=2, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_objects) % n_classes
    rows = rng.normal(size=(n_objects, 4)) * noise + 1.5 * np.eye(n_classes, 4)[codes]
    return np.exp(-0.2 * ((rows[:, None] - rows) ** 2).sum(axis=-1)), codes


def test_folds_hold_every_class_evenly():
    codes = np.repeat([0, 1, 2], [9, 14, 2])
    numbers = fold_numbers(codes)
    counts = np.array([np.bincount(codes[numbers == fold], minlength=3) for fold in range(4)])
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_takes_the_smallest_c_with_the_fewest_errors(n_classes):
    gram, codes = problem(n_classes=n_classes)
    numbers = fold_numbers(codes)
    errors = []
    for C in C_GRID:
        wrong = 0
        for fold in range(4):
            rest, held = numbers != fold, numbers == fold
            model = OneVsRestClassifier(SVC(C=C, kernel="precomputed"))
            model.fit(gram[np.ix_(rest, rest)], codes[rest])
            wrong += (model.predict(gram[np.ix_(held, rest)]) != codes[held]).sum()
        errors.append(wrong)
    chosen = penalty_value(fit_classifier(gram, codes, None, "auto"))
    assert chosen == C_GRID[int(np.argmin(errors))]
    assert min(errors) < max(errors)


def test_a_limit_that_is_not_beaten_gives_nothing():
    gram, codes = problem()
    folds, machine = cut_folds(gram, codes), SVC(kernel="precomputed")
    best = best_penalty(folds, machine, C_GRID)
    assert best_penalty(folds, machine, C_GRID, best.errors) is None
    assert best_penalty(folds, machine, C_GRID, best.errors + 1) == best


def test_c_is_found_within_other_classifiers():
    gram, codes = problem(n_classes=3)
    machine = OneVsRestClassifier(SVC(kernel="precomputed"))
    assert penalty_name(machine) == "estimator__C"
    assert fit_classifier(gram, codes, machine, 3.0).estimators_[0].C == 3.0
    assert fit_classifier(gram, codes, SVC(C=7.0, kernel="precomputed"), None).C == 7.0
    assert machine.estimator.C == 1.0


def test_a_classifier_without_c_is_left_as_it_is():
    gram, codes = problem(20)
    model = fit_classifier(gram, codes, GaussianProcessClassifier(), "auto")
    assert penalty_value(model) is None
    assert model.predict(gram).shape == (20,)


def test_two_classes_are_one_plain_svm():
    gram, codes = problem()
    ours = fit_classifier(gram, codes, None, 2.0)
    plain = SVC(C=2.0, kernel="precomputed", tol=1e-6).fit(gram, codes)
    np.testing.assert_allclose(ours.decision_function(gram), plain.decision_function(gram))


def test_too_few_objects_to_cross_validate():
    model = fit_classifier(np.eye(2), np.array([0, 1]), None, "auto")
    assert model.C == 1.0


@pytest.mark.parametrize("C", [0.0, -1.0, "best"])
def test_what_is_no_c_is_refused(C):
    with pytest.raises(ValueError, match=r"C=.* should be a number above 0, 'auto', or None"):
        AverageKernel("linear", C=C).fit(np.eye(4), [0, 1, 0, 1])


def test_a_classifier_with_a_kernel_of_its_own_is_refused():
    with pytest.raises(ValueError, match="precomputed"):
        fit_classifier(np.eye(4), np.array([0, 1, 0, 1]), SVC(), 1.0)
