"""The co-EM classifier against scikit-learn, plain loops, and the mixture it is a case of."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from manyviews import Views
from manyviews.cluster import CoEMMixture, Gaussian, Multinomial
from manyviews.datasets import make_token_views
from manyviews.exceptions import UnobservedViewsError
from manyviews.semi_supervised import CoEMClassifier, NaiveBayesEM
from manyviews.semi_supervised.co_em import ViewNaiveBayes, averaged_posterior, fit_weighted

quick = settings(deadline=None, max_examples=20)
seeds = st.integers(0, 10_000)


class OtherMultinomialNB(MultinomialNB):
    """The same classifier, of which nobody knows that sums are all it needs."""


class OtherComplementNB(ComplementNB):
    """The same classifier, of which nobody knows that sums are all it needs."""


def counts(seed, n=40, widths=(6, 5), groups=3, length=8):
    rng = np.random.default_rng(seed)
    group = np.arange(n) % groups
    views = []
    for width in widths:
        topics = rng.dirichlet(np.full(width, 0.5), size=groups)
        views.append(np.stack([rng.multinomial(length, topics[g]) for g in group]).astype(float))
    return views, group


def few_labels(group, labelled=9):
    return np.where(np.arange(len(group)) < labelled, group, -1)


def fitted(estimator, X, y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return CoEMClassifier(estimator, **params).fit(X, y)


def looped_co_em(member, views, observed, y, *, n_classes, weight, n_iter):
    """Nigam and Ghani's procedure in its own words, objects repeated once per class."""
    n, members = len(y), []
    beliefs = []
    for v, X in enumerate(views):
        rows = [i for i in range(n) if observed[i, v] and y[i] >= 0]
        members.append(clone(member).fit(X[rows], y[rows]))
        beliefs.append(members[-1].predict_proba(np.where(observed[:, [v]], X, 0.0)))
    for _ in range(n_iter):
        for v, X in enumerate(views):
            rows, labels, weights = [], [], []
            for i in range(n):
                if not observed[i, v]:
                    continue
                others = [u for u in range(len(views)) if u != v and observed[i, u]] or [v]
                for c in range(n_classes):
                    told = np.mean([beliefs[u][i, c] for u in others])
                    rows.append(i)
                    labels.append(c)
                    weights.append(float(y[i] == c) if y[i] >= 0 else weight * told)
            members[v] = clone(member).fit(X[rows], labels, sample_weight=weights)
            beliefs[v] = members[v].predict_proba(np.where(observed[:, [v]], X, 0.0))
    return members


@pytest.mark.parametrize("widths", [(6, 5), (6, 5, 4)])
@pytest.mark.parametrize("weight", [1.0, 0.4])
def test_it_does_what_plain_loops_do(widths, weight):
    views, group = counts(0, n=24, widths=widths)
    y = few_labels(group)
    observed = np.ones((24, len(widths)), bool)
    observed[[1, 10, 13], 0] = False
    observed[[5, 14], 1] = False
    for member in (MultinomialNB(alpha=0.3), BernoulliNB(binarize=1.0)):
        expected = looped_co_em(member, views, observed, y, n_classes=3, weight=weight, n_iter=4)
        model = fitted(
            member, Views(views, observed=observed), y, weight=weight, max_iter=4, tol=0.0
        )
        for theirs, ours in zip(expected, model.classifiers_.values(), strict=True):
            np.testing.assert_allclose(ours.feature_log_prob_, theirs.feature_log_prob_, rtol=1e-9)
            np.testing.assert_allclose(ours.class_log_prior_, theirs.class_log_prior_, rtol=1e-9)


@quick
@given(seed=seeds)
def test_with_naive_bayes_it_is_the_co_em_mixture(seed):
    views, group = counts(seed, n=30)
    y = few_labels(group)
    ours = fitted(MultinomialNB(alpha=0.2), views, y, max_iter=6, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture = CoEMMixture(
            3, Multinomial(0.2), eta=1.0, shared_prior=False, n_init=1, max_iter=6, tol=0.0
        ).fit(views, y)
    for name in ours.view_names_:
        np.testing.assert_allclose(
            ours.classifiers_[name].feature_log_prob_,
            mixture.parameters_[name].log_probabilities,
            atol=1e-8,
        )
        np.testing.assert_allclose(
            np.exp(ours.classifiers_[name].class_log_prior_),
            mixture.view_priors_[name],
            atol=1e-8,
        )


@pytest.mark.parametrize("weight", [1.0, 0.2])
def test_with_one_view_it_is_em(weight):
    (X,), group = counts(11, widths=(7,))
    y = few_labels(group)
    ours = fitted(MultinomialNB(alpha=0.5), X, y, weight=weight, max_iter=5, tol=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        em = NaiveBayesEM("multinomial", weight=weight, alpha=0.5, max_iter=5, tol=0.0).fit(X, y)
    assert ours.n_iter_ == em.n_iter_ == 5
    np.testing.assert_allclose(ours.predict_proba(X), em.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("member", [LogisticRegression(), GaussianNB(), DecisionTreeClassifier()])
def test_labels_for_all_make_it_supervised(member):
    views, group = counts(1)
    model = CoEMClassifier(member).fit(views, group)
    for X, found in zip(views, model.view_probabilities(views).values(), strict=True):
        expected = clone(member).fit(X, group).predict_proba(X)
        np.testing.assert_allclose(found, expected, atol=1e-12)
    assert model.converged_
    assert model.n_iter_ == 1
    np.testing.assert_array_equal(model.transduction_, group)


def test_without_weight_it_is_supervised():
    views, group = counts(2)
    y = few_labels(group)
    member = LogisticRegression(max_iter=1000)
    model = fitted(member, views, y, weight=0.0)
    for X, found in zip(views, model.view_probabilities(views).values(), strict=True):
        alone = clone(member).fit(X[y >= 0], y[y >= 0])
        np.testing.assert_allclose(found, alone.predict_proba(X), atol=1e-12)
    assert model.n_iter_ == 1


@quick
@given(seed=seeds, sparse=st.booleans())
def test_sums_say_as_much_as_the_objects_once_per_class(seed, sparse):
    (X,), _ = counts(seed, n=12, widths=(5,))
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(3), size=12) * (rng.random((12, 3)) < 0.8)
    X = csr_array(X) if sparse else X
    for known, unknown in (
        (MultinomialNB(alpha=0.4), OtherMultinomialNB(alpha=0.4)),
        (ComplementNB(alpha=0.4), OtherComplementNB(alpha=0.4)),
    ):
        by_sums, by_rows = (fit_weighted(member, X, weights) for member in (known, unknown))
        np.testing.assert_array_equal(by_sums.classes_, by_rows.classes_)
        np.testing.assert_allclose(by_sums.feature_log_prob_, by_rows.feature_log_prob_, rtol=1e-10)
        np.testing.assert_allclose(by_sums.predict_proba(X), by_rows.predict_proba(X), rtol=1e-9)


def test_any_classifier_gets_each_object_once_per_class_it_weighs_in():
    seen = {}

    class Recorder(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            seen.update(X=X, y=y, weights=sample_weight)
            return super().fit(X, y, sample_weight)

    X = np.arange(6.0).reshape(3, 2)
    weights = np.array([[1.0, 0.0], [0.3, 0.7], [0.0, 1e-18]])
    fit_weighted(Recorder(), X, weights)
    np.testing.assert_array_equal(seen["X"], X[[0, 1, 1]])
    np.testing.assert_array_equal(seen["y"], [0, 0, 1])
    np.testing.assert_array_equal(seen["weights"], [1.0, 0.3, 0.7])


def test_naive_bayes_of_a_view_is_that_of_scikit_learn():
    (X,), group = counts(12, widths=(6,))
    weights = np.random.default_rng(0).random(len(X))
    ours = ViewNaiveBayes(Multinomial(0.3)).fit(X, group, weights)
    theirs = MultinomialNB(alpha=0.3).fit(X, group, weights)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_a_view_is_told_the_mean_of_those_that_speak():
    silent = np.zeros((3, 2))
    one = np.array([[0.9, 0.1], [0.0, 0.0], [0.5, 0.5]])
    two = np.array([[0.5, 0.5], [0.0, 0.0], [0.0, 0.0]])
    own = np.array([[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]])
    np.testing.assert_allclose(
        averaged_posterior([own, one, two, silent], 0, np.ones((3, 4))),
        [[0.7, 0.3], [0.2, 0.8], [0.5, 0.5]],
    )


def test_a_view_without_labels_waits_until_it_is_taught():
    views, group = counts(3, n=60)
    y = few_labels(group, 12)
    observed = np.ones((60, 2), bool)
    observed[:12, 0] = False  # no labelled object shows it
    model = CoEMClassifier(MultinomialNB()).fit(Views(views, observed=observed), y)
    alone = model.view_probabilities([views[0], np.full_like(views[1], np.nan)])["view0"]
    agrees = alone.argmax(axis=1) == model.predict(views)
    assert agrees.mean() > 0.7
    assert set(model.classifiers_["view0"].classes_) == {0, 1, 2}


def test_objects_may_lack_views_in_fit_and_after():
    views, group = counts(4, n=60, length=20)
    y = few_labels(group, 12)
    observed = np.random.default_rng(0).random((60, 2)) < 0.7
    observed[~observed.any(axis=1), 0] = True
    holed = Views(views, observed=observed)
    model = fitted(None, holed, y)
    by_view = model.view_probabilities(holed)
    for name, seen in zip(holed.names, observed.T, strict=True):
        assert np.isnan(by_view[name][~seen]).all()
        np.testing.assert_allclose(by_view[name][seen].sum(axis=1), 1.0)
    lonely = observed[:, 0] & ~observed[:, 1]
    np.testing.assert_allclose(model.predict_proba(holed)[lonely], by_view["view0"][lonely])
    unlabelled = y < 0
    np.testing.assert_array_equal(model.transduction_[unlabelled], model.predict(holed)[unlabelled])
    np.testing.assert_array_equal(model.transduction_[~unlabelled], group[~unlabelled])


def test_agreement_is_the_chance_that_both_views_draw_one_label():
    views, group = counts(5)
    y = few_labels(group)
    model = fitted(MultinomialNB(), views, y, max_iter=3, tol=0.0)
    one, two = (each[y < 0] for each in model.view_probabilities(views).values())
    assert model.objective_history_[-1] == pytest.approx((one * two).sum(axis=1).mean())
    assert len(model.objective_history_) == model.n_iter_ + 1


def test_it_stops_when_no_probability_changes_much():
    views, group = counts(6, n=60)
    y = few_labels(group, 12)
    model = CoEMClassifier(MultinomialNB(), tol=1e-4).fit(views, y)
    before = fitted(MultinomialNB(), views, y, max_iter=model.n_iter_ - 1, tol=0.0)
    earlier = fitted(MultinomialNB(), views, y, max_iter=model.n_iter_ - 2, tol=0.0)

    def change(new, old):
        pairs = zip(
            new.view_probabilities(views).values(),
            old.view_probabilities(views).values(),
            strict=True,
        )
        return max(np.abs(one - two)[y < 0].max() for one, two in pairs)

    assert change(model, before) <= 1e-4 < change(before, earlier)
    with pytest.warns(ConvergenceWarning, match="a probability last changed by"):
        CoEMClassifier(MultinomialNB(), max_iter=1, tol=0.0).fit(views, y)


def test_sparse_is_dense():
    views, group = counts(7)
    y = few_labels(group)
    for member in (None, MultinomialNB()):
        dense = fitted(member, views, y, max_iter=5)
        sparse = fitted(member, [csr_array(X) for X in views], y, max_iter=5)
        np.testing.assert_allclose(
            dense.predict_proba(views), sparse.predict_proba(views), atol=1e-6
        )


def test_a_classifier_per_view_and_more_than_two_views_learn_from_each_other():
    views, y = make_token_views(
        1000, 4, vocabulary=150, class_vocabulary=40, n_tokens=(12, 12), random_state=0
    )
    named = {"first": views["first"], "second": views["second"], "again": views["first"][:, :75]}
    labels = np.where(np.arange(1000) < 20, y, -1)
    members = {"first": MultinomialNB(), "second": ComplementNB(), "again": BernoulliNB()}
    model = fitted(members, named, labels, max_iter=20)
    supervised = fitted(members, named, labels, weight=0.0)
    assert type(model.classifiers_["second"]) is ComplementNB
    new = slice(20, None)
    assert (supervised.transduction_[new] == y[new]).mean() < 0.9
    assert (model.transduction_[new] == y[new]).mean() > 0.95


def test_what_cannot_be_done_is_said():
    views, group = counts(8)
    y = few_labels(group)
    with pytest.raises(TypeError, match=r"view 'view0'.* takes no sample_weight"):
        CoEMClassifier(KNeighborsClassifier()).fit(views, y)
    with pytest.raises(TypeError, match="PerView"):
        CoEMClassifier(make_pipeline(StandardScaler(), LogisticRegression())).fit(views, y)
    with pytest.raises(TypeError, match="predict_proba"):
        CoEMClassifier(LinearSVC()).fit(views, y)
    with pytest.raises(ValueError, match="weight=-1"):
        CoEMClassifier(weight=-1).fit(views, y)
    with pytest.raises(UnobservedViewsError, match="view1"):
        CoEMClassifier().fit([views[0], np.full((40, 5), np.nan)], y)
    apart = np.ones((40, 2), bool)
    apart[y == 0, 1] = apart[y == 1, 0] = False
    lone = np.where(np.isin(y, [0, 1]), y, -1)
    with pytest.raises(ValueError, match="none can start"):
        CoEMClassifier().fit(Views(views, observed=apart), lone)
    single = np.zeros((40, 2), bool)
    single[:, 0] = True
    single[0, 1] = True
    with pytest.raises(ValueError, match="view 'view1' shows objects of one class only"):
        fitted(None, Views(views, observed=single), y)


def test_default_classifiers_suit_the_numbers_of_each_view():
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    words = rng.poisson(np.where(np.repeat(np.eye(2), 20, axis=1)[y], 0.3, 0.05)).astype(float)
    sizes = 1e6 * (rng.standard_normal((80, 3)) + 3.0 * y[:, None])  # raw measurements
    model = CoEMClassifier().fit({"words": words, "sizes": sizes}, few_labels(y))
    families = {name: one.likelihood for name, one in model.classifiers_.items()}
    assert families == {"words": Multinomial(0.1), "sizes": Gaussian("diag", shrinkage=0.2)}
    assert np.mean(model.transduction_ == y) > 0.9
