"""The example of CCA runs without a warning and shows what its text says."""

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


def test_what_two_photographs_have_in_common_is_the_digit():
    names = run("plot_embed_1_cca")
    assert names["nearest"]["CCA"] > 0.9
    assert names["nearest"]["PCA"] < 0.4
    seen, unseen = names["curves"]["none"]
    assert seen[11] > 0.65  # whatever the component, the training pairs correlate
    assert unseen.argmax() != 0
    _, shrunk = names["curves"]["auto"]
    assert (shrunk[:5] > 0.5).all()
    assert (abs(shrunk[5:]) < 0.1).all()
    assert (shrunk[:5] > unseen[:5]).all()
