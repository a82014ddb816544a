"""A tree of splits in two, each made by one view: cut, drawn and written out [@gupta2005]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.base import check_argument
from manyviews.typing import AnyArray, Count, FloatArray, IntArray

_NEEDS_QUOTES = frozenset(" \t\n()[]{}'\":;,_")


@dataclass(frozen=True, eq=False)
class SplitTree:
    """A binary tree of objects in which every split is owed to one view.

    Splits are numbered by rank: split ``t`` is the one that turns ``t + 1`` clusters into
    ``t + 2``. Node 0 holds all objects, and split ``t`` makes the nodes ``2 t + 1``, the larger
    half, and ``2 t + 2``.

    Parameters
    ----------
    view_names : tuple of str
        Names of the views.
    split_nodes : array of int of shape (n_splits,)
        The node that each split divides.
    split_views : array of int of shape (n_splits,)
        The view that makes it, as a place in ``view_names``.
    goodness : array of shape (n_splits,)
        cost(X) / (cost(X₁) + cost(X₂)) in that view; infinite where both halves cost nothing.
    gains : array of shape (n_splits,)
        The share of the view's whole cost that the split takes away.
    sizes : array of int of shape (n_nodes,)
        Number of objects in each node.
    leaf_of : array of int of shape (n_objects,)
        The leaf that each object has come to.
    means : dict of arrays of shape (n_nodes, n_features)
        By view, the mean by which objects are led to a node; NaN where the view shows none there.
    spreads : dict of float
        By view, the mean divergence of an object from the mean of all.

    Examples
    --------
    >>> from manyviews.cluster import HybridTree
    >>> tree = HybridTree().fit([[0.0], [1.0], [5.0], [7.0]]).tree_
    >>> tree.labels_at(2), tree.labels_at(3)
    (array([0, 0, 1, 1]), array([0, 0, 1, 2]))
    >>> tree.to_newick(["a", "b", "c", "d"], lengths=False)
    '((a,b)view0,(c,d)view0)view0;'
    """

    view_names: tuple[str, ...]
    split_nodes: IntArray
    split_views: IntArray
    goodness: FloatArray
    gains: FloatArray
    sizes: IntArray
    leaf_of: IntArray
    means: dict[str, FloatArray]
    spreads: dict[str, float]

    def check_indices(self) -> None:
        """Refuse a tree that a file has made to divide a node twice, or before it is there."""
        later, n_nodes = np.arange(self.n_splits) * 2, 2 * self.n_splits + 1
        if (
            ((self.split_nodes < 0) | (self.split_nodes > later)).any()
            or len(np.unique(self.split_nodes)) != self.n_splits
            or ((self.split_views < 0) | (self.split_views >= len(self.view_names))).any()
            or ((self.leaf_of < 0) | (self.leaf_of >= n_nodes)).any()
            or any(means.shape[:1] != (n_nodes,) for means in self.means.values())
        ):
            raise ValueError("a tree of splits has nodes that are not there")

    # -- what is in it ---------------------------------------------------------------------------

    @property
    def n_objects(self) -> int:
        """How many objects were split."""
        return len(self.leaf_of)

    @property
    def n_splits(self) -> int:
        """How many splits there are."""
        return len(self.split_nodes)

    @property
    def n_leaves(self) -> int:
        """How many clusters the tree can be cut into."""
        return self.n_splits + 1

    @property
    def parents(self) -> IntArray:
        """The node above each node; -1 above the first."""
        parents = np.full(2 * self.n_splits + 1, -1)
        parents[1:] = np.repeat(self.split_nodes, 2)
        return parents

    @property
    def split_of(self) -> IntArray:
        """The split that divides each node; -1 at a leaf."""
        splits = np.full(2 * self.n_splits + 1, -1)
        splits[self.split_nodes] = np.arange(self.n_splits)
        return splits

    @property
    def depths(self) -> IntArray:
        """How many splits lie above each node."""
        depths = np.zeros(2 * self.n_splits + 1, dtype=np.intp)
        for split, node in enumerate(self.split_nodes):
            depths[2 * split + 1 : 2 * split + 3] = depths[node] + 1
        return depths

    @property
    def heights(self) -> FloatArray:
        """How high each split is drawn: the root of its gain, never above an earlier split.

        With one view and no refinement these are the heights of Ward's method, which SciPy gives
        as the root of twice the cost of a merge, over the root of twice the cost of all objects.
        """
        return np.sqrt(np.minimum.accumulate(self.gains))

    @property
    def merge_views(self) -> IntArray:
        """The view of each row of ``to_linkage``; -1 where objects of one leaf are merged."""
        alike = np.full(self.n_objects - self.n_leaves, -1)
        return np.concatenate([alike, self.split_views[::-1]])

    @property
    def similarities(self) -> FloatArray:
        """The inverse of the goodness, in [0, 1]: how alike the halves of each split are."""
        return np.divide(1.0, self.goodness)

    def __repr__(self) -> str:
        counts = np.bincount(self.split_views, minlength=len(self.view_names))
        made = ", ".join(f"{name!r} {n}" for name, n in zip(self.view_names, counts, strict=True))
        return f"SplitTree({self.n_objects} objects, {self.n_leaves} leaves; splits by {made})"

    # -- cutting ---------------------------------------------------------------------------------

    def labels_at(self, n_clusters: int) -> IntArray:
        """Cut the tree into so many clusters.

        One cluster more changes one thing: the smaller half of a cluster gets the new, highest
        number. All other labels stay, so that the clusterings are nested by their very numbers.

        Parameters
        ----------
        n_clusters : int
            From 1 to ``n_leaves``.
        """
        return self.node_labels(n_clusters)[self.leaf_of]

    def node_labels(self, n_clusters: int) -> IntArray:
        """Return the cluster of each node when the tree is cut; -1 above the cut."""
        self._check_cut(n_clusters)
        labels = np.zeros(2 * self.n_splits + 1, dtype=np.intp)
        for split, node in enumerate(self.split_nodes):
            applied = split < n_clusters - 1
            labels[2 * split + 1] = labels[node]
            labels[2 * split + 2] = split + 1 if applied else labels[node]
        labels[self.split_nodes[: n_clusters - 1]] = -1
        return labels

    def n_clusters_at_largest_drop(self) -> int:
        """The number of clusters, from 2 to ``√n``, before the largest drop in gain.

        Drops are ratios, so that neither scale nor the number of objects counts; a tree with one
        leaf has one cluster.
        """
        gains = np.minimum.accumulate(self.gains)
        most = min(max(2, int(np.sqrt(self.n_objects))), self.n_splits)
        if most < 2:
            return self.n_leaves
        return int(np.argmax(gains[: most - 1] / gains[1:most])) + 2

    def _check_cut(self, n_clusters: int) -> None:
        check_argument("n_clusters", n_clusters, Count)
        if n_clusters > self.n_leaves:
            raise ValueError(
                f"n_clusters={n_clusters!r}, but the tree has {self.n_leaves} leaves (objects that "
                "no view tells apart share one, and max_leaves sets a limit); "
                f"give a number from 1 to {self.n_leaves}."
            )

    # -- leaving ---------------------------------------------------------------------------------

    def to_linkage(self) -> FloatArray:
        """Return the tree in SciPy's form: one merge per row, heights rising.

        Heights are those of ``heights``; objects that share a leaf are merged at height 0.
        """
        rows: list[tuple[float, float, float, float]] = []
        top = np.empty(2 * self.n_splits + 1, dtype=np.intp)

        def merge(one: int, other: int, height: float, size: int) -> int:
            rows.append((min(one, other), max(one, other), height, size))
            return self.n_objects + len(rows) - 1

        for node, members in self._members().items():
            top[node] = members[0]
            for count, member in enumerate(members[1:], 2):
                top[node] = merge(top[node], member, 0.0, count)
        heights = self.heights
        for split in reversed(range(self.n_splits)):
            node = self.split_nodes[split]
            halves = top[2 * split + 1], top[2 * split + 2]
            top[node] = merge(*halves, float(heights[split]), int(self.sizes[node]))
        return np.array(rows, dtype=float).reshape(-1, 4)

    def to_newick(
        self, names: Sequence[Any] | AnyArray | None = None, *, lengths: bool = True
    ) -> str:
        """Write the tree in Newick's form, each split labelled with its view.

        Parameters
        ----------
        names : sequence, optional
            What the objects are called; their row numbers by default.
        lengths : bool
            Whether to write how far each node lies below its parent.
        """
        called = [_quoted(str(name)) for name in self._names(names)]
        heights = np.zeros(2 * self.n_splits + 1)
        heights[self.split_nodes] = self.heights
        texts = {
            node: _clade([(called[member], 0.0) for member in members], "", lengths)
            for node, members in self._members().items()
        }
        for split in reversed(range(self.n_splits)):
            node, halves = int(self.split_nodes[split]), (2 * split + 1, 2 * split + 2)
            branches = [(texts.pop(half), heights[node] - heights[half]) for half in halves]
            view = _quoted(self.view_names[self.split_views[split]])
            texts[node] = _clade(branches, view, lengths)
        return texts[0] + ";"

    def _names(self, names: Sequence[Any] | AnyArray | None) -> Sequence[Any] | AnyArray:
        if names is None:
            return range(self.n_objects)
        if len(names) != self.n_objects:
            raise ValueError(
                f"names has {len(names)} entries for {self.n_objects} objects; give one each."
            )
        return names

    def _members(self) -> dict[int, list[int]]:
        """Objects of each leaf."""
        members: dict[int, list[int]] = {}
        for member, leaf in enumerate(self.leaf_of.tolist()):
            members.setdefault(leaf, []).append(member)
        return members


def _clade(branches: list[tuple[str, float]], label: str, lengths: bool) -> str:
    """Put branches in parentheses, a single one in none."""
    if len(branches) == 1:
        return branches[0][0]
    written = [f"{text}:{length:.10g}" if lengths else text for text, length in branches]
    return f"({','.join(written)}){label}"


def _quoted(name: str) -> str:
    """Put a name in quotes where Newick would read it otherwise."""
    if name and not _NEEDS_QUOTES.intersection(name):
        return name
    return "'" + name.replace("'", "''") + "'"
