"""What choosing reached beside random choice, as far as was paid for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyviews.plot._shared import COLOURS, QUIET, new_figure
from manyviews.typing import FloatArray

_RANDOM = "random"
_STROKES: tuple[Any, ...] = ("-", "-.", ":", (0, (6, 1)))
_QUIET_STROKE = "--"
_BAND = 0.16
"""Opacity of a band: two that overlap still let a third be seen."""


class LearningCurveDisplay:
    """Learning curves of criteria with bands over the seeds, and random choice in grey.

    A curve is a staircase: a score holds until the next model is fitted. Curves are told apart by
    their strokes as well as by colour. Build it with :meth:`from_curves`.

    Parameters
    ----------
    costs : array of shape (n_costs,)
        What is spent, from the start on.
    means : mapping of arrays of shape (n_costs,)
        By criterion: mean score by the time that so much is spent.
    spreads : mapping of arrays, optional
        By criterion: standard deviation over the seeds, shown as a band.
    measure : str
        What is scored, for the axis.
    title : str
        What stands above.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        After :meth:`plot`.
    lines_ : dict of matplotlib Line2D
        By criterion.
    alt_text_ : str
        The figure in words, for those who do not see it.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from manyviews.plot import LearningCurveDisplay
    >>> means = {"margin": [0.6, 0.8, 0.9], "random": [0.6, 0.7, 0.8]}
    >>> display = LearningCurveDisplay([0, 1, 2], means, measure="accuracy").plot()
    >>> print(display.alt_text_)
    Accuracy against cost, from 0 to 2. margin: 0.600 at the start, 0.800 half way, 0.900 at the
    end. random: 0.600 at the start, 0.700 half way, 0.800 at the end.
    """

    figure_: Any
    ax_: Any
    lines_: dict[str, Any]
    alt_text_: str

    def __init__(
        self,
        costs: Any,
        means: Mapping[str, Any],
        spreads: Mapping[str, Any] | None = None,
        *,
        measure: str = "score",
        title: str = "",
    ) -> None:
        self.costs = costs
        self.means = means
        self.spreads = spreads
        self.measure = measure
        self.title = title

    @classmethod
    def from_curves(
        cls,
        curves: Any,
        *,
        criteria: Sequence[str] | None = None,
        title: str | None = None,
        ax: Any = None,
    ) -> LearningCurveDisplay:
        """Draw the answer of :func:`manyviews.acquire.simulate`.

        Parameters
        ----------
        curves : LearningCurves
            Anything with its ``criteria``, ``costs``, ``band``, ``measure`` and ``method``.
        criteria : sequence of str, optional
            Which curves, in which order; all by default.
        title : str, optional
            What stands above; the name of the method by default.
        ax : matplotlib Axes, optional
            Where to draw; new ones by default.
        """
        bands = {name: curves.band(name) for name in criteria or curves.criteria}
        display = cls(
            curves.costs,
            {name: mean for name, (mean, _) in bands.items()},
            {name: spread for name, (_, spread) in bands.items()},
            measure=curves.measure,
            title=curves.method if title is None else title,
        )
        return display.plot(ax)

    def plot(self, ax: Any = None) -> LearningCurveDisplay:
        """Draw into axes, new ones by default."""
        if ax is None:
            ax = new_figure(6.4, 4.0).subplots()
        costs = np.asarray(self.costs, dtype=float)
        chosen = [name for name in self.means if name != _RANDOM]
        self.lines_ = {}
        for name in self.means:  # random keeps its grey, whichever others there are
            place = chosen.index(name) if name in chosen else None
            colour = QUIET if place is None else COLOURS[place % len(COLOURS)]
            stroke = _QUIET_STROKE if place is None else _STROKES[place % len(_STROKES)]
            self.lines_[name] = self._draw(ax, costs, name, colour, stroke)
        ax.set(xlabel="cost", ylabel=self.measure)
        ax.set_title(self.title, fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False, fontsize="small")
        self.figure_, self.ax_, self.alt_text_ = ax.figure, ax, self._in_words(costs)
        return self

    def _draw(self, ax: Any, costs: FloatArray, name: str, colour: str, stroke: str) -> Any:
        mean = np.asarray(self.means[name], dtype=float)
        if self.spreads is not None and name in self.spreads:
            spread = np.asarray(self.spreads[name], dtype=float)
            ax.fill_between(
                costs, mean - spread, mean + spread, step="post", color=colour, alpha=_BAND, lw=0
            )
        (line,) = ax.plot(
            costs, mean, drawstyle="steps-post", color=colour, linestyle=stroke, label=name
        )
        return line

    def _in_words(self, costs: FloatArray) -> str:
        half = int(np.searchsorted(costs, costs[-1] / 2, side="right")) - 1
        label = f"{self.measure[:1].upper()}{self.measure[1:]}"
        said = [f"{label} against cost, from 0 to {costs[-1]:g}."]
        for name, mean in self.means.items():
            said.append(
                f"{name}: {mean[0]:.3f} at the start, {mean[half]:.3f} half way, {mean[-1]:.3f} at "
                "the end."
            )
        return " ".join(said)
