"""Regression on aligned kernels: with one kernel it is scikit-learn's kernel ridge."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from manyviews import Views
from manyviews.mkl import KernelLibrary, TargetAlignmentRegressor
from manyviews.mkl.target_alignment import RIDGE_GRID, fit_ridge
from manyviews.similarity import RBF


def some_views(n_objects=60, seed=0):
    """A number that the first view tells, and noise beside it."""
    rng = np.random.default_rng(seed)
    signal, noise = rng.normal(size=(n_objects, 3)), rng.normal(size=(n_objects, 5))
    y = np.sin(signal[:, 0]) + 0.5 * signal[:, 1] + 0.1 * rng.normal(size=n_objects) + 20.0
    return Views({"signal": signal, "noise": noise}), y


@pytest.mark.parametrize("alpha", [1e-2, 1.0])
def test_one_kernel_is_kernel_ridge_on_the_centred_kernel(alpha):
    views, y = some_views()
    known, new = views[:40], views[40:]
    model = TargetAlignmentRegressor([RBF(0.3)], alpha=alpha).fit(known["signal"], y[:40])
    library = KernelLibrary([RBF(0.3)]).fitted(Views(known["signal"]))
    gram = library.gram(0)
    ridge = KernelRidge(alpha=alpha, kernel="precomputed").fit(gram, y[:40] - y[:40].mean())
    cross = library.new(Views(new["signal"])).gram(0)
    assert_allclose(model.predict(new["signal"]), ridge.predict(cross) + y[:40].mean())


def test_left_out_errors_are_those_of_leaving_out():
    views, y = some_views(25)
    gram, centred = rbf_kernel(views["signal"]), y - y.mean()
    found = fit_ridge(gram, centred, RIDGE_GRID)
    for alpha, error in zip(RIDGE_GRID, found.errors, strict=True):
        ridge = KernelRidge(alpha=alpha, kernel="precomputed")
        left_out = cross_val_predict(ridge, gram, centred, cv=LeaveOneOut())
        assert_allclose(error, np.mean((centred - left_out) ** 2), rtol=1e-6)
    assert found.alpha == RIDGE_GRID[found.errors.argmin()]


def test_the_view_that_tells_the_number_gets_the_weight():
    views, y = some_views(120)
    model = TargetAlignmentRegressor().fit(views[:80], y[:80])
    by_view = np.add.reduceat(model.kernel_weights_, [0, 5])
    assert by_view[0] > 5 * by_view[1]
    assert model.score(views[80:], y[80:]) > 0.8


def test_the_learnt_kernel_is_better_aligned_than_each_alone():
    views, y = some_views()
    model = TargetAlignmentRegressor(["linear", "rbf"]).fit(views, y)
    assert model.alignment_ >= model.alignments_.max() - 1e-12


@pytest.mark.parametrize("times", [1e-4, 1e5])
def test_neither_the_unit_of_a_view_nor_that_of_the_number_matters(times):
    views, y = some_views()
    plain = TargetAlignmentRegressor().fit(views[:40], y[:40]).predict(views[40:])
    scaled = Views({"signal": times * views["signal"], "noise": views["noise"]})
    model = TargetAlignmentRegressor().fit(scaled[:40], times * y[:40])
    assert_allclose(model.predict(scaled[40:]) / times, plain, rtol=1e-6)


def test_objects_without_a_number_take_no_part():
    views, y = some_views()
    gaps = np.where(np.arange(60) % 3 == 0, np.nan, y)
    known = np.flatnonzero(~np.isnan(gaps))
    one = TargetAlignmentRegressor().fit(views, gaps)
    other = TargetAlignmentRegressor().fit(views[known], y[known])
    assert_allclose(one.predict(views), other.predict(views))
    np.testing.assert_array_equal(one.known_, known)


def test_a_constant_number_is_predicted():
    views, _ = some_views(20)
    model = TargetAlignmentRegressor().fit(views, np.full(20, 3.0))
    assert_allclose(model.predict(views), 3.0)
