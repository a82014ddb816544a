"""Which views have a say: all alike, but those that look empty and that no label speaks for."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from manyviews import Views
from manyviews.exceptions import ViewsWarning
from manyviews.semi_supervised import (
    CoEMClassifier,
    CoLaplacianRLS,
    CoLaplacianSVM,
    CoRLS,
    CoRLSRegressor,
    CoTraining,
    NaiveBayesEM,
    SelfTraining,
    SpectralGraphTransducer,
    TransductiveSVM,
)
from manyviews.semi_supervised._shared import combine, evidence, weights_by_object
from manyviews.similarity import RBF

CLASSIFIERS = [
    CoEMClassifier(),
    CoLaplacianRLS(),
    CoLaplacianSVM(),
    CoRLS(),
    CoTraining(),
    CoTraining(combine="mean"),
    CoTraining(combine="refit"),
    NaiveBayesEM(),
    SelfTraining(),
    SpectralGraphTransducer(),
    TransductiveSVM(),
]


def beside_noise(n_objects=240, seed=0):
    """Two views of three groups, one of noise in many features; five labels a class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % 3
    centers = 4.0 * rng.standard_normal((2, 3, 5))
    good = {
        name: centers[place][y] + rng.standard_normal((n_objects, 5))
        for place, name in enumerate("ab")
    }
    few = np.where(np.arange(n_objects) < 15, y, -1)
    return Views({**good, "noise": rng.standard_normal((n_objects, 60))}), few, y


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_a_view_of_noise_is_named_and_changes_nothing(model):
    views, few, _ = beside_noise()
    with pytest.warns(ViewsWarning, match="'noise' looks empty of structure"):
        model.fit(views, few)
    assert [name for name, weight in model.view_weights_.items() if weight == 0] == ["noise"]
    found = model.predict_proba(views)
    without = views.subset(["a", "b"])
    np.testing.assert_allclose(found, model.fit(without, few).predict_proba(without), atol=1e-8)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=repr)
def test_a_view_of_noise_still_answers_where_no_other_view_does(model):
    views, few, _ = beside_noise()
    with pytest.warns(ViewsWarning):
        model.fit(views, few)
    alone = {"a": [None, [0.0] * 5], "b": None, "noise": views["noise"][:2]}
    shares = model.predict_proba(alone)
    assert np.isfinite(shares).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize("model", [CoRLS(), CoTraining(), TransductiveSVM()], ids=repr)
def test_views_that_are_weighed_alike_are_not_judged(model):
    views, few, _ = beside_noise()
    model.set_params(view_weights=None).fit(views, few)
    assert set(model.view_weights_.values()) == {1.0}


def test_a_regressor_leaves_a_view_of_noise_out_too():
    views, _, y = beside_noise()
    target = np.where(np.arange(len(y)) < 30, y + views["a"][:, 0], np.nan)
    with pytest.warns(ViewsWarning, match="noise"):
        found = CoRLSRegressor().fit(views, target).predict(views)
    without = views.subset(["a", "b"])
    np.testing.assert_allclose(CoRLSRegressor().fit(without, target).predict(without), found)


def test_labels_speak_for_a_view_whose_neighbourhoods_look_like_chance():
    views, _, y = beside_noise(400)
    rng = np.random.default_rng(1)
    faint = rng.standard_normal((400, 60)) + 0.8 * np.eye(3, 60)[y]
    views = Views({"a": views["a"], "faint": faint})
    with pytest.warns(ViewsWarning, match="faint"):
        CoRLS().fit(views, np.where(np.arange(400) < 15, y, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert CoRLS().fit(views, y).view_weights_ == {"a": 1.0, "faint": 1.0}


def test_evidence_is_that_of_objects_left_out():
    rng = np.random.default_rng(2)
    target = rng.standard_normal((80, 1))
    noise = rng.standard_normal((80, 200))  # more features than objects fit anything
    assert abs(evidence(noise, target)) < 3
    assert evidence(np.hstack([target, noise[:, :3]]), target) > 5
    assert evidence(np.ones((80, 2)), target) < 3


def test_evidence_is_that_of_refits_without_each_object():
    rng = np.random.default_rng(5)
    rows, target = rng.standard_normal((12, 2)), rng.standard_normal((12, 1))
    gram = RBF().fitted(rows).gram(rows)
    gram = gram / (gram.diagonal().mean() - gram.mean())
    left_out = np.empty((12, 1))
    for at in range(12):
        rest = np.delete(np.arange(12), at)
        system = np.ones((12, 12))
        system[:-1, :-1] = gram[np.ix_(rest, rest)] + 0.1 * np.eye(11)
        system[-1, -1] = 0.0
        solved = np.linalg.solve(system, np.append(target[rest, 0], 0.0))
        left_out[at] = gram[at, rest] @ solved[:-1] + solved[-1]
    expected = np.corrcoef(left_out[:, 0], target[:, 0])[0, 1] * np.sqrt(12)
    np.testing.assert_allclose(evidence(rows, target), expected)


@pytest.mark.parametrize("n_labels", [40, 600])
def test_noise_has_no_evidence_however_many_labels_there_are(n_labels):
    rng = np.random.default_rng(6)
    targets = np.where(np.arange(n_labels)[:, None] % 4 == np.arange(4), 1.0, -1.0)
    found = [evidence(rng.standard_normal((n_labels, 60)), targets) for _ in range(8)]
    assert max(found) < 3
    assert abs(np.mean(found)) < 1


def test_evidence_does_not_depend_on_units():
    rng = np.random.default_rng(3)
    rows, target = rng.standard_normal((50, 4)), rng.standard_normal((50, 2))
    np.testing.assert_allclose(evidence(1e6 * rows, 0.1 * target), evidence(rows, target))


def test_a_view_of_twice_the_weight_counts_as_two():
    rng = np.random.default_rng(4)
    votes = {name: rng.dirichlet(np.ones(3), size=6) for name in "ab"}
    prior = np.array([0.2, 0.3, 0.5])
    observed = np.ones((6, 2), dtype=bool)
    for rule in ("product", "mean"):
        weighed = combine(
            votes, 1.5 * weights_by_object(observed, {"a": 2.0, "b": 1.0}), rule, prior
        )
        twice = {**votes, "again": votes["a"]}
        np.testing.assert_allclose(weighed, combine(twice, np.ones((6, 3)), rule, prior))


def test_naive_bayes_never_lowers_its_objective_whatever_the_weights():
    views, few, _ = beside_noise()
    hidden = views.observed.copy()
    hidden[::4, 0] = False
    hidden[1::4, 1] = False
    counts = {name: np.round(np.abs(matrix)) for name, matrix in views.items()}
    gaps = Views(counts, observed=hidden)
    model = NaiveBayesEM("multinomial", view_weights=[2.0, 0.5, 0.0], tol=0, max_iter=20)
    with pytest.warns(ConvergenceWarning):
        model.fit(gaps, few)
    history = model.objective_history_
    assert (np.diff(history) >= -1e-9 * np.abs(history[0])).all()
