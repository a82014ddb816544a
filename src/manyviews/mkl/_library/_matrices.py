"""What the base kernels say of pairs of objects, kernel by kernel or pair by pair."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from manyviews.typing import FloatArray, IntArray

Index: TypeAlias = slice | IntArray
"""Some objects, by their numbers."""
Block: TypeAlias = Callable[[Index, Index], FloatArray]
"""Entries of a matrix of all pairs of objects, at some rows and columns."""
ALL = slice(None)


class KernelMatrices(ABC):
    """Base kernels between some objects and the training objects; none is formed before use.

    ``z_ij = (K_1(x_i, x_j), …, K_p(x_i, x_j))`` is the K-example of a pair [@kumar2013].
    """

    names: Sequence[str]
    """What each kernel is called."""
    shape: tuple[int, int]
    """Objects (training ones, or new) × training objects."""
    symmetric: bool = False
    """Whether the objects are the training objects."""

    def __len__(self) -> int:
        """How many kernels there are."""
        return len(self.names)

    def __iter__(self) -> Iterator[FloatArray]:
        """The matrices one after the other."""
        return (self.gram(number) for number in range(len(self)))

    @abstractmethod
    def gram(self, number: int) -> FloatArray:
        """One kernel, of the shape ``shape``; not to be written to."""

    @abstractmethod
    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs, pairs × kernels: object ``left[i]`` with ``right[i]``."""

    @abstractmethod
    def stacked(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """Values of some objects with some training objects: kernels × rows × columns."""

    @abstractmethod
    def products(self, matrix: Block) -> FloatArray:
        """``⟨K_l, A⟩`` of every kernel among training objects with a symmetric matrix."""

    def examples(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """K-examples of some objects with some training objects: rows × columns × kernels."""
        return np.ascontiguousarray(np.moveaxis(self.stacked(rows, columns), 0, -1))

    def combined(self, weights: FloatArray) -> FloatArray:
        """``Σ_l weights[l] K_l``; kernels of no weight are not formed."""
        found = np.zeros(self.shape)
        for number in np.flatnonzero(weights):
            found += weights[number] * self.gram(int(number))
        return found
