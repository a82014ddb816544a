"""The interface of a distribution in a mixture: sums over rows, an update, a log density."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np
from scipy.sparse import csr_array

from manyviews.exceptions import UnobservedViewsError
from manyviews.maths._options import Options
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, Matrix, is_sparse

Stats = TypeVar("Stats")
Parameters = TypeVar("Parameters")

_SINGLE_BLOCK = 1 << 15
"""Rows summed in single precision before they are added up in double precision: errors of 6e-8 each
grow to no more than 1e-5, the root of their number times that."""


class Likelihood(Options, ABC, Generic[Stats, Parameters]):
    """A family of distributions of one row, as the components of a mixture have it.

    The rows may be a dense array or a CSR array. Statistics add up over subsets of the rows
    (``+``), so that ``update(summarize(a, r) + summarize(b, s))`` has seen both.
    """

    @abstractmethod
    def check(self, X: Matrix, *, view: str) -> None:
        """Refuse values outside the domain, naming view and row; rows of NaN are passed over."""

    def informative(self, X: Matrix) -> BoolArray:
        """Tell which rows say anything at all of their component."""
        return np.ones(X.shape[0], dtype=bool)

    def log_base(self, X: Matrix) -> FloatArray:
        """Return the part of each row's log density that is the same in every component."""
        return np.zeros(X.shape[0])

    @abstractmethod
    def summarize(self, X: Matrix, responsibilities: FloatArray) -> Stats:
        """Sum up rows weighted by the responsibilities (rows × components)."""

    @abstractmethod
    def update(self, stats: Stats) -> Parameters:
        """Return the parameters that maximise the weighted log density, smoothing apart."""

    @abstractmethod
    def log_density(self, X: Matrix, parameters: Parameters) -> FloatArray:
        """Return the log density (rows × components), ``log_base`` left out."""


@dataclass(frozen=True)
class WeightedSums:
    """Weight and weighted sum of the rows of each component."""

    mass: FloatArray
    """Sum of the responsibilities, per component."""
    totals: FloatArray
    """Components × features."""

    def __add__(self, other: Self) -> Self:
        return type(self)(self.mass + other.mass, self.totals + other.totals)


def weighted_sums(X: Matrix, responsibilities: FloatArray) -> WeightedSums:
    """Sum up rows in the precision of the data; blocks of single precision in double precision.

    Examples
    --------
    >>> sums = weighted_sums(np.array([[1.0, 0.0], [2.0, 4.0]]), np.array([[1.0, 0.0], [0.5, 0.5]]))
    >>> sums.totals
    array([[2., 2.],
           [1., 2.]])
    """
    totals = np.zeros((X.shape[1], responsibilities.shape[1]))
    size = _SINGLE_BLOCK if X.dtype.itemsize < 8 else max(X.shape[0], 1)
    for rows in row_blocks(X.shape[0], size):
        block = take_rows(X, rows)
        totals += block.T @ responsibilities[rows].astype(X.dtype, copy=False)
    mass = responsibilities.sum(axis=0, dtype=np.float64)
    return WeightedSums(mass, totals.T.astype(X.dtype, copy=False))


def row_blocks(n_rows: int, size: int) -> Iterator[slice]:
    """Cut rows into consecutive slices; one empty slice if there are none.

    Examples
    --------
    >>> list(row_blocks(5, 3))
    [slice(0, 3, None), slice(3, 5, None)]
    """
    for start in range(0, max(n_rows, 1), size):
        yield slice(start, min(start + size, n_rows))


def take_rows(X: Matrix, rows: slice) -> Any:
    """Return consecutive rows that share the memory of the matrix."""
    if not is_sparse(X):
        return X[rows]
    if rows == slice(0, X.shape[0]):
        return X
    first, last = X.indptr[rows.start], X.indptr[rows.stop]
    parts = X.data[first:last], X.indices[first:last], X.indptr[rows.start : rows.stop + 1] - first
    return csr_array(parts, shape=(rows.stop - rows.start, X.shape[1]), copy=False)


def fill_weightless(values: FloatArray, mass: FloatArray, pooled: FloatArray) -> FloatArray:
    """Give components without any weight what all rows together have.

    Examples
    --------
    >>> fill_weightless(np.array([[1.0], [9.0]]), np.array([2.0, 0.0]), np.array([3.0]))
    array([[1.],
           [3.]])
    """
    weightless = (mass <= 0).reshape(-1, *(1,) * (values.ndim - 1))
    return np.where(weightless, pooled, values)


def safe_log(values: FloatArray) -> FloatArray:
    """Logarithm with a finite value at zero.

    Examples
    --------
    >>> safe_log(np.array([1.0, 0.0])).round(1)
    array([   0. , -708.4])
    """
    return np.log(np.maximum(values, np.finfo(values.dtype).tiny))


def first_row(X: Matrix, wrong: BoolArray) -> int:
    """Row of the first wrong value; ``wrong`` is shaped as the values, of a CSR array its data."""
    if is_sparse(X):
        return int(np.searchsorted(X.indptr, np.flatnonzero(wrong)[0], side="right")) - 1
    return int(np.flatnonzero(wrong.any(axis=1))[0])


def values_of(X: Matrix) -> FloatArray:
    """All stored values: of a CSR array its data."""
    return X.data if is_sparse(X) else X


def log_softmax(scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Turn each row of scores into log shares, in place; return shares and the logs of their sums.

    Examples
    --------
    >>> scores = np.log(np.array([[1.0, 3.0]]))
    >>> shares, log_sums = log_softmax(scores)
    >>> shares, np.exp(log_sums), np.exp(scores)
    (array([[0.25, 0.75]]), array([4.]), array([[0.25, 0.75]]))
    """
    largest = scores.max(axis=1, keepdims=True)
    scores -= largest
    shares = np.exp(scores)
    sums = shares.sum(axis=1, keepdims=True)
    shares /= sums
    log_sums = np.log(sums)
    scores -= log_sums
    return shares, np.asarray((largest + log_sums)[:, 0])


# Rows of a view that say something, and where they stand ------------------------------------------


@dataclass(frozen=True)
class LikelihoodRows:
    """The rows of one view that say anything, and where they stand among the objects."""

    family: Likelihood[Any, Any]
    matrix: Matrix
    places: IntArray | None
    """Objects of the rows; ``None`` if every object has one."""

    @classmethod
    def among(cls, family: Likelihood[Any, Any], matrix: Matrix, tells: BoolArray) -> Self:
        """Keep the rows of a view that tell something; no copy where all do.

        Examples
        --------
        >>> from manyviews.maths import Multinomial
        >>> rows = LikelihoodRows.among(Multinomial(), np.eye(2), np.array([False, True]))
        >>> rows.matrix, rows.spread(np.array([[5.0]]), 2)
        (array([[0., 1.]]), array([[0.],
               [5.]]))
        """
        places = None if tells.all() else np.flatnonzero(tells)
        return cls(family, matrix if places is None else matrix[places], places)

    @property
    def n_rows(self) -> int:
        """How many objects say something in this view."""
        return int(self.matrix.shape[0])

    @cached_property
    def log_base(self) -> FloatArray:
        """Log density of each row that all components share."""
        return self.family.log_base(self.matrix)

    def of(self, values: AnyArray) -> AnyArray:
        """Rows of an array over all objects, in the order of the matrix."""
        return values if self.places is None else values[self.places]

    def spread(self, rows: FloatArray, n_objects: int) -> FloatArray:
        """Rows put back to where they stand, zeros elsewhere."""
        if self.places is None:
            return rows
        values = np.zeros((n_objects, rows.shape[1]), dtype=rows.dtype)
        values[self.places] = rows
        return values


def refuse_silent_views(views: Sequence[LikelihoodRows], names: Sequence[str]) -> None:
    """Refuse a view that says nothing of any object."""
    for name, rows in zip(names, views, strict=True):
        if rows.n_rows == 0:
            raise UnobservedViewsError(
                f"view {name!r} is observed for no object, or is empty for all of them, and "
                "teaches nothing; leave it out."
            )
