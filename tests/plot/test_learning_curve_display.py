"""Learning curves: staircases, bands, and random choice in grey."""

from __future__ import annotations

import builtins
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from manyviews.exceptions import MissingExtraError
from manyviews.plot import LearningCurveDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture
def found():
    means = {
        "entropy": np.array([0.5, 0.7, 0.9]),
        "margin": np.array([0.5, 0.8, 0.9]),
        "random": np.array([0.5, 0.6, 0.7]),
    }
    return SimpleNamespace(
        criteria=tuple(means),
        costs=np.array([0.0, 1.0, 4.0]),
        band=lambda name: (means[name], np.full(3, 0.1)),
        measure="accuracy",
        method="CoTraining",
    )


def test_curves_stand_at_their_scores_until_the_next(found):
    display = LearningCurveDisplay.from_curves(found)
    line = display.lines_["margin"]
    assert line.get_xdata().tolist() == [0, 1, 4]
    assert line.get_ydata().tolist() == [0.5, 0.8, 0.9]
    assert line.get_drawstyle() == "steps-post"


def test_bands_reach_one_deviation_to_both_sides(found):
    display = LearningCurveDisplay.from_curves(found, criteria=["margin"])
    (band,) = display.ax_.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.min() == pytest.approx(0.4)
    assert heights.max() == pytest.approx(1.0)


def test_random_is_grey_and_all_differ_in_stroke_or_colour(found):
    lines = LearningCurveDisplay.from_curves(found).lines_
    looks = {(line.get_color(), line.get_linestyle()) for line in lines.values()}
    assert len(looks) == 3
    assert lines["random"].get_color() == "#767676"
    alone = LearningCurveDisplay.from_curves(found, criteria=["margin"]).lines_["margin"]
    assert alone.get_color() == lines["entropy"].get_color()


def test_axes_and_title_are_named(found):
    display = LearningCurveDisplay.from_curves(found)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("cost", "accuracy")
    assert display.ax_.get_title() == "CoTraining"
    assert LearningCurveDisplay.from_curves(found, title="by hand").ax_.get_title() == "by hand"
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["entropy", "margin", "random"]


def test_the_words_say_what_the_figure_shows(found):
    assert LearningCurveDisplay.from_curves(found, criteria=["margin", "random"]).alt_text_ == (
        "Accuracy against cost, from 0 to 4. "
        "margin: 0.500 at the start, 0.800 half way, 0.900 at the end. "
        "random: 0.500 at the start, 0.600 half way, 0.700 at the end."
    )


def test_it_draws_into_axes_that_are_given_and_without_spreads(found):
    axes = pyplot.figure().subplots()
    assert LearningCurveDisplay.from_curves(found, ax=axes).ax_ is axes
    plain = LearningCurveDisplay(found.costs, {"random": [0.1, 0.2, 0.3]}).plot()
    assert not plain.ax_.collections


def test_without_matplotlib_the_extra_is_named(found, monkeypatch):
    known = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return known(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"manyviews\[plot\]"):
        LearningCurveDisplay.from_curves(found)
