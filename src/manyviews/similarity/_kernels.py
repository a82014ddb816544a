"""Kernels: similarities that are inner products in some space, dense by nature."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from manyviews.maths import Gram
from manyviews.similarity._base import EdgeSimilarity, PositiveSimilarity
from manyviews.similarity._rows import (
    alike,
    as_double,
    blocks,
    centred,
    check_similarities,
    compare,
    compare_all,
    evenly_spaced,
    paired_products,
    products,
    squared_distances,
    squared_lengths,
    unit,
)
from manyviews.typing import FloatArray, IntArray, Matrix

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from manyviews.similarity._neighbors import Neighbors

_SAMPLE = 2000
"""Of more rows than this, so many at equal steps are enough for a median distance."""
_SAME = 1e-13
"""Squared distances up to this share of the largest are those of equal rows, up to rounding."""


class Kernel(EdgeSimilarity, PositiveSimilarity):
    """A positive semi-definite function of the inner product and the lengths of two rows.

    A child says how: in :meth:`from_products`, and in :meth:`prepared` if rows are changed before
    they are multiplied. Rows may be dense or sparse; the similarities are dense, in single
    precision if the rows are, though always computed in double.
    """

    metric: ClassVar[str] = "euclidean"
    """Which rows are nearest, for a graph of this kernel."""

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Return the kernel with all that depends on the rows of ``X`` chosen."""
        return self

    @abstractmethod
    def from_products(self, found: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
        """Similarities from inner products and squared lengths; may overwrite the products."""

    def prepared(self, rows: Matrix, X: Matrix) -> Matrix:  # noqa: ARG002 (a hook)
        """Rows in double precision, ready to be multiplied, when compared with those of ``X``."""
        return as_double(rows)

    def gram(self, X: Matrix) -> Gram:
        """Similarities among the rows of ``X``; exactly symmetric."""
        check_similarities((X.shape[0], X.shape[0]), X.dtype)
        kernel = self.fitted(X)
        return compare_all(kernel.prepared(X, X), kernel.from_products, X.dtype)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of new rows to the rows of ``X``."""
        dtype = np.result_type(new.dtype, X.dtype)
        check_similarities((new.shape[0], X.shape[0]), dtype)
        kernel = self.fitted(X)
        left, right = kernel.prepared(alike(new, X), X), kernel.prepared(X, X)
        return compare(left, right, kernel.from_products, dtype)

    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each row to itself."""
        kernel = self.fitted(X)
        squares = squared_lengths(kernel.prepared(X, X))
        return kernel.from_products(squares.copy(), squares, squares)

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives the similarities of all rows of ``X`` to one of them."""
        kernel = self.fitted(X)
        rows = kernel.prepared(X, X)
        squares = squared_lengths(rows)

        def column(number: int) -> FloatArray:
            found = products(rows, rows[[number]]).ravel()
            return kernel.from_products(found, squares, squares[number])

        return column

    def fitted_on(self, X: Matrix, neighbors: Neighbors) -> Self:  # noqa: ARG002 (a hook)
        """Return the kernel with all that depends on the rows of ``X`` chosen."""
        return self.fitted(X)

    def edge_weights(self, new: Matrix, X: Matrix, neighbors: Neighbors) -> FloatArray:
        """Similarities of each new row to its neighbours among the rows of ``X``."""
        left, right = self.prepared(alike(new, X), X), self.prepared(X, X)
        left_squares, right_squares = squared_lengths(left), squared_lengths(right)
        weights = np.empty(neighbors.indices.shape)
        for column, at in enumerate(neighbors.indices.T):
            for part in blocks(len(at), X.shape[1]):
                found = paired_products(left[part], right[at[part]])
                weights[part, column] = self.from_products(
                    found, left_squares[part], right_squares[at[part]]
                )
        return weights

    def graph(self, X: Matrix, n_neighbors: int) -> csr_array:
        """Similarities of each row of ``X`` to those nearest to it, sparse and symmetric."""
        from manyviews.similarity._knn_graph import KNNGraph

        chosen = KNNGraph(n_neighbors, "similarity", kernel=self, metric=self.metric)
        return chosen.fitted(X).edges


@dataclass
class RBF(Kernel):
    """The Gaussian kernel ``exp(−gamma |x − y|²)``.

    Parameters
    ----------
    gamma : "median" or float
        With "median", ``1 / (2 σ²)`` with σ the median distance between two rows that differ, as
        in [@kumar2013]: over all pairs of up to 2,000 rows, and of more rows over the pairs of
        2,000 at equal steps.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0]])
    >>> RBF().fitted(X)
    RBF(gamma=0.5)
    >>> RBF(gamma=1.0).gram(X).round(2)
    array([[1.  , 0.37],
           [0.37, 1.  ]])
    """

    gamma: str | float = "median"

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Choose the width."""
        if self.gamma == "median":
            return replace(self, gamma=median_gamma(X))
        if isinstance(self.gamma, str) or not 0.0 < self.gamma < np.inf:
            raise ValueError(
                f"RBF(gamma={self.gamma!r}) has no width; give 'median' or a number above zero."
            )
        return self

    def prepared(self, rows: Matrix, X: Matrix) -> Matrix:
        """Rows moved by the mean of ``X``."""
        return centred(rows, X)

    def from_products(self, found: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
        """Similarities from inner products and squared lengths."""
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        distances = squared_distances(found, left, right)
        distances *= -self.gamma
        return np.exp(distances, out=distances)


@dataclass
class Linear(Kernel):
    """Inner products of the rows.

    Examples
    --------
    >>> Linear().gram(np.array([[1.0], [2.0]]))
    array([[1., 2.],
           [2., 4.]])
    """

    def feature_rows(self, rows: Matrix) -> Matrix:
        """Return the rows themselves."""
        return self.prepared(rows, rows)

    def from_products(
        self,
        found: FloatArray,
        left: FloatArray,  # noqa: ARG002 (a hook's signature)
        right: FloatArray,  # noqa: ARG002
    ) -> FloatArray:
        """Return the products themselves."""
        return found


@dataclass
class Polynomial(Kernel):
    """Powers of inner products, ``(gamma x·y + coef0)^degree``.

    Parameters
    ----------
    degree : int
        The power: how many features are multiplied with each other.
    gamma : "mean" or float
        With "mean", one over the mean squared length of the rows, so that rows in another unit
        give the same similarities.
    coef0 : float
        What lower powers count for; zero or more.

    Examples
    --------
    >>> Polynomial(degree=2, gamma=1.0).gram(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    degree: int = 2
    gamma: str | float = "mean"
    coef0: float = 1.0

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Choose the unit of length."""
        if self.degree < 1 or self.degree != int(self.degree):
            raise ValueError(f"degree={self.degree!r} should be a whole number of at least 1.")
        if self.coef0 < 0:
            raise ValueError(f"coef0={self.coef0!r} should be zero or more to give a kernel.")
        if self.gamma == "mean":
            squares = squared_lengths(as_double(X))
            mean = float(squares.mean()) if squares.any() else 1.0
            return replace(self, gamma=1.0 / mean)
        if isinstance(self.gamma, str) or not 0.0 < self.gamma < np.inf:
            raise ValueError(f"gamma={self.gamma!r} should be 'mean' or a number above zero.")
        return self

    def from_products(
        self,
        found: FloatArray,
        left: FloatArray,  # noqa: ARG002 (a hook's signature)
        right: FloatArray,  # noqa: ARG002
    ) -> FloatArray:
        """Similarities from inner products."""
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        found *= self.gamma
        found += self.coef0
        return np.power(found, int(self.degree), out=found)


@dataclass
class Cosine(Kernel):
    """Cosines of the angles between the rows; zero for a row of zeros.

    Examples
    --------
    >>> Cosine().gram(np.array([[3.0, 4.0], [0.0, 1.0], [0.0, 0.0]]))
    array([[1. , 0.8, 0. ],
           [0.8, 1. , 0. ],
           [0. , 0. , 0. ]])
    """

    metric: ClassVar[str] = "cosine"

    def prepared(self, rows: Matrix, X: Matrix) -> Matrix:  # noqa: ARG002 (a hook's signature)
        """Rows of length one."""
        return unit(rows)

    def feature_rows(self, rows: Matrix) -> Matrix:
        """Return the rows at length one."""
        return self.prepared(rows, rows)

    def from_products(
        self,
        found: FloatArray,
        left: FloatArray,  # noqa: ARG002 (a hook's signature)
        right: FloatArray,  # noqa: ARG002
    ) -> FloatArray:
        """Similarities from inner products of unit rows, within their bounds."""
        return np.clip(found, -1.0, 1.0, out=found)


def median_gamma(X: Matrix) -> float:
    """Return ``1 / (2 σ²)`` with σ the median distance between two rows that differ.

    Examples
    --------
    >>> median_gamma(np.array([[0.0], [1.0], [1.0]]))
    0.5
    """
    some = X[evenly_spaced(X.shape[0], _SAMPLE)]
    squares = compare_all(centred(some, some), squared_distances, np.dtype(np.float64))
    between = squares[np.tri(len(squares), k=-1, dtype=bool)]
    between = between[between > _SAME * squares.max(initial=0.0)]
    return float(0.5 / np.median(between)) if len(between) else 1.0
