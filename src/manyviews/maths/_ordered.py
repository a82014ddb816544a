"""A sparse symmetric matrix kept in an order in which neighbours lie close together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee

from manyviews.maths._gram import Gram, scaled
from manyviews.typing import FloatArray, IntArray, is_sparse

_LARGE = 30_000
"""Up to this many rows a block of vectors stays in the processor's cache in any order."""


@dataclass(frozen=True)
class Ordered:
    """The matrix ``Pᵀ M P``, where ``P`` brings objects into an order that suits ``M``.

    A product gathers, for each object, the rows of its neighbours. In an order at random they come
    from all over the memory; by reverse Cuthill-McKee they come from nearby, mostly from cache.
    Who multiplies many times brings the vectors into that order once, by ``arranged``, works with
    ``matrix``, and brings the answer back by ``restored``.

    Examples
    --------
    >>> path = sparse.csr_array(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 2.0], [1.0, 2.0, 0.0]]))
    >>> ordered = Ordered.of(path)
    >>> ordered.matrix.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    >>> ordered @ np.array([1.0, 2.0, 3.0])
    array([3., 6., 5.])
    """

    matrix: sparse.csr_array
    order: IntArray
    """Which object stands at each place."""
    places: IntArray
    """At which place each object stands."""

    @classmethod
    def of(cls, gram: sparse.csr_array) -> Ordered:
        """Find the order, and bring a matrix of symmetric pattern into it."""
        order = reverse_cuthill_mckee(gram, symmetric_mode=True)
        places = np.empty_like(order)
        places[order] = np.arange(len(order), dtype=order.dtype)
        return cls(gram[order][:, order], order, places)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        size = len(self.order)
        return size, size

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the entries."""
        return np.dtype(self.matrix.dtype)

    def scaled(self, weights: FloatArray) -> Ordered:
        """Multiply rows and columns by the weights of the objects."""
        near = self.arranged(weights)
        return replace(self, matrix=scaled(self.matrix, near, near))

    def arranged(self, block: FloatArray) -> FloatArray:
        """Bring the rows of vectors into the order of the matrix."""
        return block.take(self.order, axis=0)

    def restored(self, block: FloatArray) -> FloatArray:
        """Bring the rows of vectors back from the order of the matrix."""
        return block.take(self.places, axis=0)

    def __matmul__(self, block: FloatArray) -> FloatArray:
        return self.restored(self.matrix @ self.arranged(block))


def in_order(gram: Gram) -> Gram | Ordered:
    """Order symmetric similarities if they are sparse and many; all others stay as they are.

    Examples
    --------
    >>> in_order(np.eye(2))
    array([[1., 0.],
           [0., 1.]])
    """
    if is_sparse(gram) and gram.shape[0] > _LARGE:
        return Ordered.of(gram)
    return gram
