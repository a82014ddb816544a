"""Base kernels among objects, centred and of unit variance, made block by block or kept.

:class:`LibraryMatrices` are all kernels of a library; the :class:`ViewKernels` of each view compare
objects with the training objects, and :class:`ViewBlocks` normalise their values by training
:class:`Statistics`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.maths import check_memory, dense_new_rows
from manyviews.mkl.kernel_values import Family, KernelValues, MatrixValues, RowValues, blocks
from manyviews.similarity import Lookup, Similarity
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

__all__ = ["Block", "KernelMatrices", "LibraryMatrices"]

KEPT_BYTES = 1 << 26
"""With ``keep="auto"``, kernels of up to 64 MiB in all are kept while a method learns; those that
were given as matrices are there anyway."""
CONSTANT = 1e-12
"""A variance up to this share of the mean diagonal is that of a constant kernel: far above the
rounding of the two means of which it is the difference, far below what tells objects apart."""

Index: TypeAlias = slice | IntArray
"""Some objects, by their numbers."""
Block: TypeAlias = Callable[[Index, Index], FloatArray]
"""Entries of a matrix of all pairs of objects, at some rows and columns."""
ALL = slice(None)


@dataclass(frozen=True)
class Statistics:
    """Means and variances of kernels over the training objects that a view shows.

    A kernel is centred by ``k(x, y) − m(x) − m(y) + g`` with ``m`` the mean over training objects
    and ``g`` the mean of all; half of ``g`` is taken to each side here, ``c = m − g / 2``.
    """

    centres: FloatArray
    """``c`` of each training object, objects × kernels."""
    half_mean: FloatArray
    """``g / 2`` of each kernel."""
    inverse_variance: FloatArray
    """One over the variance of each kernel; zero for a constant one."""


def statistics(kernels: KernelValues) -> Statistics:
    """Mean of each training object and variance of each kernel, from half of all pairs."""
    n_objects = kernels.shape[0]
    means = np.zeros((n_objects, kernels.n_kernels))
    for rows in blocks(n_objects, n_objects * kernels.width):
        later = slice(rows.start, n_objects)
        for numbers, values in kernels.values(rows, later):
            means[rows, numbers] += values.sum(axis=1)
            means[rows.stop :, numbers] += values[:, rows.stop - rows.start :].sum(axis=0)
    means /= n_objects
    overall, own = means.mean(axis=0), kernels.diagonal().mean(axis=0)
    variances = own - overall  # the mean squared distance to the mean in feature space
    varies = variances > CONSTANT * np.abs(own)
    inverse = np.divide(1.0, variances, out=np.zeros_like(variances), where=varies)
    return Statistics(means - overall / 2, overall / 2, inverse)


@dataclass(frozen=True)
class ViewBlocks:
    """Kernels of one view, normalised, among all objects: zeros for those it does not show."""

    view: str
    kernels: KernelValues
    """Values between those objects that the view shows."""
    known: Statistics | None
    """By which values are normalised; None leaves them as they are."""
    among: bool
    """Whether the row objects are the training objects."""
    rows: IntArray
    """Where the row objects stand among all."""
    columns: IntArray
    """Where the training objects stand among all."""
    shape: tuple[int, int]
    """How many there are in all."""

    @property
    def complete(self) -> bool:
        """Whether the view shows all objects."""
        return (len(self.rows), len(self.columns)) == self.shape

    def write_pairs(self, left: IntArray, right: IntArray, out: FloatArray) -> None:
        """Write the values of pairs, pairs × kernels; zeros where the view lacks one of them."""
        load = max(self.kernels.n_kernels, self.kernels.load)
        if self.complete:
            for some in blocks(len(left), load):
                self._write_pairs(left[some], right[some], out[some])
            return
        out[...] = 0.0
        at, to = _positions(self.rows, self.shape[0]), _positions(self.columns, self.shape[1])
        shown = np.flatnonzero((at[left] >= 0) & (to[right] >= 0))
        for some in blocks(len(shown), load):
            chosen = shown[some]
            found = np.empty((len(chosen), self.kernels.n_kernels))
            self._write_pairs(at[left[chosen]], to[right[chosen]], found)
            out[chosen] = found

    def _write_pairs(self, left: IntArray, right: IntArray, out: FloatArray) -> None:
        for numbers, values in self.kernels.paired(left, right):
            out[:, numbers] = values
        if self.known is not None:
            out -= self._centres[left]
            out -= self.known.centres[right]
            out *= self.known.inverse_variance

    def write(self, rows: slice, columns: slice, out: FloatArray) -> None:
        """Write the values of some objects with some training objects: kernels × rows × columns."""
        if self.complete:
            self._write(rows, columns, out)
            return
        out[...] = 0.0
        at, to = _shown(self.rows, rows), _shown(self.columns, columns)
        found = np.empty((self.kernels.n_kernels, at.stop - at.start, to.stop - to.start))
        self._write(at, to, found)
        places = self.rows[at] - rows.start, self.columns[to] - columns.start
        out[:, places[0][:, None], places[1]] = found

    def _write(self, rows: slice, columns: slice, out: FloatArray) -> None:
        n_columns = columns.stop - columns.start
        for some in blocks(rows.stop - rows.start, n_columns * self.kernels.n_kernels):
            here, block = slice(rows.start + some.start, rows.start + some.stop), out[:, some]
            for numbers, values in self.kernels.values(here, columns):
                block[numbers] = values.transpose(2, 0, 1)
            if self.known is not None:
                block -= self._row_centres(self.known, here, block).T[..., None]
                block -= self.known.centres[columns].T[:, None]
                block *= self.known.inverse_variance[:, None, None]

    def _row_centres(self, known: Statistics, rows: slice, block: FloatArray) -> FloatArray:
        """Centres of row objects, which a block with all training objects tells by itself."""
        if self.among or block.shape[-1] < len(self.columns):
            return self._centres[rows]
        return block.mean(axis=-1).T - known.half_mean

    @cached_property
    def _centres(self) -> FloatArray:
        """Centres of all row objects, objects × kernels."""
        assert self.known is not None
        if self.among:
            return self.known.centres
        n_rows, n_columns = self.kernels.shape
        found = np.empty((n_rows, self.kernels.n_kernels))
        for rows in blocks(n_rows, n_columns * self.kernels.width):
            for numbers, values in self.kernels.values(rows, slice(0, n_columns)):
                found[rows, numbers] = values.mean(axis=1)
        return found - self.known.half_mean

    def products(self, matrix: Block) -> FloatArray:
        """``⟨K_l, A⟩`` among training objects: ``⟨k_l, A⟩`` less ``2 Σ_i c_i (A 1)_i``, scaled."""
        n_objects = len(self.rows)
        found, sums = np.zeros(self.kernels.n_kernels), np.zeros(n_objects)
        for rows in blocks(n_objects, n_objects * self.kernels.width):
            columns = slice(rows.start, n_objects)
            at, to = (some if self.complete else self.rows[some] for some in (rows, columns))
            block = matrix(at, to)
            sums[rows] += block.sum(axis=1)
            sums[rows.stop :] += block[:, rows.stop - rows.start :].sum(axis=0)
            twice = 1.0 + (np.arange(rows.start, n_objects) >= rows.stop)  # for the other half
            weights = (block * twice).ravel()
            for numbers, values in self.kernels.values(rows, columns):
                found[numbers] += weights @ values.reshape(len(weights), -1)
        if self.known is None:
            return found
        return (found - 2.0 * sums @ self.known.centres) * self.known.inverse_variance

    def unscaled(self, weights: FloatArray) -> FloatArray:
        """Weights of the values as they are that give weights to the kernels."""
        return weights if self.known is None else weights * self.known.inverse_variance

    def offsets(self, weights: FloatArray) -> tuple[FloatArray, float]:
        """Centres of the training objects, and half the mean, of a sum with unscaled weights."""
        if self.known is None:
            return np.zeros(len(self.columns)), 0.0
        return self.known.centres @ weights, float(self.known.half_mean @ weights)


def centred_sum(group: list[tuple[ViewBlocks, FloatArray]]) -> FloatArray:
    """Sum of kernels between the same objects by unscaled weights, centred at once."""
    first = group[0][0]
    wanted = [part.kernels.restricted(own) for part, own in group]
    offsets = [part.offsets(own) for part, own in group]
    centres, half = np.sum([one for one, _ in offsets], axis=0), sum(mean for _, mean in offsets)
    n_rows, n_columns = first.kernels.shape
    found = np.zeros((n_rows, n_columns))
    for rows in blocks(n_rows, n_columns * max(kernels.width for kernels, _ in wanted)):
        columns = slice(rows.start if first.among else 0, n_columns)
        block = found[rows, columns]
        for kernels, own in wanted:
            for numbers, values in kernels.values(rows, columns):
                some = own[numbers]  # one kernel, often: plain multiplication is faster then
                block += values[..., 0] * some[0] if len(some) == 1 else values @ some
        if first.known is not None:
            block -= (centres[rows] if first.among else block.mean(axis=1) - half)[:, None]
            block -= centres[columns]
        if first.among:
            _mirror(found, rows)
    return found


def _mirror(found: FloatArray, rows: slice) -> None:
    """Write what is right of the diagonal to the left of it, for some rows."""
    found[rows.stop :, rows] = found[rows, rows.stop :].T
    corner = found[rows, rows]
    corner[...] = np.triu(corner) + np.triu(corner, 1).T


def _shown(places: IntArray, some: slice) -> slice:
    """Which of the objects shown, at these places in rising order, are among some of all."""
    first, last = np.searchsorted(places, (some.start, some.stop))
    return slice(int(first), int(last))


def _positions(places: IntArray, n_objects: int) -> IntArray:
    """Where each object stands among those shown, -1 if it is not."""
    found = np.full(n_objects, -1)
    found[places] = np.arange(len(places))
    return found


# -- the kernels of one view ---------------------------------------------------------------------


@dataclass(frozen=True)
class ViewKernels(ABC):
    """Kernels of one view that have seen its training objects, and compare others with them."""

    view: str
    names: list[str]
    """What each of the kernels is called."""
    places: IntArray = field(repr=False)
    """Where the training objects that the view shows stand among all training objects."""
    known: Statistics | None = field(default=None, kw_only=True, repr=False)

    @abstractmethod
    def training(self) -> KernelValues:
        """Values among the training objects."""

    @abstractmethod
    def against(self, rows: Matrix) -> KernelValues:
        """Values between new rows of the view and the training objects."""

    def lean(self) -> ViewKernels:
        """The same without what only :meth:`training` needs."""
        return self

    def among(self, kernels: KernelValues, n_objects: int) -> ViewBlocks:
        """Normalised kernels among the training objects, of which the values are known."""
        shape = (n_objects, n_objects)
        return ViewBlocks(self.view, kernels, self.known, True, self.places, self.places, shape)

    def new(self, views: Views, n_objects: int) -> ViewBlocks:
        """Normalised kernels between new objects and the training objects."""
        rows = np.flatnonzero(views.observed_in(self.view))
        matrix = views[self.view] if len(rows) == len(views) else views[self.view][rows]
        kernels, shape = self.against(matrix), (len(views), n_objects)
        return ViewBlocks(self.view, kernels, self.known, False, rows, self.places, shape)


@dataclass(frozen=True)
class RowKernels(ViewKernels):
    """Kernels of the rows of a view, on whole rows or on single features."""

    rows: Matrix = field(repr=False)
    kinds: list[Family]
    single: bool

    def training(self) -> KernelValues:
        return RowValues(self.rows, self.rows, self.kinds, single=self.single)

    def against(self, rows: Matrix) -> KernelValues:
        """Values between new rows, dense or sparse as the training rows are, and these."""
        if not is_sparse(self.rows):
            alike = np.asarray(dense_new_rows(rows))
        else:
            alike = rows if is_sparse(rows) else sparse.csr_array(rows)
        return RowValues(alike, self.rows, self.kinds, single=self.single)


@dataclass(frozen=True)
class LookupKernel(ViewKernels):
    """A kernel that is looked up by the numbers of objects."""

    lookup: Lookup
    objects: IntArray = field(repr=False)
    exact: bool
    """Whether the matrix is symmetric to the last digit."""

    def training(self) -> KernelValues:
        matrix, averaged = self.lookup.matrix, not self.exact
        return MatrixValues(matrix, self.objects, self.objects, averaged=averaged)

    def against(self, rows: Matrix) -> KernelValues:
        """Values between new objects, by their numbers, and the training objects."""
        return MatrixValues(self.lookup.matrix, self.lookup.numbers(rows), self.objects)


@dataclass(frozen=True)
class MatrixKernel(ViewKernels):
    """A view that is a kernel matrix: new objects come as rows of it."""

    matrix: Matrix | None = field(repr=False)
    objects: IntArray = field(repr=False)
    """Which columns are the training objects."""
    exact: bool
    """Whether it is symmetric to the last digit."""

    def training(self) -> KernelValues:
        if self.matrix is None:
            raise ValueError(
                f"the kernel matrix of view {self.view!r} was not kept after fit; ask for it by "
                "KernelLibrary(keep=True)."
            )
        return MatrixValues(self.matrix, None, self.objects, averaged=not self.exact)

    def against(self, rows: Matrix) -> KernelValues:
        """Columns of the training objects."""
        return MatrixValues(rows, None, self.objects)

    def lean(self) -> ViewKernels:
        return replace(self, matrix=None)


@dataclass(frozen=True)
class FormedKernel(ViewKernels):
    """Any other positive semi-definite similarity; its matrix is formed and kept while in use."""

    similarity: Similarity
    rows: Matrix = field(repr=False)

    def training(self) -> KernelValues:
        return MatrixValues(self.similarity.gram(self.rows))

    def against(self, rows: Matrix) -> KernelValues:
        if not rows.shape[0]:  # not every similarity compares nothing with something
            return MatrixValues(np.zeros((0, self.rows.shape[0])))
        return MatrixValues(self.similarity.cross(rows, self.rows))


# -- all kernels ---------------------------------------------------------------------------------


class KernelMatrices:
    """Base kernels between some objects and the training objects; none is formed before use.

    ``z_ij = (K_1(x_i, x_j), …, K_p(x_i, x_j))`` is the K-example of a pair [@kumar2013].
    """

    names: Sequence[str]
    """What each kernel is called."""
    shape: tuple[int, int]
    """Objects (training ones, or new) × training objects."""
    symmetric: bool = False
    """Whether the objects are the training objects."""
    stack: FloatArray | None = None
    """All kernels, kernels × objects × objects, if they are kept."""

    def __init__(
        self, names: Sequence[str], parts: list[ViewBlocks] | None, shape: tuple[int, int]
    ) -> None:
        self.names, self.shape, self._held = names, shape, parts

    def __len__(self) -> int:
        """How many kernels there are."""
        return len(self.names)

    def __iter__(self) -> Iterator[FloatArray]:
        """The matrices one after the other."""
        return (self.gram(number) for number in range(len(self)))

    def gram(self, number: int) -> FloatArray:
        """One kernel, of the shape ``shape``; not to be written to."""
        if self.stack is not None:
            return self.stack[number]
        weights = np.zeros(len(self))
        weights[number] = 1.0
        return self.combined(weights)

    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs, pairs × kernels: object ``left[i]`` with ``right[i]``."""
        if self.stack is not None:
            return np.ascontiguousarray(self.stack[:, left, right].T)
        found = np.empty((len(left), len(self)))
        for part, span in self._spanned():
            part.write_pairs(np.asarray(left), np.asarray(right), found[:, span])
        return found

    def stacked(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """Values of some objects with some training objects: kernels × rows × columns."""
        if self.stack is not None:
            return self.stack[:, rows, columns]
        rows, columns = _bounded(rows, self.shape[0]), _bounded(columns, self.shape[1])
        found = np.empty((len(self), rows.stop - rows.start, columns.stop - columns.start))
        for part, span in self._spanned():
            part.write(rows, columns, found[span])
        return found

    def examples(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """K-examples of some objects with some training objects: rows × columns × kernels."""
        return np.ascontiguousarray(np.moveaxis(self.stacked(rows, columns), 0, -1))

    def products(self, matrix: Block) -> FloatArray:
        """``⟨K_l, A⟩`` of every kernel among training objects with a symmetric matrix."""
        if self.stack is not None:
            return self.stack.reshape(len(self), -1) @ matrix(ALL, ALL).ravel()
        return np.concatenate([part.products(matrix) for part in self._parts()])

    def combined(self, weights: FloatArray) -> FloatArray:
        """``Σ_l weights[l] K_l``, summed before it is centred, which is linear."""
        weights = np.asarray(weights, dtype=np.float64)
        if self.stack is not None:
            return np.tensordot(weights, self.stack, axes=1)
        groups: dict[str, list[tuple[ViewBlocks, FloatArray]]] = {}
        for part, span in self._spanned():
            own = part.unscaled(weights[span])
            if own.any() and len(part.rows):
                groups.setdefault("" if part.complete else part.view, []).append((part, own))
        complete = groups.pop("", None)
        found = np.zeros(self.shape) if complete is None else centred_sum(complete)
        for group in groups.values():
            part = group[0][0]
            found[np.ix_(part.rows, part.columns)] += centred_sum(group)
        return found

    def _parts(self) -> list[ViewBlocks]:
        assert self._held is not None
        return self._held

    def _spanned(self) -> Iterator[tuple[ViewBlocks, slice]]:
        """The kernels of each view and which of all kernels they are."""
        parts = self._parts()
        ends = accumulate((part.kernels.n_kernels for part in parts), initial=0)
        for part, (start, end) in zip(parts, pairwise(ends), strict=True):
            yield part, slice(start, end)


def _bounded(some: slice, size: int) -> slice:
    """The same slice with bounds that are numbers."""
    start, stop, _ = some.indices(size)
    return slice(start, max(start, stop))


class LibraryMatrices(KernelMatrices):
    """Base kernels among training objects, made block by block or kept.

    ``sources`` are the kernels of each view; ``keep`` says whether all matrices are to be in
    memory, "auto" for up to 64 MiB unless they were given as matrices.
    """

    symmetric = True

    def __init__(self, sources: list[ViewKernels], n_objects: int, keep: bool | str) -> None:
        names = [name for source in sources for name in source.names]
        super().__init__(names, None, (n_objects, n_objects))
        self.sources, self.keep = sources, keep

    @classmethod
    def fit(
        cls, sources: list[ViewKernels], n_objects: int, normalize: bool, keep: Any
    ) -> LibraryMatrices:
        """Learn the statistics of all kernels, and hold the values they were learnt from."""
        values = [source.training() for source in sources]
        if normalize:
            sources = [_normalised(*both) for both in zip(sources, values, strict=True)]
        found = cls(sources, n_objects, keep)
        both = zip(sources, values, strict=True)
        found._held = [source.among(kernels, n_objects) for source, kernels in both]
        n_bytes = 8 * len(found) * n_objects**2
        given = all(isinstance(kernels, MatrixValues) for kernels in values)
        if keep is True or (keep == "auto" and n_bytes <= KEPT_BYTES and not given):
            found._keep()
        return found

    def _keep(self) -> None:
        """Form all kernels."""
        shape = (len(self), *self.shape)
        check_memory(
            shape,
            f"{shape[0]} kernels among {shape[1]:,} objects, all kept,",
            remedy="use KernelLibrary(keep=False)",
        )
        stack = np.empty(shape)
        for rows in blocks(shape[1], shape[2] * shape[0]):
            stack[:, rows, rows.start :] = self.stacked(rows, slice(rows.start, None))
        for matrix in stack:
            for rows in blocks(*self.shape):
                _mirror(matrix, rows)
        stack.flags.writeable = False
        self.stack, self._held = stack, None

    def lean(self) -> LibraryMatrices:
        """Return the same without matrices, unless they are to be kept: rows and statistics."""
        if self.keep is True:
            return self
        return LibraryMatrices([one.lean() for one in self.sources], self.shape[0], self.keep)

    @property
    def views(self) -> list[str]:
        """The view that each kernel is of."""
        return [source.view for source in self.sources for _ in source.names]

    def new(self, views: Views) -> KernelMatrices:
        """Return the kernels between new objects and the training objects."""
        n_objects = self.shape[1]
        parts = [source.new(views, n_objects) for source in self.sources]
        return KernelMatrices(self.names, parts, (len(views), n_objects))

    def _parts(self) -> list[ViewBlocks]:
        if self._held is not None:
            return self._held
        return [source.among(source.training(), self.shape[0]) for source in self.sources]


def _normalised(source: ViewKernels, kernels: KernelValues) -> ViewKernels:
    """Kernels of a view with their statistics; refuse those that overflow."""
    with np.errstate(over="ignore", invalid="ignore"):  # said in words below
        known = statistics(kernels)
    wrong = np.flatnonzero(~np.isfinite(known.half_mean))
    if len(wrong):
        raise ValueError(
            f"the kernel {source.names[wrong[0]]!r} is too large to be computed; bring view "
            f"{source.view!r} to a smaller scale, such as by StandardScaler."
        )
    return replace(source, known=known)
