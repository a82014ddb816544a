"""Bayesian co-training against the paper's sums written as loops, scikit-learn, and itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from manyviews import Views
from manyviews.acquire import BayesianCoTraining
from manyviews.acquire.bayesian_co_training import (
    CoupledRegression,
    log_posterior,
    pose_likelihood,
    pose_prior,
)
from manyviews.acquire.coupled_prior import leading_directions, neighbour_graph, smoothness_of
from manyviews.exceptions import MemoryLimitError, ViewsError

FIXED = {"update_hyperparameters": False}


def problem(seed=0, n=40, widths=(3, 4), n_classes=2, hidden=0.3, n_labelled=20):
    """Views with some class structure, labels for a few, gaps in all but the first view."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % n_classes
    observed = np.column_stack(
        [rng.random(n) >= (hidden if number else 0.0) for number in range(len(widths))]
    )
    data = {
        f"v{number}": rng.standard_normal((n, width))
        + rng.standard_normal((n_classes, width))[groups]
        for number, width in enumerate(widths)
    }
    y = np.where(np.arange(n) < n_labelled, groups, -1)
    order = rng.permutation(n)
    views = {name: matrix[order] for name, matrix in data.items()}
    return Views(views, observed=observed[order]), y[order], groups[order]


def posed(seed, n_classes, *, by_feature=False, widths=(3, 4)):
    """Coordinates, likelihood and prior as the core functions see them."""
    views, y, _ = problem(seed, n_classes=n_classes, widths=widths)
    rows = [
        np.where(seen[:, None], np.column_stack([matrix, np.ones(len(views))]), 0.0)
        for (_, matrix), seen in zip(views.items(), views.observed.T, strict=True)
    ]
    likelihood = pose_likelihood(rows, views.observed, y, n_classes)
    prior, scales = pose_prior(
        rows,
        views.observed,
        likelihood,
        balance=0.0,
        by_feature=by_feature,
        smooth=True,
        n_neighbors=3,
    )
    return rows, views.observed, likelihood, prior, scales


# -- the paper's equations, written as loops -------------------------------------------------------


@pytest.mark.parametrize("by_feature", [False, True])
@pytest.mark.parametrize("widths", [(3,), (3, 4), (2, 1, 3)])
def test_the_prior_is_the_sum_of_equations_2_to_5(widths, by_feature):
    rows, observed, _, prior, scales = posed(1, 2, by_feature=by_feature, widths=widths)
    ridges = np.arange(1.0, prior.n_ridges + 1)
    coupling, smoothness = 0.7, 0.3
    expected = np.diag(prior.fixed)
    ends = np.cumsum([0, *(own.shape[1] for own in rows)])
    learnt = [place for place in range(ends[-1]) if place + 1 not in ends[1:]]
    for number, place in enumerate(learnt):
        view = int(np.searchsorted(ends, place, side="right")) - 1
        expected[place, place] += ridges[number if by_feature else view]
    for i, seen in enumerate(observed):
        for first, second in combinations(np.flatnonzero(seen), 2):
            row = np.zeros(ends[-1])
            row[ends[first] : ends[first + 1]] = rows[first][i]
            row[ends[second] : ends[second + 1]] = -rows[second][i]
            expected += coupling / scales.n_shared * np.outer(row, row)
    for view, own in enumerate(rows):
        shown = own[observed[:, view]]
        graph, width = neighbour_graph(shown[:, :-1], 3)
        graph = graph.toarray()
        total = np.zeros((own.shape[1], own.shape[1]))
        for i in range(len(shown)):
            for j in range(i):
                apart = shown[i] - shown[j]
                total += graph[i, j] * np.outer(apart, apart)
                if graph[i, j]:
                    kernel = np.exp(-(apart @ apart) / (2 * width**2))
                    np.testing.assert_allclose(graph[i, j], kernel)
        place = slice(ends[view], ends[view + 1])
        expected[place, place] += smoothness * total / (graph.sum() / 2)
    found = prior.precision(np.append(ridges, [coupling, smoothness]))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


@given(seed=st.integers(0, 50), n_classes=st.integers(2, 4))
@settings(max_examples=20)
def test_gradient_and_curvature_are_finite_differences(seed, n_classes):
    _, _, likelihood, prior, _ = posed(seed, n_classes)
    rng = np.random.default_rng(seed)
    weights, direction = rng.standard_normal((2, *likelihood.shape))
    precision = prior.precision(np.array([1.0, 2.0, 0.5, 0.5]))

    def gradient(at):
        return likelihood.gradient(likelihood.probabilities(at)) - at @ precision

    step = 1e-5
    ahead, behind = weights + step * direction, weights - step * direction
    slope = log_posterior(likelihood, precision, ahead)
    slope -= log_posterior(likelihood, precision, behind)
    np.testing.assert_allclose(
        np.vdot(gradient(weights), direction), slope / (2 * step), rtol=1e-5, atol=1e-6
    )
    shares = likelihood.probabilities(weights)
    curved = likelihood.curvature(shares, direction) + direction @ precision
    found = (gradient(behind) - gradient(ahead)) / (2 * step)
    np.testing.assert_allclose(curved, found, rtol=1e-5, atol=1e-5)


@given(seed=st.integers(0, 50), n_classes=st.integers(2, 4), size=st.floats(0.1, 20.0))
def test_boehnings_bound_is_below_the_likelihood(seed, n_classes, size):
    _, _, likelihood, _, _ = posed(seed, n_classes)
    rng = np.random.default_rng(seed)
    weights, step = size * rng.standard_normal((2, *likelihood.shape))
    if n_classes > 2:  # the bound is for directions that sum to zero over the classes
        step -= step.mean(axis=0)
    linear = np.vdot(likelihood.gradient(likelihood.probabilities(weights)), step)
    quadratic = np.vdot(step @ likelihood.bound(), step) / 2
    bound = likelihood.value(weights) + linear - quadratic
    assert likelihood.value(weights + step) >= bound - 1e-9 * max(1.0, abs(bound))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_labelled", [4, 40])
def test_the_objective_is_the_bound_on_the_evidence(n_classes, n_labelled):
    """By determinants, whether labels are fewer than weights or more; and EM rests at its top."""
    views, y, _ = problem(2, n_classes=n_classes, n_labelled=n_labelled, hidden=0.0)
    rows = [np.column_stack([matrix, np.ones(len(views))]) for _, matrix in views.items()]
    likelihood = pose_likelihood(rows, views.observed, y, n_classes)
    prior, _ = pose_prior(
        rows, views.observed, likelihood, balance=0.0, by_feature=False, smooth=True, n_neighbors=3
    )
    means = np.array([1.0, 2.0, 0.5, 0.1])
    model = CoupledRegression(likelihood, prior, means, 2.0)

    def value(logs):
        return model.at(np.exp(logs), np.zeros(likelihood.shape), 1e-13).objective

    strengths = np.array([0.5, 3.0, 1.0, 0.2])
    state = model.at(strengths, np.zeros(likelihood.shape), 1e-13)
    precision = prior.precision(strengths)
    top = log_posterior(likelihood, precision, state.weights)
    logs = [np.linalg.slogdet(each)[1] for each in (precision, precision + likelihood.bound())]
    gammas = 2.0 * (np.log(strengths / means) - strengths / means).sum()
    expected = top + max(n_classes - 1, 1) * (logs[0] - logs[1]) / 2 + gammas
    np.testing.assert_allclose(state.objective, expected, rtol=1e-6)

    for _ in range(60):
        state = model.step(state)
    rest = np.log(state.strengths)
    for direction in np.eye(4):
        slope = (value(rest + 1e-3 * direction) - value(rest - 1e-3 * direction)) / 2e-3
        assert abs(slope) < 2e-3


# -- against others --------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("ridge", [0.05, 1.0])
def test_uncoupled_views_are_scikit_learns_logistic_regressions(n_classes, ridge):
    views, y, _ = problem(3, n=60, n_classes=n_classes, n_labelled=45)
    model = BayesianCoTraining(0.0, 0.0, ridge, **FIXED).fit(views, y)
    found = model.view_probabilities(views)
    for number, (name, rows) in enumerate(zip(views.names, model.coordinates(views), strict=True)):
        seen = views.observed_in(name)
        told = seen & (y >= 0)
        theirs = LogisticRegression(C=1 / ridge, tol=1e-12, max_iter=10_000, solver="newton-cg")
        theirs.fit(rows[told, :-1], y[told])
        ours = model.posterior_.mean[:, model.posterior_.slices[number]]
        np.testing.assert_allclose(ours[:, :-1], theirs.coef_, atol=1e-6)
        expected = theirs.predict_proba(rows[seen, :-1])
        np.testing.assert_allclose(found[name][seen], expected, atol=1e-6)


def test_a_wide_view_loses_nothing_by_its_rotation():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 50))
    y = np.where(np.arange(30) < 20, np.arange(30) % 3, -1)
    model = BayesianCoTraining(0.0, 0.0, 0.1, max_features=None, **FIXED).fit({"wide": X}, y)
    assert model.coordinates({"wide": X})[0].shape[1] <= 31
    scaled = (X - X.mean(axis=0)) / X.std(axis=0) / np.sqrt(50)
    theirs = LogisticRegression(C=10.0, tol=1e-12, max_iter=10_000, solver="newton-cg")
    theirs.fit(scaled[:20], y[:20])
    np.testing.assert_allclose(
        model.predict_proba({"wide": X}), theirs.predict_proba(scaled), atol=1e-6
    )


def test_directions_of_large_views_are_nearly_the_best_whatever_the_order():
    rng = np.random.default_rng(0)
    scales = 1.0 / (1.0 + np.arange(1020.0))
    rows = (rng.standard_normal((1010, 1020)) * scales) @ rng.standard_normal((1020, 1020))
    found = leading_directions(rows, 10)
    np.testing.assert_allclose(found.T @ found, np.eye(10), atol=1e-8)
    best = np.square(np.linalg.svd(rows, compute_uv=False)[:10]).sum()
    assert np.square(rows @ found).sum() > 0.999 * best
    again = leading_directions(rows[rng.permutation(len(rows))], 10)
    np.testing.assert_allclose(again @ again.T, found @ found.T, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_entropy_is_that_of_the_paper_s_precision(n_classes):
    """Eq. (7) and (8) from what the fitted model shows: coordinates, strengths, probabilities."""
    views, y, _ = problem(4, n_classes=n_classes, widths=(2, 3))
    model = BayesianCoTraining(1.0, 0.5, 0.2).fit(views, y)
    rows, posterior = model.coordinates(views), model.posterior_
    side = np.hstack([rows[0], -rows[1]]) * views.observed.all(axis=1)[:, None]
    prior = posterior.coupling * side.T @ side
    for view, (name, place) in enumerate(zip(views.names, posterior.slices, strict=True)):
        shown = rows[view][views.observed_in(name)]
        graph, width = neighbour_graph(shown[:, :-1], 10)
        np.testing.assert_allclose(width, posterior.widths[view])
        prior[place, place] += posterior.smoothness[view] * smoothness_of(shown, graph)
        ridge = np.full(place.stop - place.start, model.sparsity_[name])
        ridge[-1] = 1.0  # the intercept's
        prior[place, place] += np.diag(ridge)
    shares = model.view_probabilities(views)
    total = 0.0
    for code in range(1, 2) if n_classes == 2 else range(n_classes):
        precision = prior.copy()
        for view, (name, place) in enumerate(zip(views.names, posterior.slices, strict=True)):
            told = views.observed_in(name) & (y >= 0)
            own = shares[name][told, code]
            precision[place, place] += (rows[view][told].T * (own * (1 - own))) @ rows[view][told]
        total += multivariate_normal(cov=np.linalg.inv(precision)).entropy()
    np.testing.assert_allclose(posterior.entropy(), total, rtol=1e-5)


@given(seed=st.integers(0, 30), n=st.integers(3, 12))
@settings(max_examples=20)
def test_all_neighbours_are_all_pairs(seed, n):
    rows = np.random.default_rng(seed).standard_normal((n, 2))
    some, width = neighbour_graph(rows, n)
    every, whole = neighbour_graph(rows, None)
    np.testing.assert_allclose(width, whole, rtol=1e-8)
    np.testing.assert_allclose(some.toarray(), every, rtol=1e-7, atol=1e-12)


# -- laws of the method ----------------------------------------------------------------------------


@given(seed=st.integers(0, 30), n_classes=st.integers(2, 3))
@settings(max_examples=15, deadline=None)
def test_the_bound_on_the_evidence_never_falls(seed, n_classes):
    views, y, _ = problem(seed, n_classes=n_classes, n_labelled=9)
    model = BayesianCoTraining(1.0, 1.0, prior_shape=1.0).fit(views, y)
    gains = np.diff(model.objective_history_)
    assert (gains >= -1e-6 * np.abs(model.objective_history_[1:])).all()
    assert model.converged_


@pytest.mark.parametrize("relevance", ["view", "feature"])
def test_going_on_would_not_change_the_answer(relevance):
    views, y, _ = problem(5, n_classes=3)
    options = {"relevance": relevance, "prior_shape": 2.0}
    short = BayesianCoTraining(**options).fit(views, y)
    long = BayesianCoTraining(**options, tol=1e-12, max_iter=1000).fit(views, y)
    np.testing.assert_allclose(short.predict_proba(views), long.predict_proba(views), atol=2e-3)
    np.testing.assert_allclose(short.coupling_, long.coupling_, rtol=2e-2)


@given(seed=st.integers(0, 20))
@settings(max_examples=8, deadline=None)
def test_order_and_units_are_without_effect(seed):
    views, y, _ = problem(seed, n_classes=3)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(views))
    units = {name: 10.0 ** rng.integers(-3, 4, size=rows.shape[1]) for name, rows in views.items()}
    other = Views(
        {name: views[name][order] * units[name] + 5.0 for name in reversed(views.names)},
        observed=views.observed[order][:, ::-1],
    )
    one = BayesianCoTraining().fit(views, y)
    two = BayesianCoTraining().fit(other, y[order])
    expected = one.predict_proba(views)[order]
    np.testing.assert_allclose(two.predict_proba(other), expected, atol=1e-5)
    np.testing.assert_allclose(two.posterior_.coupling, one.posterior_.coupling, rtol=1e-4)
    np.testing.assert_allclose(two.posterior_.entropy(), one.posterior_.entropy(), atol=1e-2)


def test_of_one_view_coupling_asks_nothing():
    views, y, _ = problem(6, widths=(4,))
    found = [BayesianCoTraining(c).fit(views, y).predict_proba(views) for c in (0.0, 100.0)]
    np.testing.assert_allclose(*found, atol=1e-8)


def test_what_is_hidden_is_without_effect():
    views, y, _ = problem(7)
    hidden = {name: rows.copy() for name, rows in views.items()}
    for name, rows in hidden.items():
        rows[~views.observed_in(name)] = 1e3
    other = Views(hidden, observed=views.observed)
    one, two = (BayesianCoTraining().fit(each, y).predict_proba(each) for each in (views, other))
    np.testing.assert_array_equal(one, two)


def test_coupled_views_come_together():
    """Mean squared difference between the log odds of two views falls with the coupling."""
    views, y, _ = problem(8, hidden=0.0, n_labelled=10)
    apart = []
    for coupling in (0.0, 0.1, 1.0, 10.0):
        model = BayesianCoTraining(coupling, 0.0, **FIXED).fit(views, y)
        first, second = (
            rows @ model.posterior_.mean[0, place]
            for rows, place in zip(model.coordinates(views), model.posterior_.slices, strict=True)
        )
        apart.append(np.mean((first - second) ** 2))
    assert (np.diff(apart) < 0).all()
    assert apart[-1] < 0.1 * apart[0]


def test_smooth_views_differ_less_between_neighbours():
    views, y, _ = problem(9, hidden=0.0, n_labelled=10)
    rough = []
    for smoothness in (0.0, 1.0, 10.0):
        model = BayesianCoTraining(0.0, smoothness, **FIXED).fit(views, y)
        rows, place = model.coordinates(views)[0], model.posterior_.slices[0]
        graph, _ = neighbour_graph(rows[:, :-1], 10)
        weights = model.posterior_.mean[0, place]
        rough.append(weights @ smoothness_of(rows, graph) @ weights)
    assert (np.diff(rough) < 0).all()


# -- the estimator ---------------------------------------------------------------------------------


def test_an_unseen_view_takes_part_by_the_others():
    """Labels in one view only: coupled, the other learns what it was never told."""
    rng = np.random.default_rng(0)
    groups = np.arange(200) % 2
    data = [rng.standard_normal((200, 3)) + 3 * groups[:, None] for _ in range(2)]
    y = np.where(np.arange(200) < 20, groups, -1)
    observed = np.ones((200, 2), dtype=bool)
    observed[:20, 1] = False
    views = Views({"told": data[0], "silent": data[1]}, observed=observed)
    model = BayesianCoTraining(1.0).fit(views, y)
    shares = model.view_probabilities(views)["silent"]
    assert np.isnan(shares[:20]).all()
    assert np.mean(shares[20:].argmax(axis=1) == groups[20:]) > 0.95


def test_one_label_of_each_class_will_do():
    views, _, groups = problem(10, n_classes=3, hidden=0.0)
    y = np.full(len(views), -1)
    y[[np.flatnonzero(groups == code)[0] for code in range(3)]] = [0, 1, 2]
    model = BayesianCoTraining().fit(views, y)
    assert model.converged_
    np.testing.assert_allclose(model.predict_proba(views).sum(axis=1), 1.0)
    assert (model.transduction_[y >= 0] == y[y >= 0]).all()


def test_words_are_taken_sparse_and_wide():
    rng = np.random.default_rng(1)
    groups = np.arange(60) % 2
    words = (rng.random((60, 500)) < 0.02 + 0.2 * (np.arange(500) % 2 == groups[:, None])) * 1.0
    y = np.where(np.arange(60) < 10, groups, -1)
    views = {"words": csr_array(words), "more": csr_array(words[:, ::3])}
    model = BayesianCoTraining(max_features=20).fit(views, y)
    assert [own.shape[1] for own in model.coordinates(views)] == [21, 21]
    assert np.mean(model.predict(views) == groups) > 0.9
    dense = {name: matrix.toarray() for name, matrix in views.items()}
    again = BayesianCoTraining(max_features=20).fit(dense, y)
    np.testing.assert_allclose(again.predict_proba(dense), model.predict_proba(views), atol=1e-6)


def test_coordinates_are_one_and_zero_where_the_paper_needs_it():
    views, y, _ = problem(11)
    model = BayesianCoTraining().fit(views, y)
    for own, seen in zip(model.coordinates(views), views.observed.T, strict=True):
        np.testing.assert_array_equal(own[:, -1], seen)
        assert not own[~seen].any()


def test_a_constant_view_says_what_the_labels_do():
    views = {"one": np.ones((12, 3)), "two": np.arange(12.0)[:, None]}
    y = np.where(np.arange(12) % 4 < 3, np.arange(12) // 6, -1)
    shares = BayesianCoTraining(0.0, balance=0.0).fit(views, y).view_probabilities(views)["one"]
    share = np.mean(y[y >= 0])
    np.testing.assert_allclose(shares[:, 1], share, atol=1e-6)


def test_an_object_that_no_view_shows_is_refused():
    views, y, _ = problem(12)
    model = BayesianCoTraining().fit(views, y)
    nobody = {name: [None, rows[0]] for name, rows in views.items()}
    with pytest.raises(ViewsError):
        model.predict(nobody)


def test_too_few_steps_are_said():
    views, y, _ = problem(13)
    model = BayesianCoTraining(prior_shape=0.1, max_iter=1, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model.fit(views, y)
    assert not model.converged_


def test_what_does_not_fit_is_refused_in_a_sentence(monkeypatch):
    views, y, _ = problem(14, widths=(30, 30))
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "20kB")
    with pytest.raises(MemoryLimitError, match="lower max_features"):
        BayesianCoTraining().fit(views, y)
