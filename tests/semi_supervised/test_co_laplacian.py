"""Co-Laplacian RLS and SVM against closed forms, scikit-learn, and what several views give."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

from manyviews import Views
from manyviews.datasets import make_two_moons_two_lines
from manyviews.exceptions import UnknownViewError, UnobservedViewsError
from manyviews.semi_supervised import CoLaplacianRLS, CoLaplacianSVM
from manyviews.semi_supervised._shared import class_targets
from manyviews.semi_supervised.laplacian import (
    choose_solver,
    laplacian,
    with_concatenation,
)
from manyviews.semi_supervised.least_squares import offset
from manyviews.similarity import RBF, Cosine, KNNGraph, Linear, LowRankKernel, Polynomial

quick = settings(deadline=None, max_examples=15)
seeds = st.integers(0, 10_000)


def as_published(method):
    """A method with the penalties of the paper, which the tests below write out."""

    def make(kernel="linear", graph=None, **given):
        smooth = given.get("intrinsic", 0.01) and "class_weight" not in given
        usual = {"gamma": 0.01, "intrinsic": 0.01, "proportions": "labelled" if smooth else None}
        return method(kernel, graph, **{"relative": False} | usual | given)

    return make


published_rls, published_svm = as_published(CoLaplacianRLS), as_published(CoLaplacianSVM)
both = pytest.mark.parametrize("method", [published_rls, published_svm], ids=["RLS", "SVM"])
MOONS = {"moons": "rbf", "lines": "linear"}


def groups(seed, n=40, n_classes=3, widths=(4, 3), labelled=12):
    """Objects around class means in every view, some of them labelled, and all labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    views = {
        f"v{i}": 2 * rng.standard_normal((n_classes, width))[y] + rng.standard_normal((n, width))
        for i, width in enumerate(widths)
    }
    few = np.full(n, -1)
    few[:labelled] = y[:labelled]
    return views, few, y


def one_of_each(y, seed=0):
    rng = np.random.default_rng(seed)
    few = np.full(len(y), -1)
    for label in np.unique(y):
        few[rng.choice(np.flatnonzero(y == label))] = label
    return few


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("power", [1, 2])
def test_one_view_is_laplacian_rls_in_its_closed_form(normalized, power):
    views, few, _ = groups(0, n_classes=2)
    X, gamma, intrinsic = views["v0"], 0.03, 0.2
    model = published_rls(
        RBF(gamma=0.2),
        KNNGraph(5),
        proportions=None,
        gamma=gamma,
        intrinsic=intrinsic,
        power=power,
        normalized=normalized,
    ).fit(X, few)
    n, n_labelled = len(X), 12
    L = laplacian(KNNGraph(5).gram(X).toarray(), normalized=normalized)
    L = np.linalg.matrix_power(L, power)
    G, J = RBF(gamma=0.2).gram(X), np.diag((few >= 0).astype(float))
    Y = np.where(few == 1, 1.0, np.where(few == 0, -1.0, 0.0))
    system = J @ G + gamma * n_labelled * np.eye(n) + intrinsic * n_labelled * L @ G
    alpha = np.linalg.solve(system, Y)
    np.testing.assert_allclose(model.decision_function(X), G @ alpha, atol=1e-7)


@quick
@given(seed=seeds, weight=st.floats(0, 1))
def test_every_view_is_smooth_over_the_mean_of_the_graphs(seed, weight):
    views, few, _ = groups(seed, n=25, n_classes=2)
    weights = {"v0": 3 * (1 - weight), "v1": 3 * weight}  # scaled to sum to one
    model = published_rls("rbf", KNNGraph(4), view_weights=weights, proportions=None)
    model.fit(views, few)
    L = sum(
        share * laplacian(KNNGraph(4).gram(views[name]).toarray(), normalized=False)
        for name, share in (("v0", 1 - weight), ("v1", weight))
    )
    Y = np.where(few == 1, 1.0, np.where(few == 0, -1.0, 0.0))
    for name, X in views.items():
        G = RBF().fitted(X).gram(X)
        system = np.diag(few >= 0) @ G + 12 * 0.01 * (np.eye(25) + L @ G)
        expected = G @ np.linalg.solve(system, Y)
        np.testing.assert_allclose(model.view_decisions(views)[name], expected, atol=1e-7)


def test_without_smoothness_it_is_kernel_ridge_in_every_view():
    views, few, y = groups(1)
    shown = few >= 0
    model = published_rls("rbf", gamma=0.05, intrinsic=0.0).fit(views, few)
    targets = np.where(y[shown][:, None] == np.arange(3), 1.0, -1.0)
    for name, X in views.items():
        K = RBF().fitted(X)
        ridge = KernelRidge(alpha=0.05 * shown.sum(), kernel="precomputed")
        ridge.fit(K.cross(X[shown], X)[:, shown], targets)
        expected = ridge.predict(K.gram(X)[:, shown])
        np.testing.assert_allclose(model.view_decisions(views)[name], expected, atol=1e-8)


def test_without_smoothness_and_with_constant_it_is_ridge_classifier():
    views, few, _ = groups(2)
    shown = few >= 0
    model = published_rls(gamma=0.05, intrinsic=0.0, fit_intercept=True).fit(views, few)
    for name, X in views.items():
        ridge = RidgeClassifier(alpha=0.05 * shown.sum()).fit(X[shown], few[shown])
        expected = ridge.decision_function(X)
        np.testing.assert_allclose(model.view_decisions(views)[name], expected, atol=1e-8)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 1.0, 1: 5.0}])
def test_without_smoothness_it_is_svc_in_every_view(class_weight):
    views, few, _ = groups(3, n_classes=2)
    shown = few >= 0
    model = published_svm("linear", gamma=0.05, intrinsic=0.0, class_weight=class_weight)
    model.fit(views, few)
    cost = 1 / (2 * shown.sum() * 0.05)
    for name, X in views.items():
        svc = SVC(C=cost, kernel="linear", class_weight=class_weight, tol=1e-6)
        expected = svc.fit(X[shown], few[shown]).decision_function(X)
        np.testing.assert_allclose(model.view_decisions(views)[name], expected, atol=1e-4)


def test_more_classes_are_told_apart_one_from_the_rest():
    views, few, _ = groups(4)
    shown = few >= 0
    model = published_svm("linear", gamma=0.05, intrinsic=0.0).fit(views["v0"], few)
    cost = 1 / (2 * shown.sum() * 0.05)
    rest = OneVsRestClassifier(SVC(C=cost, kernel="linear", tol=1e-6))
    rest.fit(views["v0"][shown], few[shown])
    found = model.decision_function(views["v0"])
    np.testing.assert_allclose(found, rest.decision_function(views["v0"]), atol=1e-4)
    assert np.array_equal(model.predict(views["v0"]), rest.predict(views["v0"]))


def test_svm_of_one_view_is_least_in_its_objective():
    """No function near the one found has a smaller hinge loss, norm and roughness."""
    views, few, _ = groups(5, n=20, n_classes=2)
    X, gamma, intrinsic = views["v0"], 0.05, 0.3
    model = published_svm("linear", KNNGraph(4), gamma=gamma, intrinsic=intrinsic).fit(X, few)
    L = laplacian(KNNGraph(4).gram(X).toarray(), normalized=False)
    function, shown = model.functions_["view0"], few >= 0
    signs = np.where(few[shown] == 1, 1.0, -1.0)

    def objective(w, b):
        f = X @ w
        hinge = np.maximum(0, 1 - signs * (f[shown] + b)).mean()
        return hinge + gamma * w @ w + intrinsic * f @ L @ f

    least = objective(function.weights[:, 0], function.intercept[0])
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(50):
            near = function.weights[:, 0] + size * rng.standard_normal(X.shape[1])
            assert objective(near, function.intercept[0] + size * rng.standard_normal()) >= least


@both
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("kernel", [Linear(), Cosine(), LowRankKernel(RBF(), 15)])
def test_all_solvers_agree(method, kernel, as_sparse):
    views, few, _ = groups(6)
    X = {n: sparse.csr_array(m) for n, m in views.items()} if as_sparse else views
    found = [
        method(kernel, KNNGraph(5), solver=solver, tol=1e-12).fit(X, few).decision_function(X)
        for solver in ("dual", "primal", "iterative")
    ]
    np.testing.assert_allclose(found[1], found[0], atol=1e-5)
    np.testing.assert_allclose(found[2], found[0], atol=1e-5)


def test_iterative_constant_is_the_direct_one():
    views, few, _ = groups(7)
    direct, steps = (
        published_rls(fit_intercept=True, solver=solver, tol=1e-12).fit(views, few)
        for solver in ("primal", "iterative")
    )
    np.testing.assert_allclose(
        steps.decision_function(views), direct.decision_function(views), atol=1e-8
    )
    assert steps.n_iter_ > 1 == direct.n_iter_


@both
@pytest.mark.parametrize("kernel", ["linear", "rbf", LowRankKernel(RBF(), 10), Polynomial()])
def test_training_objects_that_come_again_get_the_same_answer(method, kernel):
    views, few, _ = groups(8)
    hidden = Views(views, observed={"v1": np.arange(40) % 3 > 0})
    model = method(kernel, concatenate=True).fit(hidden, few)
    assert np.array_equal(model.predict(hidden), model.transduction_)


@both
def test_few_labels_and_all_labels_and_new_objects(method):
    views, y = make_two_moons_two_lines(150, random_state=0)
    model = method(MOONS).fit(views, one_of_each(y))
    assert np.mean(model.transduction_ == y) > 0.97
    new, truth = make_two_moons_two_lines(60, random_state=1)
    assert np.mean(model.predict(new) == truth) > 0.97
    assert np.mean(method(MOONS).fit(views, y).predict(new) == truth) > 0.97


def test_the_lines_recover_noisy_moons():
    """The paper's Figure 3: a graph of merged moons misleads; the joint graph does not."""
    alone, joint = [], []
    for seed in range(3):
        views, y = make_two_moons_two_lines(200, noise=0.2, random_state=seed)
        few = one_of_each(y, seed)
        joined = published_svm({"moons": RBF(gamma=2.0), "lines": "linear"}, KNNGraph(8))
        own = clone(joined).set_params(view_weights={"moons": 1, "lines": 0}).fit(views, few)
        both_graphs = joined.fit(views, few)
        for scores, model in ((alone, own), (joint, both_graphs)):
            scores.append(np.mean((model.view_decisions(views)["moons"] > 0) == y))
    assert np.mean(joint) > 0.88 > np.mean(alone) + 0.05


@both
def test_concatenation_is_one_more_view(method):
    views, few, _ = groups(9)
    model = method(KNN := "linear", KNNGraph(4), concatenate=True).fit(views, few)
    longer = {**views, "v0+v1": np.hstack(list(views.values()))}
    by_hand = method(KNN, KNNGraph(4)).fit(longer, few)
    assert list(model.view_decisions(views)) == ["v0", "v1", "v0+v1"]
    assert model.view_names_ == ("v0", "v1")
    assert model.view_weights_ == pytest.approx(dict.fromkeys(longer, 1 / 3))
    for name, found in by_hand.view_decisions(longer).items():
        np.testing.assert_allclose(model.view_decisions(views)[name], found, atol=1e-6)


def test_weight_zero_of_the_concatenation_leaves_the_other_graphs():
    views, few, _ = groups(10)
    weights = {"v0": 0.5, "v1": 0.5, "v0+v1": 0.0}
    model = published_rls(concatenate=True, view_weights=weights).fit(views, few)
    plain = published_rls().fit(views, few)
    for name in views:
        np.testing.assert_allclose(
            model.view_decisions(views)[name], plain.view_decisions(views)[name], atol=1e-8
        )


def test_concatenation_shows_what_all_views_show():
    views = Views({"a": [[1.0], None], "b": sparse.csr_array([[2.0, 0.0], [0.0, 3.0]])})
    joined = with_concatenation(views)
    assert joined.observed.tolist() == [[True, True, True], [False, True, False]]
    assert joined["a+b"].toarray()[0].tolist() == [1.0, 2.0, 0.0]
    assert with_concatenation(views.subset(["a"])).names == ("a",)


def test_hidden_views_are_left_out_of_their_own_problem():
    """A view is fitted over the objects it shows, by all graphs among them."""
    views, few, _ = groups(11, n_classes=2)
    seen = np.arange(40) % 4 != 1
    model = published_rls("rbf", KNNGraph(5), proportions=None)
    model.fit(Views(views, observed={"v1": seen}), few)
    whole = KNNGraph(5).gram(views["v0"]).toarray()[np.ix_(seen, seen)]
    own = KNNGraph(5).gram(views["v1"][seen]).toarray()
    L = 0.5 * laplacian(whole, normalized=False) + 0.5 * laplacian(own, normalized=False)
    given = few[seen]
    Y = np.where(given == 1, 1.0, np.where(given == 0, -1.0, 0.0))
    G = RBF().fitted(views["v1"][seen]).gram(views["v1"][seen])
    n_labelled = (given >= 0).sum()
    system = np.diag(given >= 0) @ G + 0.01 * n_labelled * (np.eye(seen.sum()) + L @ G)
    found = model.view_decisions(Views(views, observed={"v1": seen}))["v1"]
    np.testing.assert_allclose(found[seen], G @ np.linalg.solve(system, Y), atol=1e-7)
    assert np.isnan(found[~seen]).all()


def test_decisions_are_the_mean_over_observed_views():
    views, few, _ = groups(12)
    model = published_rls().fit(views, few)
    seen = np.column_stack([np.ones(40, dtype=bool), np.arange(40) % 2 == 0])
    hidden = Views(views, observed=seen)
    each = model.view_decisions(hidden)
    expected = np.nanmean(np.stack(list(each.values())), axis=0)
    np.testing.assert_allclose(model.decision_function(hidden), expected)


@both
def test_a_class_that_a_view_never_shows_is_not_predicted_there(method):
    views, few, y = groups(13, labelled=18)
    seen = (y != 2) | (few < 0)
    model = method(intrinsic=0.0).fit(Views(views, observed={"v1": seen}), few)
    alone = {"v0": None, "v1": views["v1"][y == 0]}
    assert (model.predict(alone) != 2).mean() > 0.9


@both
def test_a_view_without_labels_is_refused_by_name(method):
    views, few, _ = groups(14)
    with pytest.raises(UnobservedViewsError, match=r"'v1'.*leave the view out"):
        method().fit(Views(views, observed={"v1": few < 0}), few)
    seen = np.column_stack([np.arange(40) % 2 == 0, (np.arange(40) % 2 == 1) | (few < 0)])
    with pytest.raises(UnobservedViewsError, match=r"'v0\+v1'.*concatenate"):
        method(concatenate=True).fit(Views(views, observed=seen), few)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_graph_may_be_a_matrix(make):
    views, few, _ = groups(15)
    given = {name: make(KNNGraph(5).gram(X).toarray()) for name, X in views.items()}
    own = published_rls("rbf", KNNGraph(5)).fit(views, few)
    model = published_rls("rbf", given).fit(views, few)
    np.testing.assert_allclose(
        model.decision_function(views), own.decision_function(views), atol=1e-10
    )


def test_parameters_per_view():
    views, few, _ = groups(16, n_classes=2)
    model = published_rls(
        proportions=None,
        gamma={"v0": 0.1, "v1": 0.2},
        intrinsic={"v0": 0.0, "v1": 0.3},
        kernel=["linear", "rbf"],
    ).fit(views, few)
    plain = published_rls(gamma=0.1, intrinsic=0.0).fit({"v0": views["v0"]}, few)
    np.testing.assert_allclose(
        model.view_decisions(views)["v0"], plain.decision_function({"v0": views["v0"]})
    )


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"gamma": {"v0": 1.0, "v1": 0.0}}, r"gamma\['v1'\]=0.0 should be a number of at least"),
        ({"intrinsic": -1.0}, "intrinsic=-1.0"),
        ({"power": 1.5}, "power=1.5"),
        ({"power": 10**6}, "power=1000000 should be an integer from 1 to 16"),
        ({"kernel": Polynomial(degree=50)}, "gamma is so small beside the kernel"),
        ({"graph": np.full((40, 40), np.nan)}, "weights that are not finite"),
        ({"solver": "exact"}, "solver='exact'"),
        ({"kernel": "knn"}, "positive semi-definite"),
        ({"kernel": "rbf", "solver": "primal"}, "LowRankKernel"),
        ({"graph": "linear"}, "zero or more"),
        ({"graph": np.ones((3, 3))}, "shape \\(3, 3\\) for 40"),
        ({"graph": np.triu(np.ones((40, 40)))}, "not symmetric"),
        ({"view_weights": [0, 0]}, "all zero"),
        ({"proportions": "equal"}, "proportions='equal'"),
        ({"proportions": {0: 0.5}}, "one share for each"),
        ({"proportions": {0: 1.0, 1: 0.0, 2: 1.0}}, "above 0 and below 1"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    views, few, _ = groups(17)
    with pytest.raises(ValueError, match=message):
        published_rls(**params).fit(views, few)


@both
def test_smooth_functions_are_cut_where_the_labelled_objects_part_unasked(method):
    views, few, _ = groups(22)
    plain, cut = (
        method("rbf", intrinsic=0.5, proportions=given).fit(views, few) for given in (None, "auto")
    )
    known = few >= 0
    targets = class_targets(few[known], 3)
    for name, decisions in plain.view_decisions(views).items():
        moved = cut.view_decisions(views)[name] - decisions
        np.testing.assert_allclose(moved, np.tile(moved[0], (len(few), 1)), atol=1e-12)
        np.testing.assert_allclose(moved[0], offset(decisions[known], targets), atol=1e-9)


@both
def test_functions_without_graph_are_not_cut_unasked(method):
    views, few, _ = groups(22)
    found, same = (
        method("rbf", intrinsic=0.0, proportions=given).fit(views, few) for given in ("auto", None)
    )
    assert np.array_equal(found.decision_function(views), same.decision_function(views))


@both
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes_get_their_proportions(method, n_classes):
    views, few, _ = groups(21, n=60, n_classes=n_classes, labelled=15)
    few[6:15:n_classes] = -1  # fewer labels of one class
    model = method("rbf", proportions="labelled", intrinsic=1.0).fit(views, few)
    counts = np.bincount(few[few >= 0])
    plain = method("rbf", intrinsic=1.0, proportions=None).fit(views, few)
    for name, found in model.view_decisions(views).items():
        above = (found.reshape(60, -1) > 0).sum(axis=0)
        expected = np.rint(60 * counts / counts.sum())
        assert above.tolist() == expected[-above.size :].tolist()
        moved = found - plain.view_decisions(views)[name]
        np.testing.assert_allclose(moved, np.broadcast_to(moved[:1], moved.shape), atol=1e-9)
    shares = {label: (1 if label else 2) / (n_classes + 1) for label in range(n_classes)}
    given = method("rbf", proportions=shares).fit(views["v0"], few).decision_function(views["v0"])
    assert (given.reshape(60, -1)[:, -1] > 0).sum() == 60 // (n_classes + 1)


def test_a_machine_that_nothing_smooths_is_refused():
    views, few, _ = groups(18, n_classes=2)
    with pytest.raises(ValueError, match=r"beyond what a machine can solve.* raise gamma"):
        published_svm("rbf", gamma=1e-90).fit(views, few)


def test_unknown_names_are_refused():
    views, few, _ = groups(18, n_classes=2)
    with pytest.raises(UnknownViewError, match="kernel"):
        published_svm({"v0": "rbf"}).fit(views, few)
    with pytest.raises(ValueError, match="class_weight names the class 7"):
        published_svm(class_weight={7: 2.0}).fit(views, few)


def test_steps_that_have_nothing_left_to_do_end():
    views, few, _ = groups(19)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # nothing is solved to a residual of 0
        exact = published_rls(solver="iterative", tol=0.0).fit(views, few)
    direct = published_rls(solver="primal").fit(views, few)
    np.testing.assert_allclose(
        exact.decision_function(views), direct.decision_function(views), atol=1e-8
    )


def test_too_few_steps_are_warned_of():
    views, few, _ = groups(19)
    model = published_rls(solver="iterative", max_iter=1)
    with pytest.warns(ConvergenceWarning, match="'v0', 'v1'"):
        model.fit(views, few)
    assert not model.converged_


def test_the_smaller_system_is_solved():
    assert choose_solver("auto", 100_000, 1000) == "primal"
    assert choose_solver("auto", 1500, 20_000) == "dual"
    assert choose_solver("auto", 100_000, 20_000) == "iterative"
    assert choose_solver("iterative", 10, 10) == "iterative"


def test_no_matrix_of_all_with_all_is_made_unasked():
    X = np.zeros((30_001, 1))
    y = np.full(30_001, -1)
    y[:2] = 0, 1
    with pytest.raises(ValueError, match="LowRankKernel"):
        published_rls("rbf", intrinsic=0.0).fit(X, y)


def test_nothing_of_the_data_is_kept_where_features_do():
    views, few, _ = groups(20)
    model = published_rls("linear", solver="dual").fit(views, few)
    assert all(function.rows is None for function in model.functions_.values())
    assert published_rls("rbf").fit(views, few).functions_["v0"].rows is not None
