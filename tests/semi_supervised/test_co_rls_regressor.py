"""Co-RLS for numbers against kernel ridge regression, and against itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from manyviews import Views
from manyviews.semi_supervised import CoRLSRegressor
from manyviews.similarity import RBF


def curve(n=60, known=12, seed=0):
    """A number seen through two curved views, known for a few objects."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 3.0, n)
    views = {
        "a": np.column_stack([np.sin(t), np.cos(t)]) + 0.02 * rng.standard_normal((n, 2)),
        "b": np.column_stack([t**2, t]) + 0.02 * rng.standard_normal((n, 2)),
    }
    y = np.full(n, np.nan)
    rows = rng.permutation(n)[:known]
    y[rows] = t[rows]
    return views, y, t


def plain(**given):
    return CoRLSRegressor(RBF(0.5), **{"center": False, "relative": False, "gamma": 0.02} | given)


def test_one_view_is_kernel_ridge_regression():
    views, y, _ = curve()
    known = ~np.isnan(y)
    ours = plain().fit({"a": views["a"]}, y).predict({"a": views["a"]})
    ridge = KernelRidge(alpha=0.02 * known.sum(), kernel="rbf", gamma=0.5)
    np.testing.assert_allclose(ours, ridge.fit(views["a"][known], y[known]).predict(views["a"]))


def test_without_coupling_the_views_are_independent():
    views, y, _ = curve()
    joint = plain(coupling=0.0).fit(views, y).view_predictions(views)
    for name, matrix in views.items():
        alone = plain().fit({name: matrix}, y).predict({name: matrix})
        np.testing.assert_allclose(joint[name], alone, atol=1e-9)


def test_coupling_draws_the_views_together():
    views, y, _ = curve()
    apart = [plain(coupling=c).fit(views, y).disagreement_ for c in (0.0, 0.1, 1.0, 10.0)]
    assert all(np.diff(apart) < 0)


def test_the_known_numbers_are_kept_and_the_others_predicted():
    views, y, _ = curve()
    model = CoRLSRegressor().fit(views, y)
    known = ~np.isnan(y)
    assert np.array_equal(model.transduction_[known], y[known])
    np.testing.assert_allclose(model.transduction_[~known], model.predict(views)[~known])


@pytest.mark.parametrize("center", [True, False])
def test_primal_and_dual_agree(center):
    views, y, _ = curve()
    found = [
        CoRLSRegressor("linear", center=center, solver=solver).fit(views, y).predict(views)
        for solver in ("dual", "primal")
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7)


def test_an_object_is_predicted_from_the_views_it_has():
    views, y, _ = curve()
    model = CoRLSRegressor().fit(views, y)
    half = Views(views, observed={"b": np.zeros(len(y), dtype=bool)})
    np.testing.assert_allclose(model.predict(half), model.view_predictions(views)["a"])


def test_a_view_that_shows_no_known_number_is_moved_as_the_others():
    views, y, _ = curve()
    hidden = Views(views, observed={"b": np.isnan(y)})
    model = CoRLSRegressor().fit(hidden, y)
    assert np.isfinite(model.predict(views)).all()


def test_a_word_is_said_at_the_start_and_at_the_end(capsys):
    views, y, _ = curve()
    CoRLSRegressor(verbose=1).fit(views, y)
    first, last = capsys.readouterr().out.strip().splitlines()
    assert first.startswith("CoRLSRegressor: solving")
    assert "objective" in last
