"""Growing a tree top-down, each node split by the view that splits it best [@gupta2005]."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from manyviews.cluster._trees._rows import means_of_members
from manyviews.cluster._trees._span import coordinates, is_wide
from manyviews.cluster._trees._split_tree import SplitTree
from manyviews.cluster._trees._ward_split import Split, find_split, margin, prefers_second
from manyviews.data import Views
from manyviews.maths import Divergence, cluster_cost, dense_within_memory
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class SeenRows:
    """Objects as the splits see them: one dense matrix, mask and divergence per view."""

    names: tuple[str, ...]
    matrices: tuple[FloatArray, ...]
    observed: BoolArray
    divergences: tuple[Divergence, ...]
    columns: tuple[Matrix | None, ...]
    """The rows in their own columns, of views whose matrix has them in other coordinates."""

    @classmethod
    def of(cls, views: Views, divergences: dict[str, Divergence]) -> SeenRows:
        """Take the views in double precision, refusing what a divergence cannot measure."""
        matrices = []
        for name in views.names:
            matrices.append(dense_view(views, name))
            divergences[name].check(matrices[-1], view=name)
        own = tuple(divergences.values())
        return cls(views.names, tuple(matrices), views.observed, own, (None,) * len(own))

    @classmethod
    def in_span(cls, views: Views, divergences: dict[str, Divergence]) -> SeenRows:
        """Take wide views by their coordinates in the span of their rows, others as they are."""
        wide = {
            name: matrix for name, matrix in views.items() if is_wide(matrix, divergences[name])
        }
        few = {name: coordinates(rows, views.observed_in(name)) for name, rows in wide.items()}
        narrow = Views(dict(views.items()) | few, observed=views.observed)
        columns = tuple(
            wide[name].astype(np.float64) if name in wide else None for name in views.names
        )
        return replace(cls.of(narrow, divergences), columns=columns)

    def columns_in(self, view: int, rows: IntArray) -> Matrix | None:
        """The given rows that one view shows in their own columns, if it has other coordinates."""
        columns = self.columns[view]
        return None if columns is None else columns[rows[self.observed[rows, view]]]

    def rows_in(self, view: int, rows: IntArray) -> FloatArray:
        """The given rows of one view, those that it shows."""
        return self.matrices[view][rows[self.observed[rows, view]]]

    def whole_costs(self) -> FloatArray:
        """Cost in each view of all objects as one cluster."""
        everyone = np.arange(len(self.observed))
        return np.array(
            [
                cluster_cost(divergence, self.rows_in(view, everyone))
                for view, divergence in enumerate(self.divergences)
            ]
        )


def dense_columns(matrix: Matrix, name: str) -> FloatArray:
    """A view with all its zeros, in double precision; refused where that takes too much memory."""
    n_objects, n_features = matrix.shape
    dense = dense_within_memory(
        matrix,
        f"view {name!r} made dense, {n_objects:,} objects with {n_features:,} features,",
        remedy="reduce it first, as by PerView(TruncatedSVD(100))",
    )
    return np.asarray(dense, dtype=np.float64)


def dense_view(views: Views, name: str) -> FloatArray:
    """One view as rows in double precision, NaN where it is unobserved."""
    matrix = views[name]
    if not is_sparse(matrix):
        return np.ascontiguousarray(matrix, dtype=np.float64)
    dense = dense_columns(matrix, name)
    dense[~views.observed_in(name)] = np.nan
    return dense


@dataclass(frozen=True)
class SplitRule:
    """How far and how carefully nodes are split."""

    max_leaves: int | None = None
    condense: int = 256
    refine: bool = True


@dataclass(frozen=True)
class Choice:
    """The split of a node, made by the view that does it best."""

    view: int
    split: Split
    goodness: float
    gain: float


def best_split(
    data: SeenRows, rows: IntArray, wholes: FloatArray, rule: SplitRule
) -> Choice | None:
    """Let every view split the rows it shows, and take the split that is best."""
    choices: list[tuple[float, float, Choice]] = []
    for view, divergence in enumerate(data.divergences):
        X = data.rows_in(view, rows)
        split = find_split(
            X,
            divergence,
            condense=rule.condense,
            refine=rule.refine,
            columns=data.columns_in(view, rows),
        )
        if split is not None:
            goodness = goodness_of(split, len(X) / len(rows))
            gain = (split.before - split.after) / wholes[view]
            left = split.before / wholes[view]
            choices.append((goodness, left, Choice(view, split, goodness, gain)))
    return max(choices, key=lambda choice: choice[:2])[2] if choices else None


def goodness_of(split: Split, seen: float) -> float:
    """cost(X) / (cost(X₁) + cost(X₂)), if the share of objects not seen stays unsplit.

    Examples
    --------
    >>> halves = Split(np.array([False, True]), np.zeros((2, 1)), before=8.0, after=2.0)
    >>> goodness_of(halves, seen=1.0), goodness_of(halves, seen=0.5)
    (4.0, 1.6)
    """
    left = seen * (split.after / split.before) + (1 - seen)
    return 1 / left if left > 0 else np.inf  # Section 4.2


def lead(
    data: SeenRows, rows: IntArray, view: int, means: list[FloatArray], spreads: FloatArray
) -> BoolArray:
    """Say which rows go to the second half: by the split's view, else by the others together."""
    second = np.zeros(len(rows), dtype=bool)
    seen = data.observed[rows, view]
    second[seen] = prefers_second(
        data.matrices[view][rows[seen]], means[view], data.divergences[view]
    )
    if not seen.all():
        second[~seen] = _by_other_views(data, rows[~seen], means, spreads)
    return second


def _by_other_views(
    data: SeenRows, rows: IntArray, means: list[FloatArray], spreads: FloatArray
) -> BoolArray:
    """Compare the halves in all views that rows have, each in units of its own spread."""
    total = np.zeros(len(rows))
    for view, divergence in enumerate(data.divergences):
        if np.isnan(means[view]).any() or spreads[view] == 0:
            continue  # one half is not seen in this view, or nothing varies there
        seen = data.observed[rows, view]
        gap = margin(data.matrices[view][rows[seen]], means[view], divergence)
        total[seen] += gap / spreads[view]
    return total > 0


def grow_tree(
    data: SeenRows, rule: SplitRule, report: Callable[[str], None] | None = None
) -> SplitTree:
    """Split all objects top-down, the node next whose split takes away most of its view's cost.

    Parameters
    ----------
    data : SeenRows
        The objects.
    rule : SplitRule
        How far and how carefully to split.
    report : callable, optional
        Told of every split.
    """
    everyone = np.arange(len(data.observed))
    wholes = data.whole_costs()
    spreads = wholes / np.maximum(data.observed.sum(axis=0), 1)
    growth = _Growth(data, everyone)
    queue: list[tuple[float, int, IntArray, Choice]] = []

    def consider(node: int, rows: IntArray) -> None:
        choice = best_split(data, rows, wholes, rule) if len(rows) > 1 else None
        if choice is not None:
            heapq.heappush(queue, (-choice.gain, node, rows, choice))

    consider(0, everyone)
    while queue and (rule.max_leaves is None or growth.n_leaves < rule.max_leaves):
        _, node, rows, choice = heapq.heappop(queue)
        halves = growth.apply(node, rows, choice, spreads)
        if report is not None:
            report(growth.last_split())
        for child, half in enumerate(halves, len(growth.sizes) - 2):
            consider(child, half)
    return growth.tree(spreads)


class _Growth:
    """The tree while it grows."""

    def __init__(self, data: SeenRows, everyone: IntArray) -> None:
        self.data = data
        self.nodes: list[int] = []
        self.choices: list[Choice] = []
        self.sizes = [len(everyone)]
        self.leaf_of = np.zeros(len(everyone), dtype=np.intp)
        self.cores = [everyone]
        """Objects that each node's means are of: those that the view of the split shows."""
        self.means = [[_mean(data.rows_in(v, everyone))] for v in range(len(data.names))]

    @property
    def n_leaves(self) -> int:
        return len(self.nodes) + 1

    def apply(
        self, node: int, rows: IntArray, choice: Choice, spreads: FloatArray
    ) -> tuple[IntArray, IntArray]:
        """Divide a node; objects that the view does not show follow the others."""
        seen = self.data.observed[rows, choice.view]
        core = rows[seen]
        cores = core[~choice.split.second], core[choice.split.second]
        means = self._half_means(cores, choice)
        second = np.zeros(len(rows), dtype=bool)
        second[seen] = choice.split.second
        if not seen.all():
            second[~seen] = _by_other_views(self.data, rows[~seen], means, spreads)
        halves = rows[~second], rows[second]
        for place, half in enumerate(halves):
            self.leaf_of[half] = len(self.sizes)
            self.sizes.append(len(half))
            for view_means, pair in zip(self.means, means, strict=True):
                view_means.append(pair[place])
        self.cores.extend(cores)
        self.nodes.append(node)
        self.choices.append(choice)
        return halves

    def _half_means(self, halves: tuple[IntArray, IntArray], choice: Choice) -> list[FloatArray]:
        return [
            choice.split.means
            if view == choice.view
            else np.stack([_mean(self.data.rows_in(view, half)) for half in halves])
            for view in range(len(self.data.names))
        ]

    def last_split(self) -> str:
        """One line on the split made last."""
        choice = self.choices[-1]
        return (
            f"{self.n_leaves} leaves, view {self.data.names[choice.view]!r} splits "
            f"{self.sizes[self.nodes[-1]]} objects into {self.sizes[-2]} and {self.sizes[-1]}, "
            f"goodness {choice.goodness:.4g}"
        )

    def tree(self, spreads: FloatArray) -> SplitTree:
        names = self.data.names
        return SplitTree(
            view_names=names,
            split_nodes=np.array(self.nodes, dtype=np.intp),
            split_views=np.array([choice.view for choice in self.choices], dtype=np.intp),
            goodness=np.array([choice.goodness for choice in self.choices], dtype=float),
            gains=np.array([choice.gain for choice in self.choices], dtype=float),
            sizes=np.array(self.sizes, dtype=np.intp),
            leaf_of=self.leaf_of,
            means={name: self._node_means(view) for view, name in enumerate(names)},
            spreads={name: float(s) for name, s in zip(names, spreads, strict=True)},
        )

    def _node_means(self, view: int) -> FloatArray:
        """Means of all nodes in the columns of a view."""
        columns, seen = self.data.columns[view], self.data.observed[:, view]
        if columns is None:
            return np.stack(self.means[view])
        cores = [core[seen[core]] for core in self.cores]
        ends = np.cumsum([0, *map(len, cores)])
        marks = np.ones(ends[-1]), np.concatenate(cores), ends
        members = sparse.csr_array(marks, shape=(len(cores), len(seen)))
        return means_of_members(columns, members)[0]


def _mean(X: FloatArray) -> FloatArray:
    return X.sum(axis=0) / len(X) if len(X) else np.full(X.shape[1], np.nan)


def route(tree: SplitTree, data: SeenRows, n_splits: int) -> IntArray:
    """Lead objects down the first splits of a tree; return the node where each ends."""
    place = np.zeros(len(data.observed), dtype=np.intp)
    waiting = {0: np.arange(len(data.observed))}
    spreads = np.array([tree.spreads[name] for name in data.names])
    for split in range(n_splits):
        rows = waiting.pop(int(tree.split_nodes[split]), None)
        if rows is None:
            continue
        nodes = (2 * split + 1, 2 * split + 2)
        means = [tree.means[name][nodes, :] for name in data.names]
        second = lead(data, rows, int(tree.split_views[split]), means, spreads)
        for node, half in zip(nodes, (rows[~second], rows[second]), strict=True):
            place[half] = node
            if len(half):
                waiting[node] = half
    return place
