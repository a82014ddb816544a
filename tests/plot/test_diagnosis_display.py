from __future__ import annotations

import builtins

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from manyviews import diagnose
from manyviews.exceptions import MissingExtraError
from manyviews.plot import DiagnosisDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    views = {name: 2 * np.eye(3)[y] + rng.normal(size=(90, 3)) for name in ("text", "links")}
    views["links"][:30] = np.nan
    views["flat"] = np.ones((90, 2))
    return diagnose(views, y)


def test_bars_and_heat_maps_show_the_numbers(found):
    display = DiagnosisDisplay.from_diagnosis(found)
    assert set(display.axes_) == {"quality", "observed", "agreement", "dependence"}
    widths = [bar.get_width() for bar in display.axes_["quality"].patches]
    assert widths == [
        found.per_view[0].quality,
        found.per_view[1].quality,
        0.0,
        found.joint.quality,
    ]
    labels = [tick.get_text() for tick in display.axes_["quality"].get_yticklabels()]
    assert labels == ["text", "links", "flat", "all views"]
    texts = [text.get_text() for text in display.axes_["quality"].texts]
    assert texts[2] == "not measured"
    observed = [text.get_text() for text in display.axes_["observed"].texts]
    assert observed == ["100%", "67%", "100%"]
    image = display.axes_["agreement"].images[0].get_array()
    assert image[0, 1] == image[1, 0] == found.per_pair[0].agreement
    assert image.mask[0, 0]
    assert image.mask[0, 2]


def test_chance_is_marked_on_every_measured_bar(found):
    axes = DiagnosisDisplay.from_diagnosis(found).axes_["quality"]
    marks = [line.get_xdata()[0] for line in axes.lines if line.get_linestyle() == ":"]
    assert marks == pytest.approx([1 / 3] * 3)


def test_all_views_are_marked_beside_each_view_on_the_objects_that_have_it(found):
    axes = DiagnosisDisplay.from_diagnosis(found).axes_["quality"]
    (marks,) = [line for line in axes.lines if line.get_marker() == "D"]
    np.testing.assert_array_equal(
        marks.get_xdata(), [found.per_view[0].together, found.per_view[1].together, np.nan]
    )
    assert found.per_view[1].together != found.joint.quality
    assert "same objects" in axes.get_title()
    rng = np.random.default_rng(3)
    complete = diagnose([rng.normal(size=(60, 2))] * 2, np.arange(60) % 2)
    axes = DiagnosisDisplay.from_diagnosis(complete).axes_["quality"]
    assert "same objects" not in axes.get_title()


def test_titles_say_what_is_conditioned_on(found):
    display = DiagnosisDisplay.from_diagnosis(found)
    assert "given the class" in display.axes_["dependence"].get_title()
    rng = np.random.default_rng(1)
    unlabelled = DiagnosisDisplay.from_diagnosis(diagnose([rng.normal(size=(60, 2))] * 2))
    assert "given" not in unlabelled.axes_["dependence"].get_title()
    assert "Rand" in unlabelled.axes_["agreement"].get_title()
    assert "silhouette" in unlabelled.axes_["quality"].get_title()


def test_one_view_has_no_heat_maps():
    display = DiagnosisDisplay.from_diagnosis(
        diagnose(np.random.default_rng(2).normal(size=(40, 2)))
    )
    assert set(display.axes_) == {"quality", "observed"}


def test_it_draws_where_it_is_told_and_can_be_saved(found, tmp_path):
    figure = pyplot.figure(figsize=(9, 7), layout="constrained")
    display = DiagnosisDisplay.from_diagnosis(found, figure=figure)
    assert display.figure_ is figure
    assert display.plot().figure_ is not figure
    figure.savefig(tmp_path / "diagnosis.png")
    assert (tmp_path / "diagnosis.png").stat().st_size > 10_000


def test_without_matplotlib_the_extra_is_named(found, monkeypatch):
    plain = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return plain(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"manyviews\[plot\]"):
        DiagnosisDisplay.from_diagnosis(found)
