"""The example of a translator finds the dictionary that its sentences were made with."""

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


def test_the_table_of_translations_becomes_a_diagonal(capsys):
    names = run("plot_embed_4_translation")
    first, *_, last = names["tables"]
    n_words = len(names["words"]) - 2  # never and the have two translations
    assert first.diagonal()[:n_words].max() < 0.5
    assert last.diagonal()[:n_words].min() > 0.9
    assert last[n_words, n_words : n_words + 2].min() > 0.45  # ne and jamais
    assert last[n_words + 1, n_words + 2 :].min() > 0.3  # le and la
    assert (np.diff(names["history"]) > 0).all()
    printed = capsys.readouterr().out
    assert "jeune chien voit la triste souris" in printed
    assert "the cow seeks the dog quick" in printed
