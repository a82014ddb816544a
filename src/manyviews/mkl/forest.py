"""A forest that tells pairs of one class from pairs of two by their kernels [@kumar2013]."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manyviews.maths import generator, row_blocks
from manyviews.mkl.forest_kernels import count_cuts, count_votes, grow_tree, packed_nodes
from manyviews.mkl.kernel_learner import Combination
from manyviews.mkl.kernel_matrices import KernelMatrices
from manyviews.typing import FloatArray, IntArray, RandomState

__all__ = ["ForestCombination", "fit_forest"]

MIN_LEAF = 3
"""K-examples in a terminal node at least, as in section 6.2.2.3."""
N_CANDIDATES = 10
"""Kernels drawn for a split, of which the one of largest information gain is taken; same place."""
MOST_CUTS = 255
"""With so many cuts the number of a bin fits into a byte."""
MOST_KERNELS = 1 << 16
"""A packed node has 16 bits for the number of its kernel."""
SAME = 1e-6
"""Values that differ by less, relative to their size, are never cut apart: single precision."""
BLOCK_ENTRIES = 1 << 23
"""How many kernel values are looked at together: 64 MiB."""


def choose_cuts(values: FloatArray) -> FloatArray:
    """Cut every feature at up to 255 places, with equally many values between two of them.

    A cut lies midway between two values, so that what differs from them by rounding only falls
    on the same side. A feature of at most 256 values is cut between any two of them; its other cuts
    are infinite.

    Examples
    --------
    >>> choose_cuts(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]))[:, :3]
    array([[1.5, 3. , inf],
           [inf, inf, inf]])
    """
    cuts = np.full((values.shape[1], MOST_CUTS), np.inf)
    for row, column in zip(cuts, np.asarray(values, dtype=np.float64).T, strict=True):
        found = _cuts(column)
        row[: len(found)] = found
    return cuts


def _cuts(column: FloatArray) -> FloatArray:
    ordered = np.sort(column)
    low, high = ordered[:-1], ordered[1:]
    size = np.maximum(np.abs(low), np.abs(high)) + SAME * (ordered[-1] - ordered[0])
    places = np.flatnonzero(high - low > SAME * size)
    if len(places) > MOST_CUTS:
        wanted = np.linspace(0, len(ordered), MOST_CUTS + 2)[1:-1]
        places = np.unique(places[np.searchsorted(places[:-1], wanted)])
    return (low[places] + high[places]) / 2


def bin_numbers(values: FloatArray, cuts: FloatArray) -> IntArray:
    """How many cuts of its feature lie below each value, rows × features."""
    if values.shape[1] != len(cuts):
        raise ValueError(f"there are cuts for {len(cuts)} features of {values.shape[1]}.")
    return count_cuts(np.ascontiguousarray(values), cuts)


@dataclass(frozen=True)
class ForestCombination(Combination):
    """Similarity of a pair: the share of trees that take it for a pair of one class."""

    cuts: FloatArray = field(repr=False)
    """Where the values of each kernel are cut into bins, kernels × 255, rising."""
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
            self.cuts.shape[1:] != (MOST_CUTS,)
            or self.nodes.ndim != 1
            or self.roots.ndim != 1
            or self.nodes.dtype != np.int64
            or (left_sizes < 0).any()
            or (lasts >= n_nodes).any()
            or ((self.nodes & 0xFFFF) >= len(self.cuts)).any()
            or ((self.roots < 0) | (self.roots >= n_nodes)).any()
        ):
            raise ValueError("a forest has nodes that point out of it, or too few cuts")

    def votes(self, examples: FloatArray) -> IntArray:
        """How many trees take each K-example, pairs × kernels, for a pair of one class."""
        return count_votes(bin_numbers(examples, self.cuts), self.nodes, self.roots)

    def similarities(self, examples: FloatArray) -> FloatArray:
        """Share of the trees that do so: votes, not mean probabilities."""
        return self.votes(examples) / len(self.roots)

    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """Similarities of objects to the training objects; symmetric among these."""
        n_rows, n_columns = kernels.shape
        found = np.empty((n_rows, n_columns))
        for part in row_blocks(n_rows, max(1, BLOCK_ENTRIES // max(n_columns * len(kernels), 1))):
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

    ``examples`` are kernel values, pairs × kernels; ``signs`` are positive for pairs of one class,
    else negative or zero.

    Examples
    --------
    >>> examples = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.8], [0.1, 0.2]] * 5)
    >>> forest = fit_forest(examples, np.array([1, 1, -1, -1] * 5), n_trees=50, random_state=0)
    >>> forest.similarities(np.array([[0.95, 0.5], [0.0, 0.5]]))
    array([1., 0.])
    """
    if not len(examples):
        raise ValueError("there are no pairs to grow a forest on; give objects of known class.")
    if examples.shape[1] > MOST_KERNELS:
        raise ValueError(
            f"a forest takes up to {MOST_KERNELS} kernels and there are {examples.shape[1]}; "
            "give fewer."
        )
    rng = generator(random_state)
    cuts = choose_cuts(examples)
    codes = np.ascontiguousarray(bin_numbers(examples, cuts).T)
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
    return ForestCombination(cuts, np.concatenate(trees), roots, gains / (gains.sum() or 1.0))
