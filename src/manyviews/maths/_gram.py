"""Similarities among objects in three shapes, dense, sparse and low-rank, handled alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from manyviews.maths.memory import check_memory
from manyviews.typing import FloatArray, IntArray, is_sparse


@dataclass(frozen=True)
class LowRank:
    """The matrix ``left @ right.T``, which is never formed.

    It has as much of an array's interface as similarities need: ``shape``, ``T``, ``@``,
    ``sum(axis)``, rows by index, ``toarray``.

    Examples
    --------
    >>> K = LowRank(np.array([[1.0], [2.0]]), np.array([[3.0], [4.0], [5.0]]))
    >>> K.shape, K.sum(axis=1), K @ np.ones(3)
    ((2, 3), array([12., 24.]), array([12., 24.]))
    >>> K.toarray()
    array([[ 3.,  4.,  5.],
           [ 6.,  8., 10.]])
    """

    left: FloatArray
    right: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of the matrix that is meant."""
        return len(self.left), len(self.right)

    @property
    def rank(self) -> int:
        """The largest rank it can have."""
        return int(self.left.shape[1])

    @property
    def T(self) -> LowRank:  # noqa: N802 (NumPy's name)
        """The transposed matrix."""
        return LowRank(self.right, self.left)

    def __matmul__(self, other: FloatArray) -> FloatArray:
        return self.left @ (self.right.T @ other)

    def __add__(self, other: LowRank) -> LowRank:
        return LowRank(np.hstack([self.left, other.left]), np.hstack([self.right, other.right]))

    def __getitem__(self, rows: Any) -> LowRank:
        return LowRank(self.left[rows], self.right)

    def sum(self, axis: int) -> FloatArray:
        """Sums of the rows (``axis=1``) or of the columns (``axis=0``)."""
        one, other = (self.left, self.right) if axis == 1 else (self.right, self.left)
        return one @ other.sum(axis=0)

    def toarray(self) -> FloatArray:
        """The matrix itself."""
        return self.left @ self.right.T


Gram: TypeAlias = FloatArray | sparse.csr_array | LowRank
"""Similarities of objects (rows) to objects (columns)."""


def to_dense(gram: Gram) -> FloatArray:
    """Return similarities as a dense array.

    Examples
    --------
    >>> to_dense(LowRank(np.ones((1, 1)), np.ones((2, 1))))
    array([[1., 1.]])
    """
    if isinstance(gram, np.ndarray):
        return gram
    check_memory(
        gram.shape,
        f"dense similarities of {gram.shape[0]:,} to {gram.shape[1]:,} objects",
        remedy="take fewer objects, or similarities of one kind, all sparse or all of low rank",
    )
    return gram.toarray()


def scaled(gram: Gram, rows: FloatArray, columns: FloatArray) -> Gram:
    """Return ``diag(rows) K diag(columns)`` in the shape that ``K`` has.

    Examples
    --------
    >>> scaled(np.ones((2, 2)), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    if isinstance(gram, LowRank):
        return LowRank(rows[:, None] * gram.left, columns[:, None] * gram.right)
    if is_sparse(gram):
        data = gram.data * np.repeat(rows, np.diff(gram.indptr)) * columns[gram.indices]
        return sparse.csr_array((data, gram.indices, gram.indptr), shape=gram.shape)
    product: FloatArray = rows[:, None] * gram
    product *= columns
    return product


def frobenius(gram: Gram) -> float:
    """Return the Frobenius norm, the root of the sum of the squared entries.

    Examples
    --------
    >>> frobenius(LowRank(np.array([[3.0], [4.0]]), np.array([[1.0]])))
    5.0
    """
    if isinstance(gram, LowRank):
        inner = (gram.left.T @ gram.left) * (gram.right.T @ gram.right)
        return float(np.sqrt(max(inner.sum(), 0.0)))
    return float(np.linalg.norm(gram.data if is_sparse(gram) else gram))


def spread_gram(gram: Gram, rows: IntArray, columns: IntArray, shape: tuple[int, int]) -> Gram:
    """Put similarities at their places among more objects, with zeros everywhere else.

    Examples
    --------
    >>> spread_gram(np.array([[5.0]]), np.array([1]), np.array([0]), (2, 2))
    array([[0., 0.],
           [5., 0.]])
    """
    if isinstance(gram, LowRank):
        left = np.zeros((shape[0], gram.rank))
        right = np.zeros((shape[1], gram.rank))
        left[rows], right[columns] = gram.left, gram.right
        return LowRank(left, right)
    if is_sparse(gram):
        entries = gram.tocoo()
        places = (rows[entries.coords[0]], columns[entries.coords[1]])
        return sparse.csr_array((entries.data, places), shape=shape)
    spread = np.zeros(shape, dtype=gram.dtype)
    spread[np.ix_(rows, columns)] = gram
    return spread
