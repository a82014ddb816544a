"""What is worth asking next: scores by brute force and as laws, and rankings by any classifier."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from manyviews import MergeViews, Views
from manyviews.acquire import (
    BayesianCoTraining,
    aggressive_contention,
    committee_probabilities,
    conservative_contention,
    contention_points,
    entropy,
    kl_to_mean,
    least_confident,
    margin,
    naive_contention,
    probabilities,
    rank,
    vote_entropy,
)
from manyviews.acquire.criteria import CRITERIA, order_by_score
from manyviews.datasets import make_correlated_views
from manyviews.ensemble import MultiRepresentedKNN
from manyviews.exceptions import ParameterError
from manyviews.semi_supervised import CoEMClassifier, CoRLS, CoTraining

OF_MODEL = {"entropy": entropy, "margin": margin, "least_confident": least_confident}
OF_COMMITTEE = {
    "vote_entropy": vote_entropy,
    "kl_to_mean": kl_to_mean,
    "naive_contention": naive_contention,
    "aggressive_contention": aggressive_contention,
    "conservative_contention": conservative_contention,
}


@st.composite
def committees(draw, min_members=1):
    """Probabilities of members, some of whom say nothing of some objects."""
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    n_members = draw(st.integers(min_members, 4))
    n_objects, n_classes = draw(st.integers(1, 30)), draw(st.integers(2, 5))
    spread = draw(st.sampled_from([0.05, 1.0, 20.0]))
    said = rng.dirichlet(np.full(n_classes, spread), size=(n_members, n_objects))
    said[rng.random((n_members, n_objects)) < draw(st.sampled_from([0.0, 0.4]))] = np.nan
    return said


def known(row):
    return [member for member in row.tolist() if not math.isnan(member[0])]


def plain_entropy(shares):
    return -sum(p * math.log(p) for p in shares if p > 0)


# -- by brute force --------------------------------------------------------------------------------


@given(said=committees())
def test_scores_of_one_model_are_those_of_the_textbook(said):
    rows = np.nan_to_num(said[0], nan=1 / said.shape[2])
    for row, *found in zip(
        rows.tolist(), entropy(rows), margin(rows), least_confident(rows), strict=True
    ):
        best, second = sorted(row)[-1], sorted(row)[-2]
        assert found == pytest.approx([plain_entropy(row), 1 - (best - second), 1 - best])


@given(said=committees())
def test_vote_entropy_counts_votes(said):
    for row, found in zip(said.swapaxes(0, 1), vote_entropy(said), strict=True):
        votes = [int(np.argmax(member)) for member in known(row)]
        if not votes:
            assert math.isnan(found)
            continue
        shares = [votes.count(label) / len(votes) for label in set(votes)]
        assert found == pytest.approx(plain_entropy(shares), abs=1e-12)


@given(said=committees())
def test_kl_to_mean_sums_divergences(said):
    for row, found in zip(said.swapaxes(0, 1), kl_to_mean(said), strict=True):
        members = known(row)
        if not members:
            assert math.isnan(found)
            continue
        mean = np.mean(members, axis=0)
        each = [
            sum(p * math.log(p / q) for p, q in zip(member, mean, strict=True) if p > 0)
            for member in members
        ]
        assert found == pytest.approx(np.mean(each), abs=1e-12)


@given(said=committees())
def test_contention_is_a_disagreement_of_views_that_say_something(said):
    scores = [naive_contention(said), aggressive_contention(said), conservative_contention(said)]
    for row, is_point, *found in zip(
        said.swapaxes(0, 1), contention_points(said), *scores, strict=True
    ):
        members = known(row)
        sure = [max(member) for member in members]
        assert is_point == (len({int(np.argmax(member)) for member in members}) > 1)
        if not members:
            assert np.isnan(found).all()
        elif is_point:
            assert found == pytest.approx([1.0, min(sure), 1 - (max(sure) - min(sure))])
        else:
            assert found == [0, 0, 0]


# -- laws ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_a_certain_answer_leaves_nothing_to_ask_and_a_blank_one_most(n_classes):
    certain, blank = np.eye(n_classes), np.full((1, n_classes), 1 / n_classes)
    for score in OF_MODEL.values():
        assert score(certain).tolist() == [0.0] * n_classes
        assert score(blank)[0] > 0
    assert entropy(blank)[0] == pytest.approx(math.log(n_classes))


@pytest.mark.parametrize("name", OF_MODEL)
def test_of_answers_that_are_nearly_certain_the_less_certain_is_known(name):
    nearly = np.array([[1.0, 1e-30, 0.0], [1.0, 1e-20, 0.0], [1e-25, 1.0, 0.0]])
    assert np.argsort(OF_MODEL[name](nearly)).tolist() == [0, 2, 1]


@given(said=committees())
def test_members_who_agree_have_no_divergence_and_no_contention(said):
    same = np.repeat(said[:1], 3, axis=0)
    alike = ~np.isnan(same[0, :, 0])
    assert kl_to_mean(same)[alike] == pytest.approx(np.zeros(alike.sum()), abs=1e-14)
    assert not contention_points(same).any()
    assert vote_entropy(same)[alike] == pytest.approx(np.zeros(alike.sum()))


@given(said=committees())
def test_a_single_view_has_no_contention(said):
    assert not contention_points(said[:1]).any()
    assert np.nan_to_num(aggressive_contention(said[:1])).tolist() == [0.0] * said.shape[1]


@given(said=committees())
def test_disagreement_is_at_most_log_k_and_never_negative(said):
    limit = math.log(min(said.shape[0], said.shape[2])) + 1e-12
    for score in (vote_entropy, kl_to_mean):
        found = score(said)[~np.isnan(score(said))]
        assert (found >= 0).all()
        assert (found <= limit).all()


@given(said=committees(), seed=st.integers(0, 1000))
@pytest.mark.parametrize("name", OF_COMMITTEE)
def test_the_order_of_objects_members_and_classes_does_not_matter(name, said, seed):
    rng = np.random.default_rng(seed)
    members, objects, classes = (rng.permutation(size) for size in said.shape)
    other = said[members][:, objects][:, :, classes]
    assert OF_COMMITTEE[name](other) == pytest.approx(
        OF_COMMITTEE[name](said)[objects], nan_ok=True, abs=1e-12
    )


@given(said=committees())
@pytest.mark.parametrize("name", OF_COMMITTEE)
def test_a_member_that_says_nothing_changes_nothing(name, said):
    mute = np.concatenate([said, np.full_like(said[:1], np.nan)])
    assert OF_COMMITTEE[name](mute) == pytest.approx(OF_COMMITTEE[name](said), nan_ok=True)


def test_more_objects_than_fit_into_a_block_are_scored_one_by_one_alike():
    said = np.random.default_rng(0).dirichlet(np.ones(3), size=(2, 5000))
    some = [0, 2047, 2048, 4999]
    for score in OF_COMMITTEE.values():
        assert score(said)[some] == pytest.approx(score(said[:, some]))
    for score in OF_MODEL.values():
        assert score(said[0])[some] == pytest.approx(score(said[0, some]))


def test_a_member_that_cannot_decide_splits_its_vote_and_disagrees_with_nobody():
    torn, sure = [[0.5, 0.5]], [[0.9, 0.1]]
    assert vote_entropy(np.array([torn]))[0] == pytest.approx(math.log(2))
    assert not contention_points(np.array([torn, sure])).any()


# -- the order -------------------------------------------------------------------------------------


@given(
    scores=st.lists(st.sampled_from([0.0, 0.25, 0.5, 3.0]), min_size=1, max_size=40),
    n=st.integers(1, 50),
    seed=st.integers(0, 100),
)
def test_the_first_do_not_depend_on_how_many_are_wanted(scores, n, seed):
    scores = np.array(scores)
    all_of_them = order_by_score(scores, np.random.default_rng(seed))
    assert sorted(all_of_them.tolist()) == list(range(len(scores)))
    assert (np.diff(scores[all_of_them]) <= 0).all()
    some = order_by_score(scores, np.random.default_rng(seed), n)
    assert some.tolist() == all_of_them[:n].tolist()


def test_ties_are_broken_at_random_by_the_seed():
    firsts = {int(order_by_score(np.ones(10), np.random.default_rng(s))[0]) for s in range(100)}
    assert firsts == set(range(10))


def test_last_digits_do_not_order():
    scores = np.array([1.0, 1.0 + 1e-14, 1.0 - 1e-14, 0.5])
    firsts = {int(order_by_score(scores, np.random.default_rng(s))[0]) for s in range(50)}
    assert firsts == {0, 1, 2}


# -- rankings by models ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data():
    views, y = make_correlated_views(rho=0.2, n_objects=120, random_state=0)
    return views, np.where(np.arange(120) < 30, y, -1)


def members(views, y):
    half = np.flatnonzero(y >= 0)
    return [
        make_pipeline(MergeViews(), learner).fit(views[rows], y[rows])
        for learner, rows in ((GaussianNB(), half[::2]), (LogisticRegression(), half[1::2]))
    ]


MODELS = {
    "co-training": CoTraining(random_state=0),
    "co-EM": CoEMClassifier(),
    "co-RLS": CoRLS(),
    "neighbours": MultiRepresentedKNN(),
    "coupled": BayesianCoTraining(),
}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("name", MODELS)
def test_every_criterion_ranks_what_has_no_label_by_any_model_with_views(name, criterion, data):
    views, y = data
    model = MODELS[name]
    learnt = np.flatnonzero(y >= 0) if name == "neighbours" else np.arange(len(y))
    ranking = rank(model.fit(views[learnt], y[learnt]), views, y, criterion=criterion)
    assert sorted(ranking.rows.tolist()) == np.flatnonzero(y < 0).tolist()
    assert (np.diff(ranking.scores) <= 1e-9).all()
    assert rank(model, views, y, criterion=criterion).rows.tolist() == ranking.rows.tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_list_of_pipelines_is_a_committee(criterion, data):
    views, y = data
    committee = members(views, y)
    ranking = rank(committee, views, y, criterion=criterion, n=7)
    assert len(ranking) == 7
    if criterion in OF_MODEL:
        mean = np.mean([model.predict_proba(views) for model in committee], axis=0)
        assert ranking.scores == pytest.approx(OF_MODEL[criterion](mean)[ranking.rows])


def test_members_may_know_different_classes(data):
    views, _ = data
    labels = np.arange(len(views)) % 3
    first, second = (
        make_pipeline(MergeViews(), GaussianNB()).fit(views[rows], labels[rows])
        for rows in (np.flatnonzero(labels < 2), np.flatnonzero(labels > 0))
    )
    said = committee_probabilities([first, second], views)
    assert said.shape == (2, len(views), 3)
    assert (said[0, :, 2] == 0).all()
    assert (said[1, :, 0] == 0).all()
    assert said.sum(axis=2) == pytest.approx(np.ones((2, len(views))))


def test_decisions_keep_the_order_of_what_is_sure(data):
    views, y = data
    learnt = np.flatnonzero(y >= 0)
    model = make_pipeline(MergeViews(), LinearSVC()).fit(views[learnt], y[learnt])
    ranking = rank(model, views, y, criterion="margin")
    sure = np.abs(model.decision_function(views))[ranking.rows]
    assert (np.diff(sure) >= -1e-6).all()
    assert (probabilities(model, views).argmax(axis=1) == model.predict(views)).all()


def test_views_that_an_object_lacks_say_nothing(data):
    views, y = data
    seen = views.observed.copy()
    seen[40:60, 0] = False
    partly = views.with_observed(seen)
    said = committee_probabilities(CoRLS().fit(partly, y), partly)
    assert np.isnan(said[0, 40:60]).all()
    assert not np.isnan(said[1]).any()
    ranking = rank(CoRLS().fit(partly, y), partly, y, criterion="naive_contention")
    assert set(range(40, 60)) <= set(ranking.rows[ranking.scores == 0].tolist())


def test_objects_that_no_view_shows_are_not_asked_about(data):
    views, y = data
    seen = views.observed.copy()
    seen[100:] = False
    ranking = rank(CoRLS().fit(views, y), views.with_observed(seen), y)
    assert ranking.n_unseen == 20
    assert ranking.n_candidates == len(ranking) == 70
    assert ranking.rows.max() < 100


def test_nothing_is_left_to_ask(data):
    views, _ = data
    labels = np.arange(len(views)) % 2
    ranking = rank(CoRLS().fit(views, labels), views, labels)
    assert len(ranking) == 0
    assert "nothing is left" in repr(ranking)
    assert rank(CoRLS().fit(views, labels), views[:0], criterion="vote_entropy").rows.tolist() == []


def test_ids_come_along(data):
    views, y = data
    named = Views(views, sample_ids=[f"P{row}" for row in range(len(views))])
    ranking = rank(CoRLS().fit(named, y), named, y, n=3)
    assert ranking.sample_ids.tolist() == [f"P{row}" for row in ranking.rows]
    frame = ranking.to_frame()
    assert list(frame.columns) == ["row", "sample_id", "entropy"]
    assert f"P{ranking.rows[0]} (" in repr(ranking)


def test_a_function_is_a_criterion(data):
    views, y = data
    model = CoRLS().fit(views, y)

    def first_feature(model, views):
        return views["first"][:, 0]

    ranking = rank(model, views, criterion=first_feature)
    assert ranking.criterion == "first_feature"
    assert (np.diff(views["first"][ranking.rows, 0]) <= 1e-6).all()
    with pytest.raises(ValueError, match="one number for each"):
        rank(model, views, criterion=lambda model, views: np.ones(3))


@pytest.mark.parametrize(
    ("criterion", "error", "message"),
    [
        ("entropie", ParameterError, "criterion='entropie' should be"),
        ("vote_entropy", TypeError, "LogisticRegression has no scores of its own for each view"),
    ],
)
def test_what_cannot_be_ranked_is_refused(criterion, error, message, data):
    views, y = data
    learnt = np.flatnonzero(y >= 0)
    model = make_pipeline(MergeViews(), LogisticRegression()).fit(views[learnt], y[learnt])
    with pytest.raises(error, match=message):
        rank(model, views, criterion=criterion)


def test_a_model_that_only_predicts_is_refused(data):
    class Oracle:
        classes_ = (0, 1)

        def predict(self, X):
            return np.zeros(len(X))

    with pytest.raises(TypeError, match="neither predict_proba nor decision_function"):
        rank(Oracle(), data[0])
    assert len(rank(Oracle(), data[0], criterion="random", n=4)) == 4
    with pytest.raises(ValueError, match="no members"):
        rank([], data[0])
    with pytest.raises(ValueError, match="3 labels for 120 objects"):
        rank(Oracle(), data[0], [0, 1, -1])
