"""The example of features from unlabelled pairs shows what its text says."""

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


def test_unlabelled_pairs_are_worth_more_than_words():
    names = run("plot_embed_5_features")
    views, y, test = names["views"], names["y"], names["test"]
    words = names["words"].score(views[test].concatenate(), y[test])
    accuracy = names["accuracy"]
    assert words < 0.55
    assert accuracy[-1] > 0.9
    assert accuracy[-1] > accuracy[1] + 0.2
    strength = names["strength"]
    assert strength[9] - strength[10] > 2 * (strength[10] - strength[19])
