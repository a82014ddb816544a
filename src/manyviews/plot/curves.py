"""Curves measured along something that varies, ours beside the published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyviews.plot._shared import COLOURS, new_figure
from manyviews.typing import FloatArray

_CURVES = (*COLOURS, "#999999")
_LOG_SPAN = 100.0
"""Positive points that span more than this are shown on a logarithmic axis. A judgement: of points
at equal ratios the lower half would share less than a tenth of a linear one."""


class CurvesDisplay:
    """Curves with their spread, and published points where there are some.

    Parameters
    ----------
    points : sequence of float
        What varies, from left to right.
    curves : mapping of arrays
        By name: one value per point, NaN where nothing was measured.
    spreads : mapping of arrays, optional
        By name: standard deviations, shown as a band.
    published : mapping of arrays, optional
        By name: values to compare with, shown as open circles; NaN where there is none.
    x_label, y_label, title : str
        What stands at the axes and above.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        After :meth:`plot`.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = CurvesDisplay([0, 1], {"ours": [0.5, 0.7]}, x_label="noise", y_label="NMI")
    >>> display.plot().ax_.get_xlabel()
    'noise'
    """

    figure_: Any
    ax_: Any

    def __init__(
        self,
        points: Sequence[float],
        curves: Mapping[str, Any],
        *,
        spreads: Mapping[str, Any] | None = None,
        published: Mapping[str, Any] | None = None,
        x_label: str = "",
        y_label: str = "",
        title: str = "",
    ) -> None:
        self.points = points
        self.curves = curves
        self.spreads = spreads
        self.published = published
        self.x_label = x_label
        self.y_label = y_label
        self.title = title

    def plot(self, ax: Any = None) -> CurvesDisplay:
        """Draw into axes, new ones by default."""
        if ax is None:
            ax = new_figure(6.5, 4.2).subplots()
        x = np.asarray(self.points, dtype=float)
        for number, name in enumerate(self.curves):
            self._draw(ax, x, name, _CURVES[number % len(_CURVES)])
        if (x > 0).all() and x.max() > _LOG_SPAN * x.min():
            ax.set_xscale("log")
        ax.set(xlabel=self.x_label, ylabel=self.y_label)
        ax.set_title(self.title, fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(fontsize="small", framealpha=0.85, edgecolor="none")
        self.figure_, self.ax_ = ax.figure, ax
        return self

    def _draw(self, ax: Any, x: FloatArray, name: str, colour: str) -> None:
        values = np.asarray(self.curves[name], dtype=float)
        ax.plot(x, values, color=colour, marker=".", label=name)
        if self.spreads is not None and name in self.spreads:
            spread = np.nan_to_num(np.asarray(self.spreads[name], dtype=float))
            ax.fill_between(x, values - spread, values + spread, color=colour, alpha=0.18, lw=0)
        theirs = np.asarray((self.published or {}).get(name, np.nan), dtype=float)
        if np.isfinite(theirs).any():
            ax.plot(x, theirs, "o", mfc="none", color=colour, label=f"{name}, published")
