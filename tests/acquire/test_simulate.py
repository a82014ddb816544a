"""Whether choosing pays: runs from the same starts, their state on disk, and what is said."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from manyviews import MergeViews, Views
from manyviews.acquire import BayesianCoTraining, LearningCurve, LearningCurves, plan, simulate
from manyviews.acquire.campaign import read_campaign
from manyviews.acquire.learning_curves import first_cost
from manyviews.acquire.simulate import draw_start, hide, per_cost
from manyviews.compose import LabelledOnly
from manyviews.datasets import make_correlated_views
from manyviews.exceptions import FileFormatError, ParameterError, ViewsError
from manyviews.semi_supervised import CoEMClassifier, CoRLS, CoTraining


@pytest.fixture(scope="module")
def data():
    return make_correlated_views(rho=0.3, n_objects=80, random_state=1)


FAST = LabelledOnly(make_pipeline(MergeViews(), GaussianNB()))


def numbers(curves):
    found = curves.to_dict()
    return found["curves"]


# -- what a run does -------------------------------------------------------------------------------


def test_all_criteria_start_alike_and_each_label_is_asked_once(data):
    views, y = data
    curves = simulate(FAST, views, y, ["margin", "entropy"], budget=20, batch=3, seeds=3)
    assert curves.criteria == ("margin", "entropy", "random")
    for seed in curves.seeds:
        own = [curve for curve in curves.curves if curve.seed == seed]
        assert len({(curve.score[0], curve.n_labels[0]) for curve in own}) == 1
        for curve in own:
            rows = [action.row for action in curve.actions]
            assert len(set(rows)) == len(rows) == 20
            assert curve.n_labels.tolist() == [4, 7, 10, 13, 16, 19, 22, 24]
            assert curve.cost.tolist() == [0, 3, 6, 9, 12, 15, 18, 20]
            assert (curve.n_measured == 0).all()


def test_a_run_is_what_its_steps_are_by_hand(data):
    views, y = data
    model = make_pipeline(MergeViews(), LogisticRegression(C=0.1))
    curves = simulate(model, views, y, "margin", budget=4, batch=2, seeds=[5], test_size=0.25)
    curve = curves.curves[0]
    asked = [action.row for action in curve.actions]
    assert curves.method == "LogisticRegression"
    held_out = simulate(
        model, views, y, "margin", budget=4, seeds=[5], test_size=0.25,
        scoring=lambda model, views, y: len(y),
    ).curves[0].score[0]  # fmt: skip
    assert held_out == 20
    assert "20 objects held out" in curves.evaluation
    # the first batch has the narrowest margins of what is neither labelled nor held out
    everything = simulate(model, views, y, "margin", budget=99, seeds=[5], test_size=0.25).curves[0]
    pool = {action.row for action in everything.actions}
    assert len(pool) == 80 - 20 - 4
    start = labelled_at_start(model, views, y, seed=5)
    fitted = model.fit(views[start], y[start])
    rest = np.array(sorted(pool))
    sureness = np.abs(np.diff(fitted.predict_proba(views[rest]), axis=1))[:, 0]
    assert set(rest[np.argsort(sureness)[:2]].tolist()) == set(asked[:2])


def labelled_at_start(model, views, y, seed):
    """Rows labelled at the start, as a model sees them."""
    seen = []

    class Spy(type(model)):
        def fit(self, X, y=None, **more):
            seen.append(X)
            return super().fit(X, y, **more)

    simulate(Spy(model.steps), views, y, "random", budget=1, seeds=[seed], test_size=0.25)
    wide = np.asarray(views)
    return [int(np.flatnonzero((wide == row).all(axis=1))[0]) for row in np.asarray(seen[0])]


def test_a_criterion_that_scores_all_alike_differs_from_random_by_chance_only(data):
    views, y = data

    def indifferent(model, views):
        return np.zeros(len(views))

    curves = simulate(FAST, views, y, indifferent, budget=10, seeds=2)
    own = [curve for curve in curves.curves if curve.criterion == "indifferent"]
    assert len({action.row for curve in own for action in curve.actions}) > 10


@pytest.mark.parametrize("model", [CoTraining(), CoEMClassifier(), CoRLS()])
@pytest.mark.parametrize("evaluation", ["inductive", "transductive"])
def test_any_classifier_with_views_is_simulated_and_repeats(model, evaluation, data):
    views, y = data
    options = {"budget": 4, "batch": 2, "seeds": 1, "evaluation": evaluation}
    first, second = (
        simulate(model, views, y, "aggressive_contention", **options) for _ in range(2)
    )
    assert numbers(first) == numbers(second)
    assert all(0 <= score <= 1 for curve in first.curves for score in curve.score)


def test_transductive_scores_are_of_all_that_had_no_label_at_the_start(data):
    views, y = data
    curves = simulate(
        FAST, views, y, budget=6, batch=3, seeds=1, evaluation="transductive",
        scoring=lambda model, views, y: len(y),
    )  # fmt: skip
    assert curves.curves[0].score.tolist() == [76, 76, 76]
    assert "the 76 objects of the pool without a label at the start" in str(curves).replace(
        "\n", " "
    )


def test_jobs_side_by_side_change_nothing(data):
    views, y = data
    with parallel_config("threading"):  # processes would take seconds to start
        one, two = (simulate(FAST, views, y, budget=4, seeds=2, n_jobs=n) for n in (1, 2))
    assert numbers(one) == numbers(two)


def test_more_seeds_or_criteria_leave_the_others_as_they_are(data):
    views, y = data
    few = simulate(FAST, views, y, "margin", budget=4, seeds=[2])
    more = simulate(FAST, views, y, ["entropy", "margin"], budget=4, seeds=[0, 2])
    found = [curve for curve in numbers(more) if curve["seed"] == 2]
    assert [c for c in found if c["criterion"] != "entropy"] == numbers(few)


# -- costs and views -------------------------------------------------------------------------------


def test_the_budget_is_kept_and_cheap_labels_come_first(data):
    views, y = data
    costs = np.where(np.arange(80) % 2, 1.0, 50.0)
    curves = simulate(FAST, views, y, "entropy", budget=7.5, seeds=3, costs={"label": costs})
    for curve in curves.curves:
        assert curve.cost[-1] <= 7.5
        assert all(action.row % 2 for action in curve.actions)


def test_tenths_add_up_to_the_budget(data):
    views, y = data
    curves = simulate(FAST, views, y, budget=0.3, seeds=1, costs={"label": 0.1})
    assert curves.curves[0].n_labels[-1] == 4 + 3


def test_free_actions_end_when_there_are_none_left(data):
    views, y = data
    curves = simulate(FAST, views, y, budget=0, batch=40, seeds=1, costs={"label": 0})
    assert len(curves.curves[0].actions) == 80 - 24 - 4
    assert curves.curves[0].cost.tolist() == [0, 0, 0]
    assert math.isfinite(curves.lead("entropy").difference)


def test_what_has_no_cost_is_not_asked(data):
    views, y = data
    costs = np.where(np.arange(80) < 40, 1.0, np.nan)
    curves = simulate(FAST, views, y, budget=100, batch=10, seeds=1, costs={"label": costs})
    assert all(action.row < 40 for curve in curves.curves for action in curve.actions)
    assert len({len(curve.actions) for curve in curves.curves}) == 1


def test_hidden_views_are_measured_one_by_one(data):
    views, y = data
    costs = {"label": 1, "first": 0.5, "second": 0.25}
    curves = simulate(
        CoRLS(), views, y, "random", budget=12, batch=4, seeds=2, costs=costs,
        kinds=("label", "view"), hidden=0.5,
    )  # fmt: skip
    price = {"first": 0.5, "second": 0.25, None: 1.0}
    for curve in curves.curves:
        measured = [action for action in curve.actions if action.kind == "view"]
        assert measured
        assert curve.n_measured[-1] == len(measured)
        assert len({(a.row, a.view) for a in curve.actions}) == len(curve.actions)
        assert all(action.cost == price[action.view] for action in curve.actions)
        assert curve.cost[-1] == pytest.approx(sum(a.cost for a in curve.actions))


def test_views_alone_can_be_asked_for_and_end_when_all_are_seen(data):
    views, y = data
    hidden = np.zeros((80, 2), dtype=bool)
    hidden[:6, 1] = True
    curves = simulate(
        CoRLS(), views, y, "random", budget=50, seeds=1, kinds="view", hidden=hidden,
        evaluation="transductive",
    )  # fmt: skip
    actions = curves.curves[0].actions
    assert {(action.row, action.view) for action in actions} == {(i, "second") for i in range(6)}


def test_what_was_never_observed_cannot_be_measured(data):
    views, y = data
    seen = views.observed.copy()
    seen[:40, 0] = False
    curves = simulate(
        CoRLS(), views.with_observed(seen), y, "random", budget=500, batch=20, seeds=1,
        kinds=["view"], hidden=0.4,
    )  # fmt: skip
    measured = curves.curves[0].actions
    assert measured
    assert all(action.row >= 40 for action in measured if action.view == "first")


def test_the_information_gain_asks_what_a_plan_says(data):
    views, y = data
    seconds = np.where(np.arange(80) < 50, 0.5, np.nan)
    costs = {"label": 2.0, "view": {"first": 0.5, "second": seconds}}
    campaign = read_campaign(
        BayesianCoTraining(), views, y, costs, ("label", "view"), 0.5, budget=6.0, batch=3,
        start=3, evaluation="inductive", test_size=0.3, scoring="accuracy",
    )  # fmt: skip
    start = draw_start(campaign, 7)
    shown = views.with_observed(start.known.observed)[start.pool]
    known = np.where(start.known.labelled, y, -1)[start.pool]
    model = BayesianCoTraining().fit(shown, known)
    price = {"label": 2.0, "view": {"first": 0.5, "second": seconds[start.pool]}}
    expected = plan(model, shown, known, 6.0, price)[:3]
    curves = simulate(
        BayesianCoTraining(), views, y, "information_gain", budget=6.0, batch=3, seeds=[7], start=3,
        costs=costs, kinds=("label", "view"), hidden=0.5,
    )  # fmt: skip
    first = [a for a in curves.curves[0].actions if a.step == 1]
    assert [(a.kind, a.row, a.view) for a in first] == [
        (a.kind, int(start.pool[a.row]), a.view) for a in expected
    ]
    assert curves.curves[0].cost[-1] <= 6
    assert all(a.row < 50 for c in curves.curves for a in c.actions if a.view == "second")


def test_the_information_gain_needs_a_model_that_has_a_posterior(data):
    with pytest.raises(TypeError, match="plan asks a model for the posterior of its weights"):
        simulate(CoRLS(), *data, "information_gain", budget=2, seeds=1)


@given(share=st.floats(0, 1), n_views=st.integers(1, 4), seed=st.integers(0, 1000))
def test_hiding_leaves_each_object_a_view_and_shows_nothing_new(share, n_views, seed):
    rng = np.random.default_rng(seed)
    observed = rng.random((30, n_views)) < 0.7
    observed[~observed.any(axis=1), 0] = True
    shown = hide(observed, share, rng)
    assert shown.any(axis=1).all()
    assert not (shown & ~observed).any()
    if share == 0:
        assert (shown == observed).all()


@given(scores=st.lists(st.floats(-5, 5), min_size=1, max_size=20), price=st.floats(0.1, 10))
def test_at_one_price_for_all_the_order_is_that_of_the_scores(scores, price):
    worth = per_cost(np.array(scores), np.full(len(scores), price))
    order = np.argsort(worth, kind="stable")
    assert (np.diff(np.array(scores)[order]) >= -1e-12).all()


# -- labels as they come ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["str", "object", "bool", "float"])
def test_labels_may_be_of_any_type(kind, data):
    views, y = data
    expected = simulate(FAST, views, y, budget=3, seeds=1)
    spelt = {
        "str": np.where(y == 0, "a", "b"),
        "object": np.array(["a", "b"], dtype=object)[y],
        "bool": y.astype(bool),
        "float": y + 0.5,
    }[kind]
    assert numbers(simulate(FAST, views, spelt, budget=3, seeds=1)) == numbers(expected)


def test_labels_and_costs_are_matched_by_id(data):
    pandas = pytest.importorskip("pandas")
    views, y = data
    ids = [f"P{row}" for row in range(80)]
    costs = pandas.Series(np.arange(80) / 50 + 1, index=ids)
    options = {"budget": 5, "batch": 2, "seeds": 1}
    expected = simulate(FAST, views, y, costs={"label": costs.to_numpy()}, **options)
    found = simulate(
        FAST,
        Views(views, sample_ids=ids),
        pandas.Series(y, index=ids).iloc[::-1],
        costs={"label": costs.sample(frac=1, random_state=0)},
        **options,
    )
    assert numbers(found) == numbers(expected)


def test_unlabelled_objects_are_learnt_from_and_never_asked(data):
    views, y = data
    partly = np.where(np.arange(80) < 50, y, -1)
    curves = simulate(CoRLS(), views, partly, budget=100, batch=10, seeds=1)
    assert max(action.row for action in curves.curves[0].actions) < 50


def test_objects_that_no_view_shows_are_left_out_and_rows_stay_those_given(data):
    views, y = data
    seen = views.observed.copy()
    seen[:10] = False
    curves = simulate(CoRLS(), views.with_observed(seen), y, budget=100, batch=10, seeds=1)
    rows = [action.row for action in curves.curves[0].actions]
    assert curves.n_objects == 70
    assert min(rows) >= 10
    assert max(rows) > 70


def test_without_a_limit_everything_is_asked(data):
    curves = simulate(FAST, *data, "margin", budget=np.inf, batch=20, seeds=1)
    assert curves.curves[0].n_labels.tolist() == [4, 24, 44, 56]


def test_a_batch_larger_than_the_pool_takes_what_is_left(data):
    views, y = data
    curves = simulate(FAST, views, y, budget=1000, batch=1000, seeds=1)
    assert curves.curves[0].n_labels.tolist() == [4, 56]


# -- what is refused -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"criterion": "entropie"}, ParameterError, "criterion='entropie' is not known"),
        ({"criterion": ["margin", "margin"]}, ParameterError, "names one twice"),
        ({"criterion": 3}, ParameterError, "criterion=3 should be"),
        ({"budget": 0.5}, ValueError, "budget=0.5 is below the cheapest action, which costs 1"),
        ({"scoring": "r3"}, ParameterError, "scoring='r3' is no name of scikit-learn's"),
        ({"scoring": 3}, ParameterError, "scoring=3 should be"),
        ({"budget": -1}, ParameterError, "budget=-1 should be"),
        ({"batch": 0}, ParameterError, "batch=0 should be"),
        ({"seeds": []}, ParameterError, "at least one"),
        ({"seeds": [1, 1]}, ParameterError, "each once"),
        ({"seeds": 0}, ParameterError, "seeds=0 should be"),
        ({"test_size": 1.0}, ParameterError, "test_size=1.0 should be"),
        ({"evaluation": "both"}, ParameterError, "evaluation='both' should be"),
        ({"kinds": ("labels",)}, ParameterError, "some of 'label' and 'view'"),
        ({"kinds": ("view",)}, ValueError, "nothing is left to ask about at the start"),
        ({"costs": {"label": -1}}, ValueError, "the cost of the label is -1"),
        ({"costs": {"labels": 1}}, ValueError, "neither 'label' nor 'view'"),
        ({"costs": {"first": 1}}, ValueError, "costs has no cost of a label"),
        ({"costs": {"label": np.nan}}, ValueError, "nothing is left to ask about"),
        ({"costs": {"label": [1, 2]}}, ValueError, "for 80 objects"),
        ({"hidden": 2.0}, ParameterError, "hidden=2.0 should be"),
        (
            {"hidden": np.ones((80, 2), dtype=bool)},
            ViewsError,
            "hides all views of the object in row 0",
        ),
        ({"hidden": np.ones((3, 2), dtype=bool)}, ViewsError, "hidden has the shape"),
        ({"start": 79}, ValueError, "no labelled object is left to score"),
        ({"y": np.zeros(80, dtype=int)}, ValueError, "y has labels of 1 class among"),
        ({"y": np.full(80, -1)}, ValueError, "y has labels of 0 classes"),
        ({"y": [0, 1]}, ValueError, "2 labels for 80 objects"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(options, error, message, data):
    views, y = data
    given = {"criterion": "entropy", "y": y, "budget": 5, "seeds": 1, **options}
    with pytest.raises(error, match=message):
        simulate(FAST, views, **given)


def test_only_classifiers_are_simulated(data):
    from manyviews.cluster import MultiViewDBSCAN

    with pytest.raises(TypeError, match="MultiViewDBSCAN is no classifier"):
        simulate(MultiViewDBSCAN(), *data)


class Moody(GaussianNB):
    """Fails once it has so many labels."""

    def fit(self, X, y):
        if len(y) >= 7:
            raise ValueError("no more, please.")
        return super().fit(X, y)


def test_a_fit_that_fails_says_where(data):
    views, y = data
    model = make_pipeline(MergeViews(), Moody())
    message = (
        r"^Moody could not be fitted at step 3 of entropy with seed 4, from 7 labels \(ValueError: "
        r"no more, please\)\.$"
    )
    with pytest.raises(RuntimeError, match=message):
        simulate(model, views, y, budget=9, seeds=[4])


def test_a_score_that_fails_says_where(data):
    with pytest.raises(RuntimeError, match="could not be scored at step 0 of entropy with seed 0"):
        simulate(FAST, *data, budget=3, seeds=1, scoring=lambda model, views, y: model.gone)


# -- the state on disk -----------------------------------------------------------------------------


def test_a_run_goes_on_where_it_was_stopped_and_fits_nothing_again(data, tmp_path):
    views, y = data
    folder = tmp_path / "state"
    model = make_pipeline(MergeViews(), Moody())
    with pytest.raises(RuntimeError, match="step 3"):
        simulate(model, views, y, budget=5, seeds=1, path=folder)
    assert len(json.loads((folder / "entropy-seed-0.json").read_text())["steps"]) == 3
    whole = simulate(make_pipeline(MergeViews(), GaussianNB()), views, y, budget=5, seeds=1)
    fits = []
    calm = Moody.fit
    try:
        Moody.fit = lambda self, X, y: (fits.append(len(y)), GaussianNB.fit(self, X, y))[1]
        resumed = simulate(model, views, y, budget=5, seeds=1, path=folder)
        assert fits[:4] == [6, 7, 8, 9]
        fits.clear()
        again = simulate(model, views, y, budget=5, seeds=1, path=folder)
        assert fits == []
    finally:
        Moody.fit = calm
    assert numbers(resumed) == numbers(again) == numbers(whole)


def test_seeds_and_criteria_may_be_added(data, tmp_path):
    views, y = data
    options = {"budget": 4, "path": tmp_path / "state"}
    simulate(FAST, views, y, "margin", seeds=1, **options)
    more = simulate(FAST, views, y, ["margin", "entropy"], seeds=2, **options)
    fresh = simulate(FAST, views, y, ["margin", "entropy"], seeds=2, budget=4)
    assert numbers(more) == numbers(fresh)
    assert len(list((tmp_path / "state").glob("*-seed-*.json"))) == 6


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"budget": 5}, r"budget is 4\.0, not 5\.0"),
        ({"batch": 2}, "batch is 1, not 2"),
        ({"start": 3}, "start is 2, not 3"),
        ({"evaluation": "transductive"}, "evaluation is 'inductive', not 'transductive'"),
        ({"scoring": "f1_macro"}, "scoring is 'accuracy', not 'f1_macro'"),
        ({"costs": {"label": 2}}, "costs is"),
        ({"hidden": 0.1}, "hidden is"),
        ({"model": CoRLS()}, "model differs"),
        (
            {"model": LabelledOnly(make_pipeline(MergeViews(), GaussianNB(var_smoothing=1)))},
            "model",
        ),
        ({"y": "flipped"}, "data is"),
        ({"views": "moved"}, "data is"),
    ],
)
def test_a_folder_of_another_simulation_is_refused(change, what, data, tmp_path):
    views, y = data
    folder = tmp_path / "state"
    simulate(FAST, views, y, budget=4, seeds=1, path=folder)
    if change.get("y") is not None:
        change = {"y": 1 - y}
    if change.get("views") is not None:
        change = {"views": Views({name: matrix + 1e-9 for name, matrix in views.items()})}
    given = {"model": FAST, "views": views, "y": y, "budget": 4, **change}
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(ValueError, match=f"holds another simulation, whose {what}"):
        simulate(**given, seeds=1, path=folder)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_folder_of_something_else_is_refused(data, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match="holds no simulation"):
        simulate(FAST, *data, budget=4, seeds=1, path=tmp_path)
    with pytest.raises(FileNotFoundError, match="no folder"):
        simulate(FAST, *data, budget=4, seeds=1, path=tmp_path / "no" / "such")
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]


@pytest.mark.parametrize("content", ["", "[]", "{", '{"key": 1}', "\udcff"])
def test_a_damaged_file_is_named(content, data, tmp_path):
    folder = tmp_path / "state"
    simulate(FAST, *data, budget=4, seeds=1, path=folder)
    file = folder / "entropy-seed-0.json"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileFormatError, match=r"entropy-seed-0\.json is damaged; remove it"):
        simulate(FAST, *data, budget=4, seeds=1, path=folder)


def test_a_function_that_has_changed_since_is_noticed(data, tmp_path):
    options = {"budget": 4, "seeds": 1, "path": tmp_path / "state"}

    def mine(model, views):
        return views["first"][:, 0]

    simulate(FAST, *data, mine, **options)
    simulate(FAST, *data, mine, **options)

    def mine(model, views):
        return views["first"][:, 0] ** 2

    with pytest.raises(FileFormatError, match=r"mine-seed-0\.json is of another simulation"):
        simulate(FAST, *data, mine, **options)


def test_a_file_of_another_run_is_refused(data, tmp_path):
    folder = tmp_path / "state"
    simulate(FAST, *data, budget=4, seeds=2, path=folder)
    (folder / "entropy-seed-1.json").write_bytes((folder / "entropy-seed-0.json").read_bytes())
    with pytest.raises(FileFormatError, match="is of another simulation"):
        simulate(FAST, *data, budget=4, seeds=2, path=folder)


@pytest.fixture(scope="module")
def survived(tmp_path_factory):
    """What a process found that forked all simulations, which saves them their imports."""
    if not hasattr(os, "fork"):
        pytest.skip("needs processes that fork")
    script = Path(__file__).with_name("killed_simulation.py")
    folder = tmp_path_factory.mktemp("killed")
    words = [sys.executable, "-W", "ignore", str(script), str(folder), "8"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_killed_and_called_again_it_gives_the_same_curves(survived):
    assert survived["same"]
    assert survived["same_files"]
    assert survived["partial"] >= 6  # so many deaths left something to go on from


def test_no_action_is_lost_or_repeated(survived):
    assert survived["prefixes"]
    assert survived["repeated"] == 0
    assert survived["n_actions"] > 20


def test_nothing_hidden_is_left_behind(survived):
    assert survived["litter"] == []


# -- what is said of the curves --------------------------------------------------------------------


def curve(criterion, seed, cost, score):
    n = np.arange(len(cost))
    return LearningCurve(
        criterion, seed, np.array(cost, float), n, 0 * n, np.array(score, float), ()
    )


def made(*curves):
    return LearningCurves(
        curves, method="Model", measure="accuracy", evaluation="9 objects held out", budget=4.0,
        batch=1, kinds=("label",), n_objects=30, n_start=4,
    )  # fmt: skip


def test_the_lead_is_the_area_between_steps():
    found = made(
        curve("entropy", 0, [0, 1, 4], [0.5, 0.8, 0.9]),
        curve("random", 0, [0, 2, 4], [0.5, 0.6, 0.7]),
        curve("entropy", 1, [0, 1, 4], [0.5, 0.6, 0.9]),
        curve("random", 1, [0, 2, 4], [0.5, 0.6, 0.7]),
    )
    # by hand: (0 + 0.3 + 0.2 + 0.2) / 4 and (0 + 0.1 + 0 + 0) / 4
    lead = found.lead("entropy")
    assert lead.difference == pytest.approx((0.7 + 0.1) / 8)
    half = 12.706204736432095 * np.std([0.175, 0.025], ddof=1) / math.sqrt(2)
    assert (lead.low, lead.high) == pytest.approx((0.1 - half, 0.1 + half))
    assert lead.verdict == "not told apart"
    assert "cannot be told from random" in found.sentence("entropy")


def test_what_reaching_a_level_costs():
    found = made(
        *(curve("entropy", seed, [0, 1, 2, 3], [0.5, 0.8, 0.8, 0.9]) for seed in range(3)),
        *(curve("random", seed, [0, 1, 2, 3], [0.5, 0.5, 0.6, 0.8]) for seed in range(3)),
    )
    saving = found.saving("entropy")
    assert saving.level == pytest.approx(0.8)
    assert (saving.cost, saving.random_cost, saving.saved) == (1, 3, 2)
    assert (saving.low, saving.high) == (2, 2)
    assert found.saving("entropy", 0.95).cost is None
    assert found.saving("entropy", 0.9).random_cost is None
    assert found.saving("entropy", 0.9).saved is None
    assert found.lead("entropy").verdict == "better"
    assert found.sentence("entropy") == (
        "entropy is better than random: accuracy +0.167 (+0.167 to +0.167) in the mean over a cost "
        "of 3, 3 paired seeds; it reaches the 0.800 that random ends with at a cost of 1, "
        "random at 3."
    )


def test_worse_than_random_is_said_too():
    found = made(
        *(curve("margin", seed, [0, 1, 2], [0.5, 0.5, 0.6]) for seed in range(3)),
        *(curve("random", seed, [0, 1, 2], [0.5, 0.7, 0.8]) for seed in range(3)),
    )
    assert "margin is worse than random" in str(found)
    assert "it does not reach the 0.800 that random ends with" in found.sentence("margin")


def test_a_single_seed_tells_nothing_of_chance():
    found = made(curve("margin", 0, [0, 1], [0.5, 0.9]), curve("random", 0, [0, 1], [0.5, 0.7]))
    assert found.lead("margin").low is None
    assert "a single seed" in found.sentence("margin")
    assert found.band("margin")[1].tolist() == [0, 0]


@given(scores=st.lists(st.integers(0, 10), min_size=1, max_size=10), level=st.integers(0, 11))
def test_the_first_cost_is_the_first(scores, level):
    expected = next((float(i) for i, score in enumerate(scores) if score >= level), None)
    assert first_cost(np.array(scores, float), np.arange(len(scores)) * 1.0, level) == expected


def test_curves_hold_their_score_until_the_next_step():
    found = curve("margin", 0, [0, 2, 2, 5], [0.1, 0.2, 0.3, 0.4])
    assert found.at(np.array([0, 1.9, 2, 4, 5, 9])).tolist() == [0.1, 0.1, 0.3, 0.3, 0.4, 0.4]


def test_curves_as_frame_and_as_plain_types(data):
    views, y = data
    curves = simulate(FAST, views, y, ["margin", "entropy"], budget=4, batch=2, seeds=2)
    frame = curves.to_frame()
    assert list(frame.columns) == [
        "criterion", "seed", "step", "cost", "n_labels", "n_measured", "score",
    ]  # fmt: skip
    assert len(frame) == 3 * 2 * 3
    plain = json.loads(json.dumps(curves.to_dict()))
    assert [each["criterion"] for each in plain["lead"]] == ["margin", "entropy"]
    assert len(plain["curves"]) == 6
    assert len(plain["curves"][0]["actions"]) == 4
    with pytest.raises(ValueError, match="no curve of 'kl_to_mean'; there are margin"):
        curves.scores("kl_to_mean")
    text = str(curves)
    assert text.startswith(
        "Learning curves of LabelledOnly: accuracy on 24 objects held out, 2 seeds"
    )
    assert max(map(len, text.splitlines())) <= 100


def test_choosing_pays_where_a_boundary_is_sought():
    """The textbook's case: the margin halves the interval that a threshold may lie in."""
    x = np.random.default_rng(0).uniform(-1, 1, size=(200, 1))
    views = Views({"plain": x, "bent": x**3})
    model = LabelledOnly(make_pipeline(MergeViews(), LogisticRegression(C=1000.0)))
    curves = simulate(model, views, (x[:, 0] > 0.3).astype(int), "margin", budget=8, seeds=12)
    assert curves.lead("margin").verdict == "better"
    assert curves.saving("margin").cost < curves.saving("margin").random_cost


def test_progress_is_printed(data, capsys):
    simulate(FAST, *data, budget=2, seeds=1, verbose=True)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[1].startswith("simulate: entropy, seed 0, step 1: cost 1 of 2, score 0.")
