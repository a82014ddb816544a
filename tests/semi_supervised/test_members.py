"""One classifier per view: read, seeded, asked together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from manyviews import Views
from manyviews.base import seeded
from manyviews.exceptions import ParameterError, UnknownViewError
from manyviews.semi_supervised import CoEMClassifier, CoTraining, SelfTraining
from manyviews.semi_supervised._shared import (
    combine,
    probabilities,
    probabilities_by_view,
    read_members,
)


def draw_votes(seed: int, n_views: int, n_objects: int, n_classes: int):
    rng = np.random.default_rng(seed)
    votes = {f"v{v}": rng.dirichlet(np.ones(n_classes), size=n_objects) for v in range(n_views)}
    observed = rng.random((n_objects, n_views)) < 0.7
    observed[np.arange(n_objects), rng.integers(n_views, size=n_objects)] = True
    return votes, observed, rng.dirichlet(np.full(n_classes, 3.0))


def test_members_are_clones_in_the_order_of_the_views():
    given_one = GaussianNB(var_smoothing=0.1)
    members = read_members(given_one, ["a", "b"])
    assert list(members) == ["a", "b"]
    assert members["a"] is not members["b"]
    assert given_one not in members.values()
    assert members["b"].var_smoothing == 0.1


def test_members_are_given_by_name():
    members = read_members({"b": GaussianNB(), "a": LogisticRegression()}, ["a", "b"])
    assert isinstance(members["a"], LogisticRegression)
    assert isinstance(members["b"], GaussianNB)
    with pytest.raises(UnknownViewError, match="'c'"):
        read_members({"a": GaussianNB(), "c": GaussianNB()}, ["a", "b"])


def test_a_view_without_a_member_gets_logistic_regression():
    members = read_members([GaussianNB(), None], ["a", "b"])
    assert isinstance(members["a"], GaussianNB)
    assert isinstance(members["b"], LogisticRegression)


@pytest.mark.parametrize("method", [CoTraining, SelfTraining, CoEMClassifier])
def test_a_classifier_without_probabilities_is_refused_with_its_place(method):
    model = method([GaussianNB(), LinearSVC()])
    with pytest.raises(ParameterError, match=r"estimator\[1\]=LinearSVC.*predict_proba"):
        model.fit({"a": np.eye(4), "b": np.eye(4)}, [0, 1, 0, 1])


def test_classes_that_a_member_does_not_know_get_zero():
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    member = GaussianNB().fit(X, [1, 1, 3, 3])
    found = probabilities(member, X, 4)
    assert found.shape == (4, 4)
    assert not found[:, [0, 2]].any()
    np.testing.assert_array_equal(found[:, [1, 3]], member.predict_proba(X))


@given(seed=st.integers(0, 2**20), n_views=st.integers(1, 4), n_classes=st.integers(2, 5))
@settings(deadline=None, max_examples=30)
def test_combining_is_object_by_object_arithmetic(seed, n_views, n_classes):
    votes, observed, prior = draw_votes(seed, n_views, 6, n_classes)
    hidden = {
        name: np.where(seen[:, None], vote, np.nan)
        for (name, vote), seen in zip(votes.items(), observed.T, strict=True)
    }
    product = combine(hidden, observed, "product", prior)
    mean = combine(hidden, observed, "mean", prior)
    for row in range(6):
        said = [vote[row] for vote, seen in zip(votes.values(), observed[row], strict=True) if seen]
        odds = prior * np.prod([vote / prior for vote in said], axis=0)
        np.testing.assert_allclose(product[row], odds / odds.sum(), rtol=1e-9)
        np.testing.assert_allclose(mean[row], np.mean(said, axis=0), rtol=1e-12)


def test_the_product_is_bayes_rule_for_independent_views():
    rng = np.random.default_rng(0)
    prior, means = np.array([0.2, 0.8]), np.array([-1.0, 1.0])
    points = rng.normal(size=(50, 3))
    densities = norm.pdf(points[:, :, None], loc=means)
    by_view = densities * prior
    votes = {str(v): by_view[:, v] / by_view[:, v].sum(axis=1, keepdims=True) for v in range(3)}
    joint = prior * densities.prod(axis=1)
    found = combine(votes, np.ones((50, 3), dtype=bool), "product", prior)
    np.testing.assert_allclose(found, joint / joint.sum(axis=1, keepdims=True), rtol=1e-9)


def test_only_free_seeds_are_set():
    pipe = make_pipeline(StandardScaler(), RandomForestClassifier())
    once, again, other = (
        seeded(read_members(pipe, ["a"])["a"], np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    key = "randomforestclassifier__random_state"
    assert once.get_params()[key] == again.get_params()[key] != other.get_params()[key]
    rng = np.random.default_rng(0)
    assert seeded(DecisionTreeClassifier(random_state=5), rng).random_state == 5
    assert seeded(GaussianNB(), rng).get_params() == GaussianNB().get_params()
    assert rng.integers(100) == np.random.default_rng(0).integers(100)


def test_a_class_that_a_view_never_saw_is_not_vetoed():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    views = Views({name: rng.standard_normal((60, 2)) + 4 * y[:, None] for name in ("a", "b")})
    prior = np.full(3, 1 / 3)
    classifiers = {
        "a": LogisticRegression().fit(views["a"], y),
        "b": LogisticRegression().fit(views["b"][y < 2], y[y < 2]),
    }
    found = probabilities_by_view(classifiers, views, prior)
    np.testing.assert_allclose(found["b"][:, 2], 1 / 3)
    np.testing.assert_allclose(found["b"].sum(axis=1), 1.0)
    joint = combine(found, np.ones((60, 2), dtype=bool), "product", prior)
    assert (joint.argmax(axis=1) == y).mean() > 0.9
