"""The example of co-training shows a fit that goes well and one that never recovers."""

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


def run(name: str) -> dict[str, object]:
    return runpy.run_path(str(FOLDER / f"{name}.py"))


def test_what_the_first_round_gets_wrong_stays_wrong():
    names = run("plot_semi_2_co_training")
    accuracies = names["accuracies"]
    assert accuracies.max() > 0.99
    assert accuracies.min() < 0.1
    assert np.median(accuracies) > 0.95
    worst = names["worst"].provenance_
    first = worst[worst.round == 1]
    assert (first.label != names["y"][first.object]).any()
    assert names["with_more"].min() > 0.95
