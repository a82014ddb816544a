"""Kernel values as they are, not yet centred, of the objects that one view shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manyviews.maths import Gram, LowRank, to_dense
from manyviews.mkl._library._families import Family
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_BLOCK_ENTRIES = 1 << 17
"""How many kernel values are made at a time, so that they stay in the cache until they are used."""
_COLLECTED = 1 << 14
"""How many entries of rows are collected at a time for products of pairs."""
_FEATURES = 64
"""How many single features are looked at together."""

Part = tuple[slice, FloatArray]
"""Numbers of kernels, and their values along the last axis; overwritten by the next part."""


def blocks(n_rows: int, entries_per_row: int) -> Iterator[slice]:
    """Consecutive rows, as many at a time as make a block of moderate size."""
    step = max(1, _BLOCK_ENTRIES // max(entries_per_row, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class Raw(ABC):
    """Some kernels between row objects and training objects, all shown by one view."""

    shape: tuple[int, int]
    n_kernels: int
    width: int
    """How many values of a pair are made together."""
    load: int
    """How many numbers are read for a pair by itself."""

    @abstractmethod
    def values(self, rows: slice, columns: slice) -> Iterator[Part]:
        """Values between rows and columns, rows × columns × kernels, some kernels at a time."""

    @abstractmethod
    def paired(self, left: IntArray, right: IntArray) -> Iterator[Part]:
        """Values of pairs, pairs × kernels, some kernels at a time."""

    @abstractmethod
    def restricted(self, weights: FloatArray) -> tuple[Raw, FloatArray]:
        """The kernels that have weight, or few besides, and the weight of each of them."""

    def diagonal(self) -> FloatArray:
        """Values of each object with itself, objects × kernels, among training objects."""
        found = np.empty((self.shape[0], self.n_kernels))
        for rows in blocks(self.shape[0], max(self.load, self.width)):
            own = np.arange(rows.start, rows.stop)
            for numbers, values in self.paired(own, own):
                found[rows, numbers] = values
        return found


# -- kernels of rows -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Frame:
    """Rows ready to be multiplied with each other, and the families that do so."""

    families: Sequence[Family]
    left: Matrix
    right: Matrix
    left_squares: FloatArray
    right_squares: FloatArray
    single: bool

    def base(self, rows: slice, columns: slice) -> FloatArray:
        """Inner products or squared distances: rows × columns × features, or one of all."""
        left, right = self.left[rows], self.right[columns]
        if self.single:
            return self._single(left[:, None, :], right)
        found = left @ right.T
        products = found.toarray() if is_sparse(found) else found
        return self._whole(
            products[..., None], self.left_squares[rows, None], self.right_squares[columns]
        )

    def paired(self, left: IntArray, right: IntArray) -> FloatArray:
        """The same for pairs."""
        if self.single:
            return self._single(self.left[left], self.right[right])
        products = self._products(left, right)
        return self._whole(products[:, None], self.left_squares[left], self.right_squares[right])

    def _products(self, left: IntArray, right: IntArray) -> FloatArray:
        if is_sparse(self.left):
            products = self.left[left] * self.right[right]
            return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()
        return paired_products(self.left, self.right, left, right)

    def _single(self, left: FloatArray, right: FloatArray) -> FloatArray:
        if not self.families[0].distances:
            return left * right
        gaps = left - right
        return np.multiply(gaps, gaps, out=gaps)

    def _whole(self, products: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
        if not self.families[0].distances:
            return products
        products *= -2.0
        products += left + right
        return np.maximum(products, 0.0, out=products)


class Vectors(Raw):
    """Kernels of the rows of a view: whole, or feature by feature."""

    def __init__(
        self, left: Matrix, training: Matrix, kinds: Sequence[Family], *, single: bool
    ) -> None:
        self.left, self.training, self.kinds, self.single = left, training, kinds, single
        self.n_features = int(training.shape[1]) if single else 1
        self.n_kernels = self.n_features * sum(len(kind.numbers) for kind in kinds)
        self.shape = (int(left.shape[0]), int(training.shape[0]))
        self.width = min(self.n_features, _FEATURES)
        self.load = _FEATURES if is_sparse(training) else int(training.shape[1])
        self._frames = [self._framed(features) for features in self._features()]

    def values(self, rows: slice, columns: slice) -> Iterator[Part]:
        """Values between rows and columns, from products that kernels share."""
        for features, frames in self._frames:
            for frame in frames:
                base = frame.base(rows, columns)
                squares = frame.left_squares[rows, None], frame.right_squares[columns]
                for family in frame.families:
                    for number, values in family.values(base, *squares):
                        yield self._numbers(number, features), values

    def paired(self, left: IntArray, right: IntArray) -> Iterator[Part]:
        """Values of pairs, from products that kernels share."""
        for features, frames in self._frames:
            for frame in frames:
                base = frame.paired(left, right)
                squares = frame.left_squares[left], frame.right_squares[right]
                for family in frame.families:
                    for number, values in family.values(base, *squares):
                        yield self._numbers(number, features), values

    def restricted(self, weights: FloatArray) -> tuple[Raw, FloatArray]:
        """The kernels and the features that have weight."""
        by_kernel = weights.reshape(-1, self.n_features)
        features, kernels = (np.asarray(by_kernel.any(axis=axis)) for axis in (0, 1))
        kinds = [kind for kind in (kind.only(kernels) for kind in self.kinds) if kind is not None]
        left, training = self.left, self.training
        if not features.all():
            kinds = [kind.on(features) for kind in kinds]
            left, training = left[:, features], training[:, features]
        wanted = Vectors(left, training, kinds, single=self.single)
        return wanted, by_kernel[:, features].ravel()

    def _features(self) -> Iterator[slice]:
        for start in range(0, self.n_features, _FEATURES):
            yield slice(start, min(start + _FEATURES, self.n_features))

    def _numbers(self, number: int, features: slice) -> slice:
        first = number * self.n_features
        return slice(first + features.start, first + features.stop)

    def _framed(self, features: slice) -> tuple[slice, list[_Frame]]:
        """Rows as each family wants them, once for those that want the same."""
        left, training, kinds = self.left, self.training, self.kinds
        if self.single:
            left, training = _dense(left[:, features]), _dense(training[:, features])
            kinds = [kind.on(features) for kind in kinds]
        shared: dict[str, list[Family]] = {}
        for place, kind in enumerate(kinds):
            shared.setdefault(kind.frame or str(place), []).append(kind)
        return features, [self._frame(group, left, training) for group in shared.values()]

    def _frame(self, group: list[Family], left: Matrix, training: Matrix) -> _Frame:
        right = group[0].prepared(training, training)
        own = right if left is training else group[0].prepared(left, training)
        squares = _squares(own, self.single), _squares(right, self.single)
        return _Frame(group, own, right, *squares, self.single)


def paired_products(left: FloatArray, right: FloatArray, at: IntArray, to: IntArray) -> FloatArray:
    """Inner products of row ``at[i]`` of the one with row ``to[i]`` of the other.

    Rows are collected into the same memory again and again: new memory costs more than the rest.
    """
    found, width = np.empty(len(at), dtype=np.result_type(left, right)), left.shape[1]
    step = max(1, _COLLECTED // max(width, 1))
    one, other = (np.empty((min(step, len(at)), width), rows.dtype) for rows in (left, right))
    for start in range(0, len(at), step):
        some = slice(start, start + step)
        size = len(at[some])
        left.take(at[some], axis=0, out=one[:size], mode="clip")  # checked ones would be copied
        right.take(to[some], axis=0, out=other[:size], mode="clip")
        np.einsum("ij,ij->i", one[:size], other[:size], out=found[some])
    return found


def _dense(rows: Matrix) -> FloatArray:
    return rows.toarray() if is_sparse(rows) else rows


def _squares(rows: Matrix, single: bool) -> FloatArray:
    """Squared lengths: rows × features, or rows × 1."""
    if is_sparse(rows):
        return np.asarray(rows.power(2).sum(axis=1), dtype=np.float64).reshape(-1, 1)
    return rows * rows if single else np.einsum("ij,ij->i", rows, rows)[:, None]


# -- kernels that are there already -------------------------------------------------------------


class Given(Raw):
    """One kernel of which the matrix is there: some of its rows and columns.

    With ``averaged``, rows and columns are the same objects and a value is the mean of what stands
    at both places, for a matrix that is symmetric up to rounding only.
    """

    n_kernels = width = load = 1

    def __init__(
        self,
        matrix: Gram,
        rows: IntArray | None = None,
        columns: IntArray | None = None,
        *,
        averaged: bool = False,
    ) -> None:
        self.matrix, self.averaged = matrix, averaged
        self.rows = None if _are_all(rows, matrix.shape[0]) else rows
        self.columns = None if _are_all(columns, matrix.shape[1]) else columns
        self.shape = (
            matrix.shape[0] if self.rows is None else len(self.rows),
            matrix.shape[1] if self.columns is None else len(self.columns),
        )

    def values(self, rows: slice, columns: slice) -> Iterator[Part]:
        """Look the values up; no copy where all rows and columns are taken."""
        yield slice(0, 1), self.block(rows, columns)[..., None]

    def paired(self, left: IntArray, right: IntArray) -> Iterator[Part]:
        """Look the values up."""
        found = self._pairs(left, right)
        if self.averaged:
            found = (found + self._pairs(right, left)) / 2
        yield slice(0, 1), found[:, None]

    def restricted(self, weights: FloatArray) -> tuple[Raw, FloatArray]:
        """Itself."""
        return self, weights

    def block(self, rows: slice, columns: slice) -> FloatArray:
        """Values between some rows and columns."""
        found = self._block(rows, columns)
        return (found + self._block(columns, rows).T) / 2 if self.averaged else found

    def _pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        at = left if self.rows is None else self.rows[left]
        to = right if self.columns is None else self.columns[right]
        if isinstance(self.matrix, LowRank):
            return paired_products(self.matrix.left, self.matrix.right, at, to)
        return np.asarray(self.matrix[at, to]).astype(np.float64, copy=False)

    def _block(self, rows: slice, columns: slice) -> FloatArray:
        at = rows if self.rows is None else self.rows[rows]
        to = columns if self.columns is None else self.columns[columns]
        if isinstance(self.matrix, LowRank):
            return self.matrix.left[at] @ self.matrix.right[to].T
        found = to_dense(self.matrix[at][:, to])
        return found.astype(np.float64, copy=False)


def _are_all(chosen: IntArray | None, n_objects: int) -> bool:
    return chosen is None or np.array_equal(chosen, np.arange(n_objects))
