"""Draw how much each view adds to a model: the loss without it, the decisions it carried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyviews.plot._shared import COLOURS, QUIET, new_figure
from manyviews.typing import BoolArray, FloatArray

_DROP, _LOSS = COLOURS[:2]
_APART = 0.16
"""Of the two marks of a view from its middle: a sixth of a row keeps their intervals apart."""


class ViewContributionDisplay:
    """One figure of a :func:`manyviews.explain.view_contributions` answer.

    A filled circle is what dropping the view costs, an open diamond what permuting it costs, each
    with its interval; told apart by shape as well as by colour. Bars beside them are the share of
    the decisions that each view carried. Build it with :meth:`from_contributions`.

    Parameters
    ----------
    names : sequence of str
        The views.
    drop, loss : arrays of shape (n_views, 3)
        Difference, lower and upper end; NaN where something was not measured.
    carried : array of shape (n_views,), optional
        Share of the objects whose decision each view carried.
    measure : str
        What is lost, for the axis.
    title : str
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
        After :meth:`plot`.
    axes_ : dict of str to matplotlib Axes
        ``scores``, and ``carried`` if that is known.
    alt_text_ : str
        The figure in words, for those who do not see it.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from manyviews.plot import ViewContributionDisplay
    >>> drop, loss = [[0.1, 0.05, 0.15], [0.0, -0.01, 0.01]], [[0.2, 0.1, 0.3]] * 2
    >>> display = ViewContributionDisplay(["text", "links"], drop, loss, measure="accuracy").plot()
    >>> print(display.alt_text_)
    Accuracy lost by view, with intervals. text: dropped 0.100 (0.050 to 0.150), permuted 0.200
    (0.100 to 0.300). links: dropped 0.000 (-0.010 to 0.010), permuted 0.200 (0.100 to 0.300).
    """

    figure_: Any
    axes_: dict[str, Any]
    alt_text_: str

    def __init__(
        self,
        names: Sequence[str],
        drop: Any,
        loss: Any,
        carried: Any = None,
        *,
        measure: str = "score",
        title: str = "",
    ) -> None:
        self.names = names
        self.drop = drop
        self.loss = loss
        self.carried = carried
        self.measure = measure
        self.title = title

    @classmethod
    def from_contributions(
        cls, contributions: Any, *, title: str | None = None, figure: Any = None
    ) -> ViewContributionDisplay:
        """Draw the answer of :func:`manyviews.explain.view_contributions`.

        Parameters
        ----------
        contributions : ViewContributions
            Anything with its ``per_view``, ``measure`` and ``method``.
        title : str, optional
            What stands above; the name of the method by default.
        figure : matplotlib Figure or SubFigure, optional
            Where to draw; a new figure by default.
        """
        views = contributions.per_view
        carried = [view.carried for view in views]
        display = cls(
            [view.name for view in views],
            [_ends(view.drop, view.drop_low, view.drop_high) for view in views],
            [_ends(view.loss, view.loss_low, view.loss_high) for view in views],
            None if None in carried else carried,
            measure=contributions.measure,
            title=contributions.method if title is None else title,
        )
        return display.plot(figure=figure)

    def plot(self, *, figure: Any = None) -> ViewContributionDisplay:
        """Draw into a figure, a new one by default."""
        panels = ["scores"] if self.carried is None else ["scores", "carried"]
        if figure is None:
            figure = new_figure(4.2 + 2.6 * len(panels), 1.9 + 0.5 * len(self.names))
        ratios = [2.0, 1.0][: len(panels)]
        axes = figure.subplot_mosaic([panels], width_ratios=ratios, sharey=True)
        self._plot_scores(axes["scores"])
        if self.carried is not None:
            self._plot_carried(axes["carried"])
        figure.suptitle(self.title, fontsize="medium")
        self.figure_, self.axes_, self.alt_text_ = figure, axes, self._in_words()
        return self

    def _plot_scores(self, axes: Any) -> None:
        rows = np.arange(len(self.names))
        axes.axvline(0.0, color=QUIET, linewidth=0.8)
        for values, place, colour, mark, fill, label in (
            (self.drop, -_APART, _DROP, "o", _DROP, "view dropped"),
            (self.loss, _APART, _LOSS, "D", "white", "view permuted"),
        ):
            table = np.asarray(values, dtype=float)
            known = np.isfinite(table[:, 0])
            axes.errorbar(
                table[known, 0],
                rows[known] + place,
                xerr=_reach(table, known),
                fmt=mark,
                color=colour,
                markerfacecolor=fill,
                capsize=2,
                label=label,
            )
        axes.set_yticks(rows, self.names)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel(f"{self.measure} lost")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, frameon=False)

    def _plot_carried(self, axes: Any) -> None:
        rows, shares = np.arange(len(self.names)), np.asarray(self.carried, dtype=float)
        axes.barh(rows, shares, color=QUIET, height=0.5)
        for row, share in zip(rows, shares, strict=True):
            axes.annotate(
                f"{share:.0%}",
                (share, row),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
            )
        axes.set_xlim(0.0, 1.18)  # room for the number behind a full bar
        axes.set_xticks([0.0, 0.5, 1.0])
        axes.set_xlabel("share of decisions carried")
        axes.tick_params(axis="y", length=0)
        axes.spines[["top", "right", "left"]].set_visible(False)

    def _in_words(self) -> str:
        said = [f"{self.measure[:1].upper()}{self.measure[1:]} lost by view, with intervals."]
        for place, name in enumerate(self.names):
            drop, loss = np.asarray(self.drop[place]), np.asarray(self.loss[place])
            carried = ""
            if self.carried is not None:
                carried = f", carried {self.carried[place]:.0%} of the decisions"
            said.append(f"{name}: dropped {_said(drop)}, permuted {_said(loss)}{carried}.")
        return " ".join(said)


def _ends(value: float | None, low: float | None, high: float | None) -> list[float]:
    return [np.nan if each is None else each for each in (value, low, high)]


def _reach(table: FloatArray, known: BoolArray) -> FloatArray:
    """How far intervals reach to both sides, nowhere where there is none."""
    value, low, high = table[known].T
    # percentiles of few resamples may lie on one side of the value
    return np.maximum(np.nan_to_num(np.array([value - low, high - value])), 0.0)


def _said(values: FloatArray) -> str:
    if not np.isfinite(values[0]):
        return "not measured"
    value, low, high = (f"{round(float(each), 3) + 0.0:.3f}" for each in values)
    return f"{value} ({low} to {high})" if np.isfinite(values[1:]).all() else value
