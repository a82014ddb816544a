"""Top-down clustering in which every split is made by the view that splits best [@gupta2005]."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse

from manyviews.base import (
    BaseMultiViewClusterer,
    ViewTags,
    check_params,
    hint_at_scales,
    warn_of_minutes,
)
from manyviews.cluster.trees._shared import (
    compared_rows,
    coordinates,
    dense_view,
    is_wide,
    mean_rows,
    means_of_members,
    rooted_views,
)
from manyviews.cluster.trees.bregman_ward import Part, agglomerate, cut_tree
from manyviews.cluster.trees.split_tree import SplitTree
from manyviews.data import Views, per_view
from manyviews.maths import Divergence, SquaredEuclidean, cluster_cost, merge_cost
from manyviews.similarity import weights_of_views
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Interval,
    Matrix,
    Verbosity,
    ViewsLike,
)

__all__ = ["HybridTree"]

_MOVES = 2
"""Rounds in which rows move to the nearest of many groups, before Ward's method merges these."""
_TIE = 1e-9
"""Share of the divergence of two means up to which a row counts as equally near to both."""
_MOST_MOVES = 300
"""Rounds of moving to the nearer mean; some ten are needed, and they end by themselves."""

LONG = 5e8
"""Objects times columns times ``condense`` beyond which a whole tree takes half a minute: 20,000
objects in 40 columns, 2e8, took 11 s of one processor (2026-11)."""


# -- the split of one node, in one view ------------------------------------------------------------


@dataclass(frozen=True)
class Split:
    """Rows in two halves."""

    second: BoolArray
    """Which rows are in the second half, the smaller one."""
    means: FloatArray
    """The mean of each half, of shape (2, d); rows go to the nearer one."""
    before: float
    """Cost of all rows as one cluster."""
    after: float
    """Sum of the costs of the halves."""


def find_split(
    X: FloatArray,
    divergence: Divergence,
    *,
    condense: int,
    refine: bool,
    columns: Matrix | None = None,
) -> Split | None:
    """Return the two clusters of Ward's method, or nothing if all rows are alike.

    More than ``condense`` rows are first put into so many groups, which Ward's method then merges.
    With ``refine``, rows move to the nearer of the two means until none does. ``columns`` has the
    rows in their own columns, if ``X`` has them in other coordinates.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> split = find_split(X, SquaredEuclidean(), condense=500, refine=True)
    >>> split.second, split.before, split.after
    (array([False, False,  True]), 48.666666666666664, 0.5)
    """
    if len(X) < 2 or not (X[1:] != X[0]).any():
        return None
    if len(X) == 2:
        before = float(merge_cost(divergence, X[0], 1, X[1], 1)[()])
        second, means = _larger_first(np.array([False, True]), X, columns)
        return Split(second, means, before, 0.0) if before > 0 else None
    second = ward_halves(X, divergence, condense, columns)
    if second.all() or not second.any():
        return None  # the rows differ by so little that their divergences vanish
    means = _half_means(X, second)
    if refine:
        second, means = two_means(X, second, divergence)
    second, means = _larger_first(second, means, columns)
    before = cluster_cost(divergence, X)
    after = cluster_cost(divergence, X[~second]) + cluster_cost(divergence, X[second])
    return Split(second, means, before, after) if after < before else None


def margin(X: FloatArray, means: FloatArray, divergence: Divergence) -> FloatArray:
    """By how much each row diverges more from the first of two means than from the second.

    The φ(x) of both cancel, so that the margin is linear in ``x``; where a mean lies on the border
    of the domain, its gradient is infinite, and the divergences are taken one by one. A margin that
    could be rounding is none: rows are led alike in whatever coordinates they come.
    """
    slopes = divergence.gradient(means)
    if np.isfinite(slopes).all():
        middle = means.mean(axis=0, keepdims=True)
        at_middle = divergence.rowwise(middle, means[:1]) - divergence.rowwise(middle, means[1:])
        found = ((X - middle) * (slopes[1] - slopes[0])).sum(axis=1) + at_middle
        apart = divergence.rowwise(means[:1], means[1:])
        return np.where(np.abs(found) > _TIE * apart, found, 0.0)
    first, second = divergence.rowwise(X, means[:1]), divergence.rowwise(X, means[1:])
    return np.subtract(
        first, second, out=np.zeros(len(X)), where=~(np.isinf(first) & (first == second))
    )


def two_means(
    X: FloatArray, second: BoolArray, divergence: Divergence
) -> tuple[BoolArray, FloatArray]:
    """Move rows to the nearer mean until none moves; return the halves and what made them.

    A half never empties: the mean of a half is, summed over its rows, nearer than any other point.
    """
    for _ in range(_MOST_MOVES):
        means = _half_means(X, second)
        moved = margin(X, means, divergence) > 0
        if np.array_equal(moved, second) or moved.all() or not moved.any():
            break
        second = moved
    return second, means


def _half_means(X: FloatArray, second: BoolArray) -> FloatArray:
    first, rest = X[~second], X[second]
    return np.stack([first.sum(axis=0) / len(first), rest.sum(axis=0) / len(rest)])


def _larger_first(
    second: BoolArray, means: FloatArray, columns: Matrix | None
) -> tuple[BoolArray, FloatArray]:
    """Let the larger half be the first; of equals the one whose mean is lower, column by column."""
    surplus = 2 * int(second.sum()) - len(second)
    if surplus == 0:
        shown = means if columns is None else mean_rows(columns, second.astype(np.intp), 2)[0]
        different = np.flatnonzero(shown[0] != shown[1])
        surplus = int(len(different) > 0 and shown[0, different[0]] > shown[1, different[0]])
    return (~second, means[::-1].copy()) if surplus > 0 else (second, means)


def ward_halves(
    X: FloatArray, divergence: Divergence, condense: int, columns: Matrix | None
) -> BoolArray:
    """Cut the top of Ward's tree of rows, or of groups of rows; return who is in the second half.

    Examples
    --------
    >>> ward_halves(np.array([[0.0], [1.0], [9.0]]), SquaredEuclidean(), 500, None)
    array([False, False,  True])
    """
    if len(X) <= condense:
        return cut_tree(agglomerate([Part(X, np.ones(len(X)), divergence)])[0], 2) > 0
    groups = condensed(X, condense, divergence, columns)
    means, sizes = mean_rows(X, groups, int(groups.max()) + 1)
    return (cut_tree(agglomerate([Part(means, sizes, divergence)])[0], 2) > 0)[groups]


def condensed(
    X: FloatArray, n_groups: int, divergence: Divergence, columns: Matrix | None = None
) -> IntArray:
    """Put rows into at most so many tight groups, without any chance.

    The group that varies most in one column is cut there at its mean, until there are enough; then
    rows move to the nearest mean a few times. ``columns`` has the rows as they are cut, if ``X``
    has them in other coordinates.
    """
    groups = cut_by_columns(X if columns is None else columns, n_groups)
    for _ in range(_MOVES):
        means, _ = mean_rows(X, groups, int(groups.max()) + 1)
        slopes = divergence.gradient(means)
        if not np.isfinite(slopes).all():
            break
        offsets = np.einsum("ij,ij->i", slopes, means) - divergence.phi(means)
        groups = np.argmin(offsets - X @ slopes.T, axis=1)  # Eq. (1) without φ(x)
        groups = np.unique(groups, return_inverse=True)[1]
    return groups


def cut_by_columns(X: Matrix, n_groups: int) -> IntArray:
    """Cut the group that varies most in one column there, at its mean, until there are enough.

    Examples
    --------
    >>> cut_by_columns(np.array([[0.0], [9.0], [1.0], [8.0]]), 2)
    array([0, 1, 0, 1])
    """
    from manyviews.cluster.trees.hybrid_tree_kernels import cut

    rows = sparse.csr_array(X).sorted_indices()
    return np.asarray(cut((rows.data, rows.indices, rows.indptr), rows.shape[1], n_groups))


# -- the objects of all views ----------------------------------------------------------------------


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


# -- growing ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """The split of a node, made by the view that does it best."""

    view: int
    split: Split
    goodness: float
    gain: float


def best_split(
    data: SeenRows, rows: IntArray, wholes: FloatArray, *, condense: int, refine: bool
) -> Choice | None:
    """Let every view split the rows it shows, and take the split that is best."""
    choices: list[tuple[float, float, Choice]] = []
    for view, divergence in enumerate(data.divergences):
        X = data.rows_in(view, rows)
        columns = data.columns_in(view, rows)
        split = find_split(X, divergence, condense=condense, refine=refine, columns=columns)
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
    return 1 / left if left > 0 else np.inf  # the goodness of a split, section 4.2


def lead(
    data: SeenRows, rows: IntArray, view: int, means: list[FloatArray], spreads: FloatArray
) -> BoolArray:
    """Say which rows go to the second half: by the split's view, else by the others together."""
    second = np.zeros(len(rows), dtype=bool)
    seen = data.observed[rows, view]
    X = data.matrices[view][rows[seen]]
    second[seen] = margin(X, means[view], data.divergences[view]) > 0
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
    data: SeenRows,
    *,
    max_leaves: int | None = None,
    condense: int = 256,
    refine: bool = True,
    report: Callable[[str], None] | None = None,
) -> SplitTree:
    """Split all objects top-down, the node next whose split takes away most of its view's cost."""
    everyone = np.arange(len(data.observed))
    wholes = np.array(
        [
            cluster_cost(divergence, data.rows_in(view, everyone))
            for view, divergence in enumerate(data.divergences)
        ]
    )
    spreads = wholes / np.maximum(data.observed.sum(axis=0), 1)
    growth = _Growth(data, everyone)
    queue: list[tuple[float, int, IntArray, Choice]] = []

    def consider(node: int, rows: IntArray) -> None:
        if len(rows) < 2:
            return
        choice = best_split(data, rows, wholes, condense=condense, refine=refine)
        if choice is not None:
            heapq.heappush(queue, (-choice.gain, node, rows, choice))

    consider(0, everyone)
    while queue and (max_leaves is None or growth.n_leaves < max_leaves):
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


# -- the estimator ---------------------------------------------------------------------------------


class HybridTree(BaseMultiViewClusterer):
    """Build one tree from several views: at each fork the view speaks that has most to say.

    Take it where you ask which view tells which clusters apart: every fork names its view. It
    is meant for explaining; for the best clusters take :class:`CoRegularizedSpectral`.

    Parameters
    ----------
    divergence : Divergence, list or dict
        How objects differ in a view: one for all views, a list with one per view, or a dict by
        view name. If not given, :class:`~manyviews.maths.SquaredEuclidean`, between the rows, or
        between the roots of their shares where three quarters of the cells or more are zeros.
    n_clusters : int, optional
        Into how many clusters ``labels_`` and ``predict`` cut the tree. If not given, before the
        split with the largest drop in gain from the split before it, among the cuts into 2 to
        ``√n`` clusters. Cut elsewhere with ``labels_at``.
    view_weights : "auto" or None
        By default a view that looks empty of structure (:func:`~manyviews.similarity.judge_views`,
        asked of a thousand objects at most) splits nothing, of which a warning tells; None for all
        alike.
    max_leaves : int, optional
        Stop when the tree has so many leaves; by default objects are split until they are single
        or alike.
    condense : int
        Nodes with more objects are condensed to so many groups before Ward's method. At most as
        many objects are split exactly.
    refine : bool
        Whether objects move to the nearer mean after Ward's method.
    verbose : int
        1 prints a line per fit, 2 one per split.

    Attributes
    ----------
    tree_ : SplitTree
        The tree, with the view, the goodness and the gain of each split.
    labels_ : array of int of shape (n_objects,)
        Cluster of each object.
    n_clusters_ : int
        How many clusters there are.
    split_views_ : array of str of shape (n_splits,)
        The view that made each split, in order of rank.
    divergences_ : dict
        The divergence of each view, with what it learnt; of the views that are used.
    rooted_views_ : tuple of str
        Views that are compared by the roots of their rows' shares.
    view_weights_ : dict of float
        1 for a view that is used, 0 for one that is not.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.cluster import HybridTree
    >>> from manyviews.maths import GeneralizedKL, SquaredEuclidean
    >>> sound = [[0.0], [0.2], [4.0], [4.1]]
    >>> context = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.6, 0.4]]
    >>> divergence = {"sound": SquaredEuclidean(), "context": GeneralizedKL()}
    >>> model = HybridTree(divergence, n_clusters=3).fit({"sound": sound, "context": context})
    >>> model.labels_
    array([2, 0, 1, 1])
    >>> model.split_views_[:2]
    array(['sound', 'context'], dtype='<U7')
    >>> model.predict({"sound": [[4.4]], "context": None})
    array([1])

    Notes
    -----
    **Objective**
        Every node X is divided by the view whose two clusters have the largest *goodness*
        cost(X) / (cost(X₁) + cost(X₂)) (Section 4.2), with cost(S) = Σ d(x, μ_S) (Section 3). A
        ratio has no unit, so that views with different divergences can be compared.

    **Symbols**
        D_φ → ``divergence``; X, Y → the views; goodness → ``tree_.goodness``; its inverse, the
        similarity of Figure 6 → ``tree_.similarities``.

    **Algorithm**
        1. ``find_split``: in each view that shows two different objects of a node, merge the
           node's objects by Ward's method (``ward_halves``, the Lemma) until two clusters are
           left; with ``refine`` Lloyd's algorithm for two means goes on from there (``two_means``).
        2. ``best_split``: take the view with the largest goodness.
        3. ``grow_tree``: the same in both halves, until objects are single or alike.

    **Deviations**
        *Order.* The paper recurses and leaves open how to cut the tree. Here the node comes next
        whose split takes away the largest share of its view's whole cost, so that a tree for
        fewer leaves is the beginning of one for more. With one view this is the order of Ward's
        method.
        *Refinement.* Ward's clusters need not be those of the nearer mean, by which new objects
        are placed. With ``refine`` objects move to the nearer of the two means until none does;
        the goodness can only rise, and ``predict`` agrees with ``labels_``. ``refine=False``
        keeps the clusters of the paper, and single objects of ``labels_`` may then be predicted
        elsewhere.
        *Large nodes.* The paper's method needs n² costs. A node of more than ``condense`` objects
        is first condensed to so many groups by cutting columns at their means, and Ward's method
        merges the groups.
        *Ties.* Two different objects are split with infinite goodness by every view; then that
        view splits them in which they make the largest share of the whole cost.
        *Unobserved views.* A view splits the objects it shows; the cost of the others, taken for
        average, stays as it is, so that the goodness falls towards 1 with the share it shows.
        Objects that it does not show go to the half whose means are nearer in the views they have,
        each measured by its mean divergence; if none tells, to the larger half.
        *Words and links.* The paper leaves the divergence to the user. Where none is given, views
        of mostly zeros are compared by the roots of the shares that the cells have of their row,
        which is Hellinger's distance. The NMI is .44 in the mean over the twenty development sets;
        Ward's method on the rows of balanced views side by side has .40.

    **Complexity**
        O(n · m · d) time per level and view for the nodes above m = ``condense`` objects, and
        O(n · m · d) for all nodes below; O(n · d + m²) memory. ``predict`` is O(d) per object and
        level. Views are made dense, but for those of more columns than objects under
        ``SquaredEuclidean``: their objects are split by their coordinates in the span of all, which
        are n at most (O(n² d + n³) once); only the cuts of large nodes look at the columns. The
        means in ``tree_`` have all columns.

    References
    ----------
    [@gupta2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)
    _contract_exemptions: ClassVar[dict[str, str]] = {
        "every_new_view_counts": "three clusters are made by two splits, each in one view, so that "
        "of three views one decides nothing for objects that have them all"
    }

    tree_: SplitTree
    divergences_: dict[str, Divergence]
    rooted_views_: tuple[str, ...]
    view_weights_: dict[str, float]

    def __init__(
        self,
        divergence: ByView[Divergence | None] = None,
        n_clusters: Count | None = None,
        *,
        view_weights: Literal["auto"] | None = "auto",
        max_leaves: Count | None = None,
        condense: Annotated[int, Interval(2)] = 256,
        refine: bool = True,
        verbose: Verbosity = 0,
    ) -> None:
        self.divergence = divergence
        self.n_clusters = n_clusters
        self.view_weights = view_weights
        self.max_leaves = max_leaves
        self.condense = condense
        self.refine = refine
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls(n_clusters=3)
        yield cls(n_clusters=3, condense=10)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Grow the tree and cut it."""
        check_params(self)
        self._refuse_more_clusters_than_leaves()
        views = self._fit_views(X, min_objects=self.n_clusters or 1)
        self._check_labels(X, y)
        views = self._settle(views)
        seen_rows = SeenRows.in_span(views, self.divergences_)
        self._warn_of_long_growth(seen_rows)
        self.tree_ = grow_tree(
            seen_rows,
            max_leaves=self.max_leaves,
            condense=self.condense,
            refine=self.refine,
            report=self._report,
        )
        self.n_clusters_ = self.n_clusters or self.tree_.n_clusters_at_largest_drop()
        self.labels_ = self.tree_.labels_at(self.n_clusters_)
        self.split_views_ = np.array(views.names)[self.tree_.split_views]
        if self.verbose:
            print(f"{type(self).__name__}: {self.tree_!r}")
        return self

    def predict(self, X: ViewsLike) -> IntArray:
        """Lead objects down the tree to their clusters, by the views that they have."""
        views = self._compared(self._new_views(X))
        data = SeenRows.of(views, self.divergences_)
        nodes = route(self.tree_, data, self.n_clusters_ - 1)
        return self.tree_.node_labels(self.n_clusters_)[nodes]

    def apply(self, X: ViewsLike) -> IntArray:
        """Lead objects down to the leaves; ``tree_.node_labels(k)`` turns nodes into clusters."""
        views = self._compared(self._new_views(X))
        return route(self.tree_, SeenRows.of(views, self.divergences_), self.tree_.n_splits)

    def labels_at(self, n_clusters: int) -> IntArray:
        """Cut the tree elsewhere: the labels of the fitted objects in so many clusters."""
        return self.tree_.labels_at(n_clusters)

    def _settle(self, views: Views) -> Views:
        """Decide which views are used and how their rows are compared; return those rows."""
        given = per_view(self.divergence, views.names, parameter="divergence")
        self.view_weights_ = weights_of_views(self.view_weights, views)
        self.rooted_views_ = rooted_views(views, given)
        rows = self._compared(views)
        usual = [name for name in rows.names if given[name] is None]
        hint_at_scales(rows, usual, type(self).__name__)
        self.divergences_ = {}
        for name in rows.names:
            chosen, seen = given[name] or SquaredEuclidean(), rows.observed_in(name)
            if seen.any() and type(chosen) is not SquaredEuclidean:  # which has nothing to learn
                chosen = chosen.fitted(dense_view(rows, name)[seen])
            self.divergences_[name] = chosen
        return rows

    def _compared(self, views: Views) -> Views:
        return compared_rows(views, self.view_weights_, self.rooted_views_)

    def _refuse_more_clusters_than_leaves(self) -> None:
        if (self.n_clusters or 1) > (self.max_leaves or np.inf):
            raise ValueError(
                f"n_clusters={self.n_clusters!r} is more than max_leaves={self.max_leaves!r}; "
                "raise max_leaves."
            )

    def _warn_of_long_growth(self, seen_rows: SeenRows) -> None:
        n_objects = len(seen_rows.observed)
        n_columns = sum(matrix.shape[1] for matrix in seen_rows.matrices)
        if self.max_leaves is None and n_objects * n_columns * self.condense > LONG:
            warn_of_minutes(
                self,
                f"grows a whole tree of {n_objects:,} objects in {n_columns:,} columns",
                "set max_leaves, or cluster a sample and predict the others",
            )

    def _report(self, line: str) -> None:
        if self.verbose > 1:
            print(f"{type(self).__name__}: {line}")
