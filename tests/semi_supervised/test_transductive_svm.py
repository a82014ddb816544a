"""The transductive machine against brute force, scikit-learn's machines and its own theorem."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC, LinearSVC

from manyviews import Views
from manyviews.semi_supervised import TransductiveSVM, _shared, transductive_svm
from manyviews.semi_supervised.transductive_svm import (
    Costs,
    cost_levels,
    fit_summed_kernel,
    hinge_machines,
    pairs_to_switch,
    squared_hinge_machines,
    transduce,
    wide_rows,
)

seeds = st.integers(0, 2**32 - 1)


def clouds(n, *, gap=3.0, n_classes=2, seed=0, widths=(3, 2)):
    """Gaussian clouds around different centres in every view, with their classes."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    views = {}
    for number, width in enumerate(widths):
        centres = gap * rng.standard_normal((n_classes, width)) / np.sqrt(width)
        views[f"view{number}"] = centres[y] + rng.standard_normal((n, width))
    return views, y


def hidden(y, n_known):
    """The same labels, known for the first objects only."""
    return np.where(np.arange(len(y)) < n_known, y, -1)


def published(kernel="linear", **given):
    """The machine with the costs and the shares of the paper, which the tests below write out."""
    paper = {"C": 1.0, "C_unlabelled": 1.0, "proportions": "labelled", "relative": False}
    return TransductiveSVM(kernel, **paper | given)


def slack_cost(labels, decisions, costs):
    return float(costs @ np.maximum(1.0 - labels * decisions, 0.0))


# -- with labels for all, or none of the others counted ----------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("weight", [None, "balanced", {0: 3.0, 1: 0.5}])
def test_with_all_labels_it_is_the_support_vector_machine(kernel, weight):
    X, y = clouds(40, gap=1.0)
    y[:9] = 0
    model = published(kernel, C=2.0, class_weight=weight).fit(X, y)
    _, gram = fit_summed_kernel(Views(X), kernel, {"view0": 1.0, "view1": 1.0})
    plain = SVC(C=2.0, kernel="precomputed", class_weight=weight, tol=1e-6).fit(gram, y)
    assert np.allclose(model.decision_function(X), plain.decision_function(gram), atol=1e-5)
    assert np.array_equal(model.transduction_, y)


def test_with_three_classes_it_is_one_against_the_rest():
    X, y = clouds(45, gap=1.5, n_classes=3)
    wide = np.hstack(list(X.values()))
    plain = OneVsRestClassifier(SVC(kernel="linear", tol=1e-6)).fit(wide, y)
    model = published().fit(X, y)
    assert np.allclose(model.decision_function(X), plain.decision_function(wide), atol=1e-5)


def test_with_all_labels_the_squared_loss_is_the_linear_machine():
    X, y = clouds(40, gap=1.0)
    wide = np.hstack(list(X.values()))
    plain = LinearSVC(dual=False, tol=1e-8, intercept_scaling=10.0).fit(wide, y)
    model = published(loss="squared_hinge").fit(X, y)
    assert np.allclose(model.decision_function(X), plain.decision_function(wide), atol=1e-4)


def test_unlabelled_objects_that_cost_nothing_are_not_learnt_from():
    X, y = clouds(30, gap=1.0)
    known = hidden(y, 8)
    model = published(C_unlabelled=0.0).fit(X, known)
    alone = published().fit({name: rows[:8] for name, rows in X.items()}, y[:8])
    assert np.allclose(model.coef_, alone.coef_, atol=1e-5)
    assert model.n_iter_ == 1


# -- the theorem behind a switch ---------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(seed=seeds)
def test_every_switch_lowers_the_cost_of_the_same_function(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 14))
    labels = rng.choice([-1, 1], n)
    decisions = rng.normal(0.0, 2.0, n)
    free = rng.random(n) < 0.8
    weight = {1: rng.uniform(0.1, 9.0), -1: rng.uniform(0.1, 9.0)}

    def cost(of):
        return slack_cost(of, decisions, np.array([weight[label] for label in of]))

    pairs = pairs_to_switch(labels, decisions, free)
    for pair in pairs:
        switched = labels.copy()
        switched[pair] *= -1
        assert cost(switched) < cost(labels)
    everything = labels.copy()
    everything[pairs] *= -1
    left_over = [
        (i, j)
        for i, j in combinations(np.flatnonzero(free), 2)
        if everything[i] * everything[j] < 0
        and (decisions[i] - decisions[j]) * (everything[i] - everything[j]) < 0
    ]
    assert not left_over  # one round of all switches leaves none for the same function
    assert everything.sum() == labels.sum()


@settings(deadline=None, max_examples=15)
@given(seed=seeds, most=st.sampled_from([None, 1, 3]), loss=st.sampled_from([0, 1]))
def test_the_objective_falls_while_the_cost_stays(seed, most, loss):
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((24, 3))
    signs = np.where(np.arange(24) < 6, np.where(rows[:, 0] > 0, 1, -1), 0)
    signs[:2] = 1, -1
    solve = squared_hinge_machines(rows) if loss else hinge_machines(rows @ rows.T)
    found = transduce(solve, signs, Costs(1.0, 1.0), 0.4, max_switches=most)
    for before, after in pairwise(found.steps):
        if before.costs == after.costs:
            assert after.objective < before.objective
    assert found.converged


def test_the_history_tells_of_every_machine():
    X, y = clouds(60, gap=0.8, n_classes=3, seed=1)
    model = published().fit(X, hidden(y, 9))
    assert len(model.objective_history_) == model.n_iter_ == len(model.cost_history_)
    assert model.n_switched_ > 0
    for problem in range(3):
        at = model.problem_history_ == problem
        costs, objective = model.cost_history_[at], model.objective_history_[at]
        assert (costs[0] == 0).all()
        assert (costs[-1] == 1).all()
        same = (np.diff(costs, axis=0) == 0).all(axis=1)
        assert (np.diff(objective)[same] < 0).all()


def test_the_objective_is_that_of_the_paper():
    X, y = clouds(40, gap=1.0, seed=3)
    known = hidden(y, 6)
    model = published(C=2.0, C_unlabelled=0.7).fit(X, known)
    labels = np.where(model.transduction_ == 1, 1, -1)
    costs = np.where(known >= 0, 2.0, 0.7)
    slack = slack_cost(labels, model.decision_function(X), costs)
    expected = 0.5 * float(np.sum(model.coef_**2)) + slack
    assert np.isclose(model.objective_history_[-1], expected, rtol=1e-6)


def best_labelling(solve, signs, costs, n_positive):
    """Least objective over all labellings of the unlabelled objects with so many positive."""
    free = np.flatnonzero(signs == 0)
    found = []
    for positive in combinations(free, n_positive):
        labels = np.where(signs == 0, -1, signs)
        labels[list(positive)] = 1
        found.append(
            solve(labels, np.where(signs == 0, costs.unlabelled, costs.labelled)).objective
        )
    return min(found)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_labellings_is_found_where_classes_are_apart(seed):
    X, y = clouds(11, gap=6.0, seed=seed)
    rows = np.hstack(list(X.values()))
    signs = np.where(hidden(y, 3) < 0, 0, 2 * y - 1)
    solve, costs = hinge_machines(rows @ rows.T), Costs(1.0, 0.5)
    found = transduce(solve, signs, costs, 0.5)
    n_positive = int((found.labels[signs == 0] > 0).sum())
    assert np.isclose(
        found.machine.objective, best_labelling(solve, signs, costs, n_positive), rtol=1e-6
    )


@pytest.mark.parametrize("seed", range(6))
def test_no_labelling_is_better_than_the_best_of_all(seed):
    X, y = clouds(11, gap=0.5, seed=seed)
    rows = np.hstack(list(X.values()))
    signs = np.where(hidden(y, 3) < 0, 0, 2 * y - 1)
    solve, costs = hinge_machines(rows @ rows.T), Costs(1.0, 0.5)
    found = transduce(solve, signs, costs, 0.5)
    n_positive = int((found.labels[signs == 0] > 0).sum())
    best = best_labelling(solve, signs, costs, n_positive)
    assert best * (1 - 1e-6) <= found.machine.objective <= best * 1.5
    left = pairs_to_switch(found.labels, found.machine.decisions, signs == 0)
    gaps = found.machine.decisions[left[:, 1]] - found.machine.decisions[left[:, 0]]
    assert (gaps < 1e-4).all()  # below the accuracy of the solver


def test_costs_are_doubled_up_to_the_end():
    levels = list(cost_levels(0.1, 30, 40))
    assert levels[0] == pytest.approx((3e-5, 1e-5))
    assert levels[1] == pytest.approx((6e-5, 2e-5))
    assert levels[-1] == (0.1, 0.1)
    assert all(plus <= 0.1 and minus <= 0.1 for plus, minus in levels)
    assert len(levels) == 15  # 1e-5 · 2^14 is the first above 0.1
    assert not list(cost_levels(0.0, 3, 4))
    assert 50 < len(list(cost_levels(1e300, 3, 4))) < 110


# -- the balance of the classes ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "expected"), [("labelled", 10), (0.25, 10), (0.5, 20), (0.9, 36)]
)
def test_so_many_become_positive_as_was_asked(share, expected):
    X, _ = clouds(44, gap=1.0)
    known = np.full(44, -1)
    known[:4] = 0, 0, 0, 1
    model = published(proportions=share).fit(X, known)
    assert np.sum(model.transduction_[4:] == 1) == expected
    assert np.array_equal(model.transduction_[:4], known[:4])


def test_shares_are_given_by_class():
    X, y = clouds(33, n_classes=3, gap=4.0)
    words = np.array(["a", "b", "c"], dtype=object)[y]
    words[9:] = None
    shares = {"c": 0.5, "a": 0.2, "b": 0.3}
    model = published(proportions=shares).fit(X, words)
    assert model.class_shares_.tolist() == [0.2, 0.3, 0.5]
    model.set_params(proportions={"a": 0.5, "b": 0.25, "c": 0.25}).fit(X, words)
    assert model.class_shares_.tolist() == [0.5, 0.25, 0.25]


# -- what it is good for -----------------------------------------------------------------------


def test_the_margin_turns_to_where_no_objects_are():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    across = np.where(y == 1, 1.0, -1.0) + 0.15 * rng.standard_normal(200)
    along = rng.standard_normal(200)
    along[:2] = -1.5, 1.5  # the two labelled ones mislead: they differ most along the classes
    X = {"across": across[:, None], "along": along[:, None]}
    plain = published(C_unlabelled=0.0).fit(X, hidden(y, 2))
    model = published().fit(X, hidden(y, 2))
    assert plain.score(X, y) < 0.9
    assert model.score(X, y) == 1.0
    assert np.array_equal(model.transduction_, y)
    assert model.n_switched_ > 0


# -- views -------------------------------------------------------------------------------------


def test_linear_views_are_their_concatenation():
    X, y = clouds(40, gap=1.5)
    known = hidden(y, 6)
    several = published().fit(X, known)
    one = published().fit({"all": np.hstack(list(X.values()))}, known)
    assert np.allclose(several.coef_, one.coef_)
    assert np.array_equal(several.transduction_, one.transduction_)


def test_a_view_without_weight_is_not_seen():
    X, y = clouds(40, gap=2.0)
    known = hidden(y, 6)
    weighed = published("rbf", view_weights={"view0": 2.0, "view1": 0.0}).fit(X, known)
    alone = published("rbf", C=2.0, C_unlabelled=2.0).fit({"view0": X["view0"]}, known)
    assert np.array_equal(weighed.transduction_, alone.transduction_)


@settings(deadline=None, max_examples=20)
@given(seed=seeds, kernel=st.sampled_from(["linear", "rbf", "cosine"]))
def test_the_summed_kernel_is_positive_with_gaps(seed, kernel):
    rng = np.random.default_rng(seed)
    X, _ = clouds(20, seed=seed % 1000, widths=(3, 2, 4))
    observed = rng.random((20, 3)) < 0.6
    observed[np.arange(20), rng.integers(3, size=20)] = True
    views = Views(X, observed=observed)
    weights = {"view0": 1.0, "view1": 0.5, "view2": 2.0}
    summed, gram = fit_summed_kernel(views, kernel, weights)
    assert np.linalg.eigvalsh(gram).min() > -1e-9 * np.abs(gram).max()
    assert np.allclose(summed.cross(views), gram)
    assert np.allclose(summed.values(views, np.eye(20)), gram)
    if kernel == "linear":
        rows = wide_rows(views, weights)
        assert np.allclose(rows @ rows.T, gram)


def test_a_view_that_is_lacking_counts_as_the_mean_wherever_zero_is():
    X, _ = clouds(40, widths=(3, 2))
    observed = np.ones((40, 2), dtype=bool)
    observed[5::4, 0] = observed[7::4, 1] = False
    weights = {"view0": 1.0, "view1": 1.0}
    here, there = (
        fit_summed_kernel(views, "linear", weights, relative=True)
        for views in (
            Views(X, observed=observed),
            Views({name: rows + 50.0 for name, rows in X.items()}, observed=observed),
        )
    )
    np.testing.assert_allclose(there[1], here[1], atol=1e-8)
    assert np.linalg.eigvalsh(here[1]).min() > -1e-9
    new = Views(X, observed=observed[::-1])
    moved = Views({name: rows + 50.0 for name, rows in X.items()}, observed=observed[::-1])
    np.testing.assert_allclose(there[0].cross(moved), here[0].cross(new), atol=1e-8)


def test_linear_kernels_answer_by_weights_as_by_kernel_values():
    X, y = clouds(40, gap=1.5)
    observed = np.ones((40, 2), dtype=bool)
    observed[5::4, 0] = False
    observed[7::4, 1] = False
    views, known = Views(X, observed=observed), hidden(y, 8)
    model = published().fit(views, known)
    summed, gram = fit_summed_kernel(views, "linear", {"view0": 1.0, "view1": 1.0})
    solve = hinge_machines(gram)
    found = transduce(solve, np.where(known < 0, 0, 2 * known - 1), Costs(1.0, 1.0), 0.5)
    expected = summed.values(views, found.machine.coefficients[:, None])[:, 0]
    assert np.allclose(model.decision_function(views), expected + found.machine.intercept)


def test_sparse_views_are_dense_ones():
    X, y = clouds(40, gap=1.5)
    X = {name: np.where(rows > 0, rows, 0.0) for name, rows in X.items()}
    known = hidden(y, 6)
    for loss in ("hinge", "squared_hinge"):
        dense = published(loss=loss).fit(X, known)
        sparse = published(loss=loss).fit({n: csr_array(m) for n, m in X.items()}, known)
        assert np.allclose(dense.coef_, sparse.coef_, atol=1e-6)


def test_long_indices_are_taken():
    X, y = clouds(30)
    short = published(loss="squared_hinge").fit({"a": csr_array(X["view0"])}, hidden(y, 6))
    rows = csr_array(X["view0"])
    long = csr_array(
        (rows.data, rows.indices.astype(np.int64), rows.indptr.astype(np.int64)), shape=rows.shape
    )
    assert long.indices.dtype == np.int64
    found = published(loss="squared_hinge").fit({"a": long}, hidden(y, 6))
    assert np.array_equal(found.coef_, short.coef_)


def test_another_kernel_forgets_the_former():
    X, y = clouds(30)
    model = published().fit(X, hidden(y, 6))
    model.set_params(kernel="rbf").fit(X, hidden(y, 6))
    assert not hasattr(model, "coef_")
    assert model.dual_coef_.shape == (1, 30)
    assert model.decision_function(X).shape == (30,)


@pytest.mark.parametrize(
    ("kernel", "loss"), [("linear", "hinge"), ("rbf", "hinge"), ("linear", "squared_hinge")]
)
def test_an_object_between_two_classes_gets_the_first_in_every_order(kernel, loss):
    half = 0.4 + np.random.default_rng(0).standard_normal((30, 3))
    X, y = np.vstack([half, -half]), np.full(60, -1)
    y[:3], y[30:33] = 1, 0
    found = []
    for seed in range(8):
        order = np.random.default_rng(seed).permutation(60)
        model = TransductiveSVM(kernel, loss=loss, proportions=0.5).fit({"a": X[order]}, y[order])
        found += model.predict({"a": np.zeros((1, 3))}).tolist()
    assert found == [0] * 8


# -- what is refused, and said -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"C": 0.0}, "C=0.0"),
        ({"C_unlabelled": -1.0}, "C_unlabelled=-1.0"),
        ({"loss": "log"}, "'log'"),
        ({"class_weight": "fair"}, "'fair'"),
        ({"class_weight": {7: 2.0}}, "7"),
        ({"class_weight": {1: 0.0}}, "0.0"),
        ({"max_switches": 0}, "max_switches=0"),
        ({"proportions": 1.0}, "1.0"),
        ({"proportions": {0: 0.5}}, "0"),
        ({"proportions": {0: 0.5, 1: 0.2}}, "0.7"),
        ({"kernel": "rbf", "loss": "squared_hinge"}, "kernel='rbf'"),
        ({"kernel": "nope"}, "'nope'"),
        ({"C": 1e300}, "beyond what a machine can solve"),
        ({"C_unlabelled": 1e300}, "beyond what a machine can solve"),
        ({"loss": "squared_hinge", "C_unlabelled": 1e300}, "beyond what a machine can solve"),
        ({"view_weights": [1e300, 1.0]}, "lower C, C_unlabelled, class_weight or view_weights"),
    ],
)
def test_parameters_that_cannot_be_are_refused(params, said):
    X, y = clouds(12)
    with pytest.raises(ValueError, match=said):
        published(**params).fit(X, hidden(y, 4))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_that_hardly_counts_leaves_the_costs_of_the_others(n_classes):
    X, y = clouds(30, n_classes=n_classes)
    model = published(class_weight={0: 1e-300}).fit(X, hidden(y, 12))
    assert np.array_equal(model.transduction_[:12], y[:12])


def test_a_machine_without_end_is_stopped_and_said(monkeypatch):
    monkeypatch.setattr(_shared, "_FEWEST_STEPS", 1)
    monkeypatch.setattr(_shared, "_STEPS_PER_OBJECT", 0)
    X, y = clouds(30)
    with pytest.warns(ConvergenceWarning, match="stopped a machine before it was trained") as said:
        model = published().fit(X, hidden(y, 6))
    assert len(said) == 1
    assert not model.converged_


def test_newton_steps_have_an_end_that_is_said(monkeypatch):
    monkeypatch.setattr(transductive_svm, "MOST_NEWTON_STEPS", 1)
    X, y = clouds(30)
    with pytest.warns(ConvergenceWarning, match="stopped a machine before it was trained"):
        model = published(loss="squared_hinge").fit(X, hidden(y, 6))
    assert not model.converged_


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_what_takes_long_is_said_before(monkeypatch, kernel):
    monkeypatch.setattr(transductive_svm, "MANY", 29)
    X, y = clouds(30)
    with pytest.warns(UserWarning, match="30 objects, which takes minutes; .*'squared_hinge'"):
        published(kernel).fit(X, hidden(y, 6))


def test_one_share_for_three_classes_is_refused():
    X, y = clouds(12, n_classes=3)
    with pytest.raises(ValueError, match="3 classes"):
        published(proportions=0.5).fit(X, hidden(y, 6))


def test_switching_that_is_cut_short_is_said():
    X, _ = clouds(60, gap=0.3, seed=1)
    known = np.full(60, -1)
    known[:2] = 0, 1
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = published("rbf", max_iter=1, max_switches=1).fit(X, known)
    assert not model.converged_


def test_progress_is_reported(capsys):
    X, y = clouds(20)
    published(verbose=2).fit(X, hidden(y, 6))
    printed = capsys.readouterr().out
    assert "labels switched" in printed
    assert "machines" in printed
