from __future__ import annotations

from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot

from manyviews.explain import InformationBottleneck
from manyviews.plot import InformationCurveDisplay


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@pytest.fixture
def fitted():
    curve = SimpleNamespace(
        beta=np.array([0.0, 2.0, 2.4, 2.88]),
        i_uc=np.array([0.0, 0.5, 0.9, 1.0]),
        i_vc=np.array([0.0, 0.3, 0.45, 0.5]),
        n_clusters=np.array([1, 2, 4, 4]),
        i_uv=1.25,
    )
    return SimpleNamespace(information_curve_=curve)


def test_points_stand_where_the_curve_says_and_the_fit_is_the_last(fitted):
    axes = InformationCurveDisplay.from_estimator(fitted).ax_
    lines = {line.get_label(): line.get_xydata().tolist() for line in axes.lines}
    assert lines["annealing"] == [[0.0, 0.0], [0.5, 0.3], [0.9, 0.45], [1.0, 0.5]]
    assert lines["fit"] == [[1.0, 0.5]]


def test_numbers_of_clusters_stand_where_they_change(fitted):
    axes = InformationCurveDisplay.from_estimator(fitted).ax_
    assert [(text.get_text(), text.xy) for text in axes.texts] == [
        ("1", (0.0, 0.0)),
        ("2", (0.5, 0.3)),
        ("4", (0.9, 0.45)),
    ]


def test_the_words_say_what_the_figure_shows(fitted):
    assert InformationCurveDisplay.from_estimator(fitted).alt_text_ == (
        "Information kept against information remembered, in nats. From beta 0 to 2.88, clusters "
        "grow from 1 to 4; those of the last beta remember 1.000 and keep 0.500, 40% of the 1.250 "
        "that there is."
    )


def test_it_draws_a_fitted_bottleneck_into_axes_that_are_given():
    words = np.repeat(np.array([[4.0, 1.0, 0.0], [0.0, 1.0, 3.0]]), 4, axis=0)
    model = InformationBottleneck(2, distribution="shares", random_state=0).fit(words)
    axes = pyplot.figure().subplots()
    display = InformationCurveDisplay.from_estimator(model, ax=axes)
    assert display.ax_ is axes
    assert axes.get_title() == "InformationBottleneck"
    assert axes.texts[-1].get_text() == "2"
