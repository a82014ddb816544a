from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from manyviews.plot import CurvesDisplay, PrototypesDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def labels(display):
    return display.ax_.get_legend_handles_labels()[1]


def test_curves_bands_and_published_points_are_drawn():
    display = CurvesDisplay(
        [1, 2, 3],
        {"co-EM": [2.0, 1.0, 0.5], "EM": [2.0, 2.0, 2.0]},
        spreads={"co-EM": [0.1, 0.2, np.nan]},
        published={"co-EM": [np.nan, 1.2, np.nan], "EM": [np.nan] * 3},
        x_label="views",
        y_label="entropy",
    ).plot()
    assert labels(display) == ["co-EM", "co-EM, published", "EM"]
    assert display.ax_.lines[0].get_ydata().tolist() == [2.0, 1.0, 0.5]
    assert len(display.ax_.collections) == 1
    assert display.ax_.get_xscale() == "linear"


@pytest.mark.parametrize(("points", "scale"), [([0.5, 200], "log"), ([0, 200], "linear")])
def test_a_wide_span_of_positive_points_is_shown_by_its_logarithm(points, scale):
    assert CurvesDisplay(points, {"a": [1, 2]}).plot().ax_.get_xscale() == scale


def test_it_draws_where_it_is_told():
    _, ax = pyplot.subplots()
    assert CurvesDisplay([0, 1], {"a": [1, 2]}).plot(ax).ax_ is ax


def test_a_clustering_with_fewer_clusters_leaves_places_empty():
    images = {"pixels": [np.eye(2)] * 3, "all": [np.eye(2)] * 2}
    captions = {"pixels": ["0", "1", "2"], "all": ["0", "1"]}
    display = PrototypesDisplay(images, captions=captions, title="means").plot()
    assert [len(ax.images) for ax in display.axes_.ravel()] == [1, 1, 1, 1, 1, 0]
    assert display.axes_[0, 2].get_title() == "2"
    assert display.axes_[1, 0].texts[0].get_text() == "all"
