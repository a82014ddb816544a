"""The example of label ontologies runs without a warning and shows what its text says."""

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


def test_the_ontology_helps_most_where_labels_are_few(capsys):
    names = run("plot_semi_1_ontology")
    scores = {kind: np.array(values) for kind, values in names["scores"].items()}
    gains = scores["ontology"] - scores["leaves only"]
    assert (gains[:2] > 0.02).all()
    assert gains[:2].mean() > gains[2:].mean()
    assert (scores["leaves only"] > scores["one view"])[1:].all()
    printed = capsys.readouterr().out
    assert "0 constraints are broken" in printed
    both, _, tables = (float(line.split()[-1]) for line in printed.splitlines()[-3:])
    assert both > tables  # patterns alone are about even with both, as the text says
