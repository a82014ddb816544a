"""DendrogramDisplay: every fork where it belongs, in the colour of its view."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose
from scipy.cluster import hierarchy

from manyviews.cluster import HybridTree
from manyviews.plot import DendrogramDisplay

NAMES = list("abcdefghijkl")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    group = np.arange(12) % 4
    views = {
        "across": 9.0 * (group % 2)[:, None] + rng.normal(size=(12, 1)),
        "down": 7.0 * (group // 2)[:, None] + rng.normal(size=(12, 1)),
    }
    return HybridTree(n_clusters=4).fit(views)


def corners(display):
    return [path.vertices for path in display.lines_.get_paths()]


def tick_names(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


def test_forks_have_the_heights_and_colours_of_the_splits(model):
    display = DendrogramDisplay.from_estimator(model, labels=NAMES, orientation="top")
    tree = model.tree_
    forks = corners(display)
    assert_allclose([fork[1, 1] for fork in forks], tree.heights[::-1], atol=0.03)
    colours = [to_hex(colour, keep_alpha=False).upper() for colour in display.lines_.get_colors()]
    palette = np.array(["#0072B2", "#D55E00"])
    assert colours == palette[tree.split_views[::-1]].tolist()
    counts = np.bincount(tree.split_views)
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == [f"across: {counts[0]} splits", f"down: {counts[1]} splits"]


def test_branches_do_not_cross(model):
    """Every fork stands on ends that lie side by side."""
    display = DendrogramDisplay.from_tree(model.tree_)
    places = {tip: place for place, tip in enumerate(display.tips_)}
    assert sorted(display.tips_) == list(range(12))
    below = {tip: [place] for tip, place in places.items()}
    for row, (one, other) in enumerate(display.linkage[:, :2].astype(int)):
        below[12 + row] = sorted(below[one] + below[other])
        assert np.ptp(below[12 + row]) == len(below[12 + row]) - 1


@pytest.mark.parametrize("orientation", ["left", "top"])
def test_ends_are_named_in_order(model, orientation):
    display = DendrogramDisplay.from_estimator(model, labels=NAMES, orientation=orientation)
    axis = display.ax_.yaxis if orientation == "left" else display.ax_.xaxis
    assert tick_names(axis) == [NAMES[tip] for tip in display.tips_]
    heights = display.ax_.get_xlim() if orientation == "left" else display.ax_.get_ylim()
    assert min(heights) == 0 < model.tree_.heights[0] < max(heights)


def test_a_linkage_has_one_colour_and_no_legend():
    linkage = hierarchy.ward(np.random.default_rng(0).normal(size=(8, 2)))

    class Fitted:
        linkage_ = linkage

    display = DendrogramDisplay.from_estimator(Fitted())
    assert len(np.unique(display.lines_.get_colors(), axis=0)) == 1
    assert display.ax_.get_legend() is None
    assert_allclose([fork[1, 0] for fork in corners(display)], linkage[:, 2])


def test_only_the_top(model):
    display = DendrogramDisplay.from_estimator(model, n_tips=4, labels=NAMES)
    assert len(display.tips_) == 4
    assert len(corners(display)) == 3
    assert sum(name.endswith("objects)") for name in tick_names(display.ax_.yaxis)) == 4
    assert DendrogramDisplay.from_estimator(model, n_tips=1).tips_ == [22]


def test_the_cut_lies_between_two_heights(model):
    display = DendrogramDisplay.from_estimator(model, n_clusters=4)
    (cut,) = {line.get_xdata()[0] for line in display.ax_.lines}
    assert model.tree_.heights[3] <= cut <= model.tree_.heights[2]


def test_it_draws_where_it_is_told(model):
    _, panels = pyplot.subplots(1, 2)
    display = DendrogramDisplay.from_estimator(model, ax=panels[1], colors=["red", "blue"])
    assert display.ax_ is panels[1]
    assert display.figure_ is panels[1].figure
    assert not panels[0].collections
    assert {to_hex(colour) for colour in display.lines_.get_colors()} == {"#ff0000", "#0000ff"}


def test_forks_at_one_level_are_drawn_apart():
    linkage = np.array([[0, 1, 1.0, 2], [2, 4, 1.0, 3], [3, 5, 4.0, 4]])
    display = DendrogramDisplay.from_linkage(linkage, orientation="top")
    assert_allclose([fork[1, 1] for fork in corners(display)], [1.0, 1.048, 4.0])


def test_objects_that_are_alike_are_joined_in_grey():
    tree = HybridTree().fit([[0.0], [0.0], [1.0]]).tree_
    display = DendrogramDisplay.from_tree(tree)
    colours = [to_hex(colour) for colour in display.lines_.get_colors()]
    assert colours == ["#767676", "#0072b2"]


def test_many_and_deep_trees_are_drawn():
    linkage = np.zeros((1999, 4))  # a ladder, deeper than Python recurses
    linkage[:, 0] = [0, *range(2000, 3998)]
    linkage[:, 1] = range(1, 2000)
    linkage[:, 2], linkage[:, 3] = np.arange(1, 2000), np.arange(2, 2001)
    display = DendrogramDisplay.from_linkage(linkage)
    assert len(display.tips_) == 2000
    assert tick_names(display.ax_.yaxis) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["a"]}, "labels has 1 entries for 12 objects"),
        ({"n_tips": 0}, "n_tips=0"),
        ({"n_clusters": 1}, "give a number from 2 to 11"),
        ({"colors": ["red"]}, "colors has 1 for 2 views"),
    ],
)
def test_bad_options_are_named(model, options, message):
    with pytest.raises(ValueError, match=message):
        DendrogramDisplay.from_estimator(model, **options)


def test_a_model_without_a_tree_is_refused():
    with pytest.raises(ValueError, match="neither tree_ nor linkage_"):
        DendrogramDisplay.from_estimator(object())
