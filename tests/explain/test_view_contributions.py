"""Contributions of views: measures against scikit-learn, toys of known answers, every estimator."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews import MergeViews, PerView, Views
from manyviews.base import (
    BaseMultiViewClassifier,
    BaseMultiViewClusterer,
    BaseMultiViewRegressor,
    ViewTags,
)
from manyviews.embed import CCA
from manyviews.exceptions import ParameterError, UnknownViewError, ViewsError, ViewsWarning
from manyviews.explain import view_contributions
from manyviews.explain.contribution_report import ViewContribution, view_findings
from manyviews.explain.view_contributions import (
    accuracies,
    interval,
    leading_views,
    margins,
    permuted_scores,
    r_squared,
    rand_indices,
    resampled,
)
from manyviews.registry import estimators
from manyviews.semi_supervised import CoRLSRegressor, CoTraining
from manyviews.testing.check import predicts, prepared
from manyviews.testing.data import problem_for

QUICK = {"n_repeats": 2, "n_resamples": 20}

# -- toys: what they answer is known ---------------------------------------------------------------


class SumOfSigns(BaseMultiViewClassifier):
    """Say "yes" where the weighted signs of the first features sum to more than nothing."""

    view_tags = ViewTags(unobserved=True, sparse=True)

    def __init__(self, weights=None):
        self.weights = weights

    def fit(self, X, y):
        views = self._fit_views(X)
        self._fit_labels(y, views)
        self.seen_ = len(views)
        return self

    def scores(self, X):
        views = self._new_views(X)
        weights = self.weights or {}
        signs = {}
        for name, matrix in views.items():
            cells = matrix[:, [0]].toarray() if hasattr(matrix, "toarray") else matrix[:, [0]]
            signs[name] = weights.get(name, 1.0) * np.where(
                views.observed_in(name), np.sign(np.nan_to_num(cells[:, 0])), np.nan
            )
        return signs

    def predict(self, X):
        total = np.nansum(list(self.scores(X).values()), axis=0)
        return self.classes_[(total > 0).astype(int)]


class Outspoken(SumOfSigns):
    """The same with scores of its own for each view."""

    def view_decisions(self, X):
        return self.scores(X)


class Complete(SumOfSigns):
    """The same for objects that show every view."""

    view_tags = ViewTags()


class Level(BaseMultiViewRegressor):
    """The sum of the first features, gaps as nothing."""

    view_tags = ViewTags(unobserved=True)

    def fit(self, X, y):
        self._fit_targets(y, self._fit_views(X), accept_unknown=True)
        return self

    def predict(self, X):
        views = self._new_views(X)
        return np.nansum([matrix[:, 0] for _, matrix in views.items()], axis=0)


class Halves(BaseMultiViewClusterer):
    """Two clusters by the sign of the first view that an object shows."""

    view_tags = ViewTags(unobserved=True)

    def fit(self, X, y=None):
        assert y is None, "a clusterer gets no labels"
        self._fit_views(X)
        self.labels_ = self.predict(X)
        return self

    def predict(self, X):
        firsts = np.array([matrix[:, 0] for _, matrix in self._new_views(X).items()])
        return (firsts[(~np.isnan(firsts)).argmax(axis=0), np.arange(firsts.shape[1])] > 0) * 1


@pytest.fixture
def y():
    return np.array(["no", "yes"])[np.arange(40) % 2]


@pytest.fixture
def data(y):
    """The class is the sign of ``loud``; ``quiet`` is half as often, ``flat`` never anything."""
    sign = np.where(y == "yes", 1.0, -1.0)
    noise = np.random.default_rng(3).normal(size=(40, 1))
    return {
        "loud": np.column_stack([3.0 * sign, noise]),
        "quiet": np.where(np.arange(40) < 20, sign, -sign)[:, None],
        "flat": np.zeros((40, 1)),
    }


LOUD = {"loud": 3.0}


def of(found, name):
    return next(view for view in found.per_view if view.name == name)


# -- measures --------------------------------------------------------------------------------------

COUNTS = st.lists(st.integers(0, 3), min_size=12, max_size=12).filter(lambda n: sum(n) > 1)
CODES = st.lists(st.integers(0, 2), min_size=12, max_size=12)


@given(CODES, CODES, COUNTS)
@settings(max_examples=50, deadline=None)
def test_measures_of_weights_are_those_of_repeated_objects(truth, answers, counts):
    truth, answers = np.array(truth), np.array(answers)
    weights, rows = np.array([counts], dtype=float), np.repeat(np.arange(12), counts)
    repeated = truth[rows], answers[rows]
    assert accuracies(truth, answers, weights)[0] == pytest.approx(
        metrics.accuracy_score(*repeated)
    )
    assert rand_indices(truth, answers, weights)[0] == pytest.approx(
        metrics.adjusted_rand_score(*repeated)
    )
    explained = r_squared(truth.astype(float), answers.astype(float), weights)[0]
    if len(set(truth[rows])) == 1:
        assert np.isnan(explained)
    else:
        assert explained == pytest.approx(metrics.r2_score(*repeated))


@given(st.integers(2, 4), st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_margins_are_the_class_less_the_best_other(n_classes, seed):
    rng = np.random.default_rng(seed)
    scores, codes = rng.normal(size=(6, n_classes)), rng.integers(n_classes, size=6)
    expected = [
        row[code] - max(row[other] for other in range(n_classes) if other != code)
        for row, code in zip(scores, codes, strict=True)
    ]
    assert margins(scores, codes) == pytest.approx(expected)
    if n_classes == 2:
        flat = scores[:, 1] - scores[:, 0]
        assert margins(flat, codes) == pytest.approx(expected)


def test_the_leading_view_is_the_only_best_or_the_only_one():
    nan = np.nan
    scores = np.array(
        [[0.2, 0.5], [0.5, 0.5 + 1e-13], [-0.1, -0.2], [nan, 0.1], [nan, -0.3], [nan, nan]]
    )
    observed = np.array([[1, 1], [1, 1], [1, 1], [1, 1], [0, 1], [1, 0]], dtype=bool)
    found = leading_views(scores, observed, ("a", "b"))
    assert found.tolist() == ["b", None, None, "b", "b", "a"]


def test_resamples_begin_with_the_objects_themselves_and_keep_their_number():
    weights = resampled(7, 30, np.random.default_rng(0))
    assert (weights[0] == 1).all()
    assert (weights.sum(axis=1) == 7).all()
    assert len(np.unique(weights, axis=0)) > 20


def test_the_interval_of_nothing_is_none():
    assert interval(np.array([np.nan, np.nan])) == (None, None)
    assert interval(np.array([np.nan, 0.5])) == (0.5, 0.5)


def test_permutations_are_resampled_with_the_objects():
    shuffles = np.repeat([[0.0], [1.0]], 200, axis=1)  # the permutations differ, the objects do not
    found = permuted_scores(shuffles, np.random.default_rng(0))
    assert found[0] == 0.5
    assert set(found[1:]) == {0.0, 0.5, 1.0}


# -- toys ------------------------------------------------------------------------------------------


def test_drop_and_loss_are_those_of_the_answers(data, y):
    model = SumOfSigns(LOUD).fit(data, y)
    found = view_contributions(model, data, y, n_repeats=50)
    assert found.score == found.score_low == found.score_high == 1.0
    loud, quiet, flat = found.per_view
    assert (loud.without, loud.drop) == (0.5, 0.5)  # what quiet knows
    assert loud.drop_low < 0.5 < loud.drop_high
    assert loud.loss == pytest.approx(0.5, abs=0.05)  # half of the objects get their own class
    assert loud.loss_low < loud.loss < loud.loss_high
    for view in (quiet, flat):
        assert (view.drop, view.drop_low, view.drop_high) == (0.0, 0.0, 0.0)
        assert (view.loss, view.loss_low, view.loss_high) == (0.0, 0.0, 0.0)


def test_the_interval_covers_what_binomial_shares_would(data, y):
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), data, y, n_resamples=4000)
    loud = of(found, "loud")
    width = 1.96 * np.sqrt(0.25 / 40)  # the drop is 1 for a half of 40 objects, else 0
    assert loud.drop_high - loud.drop_low == pytest.approx(2 * width, rel=0.1)


def test_own_scores_say_which_view_carried(data, y):
    model = Outspoken(LOUD).fit(data, y)
    found = view_contributions(model, data, y, **QUICK)
    assert "view_decisions" in found.decided_by
    assert set(found.carried) == {"loud"}
    quiet = np.where(np.arange(40) < 20, 1.0, -1.0)
    assert found.view_scores.tolist() == [[3.0, own, 0.0] for own in quiet]
    assert [view.carried for view in found.per_view] == [1.0, 0.0, 0.0]


def test_own_scores_count_by_the_weight_of_their_view(data, y):
    model = Outspoken(LOUD).fit(data, y)
    model.view_weights_ = {"loud": 0.1, "quiet": 1.0, "flat": 5.0}
    found = view_contributions(model, data, y, **QUICK)
    assert found.view_scores[:, 0] == pytest.approx(0.3)
    assert found.carried.tolist() == ["quiet"] * 20 + ["loud"] * 20


def test_without_own_scores_a_decision_is_carried_by_the_view_it_changes_with(data, y):
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), data, y, **QUICK)
    assert found.decided_by == "the one view without which the answer is another"
    assert found.carried.tolist() == [None] * 20 + ["loud"] * 20


def test_probabilities_that_fall_say_which_view_carried(data, y):
    model = make_pipeline(MergeViews(), LogisticRegression()).fit(Views(data), y)
    found = view_contributions(model, data, y, **QUICK)
    expected = model.predict_proba(Views(data)).max(axis=1)
    hidden = Views(data, observed={"loud": np.zeros(40, dtype=bool)})
    codes = (y == "yes").astype(int)
    without = model.predict_proba(hidden)[np.arange(40), codes]
    assert "probability" in found.decided_by
    assert found.view_scores[:, 0] == pytest.approx(expected - without)
    assert set(found.carried) == {"loud"}


def test_a_model_that_is_not_fitted_is_cross_validated_and_stays_as_it_is(data, y):
    model = SumOfSigns(LOUD)
    found = view_contributions(model, data, y, **QUICK)
    assert found.evaluated == "40 objects held out in 5-fold cross-validation"
    assert found.n_fits == 5
    assert not hasattr(model, "seen_")
    assert found.rows.tolist() == list(range(40))
    assert of(found, "loud").drop == 0.5


def test_unlabelled_objects_are_learnt_from_and_not_asked_about(data, y):
    partly = y.astype(object)
    partly[10:] = None
    seen = []

    class Counting(SumOfSigns):
        def fit(self, X, y):
            seen.append(len(y))
            return super().fit(X, y)

    found = view_contributions(Counting(LOUD), data, partly, **QUICK)
    assert seen == [38] * 5
    assert found.rows.tolist() == list(range(10))
    assert of(found, "loud").n_objects == 10


def test_a_method_of_others_gets_labelled_objects_only(data, y):
    numbers = np.where(y == "yes", 1, 0)
    numbers[30:] = -1
    model = make_pipeline(MergeViews(), LogisticRegression())
    found = view_contributions(model, data, numbers, **QUICK)
    assert set(found.answers) == {0, 1}  # -1 is no third class
    assert found.n_measured == 30


def test_unlabelled_objects_of_a_fitted_model_have_decisions_but_no_score(data, y):
    partly = y.astype(object)
    partly[10:] = None
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), data, partly, **QUICK)
    assert len(found.answers) == 40
    assert of(found, "loud").n_objects == 10


def test_without_labels_a_fitted_model_is_held_to_its_own_answers(data, y):
    wrong = SumOfSigns({"loud": -3.0}).fit(data, y)
    assert wrong.score(Views(data), y) == 0.0
    found = view_contributions(wrong, data, **QUICK)
    assert (found.truth, found.score) == ("own answers", 1.0)
    assert of(found, "loud").drop > 0
    assert "accuracy with its own answers 1.000" in str(found)


def test_a_regressor_is_carried_by_the_view_that_moves_it_most():
    views = {"big": 10.0 * np.arange(12.0)[:, None], "small": np.ones((12, 1))}
    numbers = 10.0 * np.arange(12) + 1
    found = view_contributions(Level().fit(views, numbers), views, numbers, **QUICK)
    assert found.measure == "R²"
    assert found.score == 1.0
    assert found.view_scores.tolist() == [[10.0 * i, 1.0] for i in range(12)]
    assert found.carried.tolist() == ["small", *["big"] * 11]
    expected = metrics.r2_score(numbers, np.ones(12))
    assert of(found, "big").without == pytest.approx(expected)


def test_a_clusterer_is_fitted_once_and_held_to_its_own_clusters(data, y):
    found = view_contributions(Halves(), data, **QUICK)
    assert found.n_fits == 1
    assert "after a fit to all of them" in found.evaluated
    assert (found.measure, found.score) == ("adjusted Rand index", 1.0)
    own = Halves().fit(data).labels_
    quiet = (data["quiet"][:, 0] > 0).astype(int)  # the first view left without loud
    expected = metrics.adjusted_rand_score(own, quiet)
    assert of(found, "loud").without == pytest.approx(expected)
    assert of(found, "quiet").drop == 0.0
    assert view_contributions(Halves(), data, y, **QUICK).truth == "labels"


def test_a_score_without_answers_has_scores_of_views_only(y):
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(60, 1))
    views = {name: shared + 0.3 * rng.normal(size=(60, 2)) for name in ("a", "b")}
    model = CCA(1).fit(views)
    found = view_contributions(model, views, **QUICK)
    assert found.measure == "score"
    assert found.score == pytest.approx(model.score(views))
    assert all(view.loss_low > 0.2 for view in found.per_view)
    assert all(view.drop is None and view.note for view in found.per_view)
    assert found.answers is None
    assert "carried:" not in str(found)
    with pytest.raises(ValueError, match="a score and no answers for single objects"):
        found.objects_to_frame()


# -- missing views, one view, views dropped in other ways ------------------------------------------


def test_objects_with_one_view_only_are_counted_and_left_out(data, y):
    gaps = {name: np.ones(40, dtype=bool) for name in data}
    gaps["loud"][:5] = False
    gaps["quiet"][5:9] = gaps["flat"][5:9] = False
    views = Views(data, observed=gaps)
    found = view_contributions(Outspoken(LOUD).fit(data, y), views, y, **QUICK)
    assert [(v.n_objects, v.n_alone) for v in found.per_view] == [(31, 4), (36, 0), (36, 0)]
    assert set(found.carried[5:9]) == {"loud"}
    assert np.isnan(found.view_scores[:5, 0]).all()
    assert [f.kind for f in found.findings if f.views == ("loud",)] == ["needed", "alone"]


def test_a_view_that_nobody_shows_is_said_to_be_so(data, y):
    views = Views(data, observed={"quiet": np.zeros(40, dtype=bool)})
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), views, y, **QUICK)
    assert of(found, "quiet").note == "no object asked about shows it"
    assert of(found, "quiet").drop is None


def test_a_view_that_is_left_out_counts_as_unobserved(data, y):
    model = SumOfSigns(LOUD).fit(data, y)
    few = {name: data[name] for name in ("flat", "loud")}  # in another order, too
    found = view_contributions(model, few, y, **QUICK)
    assert [view.name for view in found.per_view] == ["loud", "quiet", "flat"]
    assert of(found, "quiet").n_objects == 0


def test_an_only_view_is_permuted_and_not_dropped(data, y):
    only = {"loud": data["loud"]}
    found = view_contributions(SumOfSigns(), only, y, **QUICK)
    (loud,) = found.per_view
    assert loud.loss > 0.1
    assert (loud.drop, loud.carried) == (None, 1.0)
    assert loud.note == "nothing is left without the only view"


def test_a_model_that_takes_no_gaps_is_fitted_anew_without_each_view(data, y):
    found = view_contributions(Complete(LOUD), data, y, **QUICK)
    assert found.dropping == "left out of the fit"
    assert found.n_fits == 5 + 5 * 3
    assert of(found, "loud").without == 0.5


def test_refits_keep_to_their_bound(data, y):
    found = view_contributions(Complete(LOUD), data, y, max_fits=19, **QUICK)
    assert "replaced by its mean" in found.dropping
    assert found.n_fits == 5
    few = view_contributions(SumOfSigns(LOUD), data, y, max_fits=2, **QUICK)
    assert few.n_fits == 2
    with pytest.raises(ValueError, match="drop='refit' takes 20 fits and max_fits=19; raise it"):
        view_contributions(SumOfSigns(), data, y, drop="refit", max_fits=19)


def test_a_fitted_model_that_takes_no_gaps_gets_the_mean(data, y):
    data["loud"][:, 0] += 100.0
    model = Complete(LOUD).fit(data, y)
    found = view_contributions(model, data, **QUICK)
    assert "replaced by its mean" in found.dropping
    assert of(found, "loud").drop == 0.0  # every first feature was positive and stays so
    with pytest.raises(ViewsError, match="Complete does not answer for objects that lack a view"):
        view_contributions(model, data, y, drop="unobserved")


def test_sparse_views_are_replaced_by_empty_rows(data, y):
    from scipy.sparse import csr_array

    views = {name: csr_array(matrix) for name, matrix in data.items()}
    model = SumOfSigns(LOUD).fit(views, y)
    found = view_contributions(model, views, y, drop="replace", **QUICK)
    hidden = view_contributions(model, views, y, **QUICK)
    assert [v.without for v in found.per_view] == [v.without for v in hidden.per_view]


def test_ways_to_drop_agree_where_gaps_count_as_nothing(data, y):
    ways = [
        view_contributions(SumOfSigns(LOUD), data, y, drop=way, **QUICK)
        for way in ("unobserved", "refit")
    ]
    first, second = ([(v.without, v.drop) for v in found.per_view] for found in ways)
    assert first == second


# -- rows ------------------------------------------------------------------------------------------


def test_labels_are_matched_by_id_or_refused(data, y):
    ids = [f"o{i}" for i in range(40)]
    views = Views(data, sample_ids=ids)
    model = SumOfSigns(LOUD).fit(data, y)
    shuffled = pd.Series(y, index=ids).sample(frac=1.0, random_state=0)
    found = view_contributions(model, views, shuffled, **QUICK)
    assert found.score == 1.0
    assert found.sample_ids.tolist() == ids
    with pytest.raises(ViewsError, match="lacks the object 'o1'"):
        view_contributions(model, views, shuffled.drop("o1"))
    with pytest.raises(ViewsError, match="y has 39 labels for 40 objects"):
        view_contributions(model, data, y[:39])


def test_objects_come_in_their_order_also_from_folds(data, y):
    views = Views(data, sample_ids=np.arange(100, 140))
    found = view_contributions(SumOfSigns(LOUD), views, y, **QUICK)
    assert found.sample_ids.tolist() == list(range(100, 140))
    assert (found.answers == y).all()


def test_of_many_objects_a_subset_is_asked_about_labelled_ones_first(data, y):
    partly = y.astype(object)
    partly[:30] = None
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), data, partly, max_objects=15, **QUICK)
    assert (found.n_objects, found.n_measured) == (40, 15)
    assert set(range(30, 40)) <= set(found.rows)
    unfitted = view_contributions(SumOfSigns(LOUD), data, y, max_objects=15, **QUICK)
    assert unfitted.n_measured == 15


def test_the_same_seed_gives_the_same_and_numpys_own_state_is_left_alone(data, y):
    model, views = SumOfSigns().fit(data, y), Views(data)
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (the global one is what is watched)
    first, second = (
        view_contributions(model, views, y, random_state=4, **QUICK).to_dict() for _ in range(2)
    )
    assert first == second
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_views_by_position_and_a_plain_matrix_are_those_of_the_fit(data, y):
    model = SumOfSigns(LOUD).fit(data, y)
    expected = view_contributions(model, data, y, **QUICK).to_dict()
    assert view_contributions(model, list(data.values()), y, **QUICK).to_dict() == expected
    wide = np.hstack(list(data.values()))
    assert view_contributions(model, wide, y, **QUICK).to_dict() == expected
    with pytest.raises(UnknownViewError, match="'strange' was not there in fit"):
        view_contributions(model, {"strange": data["loud"]}, y)


def test_a_pipeline_shows_the_scores_of_its_last_step(data, y):
    model = make_pipeline(PerView(StandardScaler()), Outspoken(LOUD)).fit(Views(data), y)
    found = view_contributions(model, data, y, **QUICK)
    assert found.method == "Outspoken"
    assert set(found.carried) == {"loud"}
    unfitted = view_contributions(clone(model), Views(data), y, **QUICK)
    assert set(unfitted.carried) == {"loud"}


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"y": None}, "SumOfSigns is not fitted and has no labels to learn from; give y"),
        ({"y": [None] * 40}, "y has no label at all"),
        ({"y": ["a"] + ["b"] * 39}, "two labelled objects of each class"),
        ({"n_repeats": 0}, "n_repeats=0 should be an integer"),
        ({"drop": "zero"}, "drop='zero' should be"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(data, y, arguments, sentence):
    with pytest.raises((ValueError, ParameterError), match=sentence):
        view_contributions(SumOfSigns(), data, **{"y": y, **arguments})


def test_labels_that_a_fitted_model_does_not_know_are_refused(data, y):
    model = SumOfSigns().fit(data, y)
    with pytest.raises(ValueError, match=r"none of the labels in y, such as 0, is a class of"):
        view_contributions(model, data, np.where(y == "yes", 1, 0))
    with pytest.raises(ValueError, match=r"give sklearn.base.clone\(model\)"):
        view_contributions(model, data, y, drop="refit")


def test_words_for_a_regressor_are_refused(data, y):
    with pytest.raises(ValueError, match="y holds what is no number"):
        view_contributions(CoRLSRegressor(), data, y)


def test_several_answers_for_each_object_are_refused(data, y):
    class Two(Level):
        def predict(self, X):
            return np.column_stack([super().predict(X)] * 2)

    model = Two().fit(data, np.arange(40.0))
    with pytest.raises(ValueError, match="Two gives several answers for each object"):
        view_contributions(model, data, np.arange(40.0))


# -- every estimator -------------------------------------------------------------------------------


def instance_of(kind):
    return prepared(next(iter(kind._contract_instances())))


KINDS = [kind for kind in estimators().values() if hasattr(kind, "_contract_instances")]
ANSWERING = [kind for kind in KINDS if predicts(instance_of(kind))]
SILENT = [kind for kind in KINDS if not hasattr(kind, "predict") and not hasattr(kind, "score")]


@pytest.mark.parametrize("kind", ANSWERING, ids=lambda kind: kind.__name__)
def test_every_estimator_that_predicts_has_contributions(kind):
    model = instance_of(kind)
    problem = problem_for(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", ViewsWarning)
        model.fit(*([problem.X] if problem.y is None else [problem.X, problem.y]))
        labels = None if problem.y is None else problem.new_groups
        found = view_contributions(model, problem.new, labels, n_repeats=1, n_resamples=20)
    assert [view.name for view in found.per_view] == list(problem.names)
    takes, several = model.view_tags.unobserved, len(problem.names) > 1
    way = "marked unobserved" if takes else "replaced by its mean"
    assert found.dropping.startswith(way if several else "not dropped")
    for view in found.per_view:
        assert view.n_objects == len(problem.new_groups)
        assert view.loss == pytest.approx(view.score - view.permuted)
        assert (view.drop is None) != several
        if several:
            assert view.drop == pytest.approx(view.score - view.without)
    answers = model.predict(problem.new)
    assert np.array_equal(found.answers, answers)
    assert len(found.carried) == len(answers)
    assert set(found.carried) <= {None, *problem.names}
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize("kind", SILENT, ids=lambda kind: kind.__name__)
def test_every_other_says_that_nothing_can_get_worse(kind):
    sentence = f"{kind.__name__} neither predicts nor has a score, so that nothing gets worse"
    with pytest.raises(TypeError, match=sentence):
        view_contributions(instance_of(kind), {"a": np.eye(4), "b": np.eye(4)})


def test_a_method_of_the_library_is_cross_validated():
    problem = problem_for(CoTraining())
    found = view_contributions(CoTraining(), problem.X, problem.y, **QUICK)
    assert found.n_fits == 5
    assert found.score == 1.0
    assert "view_probabilities" in found.decided_by


# -- the answer ------------------------------------------------------------------------------------


def view(**values):
    return ViewContribution("text", 100, 0, **{"score": 0.9, **values})


@pytest.mark.parametrize(
    ("found", "kinds", "sentence"),
    [
        (
            view(without=0.8, drop=0.1, drop_low=0.05, drop_high=0.15),
            ["needed"],
            "without text accuracy falls by 0.100 (0.050 to 0.150), from 0.900 to 0.800.",
        ),
        (
            view(without=0.95, drop=-0.05, drop_low=-0.08, drop_high=-0.02),
            ["harmful"],
            "without text accuracy rises by 0.050 (0.020 to 0.080), from 0.900 to 0.950: leave it "
            "out, or check it.",
        ),
        (
            view(
                without=0.9, drop=0.0, drop_low=-0.01, drop_high=0.01,
                loss=0.2, loss_low=0.1, loss_high=0.3,
            ),
            ["replaceable"],
            "the model relies on text more than it needs it: permuting it costs 0.200 (0.100 to "
            "0.300), leaving it out 0.000 (-0.010 to 0.010); the other views make up for it.",
        ),
        (  # whether it is missed is not known
            view(
                without=0.9, drop=0.05, drop_low=-0.05, drop_high=0.15,
                loss=0.2, loss_low=0.1, loss_high=0.3,
            ),
            [],
            "",
        ),
        (  # of 100 objects none got another answer, of all it may be three in a hundred
            view(
                without=0.9, drop=0.0, drop_low=0.0, drop_high=0.0,
                loss=0.05, loss_low=0.02, loss_high=0.08,
            ),
            [],
            "",
        ),
        (view(without=0.895, drop=0.005, drop_low=0.001, drop_high=0.009), [], ""),
        (view(without=0.8, drop=0.1, drop_low=-0.01, drop_high=0.2), [], ""),
        (view(loss=0.2, loss_low=0.1, loss_high=0.3), [], ""),
    ],
)  # fmt: skip
def test_findings_say_what_is_clear_and_no_more(found, kinds, sentence):
    said = list(view_findings("accuracy", found))
    assert [finding.kind for finding in said] == kinds
    assert [finding.sentence for finding in said] == ([sentence] if sentence else [])


def test_two_views_that_say_the_same_stand_in_for_each_other(y):
    sign = np.where(y == "yes", 1.0, -1.0)[:, None]
    twins = {"left": sign, "right": sign}
    found = view_contributions(SumOfSigns().fit(twins, y), twins, y, n_repeats=20)
    assert [view.drop for view in found.per_view] == [0.0, 0.0]
    assert [finding.kind for finding in found.findings] == ["replaceable"] * 2 + ["stand_in"]
    assert "none of left and right is clearly missed" in found.findings[-1].sentence


def test_it_prints_a_table_and_findings(data, y):
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), data, y, **QUICK)
    text = str(found)
    assert repr(found) == text
    assert "Contributions of 3 views to SumOfSigns: accuracy 1.000 (1.000 to 1.000)" in text
    assert "40 given objects by the fitted model" in text.replace("\n", " ")
    assert "drop: a view is marked unobserved" in text
    assert "+  without loud accuracy falls by 0.500" in text
    assert max(map(len, text.splitlines())) <= 108


def test_frames_have_a_row_for_each_view_and_object(data, y):
    views = Views(data, sample_ids=[f"o{i}" for i in range(40)])
    found = view_contributions(Outspoken(LOUD).fit(data, y), views, y, **QUICK)
    frame = found.to_frame()
    assert frame.index.tolist() == ["loud", "quiet", "flat"]
    assert frame.loc["loud", "drop"] == 0.5
    objects = found.objects_to_frame()
    assert objects.index.tolist() == views.sample_ids.tolist()
    assert objects.loc["o3", "carried"] == "loud"
    assert list(objects.columns) == ["answer", "carried", *(f"score_{name}" for name in data)]


def test_the_answer_is_frozen(data, y):
    found = view_contributions(SumOfSigns(LOUD).fit(data, y), data, y, **QUICK)
    with pytest.raises(AttributeError):
        found.measure = "luck"
