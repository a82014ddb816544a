from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from manyviews import Views
from manyviews.exceptions import UnobservedViewsError, ViewsError, ViewsWarning
from manyviews.explain import (
    ConditionalInformationBottleneck,
    InformationBottleneck,
    bottleneck,
    membership_of,
)
from manyviews.explain.annealing import anneal, instability, search
from manyviews.explain.bottleneck_equations import describe, minimize, pose
from manyviews.explain.distributions import Shares, SoftBins

SLACK = 1e-10
"""Rounding of sums of some hundred terms of about one."""


# -- small problems, and the oracle: loops over u, c, w, v and nothing else ------------------------


class Small:
    """P(u), P(v|u), P(w|u), P(v|u, w) and memberships to start from, with exact zeros in them."""

    def __init__(self, seed, n=9, m=6, q=3, k=3):
        rng = np.random.default_rng(seed)
        self.p_u = rng.dirichlet(np.ones(n))
        self.p_v = with_zeros(rng, (n, m))
        self.p_w = with_zeros(rng, (n, q))
        self.p_vw = np.array([with_zeros(rng, (n, m)) for _ in range(q)])
        self.start = rng.dirichlet(np.ones(k), n)
        self.k, self.beta = k, float(rng.uniform(0.5, 30.0))

    def forms(self):
        """The plain form, the one of Section 5.3, and the full conditional one."""
        yield {}
        yield {"p_w_given_u": self.p_w}
        yield {"p_w_given_u": self.p_w, "p_v_given_uw": self.p_vw}

    def run(self, *, max_iter=2000, tol=1e-9, beta=None, **form):
        return bottleneck(
            self.p_u,
            self.p_v,
            self.k,
            self.beta if beta is None else beta,
            start=self.start,
            max_iter=max_iter,
            tol=tol,
            rng=np.random.default_rng(0),
            **form,
        )

    def naive_tables(self, p_w_given_u=None, p_v_given_uw=None):
        p_w = np.ones((len(self.p_u), 1)) if p_w_given_u is None else p_w_given_u
        same = [self.p_v] * p_w.shape[1]
        return p_w, same if p_v_given_uw is None else p_v_given_uw


def with_zeros(rng, shape):
    rows = rng.dirichlet(np.full(shape[1], 0.5), shape[0])
    rows = np.where(rng.random(shape) < 0.3, 0.0, rows)
    rows[:, 0] += 0.05
    return rows / rows.sum(axis=1, keepdims=True)


def naive_p_v_given_wc(p_u, p_w, p_v, membership, w, c):
    n, m = len(p_u), p_v[w].shape[1]
    mass = sum(p_u[u] * p_w[u][w] * membership[u][c] for u in range(n))
    return [
        sum(p_u[u] * p_w[u][w] * membership[u][c] * p_v[w][u][v] for u in range(n)) / mass
        for v in range(m)
    ]


def naive_step(p_u, p_w, p_v, membership, beta):
    n, k = membership.shape
    p_c = [sum(p_u[u] * membership[u][c] for u in range(n)) for c in range(k)]
    found = np.empty((n, k))
    given = {
        (w, c): naive_p_v_given_wc(p_u, p_w, p_v, membership, w, c)
        for w in range(p_w.shape[1])
        for c in range(k)
    }
    for u in range(n):
        for c in range(k):
            exponent = 0.0
            for w in range(p_w.shape[1]):
                for v, share in enumerate(p_v[w][u]):
                    if p_w[u][w] > 0 and share > 0:
                        exponent += p_w[u][w] * share * log(given[w, c][v])
            found[u, c] = p_c[c] * exp(beta * exponent)
    return found / found.sum(axis=1, keepdims=True)


def naive_information(joint):
    """I(A;B) of a table of joint probabilities."""
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    return sum(
        joint[a, b] * log(joint[a, b] / (rows[a] * columns[b]))
        for a, b in product(range(joint.shape[0]), range(joint.shape[1]))
        if joint[a, b] > 0
    )


def naive_measures(p_u, p_w, p_v, membership):
    """I(U;C), I(V;C|W) and I(U;V|W)."""
    i_vc = i_uv = 0.0
    for w in range(p_w.shape[1]):
        weight = float(sum(p_u * p_w[:, w]))
        p_uv = np.array([p_u[u] * p_w[u][w] * p_v[w][u] / weight for u in range(len(p_u))])
        i_vc += weight * naive_information(membership.T @ p_uv)
        i_uv += weight * naive_information(p_uv)
    return naive_information(p_u[:, None] * membership), i_vc, i_uv


small = st.builds(Small, st.integers(0, 2**31))


@given(problem=small)
@settings(deadline=None, max_examples=25)
def test_a_step_is_the_one_written_with_loops(problem):
    for form in problem.forms():
        p_w, p_v = problem.naive_tables(**form)
        expected = naive_step(problem.p_u, p_w, p_v, problem.start, problem.beta)
        found = problem.run(max_iter=1, **form)
        assert_allclose(found.membership, expected, atol=1e-10)
        i_uc, i_vc, _ = naive_measures(problem.p_u, p_w, p_v, expected)
        assert_allclose([found.i_uc, found.i_vc], [i_uc, i_vc], atol=1e-10)
        assert found.history[-1] == pytest.approx(i_uc - problem.beta * i_vc, abs=1e-9)


@given(problem=small)
@settings(deadline=None, max_examples=25)
def test_no_step_raises_the_objective_of_either_form(problem):
    for form in problem.forms():
        history = problem.run(max_iter=60, **form).history
        assert (np.diff(history) <= SLACK * problem.beta).all()


@given(problem=small)
@settings(deadline=None, max_examples=15)
def test_where_the_iteration_stops_the_derivative_of_the_lagrangian_is_zero(problem):
    rng = np.random.default_rng(1)
    for form in problem.forms():
        found = problem.run(tol=1e-12, **form)
        if not found.converged:  # at a phase transition it takes for ever
            continue
        posed = pose(problem.p_u, problem.p_v, **form)
        for _ in range(3):
            # moves that keep each row a distribution, small where a membership is small
            away = rng.standard_normal(found.membership.shape) * found.membership
            away -= found.membership * away.sum(axis=1, keepdims=True)
            step = 1e-5
            ends = [
                describe(posed, found.membership + sign * step * away).objective(problem.beta)
                for sign in (1, -1)
            ]
            assert abs(ends[0] - ends[1]) / (2 * step) < 1e-5


@given(problem=small)
@settings(deadline=None, max_examples=25)
def test_with_a_constant_w_the_conditional_form_is_the_plain_one(problem):
    plain = problem.run(max_iter=30)
    constant = problem.run(max_iter=30, p_w_given_u=np.ones((len(problem.p_u), 1)))
    assert_allclose(constant.membership, plain.membership, atol=1e-12)
    assert_allclose(constant.p_v_given_c[0], plain.p_v_given_c, atol=1e-12)
    assert_allclose(constant.history, plain.history, atol=1e-12)


@given(problem=small)
@settings(deadline=None, max_examples=25)
def test_a_w_that_says_nothing_changes_nothing(problem):
    whatever = np.tile([0.2, 0.8], (len(problem.p_u), 1))
    conditional = problem.run(max_iter=30, p_w_given_u=whatever)
    assert_allclose(conditional.membership, problem.run(max_iter=30).membership, atol=1e-9)


@given(problem=small)
@settings(deadline=None, max_examples=25)
def test_clusters_know_no_more_than_objects_do_nor_than_they_remember(problem):
    for form in problem.forms():
        found = problem.run(max_iter=40, **form)
        p_w, p_v = problem.naive_tables(**form)
        told = naive_measures(problem.p_u, p_w, p_v, found.membership)[2]
        assert -SLACK <= found.i_vc <= min(told, found.i_uc) + SLACK
        assert pose(problem.p_u, problem.p_v, **form).i_uv == pytest.approx(told, abs=1e-9)


@given(problem=small)
@settings(deadline=None, max_examples=10)
def test_one_cluster_knows_nothing(problem):
    problem.k, problem.start = 1, np.ones((len(problem.p_u), 1))
    for form in problem.forms():
        found = problem.run(**form)
        assert_allclose([found.i_uc, found.i_vc, found.history[-1]], 0.0, atol=1e-9)


@given(problem=small)
@settings(deadline=None, max_examples=10)
def test_a_cluster_for_each_object_at_large_beta_knows_all(problem):
    n = len(problem.p_u)
    problem.k, problem.start = n, np.eye(n)
    found = problem.run(beta=1e6)
    assert found.i_vc == pytest.approx(pose(problem.p_u, problem.p_v).i_uv, abs=1e-6)


@given(problem=small, seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_permuted_objects_get_permuted_memberships(problem, seed):
    order = np.random.default_rng(seed).permutation(len(problem.p_u))
    expected = problem.run(max_iter=25, p_w_given_u=problem.p_w).membership[order]
    problem.p_u, problem.p_v = problem.p_u[order], problem.p_v[order]
    problem.start = problem.start[order]
    found = problem.run(max_iter=25, p_w_given_u=problem.p_w[order]).membership
    assert_allclose(found, expected, atol=1e-8)


@given(problem=small)
@settings(deadline=None, max_examples=20)
def test_equal_objects_have_equal_memberships_whatever_the_start(problem):
    problem.p_v[4] = problem.p_v[1]
    problem.p_w[4] = problem.p_w[1]
    for form in ({}, {"p_w_given_u": problem.p_w}):
        found = problem.run(max_iter=1, **form).membership
        assert_allclose(found[4], found[1], atol=1e-12)


@given(problem=small)
@settings(deadline=None, max_examples=20)
def test_an_object_of_double_weight_is_two_objects(problem):
    problem.p_u = np.append(2.0, np.ones(len(problem.p_u) - 1)) / (len(problem.p_u) + 1)
    expected = problem.run(max_iter=20)
    problem.p_u = np.full(len(problem.p_u) + 1, 1.0 / (len(problem.p_u) + 1))
    problem.p_v = np.vstack([problem.p_v[:1], problem.p_v])
    problem.start = np.vstack([problem.start[:1], problem.start])
    found = problem.run(max_iter=20)
    assert_allclose(found.membership[1:], expected.membership, atol=1e-8)
    assert_allclose(found.history, expected.history, atol=1e-9)


@given(problem=small)
@settings(deadline=None, max_examples=15)
def test_sparse_rows_give_what_dense_ones_give(problem):
    forms = zip(problem.forms(), problem.forms(), strict=True)
    for form, sparse_form in forms:
        expected = problem.run(max_iter=15, **form)
        if "p_v_given_uw" in form:
            sparse_form["p_v_given_uw"] = [csr_array(rows) for rows in problem.p_vw]
        dense, problem.p_v = problem.p_v, csr_array(problem.p_v)
        found = problem.run(max_iter=15, **sparse_form)
        problem.p_v = dense
        assert_allclose(found.membership, expected.membership, atol=1e-9)


@given(problem=small)
@settings(deadline=None, max_examples=15)
def test_new_objects_get_the_third_equation(problem):
    for form in problem.forms():
        found = problem.run(tol=1e-10, **form)
        if found.converged:
            again = membership_of(problem.p_v, found.p_c, found.p_v_given_c, problem.beta, **form)
            assert_allclose(again, found.membership, atol=1e-8)


def test_an_object_enters_a_cluster_that_lacks_little_of_what_it_shows():
    """Zeros in P(v|c) are no walls where beta times what is lacking is below one."""
    p_v = np.array([[0.5, 0.5, 0.0, 0.0], [0.45, 0.45, 0.1, 0.0], [0.0, 0.0, 0.0, 1.0]])
    start = np.eye(2)[[0, 1, 1]]  # cluster 0 lacks the tenth that the second object shows
    for beta, enters in ((3.0, True), (2000.0, False)):
        found = bottleneck(
            np.full(3, 1 / 3),
            p_v,
            2,
            beta,
            start=start,
            max_iter=500,
            tol=1e-10,
            rng=np.random.default_rng(0),
        )
        assert (found.membership[1, 0] > 0.5) == enters
        assert (np.diff(found.history) <= SLACK * beta).all()


def test_a_dead_cluster_has_no_share_and_stands_for_all():
    problem = Small(3)
    problem.start = np.column_stack([problem.start[:, :2] + 0.1, np.zeros(len(problem.p_u))])
    problem.start /= problem.start.sum(axis=1, keepdims=True)
    found = problem.run(max_iter=5)
    assert found.p_c[2] < 1e-200
    assert np.isfinite(found.p_v_given_c).all()
    first = describe(pose(problem.p_u, problem.p_v), problem.start)
    assert_allclose(first.p_v_given_c[0][2], problem.p_u @ problem.p_v, atol=1e-12)


# -- annealing -------------------------------------------------------------------------------------


@given(seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=15)
def test_the_first_transition_is_where_beta_is_one_over_the_squared_correlation(seed):
    problem = Small(seed)
    p_uv = problem.p_u[:, None] * problem.p_v
    p_v = p_uv.sum(axis=0)
    shown = p_v > 0
    scaled = p_uv[:, shown] / np.sqrt(np.outer(problem.p_u, p_v[shown]))
    _, second, third, *_ = np.linalg.svd(scaled, compute_uv=False) ** 2
    assume(third < 0.8 * second)  # or a power iteration is not at its end
    posed = pose(problem.p_u, problem.p_v)
    alone = describe(posed, np.ones((len(problem.p_u), 1)))
    found = instability(posed, alone, np.random.default_rng(0))
    assert found.rates[0] == pytest.approx(second, rel=1e-3)  # of a cosine of 1 - 1e-4
    below = anneal(posed, 3, 0.97 / second, np.random.default_rng(0))[-1].clusters
    assert len(below.p_c) == 1
    above = anneal(posed, 3, 1.3 / second, np.random.default_rng(0))[-1].clusters
    assert len(above.p_c) > 1
    assert above.objective(1.3 / second) < 0


@given(seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=10)
def test_copies_of_a_cluster_part_above_the_transition_and_join_below(seed):
    """What ``instability`` says of two copies is what the iteration does to them."""
    problem = Small(seed)
    posed = pose(problem.p_u, problem.p_v, problem.p_w)
    alone = describe(posed, np.ones((len(problem.p_u), 1)))
    torn = instability(posed, alone, np.random.default_rng(0))
    s = torn.directions[:, 0] * 1e-4
    copies = np.column_stack([1 + s, 1 - s]) / 2

    def apart(q):
        difference = q[:, 0] - q[:, 1]
        return np.abs(difference - problem.p_u @ difference).max()

    for factor, grows in ((1.3, True), (0.7, False)):
        run = minimize(posed, copies, factor / torn.rates[0], max_iter=1, tol=0.0)
        assert (apart(run.clusters.membership) > apart(copies)) == grows


def test_the_search_finds_the_best_of_all_sharp_partitions():
    for seed in range(5):
        problem = Small(seed, n=7, m=5)
        posed = pose(problem.p_u, problem.p_v)
        best = max(
            describe(posed, np.eye(2)[list(labels)]).i_vc for labels in product(range(2), repeat=7)
        )
        options = {"n_init": 50, "max_iter": 500, "tol": 1e-8}
        found = search(posed, 2, 1e4, rng=np.random.default_rng(0), **options)
        assert found.run.clusters.i_vc == pytest.approx(best, abs=1e-3)


# -- estimators ------------------------------------------------------------------------------------


def topics(n=90, n_topics=3, seed=0):
    """Words in two views, and the topic of each object."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_topics
    views = {}
    for name, width in (("title", 24), ("text", 40)):
        p = rng.dirichlet(np.full(width, 0.3), n_topics)
        views[name] = np.array([rng.multinomial(30, p[topic]) for topic in y], dtype=float)
    return Views(views), y


def measurements(n=90, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return (
        Views(
            {
                "size": rng.normal(y[:, None] * 4.0, 1.0, (n, 4)),
                "place": rng.normal(-3.0 * y[:, None], 1.0, (n, 3)),
            }
        ),
        y,
    )


@pytest.mark.parametrize("data", [topics, measurements])
def test_it_finds_plain_groups_in_counts_and_in_measurements(data):
    views, y = data()
    model = InformationBottleneck(3, random_state=0).fit(views)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert_allclose(model.predict_proba(views), model.membership_, atol=1e-12)
    assert (np.diff(model.objective_history_) <= 1e-9).all()
    assert (np.diff(model.p_c_) <= 0).all()
    assert model.i_vc_ <= min(model.i_uc_, model.i_uv_)
    assert model.i_uc_ >= 0.9 * np.log(3) - 1e-9  # what beta="auto" promises, with equal groups


@pytest.mark.parametrize("data", [topics, measurements])
def test_answers_hang_on_no_order_of_objects_views_or_features_and_on_no_unit(data):
    views, _ = data()
    model = InformationBottleneck(3, n_init=1, random_state=0).fit(views)
    order = np.random.default_rng(1).permutation(len(views))
    turned = {name: 1000.0 * views[name][order][:, ::-1] for name in views.names[::-1]}
    found = InformationBottleneck(3, n_init=1, random_state=5).fit(turned)
    assert adjusted_rand_score(found.labels_, model.labels_[order]) == 1.0
    assert found.beta_ == pytest.approx(model.beta_, rel=1e-2)


def test_two_views_are_the_union_of_their_features_each_with_half_the_probability():
    views, _ = topics()
    shares = [Shares()(matrix).toarray() / 2 for _, matrix in views.items()]
    model = InformationBottleneck(3, 6.0, distribution="shares", n_init=1).fit(views)
    joined = bottleneck(
        np.full(len(views), 1 / len(views)),
        np.hstack(shares),
        3,
        6.0,
        start=model.membership_,
        max_iter=2000,
        tol=1e-8,
        rng=np.random.default_rng(0),
    )
    assert_allclose(joined.membership, model.membership_, atol=5e-3)  # tol of the model is 1e-4
    assert joined.i_vc == pytest.approx(model.i_vc_, abs=1e-4)


def test_what_is_missing_tells_nothing():
    """Objects that differ by the views they show only are one cluster."""
    rng = np.random.default_rng(0)
    same = {"one": np.tile([3.0, 1.0], (40, 1)), "two": np.tile([1.0, 1.0, 2.0], (40, 1))}
    observed = rng.permuted(np.tile([True, False], (40, 1)), axis=1)
    model = InformationBottleneck(2, distribution="shares", view_weights=None, random_state=0)
    with pytest.warns(ViewsWarning, match="one cluster"):
        model.fit(Views(same, observed=observed))
    assert model.n_clusters_ == 1
    assert model.i_uv_ == pytest.approx(0.0, abs=1e-12)


def test_objects_with_gaps_are_told_by_what_they_show():
    views, y = topics(120)
    observed = np.ones((120, 2), dtype=bool)
    observed[np.arange(0, 120, 2), (np.arange(0, 120, 2) // 2) % 2] = False
    model = InformationBottleneck(3, random_state=0).fit(
        Views(dict(views.items()), observed=observed)
    )
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_an_object_that_shows_no_word_has_the_shares_of_the_clusters():
    views, _ = topics()
    title, text = (matrix.copy() for _, matrix in views.items())
    title[7], text[7] = 0.0, 0.0
    model = InformationBottleneck(3, distribution="shares", random_state=0)
    model.fit({"title": title, "text": text})
    assert_allclose(model.membership_[7], model.p_c_, atol=1e-6)
    without = [np.delete(each, 7, axis=0) for each in (title, text)]
    other = InformationBottleneck(3, model.beta_, distribution="shares", n_init=1).fit(without)
    assert other.i_vc_ == pytest.approx(model.i_vc_, abs=1e-3)


def test_more_clusters_than_there_are_kinds_of_objects_are_not_made_up():
    rows = np.repeat(np.array([[4.0, 1.0, 0.0], [0.0, 1.0, 3.0]]), 6, axis=0)
    model = InformationBottleneck(5, distribution="shares", random_state=0).fit(rows)
    assert model.n_clusters_ == 2
    assert model.i_vc_ <= model.i_uv_ + 1e-12
    assert model.membership_.shape == (12, 2)


def test_objects_that_share_nothing_are_a_cluster_each_if_so_many_are_asked_for():
    model = InformationBottleneck(12, distribution="shares", n_init=1, random_state=0)
    model.fit(np.eye(12))
    assert sorted(model.labels_) == list(range(12))
    assert model.i_vc_ == pytest.approx(np.log(12), rel=0.05)
    assert model.i_uv_ == pytest.approx(np.log(12))


def test_where_what_is_known_tells_all_there_is_one_cluster_and_a_warning():
    views, _ = topics(12)
    with pytest.warns(ViewsWarning, match="nothing tells the objects apart beyond what is known"):
        model = ConditionalInformationBottleneck(3).fit(views, np.arange(12))
    assert model.n_clusters_ == 1


def test_a_beta_that_pays_for_nothing_is_told():
    views, _ = topics()
    with pytest.warns(ViewsWarning, match="beta=0.5 does not pay"):
        model = InformationBottleneck(3, 0.5).fit(views)
    assert model.n_clusters_ == 1
    assert_allclose(model.membership_, 1.0)


def test_the_curve_is_of_the_annealing_and_ends_at_the_fit():
    views, _ = topics()
    curve = InformationBottleneck(3, random_state=0).fit(views).information_curve_
    assert (np.diff(curve.beta) >= 0).all()
    assert curve.n_clusters[0] == 1
    assert curve.n_clusters[-1] == 3
    assert curve.i_vc[0] == curve.i_uc[0] == 0.0
    assert (curve.i_vc <= np.minimum(curve.i_uc, curve.i_uv) + SLACK).all()


def test_weights_are_those_of_objects():
    views, y = topics()
    weights = np.where(y == 2, 0.0, 1.0)
    model = InformationBottleneck(2, random_state=0).fit(views, sample_weight=weights)
    assert adjusted_rand_score(y[y < 2], model.labels_[y < 2]) == 1.0
    assert len(model.labels_) == len(y)
    # each cluster has half of the weight that counts
    assert_allclose(model.p_c_, 0.5, atol=0.02)


def test_bins_are_shares_between_the_two_knots_around_a_value():
    bins = SoftBins.of(np.array([[0.0, 7.0], [1.0, 7.0], [2.0, 7.0], [10.0, 7.0]]), np.ones(4), 4)
    assert_allclose(bins.knots[0], [0.0, 1.0, 2.0, 10.0][: len(bins.knots[0])])
    assert len(bins.knots[1]) == 1  # a constant has no bins
    rows = bins(np.array([[0.25, 0.0], [-5.0, 0.0], [99.0, 1.0]])).toarray()
    assert_allclose(rows.sum(axis=1), 1.0)
    assert_allclose(rows[0, :2], [0.75, 0.25])
    assert rows[1, 0] == rows[2, -1] == 1.0


@pytest.mark.parametrize("make", [InformationBottleneck, ConditionalInformationBottleneck])
def test_bad_input_is_refused_in_a_sentence(make):
    views, _ = topics(30)
    negative = dict(views.items())
    negative["text"] = negative["text"].copy()
    negative["text"][4, 2] = -3.0
    with pytest.raises(ViewsError, match=r"view 'text', row 4, holds -3 .* distribution='bins'"):
        make(3, distribution="shares").fit(negative)
    empty = {name: np.zeros_like(matrix) for name, matrix in views.items()}
    with pytest.raises(UnobservedViewsError, match="empty in all views"):
        make(3, distribution="shares", view_weights=None).fit(empty)
    for weights, said in (
        (np.ones(29), "29"),
        (np.where(np.arange(30) == 5, -1.0, 1.0), "row 5"),
        (np.zeros(30), "zero for all"),
    ):
        with pytest.raises(ValueError, match=said):
            make(3).fit(views, sample_weight=weights)


# -- the conditional estimator ---------------------------------------------------------------------


def two_truths(n=80, seed=0):
    """Words of which most tell the subject and some the style."""
    rng = np.random.default_rng(seed)
    subject, style = rng.permutation(np.arange(n) % 2), np.arange(n) // 2 % 2
    p = np.full((n, 12), 0.02)
    p[np.arange(n)[:, None], 4 * subject[:, None] + np.arange(4)] += 0.14
    p[np.arange(n)[:, None], 8 + 2 * style[:, None] + np.arange(2)] += 0.1
    words = np.array([rng.multinomial(60, row / row.sum()) for row in p], dtype=float)
    return words, subject, style


def test_it_finds_what_is_not_known_already():
    words, subject, style = two_truths()
    plain = InformationBottleneck(2, distribution="shares", random_state=0).fit(words)
    assert adjusted_rand_score(subject, plain.labels_) > 0.9
    known = np.where(np.eye(2)[subject] == 1, 0.97, 0.03)
    model = ConditionalInformationBottleneck(2, distribution="shares", random_state=0)
    model.fit(words, irrelevant=known)
    assert adjusted_rand_score(style, model.labels_) > 0.9
    assert (np.diff(model.objective_history_) <= 1e-9).all()
    assert_allclose(model.predict_proba(words, irrelevant=known), model.membership_, atol=1e-12)
    (p_v_given_c,) = model.p_v_given_c_.values()
    assert p_v_given_c.shape == (2, 2, 12)
    assert_allclose(p_v_given_c.sum(axis=2), 1.0)


def test_with_labels_it_finds_it_within_each():
    words, subject, style = two_truths()
    model = ConditionalInformationBottleneck(2, distribution="shares", random_state=0)
    model.fit(words, np.array(["first", "second"])[subject])
    assert list(model.classes_) == ["first", "second"]
    for value in (0, 1):
        own = subject == value
        assert adjusted_rand_score(style[own], model.labels_[own]) > 0.9
    labels = np.array(["first", "second"])[subject]
    assert_allclose(model.predict_proba(words, labels), model.membership_, atol=1e-12)


@given(seed=st.integers(0, 100))
@settings(deadline=None, max_examples=4)
def test_without_anything_known_it_is_the_plain_bottleneck(seed):
    views, _ = topics(45, seed=seed)
    plain = InformationBottleneck(3, n_init=2, random_state=seed).fit(views)
    for known in (None, np.zeros(45, dtype=int)):
        model = ConditionalInformationBottleneck(3, n_init=2, random_state=seed).fit(views, known)
        assert_allclose(model.membership_, plain.membership_, atol=1e-9)
        assert_allclose(model.predict_proba(views), plain.predict_proba(views), atol=1e-9)


def test_an_object_whose_label_is_unknown_has_the_shares_of_the_labels():
    words, subject, _ = two_truths()
    partly = np.where(np.arange(len(subject)) % 4 == 0, -1, subject)
    model = ConditionalInformationBottleneck(2, distribution="shares", random_state=0)
    model.fit(words, partly)
    shares = np.bincount(partly[partly >= 0]) / (partly >= 0).sum()
    known = np.where(partly[:, None] >= 0, np.eye(2)[partly], shares)
    same = ConditionalInformationBottleneck(2, distribution="shares", random_state=0)
    same.fit(words, irrelevant=known)
    assert_allclose(same.membership_, model.membership_, atol=1e-9)
    assert_allclose(model.p_w_, shares, atol=1e-12)


def test_what_is_known_is_refused_in_a_sentence_if_it_is_no_probability():
    words, subject, _ = two_truths()
    model = ConditionalInformationBottleneck(2, distribution="shares")
    with pytest.raises(ValueError, match="give one of them"):
        model.fit(words, subject, irrelevant=np.eye(2)[subject])
    with pytest.raises(ValueError, match="irrelevant has shape"):
        model.fit(words, irrelevant=np.ones((3, 2)) / 2)
    with pytest.raises(ValueError, match="row 0 of irrelevant"):
        model.fit(words, irrelevant=np.ones((len(words), 2)))
    with pytest.raises(ValueError, match="nothing is known"):
        model.fit(words, np.full(len(words), -1))
    model.fit(words, subject)
    with pytest.raises(ValueError, match="was not there in fit"):
        model.predict(words, np.full(len(words), 7))
