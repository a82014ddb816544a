"""CCA against its definition, scikit-learn, and the laws that canonical variates obey."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import eigh
from sklearn.cross_decomposition import CCA as ClassicalCCA  # noqa: N811
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, cross_val_score
from sklearn.utils.estimator_checks import (
    check_transformer_data_not_an_array,
    check_transformer_general,
    check_transformer_n_iter,
)

from manyviews import Views
from manyviews.embed import CCA
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.maths import canonical_pairs, generator

seeds = st.integers(0, 10**6)
DATA = os.environ.get("MANYVIEWS_DATA")


def related(n_objects, widths=(4, 3), seed=0, n_signals=2, noise=1.0):
    """Views that share a few signals, each with noise of its own."""
    rng = generator(seed)
    signals = rng.normal(size=(n_objects, n_signals))
    return {
        f"view{v}": signals @ rng.normal(size=(n_signals, width))
        + noise * rng.normal(size=(n_objects, width))
        for v, width in enumerate(widths)
    }


def variates(model, views):
    return list(model.transform_views(views).values())


def same_up_to_sign(one, other, **tolerance):
    signs = np.sign(np.einsum("ij,ij->j", one, other))
    np.testing.assert_allclose(one, other * signs, **tolerance)


# -- two views: the classical solution -----------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(seed=seeds, widths=st.tuples(st.integers(2, 5), st.integers(2, 5)))
def test_it_solves_the_generalised_eigenproblem(seed, widths):
    views = related(30, widths, seed)
    x, y = (view - view.mean(axis=0) for view in views.values())
    xy = x.T @ y
    squares = eigh(xy @ np.linalg.solve(y.T @ y, xy.T), x.T @ x, eigvals_only=True)[::-1][:2]
    model = CCA(2).fit(views)
    np.testing.assert_allclose(model.correlations_**2, squares, atol=1e-9)


def test_correlations_are_those_of_scikit_learn():
    views = related(200, (5, 4), seed=1)
    x, y = views.values()
    peer = ClassicalCCA(3, max_iter=5000, tol=1e-14).fit(x, y)
    scores = peer.transform(x, y)
    expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(scores[0].T, scores[1].T, strict=True)]
    np.testing.assert_allclose(CCA(3).fit(views).correlations_, expected, atol=1e-6)


@settings(deadline=None, max_examples=30)
@given(seed=seeds, noise=st.floats(0.01, 3.0), criterion=st.sampled_from(["maxvar", "sumcor"]))
def test_canonical_variates_are_uncorrelated_with_unit_variance(seed, noise, criterion):
    views = related(30, (4, 3), seed, noise=noise)
    model = CCA(3, criterion=criterion).fit(views)
    assert (np.diff(model.correlations_) <= 1e-9).all()
    assert ((model.correlations_ >= 0) & (model.correlations_ <= 1)).all()
    left, right = variates(model, views)
    for own in (left, right):
        np.testing.assert_allclose(own.T @ own / 30, np.eye(3), atol=1e-7)
        np.testing.assert_allclose(own.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(left.T @ right / 30, np.diag(model.correlations_), atol=1e-7)
    np.testing.assert_allclose(model.transform(views), (left + right) / 2)


@settings(deadline=None, max_examples=20)
@given(seed=seeds)
def test_invertible_maps_of_a_view_change_nothing(seed):
    views = related(40, (4, 3), seed)
    rng = generator(seed)
    maps = [np.linalg.qr(rng.normal(size=(w, w)))[0] * rng.uniform(0.1, 10, size=w) for w in (4, 3)]
    mapped = {
        name: view @ turn + rng.normal(size=len(turn))
        for (name, view), turn in zip(views.items(), maps, strict=True)
    }
    one, other = CCA(2).fit(views), CCA(2).fit(mapped)
    np.testing.assert_allclose(one.correlations_, other.correlations_, atol=1e-9)
    for before, after in zip(variates(one, views), variates(other, mapped), strict=True):
        same_up_to_sign(before, after, atol=1e-5)


@pytest.mark.parametrize("share", [0.0, 0.3, 5.0])
def test_the_ridge_is_that_of_canonical_pairs(share):
    views = related(60, (6, 5), seed=2)
    expected = canonical_pairs(*views.values(), n_components=3, regularization=share)
    model = CCA(3, share).fit(views)
    np.testing.assert_allclose(model.correlations_, expected.correlations, atol=1e-10)
    same_up_to_sign(model.weights_["view0"], expected.x_weights, atol=1e-9)


def test_each_view_has_its_own_ridge():
    views = related(60, (6, 5), seed=3)
    both = CCA(2, {"view1": 0.0, "view0": 3.0}).fit(views)
    assert both.regularization_ == {"view0": 3.0, "view1": 0.0}
    right = views["view1"] - views["view1"].mean(axis=0)
    spread = both.weights_["view1"].T @ (right.T @ right / 60) @ both.weights_["view1"]
    np.testing.assert_allclose(spread, np.eye(2), atol=1e-10)
    assert not np.allclose(both.weights_["view0"], CCA(2).fit(views).weights_["view0"])


def test_automatic_regularization_generalises_where_none_does_not():
    views = Views(related(130, (50, 40), seed=4))
    train, test = views[:100], views[100:]

    plain, auto = CCA(1).fit(train), CCA(1, "auto").fit(train)
    assert plain.correlations_[0] > 0.97
    assert auto.score(test) > 0.9 > plain.score(test) + 0.1
    assert all(0 < share < 10 for share in auto.regularization_.values())


def test_new_objects_correlate_as_their_variates_do():
    views = Views(related(90, (4, 3, 5), seed=21))
    model = CCA(2).fit(views[:50])
    np.testing.assert_allclose(model.correlate(views[:50]), model.correlations_, atol=1e-10)
    observed = np.ones((40, 3), dtype=bool)
    observed[::3, 1] = False
    new = views[50:].with_observed(observed)
    places = variates(model, views[50:])
    expected = np.zeros(2)
    for v, w in ((0, 1), (0, 2), (1, 2)):
        both = observed[:, v] & observed[:, w]
        expected += [np.corrcoef(places[v][both, k], places[w][both, k])[0, 1] for k in range(2)]
    np.testing.assert_allclose(model.correlate(new), expected / 3, atol=1e-10)
    assert model.score(new) == pytest.approx(expected.mean() / 3)
    with pytest.raises(UnobservedViewsError, match="no two views"):
        model.correlate({"view0": views["view0"]})


def test_loadings_are_correlations_with_the_own_variate():
    views = related(50, (4, 3, 2), seed=5)
    views["view1"][:, 1] = 3.0
    model = CCA(2, 0.1).fit(views)
    for (name, view), own in zip(views.items(), variates(model, views), strict=True):
        for feature in range(view.shape[1]):
            if view[:, feature].std() == 0:
                assert (model.loadings_[name][feature] == 0).all()
                continue
            expected = [np.corrcoef(view[:, feature], own[:, k])[0, 1] for k in range(2)]
            np.testing.assert_allclose(model.loadings_[name][feature], expected, atol=1e-10)


# -- one view, and more than two -----------------------------------------------------------------


def test_one_view_has_whitened_principal_components():
    from sklearn.decomposition import PCA

    points = related(40, (5,), seed=6)["view0"]
    expected = PCA(3, whiten=True).fit_transform(points) * np.sqrt(40 / 39)
    model = CCA(3).fit(points)
    same_up_to_sign(model.transform(points), expected, atol=1e-9)
    assert model.correlations_.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("criterion", ["maxvar", "sumcor"])
def test_pairs_of_three_views(criterion):
    views = related(80, (4, 3, 5), seed=7)
    model = CCA(2, criterion=criterion).fit(views)
    places = variates(model, views)
    for component in range(2):
        expected = np.corrcoef([own[:, component] for own in places])
        np.testing.assert_allclose(model.pair_correlations_[component], expected, atol=1e-10)
        mean = expected[np.triu_indices(3, 1)].mean()
        assert model.correlations_[component] == pytest.approx(mean)


def test_maxvar_gives_means_that_are_uncorrelated_and_shares_the_variance():
    views = related(2000, (4, 3, 5), seed=8)
    views["view2"] = generator(0).normal(size=(2000, 5))  # has no part in what the others share
    model = CCA(2).fit(views)
    places = variates(model, views)
    total = sum(own.T @ own / 2000 for own in places)
    np.testing.assert_allclose(total, 3 * np.eye(2), atol=1e-9)
    assert (places[2].var(axis=0) < 0.1 * places[0].var(axis=0)).all()
    mean = model.transform(views)
    assert abs(mean.T @ mean / 2000)[0, 1] < 1e-10


def test_sumcor_has_the_larger_sum_and_its_history_rises():
    views = related(60, (4, 3, 5), seed=9, noise=2.0)
    sums = {}
    for criterion in ("maxvar", "sumcor"):
        model = CCA(1, criterion=criterion).fit(views)
        sums[criterion] = model.correlations_[0]
    assert sums["sumcor"] >= sums["maxvar"] - 1e-12
    assert model.converged_
    assert np.diff(model.objective_history_).min() >= -1e-12
    assert model.objective_history_[-1] == pytest.approx(model.correlations_[0])
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        assert not CCA(1, criterion="sumcor", max_iter=1, tol=0.0).fit(views).converged_


@pytest.mark.parametrize("criterion", ["maxvar", "sumcor"])
def test_order_and_names_of_the_views_are_free(criterion):
    views = related(60, (4, 3, 5), seed=10)
    turned = {f"other{name}": views[name] for name in reversed(views)}
    one = CCA(2, criterion=criterion).fit(views)
    other = CCA(2, criterion=criterion).fit(turned)
    same_up_to_sign(one.transform(views), other.transform(turned), atol=1e-5)


def test_a_narrow_view_does_not_limit_the_others():
    views = related(60, (1, 4, 3), seed=11)
    for criterion in ("maxvar", "sumcor"):
        model = CCA(3, criterion=criterion).fit(views)
        assert model.transform(views).shape == (60, 3)
        assert np.isfinite(model.correlations_).all()
    with pytest.raises(ViewsError, match="choose at most 3"):
        CCA(4).fit(views)


# -- sparse, wide, large, in single precision ----------------------------------------------------


@pytest.mark.parametrize("density", [0.04, 0.5])
@pytest.mark.parametrize("share", [0.0, 0.2])
def test_sparse_is_dense(density, share):
    rng = generator(12)
    dense = {"a": rng.poisson(density, (300, 8)), "b": rng.poisson(density, (300, 6))}
    dense["b"][:, :3] += dense["a"][:, :3]
    dense["c"] = rng.normal(size=(300, 3)) + dense["a"][:, :3]
    packed = {name: sparse.csr_array(dense[name].astype(float)) for name in "ab"}
    packed["c"] = dense["c"]
    one, other = CCA(3, share).fit(dense), CCA(3, share).fit(packed)
    np.testing.assert_allclose(one.correlations_, other.correlations_, atol=1e-8)
    np.testing.assert_allclose(one.transform(dense), other.transform(packed), atol=1e-8)
    np.testing.assert_allclose(one.loadings_["a"], other.loadings_["a"], atol=1e-8)


def low_rank(n_objects, widths, rank, seed):
    rng = generator(seed)
    scores = rng.normal(size=(n_objects, 3))
    return {
        f"view{v}": 5.0
        + np.hstack([scores, rng.normal(size=(n_objects, rank - 3))])
        @ rng.normal(size=(rank, width))
        for v, width in enumerate(widths)
    }


@pytest.mark.parametrize("share", [0.1, "auto"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_randomised_is_exact_where_the_rank_is_low(share, form):
    views = {name: form(view) for name, view in low_rank(120, (40, 30, 4), 6, seed=13).items()}
    exact = CCA(2, share, solver="covariance").fit(views)
    quick = CCA(2, share, solver="randomized", rank=12, random_state=0).fit(views)
    assert sorted(quick.bases_) == ["view0", "view1"]
    assert quick.bases_["view0"].directions.shape == (40, 6)  # it varies in no more than these
    assert quick.regularization_ == pytest.approx(exact.regularization_, rel=1e-6)
    np.testing.assert_allclose(quick.correlations_, exact.correlations_, atol=1e-8)
    np.testing.assert_allclose(quick.transform(views), exact.transform(views), atol=1e-6)
    for name in views:
        np.testing.assert_allclose(quick.loadings_[name], exact.loadings_[name], atol=1e-6)
        np.testing.assert_allclose(quick.means_[name], exact.means_[name], atol=1e-9)


def test_few_objects_with_many_features_are_exact():
    views = related(40, (300, 30), seed=14, noise=3.0)
    quick, exact = CCA(2, 0.5, solver="randomized"), CCA(2, 0.5, solver="covariance")
    quick.set_params(rank=50).fit(views)
    exact.fit(views)
    np.testing.assert_allclose(quick.correlations_, exact.correlations_, atol=1e-9)
    np.testing.assert_allclose(quick.transform(views), exact.transform(views), atol=1e-7)


def test_the_solver_follows_the_widest_view():
    assert CCA(1, 0.5).fit(related(12, (300, 30))).solver_ == "covariance"
    model = CCA(1, 0.5).fit(related(12, (2001, 30)))
    assert model.solver_ == "randomized"
    assert model.bases_["view0"].kept == pytest.approx(1.0)


def test_wide_data_without_regularization_are_warned_of():
    rng = generator(15)
    views = {"genes": rng.normal(size=(30, 25)), "proteins": rng.normal(size=(30, 20))}
    with pytest.warns(UserWarning, match="'genes' and 'proteins'.*of 1 .16 of them"):
        model = CCA(18).fit(views)
    assert (model.correlations_[:16] > 1 - 1e-9).all()
    assert model.correlations_[17] < 1 - 1e-9
    CCA(2, {"genes": 0.0, "proteins": 0.5}).fit(views)  # one ridge is enough for no such law


def test_single_precision_and_a_large_mean():
    views = related(400, (4, 3), seed=16)
    exact = CCA(2).fit(views)
    single = {name: view.astype(np.float32) for name, view in views.items()}
    found = CCA(2).fit(single)
    np.testing.assert_allclose(found.correlations_, exact.correlations_, atol=1e-5)
    np.testing.assert_allclose(found.transform(single), exact.transform(views), atol=1e-4)
    far = {name: view + 1e6 for name, view in views.items()}
    moved = CCA(2).fit(far)
    np.testing.assert_allclose(moved.correlations_, exact.correlations_, atol=1e-7)
    np.testing.assert_allclose(moved.transform(far), exact.transform(views), atol=1e-6)


def test_sums_of_parts_teach_what_the_whole_teaches():
    views = Views(related(90, (30, 3), seed=17))
    for solver in ("covariance", "randomized"):
        model = CCA(2, 0.1, solver=solver, rank=20, random_state=0)
        whole = model.fit(views).transform(views)
        start = CCA(2, 0.1, solver=solver, rank=20, random_state=0).fit(views)
        parts = [start.summarize(views[rows]) for rows in (slice(10), slice(10, 60), slice(60, 90))]
        learnt = start.update(parts[2] + parts[0] + parts[1]).transform(views)
        np.testing.assert_allclose(learnt, whole, atol=1e-9)


@pytest.mark.parametrize("constant", [0.1, 1e6 / 3])
@pytest.mark.parametrize("solver", ["covariance", "randomized"])
def test_constant_features_are_not_taken_for_small_ones(constant, solver):
    views = related(101, (4, 3), seed=22)
    more = {n: np.hstack([view, np.full((101, 2), constant)]) for n, view in views.items()}
    observed = generator(0).random((101, 2)) < 0.8
    observed[:, 0] |= ~observed.any(axis=1)
    plain, padded = (Views(form, observed=observed) for form in (views, more))
    expected = CCA(2).fit(plain)
    for seed in range(30):  # one of four directions of three features varies by rounding only
        found = CCA(2, solver=solver, rank=4, random_state=seed).fit(padded)
        np.testing.assert_allclose(found.correlations_, expected.correlations_, atol=1e-9)
        np.testing.assert_allclose(found.loadings_["view1"][-2:], 0.0, atol=1e-12)
        again = found.update(found.summarize(padded[:50]) + found.summarize(padded[50:]))
        np.testing.assert_allclose(again.correlations_, expected.correlations_, atol=1e-9)


def test_a_failed_fit_leaves_the_old_one():
    views = related(60, (4, 3), seed=23)
    model = CCA(2, 0.5).fit(views)
    before = model.transform(views)
    with pytest.raises(ViewsError, match="at most 3"):
        model.set_params(n_components=4, regularization=0.1).fit(views)
    assert model.regularization_ == {"view0": 0.5, "view1": 0.5}
    np.testing.assert_array_equal(model.transform(views), before)


@pytest.mark.skipif(not DATA, reason="MANYVIEWS_DATA is not set")
def test_genes_and_lipids_of_mice_correlate_in_mice_not_seen():
    from manyviews.datasets import load_nutrimouse

    views, _ = load_nutrimouse()  # 120 and 21 features of 40 mice
    with pytest.warns(UserWarning, match="21 of them"):
        assert (CCA(2).fit(views).correlations_ > 1 - 1e-9).all()
    folds = KFold(5, shuffle=True, random_state=0)
    held_out = {
        share: cross_val_score(CCA(2, share), views, cv=folds).mean()
        for share in ("auto", 1e-6, 0.03, 0.3, 3.0)
    }
    assert held_out["auto"] > 0.85
    assert held_out["auto"] == pytest.approx(max(held_out.values()), abs=0.02)


# -- gaps ----------------------------------------------------------------------------------------


def test_covariances_are_over_the_objects_that_show_them():
    views = related(60, (3, 2), seed=18)
    seen = {"view0": np.arange(60) < 45, "view1": np.arange(60) >= 15}
    both = seen["view0"] & seen["view1"]
    model = CCA(2).fit(Views(views, observed=seen))
    x, y = (views[name][seen[name]] for name in views)
    np.testing.assert_allclose(model.means_["view0"], x.mean(axis=0))
    common = [views[name][both] - views[name][both].mean(axis=0) for name in views]
    roots = [np.linalg.cholesky(np.linalg.inv(np.cov(own.T, bias=True))) for own in (x, y)]
    left, _, right = np.linalg.svd(roots[0].T @ (common[0].T @ common[1] / both.sum()) @ roots[1])
    same_up_to_sign(model.weights_["view0"], (roots[0] @ left)[:, :2], atol=1e-9)
    same_up_to_sign(model.weights_["view1"], roots[1] @ right.T, atol=1e-9)
    places = variates(model, views)
    expected = [np.corrcoef(places[0][both, k], places[1][both, k])[0, 1] for k in range(2)]
    np.testing.assert_allclose(model.correlations_, expected, atol=1e-10)


def test_gaps_at_random_cost_little():
    views = related(3000, (5, 4, 3), seed=19)
    observed = generator(0).random((3000, 3)) < 0.7
    observed[~observed.any(axis=1), 0] = True
    whole, gappy = CCA(2).fit(views), CCA(2).fit(Views(views, observed=observed))
    np.testing.assert_allclose(gappy.correlations_, whole.correlations_, atol=0.05)
    places = gappy.transform_views(Views(views, observed=observed))
    assert np.isnan(places["view1"][~observed[:, 1]]).all()
    assert np.isfinite(places["view1"][observed[:, 1]]).all()
    only = gappy.transform({"view1": views["view1"]})
    np.testing.assert_allclose(only, gappy.transform_views(views)["view1"])


def test_two_views_that_never_meet_are_known_through_a_third():
    views = related(90, (3, 3, 3), seed=20)
    observed = np.ones((90, 3), dtype=bool)
    observed[:45, 2] = False
    observed[45:, 0] = False
    model = CCA(1).fit(Views(views, observed=observed))
    pairs = model.pair_correlations_[0]
    assert np.isnan(pairs[0, 2])
    assert model.correlations_[0] == pytest.approx((pairs[0, 1] + pairs[1, 2]) / 2)
    observed[:, 1] &= np.arange(90) < 45
    observed[45:, 2] = True
    with pytest.raises(UnobservedViewsError, match="'view2' is observed with no other"):
        CCA(1).fit(Views(views, observed=observed))


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_components": 2.5}, "n_components=2.5 should be an integer of at least 1"),
        ({"criterion": "sum"}, "criterion='sum' should be 'maxvar', or 'sumcor'"),
        ({"tol": -1.0}, "tol=-1.0 should be a number of at least 0"),
        ({"regularization": -1.0}, "regularization=-1.0 should be a number of at least 0, or 'au"),
        ({"regularization": [0.1, "much"]}, r"regularization\[1\]='much'"),
        ({"n_components": 4}, "choose at most 3"),
    ],
)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        CCA(**params).fit(related(20))


def test_progress_is_told(capsys):
    CCA(2, criterion="sumcor", verbose=2).fit(related(30, (3, 3, 3)))
    printed = capsys.readouterr().out
    assert "component 1" in printed
    assert "covariance, correlations" in printed


class Renamed(CCA):
    """The same under a name that scikit-learn has no opinion about."""


@pytest.mark.parametrize(
    "check",
    [
        check_transformer_general,
        check_transformer_data_not_an_array,
        check_transformer_n_iter,
    ],
)
def test_what_scikit_learn_asks_of_transformers(check):
    check("Renamed", Renamed())
