"""Co-training against plain loops, by hand-made judges, and by its laws."""

from __future__ import annotations

import numpy as np
import pytest
import skops.io
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.tree import DecisionTreeClassifier

from manyviews import Views
from manyviews.datasets import load_digits_views, make_two_moons_two_lines
from manyviews.exceptions import ViewsError, ViewsWarning
from manyviews.semi_supervised import CoTraining, Provenance
from manyviews.semi_supervised._shared import combine
from manyviews.semi_supervised.co_training.co_training import (
    Plan,
    Verdicts,
    label_in_rounds,
    most_confident,
    most_probable,
)
from manyviews.semi_supervised.co_training.incremental import way_of

# Most of what follows is drawn at random, where views agree by chance only.
pytestmark = pytest.mark.filterwarnings("ignore:the views contradict each other")


def draw(seed=0, n=120, n_classes=2, n_views=2, width=4, gap=2.0, labelled=3, shares=None):
    """Gaussian views that are independent given the class; ``labelled`` objects of the rarest."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(n_classes, size=n, p=shares)
    truth[:n_classes] = np.arange(n_classes)
    centres = rng.normal(size=(n_views, n_classes, width))
    centres *= gap / np.linalg.norm(centres, axis=2, keepdims=True)
    X = {f"v{v}": c[truth] + rng.normal(size=(n, width)) for v, c in enumerate(centres)}
    y = np.full(n, -1)
    rarest = np.bincount(truth).min()
    for label in range(n_classes):
        rows = np.flatnonzero(truth == label)
        y[rows[: max(1, labelled * len(rows) // rarest)]] = label
    return X, y, truth


def published(estimator=None, **given):
    """Co-training as in the papers, with an estimator that sees the views as they are."""
    member = LogisticRegression(max_iter=1000) if estimator is None else estimator
    paper = {"pool_size": 75, "per_class": 1, "confirm": False, "view_weights": None}
    return CoTraining(member, **paper | given)


def counts_of(X):
    return {name: np.floor(np.abs(3 * matrix)) for name, matrix in X.items()}


def by_plain_loops(X, y, member, quotas, rounds):
    """Blum & Mitchell's loop on the whole pool, object by object, from scratch in each round."""
    y, found = y.copy(), []
    for number in range(1, rounds + 1):
        rows = [row for row in range(len(y)) if y[row] < 0]
        if not rows:
            break
        best: dict[int, tuple[float, int]] = {}
        for matrix in X.values():
            known = y >= 0
            shares = clone(member).fit(matrix[known], y[known]).predict_proba(matrix[rows])
            for code, quota in enumerate(quotas):
                mine = [i for i in range(len(rows)) if shares[i].argmax() == code]
                mine.sort(key=lambda i, s=shares, c=code: -s[i, c])
                for i in mine[:quota]:
                    said = (float(shares[i, code]), -code)
                    best[rows[i]] = max(said, best.get(rows[i], said))
        for row, (sure, negative) in sorted(best.items()):
            y[row] = -negative
            found.append((number, row, -negative, sure))
    return y, found


def record(model):
    p = model.provenance_
    return list(zip(p.round.tolist(), p.object.tolist(), p.label.tolist(), strict=True))


# -- the rounds ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "member",
    [
        LogisticRegression(tol=1e-8, max_iter=1000),
        GaussianNB(),
        DecisionTreeClassifier(max_depth=2, random_state=0),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_the_plain_loop(member, n_classes):
    X, y, _ = draw(3, n=60, n_classes=n_classes, n_views=3, gap=1.5)
    quotas = np.rint(2 * np.bincount(y[y >= 0]) / np.bincount(y[y >= 0]).min()).astype(int)
    model = published(member, pool_size=None, per_class=2, max_iter=4).fit(X, y)
    _, expected = by_plain_loops(X, y, member, quotas, 4)
    assert record(model) == [each[:3] for each in expected]
    np.testing.assert_allclose(
        model.provenance_.confidence, [each[3] for each in expected], rtol=1e-5
    )


@given(
    values=st.lists(st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]), max_size=12),
    count=st.integers(0, 14),
)
def test_the_most_confident_are_the_first_of_a_stable_sort(values, count):
    confidence = np.array(values)
    expected = np.sort(np.argsort(-confidence, kind="stable")[:count])
    assert most_confident(confidence, count).tolist() == expected.tolist()


def test_classes_equal_as_far_as_a_classifier_is_solved_are_settled_by_their_order():
    apart = 1e-9
    shares = np.array([[0.4, 0.4 + apart, 0.2], [0.4 + apart, 0.4, 0.2], [0.3, 0.4, 0.3]])
    np.testing.assert_array_equal(most_probable(shares)[0], [0, 0, 1])
    np.testing.assert_array_equal(most_confident(shares.max(axis=1), 1), [0])
    nearly_sure = 1 - np.array([1e-9, 1e-12])  # of naive Bayes, which is exact
    np.testing.assert_array_equal(most_confident(nearly_sure, 1), [1])


def test_confidences_equal_up_to_rounding_are_equal():
    confidence = np.array([0.9, 1 - 3e-16, 1.0, 1 - 1e-16, 1 - 1e-9])
    assert most_confident(confidence, 2).tolist() == [1, 2]
    assert most_confident(confidence, 4).tolist() == [1, 2, 3, 4]


class Script:
    """Judges that say of each object what they were told to."""

    def __init__(self, labels, confidence):
        self.labels, self.confidence = np.array(labels), np.array(confidence, dtype=float)
        self.shown, self.lessons = [], []

    def learn(self, codes, added):
        self.lessons.append(added.tolist())

    def judge(self, rows):
        self.shown.append(rows.tolist())
        labels = self.labels[:, rows]
        return Verdicts(labels, self.confidence[:, rows], labels)


def test_the_surer_of_two_judges_decides_and_the_conflict_is_kept():
    script = Script([[0, 1, 1, 0], [1, 1, -1, -1]], [[0.7, 0.9, 0.6, 0.8], [0.8, 0.95, 0, 0]])
    plan = Plan(None, np.array([2, 2]), None)
    outcome = label_in_rounds(script, np.full(4, -1), np.arange(4), plan)
    joined = outcome.joined
    assert joined.row.tolist() == [0, 1, 2, 3]
    assert joined.code.tolist() == [1, 1, 1, 0]
    assert joined.judge.tolist() == [1, 1, 0, 0]
    assert joined.confidence.tolist() == [0.8, 0.95, 0.6, 0.8]
    assert joined.contested.tolist() == [True, False, False, False]
    assert joined.disputed.tolist() == [True, False, False, False]
    assert outcome.ending == "all_labeled"


def test_a_view_that_thinks_otherwise_but_proposes_nothing_makes_a_dispute_only():
    script = Script([[0, 0], [1, 1]], [[0.9, 0.6], [0.7, 0.8]])
    outcome = label_in_rounds(script, np.full(2, -1), np.arange(2), Plan(None, np.array([1, 1]), 1))
    assert outcome.joined.code.tolist() == [0, 1]
    assert outcome.joined.disputed.all()
    assert not outcome.joined.contested.any()


def test_the_pool_is_filled_up_in_the_order_given():
    script = Script([[0] * 6], [[0.9, 0.5, 0.8, 0.7, 0.6, 0.55]])
    plan = Plan(2, np.array([1, 1]), None)
    order = np.array([5, 3, 1, 0, 4, 2])
    outcome = label_in_rounds(script, np.full(6, -1), order, plan)
    assert script.shown == [[5, 3], [5, 1], [1, 0], [1, 4], [1, 2], [1]]
    assert outcome.joined.row.tolist() == [3, 5, 0, 4, 2, 1]
    assert script.lessons == [[], [3], [5], [0], [4], [2], [1]]


def test_a_pool_nobody_can_judge_is_exchanged_and_a_whole_pass_of_silence_ends_it():
    script = Script([[-1, -1, 0, -1, 1]], [[0, 0, 0.9, 0, 0.8]])
    plan = Plan(2, np.array([1, 1]), None)
    outcome = label_in_rounds(script, np.full(5, -1), np.arange(5), plan)
    assert sorted(outcome.joined.row.tolist()) == [2, 4]
    assert outcome.codes.tolist() == [-1, -1, 0, -1, 1]
    assert outcome.ending == "no_change"


def test_it_says_why_it_ended():
    X, y, _ = draw(n=40)
    assert published(max_iter=2, random_state=0).fit(X, y).termination_condition_ == "max_iter"
    model = published(max_iter=None, random_state=0).fit(X, y)
    assert model.termination_condition_ == "all_labeled"
    assert len(model.provenance_) == (y < 0).sum()
    assert model.n_iter_ == model.provenance_.round.max()
    done = published().fit(X, np.where(y < 0, 1, y))
    assert (done.termination_condition_, done.n_iter_, len(done.provenance_)) == (
        "all_labeled",
        0,
        0,
    )


# -- laws ----------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**20),
    n_classes=st.integers(2, 4),
    rule=st.sampled_from(["product", "mean"]),
)
@settings(deadline=None, max_examples=10)
def test_without_unlabelled_objects_it_is_the_supervised_fit(seed, n_classes, rule):
    X, _, truth = draw(seed, n=40, n_classes=n_classes)
    model = published(combine=rule).fit(X, truth)
    votes = {
        name: LogisticRegression(max_iter=1000).fit(matrix, truth).predict_proba(matrix)
        for name, matrix in X.items()
    }
    prior = np.bincount(truth) / len(truth)
    expected = combine(votes, np.ones((40, 2), dtype=bool), rule, prior)
    # Shaken, 200 such fits moved their probabilities by 1.6e-12 at most, and two views multiply.
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-11)
    np.testing.assert_array_equal(model.transduction_, truth)
    for name, found in model.view_probabilities(X).items():
        np.testing.assert_allclose(found, votes[name], rtol=1e-11)


def test_the_rounds_do_not_enlarge_last_digits():
    digits, truth = load_digits_views()
    rng = np.random.default_rng(0)
    shown = np.hstack([rng.choice(np.flatnonzero(truth == c), 5, replace=False) for c in range(10)])
    y = np.full(len(truth), -1)
    y[shown] = truth[shown]
    turned = {name: matrix[:, ::-1] for name, matrix in digits.items()}
    one, other = (CoTraining(confirm=False, random_state=0).fit(X, y) for X in (digits, turned))
    np.testing.assert_array_equal(one.transduction_, other.transduction_)


@given(seed=st.integers(0, 2**20))
@settings(deadline=None, max_examples=10)
def test_the_order_of_views_is_free(seed):
    X, y, _ = draw(seed, n=50, n_classes=3, n_views=3, gap=1.0)
    turned = {name: X[name] for name in ("v2", "v0", "v1")}
    params = {"per_class": 2, "pool_size": 20, "max_iter": 5, "random_state": seed}
    one = published(GaussianNB(), **params).fit(X, y)
    two = published(GaussianNB(), **params).fit(turned, y)
    assert record(one) == record(two)
    assert one.provenance_.disputed.tolist() == two.provenance_.disputed.tolist()
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(turned), rtol=1e-9)


@pytest.mark.parametrize(
    "member", [LogisticRegression(), GaussianNB(var_smoothing=0.1), MultinomialNB()]
)
def test_the_record_replays(member):
    X, y, _ = draw(5, n=80, n_classes=3, gap=1.0)
    X = counts_of(X)
    X = Views(X, observed={"v0": np.arange(80) % 5 > 0})
    model = published(member, max_iter=5, random_state=1).fit(X, y)
    labels = y.copy()
    labels[model.provenance_.object] = model.provenance_.label
    for name, found in model.classifiers_.items():
        rows = (labels >= 0) & X.observed_in(name)
        again = clone(member).fit(X[name][rows], labels[rows])
        np.testing.assert_array_equal(
            found.predict_proba(X[name][rows]), again.predict_proba(X[name][rows])
        )
    given_or_added = labels >= 0
    np.testing.assert_array_equal(model.transduction_[given_or_added], labels[given_or_added])
    rest = model.predict(X[~given_or_added])
    np.testing.assert_array_equal(model.transduction_[~given_or_added], rest)


def test_the_proportions_of_the_labels_are_kept_in_every_round():
    X, _, truth = draw(2, n=400, shares=[0.25, 0.75], gap=6.0)
    y = np.full(400, -1)
    for label, count in ((0, 2), (1, 6)):
        y[np.flatnonzero(truth == label)[:count]] = label
    only = {"v0": X["v0"]}
    model = published(per_class=2, pool_size=100, max_iter=12, random_state=0).fit(only, y)
    for number in range(1, 13):
        labels = model.provenance_.label[model.provenance_.round == number]
        assert np.bincount(labels).tolist() == [2, 6]
    both = published(per_class={0: 1, 1: 3}, pool_size=100, max_iter=12, random_state=0).fit(X, y)
    for number in range(1, 13):
        shares = np.bincount(both.provenance_.label[both.provenance_.round == number])
        assert 1 <= shares[0] <= 2
        assert 3 <= shares[1] <= 6


@pytest.mark.parametrize(
    "member",
    [
        BernoulliNB(binarize=1.0),
        ComplementNB(),
        GaussianNB(var_smoothing=0.01),
        MultinomialNB(alpha=0.3),
    ],
)
def test_being_taught_the_new_is_being_trained_on_all(member):
    X, y, _ = draw(7, n=90, n_classes=3, gap=1.5)
    X = counts_of(X)
    models = [
        published(member, incremental=how, random_state=2, per_class=2).fit(X, y)
        for how in ("auto", False)
    ]
    assert way_of(member, "auto") == "teach"
    assert record(models[0]) == record(models[1])
    confidence = [model.provenance_.confidence for model in models]
    np.testing.assert_allclose(*confidence, rtol=1e-6)
    np.testing.assert_array_equal(*(model.predict_proba(X) for model in models))


def test_a_class_that_a_view_meets_late_is_learnt_as_from_scratch():
    X, y, _ = draw(8, n=90, n_classes=3, gap=4.0)
    X = Views(counts_of(X), observed={"v1": y != 2})
    models = [
        published(MultinomialNB(), incremental=how, max_iter=8, random_state=0).fit(X, y)
        for how in ("auto", False)
    ]
    assert record(models[0]) == record(models[1])
    assert 2 in models[0].classifiers_["v1"].classes_


def test_how_members_learn_between_rounds():
    assert way_of(RandomForestClassifier(), "auto") == "refit"
    assert way_of(GaussianNB(priors=[0.5, 0.5]), "auto") == "refit"
    assert way_of(LogisticRegression(solver="liblinear"), "auto") == "refit"
    assert way_of(LogisticRegression(), True) == "warm"
    assert way_of(LogisticRegression(), False) == "refit"
    assert way_of(DecisionTreeClassifier(), True) == "refit"


def test_scikit_learn_smooths_by_the_last_part_which_is_why_there_are_sums():
    X, y, _ = draw(1, n=40)
    rows = np.flatnonzero(y >= 0)
    matrix, labels = X["v0"][rows], y[rows]
    parts = GaussianNB(var_smoothing=0.5)
    parts.partial_fit(matrix[:4], labels[:4], classes=[0, 1]).partial_fit(matrix[4:], labels[4:])
    whole = GaussianNB(var_smoothing=0.5).fit(matrix, labels)
    assert np.abs(parts.var_ / whole.var_ - 1).max() > 0.01


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_warm_start_ends_where_a_cold_one_does_and_is_not_left_behind(n_classes):
    X, y, _ = draw(4, n=90, n_classes=n_classes, gap=1.5)
    member = LogisticRegression(tol=1e-8, max_iter=1000)
    warm, cold = (
        published(member, incremental=how, random_state=3).fit(X, y) for how in ("auto", False)
    )
    assert record(warm) == record(cold)
    np.testing.assert_allclose(warm.provenance_.confidence, cold.provenance_.confidence, rtol=1e-5)
    assert not any(each.warm_start for each in warm.classifiers_.values())


def test_stochastic_members_are_taught_if_asked():
    X, y, truth = draw(6, n=150, gap=4.0)
    member = SGDClassifier(loss="log_loss", random_state=0)
    model = published(member, incremental=True, max_iter=None, random_state=0).fit(X, y)
    assert (model.transduction_ == truth).mean() > 0.8
    assert model.classifiers_["v0"].t_ < 400  # it saw each object once


# -- gaps, kinds of data -------------------------------------------------------------------------


def test_views_propose_only_what_they_show_and_teach_the_others():
    X, y, truth = draw(9, n=150, gap=4.0)
    observed = np.ones((150, 2), dtype=bool)
    observed[::3, 0] = False
    observed[1::3, 1] = False
    views = Views(X, observed=observed)
    model = published(max_iter=None, random_state=0).fit(views, y)
    p = model.provenance_
    place = np.where(p.view == "v0", 0, 1)
    assert observed[p.object, place].all()
    assert len(p) == (y < 0).sum()
    assert (model.transduction_ == truth).mean() > 0.9
    shown = model.view_probabilities(views)
    for name in X:
        assert np.array_equal(np.isnan(shown[name]).any(axis=1), ~views.observed_in(name))


def test_a_view_with_one_class_waits_to_be_taught():
    X, y, truth = draw(10, n=120, gap=5.0)
    views = Views(X, observed={"v1": ~(y == 1)})
    model = published(max_iter=None, random_state=0).fit(views, y)
    assert set(model.provenance_.view[model.provenance_.round == 1]) == {"v0"}
    assert "v1" in model.provenance_.view
    assert (model.transduction_ == truth).mean() > 0.9
    with pytest.raises(ViewsError, match="view 'v1' shows labelled objects of fewer than two"):
        published().fit(Views(X, observed={"v1": y == 0}), np.where(y < 0, 1, y))


def test_refit_is_one_classifier_of_all_views_filled_with_means():
    X, y, truth = draw(11, n=60)
    views = Views(X, observed={"v1": np.arange(60) % 4 > 0})
    model = published(combine="refit", random_state=0).fit(views, y)
    labels = y.copy()
    labels[model.provenance_.object] = model.provenance_.label
    rows = labels >= 0
    mean = X["v1"][views.observed_in("v1")].mean(axis=0)
    wide = np.hstack([X["v0"], np.where(views.observed_in("v1")[:, None], X["v1"], mean)])
    expected = LogisticRegression(max_iter=1000).fit(wide[rows], labels[rows])
    np.testing.assert_allclose(model.predict_proba(views), expected.predict_proba(wide))
    assert not hasattr(model.set_params(combine="mean").fit(views, y), "classifier_")
    some = Views({"v0": csr_array(X["v0"]), "v1": X["v1"]}, observed=views.observed)
    mixed = published(combine="refit", random_state=0).fit(some, y)
    np.testing.assert_allclose(mixed.predict_proba(some), expected.predict_proba(wide), rtol=1e-3)
    assert (mixed.predict({"v0": X["v0"], "v1": None}) == truth).mean() > 0.7


def test_sparse_counts_are_dense_counts():
    X, y, _ = draw(12, n=70, n_classes=3)
    X = counts_of(X)
    sparse = {name: csr_array(matrix) for name, matrix in X.items()}
    dense = published(MultinomialNB(), random_state=0).fit(X, y)
    found = published(MultinomialNB(), random_state=0).fit(sparse, y)
    assert record(dense) == record(found)
    np.testing.assert_allclose(dense.predict_proba(X), found.predict_proba(sparse))


def test_a_member_that_refuses_its_view_is_named():
    X, y, _ = draw(n=30)
    with pytest.raises(TypeError) as caught:
        published(GaussianNB()).fit({"a": X["v0"], "b": csr_array(X["v1"])}, y)
    assert "view 'b'" in caught.value.__notes__[0]


def test_random_members_can_be_repeated():
    X, y, _ = draw(13, n=60)
    member = {"v0": RandomForestClassifier(5), "v1": DecisionTreeClassifier(max_features=1)}
    one, two = (published(member, random_state=4, max_iter=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert member["v0"].random_state is None


# -- what it is for ------------------------------------------------------------------------------


def test_independent_views_teach_each_other():
    gains = []
    for seed in range(5):
        X, y, truth = draw(seed, n=400, width=8, gap=2.5, labelled=2)
        rest = y < 0
        few = {name: matrix[~rest] for name, matrix in X.items()}
        params = {"per_class": 5, "max_iter": None, "random_state": 0}
        alone = published(GaussianNB()).fit(few, y[~rest]).predict(X)[rest]
        taught = published(GaussianNB(), **params).fit(X, y).transduction_[rest]
        gains.append((taught == truth[rest]).mean() - (alone == truth[rest]).mean())
    assert np.mean(gains) > 0.1


def test_greedy_labels_on_moons_and_lines_stay_wrong():
    views, truth = make_two_moons_two_lines(200, random_state=0)
    across = views["moons"][:, 0]  # the tips that lie inside the other moon mislead
    tips = [np.where(truth == 0, across, -9).argmax(), np.where(truth == 1, across, 9).argmin()]
    y = np.full(200, -1)
    y[tips] = truth[tips]
    model = published(max_iter=None, random_state=0).fit(views, y)
    record = model.provenance_
    wrong = record.label != truth[record.object]
    assert wrong[record.round == 1].any()
    assert wrong.mean() > 0.5
    np.testing.assert_array_equal(model.transduction_[record.object], record.label)


# -- the record, parameters ----------------------------------------------------------------------


def test_the_record_names_objects_and_classes_and_survives_saving():
    X, y, _ = draw(14, n=50)
    names = np.array(["no", "yes"], dtype=object)
    words = np.array([names[code] if code >= 0 else None for code in y], dtype=object)
    ids = np.array([f"page{row}" for row in range(50)])
    model = published(random_state=0, max_iter=3).fit(Views(X, sample_ids=ids), words)
    data = skops.io.dumps(model)
    again = skops.io.loads(data, trusted=skops.io.get_untrusted_types(data=data))
    for found in (model.provenance_, again.provenance_):
        assert found.sample_id.tolist() == ids[found.object].tolist()
        assert set(found.label) <= {"no", "yes"}
        assert found.round.tolist() == sorted(found.round)
    frame = model.provenance_.to_frame()
    assert list(frame.columns) == [
        "round", "object", "view", "label", "confidence", "disputed", "contested", "sample_id",
    ]  # fmt: skip
    assert len(frame) == len(model.provenance_)
    first = model.provenance_[model.provenance_.round == 1]
    assert isinstance(first, Provenance)
    assert set(first.round) == {1}
    assert len(model.provenance_[0]) == 1


def test_the_record_shows_its_head():
    X, y, _ = draw(n=60)
    model = published(random_state=0, max_iter=4).fit(X, y)
    lines = repr(model.provenance_).splitlines()
    assert lines[0].startswith(f"Provenance of {len(model.provenance_)} labels in 4 rounds")
    assert lines[1].split()[:3] == ["round", "object", "view"]
    assert lines[-1] == f"… and {len(model.provenance_) - 5} more"
    assert len(lines) == 8
    empty = model.provenance_[:0]
    assert repr(empty) == "Provenance of 0 labels in 0 rounds, 0 disputed, 0 contested"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"per_class": 0}, "per_class=0 should be"),
        ({"per_class": {0: 1}}, "nothing of the class 1"),
        ({"per_class": {0: 1, 1: -1}}, "per_class={0: 1, 1: -1} should be"),
        ({"per_class": {0: 1, 1: 1, 7: 2}}, "names the class 7"),
        ({"per_class": {0: 0, 1: 0}}, "zero for all classes"),
        ({"pool_size": 0}, "pool_size=0 should be"),
        ({"max_iter": 0.5}, "max_iter=0.5 should be"),
        ({"combine": "vote"}, "combine='vote' should be"),
        ({"incremental": "no"}, "incremental='no' should be"),
    ],
)
def test_bad_parameters_are_refused(params, message):
    X, y, _ = draw(n=30)
    with pytest.raises(ValueError, match=message):
        published(**params).fit(X, y)


def test_it_reports_rounds_if_asked(capsys):
    X, y, _ = draw(n=30)
    published(max_iter=2, verbose=2, random_state=0).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("CoTraining: round 1 labelled ")
    assert lines[-1].endswith("in 2 rounds, ended by 'max_iter'")


def test_views_that_contradict_each_other_are_told_of():
    rng = np.random.default_rng(0)
    y, other = np.arange(300) % 3, rng.permutation(np.arange(300) % 3)
    centers = 6.0 * np.eye(3)
    few = np.where(np.arange(300) < 15, y, -1)
    own, same, odd = (centers[codes] + rng.standard_normal((300, 3)) for codes in (y, y, other))
    with pytest.warns(ViewsWarning, match="contradict each other"):
        at_odds = CoTraining().fit({"own": own, "odd": odd}, few)
    agreed = CoTraining().fit({"own": own, "same": same}, few)
    assert at_odds.agreement_ < 0.5 < 0.9 < agreed.agreement_


def test_what_views_taught_each_other_is_forgotten_where_they_contradict():
    rng = np.random.default_rng(0)
    y, other = np.arange(300) % 3, rng.permutation(np.arange(300) % 3)
    few = np.where(np.arange(300) < 15, y, -1)
    views = {
        name: 6.0 * np.eye(3)[codes] + rng.standard_normal((300, 3))
        for name, codes in {"own": y, "odd": other}.items()
    }
    with pytest.warns(ViewsWarning, match="learn from the labels given alone"):
        forgot = CoTraining().fit(views, few)
    with pytest.warns(ViewsWarning, match="may end below where it started"):
        kept = CoTraining(confirm=False).fit(views, few)
    assert len(forgot.provenance_) == 0
    assert len(kept.provenance_) > 0
    np.testing.assert_allclose(forgot.prior_, 1 / 3)
    known = forgot.classifiers_["own"]
    scaled = forgot.scalings_["own"](views["own"])
    alone = clone(known).fit(scaled[:15], few[:15])
    np.testing.assert_allclose(known.predict_proba(scaled), alone.predict_proba(scaled))
    np.testing.assert_array_equal(forgot.transduction_[15:], forgot.predict(views)[15:])


def test_agreement_is_one_where_nothing_is_shared():
    model = CoTraining().fit({"a": [[0.0], [1.0], [0.1], [0.9]]}, [0, 1, -1, -1])
    assert model.agreement_ == 1.0
