"""Base kernels that are made when they are asked for, block by block, or kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from manyviews.maths import check_memory
from manyviews.mkl._library._matrices import ALL, Block, KernelMatrices
from manyviews.mkl._library._part import Part
from manyviews.mkl._library._raw import blocks
from manyviews.typing import FloatArray, IntArray

Weighed = tuple[Part, FloatArray]
"""Kernels with the weights of their values as they are."""


class Blocked(KernelMatrices):
    """Kernels of several views, none of which is there before it is asked for."""

    def __init__(self, names: Sequence[str], parts: list[Part], shape: tuple[int, int]) -> None:
        self.names, self.parts, self.shape = names, parts, shape
        ends = list(accumulate(part.raw.n_kernels for part in parts))
        self._spans = [slice(start, end) for start, end in pairwise([0, *ends])]

    def gram(self, number: int) -> FloatArray:
        """One kernel."""
        weights = np.zeros(len(self))
        weights[number] = 1.0
        return self.combined(weights)

    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs."""
        found = np.empty((len(left), len(self)))
        for part, span in zip(self.parts, self._spans, strict=True):
            part.write_pairs(np.asarray(left), np.asarray(right), found[:, span])
        return found

    def stacked(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """Values of some objects with some training objects, kernel by kernel."""
        rows, columns = _bounded(rows, self.shape[0]), _bounded(columns, self.shape[1])
        found = np.empty((len(self), rows.stop - rows.start, columns.stop - columns.start))
        for part, span in zip(self.parts, self._spans, strict=True):
            part.write(rows, columns, found[span])
        return found

    def products(self, matrix: Block) -> FloatArray:
        """``⟨K_l, A⟩``, no kernel being formed."""
        return np.concatenate([part.products(matrix) for part in self.parts])

    def combined(self, weights: FloatArray) -> FloatArray:
        """``Σ_l weights[l] K_l``, summed before it is centred, which is linear."""
        groups: dict[str, list[Weighed]] = {}
        for part, span in zip(self.parts, self._spans, strict=True):
            shares = part.shares(np.asarray(weights, dtype=np.float64)[span])
            if shares.any() and len(part.rows):
                groups.setdefault("" if part.complete else part.view, []).append((part, shares))
        complete = groups.pop("", None)
        found = np.zeros(self.shape) if complete is None else centred_sum(complete)
        for weighed in groups.values():
            part = weighed[0][0]
            found[np.ix_(part.rows, part.columns)] += centred_sum(weighed)
        return found


class Kept(KernelMatrices):
    """Kernels that are all in memory, kernels × objects × objects."""

    def __init__(self, source: KernelMatrices) -> None:
        self.names, self.shape = source.names, source.shape
        check_memory(
            (len(source), *source.shape),
            f"{len(source)} kernels among {source.shape[0]:,} objects, all kept,",
            remedy="use KernelLibrary(keep=False)",
        )
        self.stack = np.empty((len(source), *source.shape))
        for rows in blocks(source.shape[0], source.shape[1] * len(source)):
            self.stack[:, rows, rows.start :] = source.stacked(rows, slice(rows.start, None))
        for matrix in self.stack:
            for rows in blocks(*source.shape):
                _mirror(matrix, rows)
        self.stack.flags.writeable = False

    def gram(self, number: int) -> FloatArray:
        """One kernel."""
        return self.stack[number]

    def pairs(self, left: IntArray, right: IntArray) -> FloatArray:
        """K-examples of some pairs."""
        return np.ascontiguousarray(self.stack[:, left, right].T)

    def stacked(self, rows: slice, columns: slice = ALL) -> FloatArray:
        """Values of some objects with some others, as they are kept."""
        return self.stack[:, rows, columns]

    def products(self, matrix: Block) -> FloatArray:
        """``⟨K_l, A⟩``."""
        return self.stack.reshape(len(self), -1) @ matrix(ALL, ALL).ravel()

    def combined(self, weights: FloatArray) -> FloatArray:
        """The weighted sum of the kernels."""
        return np.tensordot(np.asarray(weights, dtype=np.float64), self.stack, axes=1)


def centred_sum(weighed: list[Weighed]) -> FloatArray:
    """Weighted sum of kernels between the same objects, centred at once."""
    first = weighed[0][0]
    wanted = [part.raw.restricted(shares) for part, shares in weighed]
    offsets = [part.offsets(shares) for part, shares in weighed]
    right, half = np.sum([one for one, _ in offsets], axis=0), sum(mean for _, mean in offsets)
    n_rows, n_columns = first.raw.shape
    found = np.zeros((n_rows, n_columns))
    for rows in blocks(n_rows, n_columns * max(raw.width for raw, _ in wanted)):
        columns = slice(rows.start if first.among else 0, n_columns)
        block = found[rows, columns]
        for raw, weights in wanted:
            for numbers, values in raw.values(rows, columns):
                block += _weighted(values, weights[numbers])
        if first.known is not None:
            block -= (right[rows] if first.among else block.mean(axis=1) - half)[:, None]
            block -= right[columns]
        if first.among:
            _mirror(found, rows)
    return found


def _weighted(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Weighted sum along the last axis, which often is of length one."""
    return values[..., 0] * weights[0] if len(weights) == 1 else values @ weights


def _bounded(some: slice, size: int) -> slice:
    """The same slice with bounds that are numbers."""
    start, stop, _ = some.indices(size)
    return slice(start, max(start, stop))


def _mirror(found: FloatArray, rows: slice) -> None:
    """Write what is right of the diagonal to the left of it, for some rows."""
    found[rows.stop :, rows] = found[rows, rows.stop :].T
    corner = found[rows, rows]
    corner[...] = np.triu(corner) + np.triu(corner, 1).T
