from __future__ import annotations

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot
from matplotlib.colors import to_hex

from manyviews.mkl import AverageKernel, KernelLibrary
from manyviews.plot import KernelWeightsDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def labels(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def lengths(display):
    return [round(float(bar.get_width()), 6) for bar in display.bars_]


def legend(display):
    found = display.ax_.get_legend()
    return None if found is None else [text.get_text() for text in found.get_texts()]


def test_the_largest_stand_on_top_and_the_rest_in_one_bar():
    weights = [0.5, 0.0, 3.0, 0.25, 1.0, 0.25]
    display = KernelWeightsDisplay(weights, list("abcdef"), title="weights").plot(top=3)
    assert labels(display) == ["c", "e", "a", "3 others"]
    assert lengths(display) == [3.0, 1.0, 0.5, 0.5]
    assert display.ax_.yaxis_inverted()
    assert display.ax_.get_xlabel() == "weight"
    assert display.ax_.get_title() == "weights"
    assert legend(display) is None


def test_one_kernel_more_than_asked_for_has_a_bar_of_its_own():
    display = KernelWeightsDisplay([2.0, 1.0, 3.0], list("abc")).plot(top=2)
    assert labels(display) == ["c", "a", "b"]


def test_shares_sum_to_one_and_nothing_stays_nothing():
    display = KernelWeightsDisplay([2.0, 1.0, 1.0, 4.0], list("abcd"))
    assert lengths(display.plot(top=2, normalize=True)) == [0.5, 0.25, 0.25]
    assert display.ax_.get_xlabel() == "share of all weight"
    nothing = KernelWeightsDisplay([0.0, 0.0], ["a", "b"]).plot(normalize=True)
    assert lengths(nothing) == [0.0, 0.0]


def test_bars_have_the_colours_of_their_views_of_which_the_legend_names_those_shown():
    display = KernelWeightsDisplay(
        [1.0, 3.0, 2.0, 0.5, 0.4], list("abcde"), views=["x", "y", "x", "z", "z"]
    ).plot(top=3)
    colours = [to_hex(bar.get_facecolor()) for bar in display.bars_]
    assert colours[1] == colours[2] != colours[0]
    assert colours[3] == "#999999"
    assert legend(display) == ["x", "y"]


def test_no_two_views_that_are_shown_have_one_colour():
    names = [f"kernel {number}" for number in range(30)]
    display = KernelWeightsDisplay(np.arange(30.0), names, views=names).plot(top=9)
    colours = [to_hex(bar.get_facecolor()) for bar in display.bars_]
    assert len(set(colours[2:9])) == 7  # in the order of the views, which is from the bottom
    assert set(colours[:2]) == {colours[9]} == {"#999999"}
    assert legend(display) == names[21:28]


def test_a_fitted_model_knows_its_kernels_and_their_views():
    rng = np.random.default_rng(0)
    views = {"size": rng.random((12, 2)), "colour": rng.random((12, 3))}
    library = KernelLibrary({"size": ["linear", "rbf"], "colour": ["linear"]})
    model = AverageKernel(library, C=1.0).fit(views, np.arange(12) % 2)
    display = KernelWeightsDisplay.from_estimator(model, top=5, title="average")
    assert sorted(labels(display)) == sorted(model.kernel_names_)
    assert lengths(display) == [round(1 / 3, 6)] * 3
    assert legend(display) == ["size", "colour"]


def test_products_of_kernels_of_two_views_are_of_several_views():
    model = SimpleNamespace(
        kernel_weights_=np.array([1.0, 2.0, 3.0]),
        kernel_names_=["a linear", "a linear × a rbf", "a rbf × b linear"],
        kernels_=SimpleNamespace(
            names=["a linear", "a rbf", "b linear"], views=["left", "left", "right"]
        ),
    )
    display = KernelWeightsDisplay.from_estimator(model)
    assert display.views == ["left", "left", "several views"]
    assert legend(display) == ["left", "several views"]


def test_it_draws_where_it_is_told():
    _, ax = pyplot.subplots()
    assert KernelWeightsDisplay([1.0], ["a"]).plot(ax).ax_ is ax


def test_what_cannot_be_drawn_is_told_in_one_sentence():
    with pytest.raises(ValueError, match="AverageKernel has no kernel_weights_; fit it"):
        KernelWeightsDisplay.from_estimator(AverageKernel())
    with pytest.raises(ValueError, match="top=0 should be at least 1"):
        KernelWeightsDisplay([1.0], ["a"]).plot(top=0)
