"""Every figure of the site is drawn, as the site draws it, and shows something."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
SCRIPTS = sorted((DOCS / "figures").glob("*.py"))
PAGES = [*DOCS.glob("*.md"), *(DOCS / "guide").glob("*.md")]


@pytest.fixture
def pyplot(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="figures are drawn with matplotlib")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(DOCS / "figures")  # where the site runs them
    yield pyplot
    pyplot.close("all")


def blank(axes) -> bool:
    """Whether axes show neither data nor words, although they are meant to show something."""
    return axes.axison and not axes.has_data() and not axes.texts


def draw(script: Path, pyplot) -> None:
    """Run a script; what it leaves must be figures that can be drawn and show something."""
    runpy.run_path(str(script), run_name="__main__")
    figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
    assert figures, f"{script.name} draws nothing"
    for figure in figures:
        figure.canvas.draw()
        assert figure.axes, f"{script.name} leaves an empty figure"
        assert not any(blank(axes) for axes in figure.axes), f"{script.name} leaves axes empty"
        limits = [(*axes.get_xlim(), *axes.get_ylim()) for axes in figure.axes]
        assert np.isfinite(limits).all(), f"{script.name} draws what is not finite"


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_figure_is_drawn(script, pyplot):
    draw(script, pyplot)


@pytest.mark.parametrize(
    ("script", "complaint"),
    [
        ("", "draws nothing"),
        ("import matplotlib.pyplot as plt\nplt.figure()", "empty figure"),
        ("import matplotlib.pyplot as plt\nplt.subplots(1, 2)[1][0].plot([1, 2])", "axes empty"),
    ],
)
def test_a_figure_without_anything_on_it_is_noticed(script, complaint, pyplot, tmp_path):
    (tmp_path / "figure.py").write_text(script)
    with pytest.raises(AssertionError, match=complaint):
        draw(tmp_path / "figure.py", pyplot)


def test_every_figure_is_on_a_page_and_every_page_has_its_figures():
    shown = {
        name
        for page in PAGES
        for name in re.findall(r"^\.\. plot:: figures/(\w+)\.py$", page.read_text(), flags=re.M)
    }
    assert shown == {script.stem for script in SCRIPTS}
