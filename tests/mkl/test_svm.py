"""Our SVMs on a kernel matrix are scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from manyviews.mkl.classifier import Fold, answer_of, are_our_svms, svm, unfitted_classifier
from manyviews.mkl.svm import class_signs, fit_svms


def problem(seed=0, n_objects=50, n_classes=3, noise=1.0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n_objects) % n_classes
    rows = noise * rng.normal(size=(n_objects, 4)) + 1.5 * np.eye(n_classes, 4)[codes]
    return np.exp(-0.2 * ((rows[:, None] - rows) ** 2).sum(axis=-1)), codes


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 4),
    C=st.sampled_from([0.01, 1.0, 10.0, 1e3]),
    noise=st.sampled_from([0.5, 2.0]),
)
def test_svms_have_the_scores_of_scikit_learns(seed, n_classes, C, noise):
    gram, codes = problem(seed, n_classes=n_classes, noise=noise)
    signs = class_signs(codes)
    ours = fit_svms(gram, signs, C, tol=1e-6, max_iter=10**6)
    assert ours.coefficients.shape == signs.shape
    for number, own in enumerate(signs.T):
        theirs = SVC(C=C, kernel="precomputed", tol=1e-6).fit(gram, own)
        found = ours.decisions(gram)[:, number] - ours.intercepts[number]
        expected = theirs.decision_function(gram) - theirs.intercept_
        np.testing.assert_allclose(found, expected, atol=1e-4)
        if len(theirs.support_) > np.sum(np.abs(theirs.dual_coef_) == C):  # else it has a range
            assert ours.intercepts[number] == pytest.approx(theirs.intercept_[0], abs=1e-4)


def test_svms_on_the_margin_only_have_the_middle_of_the_range_as_intercept():
    gram, codes = problem(1, n_objects=24, n_classes=2)
    ours = fit_svms(gram, class_signs(codes), 1e-3, tol=1e-6, max_iter=1000)
    theirs = SVC(C=1e-3, kernel="precomputed", tol=1e-6).fit(gram, codes)
    assert np.abs(theirs.dual_coef_).min() == 1e-3
    assert ours.intercepts[0] == pytest.approx(theirs.intercept_[0], abs=1e-6)


def test_svms_that_start_near_take_fewer_steps_to_the_same_end():
    gram, codes = problem(2)
    near = gram + 0.01 * np.eye(len(gram))
    start = fit_svms(near, class_signs(codes), 10.0, tol=1e-6, max_iter=10**6)
    kept = start.coefficients.copy()
    cold = fit_svms(gram, class_signs(codes), 10.0, tol=1e-6, max_iter=10**6)
    warm = fit_svms(
        gram, class_signs(codes), 10.0, tol=1e-6, max_iter=10**6, warm_start=start.coefficients
    )
    assert warm.n_steps < cold.n_steps
    np.testing.assert_allclose(warm.decisions(gram), cold.decisions(gram), atol=1e-4)
    np.testing.assert_array_equal(start.coefficients, kept)


def test_svms_stop_where_they_are_told_to():
    gram, codes = problem(3, noise=3.0)
    assert fit_svms(gram, class_signs(codes), 1e6, tol=1e-9, max_iter=7).n_steps == 7


@pytest.mark.parametrize("n_classes", [2, 3])
def test_answers_without_estimators_are_those_of_the_estimators(n_classes):
    gram, codes = problem(4, n_objects=80, n_classes=n_classes)
    learnt, held = np.arange(60), np.arange(60, 80)
    fold = Fold(
        gram[np.ix_(learnt, learnt)], codes[:60], gram[np.ix_(held, learnt)], codes[60:], held
    )
    ours = unfitted_classifier(None, n_classes)
    assert are_our_svms(ours, n_classes)
    expected = ours.fit(fold.gram, fold.codes).predict(fold.held_out)
    np.testing.assert_array_equal(answer_of(fold, ours).classes, expected)


def test_svms_with_settings_of_a_user_are_not_ours():
    assert are_our_svms(svm(C=7.0), 2)
    assert not are_our_svms(svm(), 3)  # one against one
    assert not are_our_svms(svm(class_weight="balanced"), 2)
    assert not are_our_svms(OneVsRestClassifier(svm(tol=1e-2)), 3)
    assert are_our_svms(OneVsRestClassifier(svm(C=3.0)), 3)
