"""Self-training beside scikit-learn's, and beside co-training where the two are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.semi_supervised import SelfTrainingClassifier

from manyviews import Views
from manyviews.semi_supervised import CoTraining, SelfTraining
from manyviews.semi_supervised._shared import combine


def draw(seed, n=80, gap=1.5, n_classes=2):
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % n_classes
    centres = rng.normal(size=(2, n_classes, 3)) * gap
    X = {name: c[truth] + rng.normal(size=(n, 3)) for name, c in zip("ab", centres, strict=True)}
    y = np.where(np.arange(n) < 4 * n_classes, truth, -1)
    return X, y, truth


@given(seed=st.integers(0, 2**20), threshold=st.sampled_from([0.6, 0.75, 0.9]))
@settings(deadline=None, max_examples=8)
def test_with_one_view_and_a_threshold_it_is_that_of_scikit_learn(seed, threshold):
    X, y, _ = draw(seed, n_classes=3)
    theirs = SelfTrainingClassifier(LogisticRegression(), threshold=threshold, max_iter=6)
    theirs.fit(X["a"], y)
    ours = SelfTraining(
        LogisticRegression(),
        threshold=threshold,
        per_class=None,
        pool_size=None,
        max_iter=6,
        incremental=False,
    ).fit(X["a"], y)
    added = np.zeros(len(y), dtype=int)
    added[ours.provenance_.object] = ours.provenance_.round
    np.testing.assert_array_equal(added[y < 0], np.maximum(theirs.labeled_iter_[y < 0], 0))
    rows = theirs.transduction_ >= 0
    np.testing.assert_array_equal(ours.transduction_[rows], theirs.transduction_[rows])
    np.testing.assert_allclose(ours.predict_proba(X["a"]), theirs.predict_proba(X["a"]))
    ended = theirs.termination_condition_  # which says max_iter of a last round without change
    assert ended in ("max_iter", ours.termination_condition_)


@given(seed=st.integers(0, 2**20), rule=st.sampled_from(["product", "mean"]))
@settings(deadline=None, max_examples=8)
def test_with_one_view_it_is_co_training(seed, rule):
    X, y, _ = draw(seed)
    params = {"per_class": 2, "pool_size": 15, "max_iter": 5, "combine": rule, "random_state": seed}
    one = SelfTraining(GaussianNB(), **params).fit({"a": X["a"]}, y)
    other = CoTraining(GaussianNB(), **params).fit({"a": X["a"]}, y)
    for name in ("round", "object", "label"):
        mine, theirs = (getattr(model.provenance_, name).tolist() for model in (one, other))
        assert mine == theirs
    np.testing.assert_array_equal(
        one.predict_proba({"a": X["a"]}), other.predict_proba({"a": X["a"]})
    )


def test_the_joint_judgement_of_the_first_round_is_that_of_all_views():
    X, y, _ = draw(3, gap=1.0)
    views = Views(X, observed={"a": np.arange(len(y)) % 7 > 0})
    member = LogisticRegression(max_iter=1000)
    model = SelfTraining(member, per_class=4, max_iter=1).fit(views, y)
    known = y >= 0
    votes = {}
    for name, matrix in views.items():
        rows = known & views.observed_in(name)
        member = LogisticRegression(max_iter=1000).fit(matrix[rows], y[rows])
        votes[name] = member.predict_proba(np.nan_to_num(matrix))
    joint = combine(votes, views.observed, "product", np.array([0.5, 0.5]))
    rest = np.flatnonzero(~known)
    expected = []
    for code in (0, 1):
        mine = rest[joint[rest].argmax(axis=1) == code]
        expected += mine[np.argsort(-joint[mine, code])[:4]].tolist()
    found = model.provenance_
    assert sorted(expected) == found.object.tolist()
    np.testing.assert_allclose(found.confidence, joint[found.object].max(axis=1), rtol=1e-6)
    assert set(found.view) == {"joint"}
    said = np.array([votes[name].argmax(axis=1) for name in votes])
    against = (said != joint.argmax(axis=1)) & views.observed.T
    np.testing.assert_array_equal(found.disputed, against.any(axis=0)[found.object])
    assert not found.contested.any()


def test_who_is_not_sure_enough_is_left():
    X, y, _ = draw(4, gap=0.9)
    model = SelfTraining(threshold=0.95, per_class=None, max_iter=None, random_state=0).fit(X, y)
    assert model.termination_condition_ == "no_change"
    assert (model.provenance_.confidence > 0.95).all()
    assert 0 < len(model.provenance_) < (y < 0).sum()
    left = np.setdiff1d(np.flatnonzero(y < 0), model.provenance_.object)
    assert (model.predict_proba(Views(X)[left]).max(axis=1) <= 0.95).all()


def test_a_threshold_that_nothing_passes_is_refused():
    X, y, _ = draw(0)
    with pytest.raises(ValueError, match=r"threshold=1\.5 should be"):
        SelfTraining(threshold=1.5).fit(X, y)
    with pytest.raises(ValueError, match="combine='refit' should be"):
        SelfTraining(combine="refit").fit(X, y)
