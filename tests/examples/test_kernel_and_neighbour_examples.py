"""Examples about kernels and neighbours run without a warning and show what their text says."""

from __future__ import annotations

import numpy as np


def test_learnt_weights_find_the_two_views_among_noise(run, capsys):
    names = run("plot_mkl_1_which_kernel")
    accuracy = names["accuracy"]
    assert accuracy["average"][0] > 0.92
    assert accuracy["average"][-1] < 0.65
    assert max(accuracy["best one"]) < 0.92
    for learnt in ("alignment", "two-stage"):
        assert min(accuracy[learnt]) > max(accuracy["best one"]) + 0.01
        assert names["share"][learnt] > 0.7
    printed = capsys.readouterr().out
    assert "% of all weight on the two real views" in printed
    simple, lp, landmarks = names["with_twenty"].values()
    assert simple > 0.88
    assert simple > lp > landmarks


def test_the_integrated_kernel_outlives_filled_gaps(run, capsys):
    names = run("plot_incomplete_1_half_the_sensors")
    curves = {name: values.mean(axis=0) for name, values in names["curves"].items()}
    integrated = curves["kernel integrated over the gaps"]
    conditional = curves["gaps filled with conditional means"]
    unconditional = curves["gaps filled with means"]
    complete = curves["complete objects"]
    np.testing.assert_allclose(integrated[0], complete[0], atol=1e-9)
    np.testing.assert_allclose(conditional[0], complete[0], atol=1e-9)
    assert (integrated[1:5] > conditional[1:5]).all()
    assert (integrated[1:5] > unconditional[1:5]).all()
    assert max(integrated[5], conditional[5], unconditional[5]) < 0.85  # one sensor per object
    assert integrated[3] > conditional[3] + 0.05  # nearly half of the sensors missing
    assert complete.min() > 0.97
    assert "share of sensors missing" in capsys.readouterr().out


def test_subsets_gain_little_when_complete_and_much_with_gaps(run):
    names = run("plot_ensemble_1_subsets_of_views")
    vote, crv = (names["curves"][rule] for rule in ("vote", "crv"))
    assert len(vote) == len(crv) == 15
    assert vote[0] == crv[0]  # the rule plays no role for one good member
    assert vote[-1] < vote[0] - 0.5
    assert abs(vote[-1] - names["together"]) < 1.5
    subsets, native, filled = names["with_gaps"].values()
    assert names["shares"][-1] == 0.6
    assert subsets[-1] < filled[-1] / 2
    assert abs(subsets[-1] - native[-1]) < 3
    assert abs(subsets[0] - filled[0]) < 1.5
    complete, gaps = names["by_neighbours"]
    assert complete < 10
    assert gaps < filled[-1] / 2
