"""What clusters keep against what they remember, as the annealing of a bottleneck went."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.plot._shared import COLOURS, QUIET, new_figure
from manyviews.typing import IntArray


class InformationCurveDisplay:
    """The information curve of a fitted bottleneck: I(V;C) against I(U;C).

    A point for each β of the annealing, with the number of clusters written where it changes; the
    fit itself is the filled one. No clusters keep more than they remember: the grey line. Build it
    with :meth:`from_estimator`.

    Parameters
    ----------
    beta, i_uc, i_vc : arrays of shape (n_points,)
        β, what is remembered and what is kept, in nats.
    n_clusters : array of int of shape (n_points,)
        How many clusters there are.
    i_uv : float
        All there is to keep, in nats.
    title : str
        What stands above.

    Attributes
    ----------
    figure_ : matplotlib Figure
        After :meth:`plot`.
    ax_ : matplotlib Axes
        The panel.
    alt_text_ : str
        The figure in words, for those who do not see it.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from manyviews.plot import InformationCurveDisplay
    >>> display = InformationCurveDisplay([0, 3, 6], [0, 0.5, 0.7], [0, 0.3, 0.4], [1, 2, 2], 0.8)
    >>> print(display.plot().alt_text_)
    Information kept against information remembered, in nats. From beta 0 to 6, clusters grow from 1
    to 2; those of the last beta remember 0.700 and keep 0.400, 50% of the 0.800 that there is.
    """

    figure_: Any
    ax_: Any
    alt_text_: str

    def __init__(
        self, beta: Any, i_uc: Any, i_vc: Any, n_clusters: Any, i_uv: float, *, title: str = ""
    ) -> None:
        self.beta = beta
        self.i_uc = i_uc
        self.i_vc = i_vc
        self.n_clusters = n_clusters
        self.i_uv = i_uv
        self.title = title

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, title: str | None = None, ax: Any = None
    ) -> InformationCurveDisplay:
        """Draw the curve of a fitted bottleneck.

        Parameters
        ----------
        estimator : InformationBottleneck or ConditionalInformationBottleneck
            Anything with an ``information_curve_``.
        title : str, optional
            What stands above; the name of the method by default.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        curve = estimator.information_curve_
        name = type(estimator).__name__ if title is None else title
        display = cls(curve.beta, curve.i_uc, curve.i_vc, curve.n_clusters, curve.i_uv, title=name)
        return display.plot(ax)

    def plot(self, ax: Any = None) -> InformationCurveDisplay:
        """Draw into a panel, that of a new figure by default."""
        if ax is None:
            ax = new_figure(5.0, 3.4).subplots()
        remembered, kept = np.asarray(self.i_uc, float), np.asarray(self.i_vc, float)
        end = float(kept.max())
        ax.plot([0.0, end], [0.0, end], color=QUIET, linewidth=0.8)
        ax.plot(
            remembered, kept, "o-", color=COLOURS[0], markerfacecolor="white", label="annealing"
        )
        ax.plot(remembered[-1:], kept[-1:], "o", color=COLOURS[0], label="fit")
        for place in self._changes():
            ax.annotate(
                str(int(self.n_clusters[place])),
                (remembered[place], kept[place]),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
                fontsize="small",
            )
        ax.set_xlabel("remembered: I(U;C) in nats")
        ax.set_ylabel("kept: I(V;C) in nats")
        ax.margins(y=0.12)  # room for the numbers
        ax.spines[["top", "right"]].set_visible(False)
        ax.set_title(self.title, fontsize="medium")
        self.figure_, self.ax_, self.alt_text_ = ax.figure, ax, self._in_words()
        return self

    def _changes(self) -> IntArray:
        """Points at which there are more or fewer clusters than before."""
        return np.flatnonzero(np.append(1, np.diff(np.asarray(self.n_clusters))))

    def _in_words(self) -> str:
        share = float(self.i_vc[-1]) / self.i_uv if self.i_uv > 0 else 0.0
        return (
            "Information kept against information remembered, in nats. "
            f"From beta {self.beta[0]:.3g} to {self.beta[-1]:.3g}, clusters grow from "
            f"{int(self.n_clusters[0])} to {int(self.n_clusters[-1])}; those of the last beta "
            f"remember {self.i_uc[-1]:.3f} and keep {self.i_vc[-1]:.3f}, {share:.0%} of the "
            f"{self.i_uv:.3f} that there is."
        )
