"""Kernels: similarities that are inner products in some space, computed or given as a matrix."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import check_params
from manyviews.maths import Gram
from manyviews.similarity.base import DataDependent, EdgeSimilarity, Fitted, PositiveSimilarity
from manyviews.similarity.rows import (
    MEDIAN_SAMPLE,
    alike,
    as_double,
    blocks,
    centred,
    check_similarities,
    compare,
    compare_all,
    evenly_spaced,
    median_square,
    paired_products,
    products,
    squared_distances,
    squared_lengths,
    unit,
)
from manyviews.typing import (
    Count,
    FloatArray,
    Having,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    is_sparse,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from manyviews.similarity.neighbors import Neighbors

__all__ = ["RBF", "Cosine", "Kernel", "Linear", "Lookup", "Polynomial", "Precomputed"]


class Kernel(Fitted, EdgeSimilarity, PositiveSimilarity):
    """A positive semi-definite function of the inner product and the lengths of two rows.

    A child says how: in :meth:`from_products`, and in :meth:`prepared` if rows are changed before
    they are multiplied. Rows may be dense or sparse; the similarities are dense, in single
    precision if the rows are, though always computed in double.
    """

    metric: ClassVar[Literal["euclidean", "cosine"]] = "euclidean"
    """Which rows are nearest, for a graph of this kernel."""

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
        # One neighbour of all rows at a time, in blocks: never more than a block of rows is copied.
        for column, at in enumerate(neighbors.indices.T):
            for part in blocks(len(at), X.shape[1]):
                found = paired_products(left[part], right[at[part]])
                weights[part, column] = self.from_products(
                    found, left_squares[part], right_squares[at[part]]
                )
        return weights

    def graph(self, X: Matrix, n_neighbors: int) -> csr_array:
        """Similarities of each row of ``X`` to those nearest to it, sparse and symmetric."""
        from manyviews.similarity.graphs import KNNGraph  # which knows this module

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
        if self.gamma != "median":
            return self
        some = X[evenly_spaced(X.shape[0], MEDIAN_SAMPLE)]
        return replace(self, gamma=0.5 / median_square(some))

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

    def from_products(self, found: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:  # noqa: ARG002
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
        return replace(self, gamma=polynomial_gamma(self, squared_lengths(as_double(X)), X.dtype))

    def from_products(self, found: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:  # noqa: ARG002
        """Similarities from inner products."""
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        found *= self.gamma
        found += self.coef0
        return np.power(found, int(self.degree), out=found)


def polynomial_gamma(kernel: Any, squares: FloatArray, dtype: np.dtype[np.floating]) -> float:
    """Return the ``gamma`` of a polynomial kernel of rows with these squared lengths.

    It is refused if the largest value, that of the longest row with itself, is no number.

    Examples
    --------
    >>> polynomial_gamma(Polynomial(), np.array([1.0, 3.0]), np.dtype(float))
    0.5
    >>> polynomial_gamma(Polynomial(degree=1000, gamma=1.0), np.array([4.0]), np.dtype(float))
    Traceback (most recent call last):
        ...
    ValueError: degree=1000 of Polynomial makes similarities of about 10^699, too large for ...
    """
    gamma: float = kernel.gamma
    if kernel.gamma == "mean":
        gamma = 1.0 / float(squares.mean()) if squares.any() else 1.0
    with np.errstate(over="ignore", divide="ignore"):
        largest = gamma * float(squares.max(initial=0.0)) + kernel.coef0
        digits = float(kernel.degree * np.log10(largest))
    if digits >= np.log10(np.finfo(dtype).max):
        raise ValueError(
            f"degree={kernel.degree} of {type(kernel).__name__} makes similarities of about "
            f"10^{digits:.0f}, too large for {dtype}; lower degree, gamma or coef0, or scale the "
            "view."
        )
    return gamma


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

    def from_products(self, found: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:  # noqa: ARG002
        """Similarities from inner products of unit rows, within their bounds."""
        return np.clip(found, -1.0, 1.0, out=found)


# Similarities that are there already --------------------------------------------------------------

_ASYMMETRY = 1e-6
"""How far from symmetric similarities may be, relative to their largest; half of it is averaged.
A judgement: single precision rounds to 6e-8, so that a sum of some hundred such products passes,
while a matrix that is no similarity, such as one of directed links, does not."""


@dataclass
class Precomputed(DataDependent):
    """Take a view as it is: its columns are the training objects, its entries similarities.

    New objects come as rows of their similarities to the training objects. The columns of training
    objects that the view does not show are not read.

    Examples
    --------
    >>> K = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> similarity = Precomputed().fitted(K)
    >>> similarity.cross(np.array([[0.2, 0.3]]), K)
    array([[0.2, 0.3]])
    """

    def fitted(self, X: Matrix, places: IntArray | None = None) -> FittedPrecomputed:
        """Remember which columns are the training objects, and check that they are."""
        columns = np.arange(X.shape[0]) if places is None else places
        if len(columns) and X.shape[1] <= columns[-1]:
            raise ValueError(
                f"a precomputed view has {X.shape[1]} columns for {columns[-1] + 1} objects; give "
                "the similarities of every object to every object."
            )
        found = X[:, columns]
        gaps = abs(found - found.T)
        if gaps.size and gaps.max() > _ASYMMETRY * abs(found).max():
            row, column = np.unravel_index(gaps.argmax(), gaps.shape)
            raise ValueError(
                f"a precomputed view is not symmetric: object {columns[row]} to {columns[column]} "
                f"is {found[row, column]:g} and back {found[column, row]:g}; use (K + K.T) / 2."
            )
        return FittedPrecomputed(columns)


@dataclass(eq=False)
class FittedPrecomputed(PositiveSimilarity):
    """A precomputed view of which it is known what object each column is."""

    objects: IntArray = field(default_factory=lambda: np.arange(0), repr=False)

    def gram(self, X: Matrix) -> Gram:
        """Return the columns of the observed objects, symmetric to the last digit."""
        # Eigen-solvers read one triangle only; the answer should not depend on which.
        found = X[:, self.objects]
        return (found + found.T) / 2

    def cross(self, new: Matrix, X: Matrix) -> Gram:  # noqa: ARG002 (they are in `new`)
        """Return the columns of the observed training objects."""
        return new[:, self.objects]

    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each object to itself."""
        return np.asarray(X[:, self.objects].diagonal(), dtype=np.float64)

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives one column."""
        if is_sparse(X):
            columns = X.T.tocsr()  # columns of a CSR matrix are slow to take, rows are not
            return lambda number: columns[[self.objects[number]]].toarray().ravel()
        return lambda number: X[:, self.objects[number]]

    def restricted(self, chosen: IntArray) -> Self:
        """Return the similarity to some of the training objects."""
        return type(self)(self.objects[chosen])


@dataclass(eq=False)
class Lookup(PositiveSimilarity):
    """Look similarities up in a matrix that is given once; rows are numbers of objects.

    A view for it has one column: for each object its number, its row in the matrix. Objects can
    then be split, shuffled and cross-validated as any others are, training and new ones alike,
    while the matrix stays where it is; copies made by scikit-learn's ``clone`` share it.

    Parameters
    ----------
    matrix : array or sparse matrix of shape (n_objects, n_objects)
        Similarities of all objects there will ever be; symmetric and positive semi-definite where
        a kernel is wanted.
    name : str, optional
        What it is called in plots.
    checked : bool
        Whether it is known to be a kernel, so that methods need not look again.

    Examples
    --------
    >>> K = np.array([[1.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 1.0]])
    >>> similarity = Lookup(K)
    >>> similarity.cross(np.array([[2]]), np.array([[0], [1]]))
    array([[0.1, 0.2]])
    """

    matrix: Annotated[Any, Having("an array or sparse matrix", "shape", "diagonal")] = field(
        repr=False
    )
    name: str | None = None
    checked: bool = field(default=False, repr=False)

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Lookup:  # noqa: ARG002
        """Check that the rows are numbers of objects; nothing is chosen."""
        check_params(self)
        self.numbers(X)
        return self

    def gram(self, X: Matrix) -> Gram:
        """Similarities among objects."""
        return self.cross(X, X)

    def cross(self, new: Matrix, X: Matrix) -> Gram:
        """Similarities of objects to objects."""
        rows, columns = self.numbers(new), self.numbers(X)
        found = self.matrix[rows][:, columns]
        return found if is_sparse(found) else np.asarray(found)

    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each object to itself."""
        return np.asarray(self.matrix.diagonal()[self.numbers(X)], dtype=np.float64)

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives the similarities of all objects to one of them."""
        numbers = self.numbers(X)

        def column(number: int) -> FloatArray:
            found = self.matrix[[numbers[number]]]
            return (found.toarray() if is_sparse(found) else found).ravel()[numbers]

        return column

    def numbers(self, rows: Matrix) -> IntArray:
        """Numbers of objects from rows of a view, checked.

        Examples
        --------
        >>> Lookup(np.eye(3)).numbers(np.array([[2.0], [0.0]]))
        array([2, 0])
        """
        shape = getattr(self.matrix, "shape", None)
        if shape is None or len(shape) != 2 or shape[0] != shape[1]:
            raise ValueError(
                f"{self!r} needs a square array, objects × objects, and has "
                f"{type(self.matrix).__name__ if shape is None else shape}; give the similarities "
                "of all objects to all objects."
            )
        n_objects = int(shape[0])
        if rows.shape[1] != 1:
            raise ValueError(
                f"{self!r} reads one column, the numbers of the objects, and got "
                f"{rows.shape[1]}; give np.arange({n_objects})[:, None]."
            )
        values = (rows.toarray() if is_sparse(rows) else rows).ravel()
        wrong = np.flatnonzero((values != np.floor(values)) | (values < 0) | (values >= n_objects))
        if len(wrong):
            raise ValueError(
                f"row {wrong[0]} asks {self!r} for object {values[wrong[0]]:g}, and its objects "
                f"are numbered from 0 to {n_objects - 1}; give numbers among these."
            )
        return values.astype(np.intp)

    def __sklearn_clone__(self) -> Lookup:
        """Return a copy that shares the matrix."""
        return replace(self)
