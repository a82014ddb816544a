"""Kernels of one view, centred and of unit variance in feature space by training statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manyviews.mkl._library._matrices import Block, Index
from manyviews.mkl._library._raw import Raw, blocks
from manyviews.typing import FloatArray, IntArray

_CONSTANT = 1e-12
"""A variance up to this share of the mean square is that of a constant kernel, up to rounding."""


@dataclass(frozen=True)
class Statistics:
    """What is known of kernels from the training objects that a view shows.

    A kernel is centred by ``k(x, y) − m(x) − m(y) + g`` with ``m`` the mean over training objects
    and ``g`` the mean of all; half of ``g`` is taken to each side here, ``c = m − g / 2``.
    """

    centres: FloatArray
    """``c`` of each training object, objects × kernels."""
    half: FloatArray
    """``g / 2`` of each kernel."""
    shrink: FloatArray
    """One over the variance of each kernel; zero for a constant one."""


def statistics(raw: Raw) -> Statistics:
    """Mean of each training object and variance of each kernel, from half of all pairs."""
    n_objects = raw.shape[0]
    means = np.zeros((n_objects, raw.n_kernels))
    for rows in blocks(n_objects, n_objects * raw.width):
        later = slice(rows.start, n_objects)
        for numbers, values in raw.values(rows, later):
            means[rows, numbers] += values.sum(axis=1)
            means[rows.stop :, numbers] += values[:, rows.stop - rows.start :].sum(axis=0)
    means /= n_objects
    overall, own = means.mean(axis=0), raw.diagonal().mean(axis=0)
    variances = own - overall  # the mean squared distance to the mean in feature space
    moved = variances > _CONSTANT * np.abs(own)
    shrink = np.divide(1.0, variances, out=np.zeros_like(variances), where=moved)
    return Statistics(means - overall / 2, overall / 2, shrink)


@dataclass(frozen=True)
class Part:
    """Kernels between those objects that one view shows."""

    view: str
    raw: Raw
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

    # -- K-examples ------------------------------------------------------------------------------

    def write_pairs(self, left: IntArray, right: IntArray, out: FloatArray) -> None:
        """Write the values of pairs, pairs × kernels; zeros where the view lacks one of them."""
        if self.complete:
            for some in self._pair_blocks(len(left)):
                self._write_pairs(left[some], right[some], out[some])
            return
        out[...] = 0.0
        at, to = _positions(self.rows, self.shape[0]), _positions(self.columns, self.shape[1])
        shown = np.flatnonzero((at[left] >= 0) & (to[right] >= 0))
        for some in self._pair_blocks(len(shown)):
            chosen = shown[some]
            found = np.empty((len(chosen), self.raw.n_kernels))
            self._write_pairs(at[left[chosen]], to[right[chosen]], found)
            out[chosen] = found

    def _pair_blocks(self, n_pairs: int) -> Iterator[slice]:
        return blocks(n_pairs, max(self.raw.n_kernels, self.raw.load))

    def _write_pairs(self, left: IntArray, right: IntArray, out: FloatArray) -> None:
        for numbers, values in self.raw.paired(left, right):
            out[:, numbers] = values
        if self.known is not None:
            out -= self._centres[left]
            out -= self.known.centres[right]
            out *= self.known.shrink

    def write(self, rows: slice, columns: slice, out: FloatArray) -> None:
        """Write the values of some objects with some training objects: kernels × rows × columns."""
        if self.complete:
            self._write(rows, columns, out)
            return
        out[...] = 0.0
        at, to = _shown(self.rows, rows), _shown(self.columns, columns)
        found = np.empty((self.raw.n_kernels, at.stop - at.start, to.stop - to.start))
        self._write(at, to, found)
        places = self.rows[at] - rows.start, self.columns[to] - columns.start
        out[:, places[0][:, None], places[1]] = found

    def _write(self, rows: slice, columns: slice, out: FloatArray) -> None:
        n_columns = columns.stop - columns.start
        for some in blocks(rows.stop - rows.start, n_columns * self.raw.n_kernels):
            here, block = slice(rows.start + some.start, rows.start + some.stop), out[:, some]
            for numbers, values in self.raw.values(here, columns):
                block[numbers] = values.transpose(2, 0, 1)
            if self.known is not None:
                block -= self._row_centres(here, block).T[..., None]
                block -= self.known.centres[columns].T[:, None]
                block *= self.known.shrink[:, None, None]

    def _row_centres(self, rows: slice, block: FloatArray) -> FloatArray:
        """What is taken off for row objects, which a block with all training objects tells."""
        assert self.known is not None
        if self.among or block.shape[-1] < len(self.columns):
            return self._centres[rows]
        return block.mean(axis=-1).T - self.known.half

    # -- products --------------------------------------------------------------------------------

    def products(self, matrix: Block) -> FloatArray:
        """``⟨K_l, A⟩`` among training objects: ``⟨raw, A⟩`` less ``2 Σ_i c_i (A 1)_i``, scaled."""
        n_objects = len(self.rows)
        found, sums = np.zeros(self.raw.n_kernels), np.zeros(n_objects)
        for rows in blocks(n_objects, n_objects * self.raw.width):
            columns = slice(rows.start, n_objects)
            block = matrix(self._index(rows), self._index(columns))
            sums[rows] += block.sum(axis=1)
            sums[rows.stop :] += block[:, rows.stop - rows.start :].sum(axis=0)
            twice = 1.0 + (np.arange(rows.start, n_objects) >= rows.stop)  # for the other half
            weights = (block * twice).ravel()
            for numbers, values in self.raw.values(rows, columns):
                found[numbers] += weights @ values.reshape(len(weights), -1)
        if self.known is None:
            return found
        return (found - 2.0 * sums @ self.known.centres) * self.known.shrink

    def _index(self, some: slice) -> Index:
        """Objects among all, given some of those shown."""
        return some if self.complete else self.rows[some]

    # -- what rows have in common ----------------------------------------------------------------

    @cached_property
    def _centres(self) -> FloatArray:
        """What is taken off the values of each row object, objects × kernels."""
        assert self.known is not None
        if self.among:
            return self.known.centres
        n_rows, n_columns = self.raw.shape
        found = np.empty((n_rows, self.raw.n_kernels))
        for rows in blocks(n_rows, n_columns * self.raw.width):
            for numbers, values in self.raw.values(rows, slice(0, n_columns)):
                found[rows, numbers] = values.mean(axis=1)
        return found - self.known.half

    # -- weighted sums ---------------------------------------------------------------------------

    def shares(self, weights: FloatArray) -> FloatArray:
        """Weights of the values as they are that give weights to the kernels."""
        return weights if self.known is None else weights * self.known.shrink

    def offsets(self, shares: FloatArray) -> tuple[FloatArray, float]:
        """Of such a sum, what is taken off for each training object, and half the mean."""
        if self.known is None:
            return np.zeros(len(self.columns)), 0.0
        return self.known.centres @ shares, float(self.known.half @ shares)


def _shown(places: IntArray, some: slice) -> slice:
    """Which of the objects shown, at these places in rising order, are among some of all."""
    first, last = np.searchsorted(places, (some.start, some.stop))
    return slice(int(first), int(last))


def _positions(places: IntArray, n_objects: int) -> IntArray:
    """Where each object stands among those shown, -1 if it is not."""
    found = np.full(n_objects, -1)
    found[places] = np.arange(len(places))
    return found
