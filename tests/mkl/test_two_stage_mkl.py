"""TwoStageMKL: laws of the learnt kernel, labels and links, missing views, bad parameters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from manyviews.data import Views
from manyviews.datasets import make_two_circles
from manyviews.mkl import KernelLibrary, LandmarkClassifier, TwoStageMKL
from manyviews.similarity import RBF, Linear


def objects(n_objects=80, n_classes=2, seed=0):
    """Two views that know the classes, one that does not."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_classes
    centres = 1.5 * rng.standard_normal((n_classes, 4))
    views = Views(
        {
            "good": centres[y] + rng.standard_normal((n_objects, 4)),
            "fair": 0.7 * centres[y, ::-1] + rng.standard_normal((n_objects, 4)),
            "noise": rng.standard_normal((n_objects, 5)),
        }
    )
    return views, y


# -- the thesis's toy experiment -----------------------------------------------------------------


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("solver", ["stochastic", "exact"])
def test_two_circles_need_products(normalize, solver):
    views, y = make_two_circles(150, random_state=0)
    kernels = KernelLibrary(["linear"], normalize=normalize)
    linear = TwoStageMKL(kernels, solver=solver, random_state=0).fit(views, y)
    assert linear.score(views, y) < 0.65
    squares = TwoStageMKL(kernels, degree=2, solver=solver, random_state=0).fit(views, y)
    assert squares.score(views, y) == 1.0
    assert len(squares.kernel_weights_) == len(squares.kernel_names_) == 5
    heaviest = np.argsort(squares.kernel_weights_)[-2:]
    assert {squares.kernel_names_[one] for one in heaviest} == {
        "horizontal linear × horizontal linear",
        "vertical linear × vertical linear",
    }


# -- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["stochastic", "exact"])
def test_one_kernel_is_a_plain_svm(solver):
    X, y = load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X[50:]), y[50:]
    model = TwoStageMKL([RBF(0.1)], solver=solver, C=None, classifier=SVC(kernel="precomputed"))
    model.set_params(random_state=0).fit(X, y)
    (weight,) = model.kernel_weights_
    assert weight > 0
    gram = model.kernels_.gram(0)
    assert model.transform(X) == pytest.approx(weight * gram)
    plain = SVC(kernel="precomputed").fit(gram, y)  # C refers to a kernel of unit diagonal
    assert (model.predict(X) == plain.predict(gram)).all()
    assert model.decision_function(X) == pytest.approx(plain.decision_function(gram), abs=2e-3)


@given(seed=st.integers(0, 50), degree=st.integers(1, 3), gaps=st.booleans())
@settings(deadline=None, max_examples=12)
def test_learnt_kernels_are_positive(seed, degree, gaps):
    views, y = objects(24, 3, seed)
    if gaps:
        rng = np.random.default_rng(seed)
        observed = rng.random((24, 3)) < 0.7
        observed[np.arange(24), rng.integers(3, size=24)] = True
        views = views.with_observed(observed)
    kernels = [Linear(), RBF(0.1)]
    model = TwoStageMKL(kernels, degree, regularization=0.01, C=1.0, n_steps=300, random_state=0)
    learnt = model.fit(views, y).transform(views)
    assert (model.kernel_weights_ >= 0).all()
    assert learnt == pytest.approx(learnt.T)
    assert np.linalg.eigvalsh(learnt).min() > -1e-8 * np.abs(learnt).max()


@pytest.mark.parametrize("degree", [1, 2])
def test_kernels_may_come_in_any_order(degree):
    views, y = objects()
    model = TwoStageMKL([Linear(), RBF(0.1)], degree, regularization=1e-3, solver="exact", C=1.0)
    model.set_params(random_state=0, tol=1e-9)
    one = model.fit(views, y)
    other = clone(model).set_params(kernels=[RBF(0.1), Linear()])
    other = other.fit(views.subset(["noise", "good", "fair"]), y)
    weights = dict(zip(map(_factors, one.kernel_names_), one.kernel_weights_, strict=True))
    for name, weight in zip(other.kernel_names_, other.kernel_weights_, strict=True):
        assert weight == pytest.approx(weights[_factors(name)], abs=1e-3)
    assert one.objective_ == pytest.approx(other.objective_, abs=1e-7)


def _factors(name):
    return tuple(sorted(name.split(" × ")))


def test_more_classes_are_the_same_problem():
    views, y = objects(90, 3)
    model = TwoStageMKL(["linear"], regularization=0.01, solver="exact", C=1.0, n_pairs=10**6)
    found = model.set_params(random_state=0).fit(views, y)
    same = np.equal.outer(y, y)[np.triu_indices(90)]
    assert found.n_pairs_ == 2 * min(same.sum(), (~same).sum())
    assert found.score(views, y) > 0.8


@pytest.mark.parametrize("solver", ["stochastic", "exact"])
def test_weight_goes_to_the_kernels_that_know(solver):
    rng = np.random.default_rng(0)
    y = np.arange(300) % 2
    features = {
        f"kernel{number:02}": rng.standard_normal((300, 20))
        + (0.7 * np.outer(2 * y - 1, np.arange(20) < 3) if number < 4 else 0)
        for number in range(13)
    }
    model = TwoStageMKL(["linear"], solver=solver, random_state=0).fit(features, y)
    assert model.kernel_weights_[:4].sum() >= 0.9 * model.kernel_weights_.sum()


# -- labels and links ----------------------------------------------------------------------------


def test_links_alone_give_a_kernel_and_no_classes():
    views, y = objects()
    rng = np.random.default_rng(1)
    pairs = rng.integers(60, size=(400, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    model = TwoStageMKL(["linear"], random_state=0)
    model.fit(views, must_link=pairs[same], cannot_link=pairs[~same])
    weights = dict(zip(model.view_names_, model.kernel_weights_, strict=True))
    assert weights["noise"] < 0.2 * weights["good"]
    linked = np.unique(pairs)
    learnt = model.transform(views[60:])
    assert learnt.shape == (20, len(linked))
    right = np.equal.outer(y[60:], y[linked])
    assert learnt[right].mean() > 0.2 > -0.2 > learnt[~right].mean()
    with pytest.raises(ValueError, match="without labels"):
        model.predict(views)


def test_links_that_say_what_labels_say_give_their_kernel():
    views, y = objects(20)
    left, right = np.triu_indices(20, 1)
    pairs, same = np.stack([left, right], axis=1), y[left] == y[right]
    model = TwoStageMKL(["linear"], regularization=0.01, solver="exact", tol=1e-9, C=1.0)
    model.set_params(n_pairs=2 * same.sum(), random_state=0)
    by_links = clone(model).fit(views, must_link=pairs[same], cannot_link=pairs[~same])
    both = clone(model).fit(views, y, must_link=pairs[same], cannot_link=pairs[~same])
    assert both.n_pairs_ == by_links.n_pairs_ == 2 * same.sum()
    assert both.kernel_weights_ == pytest.approx(by_links.kernel_weights_, rel=0.1)
    assert both.score(views, y) > 0.9


def test_links_of_unlabelled_objects_add_to_labels():
    views, truth = objects()
    y = np.where(np.arange(80) < 20, truth, -1)
    model = TwoStageMKL(["linear"], random_state=0)
    plain = clone(model).fit(views, y)
    linked = clone(model).fit(views, y, must_link=[[0, 40], [1, 41]], cannot_link=[[0, 51]])
    assert plain.transform(views).shape == (80, 20)
    assert linked.transform(views).shape == (80, 23)
    assert linked.estimator_.n_features_in_ == 20
    assert linked.score(views, truth) > 0.8


def test_one_kind_of_link_is_not_enough():
    views, y = objects(10)
    with pytest.raises(ValueError, match="must_link and cannot_link both"):
        TwoStageMKL(["linear"]).fit(views, must_link=[[0, 2]])
    with pytest.raises(ValueError, match="must_link contradicts"):
        TwoStageMKL(["linear"]).fit(views, y, must_link=[[0, 1]])
    with pytest.raises(ValueError, match="requires y"):
        TwoStageMKL(["linear"]).fit(views)


# -- missing views, forms of data ----------------------------------------------------------------


def test_missing_views_and_new_objects_without_them():
    views, y = objects(120, 3)
    rng = np.random.default_rng(0)
    gaps = views.with_observed({"good": rng.random(120) < 0.6, "noise": rng.random(120) < 0.5})
    model = TwoStageMKL(["linear", RBF(0.1)], random_state=0).fit(gaps[:90], y[:90])
    assert model.score(gaps[90:], y[90:]) > 0.7
    alone = {"good": views["good"][90:]}
    assert (model.predict(alone) == y[90:]).mean() > 0.7
    unseen = model.transform(alone)
    hidden = views[90:].with_observed({"fair": np.zeros(30, bool), "noise": np.zeros(30, bool)})
    assert unseen == pytest.approx(model.transform(hidden))


def test_single_precision_is_nearly_the_same():
    views, y = objects()
    model = TwoStageMKL(["linear", RBF(0.1)], 2, regularization=0.01, solver="exact", C=1.0)
    model.set_params(random_state=0)
    single = {name: matrix.astype(np.float32) for name, matrix in views.items()}
    one, other = clone(model).fit(views, y), clone(model).fit(single, y)
    assert other.objective_ == pytest.approx(one.objective_, abs=1e-4)
    assert (one.predict(views) == other.predict(single)).all()


# -- the other combiner, other classifiers -------------------------------------------------------


def test_a_forest_has_landmarks_or_what_is_given():
    views, y = objects(60)
    model = TwoStageMKL(["linear"], combiner="forest", n_trees=40, random_state=0).fit(views, y)
    assert isinstance(model.estimator_, LandmarkClassifier)
    similarities = model.transform(views)
    assert ((similarities >= 0) & (similarities <= 1)).all()
    assert model.score(views, y) > 0.9
    assert model.kernel_weights_.sum() == pytest.approx(1.0)
    assert np.isnan(model.objective_)
    own = clone(model).set_params(classifier=SVC(kernel="precomputed")).fit(views, y)
    assert isinstance(own.estimator_, SVC)
    even, odd = np.arange(0, 20, 2), np.arange(1, 20, 2)
    same = [*zip(even, even[::-1] + 20, strict=True), *zip(odd, odd[::-1] + 20, strict=True)]
    linked = clone(model).fit(views, must_link=same, cannot_link=np.stack([even, odd], axis=1))
    assert linked.transform(views).shape == (60, 40)


def test_any_kernel_classifier_does():
    views, y = objects()
    neighbours = KNeighborsClassifier(3)
    model = TwoStageMKL(["linear"], classifier=neighbours, C=None, random_state=0).fit(views, y)
    assert model.score(views, y) > 0.5
    assert not hasattr(model, "decision_function")


# -- what is told --------------------------------------------------------------------------------


def test_what_was_chosen_is_kept():
    views, y = objects()
    model = TwoStageMKL(["linear"], random_state=0).fit(views, y)
    assert model.regularization_ in model.regularization_grid_
    assert model.validation_losses_.shape == model.regularization_grid_.shape == (17,)
    assert np.isnan(model.duality_gap_)
    assert model.n_iter_ == 10_000
    fixed = TwoStageMKL(["linear"], regularization=0.5, solver="exact", random_state=0)
    fixed.fit(views, y)
    assert fixed.regularization_ == 0.5
    assert fixed.duality_gap_ <= 1e-6
    assert not len(fixed.validation_losses_)


def test_progress_is_told(capsys):
    views, y = objects(30)
    TwoStageMKL(["linear"], n_steps=50, random_state=0, verbose=1).fit(views, y)
    told = capsys.readouterr().out
    assert told.count("held-out hinge loss") == 17
    assert "pairs, objective" in told


def test_kernels_that_know_nothing_are_told_of():
    views = {"constant": np.ones((40, 2)), "still": np.zeros((40, 1))}
    with pytest.warns(ConvergenceWarning, match="no kernel tells pairs"):
        model = TwoStageMKL(["linear"], random_state=0).fit(views, np.arange(40) % 2)
    assert not model.kernel_weights_.any()


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"degree": 4}, "degree=4 should be an integer from 1 to 3"),
        ({"combiner": "sum"}, "combiner='sum' should be 'linear'"),
        ({"solver": "smo"}, "solver='smo' should be 'stochastic'"),
        ({"regularization": 0.0}, "regularization=0.0 should be a number above 0"),
        ({"regularization": "best"}, "regularization='best'"),
        ({"n_steps": 0}, "n_steps=0 should be an integer of at least 1"),
        ({"batch_size": 2.5}, "batch_size=2.5"),
        ({"n_pairs": 1}, "n_pairs=1 should be an integer of at least 2"),
        ({"n_trees": 0}, "n_trees=0"),
        ({"solver": "exact", "tol": -1}, "tol=-1 should be a number above 0"),
        ({"combiner": "forest", "degree": 2}, "leave it at 1"),
    ],
)
def test_bad_parameters_are_refused(params, words):
    views, y = objects(10)
    with pytest.raises(ValueError, match=words):
        TwoStageMKL(["linear"], **params).fit(views, y)
