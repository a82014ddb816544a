"""Plans: what is asked first, within a budget, and what is said of what cannot be asked."""

from __future__ import annotations

import json
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from manyviews import Views
from manyviews.acquire import Action, BayesianCoTraining, Plan, plan
from manyviews.acquire.information_gain import label_gains, updated
from manyviews.acquire.plan import find_questions
from manyviews.acquire.posterior import Posterior
from manyviews.acquire.question_costs import read_costs
from manyviews.base import BaseMultiViewClassifier, ViewTags
from manyviews.exceptions import ParameterError, UnknownViewError, ViewsError

N = 40


class Ridge(BaseMultiViewClassifier):
    """Weights of whose precision everything is known: ridge, coupling, and the labels."""

    view_tags = ViewTags(unobserved=True)

    def __init__(self, coupling=0.5, smoothness=0.1):
        self.coupling = coupling
        self.smoothness = smoothness

    def fit(self, X, y):
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        n_blocks = 1 if len(self.classes_) == 2 else len(self.classes_)
        rows = self.coordinates(views)
        ends = np.cumsum([0, *(part.shape[1] for part in rows)])
        wide = np.hstack(rows)
        precision = np.eye(wide.shape[1]) + 0.25 * wide.T @ np.diag(labels.labelled * 1.0) @ wide
        mean = np.random.default_rng(0).standard_normal((n_blocks, wide.shape[1]))
        self.posterior_ = Posterior(
            mean=mean - mean.mean(axis=0) * (n_blocks > 1),
            factors=(np.linalg.cholesky(precision),) * n_blocks,
            slices=tuple(slice(a, b) for a, b in pairwise(ends)),
            coupling=self.coupling,
            smoothness=np.full(len(rows), self.smoothness),
            widths=np.ones(len(rows)),
            n_neighbors=5,
        )
        return self

    def coordinates(self, X):
        views = X if isinstance(X, Views) else Views(X)
        return [
            np.nan_to_num(np.column_stack([part, np.where(views.observed_in(name), 1.0, 0.0)]))
            for name, part in views.items()
        ]


def campaign(n_objects=N, n_classes=2, seed=0, ids=True):
    """Objects of two or three views, some of them not measured; every fourth has a label."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_objects) % n_classes
    observed = rng.random((n_objects, 2)) < 0.7
    observed[~observed.any(axis=1), 0] = True
    observed[:4] = True
    views = Views(
        {
            "radar": rng.standard_normal((n_objects, 2)) + truth[:, None],
            "camera": rng.standard_normal((n_objects, 3)) - truth[:, None],
        },
        observed=observed,
        sample_ids=[f"o{i}" for i in range(n_objects)] if ids else None,
    )
    y = np.where(np.arange(n_objects) % 4 < 2, truth, -1)
    return views, y


@pytest.fixture
def objects():
    return campaign()


@pytest.fixture
def model(objects):
    return Ridge().fit(*objects)


def questions(found):
    return [(each.kind, each.row, each.view) for each in found]


# -- what is asked ---------------------------------------------------------------------------------


def test_a_plan_asks_what_is_unknown_best_first(model, objects):
    views, y = objects
    found = plan(model, views, y, np.inf, diverse=False)
    expected = {("label", i, None) for i in np.flatnonzero(y < 0)}
    for place, name in enumerate(views.names):
        expected |= {("view", i, name) for i in np.flatnonzero(~views.observed[:, place])}
    assert set(questions(found)) == expected
    assert len(found) == found.n_candidates == len(expected)
    ratios = [each.gain_per_cost for each in found]
    assert ratios == sorted(ratios, reverse=True)
    assert min(ratios) > 0
    assert [each.sample_id for each in found] == [f"o{each.row}" for each in found]


def test_labels_are_ranked_by_equation_15(model, objects):
    views, y = objects
    found = plan(model, views, y, np.inf, kinds="label", diverse=False)
    gains = label_gains(model.posterior_, model.coordinates(views))
    for each in found:
        assert_allclose(each.gain, gains[each.row], rtol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_diverse_plan_is_the_greedy_one(n_classes):
    views, y = campaign(n_classes=n_classes)
    model = Ridge().fit(views, y)
    found = plan(model, views, y, 6)
    posterior, rows = model.posterior_, model.coordinates(views)
    costs = read_costs(None, views)
    asked = find_questions(posterior, rows, views.observed, y >= 0, costs, "conditional-mean")
    everything = np.arange(len(asked))
    left = set(everything.tolist())
    for each in found:  # without bounds: every gain is found anew after every choice
        gains = asked.gains(posterior, everything)
        best = max(left, key=lambda number: gains[number])
        assert asked.row[best] == each.row
        assert_allclose(each.gain, gains[best], rtol=1e-9)
        posterior = updated(posterior, asked.increment(posterior, best))
        left.remove(best)


def test_a_batch_does_not_ask_the_same_thing_twice():
    # three pairs of twins, in whom only one direction is unknown each; the first is the largest
    sizes = np.repeat([3.0, 2.9, 2.8], 2)
    wide = np.zeros((8, 3))
    wide[np.arange(6), np.repeat(np.arange(3), 2)] = sizes
    wide[6:] = [[0.1, 0, 0], [0, 0.1, 0]]
    views, y = Views({"only": wide, "other": np.ones((8, 1))}), np.array([-1] * 6 + [0, 1])
    model = Ridge(coupling=0.0, smoothness=0.0).fit(views, y)
    model.posterior_.mean[:] = 0.0
    asked = {
        diverse: [each.row // 2 for each in plan(model, views, y, 3, diverse=diverse)]
        for diverse in (True, False)
    }
    assert sorted(asked[True]) == [0, 1, 2]
    assert asked[False] == [0, 0, 1]


def test_gains_of_a_diverse_plan_add_up_to_the_information_of_all_of_it(model, objects):
    views, y = objects
    found = plan(model, views, y, 5, kinds="label")
    precision = model.posterior_.factors[0] @ model.posterior_.factors[0].T
    after = precision.copy()
    for each in found:
        for place, part in zip(model.posterior_.slices, model.coordinates(views), strict=True):
            row = np.zeros(len(precision))
            row[place] = part[each.row]
            p = 1 / (1 + np.exp(-model.posterior_.mean[0] @ row))
            after += p * (1 - p) * np.outer(row, row)
    ratio = np.linalg.slogdet(after)[1] - np.linalg.slogdet(precision)[1]
    assert_allclose(found.total_gain, ratio / 2, rtol=1e-9)
    assert found.total_gain < plan(model, views, y, 5, kinds="label", diverse=False).total_gain


@given(st.integers(0, 1000), st.sampled_from(["conditional-mean", "mixture"]), st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_order_of_the_objects_changes_nothing_but_the_rows(seed, expectation, diverse):
    views, y = campaign(24, seed=seed)
    order = np.random.default_rng(seed).permutation(24)
    options = {"expectation": expectation, "diverse": diverse}
    model = Ridge().fit(views, y)
    one = plan(model, views, y, 4, **options)
    other = plan(model, views[order], y[order], 4, **options)
    assert_allclose([each.gain for each in one], [each.gain for each in other], rtol=1e-6)
    for a, b in zip(one, other, strict=True):
        if a.sample_id != b.sample_id:  # equals may change places
            assert_allclose(a.gain, b.gain, rtol=1e-6)
        assert order[b.row] == int(b.sample_id[1:])


@given(st.floats(1e-3, 1e3), st.booleans())
@settings(max_examples=15, deadline=None)
def test_another_currency_changes_nothing_but_the_costs(rate, diverse):
    views, y = campaign(24)
    model = Ridge().fit(views, y)
    costs = np.random.default_rng(0).uniform(1, 5, size=24)
    one = plan(model, views, y, 9.5, {"label": costs, "view": 2.0}, diverse=diverse)
    other = plan(
        model, views, y, 9.5 * rate, {"label": costs * rate, "view": 2.0 * rate}, diverse=diverse
    )
    assert questions(one) == questions(other)
    assert_allclose(other.total_cost, one.total_cost * rate)
    assert_allclose([each.gain for each in one], [each.gain for each in other])


@given(st.integers(0, 1000), st.floats(0, 30), st.booleans())
@settings(max_examples=20, deadline=None)
def test_a_plan_stays_within_its_budget_and_asks_nothing_twice(seed, budget, diverse):
    views, y = campaign(20, seed=seed)
    costs = np.random.default_rng(seed).uniform(0, 10, size=(20, 3))
    table = {"label": costs[:, 0], "radar": costs[:, 1], "camera": costs[:, 2]}
    found = plan(Ridge().fit(views, y), views, y, budget, table, diverse=diverse)
    assert found.total_cost <= budget * (1 + 1e-6)
    assert len(set(questions(found))) == len(found)
    assert all(each.gain > 0 for each in found)


@pytest.mark.parametrize("diverse", [True, False])
def test_a_choice_is_worth_what_is_promised(diverse):
    views, y = campaign(16)
    model = Ridge().fit(views, y)
    costs = {"label": np.random.default_rng(2).uniform(1, 9, size=16)}
    budget = 12.0
    found = plan(model, views, y, budget, costs, "label", diverse=diverse)
    unlabelled = np.flatnonzero(y < 0)
    single = label_gains(model.posterior_, model.coordinates(views))
    alone = {}
    for size in range(1, len(unlabelled) + 1):
        for rows in combinations(unlabelled.tolist(), size):
            if costs["label"][list(rows)].sum() <= budget:
                alone[rows] = single[list(rows)].sum()
    if not diverse:
        assert found.total_gain >= max(alone.values()) / 2
    # sums are at least what a set tells, so that this is the harder test for the diverse plan
    assert found.total_gain >= (1 - 1 / np.e) / 2 * max(alone.values())


def test_an_expensive_question_goes_first_where_it_gains_more_than_all_others():
    wide = np.diag([20.0, 0.3, 0.3, 0.0, 0.0])
    views = Views({"only": wide, "other": np.zeros((5, 1))})
    y = np.array([-1, -1, -1, 0, 1])
    model = Ridge(coupling=0.0).fit(views, y)
    model.posterior_.mean[:] = 0.0
    costs = {"label": [100.0, 0.5, 1.0, 1.0, 1.0]}
    found = plan(model, views, y, 100.4, costs, "label")
    assert [each.row for each in found] == [0]
    assert found.notes == (
        "the first action gains more than all that its cost would buy otherwise.",
    )
    ample = plan(model, views, y, 200, costs, "label")
    assert {each.row for each in ample} == {0, 1, 2}


def test_a_bound_is_called_so(model, objects):
    views, y = objects
    found = plan(model, views, y, 3, expectation="mixture")
    assert found.is_upper_bound
    assert "at most" in str(found)
    labels = plan(model, views, y, 3, kinds="label", expectation="mixture")
    assert not labels.is_upper_bound
    assert not plan(model, views, y, 3).is_upper_bound


def test_the_bound_is_at_least_the_information_at_the_mean(model, objects):
    # at the mean nothing varies, and only the nearest neighbours count
    views, y = objects
    bound = plan(model, views, y, np.inf, kinds="view", expectation="mixture", diverse=False)
    mean = plan(model, views, y, np.inf, kinds="view", diverse=False)
    gains = {(each.row, each.view): each.gain for each in bound}
    unlabelled = [each for each in mean if y[each.row] < 0]
    assert len(unlabelled) > 5
    assert all(each.gain <= gains[each.row, each.view] + 1e-9 for each in unlabelled)


# -- costs -----------------------------------------------------------------------------------------


def test_forms_of_costs_say_the_same(model, objects):
    views, y = objects
    each = np.linspace(1, 2, N)
    forms = [
        {"label": each, "view": {"radar": 5, "camera": 2.5}},
        {"label": each, "radar": 5, "camera": 2.5},
        {"label": pd.Series(each, views.sample_ids)[::-1], "radar": 5, "camera": [2.5] * N},
        pd.DataFrame(
            {"label": each, "camera": 2.5, "radar": 5.0}, index=pd.Index(views.sample_ids)
        ).sample(frac=1, random_state=0),
    ]
    expected = np.column_stack([each, np.full(N, 5.0), np.full(N, 2.5)])
    for costs in forms:
        assert_allclose(read_costs(costs, views), expected)
    assert len({str(questions(plan(model, views, y, 9, costs))) for costs in forms}) == 1


def test_one_number_is_the_cost_of_everything_and_none_is_one(objects):
    views, _ = objects
    assert (read_costs(3, views) == 3).all()
    assert (read_costs(None, views) == 1).all()


def test_costs_of_what_is_not_asked_are_not_needed(objects):
    views, _ = objects
    found = read_costs({"label": 2}, views, ["label"])
    assert (found[:, 0] == 2).all()
    assert np.isnan(found[:, 1:]).all()


def test_costs_of_a_view_that_all_objects_show_are_not_needed(model, objects):
    views, y = objects
    shown = np.flatnonzero(views.observed_in("radar"))
    found = plan(model, views[shown], y[shown], 5, {"label": 2, "camera": 1})
    assert len(found)
    assert {each.view for each in found} <= {None, "camera"}


def test_what_has_no_cost_cannot_be_asked(model, objects):
    views, y = objects
    each = np.where(np.arange(N) % 3 == 0, np.nan, 1.0)
    found = plan(model, views, y, np.inf, {"label": each, "radar": np.nan, "camera": np.inf})
    assert {question.kind for question in found} == {"label"}
    assert {question.row for question in found} == set(np.flatnonzero((y < 0) & (each == 1)))


def test_free_questions_go_first_and_cost_nothing(model, objects):
    views, y = objects
    free = np.flatnonzero(y < 0)[[0, -1]]
    each = np.ones(N)
    each[free] = 0.0
    for diverse in (True, False):
        found = plan(model, views, y, 2, {"label": each, "view": 1}, diverse=diverse)
        assert {question.row for question in found[:2]} == set(free)
        assert len(found) == 4
        assert found[0].gain_per_cost == np.inf
        assert found.to_dict()["actions"][0]["gain_per_cost"] is None
    nothing = plan(model, views, y, 0, {"label": each, "view": 1})
    assert {question.row for question in nothing} == set(free)
    assert "free" in str(nothing)


@pytest.mark.parametrize(
    ("costs", "sentence"),
    [
        ({"label": -1, "view": 1}, "the cost of the label is -1 for the object o0; give 0 or more"),
        ({"label": 1}, "costs has no cost of the view 'radar'; give one, or NaN"),
        ({"view": 1}, r"costs has no cost of a label; give one, or kinds=\('view',\)"),
        ({"label": 1, "view": {"radar": 1}}, "costs has no cost of the view 'camera'"),
        ({"label": 1, "view": {"sonar": 1}}, "costs names the view 'sonar', which is not among"),
        ({"label": 1, "sonar": 1}, "costs names 'sonar', which is neither 'label' nor 'view'"),
        ({"label": "dear", "view": 1}, "the cost of the label should be numbers, not 'dear'"),
        ({"label": [1, 2], "view": 1}, r"the cost of the label has shape \(2,\) for 40 objects"),
        ([1.0] * N, "costs is a list of numbers, which does not say of what"),
    ],
)
def test_costs_that_make_no_sense_are_refused(model, objects, costs, sentence):
    with pytest.raises(ValueError, match=sentence):
        plan(model, *objects, 5, costs)


def test_costs_of_strangers_are_refused(model, objects):
    views, y = objects
    costs = {"label": pd.Series(np.ones(N), [f"x{i}" for i in range(N)]), "view": 1}
    with pytest.raises(ViewsError, match="the cost of the label is matched to the views by its"):
        plan(model, views, y, 5, costs)


# -- what cannot be asked --------------------------------------------------------------------------


def test_a_budget_below_the_cheapest_question_is_said(model, objects):
    found = plan(model, *objects, 0.5)
    assert len(found) == 0
    assert found.notes == ("the budget of 0.5 is below the cheapest question, which costs 1.",)
    assert str(found).startswith("An empty plan: nothing is asked, of ")
    assert found.total_cost == found.total_gain == 0


def test_nothing_left_to_ask_is_said():
    views, y = campaign(20)
    complete = views[np.flatnonzero(views.observed.all(axis=1))]
    known = np.arange(len(complete)) % 2
    model = Ridge().fit(complete, known)
    found = plan(model, complete, known, 5)
    assert found.notes == (
        "every object is labelled and every view is measured; nothing is left to ask.",
    )
    assert plan(model, complete, known, 5, kinds="view").notes == (
        "every view is measured; nothing is left to ask.",
    )
    missing = plan(model, views, y, 5, {"label": np.nan, "view": np.nan})
    assert "can be asked: it has no cost" in missing.notes[0]


def test_an_object_that_shows_nothing_can_be_measured_not_labelled(model, objects):
    views, y = objects
    observed = views.observed.copy()
    observed[[5, 7]] = False
    y = y.copy()
    y[5], y[7] = 1, -1
    hidden = Views(views, observed=observed)
    found = plan(model, hidden, y, np.inf)
    asked = {(each.row, each.view) for each in found}
    assert {(5, "radar"), (5, "camera"), (7, "radar"), (7, "camera")} <= asked
    assert (7, None) not in asked
    note = "1 object without label shows no view; a label tells nothing before one is measured."
    assert note in found.notes
    for expectation in ("conditional-mean", "mixture"):
        assert np.isfinite(plan(model, hidden, y, 9, expectation=expectation).total_gain)


def test_few_objects_that_show_both_views_are_said(model):
    views, y = campaign(20)
    observed = np.zeros((20, 2), dtype=bool)
    observed[:10, 0] = observed[10:, 1] = True
    found = plan(model, Views(views, observed=observed), y, 3)
    assert [note.split(",")[0] for note in found.notes[:2]] == [
        "only 0 objects show 'radar' together with another view",
        "only 0 objects show 'camera' together with another view",
    ]


@pytest.mark.parametrize("n_objects", [0, 1])
def test_a_plan_for_none_and_for_one(model, objects, n_objects):
    views, y = objects
    chosen = np.flatnonzero(y < 0)[:n_objects]
    found = plan(model, views[chosen], y[chosen], 5, kinds="label")
    assert len(found) == n_objects
    if not n_objects:
        assert found.notes == ("there are no objects.",)
        assert json.dumps(found.to_dict())


def test_a_hundred_thousand_candidates(model):
    rng = np.random.default_rng(0)
    many = Views({"radar": rng.standard_normal((100_000, 2)), "camera": np.ones((100_000, 3))})
    found = plan(model, many, np.full(100_000, -1), 7)
    assert found.n_candidates == 100_000
    assert len(found) == 7


# -- the model -------------------------------------------------------------------------------------


def test_a_model_that_is_not_fitted_is_copied_and_fitted(objects):
    model = Ridge()
    found = plan(model, *objects, 4)
    assert not hasattr(model, "posterior_")
    assert found.notes[0] == "the model was not fitted; a copy was, to these objects."
    assert found.actions == plan(Ridge().fit(*objects), *objects, 4).actions


@pytest.mark.parametrize("model", [LogisticRegression(), Ridge, None])
def test_a_model_without_a_posterior_is_refused(objects, model):
    with pytest.raises(TypeError, match="plan asks a model for the posterior of its weights"):
        plan(model, *objects, 4)


def test_objects_are_matched_by_layout_and_labels_by_id(model, objects):
    views, y = objects
    one = plan(model, views, y, 6)
    turned = Views(
        {"camera": views["camera"], "radar": views["radar"]},
        observed={name: views.observed_in(name) for name in views.names},
        sample_ids=views.sample_ids,
    )
    labels = pd.Series(y, views.sample_ids).sample(frac=1, random_state=1)
    assert questions(plan(model, turned, labels, 6)) == questions(one)
    with pytest.raises(UnknownViewError, match="'sonar' was not there in fit"):
        plan(model, {"sonar": np.ones((N, 2))}, y, 6)


def test_views_that_nobody_measured_yet_can_be_left_out(model, objects):
    views, y = objects
    seen = views.observed_in("radar")
    found = plan(model, views.subset(["radar"]), y, np.inf, kinds="view")
    rows = {each.row for each in found if each.view == "camera"}
    # nobody shows a camera: it would tie the radar to something, or learn from a label, or nothing
    assert rows == set(np.flatnonzero(seen | (y >= 0)))
    assert {each.row for each in found if each.view == "radar"} == set(np.flatnonzero(~seen))


@pytest.mark.parametrize("expectation", ["conditional-mean", "mixture"])
def test_a_view_of_which_the_model_knows_no_feature_is_not_asked_for(objects, expectation):
    views, y = objects
    wider = {**dict(views.items()), "sonar": None}
    found = plan(BayesianCoTraining(), wider, y, np.inf, expectation=expectation)
    assert {each.view for each in found} == {None, "radar", "camera"}


def test_no_labels_at_all_are_all_unknown(model, objects):
    views, _ = objects
    assert plan(model, views, None, np.inf, kinds="label").n_candidates == N


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"budget": -1}, "budget=-1 should be a number"),
        ({"budget": np.nan}, "budget=nan should be a number"),
        ({"kinds": "labels"}, "kinds='labels' should be 'label', or 'view'"),
        ({"expectation": "mean"}, "expectation='mean' should be"),
        ({"diverse": 3}, "diverse=3 should be"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(model, objects, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        plan(model, *objects, **{"budget": 5, **options})
    with pytest.raises(ValueError, match="kinds is empty"):
        plan(model, *objects, 5, kinds=())


def test_a_label_that_was_not_there_in_fit_is_refused(model, objects):
    views, y = objects
    with pytest.raises(ValueError, match="the label 7 was not there in fit"):
        plan(model, views, np.where(y == 1, 7, y), 5)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_neighbors", [10, None])
@pytest.mark.parametrize("expectation", ["conditional-mean", "mixture"])
def test_the_first_action_tells_what_its_determinants_tell(n_classes, n_neighbors, expectation):
    views, y = campaign(60, n_classes)
    model = BayesianCoTraining(n_neighbors=n_neighbors).fit(views, y)
    posterior = model.posterior_
    costs = read_costs(None, views)
    asked = find_questions(
        posterior, model.coordinates(views), views.observed, y >= 0, costs, expectation
    )
    gains = asked.gains(posterior, np.arange(len(asked)))
    assert (gains > 0).all()
    found = plan(model, views, y, 1, expectation=expectation)
    assert found[0].gain == pytest.approx(gains.max())
    if n_classes > 2:  # of labels the classes are coupled; others are told block by block
        asked_of = np.flatnonzero((asked.view >= 0) & (y[asked.row] < 0))
    else:
        asked_of = np.arange(len(asked))
    for number in asked_of[:: max(len(asked_of) // 8, 1)]:
        more = asked.increment(posterior, int(number))
        ratio = [
            np.linalg.slogdet(factor @ factor.T + increment)[1]
            - np.linalg.slogdet(factor @ factor.T)[1]
            for factor, increment in zip(posterior.factors, more, strict=True)
        ]
        assert_allclose(gains[number], sum(ratio) / 2, rtol=1e-6, atol=1e-10)


def test_one_class_among_the_labels_is_refused_by_the_model(objects):
    views, y = objects
    with pytest.raises(ValueError, match="y has one class only"):
        plan(BayesianCoTraining(), views, np.where(y == 1, -1, y), 5)
    with pytest.raises(ValueError, match="no object is labelled"):
        plan(BayesianCoTraining(), views, np.full(N, -1), 5)


# -- how it prints ---------------------------------------------------------------------------------


def test_a_plan_is_a_sequence_a_table_and_json(model, objects):
    found = plan(model, *objects, 30, {"label": 1, "view": 2})
    assert isinstance(found, Plan)
    assert isinstance(found[0], Action)
    assert list(found) == list(found.actions)
    frame = found.to_frame()
    assert frame.index.tolist() == list(range(1, len(found) + 1))
    assert frame["gain"].sum() == pytest.approx(found.total_gain)
    assert json.loads(json.dumps(found.to_dict()))["total_cost"] == found.total_cost
    lines = str(found).splitlines()
    assert lines[0].endswith(f"at a cost of {found.total_cost:g} within a budget of 30")
    assert lines[2].split() == ["rank", "object", "question", "gain", "cost", "gain/cost"]
    assert lines[3].split()[0] == "1"
    if len(found) > 20:
        assert lines[23] == f"… and {len(found) - 20} more"
    verbs = {"label": "ask for the label of ", "view": "measure view "}
    assert all(str(each).startswith(verbs[each.kind]) for each in found)


def test_without_ids_objects_go_by_their_rows():
    views, y = campaign(ids=False)
    found = plan(Ridge().fit(views, y), views, y, 3)
    assert [each.sample_id for each in found] == [each.row for each in found]
