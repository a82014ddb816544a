"""LogLinearMixtureFeatures: EM by brute force, recovery of the model, starts and gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import approx_fprime
from scipy.special import logsumexp, softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from manyviews import Views
from manyviews.base import Labels
from manyviews.datasets import hide_views, make_token_views
from manyviews.embed import LogLinearMixtureFeatures
from manyviews.embed.features.log_linear import (
    Design,
    answer_rates,
    design,
    expect,
    log_linear_mixture,
    maximum_entropy,
    read_super_classes,
)
from manyviews.exceptions import UnknownViewError

seeds = st.integers(0, 2**32 - 1)


def random_problem(seed, n_objects=25, n_features=4, n_classes=3, n_answers=5):
    rng = np.random.default_rng(seed)
    posed = design(rng.poisson(1.0, size=(n_objects, n_features)) + 0.1, regularization=0.2)
    targets = sparse.csr_array(np.eye(n_answers)[rng.integers(n_answers, size=n_objects)])
    return posed, targets, rng.normal(size=(n_features + 1, n_classes))


def with_constant(posed):
    return np.column_stack([posed.rows, np.full(len(posed.rows), posed.constant)])


def penalised_likelihood(posed, targets, weights, alpha):
    """Eq. (8) object by object, answer by answer."""
    total = 0.0
    for row, answers in zip(with_constant(posed), targets.toarray(), strict=True):
        classes = softmax(row @ weights)
        said = [np.prod(alpha[answers == 1, y]) for y in range(weights.shape[1])]
        total += np.log(classes @ said)
    return (total - posed.penalty / 2 * np.sum(weights**2)) / len(posed.rows)


def small_views(seed=0, n_objects=400, **options):
    return make_token_views(
        n_objects, 4, vocabulary=40, class_vocabulary=12, random_state=seed, **options
    )


def some_labels(y, n_labelled=60):
    return np.where(np.arange(len(y)) < n_labelled, y, -1)


# -- maximum entropy -----------------------------------------------------------------------------


@given(seed=seeds)
@settings(deadline=None, max_examples=10)
def test_hard_labels_give_logistic_regression(seed):
    posed, _, weights = random_problem(seed)
    codes = np.arange(len(posed.rows)) % 3
    ours = maximum_entropy(posed, np.eye(3)[codes], 0 * weights, max_iter=500, tol=1e-9)
    theirs = LogisticRegression(C=1 / posed.penalty, fit_intercept=False, tol=1e-8, max_iter=2000)
    theirs.fit(with_constant(posed), codes)
    np.testing.assert_allclose(ours, theirs.coef_.T, atol=2e-4)


@given(seed=seeds)
@settings(deadline=None, max_examples=10)
def test_soft_labels_are_objects_that_are_several(seed):
    posed, _, weights = random_problem(seed, n_objects=12)
    shares = np.random.default_rng(seed).dirichlet(np.ones(3), size=12)
    ours = maximum_entropy(posed, shares, 0 * weights, max_iter=500, tol=1e-9)
    theirs = LogisticRegression(C=1 / posed.penalty, fit_intercept=False, tol=1e-8, max_iter=2000)
    theirs.fit(
        np.repeat(with_constant(posed), 3, axis=0),
        np.tile(np.arange(3), 12),
        sample_weight=shares.ravel(),
    )
    np.testing.assert_allclose(ours, theirs.coef_.T, atol=2e-4)


def test_the_scale_of_a_view_does_not_matter():
    posed, _, weights = random_problem(0)
    shares = np.eye(3)[np.arange(25) % 3]
    larger = design(100 * posed.rows, regularization=0.2)
    one, other = (
        each.scores(maximum_entropy(each, shares, 0 * weights, max_iter=500, tol=1e-9))
        for each in (posed, larger)
    )
    np.testing.assert_allclose(one, other, atol=1e-3)


# -- EM ------------------------------------------------------------------------------------------


@given(seed=seeds)
@settings(deadline=None, max_examples=10)
def test_the_e_step_is_bayes_rule_and_the_objective_equation_8(seed):
    posed, targets, weights = random_problem(seed)
    alpha = np.random.default_rng(seed).dirichlet(np.ones(5), size=3).T
    found = expect(posed, targets, weights, np.log(alpha))
    for row, answer, posterior in zip(
        with_constant(posed), targets.toarray().argmax(axis=1), found.posterior, strict=True
    ):
        joint = alpha[answer] * np.exp(row @ weights)
        np.testing.assert_allclose(posterior, joint / joint.sum(), rtol=1e-9)
    expected = penalised_likelihood(posed, targets, weights, alpha)
    np.testing.assert_allclose(found.objective, expected, rtol=1e-9)


def test_rates_of_answers_are_counted_within_each_view():
    targets = sparse.csr_array(np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1.0]]))
    posterior = np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]])
    found = np.exp(answer_rates(targets, [slice(0, 2), slice(2, 4)], posterior))
    expected = [[1 / 1.75, 0], [0.75 / 1.75, 1], [1.5 / 1.75, 0.4], [0.25 / 1.75, 0.6]]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_the_objective_never_falls(seed):
    posed, targets, weights = random_problem(seed)
    run = log_linear_mixture(posed, targets, [slice(0, 5)], weights, max_iter=40, tol=0.0)
    assert np.all(np.diff(run.history) >= -1e-12)
    np.testing.assert_allclose(np.exp(run.state.log_alpha).sum(axis=0), 1.0)


def test_at_the_end_nothing_is_left_to_gain():
    posed, targets, weights = random_problem(4, n_objects=40, n_classes=2)
    run = log_linear_mixture(posed, targets, [slice(0, 5)], weights, max_iter=3000, tol=1e-15)
    alpha = np.exp(run.state.log_alpha)

    def by_weights(flat):
        return penalised_likelihood(posed, targets, flat.reshape(weights.shape), alpha)

    slope = approx_fprime(run.state.weights.ravel(), by_weights, 1e-6)
    np.testing.assert_allclose(slope, 0.0, atol=2e-5)
    at_the_end = penalised_likelihood(posed, targets, run.state.weights, alpha)
    rng = np.random.default_rng(0)
    for _ in range(20):
        turned = alpha * np.exp(0.05 * rng.normal(size=alpha.shape))
        turned /= turned.sum(axis=0)
        near = penalised_likelihood(posed, targets, run.state.weights, turned)
        assert near <= at_the_end + 1e-9


def drawn(probabilities, rng):
    places = rng.random((len(probabilities), 1))
    return (probabilities.cumsum(axis=1) > places).argmax(axis=1)


def test_the_probabilities_of_the_model_are_recovered():
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(20_000, 3))
    true = np.array([[3.0, -1.0, -2.0], [0.0, 2.5, -2.5], [1.0, 1.0, -2.0], [0.5, -0.5, 0.0]])
    alpha = np.array([[0.8, 0.1, 0.05], [0.05, 0.7, 0.05], [0.1, 0.1, 0.1], [0.05, 0.1, 0.8]])
    posed = design(rows, regularization=1e-3)
    given_view = softmax(rows @ true[:3] + true[3], axis=1)
    answers = drawn(alpha.T[drawn(given_view, rng)], rng)
    targets = sparse.csr_array(np.eye(4)[answers])
    run = log_linear_mixture(posed, targets, [slice(0, 4)], 0.3 * true, max_iter=500, tol=1e-7)
    found = softmax(posed.scores(run.state.weights), axis=1)
    assert np.abs(found - given_view).mean() < 0.02
    np.testing.assert_allclose(np.exp(run.state.log_alpha), alpha, atol=0.03)


# -- the estimator -------------------------------------------------------------------------------


def test_features_tell_the_classes_from_few_labels():
    views, y = make_token_views(
        2000, 4, vocabulary=200, class_vocabulary=80, consecutive=True, random_state=0
    )
    known = some_labels(y, 40)
    learnt = LogLinearMixtureFeatures(concatenate=False).fit(views, known)
    model = LogisticRegression().fit(learnt.transform(views[:40]), y[:40])
    plain = LogisticRegression().fit(views[:40].concatenate(), y[:40])
    assert model.score(learnt.transform(views[40:]), y[40:]) > 0.97
    assert plain.score(views[40:].concatenate(), y[40:]) < 0.9
    assert learnt.converged_
    histories = learnt.objective_histories_.values()
    assert all(np.all(np.diff(history) >= -1e-12) for history in histories)
    last = np.mean([history[-1] for history in histories])
    np.testing.assert_allclose(learnt.objective_history_[-1], last)
    assert learnt.n_iter_ == len(learnt.objective_history_) - 1


def test_without_labels_hidden_classes_start_from_clusters():
    views, y = small_views(n_objects=1500, consecutive=True)
    learnt = LogLinearMixtureFeatures(4, random_state=0).fit(views)
    for block in learnt.transform_views(views).values():
        assert adjusted_rand_score(y, block.argmax(axis=1)) > 0.9
    by_request = LogLinearMixtureFeatures(start="clusters", random_state=0).fit(views, y)
    for name, weights in learnt.weights_.items():
        np.testing.assert_array_equal(by_request.weights_[name], weights)
    assert LogLinearMixtureFeatures(random_state=0).fit(views[:60]).n_components_["first"] == 10


def test_labels_are_only_a_start():
    views, y = small_views()
    learnt = LogLinearMixtureFeatures().fit(views, some_labels(y))
    renamed = np.array(["d", "c", "b", "a"], dtype=object)[y]
    renamed[60:] = None
    turned = LogLinearMixtureFeatures().fit(views, renamed)
    for name, weights in learnt.weights_.items():
        np.testing.assert_allclose(turned.weights_[name][:, ::-1], weights, atol=1e-6)


def test_sparse_is_dense_and_single_precision_is_double():
    views, y = small_views()
    dense = Views({name: matrix.toarray() for name, matrix in views.items()})
    single = Views({name: matrix.astype(np.float32) for name, matrix in dense.items()})
    expected = LogLinearMixtureFeatures().fit(views, some_labels(y)).transform(views).toarray()
    for form in (dense, single):
        found = LogLinearMixtureFeatures().fit(form, some_labels(y)).transform(form)
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_order_of_objects_does_not_matter():
    views, y = small_views()
    order = np.random.default_rng(0).permutation(len(y))
    one = LogLinearMixtureFeatures().fit(views, some_labels(y))
    other = LogLinearMixtureFeatures().fit(views[order], some_labels(y)[order])
    np.testing.assert_allclose(
        one.transform(views).toarray(), other.transform(views).toarray(), atol=1e-5
    )


def test_answers_of_unobserved_views_do_not_count():
    views, y = small_views(consecutive=True)
    three = Views({**dict(views.items()), "third": small_views(1).views["first"]})
    observed = hide_views(three, 0.3, seed=0).observed.copy()
    observed[:60] = True  # a start needs one view only, and is the same on fewer objects
    gaps = Views(three, observed=observed)
    learnt = LogLinearMixtureFeatures(concatenate=False).fit(gaps, some_labels(y))
    for name in three.names:
        others = gaps.observed[:, [three.names.index(n) for n in three.names if n != name]]
        rows = np.flatnonzero(gaps.observed_in(name) & others.any(axis=1))
        asked = Views({n: gaps[n][rows] for n in three.names}, observed=gaps.observed[rows])
        alone = LogLinearMixtureFeatures(concatenate=False).fit(asked, some_labels(y)[rows])
        np.testing.assert_allclose(alone.weights_[name], learnt.weights_[name], atol=1e-5)
    features = learnt.transform(gaps)
    assert np.all(features[~gaps.observed_in("first"), :4] == 0)
    sums = learnt.alphas_["first"].sum(axis=0)
    np.testing.assert_allclose(sums, 2.0)  # one for each of the other views
    assert learnt.transform({"first": three["first"][:3]}).shape == (3, 12)


def test_a_labelled_object_without_the_view_is_no_start_for_it():
    views, y = small_views()
    lacking = np.zeros((400, 2), dtype=bool)
    lacking[:60, 0] = True
    gaps = Views(views, observed=~lacking)
    learnt = LogLinearMixtureFeatures(random_state=0).fit(gaps, some_labels(y))
    from_clusters = LogLinearMixtureFeatures(4, random_state=0).fit(gaps)
    first, second = "first", "second"
    np.testing.assert_array_equal(learnt.weights_[first], from_clusters.weights_[first])
    assert np.abs(learnt.weights_[second] - from_clusters.weights_[second]).max() > 0.1


def test_only_the_most_frequent_answers_are_heard():
    views, y = small_views()
    learnt = LogLinearMixtureFeatures(max_problems=7).fit(views, some_labels(y))
    assert set(learnt.n_problems_.values()) == {7}
    np.testing.assert_allclose(learnt.alphas_["first"].sum(axis=0), 1.0)
    assert LogLinearMixtureFeatures(max_problems=None).fit(views).n_problems_["first"] > 7


def test_one_view_is_asked_about_itself():
    views, y = small_views()
    learnt = LogLinearMixtureFeatures().fit(views["first"], some_labels(y))
    assert learnt.transform(views["first"]).shape == (400, 44)
    assert learnt.n_problems_["view0"] <= 40


def test_a_class_at_the_origin_needs_the_intercept():
    rng = np.random.default_rng(0)
    y = np.arange(600) % 3
    centres = 6.0 * (y - 1)[:, None]
    views = Views({name: centres + rng.normal(size=(600, 1)) for name in ("a", "b")})

    def hidden(**options):
        learnt = LogLinearMixtureFeatures(auxiliary=lambda rows: np.digitize(rows[:, 0], [-3, 3]))
        learnt.set_params(**options).fit(views, some_labels(y, 30))
        return learnt.transform_views(views)["a"].argmax(axis=1)

    assert adjusted_rand_score(y, hidden()) > 0.95
    assert adjusted_rand_score(y, hidden(fit_intercept=False)) < 0.8


def test_a_constant_view_has_no_log_odds():
    views = Views(
        {"a": np.ones((20, 2)), "b": np.zeros((20, 3)), "c": np.eye(4)[np.arange(20) % 4]}
    )
    learnt = LogLinearMixtureFeatures(3, random_state=0).fit(views)
    assert np.all(np.isfinite(learnt.transform(views)))
    assert np.all(learnt.weights_["b"] == 0)


# -- super-classes -------------------------------------------------------------------------------


PAIRS = {"first": {0: "a", 1: "a", 2: "b", 3: "b"}, "second": {0: 0, 2: 0, 1: 1, 3: 1}}


def test_views_that_tell_groups_of_classes_start_from_these():
    views, y = small_views(n_objects=2000, consecutive=True, super_classes=True)
    learnt = LogLinearMixtureFeatures(concatenate=False, super_classes=PAIRS)
    learnt.fit(views, some_labels(y, 40))
    assert learnt.n_components_ == {"first": 2, "second": 2}
    blocks = learnt.transform_views(views)
    assert np.mean(blocks["first"].argmax(axis=1) == y // 2) > 0.97
    assert np.mean(blocks["second"].argmax(axis=1) == y % 2) > 0.97
    model = LogisticRegression().fit(learnt.transform(views[:40]), y[:40])
    assert model.score(learnt.transform(views[40:]), y[40:]) > 0.95


def test_a_view_without_super_classes_tells_the_classes():
    views, y = small_views()
    learnt = LogLinearMixtureFeatures(super_classes={"first": PAIRS["first"]})
    assert learnt.fit(views, some_labels(y)).n_components_ == {"first": 2, "second": 4}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"third": {}}, UnknownViewError, "names the view 'third'"),
        ({"first": {0: 0, 1: 0, 2: 0}}, ValueError, "nothing of the class 3"),
        ({"first": {0: 0, 1: 0, 2: [], 3: 1}}, ValueError, "puts the class 2 into"),
        ({"first": [0, 0, 1, 1]}, TypeError, "should be a dict with a dict for each"),
    ],
)
def test_wrong_super_classes_are_named(given, error, message):
    views, y = small_views(n_objects=40)
    with pytest.raises(error, match=message):
        LogLinearMixtureFeatures(super_classes=given).fit(views, y)


def test_super_classes_without_labels_say_nothing():
    assert read_super_classes(PAIRS, None, ("first", "second")) == {"first": None, "second": None}
    labels = Labels(np.array([3, -1, 0]), np.arange(4))
    told = read_super_classes(PAIRS, labels, ("first", "second"))
    assert told["first"].codes.tolist() == [1, -1, 0]
    assert len(told["second"].classes) == 2


# -- choice, parameters, warnings ----------------------------------------------------------------


def test_the_number_of_components_is_chosen_by_cross_validation():
    views, y = small_views(n_objects=1000, consecutive=True)
    learnt = LogLinearMixtureFeatures([4, 1], concatenate=False, random_state=0)
    learnt.fit(views, some_labels(y))
    assert learnt.n_components_ == {"first": 4, "second": 4}
    assert learnt.choice_.scores.shape == (2, 5)
    again = LogLinearMixtureFeatures(4, concatenate=False).fit(views, some_labels(y))
    np.testing.assert_array_equal(learnt.weights_["first"], again.weights_["first"])


def test_held_out_labels_are_no_start(monkeypatch):
    views, y = small_views(n_objects=100)
    seen = []
    learn = LogLinearMixtureFeatures._learn

    def watch(self, views, asked, n_components, told):
        seen.append((n_components, int(told["first"].labelled.sum())))
        learn(self, views, asked, n_components, told)

    monkeypatch.setattr(LogLinearMixtureFeatures, "_learn", watch)
    LogLinearMixtureFeatures([2, 4], cv=3, random_state=0).fit(views, some_labels(y))
    of_two = [count for number, count in seen if number == 2]
    of_four = [count for number, count in seen if number == 4]
    assert len(of_two) <= 2  # starts from clusters: learnt once, and once more if it is best
    assert of_four[:3] == [40, 40, 40]


def test_in_a_pipeline_with_new_objects():
    views, y = small_views(consecutive=True)
    model = make_pipeline(LogLinearMixtureFeatures(), LogisticRegression(max_iter=500))
    assert cross_val_score(model, views, y, cv=3).mean() > 0.95


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"regularization": 0.0}, "regularization=0.0 should be a number above 0"),
        ({"max_problems": 0}, "max_problems=0 should be an integer of at least 1, or None"),
        ({"start": "chance"}, "start='chance' should be 'labels', or 'clusters'"),
        ({"auxiliary": ["argmax", "largest"]}, r"auxiliary\[1\]='largest' should be 'argmax', 'no"),
        ({"n_components": 10**6}, "n_components=1000000 is more than 30 objects can tell apart"),
        ({"cv": 1}, "cv=1 should be an integer of at least 2, or a splitter"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        LogLinearMixtureFeatures(**parameters).fit(small_views(n_objects=30).views)


def test_an_unfinished_fit_is_warned_of():
    views, y = small_views()
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        learnt = LogLinearMixtureFeatures(max_iter=1, tol=0.0).fit(views, some_labels(y))
    assert not learnt.converged_


def test_steps_are_reported_on_request(capsys):
    views, y = small_views(n_objects=60)
    LogLinearMixtureFeatures(verbose=2).fit(views, y)
    printed = capsys.readouterr().out
    assert "view 'first', step 1, objective" in printed
    assert "view 'second', objective" in printed


def test_several_true_answers_multiply():
    posed = Design(np.ones((1, 1)), constant=0.0, penalty=0.0)
    alpha = np.array([[0.5, 0.1], [0.2, 0.3], [0.3, 0.6]])
    targets = sparse.csr_array(np.array([[1, 0, 1.0]]))
    found = expect(posed, targets, np.zeros((2, 2)), np.log(alpha))
    np.testing.assert_allclose(found.posterior[0], np.array([0.15, 0.06]) / 0.21)
    np.testing.assert_allclose(found.objective, logsumexp(np.log([0.075, 0.03])))


def test_steps_that_take_minutes_are_announced(monkeypatch):
    monkeypatch.setattr("manyviews.embed.features.log_linear.LONG", 10)
    X = np.random.default_rng(0).normal(size=(12, 3))
    said = "^LogLinearMixtureFeatures fits 12 objects in each view, .*, which takes minutes; "
    with pytest.warns(UserWarning, match=said):
        LogLinearMixtureFeatures(2, random_state=0).fit({"a": X, "b": X[:, ::-1]})
