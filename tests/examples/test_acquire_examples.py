"""Each example of what to ask next runs without a warning and shows what its text says."""

from __future__ import annotations

import numpy as np


def test_a_sensor_learns_from_the_other_and_labels_narrow_the_posterior(run):
    names = run("plot_acquire_1_bayesian_co_training")
    wide, narrow, both = (np.array(found) for found in names["right"].values())
    best = both.argmax()
    assert abs(narrow[0] - 0.5) < 0.05
    assert (narrow[1:] > wide[1:] + 0.02).all()
    assert both[0] == wide[0]
    assert both[best] > max(both[1], both[-1]) + 0.01
    assert 0 < best < len(both) - 1
    assert (np.diff(names["entropies"]) < 0).all()
    steps = -np.diff(names["entropies"]) / np.diff(names["numbers"])
    assert steps[0] > steps[-1]


def test_planned_questions_tell_more_than_random_ones(run, capsys):
    names = run("plot_acquire_2_sensor_campaign")
    first = names["first"]
    assert 90 < first.total_cost <= 100
    assert {action.kind for action in first} == {"label", "view"}
    assert "gain/cost" in capsys.readouterr().out
    ends = {how: curve[:, -1].mean() for how, curve in names["curves"].items()}
    assert ends["planned"] > ends["random"] + 0.03
    assert ends["planned digs"] > ends["random digs"] + 0.03


def test_choosing_pays_for_a_rare_class_and_not_for_labels_without_sense(run):
    names = run("plot_acquire_3_learning_curves")
    assert names["curves"].lead("margin").verdict == "better"
    assert names["hopeless"].lead("margin").verdict == "not told apart"
    assert names["asked"]["margin"] > 2 * names["asked"]["random"]
    assert [len(names[each].curves) for each in ("first", "more")] == [4, 9]
    assert len(names["ranking"]) == 6
    assert (names["known"][names["ranking"].rows] == -1).all()
