"""Values of kernels as they are, not yet centred, from the products that kernels share.

:class:`RowValues` multiply rows once for each :class:`Family` of kernels; :class:`MatrixValues`
look up what was given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeAlias

import numpy as np

from manyviews.maths import Gram, LowRank, to_dense
from manyviews.similarity import RBF, Kernel, Linear, Polynomial
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

__all__ = ["KernelValues", "MatrixValues", "RowValues", "blocks", "families"]

BLOCK_ENTRIES = 1 << 17
"""Kernel values made at a time: a MiB of doubles, which stays in the cache until it is used."""
COLLECTED_ENTRIES = 1 << 14
"""Entries of rows collected at a time for products of pairs: 128 KiB, for the same reason."""
FEATURES_AT_A_TIME = 64
"""Single features looked at together: a block then still has 2,048 pairs of objects."""

Some: TypeAlias = tuple[slice, FloatArray]
"""Numbers of kernels, and their values along the last axis; overwritten by the next."""
Named: TypeAlias = Iterator[tuple[int, FloatArray]]
"""Numbers of kernels with their values, which are overwritten when the next are asked for."""


def blocks(n_rows: int, entries_per_row: int) -> Iterator[slice]:
    """Consecutive rows, as many at a time as make a block of moderate size."""
    step = max(1, BLOCK_ENTRIES // max(entries_per_row, 1))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


# -- families: many kernels from the same products -----------------------------------------------


@dataclass(frozen=True)
class Family(ABC):
    """Kernels made of the same inner products or squared distances.

    They are of whole rows or of single features, which are the last axis of all arrays: of length
    one for whole rows.
    """

    numbers: list[int]
    """Which of the kernels of a view these are."""

    of_distances: ClassVar[bool] = False
    """Whether they are made of squared distances; else of inner products."""

    def prepared(self, rows: Matrix, training: Matrix) -> Matrix:  # noqa: ARG002 (a hook)
        """Rows in double precision, ready to be multiplied."""
        return rows.astype(np.float64, copy=False)

    @abstractmethod
    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Named:
        """Kernel by kernel, from products or distances and squared lengths; none is changed."""

    @abstractmethod
    def subset(self, features: slice | BoolArray, wanted: BoolArray | None = None) -> Self:
        """The same kernels, or those wanted by their numbers, on some of the features."""

    def _wanted(self, wanted: BoolArray | None) -> list[int]:
        """Places of the wanted kernels among these."""
        return [k for k, number in enumerate(self.numbers) if wanted is None or wanted[number]]


@dataclass(frozen=True)
class Gaussians(Family):
    """Gaussian kernels, ordered by width: twice the ``gamma`` is the square of the values."""

    gammas: FloatArray
    """Kernels × features, growing from kernel to kernel."""

    of_distances: ClassVar[bool] = True

    def prepared(self, rows: Matrix, training: Matrix) -> Matrix:
        """Rows moved by the training mean where they are dense: distances lose no digits."""
        return RBF().prepared(rows, training)

    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Named:  # noqa: ARG002
        """``exp(−gamma d²)``; squared where the next ``gamma`` is twice the last."""
        found = np.empty_like(base)
        for place, number in enumerate(self.numbers):
            if place and np.array_equal(self.gammas[place], 2.0 * self.gammas[place - 1]):
                np.multiply(found, found, out=found)
            else:
                np.multiply(base, -self.gammas[place], out=found)
                np.exp(found, out=found)
            yield number, found

    def subset(self, features: slice | BoolArray, wanted: BoolArray | None = None) -> Self:
        kept = self._wanted(wanted)
        gammas = self.gammas[kept][:, features]
        return replace(self, numbers=[self.numbers[k] for k in kept], gammas=gammas)


@dataclass(frozen=True)
class Powers(Family):
    """Powers ``(gamma x·y + coef0)^degree``, plain products among them.

    Those of the same ``gamma`` and ``coef0`` follow each other by degree.
    """

    degrees: list[int]
    gammas: FloatArray
    """Kernels × features."""
    coef0s: list[float]

    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Named:  # noqa: ARG002
        """Powers by multiplying on, which costs a small part of what a general power does."""
        first = found = base
        for place, number in enumerate(self.numbers):
            degree, reached = self.degrees[place], self.degrees[place - 1]
            if not self._goes_on(place):
                first, reached = base * self.gammas[place], 1
                first += self.coef0s[place]
                found = first.copy()
            for _ in range(degree - reached):
                found *= first
            yield number, found

    def _goes_on(self, place: int) -> bool:
        """Whether a kernel is a power of the same as the one before, and no lower one."""
        before = place - 1
        return (
            place > 0
            and self.degrees[place] >= self.degrees[before]
            and self.coef0s[place] == self.coef0s[before]
            and np.array_equal(self.gammas[place], self.gammas[before])
        )

    def subset(self, features: slice | BoolArray, wanted: BoolArray | None = None) -> Self:
        kept = self._wanted(wanted)
        return replace(
            self,
            numbers=[self.numbers[k] for k in kept],
            degrees=[self.degrees[k] for k in kept],
            gammas=self.gammas[kept][:, features],
            coef0s=[self.coef0s[k] for k in kept],
        )


@dataclass(frozen=True)
class OneKernel(Family):
    """A kernel of which it is only known that it is one: cosines, or one of a user's own."""

    kernels: list[Kernel]
    """One per feature."""

    def prepared(self, rows: Matrix, training: Matrix) -> Matrix:
        """Rows as the kernel wants them, feature by feature if it is on single ones."""
        if len(self.kernels) == 1:
            return self.kernels[0].prepared(rows, training)
        return np.hstack(
            [
                kernel.prepared(rows[:, [place]], training[:, [place]])
                for place, kernel in enumerate(self.kernels)
            ]
        )

    def values(self, base: FloatArray, left: FloatArray, right: FloatArray) -> Named:
        """As the kernel says, feature by feature."""
        found = np.empty_like(base)
        for place, kernel in enumerate(self.kernels):
            some = base[..., place].copy(), left[..., place], right[..., place]
            found[..., place] = kernel.from_products(*some)
        yield self.numbers[0], found

    def subset(self, features: slice | BoolArray, wanted: BoolArray | None = None) -> Self:
        chosen = np.arange(len(self.kernels))[features]
        numbers = [self.numbers[k] for k in self._wanted(wanted)]
        return replace(self, numbers=numbers, kernels=[self.kernels[place] for place in chosen])


def families(fitted: list[list[Kernel]]) -> list[Family]:
    """Put fitted kernels, of each a list by feature or one alone for whole rows, into families."""
    others: list[Family] = []
    gaussians, powers = [], []
    for number, kernels in enumerate(fitted):
        kinds = {type(kernel) for kernel in kernels}
        if kinds == {RBF}:
            gaussians.append(number)
        elif kinds in ({Linear}, {Polynomial}):
            powers.append(number)
        else:
            others.append(OneKernel([number], kernels))
    return [
        *others,
        *([_powers(powers, fitted)] if powers else []),
        *([_gaussians(gaussians, fitted)] if gaussians else []),
    ]


def _powers(numbers: list[int], fitted: list[list[Kernel]]) -> Powers:
    bases = {
        number: (
            tuple(float(getattr(kernel, "gamma", 1.0)) for kernel in fitted[number]),
            float(getattr(fitted[number][0], "coef0", 0.0)),
        )
        for number in numbers
    }
    degrees = {number: int(getattr(fitted[number][0], "degree", 1)) for number in numbers}
    ranks = {base: rank for rank, base in enumerate(dict.fromkeys(bases.values()))}
    ordered = sorted(numbers, key=lambda number: (ranks[bases[number]], degrees[number]))
    return Powers(
        ordered,
        [degrees[number] for number in ordered],
        np.array([bases[number][0] for number in ordered]),
        [bases[number][1] for number in ordered],
    )


def _gaussians(numbers: list[int], fitted: list[list[Kernel]]) -> Gaussians:
    gammas = np.array([[getattr(kernel, "gamma", 0.0) for kernel in fitted[n]] for n in numbers])
    order = np.argsort(gammas[:, 0], kind="stable")
    return Gaussians([numbers[place] for place in order], gammas[order])


# -- values as they are, not yet centred ---------------------------------------------------------


class KernelValues(ABC):
    """Values of kernels between row objects and training objects, all shown by one view."""

    shape: tuple[int, int]
    n_kernels: int
    width: int
    """How many values of a pair are made together."""
    load: int
    """How many numbers are read for a pair by itself."""

    @abstractmethod
    def values(self, rows: slice, columns: slice) -> Iterator[Some]:
        """Values between rows and columns, rows × columns × kernels, some kernels at a time."""

    @abstractmethod
    def paired(self, left: IntArray, right: IntArray) -> Iterator[Some]:
        """Values of pairs, pairs × kernels, some kernels at a time."""

    def restricted(self, weights: FloatArray) -> tuple[KernelValues, FloatArray]:
        """The kernels that have weight, or few besides, and the weight of each of them."""
        return self, weights

    def diagonal(self) -> FloatArray:
        """Values of each object with itself, objects × kernels, among training objects."""
        found = np.empty((self.shape[0], self.n_kernels))
        for rows in blocks(self.shape[0], max(self.load, self.width)):
            own = np.arange(rows.start, rows.stop)
            for numbers, values in self.paired(own, own):
                found[rows, numbers] = values
        return found


@dataclass(frozen=True)
class Operands:
    """Rows as a family wants them, ready to be multiplied with each other."""

    family: Family
    left: Matrix
    right: Matrix
    left_squares: FloatArray
    right_squares: FloatArray
    single: bool

    def block(self, rows: slice, columns: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Products or squared distances, rows × columns × features, and squared lengths."""
        left, right = self.left[rows], self.right[columns]
        squares = self.left_squares[rows, None], self.right_squares[columns]
        if self.single:
            return self._of_features(left[:, None, :], right), *squares
        found = left @ right.T
        products = found.toarray() if is_sparse(found) else found
        return self._of_rows(products[..., None], *squares), *squares

    def pairs(self, left: IntArray, right: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The same for pairs, pairs × features."""
        squares = self.left_squares[left], self.right_squares[right]
        if self.single:
            return self._of_features(self.left[left], self.right[right]), *squares
        return self._of_rows(self._paired(left, right)[:, None], *squares), *squares

    def _paired(self, left: IntArray, right: IntArray) -> FloatArray:
        if not is_sparse(self.left):
            return paired_products(self.left, self.right, left, right)
        products = self.left[left] * self.right[right]
        return np.asarray(products.sum(axis=1), dtype=np.float64).ravel()

    def _of_features(self, left: FloatArray, right: FloatArray) -> FloatArray:
        if not self.family.of_distances:
            return left * right
        gaps = left - right
        return np.multiply(gaps, gaps, out=gaps)

    def _of_rows(self, products: FloatArray, left: FloatArray, right: FloatArray) -> FloatArray:
        if not self.family.of_distances:
            return products
        products *= -2.0
        products += left + right
        return np.maximum(products, 0.0, out=products)


class RowValues(KernelValues):
    """Kernels of the rows of a view: whole, or feature by feature."""

    def __init__(
        self, left: Matrix, training: Matrix, kinds: Sequence[Family], *, single: bool
    ) -> None:
        self.left, self.training, self.kinds, self.single = left, training, kinds, single
        self.n_features = int(training.shape[1]) if single else 1
        self.n_kernels = self.n_features * sum(len(kind.numbers) for kind in kinds)
        self.shape = (int(left.shape[0]), int(training.shape[0]))
        self.width = min(self.n_features, FEATURES_AT_A_TIME)
        self.load = FEATURES_AT_A_TIME if is_sparse(training) else int(training.shape[1])
        self._operands = [
            (features, operands)
            for features in self._chunks()
            for operands in self._prepared(features)
        ]

    def values(self, rows: slice, columns: slice) -> Iterator[Some]:
        """Values between rows and columns, from products that kernels share."""
        return self._values(lambda operands: operands.block(rows, columns))

    def paired(self, left: IntArray, right: IntArray) -> Iterator[Some]:
        """Values of pairs, from products that kernels share."""
        return self._values(lambda operands: operands.pairs(left, right))

    def restricted(self, weights: FloatArray) -> tuple[KernelValues, FloatArray]:
        """The kernels and the features that have weight."""
        by_kernel = weights.reshape(-1, self.n_features)
        features, wanted = (np.asarray(by_kernel.any(axis=axis)) for axis in (0, 1))
        some = slice(None) if features.all() else features
        kinds = [kind.subset(some, wanted) for kind in self.kinds]
        left, training = self.left, self.training
        if not features.all():
            left, training = left[:, features], training[:, features]
        kept = [kind for kind in kinds if kind.numbers]
        return RowValues(left, training, kept, single=self.single), by_kernel[:, features].ravel()

    def _values(
        self, base_of: Callable[[Operands], tuple[FloatArray, FloatArray, FloatArray]]
    ) -> Iterator[Some]:
        for features, operands in self._operands:
            for number, values in operands.family.values(*base_of(operands)):
                first = number * self.n_features
                yield slice(first + features.start, first + features.stop), values

    def _chunks(self) -> Iterator[slice]:
        for start in range(0, self.n_features, FEATURES_AT_A_TIME):
            yield slice(start, min(start + FEATURES_AT_A_TIME, self.n_features))

    def _prepared(self, features: slice) -> Iterator[Operands]:
        """Rows as each family wants them."""
        left, training, kinds = self.left, self.training, self.kinds
        if self.single:
            left, training = _dense(left[:, features]), _dense(training[:, features])
            kinds = [kind.subset(features) for kind in kinds]
        for kind in kinds:
            right = kind.prepared(training, training)
            own = right if left is training else kind.prepared(left, training)
            squares = _squares(own, self.single), _squares(right, self.single)
            yield Operands(kind, own, right, *squares, self.single)


def paired_products(left: FloatArray, right: FloatArray, at: IntArray, to: IntArray) -> FloatArray:
    """Inner products of row ``at[i]`` of the one with row ``to[i]`` of the other.

    Rows are collected into the same memory again and again: new memory costs more than the rest.
    """
    found, width = np.empty(len(at), dtype=np.result_type(left, right)), left.shape[1]
    step = max(1, COLLECTED_ENTRIES // max(width, 1))
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


class MatrixValues(KernelValues):
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

    def values(self, rows: slice, columns: slice) -> Iterator[Some]:
        """Look the values up; no copy where all rows and columns are taken."""
        yield slice(0, 1), self.block(rows, columns)[..., None]

    def paired(self, left: IntArray, right: IntArray) -> Iterator[Some]:
        """Look the values of pairs up."""
        found = self._pairs(left, right)
        if self.averaged:
            found = (found + self._pairs(right, left)) / 2
        yield slice(0, 1), found[:, None]

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
