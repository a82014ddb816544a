"""The example of kernel CCA runs without a warning and shows what its text says."""

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


def test_few_pivots_find_the_phase_behind_two_bent_views():
    names = run("plot_embed_2_kernel_cca")
    assert names["scores"]["CCA"] < 0.4
    assert names["scores"]["KernelCCA"] > 0.98
    assert names["n_pivots"] == [2, 4, 8, 16, 32, 64, 128, 2000]
    curve = names["curve"]
    assert curve == sorted(curve)
    assert curve[5] > curve[-1] - 0.01  # tens of pivots are as good as all
