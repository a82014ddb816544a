"""Naive Bayes EM against plain loops, scikit-learn, and the laws of its objective."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import gammaln, logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB

from manyviews import Views
from manyviews.datasets import make_token_views
from manyviews.exceptions import UnobservedViewsError, ViewsError
from manyviews.maths import Bernoulli, Gaussian, Multinomial, VonMisesFisher
from manyviews.semi_supervised import NaiveBayesEM, NaiveBayesStatistics

quick = settings(deadline=None, max_examples=25)
seeds = st.integers(0, 10_000)


def counts(seed, n=40, widths=(6, 5), groups=3, length=8):
    """Bags of words whose preferred words depend on the group, in several views."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    views = []
    for width in widths:
        topics = rng.dirichlet(np.full(width, 0.5), size=groups)
        views.append(np.stack([rng.multinomial(length, topics[g]) for g in group]).astype(float))
    return views, group


def few_labels(group, labelled=9):
    return np.where(np.arange(len(group)) < labelled, group, -1)


def fitted(X, y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return NaiveBayesEM(**{"likelihood": "multinomial"} | params).fit(X, y)


def looped_em(views, observed, y, *, n_classes, weight, alpha, class_alpha, n_iter):
    """EM with multinomials, one number at a time."""
    n = len(y)
    posterior = [[float(y[i] == c) for c in range(n_classes)] for i in range(n)]
    importance = [1.0 if y[i] >= 0 else 0.0 for i in range(n)]
    for number in range(n_iter + 1):
        mass = [
            class_alpha + sum(importance[i] * posterior[i][c] for i in range(n))
            for c in range(n_classes)
        ]
        prior = [m / sum(mass) for m in mass]
        theta = []
        for v, X in enumerate(views):
            rows = [i for i in range(n) if observed[i][v]]
            sums = [
                [
                    alpha + sum(importance[i] * posterior[i][c] * X[i, w] for i in rows)
                    for w in range(X.shape[1])
                ]
                for c in range(n_classes)
            ]
            theta.append([[value / sum(row) for value in row] for row in sums])
        if number == n_iter:
            break
        for i in range(n):
            importance[i] = 1.0 if y[i] >= 0 else weight
            if y[i] >= 0:
                continue
            joint = [
                prior[c]
                * np.prod(
                    [
                        theta[v][c][w] ** X[i, w]
                        for v, X in enumerate(views)
                        if observed[i][v]
                        for w in range(X.shape[1])
                    ]
                )
                for c in range(n_classes)
            ]
            posterior[i] = [value / sum(joint) for value in joint]
    return np.array(prior), [np.array(each) for each in theta]


@pytest.mark.parametrize(("weight", "class_alpha"), [(1.0, 0.0), (0.3, 1.0)])
def test_it_does_what_plain_loops_do(weight, class_alpha):
    views, group = counts(0, n=18)
    y = few_labels(group, 6)
    observed = np.ones((18, 2), bool)
    observed[[2, 7, 8], 0] = False
    observed[[5, 11], 1] = False
    prior, theta = looped_em(
        views, observed, y, n_classes=3, weight=weight, alpha=0.5, class_alpha=class_alpha, n_iter=3
    )
    model = fitted(
        Views({"a": views[0], "b": views[1]}, observed=observed),
        y,
        weight=weight,
        alpha=0.5,
        class_alpha=class_alpha,
        max_iter=3,
        tol=0.0,
    )
    np.testing.assert_allclose(model.class_prior_, prior, rtol=1e-10)
    for name, expected in zip("ab", theta, strict=True):
        np.testing.assert_allclose(model.parameters_[name].probabilities, expected, rtol=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
def test_without_weight_it_is_multinomial_nb(sparse):
    (X,), group = counts(1, widths=(7,))
    y = few_labels(group)
    theirs = MultinomialNB(alpha=0.7).fit(X[y >= 0], y[y >= 0])
    ours = fitted(csr_array(X) if sparse else X, y, weight=0.0, alpha=0.7)
    expected = theirs.predict_log_proba(X)
    np.testing.assert_allclose(ours.predict_log_proba(X), expected, rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-10)
    assert ours.converged_


def test_without_weight_it_is_bernoulli_and_gaussian_nb():
    (X,), group = counts(2, widths=(7,))
    y = few_labels(group, 15)
    known = y >= 0
    present = (X > 0).astype(float)
    theirs = BernoulliNB(alpha=0.7).fit(present[known], y[known])
    ours = fitted(present, y, likelihood="bernoulli", weight=0.0, alpha=0.7)
    np.testing.assert_allclose(ours.predict_proba(present), theirs.predict_proba(present))
    reg = 1e-3 * X[known].var(axis=0).max()
    theirs = GaussianNB(var_smoothing=1e-3).fit(X[known], y[known])
    ours = fitted(X, y, likelihood=Gaussian("diag", reg=reg), weight=0.0)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)


def test_gaussian_by_name_has_a_variance_per_feature():
    (X,), group = counts(2, widths=(7,))
    named, given = (
        fitted(X, few_labels(group, 15), likelihood=value)
        for value in ("gaussian", Gaussian("diag"))
    )
    np.testing.assert_array_equal(named.predict_proba(X), given.predict_proba(X))


@pytest.mark.parametrize("weight", [0.2, 1.0])
def test_labels_for_all_leave_nothing_to_weigh(weight):
    views, group = counts(3)
    model = NaiveBayesEM("multinomial", weight=weight).fit(views, group)
    supervised = [MultinomialNB().fit(X, group) for X in views]
    expected = sum(
        each.predict_joint_log_proba(X) for each, X in zip(supervised, views, strict=True)
    )
    expected -= supervised[0].class_log_prior_  # once is enough
    expected -= logsumexp(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_log_proba(views), expected, atol=1e-10)
    assert model.n_iter_ == 1
    np.testing.assert_array_equal(model.transduction_, group)


@quick
@given(
    seed=seeds,
    weight=st.floats(0.0, 2.0),
    alpha=st.floats(0.01, 2.0),
    class_alpha=st.floats(0.0, 2.0),
)
def test_log_posterior_never_falls(seed, weight, alpha, class_alpha):
    (words, links), group = counts(seed, n=30)
    observed = np.random.default_rng(seed).random((30, 2)) < 0.8
    observed[~observed.any(axis=1), 0] = True
    views = Views({"words": words, "links": (links > 0).astype(float)}, observed=observed)
    model = fitted(
        views,
        few_labels(group),
        likelihood={"words": "multinomial", "links": "bernoulli"},
        weight=weight,
        alpha=alpha,
        class_alpha=class_alpha,
        max_iter=30,
        tol=0.0,
    )
    history = model.objective_history_
    assert (np.diff(history) >= -1e-9 * np.abs(history[:-1])).all()
    if weight > 0.1:
        assert history[-1] > history[0]


@quick
@given(seed=seeds)
def test_log_posterior_never_falls_for_points(seed):
    rng = np.random.default_rng(seed)
    group = np.arange(60) % 2
    X = rng.normal(size=(60, 3)) + 1.5 * group[:, None]
    model = fitted(X, few_labels(group, 30), likelihood=Gaussian("diag", reg=0.0), tol=0.0)
    assert (np.diff(model.objective_history_) >= -1e-9).all()


def test_objective_is_the_log_posterior_by_hand():
    (X,), group = counts(4, n=20, widths=(5,))
    y = few_labels(group, 6)
    model = fitted(X, y, weight=0.4, alpha=0.6, class_alpha=0.8, max_iter=4, tol=0.0)
    log_theta = model.parameters_["view0"].log_probabilities
    log_class = np.log(model.class_prior_)
    orders = gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)
    joint = X @ log_theta.T + log_class + orders[:, None]
    known = y >= 0
    value = joint[known, y[known]].sum() + 0.4 * logsumexp(joint[~known], axis=1).sum()
    value += 0.6 * log_theta.sum() + 0.8 * log_class.sum()
    assert model.objective_history_[-1] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("family", [Bernoulli(alpha=0.5), Gaussian("diag", reg=1e-2)])
def test_features_that_are_independent_may_be_cut_into_views(family):
    views, group = counts(5)
    views = [(X > 1).astype(float) for X in views]
    y = few_labels(group)
    cut = fitted(views, y, likelihood=family, max_iter=20)
    whole = fitted(np.hstack(views), y, likelihood=family, max_iter=20)
    np.testing.assert_allclose(cut.predict_proba(views), whole.predict_proba(np.hstack(views)))


@quick
@given(seed=seeds)
def test_an_object_twice_at_half_the_weight_is_the_object(seed):
    views, group = counts(seed, n=24)
    y = few_labels(group)
    twice = np.r_[np.flatnonzero(y >= 0), np.repeat(np.flatnonzero(y < 0), 2)]
    once = fitted(views, y, max_iter=5, tol=0.0)
    doubled = fitted([X[twice] for X in views], y[twice], weight=0.5, max_iter=5, tol=0.0)
    np.testing.assert_allclose(once.predict_proba(views), doubled.predict_proba(views), rtol=1e-8)


def test_sparse_and_single_precision_say_the_same():
    views, group = counts(6)
    y = few_labels(group)
    dense = fitted(views, y)
    sparse = fitted([csr_array(X) for X in views], y)
    single = fitted([csr_array(X.astype(np.float32)) for X in views], y)
    np.testing.assert_allclose(dense.predict_proba(views), sparse.predict_proba(views), atol=1e-12)
    np.testing.assert_allclose(dense.predict_proba(views), single.predict_proba(views), atol=1e-3)


def test_a_view_is_judged_alone_and_new_objects_may_lack_it():
    views, group = counts(7)
    named = {"words": views[0], "links": views[1]}
    model = fitted(named, few_labels(group))
    observed = np.ones((40, 2), bool)
    observed[3, 0] = False
    holed = Views(named, observed=observed)
    by_view = model.view_probabilities(holed)
    assert np.isnan(by_view["words"][3]).all()
    assert np.isfinite(np.delete(by_view["words"], 3, axis=0)).all()
    np.testing.assert_allclose(model.predict_proba(holed)[3], by_view["links"][3])
    product = by_view["words"] * by_view["links"] / model.class_prior_
    product /= product.sum(axis=1, keepdims=True)
    rows = np.arange(40) != 3
    np.testing.assert_allclose(model.predict_proba(holed)[rows], product[rows], rtol=1e-10)


def test_a_row_without_a_direction_says_nothing():
    rng = np.random.default_rng(0)
    group = np.arange(30) % 3
    X = rng.normal(size=(30, 4)) + 4 * np.eye(4)[group]
    model = fitted(X, few_labels(group), likelihood=VonMisesFisher())
    np.testing.assert_allclose(model.predict_proba(np.zeros((1, 4))), model.class_prior_[None])


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_learning_from_sums_is_a_step(weight):
    views, group = counts(8)
    y = few_labels(group)
    model = fitted(views, y, weight=weight, max_iter=3, tol=0.0)
    further = fitted(views, y, weight=weight, max_iter=4, tol=0.0)
    parts = [
        model.summarize([X[rows] for X in views], y[rows]) for rows in (slice(0, 15), slice(15, 40))
    ]
    stepped = model.update(parts[0] + parts[1])
    np.testing.assert_allclose(stepped.predict_proba(views), further.predict_proba(views))
    np.testing.assert_allclose(stepped.class_prior_, further.class_prior_)


def test_unlabelled_objects_help_where_the_model_is_right():
    views, y = make_token_views(
        1500, 4, vocabulary=200, class_vocabulary=80, n_tokens=(8, 8), random_state=0
    )
    labels = np.where(np.arange(1500) < 20, y, -1)
    supervised = fitted(views, labels, weight=0.0)
    semi = NaiveBayesEM().fit(views, labels)
    new = slice(20, None)
    assert (supervised.transduction_[new] == y[new]).mean() < 0.8
    assert (semi.transduction_[new] == y[new]).mean() > 0.95
    np.testing.assert_array_equal(semi.transduction_[:20], y[:20])
    np.testing.assert_array_equal(semi.transduction_[20:], semi.predict(views[20:]))


def test_what_cannot_be_done_is_said():
    views, group = counts(9)
    y = few_labels(group)
    with pytest.raises(ValueError, match="weight=-1"):
        NaiveBayesEM(weight=-1).fit(views, y)
    with pytest.raises(ValueError, match="class_alpha"):
        NaiveBayesEM(class_alpha=-1).fit(views, y)
    with pytest.raises(ValueError, match="likelihood='poisson'"):
        NaiveBayesEM("poisson").fit(views, y)
    negative = views[1].copy()
    negative[2, 0] = -1
    with pytest.raises(ViewsError, match="view 'view1', row 2"):
        NaiveBayesEM("multinomial").fit([views[0], negative], y)
    with pytest.raises(UnobservedViewsError, match="view1"):
        NaiveBayesEM("multinomial", view_weights=None).fit([views[0], 0 * views[1]], y)
    model = fitted(views, y)
    with pytest.raises(ValueError, match="label 7"):
        model.summarize(views, np.full(40, 7))
    stats = model.summarize(views)
    with pytest.raises(ValueError, match="do not add"):
        stats + NaiveBayesStatistics({"other": stats.views["view0"]}, stats.mass)


def test_likelihoods_of_a_user_stay_as_they_are():
    views, group = counts(10)
    given = Multinomial(alpha=0.2)
    model = fitted(views, few_labels(group), likelihood=given)
    assert model.likelihoods_["view0"] is not given
    assert model.likelihoods_["view0"] == given


def test_likelihood_is_chosen_by_the_numbers_of_a_view():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    words = rng.poisson(np.where(np.repeat(np.eye(2), 20, axis=1)[y], 0.3, 0.05)).astype(float)
    sizes = rng.standard_normal((60, 3)) + 3.0 * y[:, None]
    model = NaiveBayesEM(alpha=0.5).fit({"words": words, "sizes": sizes}, few_labels(y))
    assert model.likelihoods_ == {
        "words": Multinomial(0.5),
        "sizes": Gaussian("diag", shrinkage=0.2),
    }
    assert np.mean(model.transduction_ == y) > 0.9
