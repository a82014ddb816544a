"""Classes drawn from the general to the special, with what excludes each other [@dalvi2015]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from manyviews.maths import Ontology
from manyviews.plot._shared import QUIET, new_figure

_CONTAINS = QUIET
_FURTHER = "#0072B2"
_EXCLUDES = "#D55E00"
_NODE = "#404040"
_MOST_FLAT_LABELS = 8
"""With more columns the names of the lowest classes stand upright."""
_COLUMN, _LEVEL = 0.42, 1.25
"""Inches per column and per level of a new figure."""


class OntologyDisplay:
    """A hierarchy of classes drawn top-down.

    A grey line joins a class with its (first) parent, a blue one with further parents. Siblings
    that all exclude each other share one bracket; other exclusions are dashed arcs.

    Parameters
    ----------
    ontology : Ontology, or what :meth:`Ontology.read` reads
        The classes and constraints.
    counts : dict or sequence, optional
        How many objects each class has, by class or in the order of the classes: written beside
        the name, and shown as the area of the class's dot.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        After :meth:`plot`.
    positions_ : dict
        Where each class stands.
    brackets_ : list of tuples
        The groups of siblings that share a bracket.
    arcs_ : list of pairs
        The other exclusions.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from manyviews.plot import OntologyDisplay
    >>> display = OntologyDisplay.from_ontology({"animal": ["cat", "dog"], "plant": None})
    >>> display.brackets_
    [('animal', 'plant'), ('cat', 'dog')]
    """

    ax_: Any
    figure_: Any
    positions_: dict[Hashable, tuple[float, float]]
    brackets_: list[tuple[Hashable, ...]]
    arcs_: list[tuple[Hashable, Hashable]]

    def __init__(self, ontology: Any, counts: Any = None) -> None:
        self.ontology = Ontology.read(ontology)
        self.counts = _read_counts(counts, self.ontology)

    @classmethod
    def from_ontology(cls, ontology: Any, counts: Any = None, ax: Any = None) -> OntologyDisplay:
        """Draw an ontology.

        Parameters
        ----------
        ontology : Ontology, or what :meth:`Ontology.read` reads
            The classes and constraints.
        counts : dict or sequence, optional
            How many objects each class has.
        ax : matplotlib Axes, optional
            Where; on a new figure by default.
        """
        return cls(ontology, counts).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> OntologyDisplay:
        """Draw it.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where; on a new figure by default.
        """
        self.positions_ = _positions(self.ontology)
        self.brackets_ = list(_exclusive_siblings(self.ontology))
        bracketed = {frozenset(pair) for group in self.brackets_ for pair in combinations(group, 2)}
        self.arcs_ = [pair for pair in self.ontology.mutex if frozenset(pair) not in bracketed]
        n_columns = 1 + max(x for x, _ in self.positions_.values())
        n_levels = 1 - min(y for _, y in self.positions_.values())
        upright = n_columns > _MOST_FLAT_LABELS
        if ax is None:
            width = n_columns * (_COLUMN if upright else 1.1)
            ax = new_figure(max(4.5, width), 1.6 + _LEVEL * n_levels).add_subplot()
        self._draw_containment(ax)
        self._draw_brackets(ax)
        self._draw_arcs(ax)
        self._draw_classes(ax, upright)
        ax.set(xlim=(-0.8, n_columns - 0.2), ylim=(-n_levels + (-0.1 if upright else 0.45), 0.45))
        ax.axis("off")
        self._draw_legend(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _draw_containment(self, ax: Any) -> None:
        for child in self.ontology.classes:
            x, y = self.positions_[child]
            for place, parent in enumerate(self.ontology.parents(child)):
                above_x, above_y = self.positions_[parent]
                if place == 0:
                    bend = above_y - 0.3
                    ax.plot(
                        [above_x, above_x, x, x],
                        [above_y, bend, bend, y],
                        color=_CONTAINS,
                        linewidth=1,
                        zorder=1,
                    )
                else:
                    ax.plot([above_x, x], [above_y, y], color=_FURTHER, linewidth=1.2, zorder=1)

    def _draw_brackets(self, ax: Any) -> None:
        drawn: Counter[tuple[Hashable, ...]] = Counter()
        for group in self.brackets_:
            columns = [self.positions_[name][0] for name in group]
            parent = self.ontology.parents(group[0])[:1]
            height = self.positions_[parent[0]][1] - 0.5 if parent else 0.28
            height -= 0.08 * drawn[parent]  # several groups below one parent lie apart
            drawn[parent] += 1
            line = {"color": _EXCLUDES, "linewidth": 1.6, "zorder": 2}
            ax.plot(columns, [height] * len(columns), "o-", markersize=4.5, **line)

    def _draw_arcs(self, ax: Any) -> None:
        for one, other in self.arcs_:
            start, end = sorted((self.positions_[one], self.positions_[other]))
            ax.annotate(
                "",
                end,
                start,
                arrowprops={
                    "arrowstyle": "-",
                    "linestyle": (0, (4, 3)),
                    "color": _EXCLUDES,
                    "linewidth": 1.2,
                    "connectionstyle": "arc3,rad=-0.2",
                    "shrinkA": 4,
                    "shrinkB": 4,
                },
                zorder=2,
            )

    def _draw_classes(self, ax: Any, upright: bool) -> None:
        largest = max(self.counts.values(), default=0) or 1
        for name, (x, y) in self.positions_.items():
            share = self.counts[name] / largest if self.counts else 0.12
            ax.scatter(x, y, s=12 + 160 * share, color=_NODE, linewidth=0, zorder=3)
            text = f"{name} ({self.counts[name]:,})" if self.counts else str(name)
            radius = np.sqrt(12 + 160 * share) / 2
            lowest = not self.ontology.children(name)
            ax.annotate(
                text,
                (x, y),
                (0, -radius - 3) if lowest else (radius + 3, 2),
                textcoords="offset points",
                rotation=90 if lowest and upright else 0,
                ha="center" if lowest else "left",
                va="top" if lowest else "bottom",
                fontsize=9,
                bbox={"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6},
                zorder=4,
            )

    def _draw_legend(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        further = any(len(self.ontology.parents(name)) > 1 for name in self.ontology.classes)
        kinds = [
            ("contains", _CONTAINS, "-", bool(self.ontology.subset)),
            ("contains, too", _FURTHER, "-", further),
            ("all exclude each other", _EXCLUDES, "-", bool(self.brackets_)),
            ("exclude each other", _EXCLUDES, "--", bool(self.arcs_)),
        ]
        shown = [
            Line2D([], [], color=colour, linestyle=style, label=label)
            for label, colour, style, there in kinds
            if there
        ]
        if shown:
            ax.legend(
                handles=shown,
                loc="upper center",
                bbox_to_anchor=(0.5, 0),
                ncols=len(shown),
                frameon=False,
                fontsize=9,
            )


def _read_counts(counts: Any, ontology: Ontology) -> dict[Hashable, float]:
    if counts is None:
        return {}
    if not isinstance(counts, dict):
        if len(counts) != len(ontology):
            raise ValueError(
                f"There are {len(counts)} counts for {len(ontology)} classes; give one per class."
            )
        return dict(zip(ontology.classes, counts, strict=True))
    unknown = [name for name in counts if name not in ontology.classes]
    if unknown:
        raise ValueError(f"There is a count for {unknown[0]!r}, which is not in the ontology.")
    return {name: counts.get(name, 0) for name in ontology.classes}


def _positions(ontology: Ontology) -> dict[Hashable, tuple[float, float]]:
    """Every class that has nothing below it on a column of its own, the others above theirs."""
    below: dict[Hashable, list[Hashable]] = {name: [] for name in ontology.classes}
    for name in ontology.classes:
        if ontology.parents(name):
            below[ontology.parents(name)[0]].append(name)
    columns: dict[Hashable, float] = {}
    n_columns = 0
    for name in _from_below(ontology.roots, below):
        if below[name]:
            columns[name] = float(np.mean([columns[child] for child in below[name]]))
        else:
            columns[name] = float(n_columns)
            n_columns += 1
    levels = ontology.levels
    return {name: (columns[name], -float(levels[name])) for name in ontology.classes}


def _from_below(
    names: Sequence[Hashable], below: dict[Hashable, list[Hashable]]
) -> Iterator[Hashable]:
    for name in names:
        yield from _from_below(below[name], below)
        yield name


def _exclusive_siblings(ontology: Ontology) -> Iterator[tuple[Hashable, ...]]:
    """Yield groups of classes below the same parents that all exclude each other."""
    excluded = {frozenset(pair) for pair in ontology.mutex}
    families: dict[tuple[Hashable, ...], list[Hashable]] = {}
    for name in ontology.classes:
        families.setdefault(ontology.parents(name)[:1], []).append(name)
    for family in families.values():
        groups: list[list[Hashable]] = []
        for name in family:
            home = next(
                (g for g in groups if all(frozenset((name, member)) in excluded for member in g)),
                None,
            )
            if home is None:
                groups.append([name])
            else:
                home.append(name)
        yield from (tuple(group) for group in groups if len(group) > 1)
