"""The example of a sensor campaign runs without a warning and shows what its text says."""

from __future__ import annotations


def test_planned_questions_tell_more_than_random_ones(run, capsys):
    names = run("plot_acquire_2_sensor_campaign")
    first = names["first"]
    assert 90 < first.total_cost <= 100
    assert {action.kind for action in first} == {"label", "view"}
    assert "gain/cost" in capsys.readouterr().out
    ends = {how: curve[:, -1].mean() for how, curve in names["curves"].items()}
    assert ends["planned"] > ends["random"] + 0.03
    assert ends["planned digs"] > ends["random digs"] + 0.03
