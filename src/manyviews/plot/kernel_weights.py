"""Which kernels carry a decision, as bars in the colours of their views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from manyviews.plot._shared import COLOURS, new_figure
from manyviews.typing import FloatArray

_NO_VIEW, _MIXED = "#999999", "#666666"
_TIMES = " × "
"""Stands between the names of kernels that are multiplied."""
SEVERAL = "several views"


class KernelWeightsDisplay:
    """Bars of the weights of kernels, largest on top, the rest in one bar below.

    Build it with :meth:`from_estimator`, or from weights and names.

    Parameters
    ----------
    weights : array of shape (n_kernels,)
        Weight of each kernel, zero or more.
    names : sequence of str
        What each is called.
    views : sequence of str, optional
        The view of each kernel, which gives its bar a colour; of more than seven views shown, the
        last are grey.
    title : str
        What stands above.

    Attributes
    ----------
    figure_, ax_ : matplotlib Figure and Axes
        After :meth:`plot`.
    bars_ : matplotlib BarContainer
        After :meth:`plot`; from top to bottom.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from manyviews.plot import KernelWeightsDisplay
    >>> display = KernelWeightsDisplay([0.1, 0.6, 0.0, 0.2], ["a", "b", "c", "d"]).plot(top=2)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['b', 'd', '2 others']
    >>> [round(float(bar.get_width()), 2) for bar in display.bars_]
    [0.6, 0.2, 0.1]
    """

    figure_: Any
    ax_: Any
    bars_: Any

    def __init__(
        self,
        weights: Any,
        names: Sequence[str],
        *,
        views: Sequence[str] | None = None,
        title: str = "",
    ) -> None:
        self.weights = weights
        self.names = names
        self.views = views
        self.title = title

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        *,
        top: int = 15,
        normalize: bool = False,
        title: str = "",
        ax: Any = None,
    ) -> KernelWeightsDisplay:
        """Draw the weights of a fitted model that has ``kernel_weights_`` and ``kernel_names_``.

        Parameters
        ----------
        model : TwoStageMKL, TargetAlignment or the like
            Fitted.
        top, normalize, ax
            Those of :meth:`plot`.
        title : str
            What stands above.
        """
        if not hasattr(model, "kernel_weights_"):
            raise ValueError(
                f"{type(model).__name__} has no kernel_weights_; fit it, or give one of the "
                "methods of manyviews.mkl that weigh kernels."
            )
        names = list(model.kernel_names_)
        display = cls(model.kernel_weights_, names, views=_views_of(model, names), title=title)
        return display.plot(ax, top=top, normalize=normalize)

    def plot(
        self, ax: Any = None, *, top: int = 15, normalize: bool = False
    ) -> KernelWeightsDisplay:
        """Draw into axes, new ones by default.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        top : int
            How many kernels have a bar of their own; all others share one.
        normalize : bool
            Show shares of the sum of all weights, which compare with those of another method.
        """
        if top < 1:
            raise ValueError(f"top={top!r} should be at least 1.")
        lengths, labels, views = self._bars(top, normalize)
        if ax is None:
            ax = new_figure(6.5, 0.9 + 0.26 * len(lengths)).subplots()
        colours = _colours(self.views, views)
        places = np.arange(len(lengths))
        self.bars_ = ax.barh(places, lengths, color=[colours.get(v, _NO_VIEW) for v in views])
        ax.set_yticks(places, labels)
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel("share of all weight" if normalize else "weight")
        ax.set_title(self.title, fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
        _explain(ax, colours)
        self.figure_, self.ax_ = ax.figure, ax
        return self

    def _bars(self, top: int, normalize: bool) -> tuple[FloatArray, list[str], list[str]]:
        """Lengths, labels and views of the bars, from top to bottom."""
        weights = np.asarray(self.weights, dtype=float)
        if normalize:
            weights = weights / (weights.sum() or 1.0)
        order = np.argsort(-weights, kind="stable")
        if len(order) == top + 1:  # a bar for the rest would not save one
            top += 1
        shown, rest = order[:top], order[top:]
        lengths, labels = weights[shown], [self.names[place] for place in shown]
        views = [] if self.views is None else [self.views[place] for place in shown]
        if len(rest):
            lengths = np.append(lengths, weights[rest].sum())
            labels.append(f"{len(rest)} others")
        return lengths, labels, views + [""] * (len(labels) - len(views))


def _colours(views: Sequence[str] | None, shown: Sequence[str]) -> dict[str, str]:
    """A colour for each view that has a bar, in the order of the views, while there are colours."""
    names = [view for view in dict.fromkeys(views or ()) if view in shown and view != SEVERAL]
    colours = dict(zip(names, COLOURS, strict=False))
    return {**colours, SEVERAL: _MIXED} if SEVERAL in shown else colours


def _explain(ax: Any, colours: dict[str, str]) -> None:
    """A legend, if there is more than one colour to explain."""
    if len(colours) < 2:
        return
    from matplotlib.patches import Patch

    patches = [Patch(color=colour, label=view) for view, colour in colours.items()]
    ax.legend(handles=patches, fontsize="small", framealpha=0.85, edgecolor="none", loc="best")


def _views_of(model: Any, names: list[str]) -> list[str] | None:
    """The view of each kernel, or of each product of kernels; None where that is not known."""
    kernels: Any = getattr(model, "kernels_", None)
    if not hasattr(kernels, "views"):
        return None
    known = dict(zip(kernels.names, kernels.views, strict=True))
    found = []
    for name in names:
        parts = [name] if name in known else name.split(_TIMES)
        views = {known.get(part, "") for part in parts}
        found.append(views.pop() if len(views) == 1 else SEVERAL)
    return found
