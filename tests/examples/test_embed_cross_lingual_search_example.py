"""The example of cross-lingual search runs without a warning and finds what its text says."""

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


def test_english_words_find_french_documents_of_their_topic(capsys):
    names = run("plot_embed_3_cross_lingual_search")
    data, found, topics = names["data"], names["found"], names["topics"]
    wanted = [data.label_names.index(name) for name in ("fishing", "health", "energy")]
    assert np.mean(topics[found.indices] == np.array(wanted)[:, None]) > 0.9
    printed = capsys.readouterr().out
    whole, keywords = (
        [float(word.rstrip("%")) for word in line.split() if word.endswith("%")]
        for line in printed.splitlines()
        if line.startswith(("whole documents", "five keywords"))
    )
    assert whole[0] > 25
    assert whole[2] > 80
    assert whole[0] > keywords[0] > 5
    assert pyplot.get_fignums()
