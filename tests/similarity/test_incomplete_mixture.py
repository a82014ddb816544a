"""Mixtures from incomplete data against scikit-learn, closed forms and a numeric optimiser."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.mixture import GaussianMixture

from manyviews import Views
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.similarity import IncompleteGaussianMixture

LAW = settings(deadline=None, max_examples=15)


def groups(rng, n=120, width=4, n_groups=3):
    """Rows of some groups, each with a covariance of its own."""
    centres = 4 * rng.normal(size=(n_groups, width))
    roots = rng.normal(size=(n_groups, width, width))
    member = rng.integers(n_groups, size=n)
    noise = np.einsum("ij,ikj->ik", rng.normal(size=(n, width)), roots[member])
    return centres[member] + noise


def two_views(rng, n=120, lacking=0.3, cells=0.1):
    """Groups in two views, of which some are missing, and some cells."""
    rows = groups(rng, n, 5)
    rows[rng.random(rows.shape) < cells] = np.nan
    lacks = rng.random(n) < lacking
    second = rng.random(n) < 0.5
    rows[np.ix_(lacks & second, [3, 4])] = np.nan
    rows[np.ix_(lacks & ~second, [0, 1, 2])] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    return Views({"a": rows[:, :3], "b": rows[:, 3:]})


def steps(model, X, number):
    """Fit for a number of steps exactly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.set_params(max_iter=number, tol=0.0).fit(X)


def scikit_learn_steps(rows, shares, covariance, number, reg_covar):
    """scikit-learn's parameters after so many steps from given responsibilities."""
    start = steps(
        IncompleteGaussianMixture(
            shares.shape[1], covariance=covariance, init=shares, reg_covar=reg_covar
        ),
        rows,
        1,
    )
    mass = shares.sum(axis=0)
    means = shares.T @ rows / mass[:, None]
    spread = np.array(
        [
            (s[:, None] * (rows - m)).T @ (rows - m) / s.sum()
            for s, m in zip(shares.T, means, strict=True)
        ]
    ) + reg_covar * np.eye(rows.shape[1])
    precisions = np.linalg.inv(spread)
    if covariance == "diag":
        precisions = 1 / np.einsum("zii->zi", spread)
    reference = GaussianMixture(
        shares.shape[1],
        covariance_type=covariance,
        weights_init=mass / mass.sum(),
        means_init=means,
        precisions_init=precisions,
        max_iter=number,
        tol=0.0,
        reg_covar=reg_covar,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return reference.fit(rows), start


@pytest.mark.parametrize("covariance", ["full", "diag"])
@pytest.mark.parametrize("number", [1, 30])
def test_with_nothing_missing_it_is_scikit_learns_mixture(covariance, number):
    rng = np.random.default_rng(0)
    rows = groups(rng)
    shares = rng.dirichlet(np.ones(3), size=len(rows))
    theirs, one = scikit_learn_steps(rows, shares, covariance, number, 1e-6)
    ours = steps(one, rows, number)
    for name in ("weights_", "means_", "covariances_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(rows), theirs.score_samples(rows), atol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-6)
    assert ours.bic(rows) == pytest.approx(theirs.bic(rows), rel=1e-8)
    assert ours.aic(rows) == pytest.approx(theirs.aic(rows), rel=1e-8)
    assert ours.score(rows) == pytest.approx(theirs.score(rows), rel=1e-8)


@LAW
@given(seed=st.integers(0, 10**6), covariance=st.sampled_from(["full", "diag"]))
def test_the_likelihood_never_falls(seed, covariance):
    views = two_views(np.random.default_rng(seed))
    model = IncompleteGaussianMixture(2, covariance=covariance, reg_covar=0.0, random_state=0)
    history = steps(model, views, 12).objective_history_
    assert (np.diff(history) >= -1e-9 * np.abs(history[:-1])).all()
    assert history[-1] == pytest.approx(model.score(views), abs=1e-9)


def test_one_gaussian_with_one_gap_has_the_closed_form():
    """What is missing in one feature only: regress it on the other where both are there."""
    rng = np.random.default_rng(1)
    rows = rng.multivariate_normal([1.0, -2.0], [[2.0, 1.2], [1.2, 1.5]], 60)
    rows[:20, 1] = np.nan
    pairs = rows[20:]
    x = rows[:, 0]
    joint = np.cov(pairs.T, bias=True)
    slope = joint[0, 1] / joint[0, 0]
    mean = [x.mean(), pairs[:, 1].mean() + slope * (x.mean() - pairs[:, 0].mean())]
    left = joint[1, 1] - slope * joint[0, 1]
    covariance = [[x.var(), slope * x.var()], [slope * x.var(), left + slope**2 * x.var()]]
    model = IncompleteGaussianMixture(reg_covar=0.0, tol=1e-14, max_iter=500).fit(rows)
    assert model.converged_
    np.testing.assert_allclose(model.means_[0], mean, rtol=1e-5)
    np.testing.assert_allclose(model.covariances_[0], covariance, rtol=1e-5)


def test_one_gaussian_is_what_a_numeric_optimiser_finds():
    rng = np.random.default_rng(2)
    rows = rng.multivariate_normal([0, 0, 1], np.eye(3) + 0.5, 40)
    rows[rng.random(rows.shape) < 0.3] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    lower = np.tril_indices(3)

    def minus_log_likelihood(theta):
        root = np.zeros((3, 3))
        root[lower] = theta[3:]
        covariance, total = root @ root.T + 1e-12 * np.eye(3), 0.0
        for row in rows:
            seen = ~np.isnan(row)
            own = covariance[np.ix_(seen, seen)]
            gap = row[seen] - theta[:3][seen]
            total += 0.5 * (gap @ np.linalg.solve(own, gap) + np.linalg.slogdet(own)[1])
            total += 0.5 * seen.sum() * np.log(2 * np.pi)
        return total / len(rows)

    found = minimize(minus_log_likelihood, np.r_[np.zeros(3), np.eye(3)[lower]], method="BFGS")
    model = IncompleteGaussianMixture(reg_covar=0.0, tol=1e-13, max_iter=2000).fit(rows)
    assert model.score(rows) == pytest.approx(-found.fun, abs=1e-6)
    np.testing.assert_allclose(model.means_[0], found.x[:3], atol=2e-3)


def test_gaps_are_learnt_from():
    """The mean of a view seen only where another is large is corrected by that other view."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=4000)
    y = 2 * x + 0.1 * rng.normal(size=4000)
    y[x < 0] = np.nan
    model = IncompleteGaussianMixture().fit({"x": x[:, None], "y": y[:, None]})
    assert np.nanmean(y) > 1.5
    assert model.means_[0, 1] == pytest.approx(2 * x.mean(), abs=0.02)


def test_a_sample_with_gaps_gives_the_mixture_back():
    rng = np.random.default_rng(4)
    truth = IncompleteGaussianMixture(2, random_state=0).fit(groups(rng, 300, 3, 2))
    drawn, component = truth.sample(6000)
    assert drawn.shape == (6000, 3)
    assert np.bincount(component)[0] / 6000 == pytest.approx(truth.weights_[0], abs=0.03)
    rows = np.array(drawn)
    rows[rng.random(rows.shape) < 0.3] = np.nan
    rows = rows[~np.isnan(rows).all(axis=1)]
    model = IncompleteGaussianMixture(2, random_state=1).fit(rows)
    order = np.argsort(np.linalg.norm(model.means_[:, None] - truth.means_, axis=2), axis=0)[0]
    np.testing.assert_allclose(model.means_[order], truth.means_, atol=0.3)
    np.testing.assert_allclose(model.weights_[order], truth.weights_, atol=0.03)


def test_chunks_take_the_step_of_the_whole():
    views = two_views(np.random.default_rng(5))
    model = IncompleteGaussianMixture(2, reg_covar=1e-3, random_state=0)
    before, after = steps(model, views, 3), steps(IncompleteGaussianMixture(2), views, 1)
    after.set_params(reg_covar=1e-3, random_state=0)
    after = steps(after, views, 4)
    cut = len(views) // 2
    before.update(before.summarize(views[:cut]) + before.summarize(views[cut:]))
    np.testing.assert_allclose(before.means_, after.means_, atol=1e-8)
    np.testing.assert_allclose(before.covariances_, after.covariances_, atol=1e-8)


@LAW
@given(seed=st.integers(0, 10**6))
def test_order_of_objects_and_views_is_free(seed):
    rng = np.random.default_rng(seed)
    views = two_views(rng, 60)
    shares = rng.dirichlet(np.ones(2), size=len(views))
    turned = rng.permutation(len(views))
    one = steps(IncompleteGaussianMixture(2, init=shares), views, 5)
    other = steps(IncompleteGaussianMixture(2, init=shares[turned]), views[turned], 5)
    swapped = steps(IncompleteGaussianMixture(2, init=shares), views.subset(["b", "a"]), 5)
    columns = [3, 4, 0, 1, 2]
    np.testing.assert_allclose(other.means_, one.means_, atol=1e-6)
    np.testing.assert_allclose(swapped.means_, one.means_[:, columns], atol=1e-6)
    np.testing.assert_allclose(swapped.score_samples(views), one.score_samples(views), atol=1e-6)


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_groups_may_lie_far_apart(covariance):
    rng = np.random.default_rng(12)
    rows = 1e-2 * rng.normal(size=(80, 2)) + 1e6 * (np.arange(80) < 30)[:, None]
    model = IncompleteGaussianMixture(2, covariance=covariance, reg_covar=0.0, random_state=0)
    model.fit(rows)
    variances = np.sort(
        model.covariances_.ravel()
        if covariance == "diag"
        else np.einsum("zii->zi", model.covariances_).ravel()
    )
    expected = np.sort([rows[:30].var(axis=0), rows[30:].var(axis=0)], axis=None)
    np.testing.assert_allclose(variances, expected, rtol=1e-6)


def test_one_feature_is_enough():
    rows = np.concatenate([np.random.default_rng(6).normal(size=(50, 1)) + at for at in (0, 9)])
    model = IncompleteGaussianMixture(2, random_state=0).fit(rows)
    np.testing.assert_allclose(np.sort(model.means_.ravel()), [0, 9], atol=0.5)
    assert len(set(model.predict(rows[:50]))) == 1


def test_sparse_and_single_precision_say_the_same():
    from scipy.sparse import csr_array

    rng = np.random.default_rng(7)
    views = two_views(rng, cells=0.0)
    sparse = Views(
        {"a": views["a"], "b": csr_array(np.nan_to_num(views["b"]))}, observed=views.observed
    )
    single = {name: matrix.astype(np.float32) for name, matrix in views.items()}
    dense = IncompleteGaussianMixture(2, random_state=0).fit(views)
    other = IncompleteGaussianMixture(2, random_state=0).fit(sparse)
    rough = IncompleteGaussianMixture(2, random_state=0).fit(single)
    np.testing.assert_allclose(other.means_, dense.means_, atol=1e-10)
    np.testing.assert_allclose(rough.means_, dense.means_, atol=1e-3)


def test_views_that_are_left_out_of_new_objects_are_missing():
    views = two_views(np.random.default_rng(8))
    model = IncompleteGaussianMixture(2, random_state=0).fit(views)
    new = model.conditional({"b": [[0.5, 1.0]]})
    assert not new.observed[new.pattern[0]][:3].any()
    assert new.covariances[0].shape == (2, 5, 5)
    assert model.predict_proba({"b": [[0.5, 1.0]]}).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_a_component_without_objects_is_harmless(covariance):
    rows = np.repeat(np.eye(2), 10, axis=0)
    model = IncompleteGaussianMixture(3, covariance=covariance, random_state=0)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model.fit(rows)
    assert np.isfinite(model.score(rows))
    assert model.weights_.sum() == pytest.approx(1.0)


def test_it_warns_when_it_has_not_converged():
    with pytest.warns(ConvergenceWarning, match="raise max_iter"):
        IncompleteGaussianMixture(3, max_iter=1, tol=0.0).fit(groups(np.random.default_rng(9)))


def test_more_starts_are_never_worse():
    rows = groups(np.random.default_rng(10), 150, 3, 5)
    scores = [
        IncompleteGaussianMixture(5, n_init=n, random_state=0).fit(rows).objective_history_[-1]
        for n in (1, 4)
    ]
    assert scores[1] >= scores[0]


ROWS = np.random.default_rng(11).normal(size=(6, 3))
HOLE = np.where(np.arange(3) == 1, np.nan, ROWS)
FLAT = np.where(np.arange(3) == 1, 5.0, ROWS)


@pytest.mark.parametrize(
    ("parameters", "data", "error", "message"),
    [
        ({"n_components": 7}, ROWS, ValueError, "more than there are objects, 6"),
        ({"n_components": 0}, ROWS, ValueError, "an integer of at least 1"),
        ({"covariance": "tied"}, ROWS, ValueError, "'full', or 'diag'"),
        ({"reg_covar": -1.0}, ROWS, ValueError, "at least 0"),
        (
            {"init": "random"},
            ROWS,
            ValueError,
            "init='random' should be 'k-means\\+\\+', or an array",
        ),
        ({"init": np.ones((5, 1))}, ROWS, ValueError, r"shape \(6, 1\)"),
        ({"init": -np.ones((6, 1))}, ROWS, ValueError, "at least 0"),
        ({"init": np.full((6, 1), "a")}, ROWS, ValueError, "at least 0"),
        ({"init": np.eye(6)[:, :1]}, ROWS, ValueError, "for each object"),
        ({"n_components": 2, "init": np.eye(2)[[0] * 6]}, ROWS, ValueError, "each component"),
        ({"max_iter": 0}, ROWS, ValueError, "at least 1"),
        ({}, {"a": ROWS, "b": None}, UnobservedViewsError, "view 'b' is observed for no object"),
        ({}, {"a": ROWS, "b": HOLE}, ViewsError, "feature 1 of view 'b' is NaN in every object"),
        ({"reg_covar": 0.0}, {"a": ROWS, "b": FLAT}, ViewsError, "feature 1 of view 'b' has the"),
        ({"reg_covar": 0.0}, np.hstack([ROWS, ROWS]), ValueError, "positive definite"),
        ({}, ROWS[:1], ViewsError, "minimum of 2"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(parameters, data, error, message):
    with pytest.raises(error, match=message):
        IncompleteGaussianMixture(**parameters).fit(data)


def test_the_name_of_a_feature_is_said():
    views = Views({"a": ROWS, "b": FLAT}, feature_names={"b": ["x", "flat", "z"]})
    with pytest.raises(ViewsError, match=r"feature 1 \('flat'\) of view 'b'"):
        IncompleteGaussianMixture(reg_covar=0.0).fit(views)


def test_a_constant_feature_is_no_trouble_with_some_regularisation():
    model = IncompleteGaussianMixture().fit({"a": ROWS, "b": FLAT})
    assert model.covariances_[0, 4, 4] == pytest.approx(1e-6)


@pytest.mark.parametrize("ask", ["sample", "update", "summarize"])
def test_before_fit_it_says_so(ask):
    with pytest.raises(NotFittedError):
        getattr(IncompleteGaussianMixture(), ask)(*([] if ask == "sample" else [ROWS]))


def test_samples_are_repeatable_and_counted():
    model = IncompleteGaussianMixture(covariance="diag", random_state=0).fit({"a": ROWS, "b": ROWS})
    one, other = model.sample(3)[0], model.sample(3)[0]
    assert one.names == ("a", "b")
    assert one.equals(other)
    for wrong in (0, 2.5, np.nan, "many", None, 10**15):
        with pytest.raises(ValueError, match=f"n_samples={wrong!r} should be an integer from 1"):
            model.sample(wrong)


def test_a_variance_whose_reciprocal_overflows_is_refused():
    views = Views({"a": np.column_stack([np.arange(20.0), np.ones(20)])})
    with pytest.raises(ValueError, match="not positive definite"):
        IncompleteGaussianMixture(2, covariance="diag", reg_covar=1e-320).fit(views)
