"""The example of the model behind plans runs without a warning and shows what its text says."""

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
