"""The Co-Laplacian example runs without a warning and shows what its text says."""

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


def test_the_lines_recover_the_noisy_moons():
    right = run("plot_semi_5_co_laplacian")["right"]
    assert right["SVM"] < 0.9
    assert right["Laplacian SVM"] > 0.98
    assert right["Laplacian SVM, noise"] < 0.85
    assert right["Co-Laplacian SVM, noise"] > 0.93
