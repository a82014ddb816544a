"""A tree of objects, every fork in the colour of the view that made it [@gupta2005]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from manyviews.plot._shared import COLOURS, QUIET, new_figure
from manyviews.typing import AnyArray, FloatArray, IntArray

_MOST_LABELS = 150
"""Tips that are named if nobody gives names. A judgement: a new figure is 24 inches long at most,
in which 150 numbers stand a sixth of an inch apart."""
_LEVEL_STEP = 0.012
"""Share of the tree's height by which forks that would coincide are drawn apart."""

Orientation = Literal["left", "top"]


class DendrogramDisplay:
    """A tree drawn with its forks in the colours of the views.

    Build it with :meth:`from_estimator`, :meth:`from_tree` or :meth:`from_linkage`.

    Parameters
    ----------
    linkage : array of shape (n_objects - 1, 4)
        The merges, in SciPy's form.
    merge_views : array of int of shape (n_objects - 1,), optional
        The view of each merge, as a place in ``view_names``; -1 for none.
    view_names : sequence of str
        What the legend calls the views; without any there is no legend.
    height_name : str
        What the heights are, for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        After :meth:`plot`.
    figure_ : matplotlib Figure
        After :meth:`plot`.
    tips_ : list of int
        What stands at the ends, in the order drawn: an object's row, or ``n_objects + row`` for
        a merge that is not opened.
    lines_ : matplotlib LineCollection
        The forks, in the order of ``linkage``, those that are shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from manyviews.cluster import HybridTree
    >>> from manyviews.plot import DendrogramDisplay
    >>> views = {"size": [[0.0], [0.1], [9.0]], "colour": [[1.0], [2.0], [1.5]]}
    >>> display = DendrogramDisplay.from_estimator(HybridTree().fit(views))
    >>> display.tips_, [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ([0, 1, 2], ['size: 1 split', 'colour: 1 split'])
    """

    ax_: Any
    figure_: Any
    tips_: list[int]
    lines_: Any

    def __init__(
        self,
        *,
        linkage: FloatArray,
        merge_views: IntArray | None = None,
        view_names: Sequence[str] = (),
        height_name: str = "height",
    ) -> None:
        self.linkage = linkage
        self.merge_views = merge_views
        self.view_names = view_names
        self.height_name = height_name

    @classmethod
    def from_estimator(cls, model: Any, **options: Any) -> DendrogramDisplay:
        """Draw the tree of a fitted model that has ``tree_`` or ``linkage_``.

        Parameters
        ----------
        model : HybridTree, BregmanWard or the like
            Fitted.
        **options
            Those of :meth:`plot`.
        """
        if hasattr(model, "tree_"):
            return cls.from_tree(model.tree_, **options)
        if hasattr(model, "linkage_"):
            return cls.from_linkage(model.linkage_, **options)
        raise ValueError(
            f"{type(model).__name__} has neither tree_ nor linkage_; fit a HybridTree or a "
            "BregmanWard and give that."
        )

    @classmethod
    def from_tree(cls, tree: Any, **options: Any) -> DendrogramDisplay:
        """Draw a :class:`manyviews.cluster.SplitTree`.

        Parameters
        ----------
        tree : SplitTree
            The tree.
        **options
            Those of :meth:`plot`.
        """
        display = cls(
            linkage=tree.to_linkage(),
            merge_views=tree.merge_views,
            view_names=tree.view_names,
            height_name="root of the share of cost that the split removes",
        )
        return display.plot(**options)

    @classmethod
    def from_linkage(cls, linkage: FloatArray, **options: Any) -> DendrogramDisplay:
        """Draw a linkage as SciPy knows it, in one colour.

        Parameters
        ----------
        linkage : array of shape (n_objects - 1, 4)
            The merges.
        **options
            Those of :meth:`plot`.
        """
        return cls(linkage=np.asarray(linkage, dtype=float)).plot(**options)

    def plot(
        self,
        *,
        ax: Any = None,
        labels: Sequence[Any] | AnyArray | None = None,
        n_tips: int | None = None,
        n_clusters: int | None = None,
        orientation: Orientation = "left",
        colors: Sequence[Any] | None = None,
    ) -> DendrogramDisplay:
        """Draw the tree.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; on a new figure by default.
        labels : sequence, optional
            What the objects are called; their row numbers by default.
        n_tips : int, optional
            Show only the top of the tree, down to so many ends; those that hold several objects
            are labelled with their number.
        n_clusters : int, optional
            Draw a line that cuts the tree into so many clusters.
        orientation : {"left", "top"}
            Where the root is.
        colors : sequence of matplotlib colours, optional
            One per view.
        """
        shown = self._shown_merges(n_tips)
        self.tips_ = _tips_in_order(self.linkage, shown)
        names = self._tip_names(labels)
        if ax is None:
            ax = _new_axes(len(self.tips_), orientation)
        palette = self._palette(colors)
        forks = _forks(self.linkage, shown, self.tips_)
        self.lines_ = _draw(ax, forks, self._fork_colours(shown, palette), orientation)
        top = float(self.linkage[-1, 2]) if shown else 1.0
        _finish(ax, len(self.tips_), names, top, orientation)
        _label_heights(ax, self.height_name, orientation)
        if n_clusters is not None:
            self._draw_cut(ax, n_clusters, orientation)
        self._draw_legend(ax, shown, palette)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _shown_merges(self, n_tips: int | None) -> list[int]:
        """Rows of the merges that are opened, the last ones."""
        if n_tips is not None and n_tips < 1:
            raise ValueError(f"n_tips={n_tips!r} should be at least 1.")
        count = len(self.linkage) if n_tips is None else min(n_tips - 1, len(self.linkage))
        return list(range(len(self.linkage) - count, len(self.linkage)))

    def _tip_names(self, labels: Sequence[Any] | AnyArray | None) -> list[str]:
        n_objects = len(self.linkage) + 1
        if labels is not None and len(labels) != n_objects:
            raise ValueError(f"labels has {len(labels)} entries for {n_objects} objects.")
        if labels is None and len(self.tips_) > _MOST_LABELS:
            return []
        names = range(n_objects) if labels is None else labels
        return [
            str(names[tip])
            if tip < n_objects
            else f"({int(self.linkage[tip - n_objects, 3])} objects)"
            for tip in self.tips_
        ]

    def _palette(self, colors: Sequence[Any] | None) -> list[Any]:
        given = list(COLOURS if colors is None else colors)
        if colors is not None and len(given) < len(self.view_names):
            raise ValueError(f"colors has {len(given)} for {len(self.view_names)} views.")
        return [given[place % len(given)] for place in range(max(len(self.view_names), 1))]

    def _fork_colours(self, shown: list[int], palette: list[Any]) -> list[Any]:
        if self.merge_views is None:
            return [palette[0]] * len(shown)
        views = self.merge_views[shown].tolist() if shown else []
        return [palette[view] if view >= 0 else QUIET for view in views]

    def _draw_legend(self, ax: Any, shown: list[int], palette: list[Any]) -> None:
        if self.merge_views is None or not self.view_names:
            return
        from matplotlib.lines import Line2D

        views = self.merge_views[shown].tolist() if shown else []
        counts = [views.count(place) for place in range(len(self.view_names))]
        handles = [
            Line2D([], [], color=colour, linewidth=2, label=f"{name}: {count} {_splits(count)}")
            for name, colour, count in zip(self.view_names, palette, counts, strict=True)
        ]
        ax.legend(  # above the tree, which may reach any corner
            handles=handles,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=min(len(handles), 4),
            frameon=False,
        )

    def _draw_cut(self, ax: Any, n_clusters: int, orientation: Orientation) -> None:
        heights = np.concatenate([[0.0], self.linkage[:, 2]])[::-1]
        if not 1 < n_clusters < len(heights):
            raise ValueError(
                f"n_clusters={n_clusters!r} cannot be drawn as a cut of {len(heights)} objects; "
                f"give a number from 2 to {len(heights) - 1}."
            )
        height = (heights[n_clusters - 2] + heights[n_clusters - 1]) / 2
        line = ax.axvline if orientation == "left" else ax.axhline
        line(height, color=QUIET, linestyle=":", linewidth=1.2, zorder=0)


def _tips_in_order(linkage: FloatArray, shown: list[int]) -> list[int]:
    """Objects or subtrees at the ends, the larger branch first."""
    n_objects = len(linkage) + 1
    opened = {n_objects + row for row in shown}
    tips, stack = [], [2 * n_objects - 2]
    while stack:
        node = stack.pop()
        if node in opened:
            pair = linkage[node - n_objects, :2].astype(int).tolist()
            stack.extend(sorted(pair, key=lambda child: (_size(linkage, child), -child)))
        else:
            tips.append(node)
    return tips


def _size(linkage: FloatArray, node: int) -> int:
    n_objects = len(linkage) + 1
    return 1 if node < n_objects else int(linkage[node - n_objects, 3])


def _forks(linkage: FloatArray, shown: list[int], tips: list[int]) -> list[FloatArray]:
    """Corners of each fork as (place, height), from one branch over the top to the other.

    A fork that would lie level with one of its own branches is drawn a little above it.
    """
    n_objects = len(linkage) + 1
    place = {tip: float(number) for number, tip in enumerate(tips)}
    height = dict.fromkeys(tips, 0.0)
    forks = []
    step = _LEVEL_STEP * float(linkage[-1, 2]) if shown else 0.0
    for row in shown:
        one, other = linkage[row, :2].astype(int).tolist()
        top, below = float(linkage[row, 2]), max(height[one], height[other])
        top = top if top > below or below == 0 else below + step
        forks.append(
            np.array(
                [
                    (place[one], height[one]),
                    (place[one], top),
                    (place[other], top),
                    (place[other], height[other]),
                ]
            )
        )
        place[n_objects + row] = (place[one] + place[other]) / 2
        height[n_objects + row] = top
    return forks


def _new_axes(n_tips: int, orientation: Orientation) -> Any:
    along = float(np.clip(0.21 * n_tips + 1.0, 3.0, 24.0))
    size = (6.5, along) if orientation == "left" else (max(along, 5.0), 4.5)
    return new_figure(*size).add_subplot()


def _draw(ax: Any, forks: list[FloatArray], colours: list[Any], orientation: Orientation) -> Any:
    from matplotlib.collections import LineCollection

    corners = [fork[:, ::-1] if orientation == "left" else fork for fork in forks]
    lines = LineCollection(corners, colors=colours, linewidths=1.6, capstyle="projecting")
    return ax.add_collection(lines, autolim=False)


def _finish(ax: Any, n_tips: int, names: list[str], top: float, orientation: Orientation) -> None:
    """Put the root at one side and the ends, with their names, at the other."""
    places, margin = range(len(names)), 0.6
    if orientation == "left":
        ax.set_xlim(1.04 * top, 0.0)
        ax.set_ylim(n_tips - 1 + margin, -margin)
        ax.set_yticks(places, names)
        ax.yaxis.tick_right()
        ax.tick_params(axis="y", length=0)
        ax.spines[["top", "left", "right"]].set_visible(False)
    else:
        ax.set_ylim(0.0, 1.04 * top)
        ax.set_xlim(-margin, n_tips - 1 + margin)
        ax.set_xticks(places, names, rotation=90 if len(names) > 12 else 0)
        ax.tick_params(axis="x", length=0)
        ax.spines[["top", "bottom", "right"]].set_visible(False)


def _label_heights(ax: Any, name: str, orientation: Orientation) -> None:
    if orientation == "left":
        ax.set_xlabel(name)
    else:
        ax.set_ylabel(name)


def _splits(count: int) -> str:
    return "split" if count == 1 else "splits"
