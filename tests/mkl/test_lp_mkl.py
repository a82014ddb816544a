"""LpMKL: the certificate, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from manyviews import Views
from manyviews.mkl import AverageKernel, KernelLibrary, LpMKL, SimpleMKL
from manyviews.mkl.lp_mkl import best_weights
from manyviews.mkl.one_stage import Point, Problem
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


@given(seed=st.integers(0, 10_000), p=st.sampled_from([1.2, 2.0, 5.0]), n_classes=st.integers(2, 3))
@settings(deadline=None, max_examples=10)
def test_no_weights_are_better_by_more_than_the_gap(seed, p, n_classes):
    views, y = some_views(seed, n_classes)
    model = LpMKL(KERNELS, p=p, C=1.0, tol=1e-3).fit(views, y)
    assert model.duality_gap_ <= 1e-3
    assert np.linalg.norm(model.kernel_weights_, p) == pytest.approx(1.0)
    problem = Problem(KernelLibrary(KERNELS).fitted(Views(views)), class_signs(y), 1.0, 1e-7)
    ours = problem.at(model.kernel_weights_).objective
    for drawn in np.random.default_rng(seed).exponential(size=(12, 6)):
        other = problem.at(drawn / np.linalg.norm(drawn, p))
        assert ours <= other.objective * (1 + 1.1e-3)


def test_the_weights_are_the_best_for_given_machines():
    rng = np.random.default_rng(0)
    weights, negative_gradient, p = rng.random(4), rng.random(4), 2.5
    found = best_weights(Point(weights, 0.0, negative_gradient, 0.0, 0.0), p)
    norms = 2 * weights**2 * negative_gradient
    sought = minimize(
        lambda logs: (norms / (np.exp(logs) / np.linalg.norm(np.exp(logs), p))).sum(),
        np.zeros(4),
        options={"gtol": 1e-9},
    )
    expected = np.exp(sought.x) / np.linalg.norm(np.exp(sought.x), p)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_the_objective_never_rises():
    views, y = some_views(1)
    history = LpMKL(KERNELS, p=1.3, C=10.0, tol=1e-4).fit(views, y).objective_history_
    assert len(history) > 2
    assert (np.diff(history) <= 1e-3 * history[0]).all()


@pytest.mark.parametrize("p", [1e6, np.inf])
def test_a_large_p_is_the_average(p):
    views, y = some_views(2)
    model = LpMKL(KERNELS, p=p, C=1.0).fit(views, y)
    np.testing.assert_allclose(model.kernel_weights_, 1.0, atol=1e-4)
    average = AverageKernel(KERNELS, C=6.0).fit(views, y)
    np.testing.assert_allclose(
        model.decision_function(views), average.decision_function(views), atol=1e-3
    )


def test_towards_one_it_is_simple_mkl():
    views, y = some_views(3)
    near = LpMKL(KERNELS, p=1.01, C=1.0, tol=1e-3, max_iter=2000).fit(views, y)
    simple = SimpleMKL(KERNELS, C=1.0, tol=1e-4).fit(views, y)
    assert near.objective_history_[-1] == pytest.approx(simple.objective_history_[-1], rel=0.02)


def test_the_smaller_p_the_sparser():
    views, y = some_views(4)
    shares = []
    for p in (1.1, 2.0, 8.0):
        weights = LpMKL(KERNELS, p=p, C=1.0).fit(views, y).kernel_weights_
        shares.append(weights.max() / weights.sum())
    assert shares[0] > shares[1] > shares[2]


def test_equal_kernels_share():
    views, y = some_views(5)
    model = LpMKL(RBF(0.3), C=1.0).fit({**views, "again": views["good"].copy()}, y)
    assert model.kernel_weights_[0] == pytest.approx(model.kernel_weights_[2])


@pytest.mark.parametrize("p", [1.0, 0.5])
def test_p_is_above_one(p):
    views, y = some_views()
    with pytest.raises(ValueError, match=r"p=.* should be a number above 1, inf included"):
        LpMKL(KERNELS, p=p).fit(views, y)


def test_a_p_next_to_one_overflows_nowhere():
    views, y = some_views()
    model = LpMKL(KERNELS, p=1 + 1e-9, C=1.0).fit(views, y)
    assert np.isfinite(model.duality_gap_)
    assert model.kernel_weights_.sum() == pytest.approx(1.0, abs=1e-6)
