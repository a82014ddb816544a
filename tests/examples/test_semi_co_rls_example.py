"""The example on choosing the coupling runs without a warning and shows what its text says."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "examples"

pyplot = pytest.importorskip("matplotlib.pyplot", reason="examples draw pictures")


@pytest.fixture(autouse=True)
def no_windows():
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")


def test_some_coupling_is_better_than_none_and_than_too_much():
    names = runpy.run_path(str(FOLDER / "plot_semi_4_co_rls.py"))
    moons, lines = names["mean_errors"].T
    middle = np.flatnonzero(names["couplings"] == 10.0)[0]
    assert moons[middle] < 0.05 < 0.1 < min(moons[0], moons[-1])
    assert lines[middle] == 0 < lines[0]
    assert (np.diff(names["mean_apart"]) <= 1e-9).all()
    assert names["mean_spread"][-1] < 0.01 < 0.1 < names["mean_spread"][middle]
    wrong = {
        title: np.mean((model.view_decisions(names["views"])["moons"] > 0) != names["truth"])
        for title, model in names["models"].items()
    }
    assert wrong["coupled"] < 0.5 * min(wrong["alone"], wrong["too much"])
