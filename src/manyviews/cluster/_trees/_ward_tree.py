"""The tree that Ward's method leaves: its linkage matrix, and where to cut it [@gupta2005]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manyviews.cluster._trees._ward_clusters import Part, clusters_of_singles
from manyviews.cluster._trees._ward_search import agglomerate
from manyviews.typing import FloatArray, IntArray

_NOTHING = 1e-12
"""Merges that cost less than this share of the last one count as free when jumps are compared."""


@dataclass(frozen=True)
class WardTree:
    """What was merged with what, and at what cost."""

    children: IntArray
    """The two nodes of each merge, the smaller number first; merge ``i`` makes node ``n + i``."""
    costs: FloatArray
    """How much each merge adds to the cost of the partition."""

    def linkage(self) -> FloatArray:
        """SciPy's linkage matrix, with the heights ``√(2 · largest cost so far)``."""
        n_objects = len(self.children) + 1
        sizes = np.ones(2 * n_objects - 1)
        for number, pair in enumerate(self.children):
            sizes[n_objects + number] = sizes[pair].sum()
        heights = np.sqrt(2 * np.maximum.accumulate(self.costs))
        return np.column_stack([self.children, heights, sizes[n_objects:]])

    def natural_number(self) -> int:
        """The number of clusters, from 2 to ``√n``, before the merge with the largest jump in cost.

        With ``k`` clusters it is the cost of the merge that would leave ``k − 1``, over that of the
        merge that left ``k``.
        """
        n_objects = len(self.costs) + 1
        if n_objects < 3:
            return n_objects
        levels = np.maximum.accumulate(self.costs)
        levels = np.maximum(levels, max(_NOTHING * levels[-1], np.finfo(np.float64).tiny))
        numbers = np.arange(2, max(2, int(np.sqrt(n_objects))) + 1)
        jumps = levels[n_objects - numbers] / levels[n_objects - numbers - 1]
        return int(numbers[jumps.argmax()])


def ward_tree(parts: list[Part], report: Callable[[int], None] | None = None) -> WardTree:
    """Merge objects, seen in one or more parts, always by the cheapest merge.

    Examples
    --------
    >>> from manyviews.maths import GeneralizedKL
    >>> counts = np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0]])
    >>> tree = ward_tree([Part(counts, np.ones(3, dtype=bool), GeneralizedKL())])
    >>> tree.children.tolist(), tree.costs.round(3).tolist()
    ([[0, 1], [2, 3]], [0.199, 8.485])
    """
    n_objects = len(parts[0].matrix)
    merges = agglomerate(clusters_of_singles(parts), n_objects, report)
    costs = np.where(np.isfinite(merges.costs), merges.costs, 0.0)  # no view shared: costs nothing
    return WardTree(np.sort(merges.children, axis=1), costs)


def cut_tree(children: IntArray, n_clusters: int) -> IntArray:
    """Labels before the last ``n_clusters − 1`` merges, numbered in the order of the objects.

    Examples
    --------
    >>> cut_tree(np.array([[1, 2], [0, 3]]), 2)
    array([0, 1, 1])
    """
    n_objects = len(children) + 1
    tops = np.arange(2 * n_objects - 1)
    for number in range(n_objects - n_clusters - 1, -1, -1):
        tops[children[number]] = tops[n_objects + number]
    _, firsts, codes = np.unique(tops[:n_objects], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(firsts))[codes]
