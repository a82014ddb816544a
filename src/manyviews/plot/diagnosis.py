"""A diagnosis of views at a glance: what each can do, who is missing, and who says the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.plot._shared import QUIET, new_figure
from manyviews.typing import FloatArray, IntArray

_VIEW = "#0072B2"  # blue, vermilion and grey of Okabe and Ito: told apart in any colour vision
_JOINT = "#D55E00"
_EMPTY = "#EFEFEF"


class DiagnosisDisplay:
    """One figure of a :func:`manyviews.diagnose` answer.

    Build it with :meth:`from_diagnosis`.

    Parameters
    ----------
    names : list of str
        The views.
    quality, quality_error, chance, observed : arrays of shape (n_views,)
        Bars of the upper row; NaN where something was not measured.
    joint, joint_error, joint_chance : float
        The same for all views together, NaN if not measured.
    together : array of shape (n_views,), optional
        Quality of all views on the objects that have each view, marked on its bar: where views are
        missing, a view and all views can only be compared there.
    measure : str
        What the quality is, for the axis.
    agreement, dependence : arrays of shape (n_views, n_views)
        The two heat maps; NaN on the diagonal and where something was not measured.
    agreement_name, dependence_name : str
        Their titles.

    Attributes
    ----------
    figure_ : matplotlib Figure
        After :meth:`plot`.
    axes_ : dict of str to matplotlib Axes
        ``quality`` and ``observed``; ``agreement`` and ``dependence`` if there are two views.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> from manyviews import diagnose
    >>> from manyviews.plot import DiagnosisDisplay
    >>> rng = np.random.default_rng(0)
    >>> found = diagnose({"a": rng.normal(size=(60, 3)), "b": rng.normal(size=(60, 2))})
    >>> display = DiagnosisDisplay.from_diagnosis(found)
    >>> sorted(display.axes_)
    ['agreement', 'dependence', 'observed', 'quality']
    """

    figure_: Any
    axes_: dict[str, Any]

    def __init__(
        self,
        *,
        names: list[str],
        quality: FloatArray,
        quality_error: FloatArray,
        chance: FloatArray,
        observed: FloatArray,
        joint: float,
        joint_error: float = np.nan,
        joint_chance: float = np.nan,
        together: FloatArray | None = None,
        measure: str,
        agreement: FloatArray,
        dependence: FloatArray,
        agreement_name: str = "agreement",
        dependence_name: str = "dependence",
    ) -> None:
        self.names = names
        self.quality = quality
        self.quality_error = quality_error
        self.chance = chance
        self.observed = observed
        self.joint = joint
        self.joint_error = joint_error
        self.joint_chance = joint_chance
        self.together = together
        self.measure = measure
        self.agreement = agreement
        self.dependence = dependence
        self.agreement_name = agreement_name
        self.dependence_name = dependence_name

    @classmethod
    def from_diagnosis(cls, diagnosis: Any, *, figure: Any = None) -> DiagnosisDisplay:
        """Draw the answer of :func:`manyviews.diagnose`.

        Parameters
        ----------
        diagnosis : Diagnosis
            Anything with its ``per_view``, ``per_pair`` and ``joint``.
        figure : matplotlib Figure or SubFigure, optional
            Where to draw; a new figure by default.
        """
        views = diagnosis.per_view
        names = [view.name for view in views]
        clustered = diagnosis.joint.measure == "silhouette"
        given = any(pair.given == "class" for pair in diagnosis.per_pair)
        display = cls(
            names=names,
            quality=_numbers([view.quality for view in views]),
            quality_error=_numbers([view.quality_error for view in views]),
            chance=_numbers([view.chance for view in views]),
            observed=_numbers([view.observed for view in views]),
            joint=_number(diagnosis.joint.quality),
            joint_error=_number(diagnosis.joint.quality_error),
            joint_chance=_number(diagnosis.joint.chance),
            together=(
                _numbers([view.together for view in views])
                if diagnosis.joint.complete < 1.0 and not clustered
                else None
            ),
            measure=diagnosis.joint.measure,
            agreement=_square(names, diagnosis.per_pair, "agreement"),
            dependence=_square(names, diagnosis.per_pair, "dependence"),
            agreement_name=(
                "agreement of clusterings\n(adjusted Rand index)"
                if clustered
                else "agreement of predictions\n(share of objects)"
            ),
            dependence_name=(
                "dependence given the class\n(0 independent, 1 the same)"
                if given
                else "dependence\n(0 independent, 1 the same)"
            ),
        )
        return display.plot(figure=figure)

    def plot(self, *, figure: Any = None) -> DiagnosisDisplay:
        """Draw into a figure, a new one by default."""
        n_views = len(self.names)
        panels = [["quality", "observed"]]
        if n_views > 1:
            panels.append(["agreement", "dependence"])
        figure = _new_figure(n_views, len(panels)) if figure is None else figure
        axes = figure.subplot_mosaic(
            panels, height_ratios=[1.0, 1.7][: len(panels)], width_ratios=[1.0, 1.0]
        )
        self._plot_quality(axes["quality"])
        self._plot_observed(axes["observed"])
        if n_views > 1:
            _heat_map(axes["agreement"], self.names, self.agreement, self.agreement_name)
            _heat_map(axes["dependence"], self.names, self.dependence, self.dependence_name)
        self.figure_, self.axes_ = figure, axes
        return self

    def _plot_quality(self, axes: Any) -> None:
        values, names, colours = self.quality, list(self.names), [_VIEW] * len(self.names)
        errors, chance = self.quality_error, self.chance
        if len(self.names) > 1:
            values, names = np.append(values, self.joint), [*names, "all views"]
            colours = [*colours, _JOINT]
            errors = np.append(errors, self.joint_error)
            chance = np.append(chance, self.joint_chance)
        rows = np.arange(len(names))
        shown = np.nan_to_num(values)
        axes.barh(rows, shown, color=colours, height=0.7)
        known = np.isfinite(errors)
        axes.errorbar(
            shown[known], rows[known], xerr=errors[known], fmt="none", ecolor="black", capsize=2
        )
        for row, value in zip(rows, chance, strict=True):
            if np.isfinite(value):
                axes.plot([value, value], [row - 0.42, row + 0.42], color="black", linestyle=":")
        marks = "dotted: chance"
        reach = np.nan_to_num(errors)
        if self.together is not None:
            views = rows[: len(self.names)]
            axes.plot(
                self.together, views, "D", color=_JOINT, markeredgecolor="white", markersize=6
            )
            marks += "; diamond: all views, same objects"
            reach[views] = np.fmax(reach[views], self.together - self.quality + 0.02)
        _label_bars(axes, rows, values, reach, "{:.2f}")
        axes.set_title(f"{self.measure}\n({marks})", fontsize="medium")
        _finish_bars(axes, rows, names, len(names))

    def _plot_observed(self, axes: Any) -> None:
        rows = np.arange(len(self.names))
        axes.barh(rows, np.ones(len(rows)), color=_EMPTY, height=0.7)
        axes.barh(rows, self.observed, color=QUIET, height=0.7)
        _label_bars(axes, rows, self.observed, np.full(len(rows), 0.0), "{:.0%}")
        axes.set_title("observed\n(share of objects)", fontsize="medium")
        _finish_bars(axes, rows, self.names, len(rows) + (len(rows) > 1))


def _new_figure(n_views: int, n_rows: int) -> Any:
    height = 1.6 + 0.3 * n_views + (0.6 + 0.55 * max(n_views, 4) if n_rows > 1 else 0.0)
    return new_figure(max(7.5, 3.0 + 1.1 * n_views), height)


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)


def _numbers(values: list[float | None]) -> FloatArray:
    return np.array([_number(value) for value in values])


def _square(names: list[str], pairs: Any, field: str) -> FloatArray:
    table = np.full((len(names), len(names)), np.nan)
    for pair in pairs:
        first, second = (names.index(name) for name in pair.views)
        table[first, second] = table[second, first] = _number(getattr(pair, field))
    return table


def _label_bars(
    axes: Any, rows: IntArray, values: FloatArray, errors: FloatArray, form: str
) -> None:
    for row, value, error in zip(rows, values, errors, strict=True):
        text = form.format(value) if np.isfinite(value) else "not measured"
        place = max(value + error, 0.0) if np.isfinite(value) else 0.0
        axes.annotate(
            text,
            (place, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )


def _finish_bars(axes: Any, rows: IntArray, names: list[str], n_rows: int) -> None:
    axes.set_yticks(rows, names)
    axes.set_ylim(n_rows - 0.45, -0.55)  # both panels alike, so that the same view is level
    axes.set_xlim(min(0.0, axes.get_xlim()[0]), 1.18)
    axes.set_xticks([0.0, 0.5, 1.0])
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _heat_map(axes: Any, names: list[str], table: FloatArray, title: str) -> None:
    axes.set_facecolor(_EMPTY)
    axes.imshow(np.ma.masked_invalid(table), cmap="Blues", vmin=0.0, vmax=1.0)
    for row, column in np.ndindex(table.shape):
        value = table[row, column]
        if row == column:
            continue
        axes.text(
            column,
            row,
            f"{value:.2f}".replace("-0.00", "0.00") if np.isfinite(value) else "–",
            ha="center",
            va="center",
            fontsize="small",
            color="white" if value > 0.6 else "black",
        )
    longest = max(len(name) for name in names)
    axes.set_xticks(range(len(names)), names, rotation=30 if longest * len(names) > 28 else 0)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize="medium")
