"""The example of EM runs without a warning and shows what its text says."""

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


def test_unlabelled_papers_help_a_right_model_and_hurt_a_wrong_one():
    names = run("plot_semi_3_em")
    helped, hurt = (curves.mean(axis=0) for curves in names["em"].values())
    assert helped[-1] > helped[0] + 0.1
    assert hurt[-1] < hurt[0] - 0.1
    assert min(names["co_em"].values()) > 0.95
    like_field, like_style = names["agreement"][1]
    assert like_style > like_field
