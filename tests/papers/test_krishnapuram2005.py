"""Campaigns ask what they may, curves and leads are what they are called, claims can fail."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from manyviews.acquire import plan
from manyviews.data import Views
from manyviews.datasets import make_two_sensors
from papers import krishnapuram2005
from papers._frame import DataFolder, load_experiment, silent
from papers.krishnapuram2005 import campaign as _campaign
from papers.krishnapuram2005 import claims as _claims
from papers.krishnapuram2005 import tables
from papers.krishnapuram2005.campaign import FALSE_ALARMS, PANELS, Judged, Known, Trial

KEPT = Path(__file__).parents[2] / "papers" / "found" / "krishnapuram2005.json"


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("krishnapuram2005")


# -- what is known, and what can be asked ----------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 50))
def test_a_start_labels_each_class_by_its_share_and_leaves_each_object_a_view(seed):
    objects = _campaign.two_sensors(seed, "")
    known = _campaign.known_at_first(objects, seed)
    assert known.labelled.sum() == _campaign.N_LABELLED
    assert objects.y[known.labelled].sum() == 8
    assert (known.observed.sum(axis=1) == 1).sum() == round(_campaign.INCOMPLETE * 400)
    assert known.observed.any(axis=1).all()
    views, y = _campaign.shown(objects, known)
    np.testing.assert_array_equal(views.observed, known.observed)
    np.testing.assert_array_equal(y[known.labelled], objects.y[known.labelled])
    assert set(y[~known.labelled]) == {-1}


def known_objects():
    """Six objects: two labelled; the first of each kind complete."""
    labelled = np.array([True, True, False, False, False, False])
    observed = np.array([[1, 1], [0, 1], [1, 1], [1, 0], [0, 1], [0, 1]], dtype=bool)
    return Known(labelled, observed)


@pytest.mark.parametrize(
    ("panel", "questions"),
    [
        ("2a", {(2, None), (3, None), (4, None), (5, None)}),
        ("2b", {(1, 0)}),
        ("2c", {(3, 1), (4, 0), (5, 0)}),
        ("2d", {(1, 0), (3, 1), (4, 0), (5, 0)}),
    ],
)
def test_each_panel_asks_for_its_own(panel, questions):
    found = PANELS[panel].open_questions(known_objects())
    assert len(found) == len(questions)
    assert set(found) == questions


def test_numbers_of_questions_are_those_of_the_paper():
    assert [panel.n_questions for panel in PANELS.values()] == [100, 27, 129, 85]


@pytest.mark.parametrize("panel", sorted(PANELS))
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 99))
def test_random_choice_asks_other_questions_each_time(panel, seed):
    objects = _campaign.two_sensors(0, "")
    known = _campaign.known_at_first(objects, 0)
    rng = np.random.default_rng(seed)
    what = PANELS[panel]
    one, then = _campaign.asked_at_random(known, what, rng)
    other, _ = _campaign.asked_at_random(known, what, rng)
    assert len(set(one)) == len(one) == what.n_questions
    assert set(one) <= set(what.open_questions(known))
    assert one != other
    assert not set(one) & set(what.open_questions(then))
    gained = then.labelled.sum() - known.labelled.sum() + then.observed.sum()
    assert gained - known.observed.sum() == what.n_questions


# -- how it is judged ------------------------------------------------------------------------------


@settings(deadline=None)
@given(
    outcome=st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=4, max_size=30).filter(
        lambda pairs: {truth for truth, _ in pairs} == {True, False}
    )
)
def test_detections_are_the_most_that_false_alarms_allow(outcome):
    truth, scores = (np.array(column) for column in zip(*outcome, strict=True))
    found = _campaign.detections(truth, scores.astype(float))
    for share, detected in zip(FALSE_ALARMS, found, strict=True):
        allowed = [
            np.mean(scores[truth] >= threshold)
            for threshold in range(7)
            if np.mean(scores[~truth] >= threshold) <= share + 1e-12
        ]
        assert detected == pytest.approx(max(allowed))


def of(auc, n_found=0.0):
    found = np.linspace(0.0, n_found, 101)
    return Judged(auc, 1.0 - auc, np.full(len(FALSE_ALARMS), 0.5), found, 0.5)


def a_trial(lead=0.1, n_found=20.0):
    return Trial(of(0.6), of(0.7 + lead, n_found), (of(0.6, 10.0), of(0.8, 12.0)), of(0.9))


def test_leads_by_hand():
    found = a_trial(0.05)
    assert found.lead() == pytest.approx(0.05)
    assert found.lead("new_auc") == pytest.approx(-0.05)
    assert found.beaten() == found.beaten("new_auc") == 0.5
    assert replace(found, active=of(0.8)).beaten() == 0.75
    assert (a_trial(0.2).beaten(), a_trial(0.2).beaten("new_auc")) == (1.0, 0.0)
    row = krishnapuram2005.gains({"2c": found})[0]
    by_name = dict(zip(tables.GAINS, row, strict=True))
    assert by_name["s.d. of random"] == pytest.approx(0.1 * np.sqrt(2))
    assert by_name["lead in s.d."] == pytest.approx(0.05 / (0.1 * np.sqrt(2)))
    assert by_name["all known"] == 0.9


LEADS = {"2a": 0.2, "2b": 0.05, "2c": 0.1, "2d": 0.1}


@pytest.mark.parametrize(
    ("changed", "wrong"),
    [
        ({}, []),
        ({"2a": a_trial(0.2, n_found=11.0)}, ["labels: active finds more than random"]),
        ({"2d": a_trial(-0.01)}, ["views of either: active above random"]),
        (
            {"2b": a_trial(0.15)},
            ["active helps more for views of unlabelled objects than of labelled ones"],
        ),
        (
            {"2a": a_trial(0.0)},
            [
                "labels: active above random",
                "active helps more for labels than for views of labelled objects",
            ],
        ),
    ],
)
def test_claims_can_fail(changed, wrong):
    evidence = {panel: a_trial(lead) for panel, lead in LEADS.items()} | changed
    found = [claim for claim, holds in _claims.CLAIMS.items() if not holds(evidence)]
    assert found == wrong


def test_a_claim_holds_if_it_is_true_from_nine_of_ten_starts(experiment):
    ahead = _claims.CLAIMS["labels: active above random"]
    starts = [{"2a": a_trial(lead)} for lead in [0.1] * 9 + [-0.1]]
    assert _claims.share_true(ahead, starts) == 0.9
    from papers._frame import Measured, compare

    for share, verdict in ((0.9, "within the spread"), (0.8, "worse")):
        shares = np.full((10, len(_claims.CLAIMS), 1), share)
        judged = compare(experiment.paper.table("claims-sensors"), Measured(shares))
        assert {str(cell.verdict) for cell in judged} == {verdict}


# -- a small campaign ------------------------------------------------------------------------------


def _clear():
    _campaign.trial.cache_clear()
    _campaign.beside.cache_clear()


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Sixty objects and a few questions, everywhere generated."""

    def drawn(seed, folder):
        views, y, *_ = make_two_sensors(90, 0.3, random_state=seed)
        narrow = Views({"eoir": views["eoir"][:, ::40], "sar": views["sar"]})
        return _campaign.divided(narrow, y, seed)

    _clear()
    monkeypatch.setattr(_campaign, "SETS", dict.fromkeys(_campaign.SETS, drawn))
    monkeypatch.setattr(_campaign, "N_OBJECTS", 60)
    monkeypatch.setattr(_campaign, "N_LABELLED", 20)
    monkeypatch.setattr(_campaign, "N_RANDOM", 2)
    few = {key: replace(each, n_questions=5 if each.labels else 2) for key, each in PANELS.items()}
    monkeypatch.setattr(_campaign, "PANELS", few)
    monkeypatch.setattr(krishnapuram2005, "SIDE_STARTS", 1)
    monkeypatch.setattr(krishnapuram2005, "ASKED", tuple(range(6)))
    (tmp_path / "course").mkdir()
    yield DataFolder(tmp_path)
    _clear()


@pytest.mark.parametrize("panel", sorted(PANELS))
def test_the_active_choice_is_the_best_of_all_that_can_be_asked(small, panel):
    objects = _campaign.SETS["sensors"](0, "")
    known = _campaign.known_at_first(objects, 0)
    what = replace(PANELS[panel], n_questions=2)
    questions, then = _campaign.asked_actively(objects, known, what, "conditional-mean")
    for row, view in questions:
        model = _campaign.fitted(objects, known)
        views, y = _campaign.shown(objects, known)
        kind = "label" if what.labels else "view"
        gains = {
            (each.row, None if each.view is None else views.names.index(each.view)): each.gain
            for each in plan(model, views, y, budget=np.inf, kinds=kind, diverse=False)
        }
        best = max(gains[question] for question in what.open_questions(known))
        assert gains[row, view] == pytest.approx(best, rel=1e-9)
        known = known.after((row, view))
    np.testing.assert_array_equal(known.observed, then.observed)
    np.testing.assert_array_equal(known.labelled, then.labelled)


def test_doubt_asks_where_the_probability_is_nearest_to_a_half(small):
    objects = _campaign.SETS["sensors"](0, "")
    known = _campaign.known_at_first(objects, 0)
    panel = PANELS["2c"]
    model = _campaign.fitted(objects, known)
    row, view = _campaign.in_doubt(objects, known, panel, model)
    far = np.abs(model.predict_proba(_campaign.shown(objects, known)[0])[:, 1] - 0.5)
    assert (row, view) in panel.open_questions(known)
    nearest = min(far[other] for other, _ in panel.open_questions(known))
    assert far[row] == pytest.approx(nearest, abs=1e-9)


def test_judged_on_what_has_no_label(small):
    objects = _campaign.SETS["sensors"](0, "")
    known = _campaign.known_at_first(objects, 0)
    questions = [(int(row), None) for row in np.flatnonzero(~known.labelled)[:5]]
    for question in questions:
        known = known.after(question)
    found = _campaign.judged(objects, known, questions)
    rows = ~known.labelled
    model = _campaign.fitted(objects, known)
    scores = model.predict_proba(_campaign.shown(objects, known)[0])[rows, 1]
    assert rows.sum() == 60 - 20 - 5
    assert found.auc == pytest.approx(roc_auc_score(objects.y[rows], scores))
    expected = np.r_[0, np.cumsum([objects.y[row] for row, _ in questions])]
    np.testing.assert_array_equal(found.n_found, expected)
    assert len(objects.new_y) == 30
    scores = model.predict_proba(objects.new_views)[:, 1]
    assert found.new_auc == pytest.approx(roc_auc_score(objects.new_y, scores))


def test_tables_hang_together(small, experiment):
    measured = {
        table.key: experiment.run(table.key, seeds=range(2), data=small, progress=silent)
        for table in experiment.paper.tables
    }
    gains = measured["gains-sensors"].values
    by_name = dict(zip(tables.GAINS, gains.transpose(2, 0, 1), strict=True))
    np.testing.assert_allclose(by_name["lead"], by_name["active"] - by_name["random"])
    assert np.isnan(by_name["all known"][:, 0]).all()
    assert not np.isnan(by_name["all known"][:, 1:]).any()
    leads = (by_name["lead"] > 0).mean(axis=0)
    claims = measured["claims-sensors"].values
    assert (claims == claims[0]).all()
    np.testing.assert_allclose(claims[0, 1:5, 0], leads)
    curves = measured["2c-sensors"].values
    assert (curves[:, -1, :3] == 1.0).all()
    assert (np.diff(curves[:, :, :3], axis=1) >= 0).all()
    found = measured["2a-found-sensors"].values
    assert (found[:, 0] == 0).all()
    assert (np.diff(found[:, :, :2], axis=1) >= 0).all()
    np.testing.assert_array_equal(gains, measured["gains-pages"].values)  # here the same objects
    why = measured["why-sensors"].values
    assert (why[:, :, 0] > 0).all()
    assert (np.abs(why[:, :, 1:]) <= 1).all()
    for criterion, rows in (("mixture", slice(1, 4)), ("doubt", slice(0, 4))):
        side = measured[f"{criterion}-pages"].values
        assert np.isnan(side[1]).all()
        for column in ("at the start", "random", "all known"):
            place = tables.GAINS.index(column)
            np.testing.assert_array_equal(side[0, :, place], gains[0, rows, place])


# -- what was kept ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept():
    return {table["key"]: table for table in json.loads(KEPT.read_text())["tables"]}


@pytest.mark.parametrize("name", sorted(tables.SETS))
def test_claims_that_were_kept_follow_from_what_was_kept(kept, name):
    gains = {
        cell["row"][1]: np.array(cell["values"])
        for cell in kept[f"gains-{name}"]["cells"]
        if cell["column"] == "lead"
    }
    said = {cell["row"]: cell["mean"] for cell in kept[f"claims-{name}"]["cells"]}
    for key, panel in PANELS.items():
        claim = f"{panel.title}: active above random"
        assert said[claim] == pytest.approx(np.mean(gains[key[-1]] > 0))
    more = "active helps more for views of unlabelled objects than of labelled ones"
    assert said[more] == pytest.approx(np.mean(gains["c"] > gains["b"]))


@pytest.mark.parametrize("name", sorted(tables.SETS))
def test_claims_that_do_not_hold_have_a_reason(kept, name):
    for cell in kept[f"claims-{name}"]["cells"]:
        assert cell["reason"] != "unexplained", cell["row"]


@pytest.mark.data
def test_pages_are_drawn_anew_by_class():
    folder = os.environ["MANYVIEWS_DATA"]
    one, other = (_campaign.web_pages(seed, folder) for seed in (0, 1))
    for objects in (one, other):
        assert objects.views.layout.widths == (1840, 3000)
        assert len(objects.y) == _campaign.N_OBJECTS
        assert objects.y.sum() == round(400 * 230 / 1051)
        assert len(objects.new_y) == 651
    assert not one.views.equals(other.views)
