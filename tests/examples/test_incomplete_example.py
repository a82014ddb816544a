"""The example of missing sensors runs without a warning and shows what its text says."""

from __future__ import annotations

import numpy as np


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
