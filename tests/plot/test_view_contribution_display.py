from __future__ import annotations

import builtins
from types import SimpleNamespace

import matplotlib as mpl
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from manyviews.exceptions import MissingExtraError
from manyviews.plot import ViewContributionDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def view(name, drop, loss, carried):
    ends = ("", "_low", "_high")
    return SimpleNamespace(
        name=name,
        carried=carried,
        **{f"drop{end}": value for end, value in zip(ends, drop, strict=True)},
        **{f"loss{end}": value for end, value in zip(ends, loss, strict=True)},
    )


@pytest.fixture
def found():
    views = [
        view("text", (0.1, 0.05, 0.2), (0.3, 0.2, 0.4), 0.75),
        view("links", (None, None, None), (0.02, -0.01, 0.04), 0.0),
        view("dates", (-0.0001, -0.02, 0.0), (0.0, 0.0, 0.0), 0.25),
    ]
    return SimpleNamespace(per_view=views, measure="accuracy", method="CoTraining")


def marks(axes):
    """Points by legend, each with the ends of its interval."""
    handles, labels = axes.get_legend_handles_labels()
    return {
        label: [
            (x, *bar[:, 0])
            for x, bar in zip(
                handle.lines[0].get_xdata(), handle.lines[2][0].get_segments(), strict=True
            )
        ]
        for handle, label in zip(handles, labels, strict=True)
    }


def test_marks_stand_at_the_differences_with_their_intervals(found):
    shown = marks(ViewContributionDisplay.from_contributions(found).axes_["scores"])
    assert shown["view dropped"][0] == pytest.approx((0.1, 0.05, 0.2))
    assert len(shown["view dropped"]) == 2  # one was not measured
    assert [each[0] for each in shown["view permuted"]] == [0.3, 0.02, 0.0]


def test_what_is_dropped_and_permuted_differs_in_shape_too(found):
    axes = ViewContributionDisplay.from_contributions(found).axes_["scores"]
    handles, _ = axes.get_legend_handles_labels()
    assert len({handle.lines[0].get_marker() for handle in handles}) == 2


def test_bars_are_the_shares_of_decisions(found):
    axes = ViewContributionDisplay.from_contributions(found).axes_["carried"]
    assert [bar.get_width() for bar in axes.patches] == [0.75, 0.0, 0.25]
    assert [text.get_text() for text in axes.texts] == ["75%", "0%", "25%"]


def test_views_stand_in_their_order_from_the_top(found):
    axes = ViewContributionDisplay.from_contributions(found).axes_["scores"]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["text", "links", "dates"]
    bottom, top = axes.get_ylim()
    assert bottom > top
    assert axes.get_xlabel() == "accuracy lost"


def test_the_words_say_what_the_figure_shows(found):
    assert ViewContributionDisplay.from_contributions(found).alt_text_ == (
        "Accuracy lost by view, with intervals. "
        "text: dropped 0.100 (0.050 to 0.200), permuted 0.300 (0.200 to 0.400), "
        "carried 75% of the decisions. "
        "links: dropped not measured, permuted 0.020 (-0.010 to 0.040), "
        "carried 0% of the decisions. "
        "dates: dropped 0.000 (-0.020 to 0.000), permuted 0.000 (0.000 to 0.000), "
        "carried 25% of the decisions."
    )


def test_where_nothing_is_carried_there_is_one_panel(found):
    for each in found.per_view:
        each.carried = None
    display = ViewContributionDisplay.from_contributions(found, title="by hand")
    assert set(display.axes_) == {"scores"}
    assert "carried" not in display.alt_text_
    assert display.figure_.get_suptitle() == "by hand"


def test_it_draws_into_a_figure_that_is_given(found):
    figure = pyplot.figure()
    assert ViewContributionDisplay.from_contributions(found, figure=figure).figure_ is figure


def test_without_matplotlib_the_extra_is_named(found, monkeypatch):
    known = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return known(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"manyviews\[plot\]"):
        ViewContributionDisplay.from_contributions(found)
