"""SimpleMKL: the certificate, the simplex, and what weights have to be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from manyviews import Views
from manyviews.mkl import KernelLibrary, LpMKL, SimpleMKL
from manyviews.mkl.one_stage import Problem
from manyviews.mkl.svm import class_signs
from manyviews.similarity import RBF

KERNELS = ["linear", RBF(0.05), RBF(1.0)]


def some_views(seed=0, n_classes=2, n_objects=40):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    return {
        "good": rng.normal(size=(n_objects, 3)) + np.eye(n_classes, 3)[y],
        "noise": rng.normal(size=(n_objects, 3)),
    }, y


def svm_objective(gram, y, C):
    """The SVM objective at its minimum, from scikit-learn, classes against the rest summed."""
    total = 0.0
    for own in class_signs(y).T:
        model = SVC(C=C, kernel="precomputed", tol=1e-5).fit(gram, own)
        coefficients = np.zeros(len(y))
        coefficients[model.support_] = model.dual_coef_[0]
        total += np.abs(coefficients).sum() - coefficients @ gram @ coefficients / 2
    return total


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 3), C=st.sampled_from([0.1, 1.0, 5.0]))
@settings(deadline=None, max_examples=10)
def test_no_weights_are_better_by_more_than_the_gap(seed, n_classes, C):
    views, y = some_views(seed, n_classes)
    model = SimpleMKL(KERNELS, C=C, tol=1e-3).fit(views, y)
    kernels = KernelLibrary(KERNELS).fitted(Views(views))
    assert 0 <= model.duality_gap_ <= 1e-3
    assert model.kernel_weights_.sum() == pytest.approx(1.0)
    assert (model.kernel_weights_ >= 0).all()
    ours = svm_objective(kernels.combined(model.kernel_weights_), y, C)
    drawn = np.random.default_rng(seed).dirichlet(np.full(6, 0.3), size=10)
    for weights in [*np.eye(6), np.full(6, 1 / 6), *drawn]:
        assert ours <= svm_objective(kernels.combined(weights), y, C) * (1 + 1.1e-3)


def test_the_objective_never_rises_and_is_the_svms():
    views, y = some_views(1)
    model = SimpleMKL(KERNELS, C=10.0, tol=1e-4).fit(views, y)
    assert (np.diff(model.objective_history_) <= 1e-9).all()
    kernels = KernelLibrary(KERNELS).fitted(Views(views))
    expected = svm_objective(kernels.combined(model.kernel_weights_), y, 10.0)
    assert model.objective_history_[-1] == pytest.approx(expected, rel=1e-4)


def test_the_gradient_is_that_of_the_objective():
    views, y = some_views(2, n_classes=3)
    problem = Problem(KernelLibrary(KERNELS).fitted(Views(views)), class_signs(y), 1.0, 1e-9)
    weights = np.array([0.1, 0.2, 0.3, 0.2, 0.1, 0.1])
    here, step = problem.at(weights), 1e-5
    for number in range(6):
        change = step * np.eye(6)[number]
        slope = problem.at(weights + change).objective - problem.at(weights - change).objective
        assert -here.negative_gradient[number] == pytest.approx(slope / (2 * step), rel=1e-3)


def test_the_gap_is_the_distance_of_primal_and_dual():
    views, y = some_views(3)
    kernels = KernelLibrary(KERNELS).fitted(Views(views))
    point = Problem(kernels, class_signs(y), 5.0, 1e-8).at(np.full(6, 1 / 6))
    gradient = point.negative_gradient
    exact = (gradient.max() - point.weights @ gradient) / point.objective
    assert point.gap(np.inf) == pytest.approx(exact, rel=1e-4)
    rough = Problem(kernels, class_signs(y), 5.0, 1e-1).at(np.full(6, 1 / 6))
    assert rough.primal >= point.objective * (1 - 1e-9)


def test_equal_kernels_share():
    views, y = some_views(4)
    twice = {"good": views["good"], "again": views["good"].copy(), "noise": views["noise"]}
    model = SimpleMKL(RBF(0.3), C=1.0, tol=1e-3).fit(twice, y)
    good, again, _ = model.kernel_weights_
    assert good == pytest.approx(again)
    once = SimpleMKL(RBF(0.3), C=1.0, tol=1e-3).fit(views, y)
    assert good + again == pytest.approx(once.kernel_weights_[0], abs=0.02)


def test_the_order_of_kernels_does_not_matter():
    views, y = some_views(5)
    one = SimpleMKL(KERNELS, C=1.0).fit(views, y)
    other = SimpleMKL(KERNELS, C=1.0).fit(dict(reversed(views.items())), y)
    weights = dict(zip(other.kernel_names_, other.kernel_weights_, strict=True))
    expected = [weights[name] for name in one.kernel_names_]
    np.testing.assert_allclose(one.kernel_weights_, expected, atol=1e-6)


def test_one_kernel_is_a_plain_svm():
    views, y = some_views(6)
    model = SimpleMKL(RBF(0.5), C=2.0).fit(views["good"], y)
    gram = KernelLibrary(RBF(0.5)).fitted(Views(views["good"])).gram(0)
    plain = SVC(C=2.0, kernel="precomputed", tol=1e-6).fit(gram, y)
    np.testing.assert_allclose(
        model.decision_function(views["good"]), plain.decision_function(gram), atol=1e-5
    )


def test_unobserved_views_are_taken():
    views, y = some_views(7)
    gaps = Views(views).with_observed({"good": np.arange(40) % 4 > 0})
    model = SimpleMKL(KERNELS, C=1.0).fit(gaps, y)
    assert model.duality_gap_ <= model.tol
    assert set(model.predict({"noise": views["noise"]})) <= {0, 1}


def test_c_comes_from_cross_validation_or_the_classifier():
    views, y = some_views(8)
    auto = SimpleMKL(KERNELS).fit(views, y)
    assert {auto.learning_C_, auto.C_} <= {10.0**power for power in range(-2, 5)}
    own = SimpleMKL(KERNELS, classifier=SVC(C=3.0, kernel="precomputed"), C=None).fit(views, y)
    assert (own.learning_C_, own.C_) == (3.0, 3.0)


@pytest.mark.parametrize("kind", [SimpleMKL, LpMKL])
def test_an_open_gap_is_warned_of(kind):
    views, y = some_views(9)
    with pytest.warns(ConvergenceWarning, match="duality gap"):
        model = kind(KERNELS, C=1.0, max_iter=1, tol=1e-6).fit(views, y)
    assert not model.converged_
    with pytest.raises(ValueError, match="max_iter"):
        kind(KERNELS, max_iter=0).fit(views, y)
    with pytest.raises(ValueError, match="tol"):
        kind(KERNELS, tol=-1.0).fit(views, y)
