"""Co-RLS against the paper's system, its objective, kernel ridge, and itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge

from manyviews import Views
from manyviews.datasets import make_two_moons_two_lines
from manyviews.semi_supervised import CoRLS, CoRLSRegressor
from manyviews.semi_supervised.co_rls import (
    Features,
    by_consensus,
    by_residuals,
    pose_loss,
    residuals,
    solve_dual,
    solve_primal,
)
from manyviews.semi_supervised.least_squares import offset
from manyviews.similarity import RBF, KNNGraph, LowRankKernel


def problem(seed=0, n=30, widths=(3, 4), n_classes=2, hidden=0.0, n_labelled=12):
    """Views with some class structure, labels for a few, gaps in all but the first view."""
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % n_classes
    data = {}
    for number, width in enumerate(widths):
        matrix = rng.standard_normal((n, width)) + rng.standard_normal((n_classes, width))[groups]
        if number:
            matrix[rng.random(n) < hidden] = np.nan
        data[f"v{number}"] = matrix
    y = np.where(np.arange(n) < n_labelled, groups, -1)
    order = rng.permutation(n)
    return Views({name: matrix[order] for name, matrix in data.items()}), y[order], groups[order]


def published(kernel="linear", **given):
    """Co-RLS with the penalties of the paper, which the tests below write out."""
    paper = {"gamma": 0.01, "coupling": 1.0, "relative": False, "view_weights": None}
    return CoRLS(kernel, **paper | given)


def kernels_of(views, gamma=0.3):
    return {name: RBF(gamma).gram(matrix) for name, matrix in views.items()}


# -- the paper's system and objective --------------------------------------------------------------


@pytest.mark.parametrize("mu", [1.0, 0.4])
def test_two_views_solve_the_papers_coupled_system(mu):
    views, y, _ = problem()
    n, labelled = len(y), y >= 0
    n_labelled, g1, g2, gc = labelled.sum(), 0.05, 0.2, 0.7
    k1, k2 = kernels_of(views).values()
    target = np.where(labelled, np.where(y == 1, 1.0, -1.0), 0.0)
    j = np.diag(labelled.astype(float))
    eye = np.eye(n)
    system = np.block(
        [
            [j @ k1 / n_labelled + g1 * eye + gc / n * k1, -gc / n * k2],
            [-gc / n * k1, mu / n_labelled * j @ k2 + g2 * eye + gc / n * k2],
        ]
    )
    expected = np.linalg.solve(
        system, np.concatenate([target / n_labelled, mu * target / n_labelled])
    )
    model = published(RBF(0.3), gamma=[g1, g2], coupling=gc, balance=[1.0, mu], center=False)
    found = model.fit(views, y).dual_coef_
    np.testing.assert_allclose(found["v0"][0], expected[:n], atol=1e-10)
    np.testing.assert_allclose(found["v1"][0], expected[n:], atol=1e-10)


def written_out(grams, coefficients, y, observed, gammas, coupling, balance):
    """The objective as in the docstring, by loops over views, pairs and objects."""
    names = list(grams)
    total = 0.0
    values = {name: grams[name] @ coefficients[name] for name in names}
    for v, name in enumerate(names):
        shown = [i for i in range(len(y)) if y[i] >= 0 and observed[i, v]]
        for i in shown:
            total += balance[v] / len(shown) * ((1 if y[i] == 1 else -1) - values[name][i]) ** 2
        total += gammas[v] * coefficients[name] @ grams[name] @ coefficients[name]
        for w in range(v + 1, len(names)):
            both = [i for i in range(len(y)) if observed[i, v] and observed[i, w]]
            for i in both:
                total += coupling / len(both) * (values[name][i] - values[names[w]][i]) ** 2
    return total


@pytest.mark.parametrize("center", [False, True])
def test_three_views_with_gaps_are_at_the_minimum_of_the_objective(center):
    views, y, _ = problem(3, 20, (2, 3, 2), hidden=0.3)
    gammas, coupling, balance = [0.05, 0.1, 0.2], 2.0, [1.0, 0.5, 2.0]
    model = published(RBF(0.3), gamma=gammas, coupling=coupling, balance=balance, center=center)
    model.fit(views, y)
    grams = {}
    for name, matrix in views.items():
        seen = views.observed_in(name)
        h = np.diag(seen.astype(float))
        if center:
            h -= np.outer(seen, seen) / seen.sum()
        grams[name] = h @ RBF(0.3).gram(np.where(seen[:, None], matrix, 0.0)) @ h

    def cost(vector):
        parts = dict(zip(grams, np.split(vector, 3), strict=True))
        return written_out(grams, parts, y, views.observed, gammas, coupling, balance)

    best = np.concatenate([model.dual_coef_[name][0] for name in grams])
    assert cost(best) == pytest.approx(model.objective_, rel=1e-9)
    step = 1e-4
    slopes = [(cost(best + step * e) - cost(best - step * e)) / (2 * step) for e in np.eye(60)]
    assert np.abs(slopes).max() < 1e-9
    rng = np.random.default_rng(0)
    for _ in range(10):
        assert cost(best + 0.01 * rng.standard_normal(60)) > model.objective_


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), coupling=st.floats(0.0, 100.0))
def test_coefficients_of_unlabelled_objects_are_opposite(seed, coupling):
    views, y, _ = problem(seed, 20)
    plain = published(RBF(0.3), gamma=[0.02, 0.3], coupling=coupling, center=False).fit(views, y)
    unlabelled = y < 0
    alpha, beta = (own[0, unlabelled] for own in plain.dual_coef_.values())
    np.testing.assert_allclose(0.02 * alpha, -0.3 * beta, atol=1e-12)
    centred = clone(plain).set_params(center=True).fit(views, y)
    alpha, beta = (own[0, unlabelled] for own in centred.dual_coef_.values())
    np.testing.assert_allclose(np.ptp(0.02 * alpha + 0.3 * beta), 0.0, atol=1e-12)


def test_coefficients_of_three_views_cancel_where_all_are_seen():
    views, y, _ = problem(1, 25, (2, 3, 2), hidden=0.3)
    gammas = np.array([0.1, 0.2, 0.3])
    model = published(RBF(0.3), gamma=gammas.tolist(), coupling=3.0, center=False).fit(views, y)
    stacked = np.stack([own[0] for own in model.dual_coef_.values()])
    np.testing.assert_allclose((gammas @ stacked)[y < 0], 0.0, atol=1e-12)
    assert (stacked[~views.observed.T] == 0).all()


# -- what it becomes at the edges ------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_coupling_each_view_is_kernel_ridge(n_classes):
    views, y, _ = problem(2, 40, (3, 4, 2), n_classes=n_classes, hidden=0.2, n_labelled=20)
    gamma, balance = {"v0": 0.03, "v1": 0.1, "v2": 0.5}, {"v0": 1.0, "v1": 0.5, "v2": 2.0}
    model = published(RBF(0.3), gamma=gamma, coupling=0.0, balance=balance, center=False).fit(
        views, y
    )
    for name, found in model.view_decisions(views).items():
        seen = views.observed_in(name)
        known = seen & (y >= 0)
        classes = [1] if n_classes == 2 else range(n_classes)
        target = np.column_stack([np.where(y[known] == c, 1.0, -1.0) for c in classes])
        alpha = gamma[name] * known.sum() / balance[name]
        ridge = KernelRidge(alpha=alpha, kernel="rbf", gamma=0.3).fit(views[name][known], target)
        expected = ridge.predict(views[name][seen])
        np.testing.assert_allclose(found[seen].reshape(expected.shape), expected, atol=1e-8)
        assert np.isnan(found[~seen]).all()


def test_one_view_is_kernel_ridge_whatever_the_coupling():
    views, y, _ = problem(4, widths=(3,))
    model = published(RBF(0.3), gamma=0.1, coupling=50.0, center=False).fit(views, y)
    known = y >= 0
    ridge = KernelRidge(alpha=0.1 * known.sum(), kernel="rbf", gamma=0.3)
    ridge.fit(views["v0"][known], np.where(y[known] == 1, 1.0, -1.0))
    np.testing.assert_allclose(model.decision_function(views), ridge.predict(views["v0"]))


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_more_coupling_means_less_disagreement_and_a_higher_cost(seed):
    views, y, _ = problem(seed, 20, (2, 3, 2), hidden=0.2)
    model = published(RBF(0.3), gamma=0.05)
    fits = [clone(model).set_params(coupling=c).fit(views, y) for c in (0.0, 0.1, 1.0, 10.0, 1e5)]
    costs = np.array([each.objective_ for each in fits])
    assert (np.diff(costs) >= -1e-10).all()
    apart = np.array([each.disagreement_ for each in fits])
    assert (np.diff(apart) <= 1e-10).all()
    assert fits[-1].disagreement_ < 1e-5


def test_disagreement_is_the_mean_square_between_centred_functions():
    views, y, _ = problem(5, 25, (2, 3, 2), hidden=0.3)
    model = published(coupling=0.5).fit(views, y)
    centred = [own - model.offset_[name] for name, own in model.view_decisions(views).items()]
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = np.mean([np.nanmean((centred[a] - centred[b]) ** 2) for a, b in pairs])
    assert model.disagreement_ == pytest.approx(expected)


# -- views, gaps and the constant ------------------------------------------------------------------


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), solver=st.sampled_from(["dual", "primal"]))
def test_the_order_of_the_views_does_not_matter(seed, solver):
    views, y, _ = problem(seed, 24, (2, 3, 2), n_classes=3, hidden=0.2)
    gamma = {"v0": 0.01, "v1": 0.1, "v2": 1.0}
    model = published(gamma=gamma, balance={"v0": 1.0, "v1": 2.0, "v2": 3.0}, solver=solver)
    turned = views.subset(["v2", "v0", "v1"])
    one, other = (clone(model).fit(each, y).decision_function(each) for each in (views, turned))
    np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", RBF(0.3)])
def test_an_unlabelled_object_of_one_view_says_nothing(kernel):
    views, y, _ = problem(6, 30, (3, 4), hidden=0.3)
    alone = (y < 0) & (views.observed.sum(axis=1) == 1)
    assert alone.sum() >= 3
    model = published(kernel, coupling=2.0, center=False)
    with_them = clone(model).fit(views, y).decision_function(views)
    without = clone(model).fit(views[~alone], y[~alone]).decision_function(views)
    np.testing.assert_allclose(with_them, without, atol=1e-9)


@pytest.mark.parametrize("solver", ["dual", "primal"])
def test_centred_functions_sum_to_zero_before_the_offset(solver):
    views, y, _ = problem(7, 30, (3, 4), n_classes=3, hidden=0.3)
    model = published(solver=solver, coupling=2.0).fit(views, y)
    for name, found in model.view_decisions(views).items():
        np.testing.assert_allclose(np.nanmean(found, axis=0), model.offset_[name], atol=1e-10)


def test_the_offset_is_that_of_a_regression_of_the_labels_on_the_function():
    values, targets = np.array([[0.0], [0.1], [0.5]]), np.array([[-1.0], [-1.0], [1.0]])
    slope, start = np.polyfit(values[:, 0], targets[:, 0], 1)
    np.testing.assert_allclose(offset(values, targets), start / slope)
    np.testing.assert_allclose(offset(np.zeros((3, 1)), targets), -1 / 3)


def test_a_shrunk_function_still_tells_the_classes_apart():
    views, y, truth = problem(8, 60, (4, 4), n_labelled=24)
    y = np.where((truth == 1) & (np.cumsum(y == 1) > 3), -1, y)  # few labels of one class
    gentle, harsh = (published(gamma=gamma, coupling=0.0).fit(views, y) for gamma in (1e3, 1e9))
    assert np.abs(harsh.objective_ - 2 * 1.0) < 1e-3  # nothing but errors of zero functions
    assert (gentle.predict(views) == harsh.predict(views)).all()
    assert len(np.unique(harsh.predict(views))) == 2


def test_a_view_without_labels_of_a_class_is_cut_as_the_mean_function():
    views, y, _ = problem(9, 30, (3, 3))
    observed = np.ones((30, 2), dtype=bool)
    observed[y == 1, 1] = False
    hidden = views.with_observed(observed)
    model = published(coupling=1.0).fit(hidden, y)
    centred = {n: own - model.offset_[n] for n, own in model.view_decisions(hidden).items()}
    mean = np.nanmean(np.stack(list(centred.values())), axis=0)
    known = y >= 0
    target = np.where(y[known] == 1, 1.0, -1.0)
    slope, start = np.polyfit(mean[known], target, 1)
    np.testing.assert_allclose(model.offset_["v1"], start / slope)
    assert not np.allclose(model.offset_["v0"], start / slope)
    sparse = Views({n: csr_array(own) for n, own in views.items()}, observed=observed)
    np.testing.assert_allclose(published().fit(sparse, y).offset_["v1"], start / slope)


def test_new_objects_are_judged_by_the_views_that_show_them():
    views, y, _ = problem(10, 30, (3, 4))
    model = published("rbf").fit(views, y)
    by_view = model.view_decisions(views)
    both = np.mean(list(by_view.values()), axis=0)
    np.testing.assert_allclose(model.decision_function(views), both)
    only = model.decision_function({"v0": views["v0"], "v1": None})
    np.testing.assert_allclose(only, by_view["v0"])


# -- primal and dual -------------------------------------------------------------------------------


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    kernel=st.sampled_from(["linear", "cosine", LowRankKernel(RBF(0.3), 6)]),
    center=st.booleans(),
    sparse=st.booleans(),
    hidden=st.sampled_from([0.0, 0.3]),
)
def test_primal_equals_dual(seed, kernel, center, sparse, hidden):
    views, y, _ = problem(seed, 24, (3, 4, 2), n_classes=3, hidden=hidden)
    given_views = views
    if sparse:
        filled = {name: csr_array(np.nan_to_num(matrix)) for name, matrix in views.items()}
        given_views = Views(filled, observed=views.observed)
    model = published(kernel, gamma=0.05, coupling=2.0, center=center)
    dual = clone(model).set_params(solver="dual").fit(views, y)
    primal = clone(model).set_params(solver="primal").fit(given_views, y)
    assert primal.objective_ == pytest.approx(dual.objective_, rel=1e-8)
    np.testing.assert_allclose(
        primal.decision_function(given_views), dual.decision_function(views), atol=1e-6
    )
    for name in views.names:
        np.testing.assert_allclose(primal.coef_[name], dual.coef_[name], atol=1e-6)


def wide_text(n=150, width=900, seed=0):
    rng = np.random.default_rng(seed)
    groups = np.arange(n) % 3
    words = {
        name: rng.poisson(rng.gamma(0.15, 0.8, (3, width))[groups]).astype(float)
        for name in ("title", "body")
    }
    views = Views({name: csr_array(matrix) for name, matrix in words.items()})
    return views, np.where(np.arange(n) < 15, groups, -1), groups


@pytest.mark.parametrize("center", [False, True])
def test_conjugate_gradients_find_the_dense_solution(center):
    views, y, _ = wide_text()
    seen = np.random.default_rng(1).random((150, 2)) < 0.8
    seen[~seen.any(axis=1), 0] = True
    views = views.with_observed(seen)
    model = published("cosine", gamma=0.01, coupling=3.0, center=center, tol=1e-9)
    iterated = clone(model).set_params(solver="primal").fit(views, y)
    exact = clone(model).set_params(solver="dual").fit(views, y)
    assert 1 < iterated.n_iter_ < 200
    assert exact.solver_ == "dual"
    assert iterated.solver_ == "primal"
    np.testing.assert_allclose(
        iterated.decision_function(views), exact.decision_function(views), atol=1e-6
    )
    np.testing.assert_allclose(iterated.transduction_, np.where(y < 0, exact.predict(views), y))


def test_unfinished_conjugate_gradients_are_warned_of():
    views, y, _ = wide_text()
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = published(solver="primal", max_iter=2).fit(views, y)
    assert not model.converged_


def test_a_low_rank_kernel_of_full_rank_is_the_kernel():
    views, y, _ = problem(11, 25)
    kernel = RBF(0.3)
    whole = published(kernel, coupling=2.0).fit(views, y)
    low = published(LowRankKernel(kernel, 25, method="cholesky", tol=0.0), coupling=2.0).fit(
        views, y
    )
    assert (whole.solver_, low.solver_) == ("dual", "dual")  # 50 features for 25 objects
    narrow = clone(low).set_params(solver="primal").fit(views, y)
    new = problem(12, 10)[0]
    expected = whole.decision_function(new)
    np.testing.assert_allclose(low.decision_function(new), expected, atol=1e-5)
    np.testing.assert_allclose(narrow.decision_function(new), expected, atol=1e-5)


def test_features_are_taken_where_they_are_fewer_than_objects():
    views, y, _ = problem(13, 30)
    assert published().fit(views, y).solver_ == "primal"
    assert published("rbf").fit(views, y).solver_ == "dual"
    mixed = published({"v0": "linear", "v1": "rbf"}).fit(views, y)
    assert mixed.solver_ == "dual"
    assert list(mixed.coef_) == ["v0"]


def test_linear_decisions_are_those_of_the_weights():
    views, y, _ = problem(14, 30, n_classes=3)
    model = published().fit(views, y)
    for name, found in model.view_decisions(views).items():
        np.testing.assert_allclose(
            found, views[name] @ model.coef_[name].T + model.intercept_[name]
        )


def test_kernel_decisions_are_those_of_the_coefficients():
    views, y, _ = problem(15, 30)
    model = published(RBF(0.3)).fit(views, y)
    new = problem(16, 7)[0]
    for name, found in model.view_decisions(new).items():
        similar = RBF(0.3).cross(new[name], views[name])
        expected = similar @ model.dual_coef_[name].T + model.intercept_[name]
        np.testing.assert_allclose(found, expected[:, 0])


def test_a_second_fit_keeps_nothing_of_the_first():
    views, y, _ = problem(17, 30)
    model = published("rbf").fit(views, y)
    assert not hasattr(model, "coef_")
    model.set_params(kernel="linear").fit(views, y)
    assert not hasattr(model, "dual_coef_")


def test_many_new_objects_are_taken_in_parts(monkeypatch):
    views, y, _ = problem(18, 30)
    model = published(RBF(0.3)).fit(views, y)
    expected = model.decision_function(views)
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "800")
    np.testing.assert_allclose(model.decision_function(views), expected)


def test_without_coupling_only_labelled_objects_are_kept():
    views, y, _ = problem(19, 30)
    model = published(RBF(0.3), coupling=0.0, center=False).fit(views, y)
    assert all(len(own.rows) == 12 for own in model.functions_.values())


def test_a_precomputed_kernel_is_that_kernel():
    views, y, _ = problem(20, 30, hidden=0.2)
    observed = views.observed
    filled = {name: np.nan_to_num(matrix) for name, matrix in views.items()}
    grams = Views({name: RBF(0.3).gram(own) for name, own in filled.items()}, observed=observed)
    one = published(RBF(0.3)).fit(views, y).decision_function(views)
    other = published("precomputed").fit(grams, y).decision_function(grams)
    np.testing.assert_allclose(one, other, atol=1e-10)


# -- what it is for --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_one_label_per_class_is_enough_for_two_moons_and_two_lines(seed):
    views, truth = make_two_moons_two_lines(160, random_state=seed)
    rng = np.random.default_rng(seed)
    y = np.full(160, -1)
    for label in (0, 1):
        y[rng.choice(np.flatnonzero(truth == label))] = label
    model = published({"moons": RBF(2.0), "lines": "linear"})
    coupled = clone(model).fit(views, y).view_decisions(views)
    alone = clone(model).set_params(coupling=0.0).fit(views, y).view_decisions(views)
    assert all(((own > 0) == truth).all() for own in coupled.values())
    assert ((alone["moons"] > 0) != truth).mean() > 0.1


def test_labels_for_every_object_and_single_precision_are_taken():
    views, _, truth = problem(22, 40, (3, 4))
    kernel = RBF(0.05)  # smooth: many eigenvalues below what single precision can tell from zero
    single = Views({name: matrix.astype(np.float32) for name, matrix in views.items()})
    double = Views({name: matrix.astype(np.float64) for name, matrix in single.items()})
    model = published(kernel, gamma=1e-7, coupling=10.0)
    one, other = (
        clone(model).fit(each, truth).decision_function(each) for each in (single, double)
    )
    np.testing.assert_allclose(one, other, atol=1e-6)
    assert (model.fit(views, truth).transduction_ == truth).all()


def test_transduction_keeps_the_given_labels():
    views, y, _ = problem(21, 60, (4, 4))
    wrong = y.copy()
    wrong[np.flatnonzero(y >= 0)[0]] ^= 1
    model = published(gamma=10.0).fit(views, wrong)
    assert (model.transduction_[wrong >= 0] == wrong[wrong >= 0]).all()
    assert (model.transduction_[wrong < 0] == model.predict(views)[wrong < 0]).all()


# -- what it refuses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"gamma": 0.0}, "gamma=0.0"),
        ({"gamma": [1.0, -1.0]}, r"gamma\[1\]=-1.0"),
        ({"coupling": np.inf}, "coupling=inf"),
        ({"balance": {"v0": 1.0, "v1": -2.0}}, r"balance\['v1'\]=-2.0"),
        ({"balance": 0.0}, "balance is zero in every view"),
        ({"solver": "lu"}, "solver='lu'"),
        ({"kernel": "rbf", "solver": "primal"}, "kernel of view 'v0' has none"),
        ({"kernel": KNNGraph(5)}, "of view 'v0' need not be positive"),
        ({"kernel": ["linear", "self_tuning"]}, "of view 'v1' need not be positive"),
    ],
)
def test_what_makes_no_sense_is_refused(params, says):
    views, y, _ = problem()
    with pytest.raises(ValueError, match=says):
        published(**params).fit(views, y)


def test_a_norm_that_rounding_swallows_is_refused():
    every, targets = np.ones((2, 1), dtype=bool), np.array([[1.0], [-1.0]])
    loss = pose_loss(every, every[:, 0], targets, coupling=0, balance=[1], view_weights=[1])
    twice = Features(np.ones((2, 2)), every[:, 0], np.zeros(2))  # 1 + 1e-20 is 1
    with pytest.raises(ValueError, match="lost in rounding, and no function costs least; raise ga"):
        solve_primal([twice], loss, [1e-20])


def test_gamma_that_rounding_swallows_is_not_taken_for_a_kernel_with_negative_eigenvalues():
    _, y, _ = problem()
    flat = np.random.default_rng(0).normal(size=(30, 2))
    matrix = flat @ flat.T
    with pytest.raises(ValueError, match="gamma is so small beside the kernel that it is lost"):
        published("precomputed", gamma=1e-90, center=False).fit({"a": matrix, "b": matrix}, y)


def test_a_matrix_that_is_no_kernel_is_refused():
    _, y, _ = problem()
    matrix = -np.eye(30)
    with pytest.raises(ValueError, match="not positive semi-definite"):
        published("precomputed", gamma=1e-3, center=False).fit({"a": matrix, "b": matrix}, y)


def test_a_view_that_nobody_shows_is_refused():
    views, y, _ = problem()
    with pytest.raises(ValueError, match="'v1' is observed for no object"):
        published().fit({"v0": views["v0"], "v1": np.full((30, 2), np.nan)}, y)


def test_the_core_takes_plain_arrays():
    observed = np.array([[True, True], [True, False], [True, True]])
    labelled = np.array([True, True, False])
    targets = np.array([[1.0], [-1.0], [0.0]])
    loss = pose_loss(
        observed, labelled, targets, coupling=1.0, balance=[1.0, 1.0], view_weights=[1.0, 1.0]
    )
    k = np.diag([1.0, 1.0, 0.0])
    k2 = np.diag([1.0, 0.0, 0.0])
    found = solve_dual([k, k2], loss, [0.5, 1.0])
    # by hand: object 1 errs in view 0 only, (1/2)(1 + f)² + f²/2; object 0 in both, coupled by 1/2
    assert found.values[0, 1, 0] == pytest.approx(-0.5)
    first, second = np.linalg.solve([[1.5, -0.5], [-0.5, 2.5]], [0.5, 1.0])
    np.testing.assert_allclose(found.values[:, 0, 0], [first, second])


@settings(deadline=None, max_examples=30)
@given(
    seed=st.integers(0, 10_000),
    n_views=st.integers(1, 5),
    coupling=st.sampled_from([1e-12, 0.1, 1e3]),
    gamma=st.sampled_from([1e-4, 0.03, 1e6]),
)
def test_a_consensus_of_the_views_says_what_the_residuals_say(seed, n_views, coupling, gamma):
    views, y, _ = problem(seed, 20, (3,) * n_views, n_labelled=8)
    grams = list(kernels_of(views).values())
    targets = np.where(y >= 0, 2.0 * y - 1.0, 0.0)[:, None]
    weights = np.random.default_rng(seed).integers(0, 3, n_views) + np.eye(n_views)[0]
    loss = pose_loss(
        views.observed,
        y >= 0,
        targets,
        coupling=coupling,
        balance=np.linspace(0.5, 2.0, n_views),
        view_weights=weights,
    )
    gammas = gamma * np.linspace(1.0, 2.0, n_views)
    expected = by_residuals(grams, *residuals(loss), gammas)
    found = by_consensus(grams, loss, loss.consensus, gammas)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * np.abs(expected).max())


def test_what_many_views_agree_on_is_no_larger_than_the_objects(monkeypatch):
    views, y, _ = problem(23, 40, (3,) * 6)
    model = published(RBF(0.3), center=False)
    expected = model.fit(views, y).dual_coef_
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", str(6 * 8 * 40**2))  # 5 × 40 unknowns are more
    found = model.fit(views, y).dual_coef_
    assert all(np.array_equal(found[name], expected[name]) for name in views.names)
    gaps = views.with_observed(np.arange(40)[:, None] != np.arange(6))
    with pytest.raises(MemoryError, match="the coupled system of 206 unknowns"):
        model.fit(gaps, y)


@pytest.mark.parametrize("model", [CoRLS, CoRLSRegressor])
def test_kernels_that_take_minutes_are_announced(model, monkeypatch):
    monkeypatch.setattr("manyviews.semi_supervised.co_rls.LONG", 10)
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12) % 2
    said = f"^{model.__name__} makes 2 kernels among 12 objects of low rank, which takes minutes; "
    with pytest.warns(UserWarning, match=said):
        model(LowRankKernel(rank=5)).fit({"a": X, "b": X}, y)
