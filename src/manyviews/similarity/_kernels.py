"""Kernels: similarities that are inner products in some space, dense by nature."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import check_params
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
from manyviews.typing import Count, FloatArray, IntArray, Matrix, NonNegative, Positive

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

    metric: ClassVar[Literal["euclidean", "cosine"]] = "euclidean"
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

    gamma: Positive | Literal["median"] = "median"

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Choose the width."""
        check_params(self)
        return replace(self, gamma=median_gamma(X)) if self.gamma == "median" else self

    def prepared(self, rows: Matrix, X: Matrix) -> Matrix:
        """Rows moved by the mean of ``X``."""
        return centred(rows, X)

    def from_products(self, found: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
        """Similarities from inner products and squared lengths."""
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        distances = squared_distances(found, left, right)
        with np.errstate(over="ignore"):  # of a width near zero, exp(-inf) is the limit
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

    degree: Count = 2
    gamma: Positive | Literal["mean"] = "mean"
    coef0: NonNegative = 1.0

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Choose the unit of length."""
        check_params(self)
        squares = squared_lengths(as_double(X))
        gamma = self.gamma
        if gamma == "mean":
            gamma = 1.0 / float(squares.mean()) if squares.any() else 1.0
        refuse_overflow(self, gamma, float(squares.max(initial=0.0)), X.dtype)
        return replace(self, gamma=gamma)

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


def refuse_overflow(
    kernel: Any, gamma: float, largest_square: float, dtype: np.dtype[np.floating]
) -> None:
    """Refuse a polynomial kernel whose largest value, that of the longest row, is no number.

    Examples
    --------
    >>> refuse_overflow(Polynomial(degree=1000), 1.0, 4.0, np.dtype(float))
    Traceback (most recent call last):
        ...
    ValueError: degree=1000 of Polynomial makes similarities of about 10^699, too large for ...
    """
    with np.errstate(over="ignore", divide="ignore"):
        digits = float(kernel.degree * np.log10(gamma * largest_square + kernel.coef0))
    if digits >= np.log10(np.finfo(dtype).max):
        raise ValueError(
            f"degree={kernel.degree} of {type(kernel).__name__} makes similarities of about "
            f"10^{digits:.0f}, too large for {dtype}; lower degree, gamma or coef0, or scale the "
            "view."
        )


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

    metric: ClassVar[Literal["euclidean", "cosine"]] = "cosine"

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
