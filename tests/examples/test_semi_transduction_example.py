"""The example on transduction runs without a warning and shows what its text says."""

from __future__ import annotations

import runpy
from pathlib import Path

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


def test_unlabelled_objects_help_if_the_balance_is_right_and_views_agree():
    names = run("plot_semi_6_transduction")
    plain, right_share, wrong_share = names["machine_scores"].values()
    assert right_share == 1.0
    assert plain < 0.9
    assert wrong_share < 0.8
    margin, one_graph, both_graphs = names["moon_scores"].values()
    assert both_graphs > 0.98
    assert max(margin, one_graph) < 0.95
    assert names["both_right"] > 0.97
    assert names["lines_right"] > 0.97
