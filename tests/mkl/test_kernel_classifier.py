"""The classifier on a learnt kernel, and the choice of its C."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from manyviews.mkl import AverageKernel, BestKernel
from manyviews.mkl.classifier import (
    C_GRID,
    best_penalty,
    cut_folds,
    fit_classifier,
    fold_numbers,
    most_iterations,
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
    gram = problem(len(codes))[0]
    numbers = fold_numbers(gram, codes)
    counts = np.array([np.bincount(codes[numbers == fold], minlength=3) for fold in range(4)])
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_takes_the_likeliest_c_with_the_fewest_errors(n_classes):
    gram, codes = problem(n_classes=n_classes)
    numbers = fold_numbers(gram, codes)
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
    folds = cut_folds(gram, fold_numbers(gram, codes), codes)
    machine = SVC(kernel="precomputed")
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


def test_folds_do_not_depend_on_the_order_of_the_objects():
    gram, codes = problem(50, n_classes=3)
    order = np.random.default_rng(1).permutation(50)
    again = fold_numbers(gram[np.ix_(order, order)], codes[order])
    np.testing.assert_array_equal(again, fold_numbers(gram, codes)[order])


def test_an_svm_that_takes_too_long_is_stopped_with_a_warning(monkeypatch):
    monkeypatch.setattr("manyviews.mkl.classifier.most_iterations", lambda _: 1)
    gram, codes = problem(noise=3.0)
    with pytest.warns(ConvergenceWarning, match=r"C=1e\+06 was stopped after 10 iterations"):
        model = fit_classifier(gram, codes, None, 1e6)
    assert model.predict(gram).shape == codes.shape


def test_an_svm_that_is_hard_to_solve_closely_is_solved_as_scikit_learn_does(monkeypatch):
    gram, codes = problem(noise=3.0)
    usual = SVC(C=1e3, kernel="precomputed").fit(gram, codes)
    enough = int(usual.n_iter_.max()) + 1
    monkeypatch.setattr("manyviews.mkl.classifier.most_iterations", lambda _: enough)
    monkeypatch.setattr("manyviews.mkl.classifier.FINAL_PATIENCE", 1)
    model = fit_classifier(gram, codes, None, 1e3)
    assert model.tol == 1e-3
    np.testing.assert_allclose(model.decision_function(gram), usual.decision_function(gram))


@pytest.mark.filterwarnings("ignore:feature 3 has")
def test_raw_features_of_any_size_do_not_hang():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=90)
    rows = rng.normal(size=(90, 5)) * 10.0 ** np.array([3, 4, 5, 6, 0]) + codes[:, None]
    model = BestKernel(["linear"]).fit(rows, codes)
    assert max(one.n_iter_.max() for one in model.estimator_.estimators_) < most_iterations(90)


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
