"""A forest that tells pairs of one class from pairs of two by their kernels [@kumar2013]."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manyviews.maths import generator, row_blocks
from manyviews.mkl._combination import Combination
from manyviews.mkl._forest._bins import Bins, choose_bins
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import FloatArray, IntArray, RandomState

MIN_LEAF = 3
"""K-examples in a terminal node at least, as in section 6.2.2.3."""
N_CANDIDATES = 10
"""Kernels drawn for a split, of which the one of largest information gain is taken; same place."""
_MOST_KERNELS = 1 << 16
_BLOCK_ENTRIES = 1 << 23
"""How many kernel values are looked at together."""


@dataclass(frozen=True)
class ForestCombination(Combination):
    """Similarity of a pair: the share of trees that take it for a pair of one class."""

    bins: Bins = field(repr=False)
    nodes: IntArray = field(repr=False)
    """All nodes of all trees, each packed into one number."""
    roots: IntArray = field(repr=False)
    """Where each tree begins among the nodes."""
    importances: FloatArray = field(repr=False)
    """Share of each kernel in the information gained by all splits of all trees."""

    def check_indices(self) -> None:
        """Refuse nodes that a file has made to point out of the forest, or to no kernel."""
        n_nodes, left_sizes = len(self.nodes), self.nodes >> 24
        lasts = np.arange(n_nodes) + np.where(left_sizes > 0, 1 + left_sizes, 0)
        if (
            self.nodes.ndim != 1
            or self.roots.ndim != 1
            or self.nodes.dtype != np.int64
            or (left_sizes < 0).any()
            or (lasts >= n_nodes).any()
            or ((self.nodes & 0xFFFF) >= len(self.bins.cuts)).any()
            or ((self.roots < 0) | (self.roots >= n_nodes)).any()
        ):
            raise ValueError("a forest has nodes that point out of it")

    def votes(self, examples: FloatArray) -> IntArray:
        """How many trees take each K-example, pairs × kernels, for a pair of one class."""
        from manyviews.mkl._forest._kernels import count_votes

        return count_votes(self.bins.codes(examples), self.nodes, self.roots)

    def similarities(self, examples: FloatArray) -> FloatArray:
        """Share of the trees that do so: votes, not mean probabilities."""
        return self.votes(examples) / len(self.roots)

    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """Similarities of objects to the training objects; symmetric among these."""
        n_rows, n_columns = kernels.shape
        found = np.empty((n_rows, n_columns))
        for part in row_blocks(n_rows, max(1, _BLOCK_ENTRIES // max(n_columns * len(kernels), 1))):
            first = part.start if kernels.symmetric else 0
            examples = kernels.examples(part, slice(first, None))
            values = self.similarities(examples.reshape(-1, len(kernels)))
            found[part, first:] = values.reshape(examples.shape[:2])
            if kernels.symmetric:
                found[first:, part] = found[part, first:].T
        return found


def fit_forest(
    examples: FloatArray, signs: IntArray, *, n_trees: int = 500, random_state: RandomState = None
) -> ForestCombination:
    """Grow trees that tell positive from negative K-examples (section 6.2.2.3).

    Each tree sees as many K-examples as there are, drawn with replacement, and splits a node by
    the one of ten kernels drawn that gains most information, down to terminal nodes of three.
    Splits are looked for at 255 quantiles of each kernel's values instead of between any two of
    them, so that a tree costs counting instead of sorting.

    Parameters
    ----------
    examples : array of shape (n_pairs, n_kernels)
        Kernel values of pairs of objects.
    signs : array of shape (n_pairs,)
        Positive for pairs of one class, else negative or zero.
    n_trees : int
        How many trees vote.
    random_state : int, RandomState, Generator or None
        What is drawn.

    Examples
    --------
    >>> examples = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.8], [0.1, 0.2]] * 5)
    >>> forest = fit_forest(examples, np.array([1, 1, -1, -1] * 5), n_trees=50, random_state=0)
    >>> forest.similarities(np.array([[0.95, 0.5], [0.0, 0.5]]))
    array([1., 0.])
    """
    _check(examples)
    from manyviews.mkl._forest._kernels import grow_tree, packed_nodes

    rng = generator(random_state)
    bins = choose_bins(examples)
    codes = np.ascontiguousarray(bins.codes(examples).T)
    positive = (np.asarray(signs) > 0).astype(np.uint8)
    n_pairs, n_kernels = examples.shape
    sizes = np.arange(n_pairs + 1.0)
    n_log_n = sizes * np.log(np.maximum(sizes, 1.0))
    gains = np.zeros(n_kernels)
    trees = []
    for _ in range(n_trees):
        rows = np.sort(rng.integers(n_pairs, size=n_pairs))
        tree = grow_tree(
            codes, positive, rows, min(N_CANDIDATES, n_kernels), MIN_LEAF, n_log_n, gains, rng
        )
        trees.append(packed_nodes(*tree))
    roots = np.cumsum([0, *map(len, trees[:-1])])
    return ForestCombination(bins, np.concatenate(trees), roots, gains / (gains.sum() or 1.0))


def _check(examples: FloatArray) -> None:
    if not len(examples):
        raise ValueError("there are no pairs to grow a forest on; give objects of known class.")
    if examples.shape[1] > _MOST_KERNELS:
        raise ValueError(
            f"a forest takes up to {_MOST_KERNELS} kernels and there are {examples.shape[1]}; "
            "give fewer."
        )
