"""The smallest entry of a symmetric matrix of low rank, found exactly without forming the matrix.

Its entries are inner products of the rows' coordinates, some of these with a minus sign. Rows that
lie close together are put into small groups; the smallest product of a row with anything in the box
around a group bounds what the row can have there, and only where that bound is below the best
entry found so far are entries computed: in single precision, and again in double where it counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, qr, solve_triangular

from manyviews.typing import FloatArray, IntArray

_PLAIN = 4096
"""Up to this many rows every entry is computed: faster than any bookkeeping."""
_BLOCK = 512
"""Rows of which all entries are held at once."""
_GROUP = 64
"""Largest number of rows in a group."""
_AT_ONCE = 64
"""Groups whose bounds are held at once."""
_LONGEST = 64
"""Rows, the longest ones, of which all entries are looked at first."""
_SAMPLE = 10_000
"""Of more rows than this, evenly spaced ones are enough to choose axes by."""


@dataclass(frozen=True)
class Halves:
    """The matrix ``(U Wᵀ + W Uᵀ) / 2``."""

    vectors: FloatArray
    images: FloatArray

    def __getitem__(self, rows: IntArray) -> Halves:
        return Halves(self.vectors[rows], self.images[rows])

    def entries(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Single entries."""
        one = np.einsum("ij,ij->i", self.vectors[rows], self.images[columns])
        other = np.einsum("ij,ij->i", self.images[rows], self.vectors[columns])
        return (one + other) / 2

    def smallest_of_all(self) -> float:
        """Every entry on or right of the diagonal, block by block."""
        left = np.hstack([self.vectors, self.images])
        right = np.hstack([self.images, self.vectors])
        starts = range(0, len(left), _BLOCK)
        return min(float((left[i : i + _BLOCK] @ right[i:].T).min()) for i in starts) / 2


@dataclass(frozen=True)
class Grouped:
    """Rows in groups of neighbours: ``rows @ signed.T`` is the matrix, in single precision."""

    rows: FloatArray
    signed: FloatArray
    starts: IntArray
    """Where each group begins."""
    slack: float
    """How far rounding may take a product of two rows, or a bound of it."""


def smallest_entry(vectors: FloatArray, images: FloatArray) -> float:
    """Return the smallest entry of ``(U Wᵀ + W Uᵀ) / 2``.

    Parameters
    ----------
    vectors, images : arrays of shape (n, m)
        The matrices U and W.

    Notes
    -----
    It holds O(n m) numbers. Time is O(n² m) at worst, when no bound tells anything; where the rows
    gather around few directions, as those of a spectral embedding do, hardly a group is looked
    into, and the bounds themselves are most of the work: O(n² m / 64).

    Examples
    --------
    >>> smallest_entry(np.array([[1.0], [-2.0]]), np.array([[1.0], [3.0]]))
    -6.0
    """
    if len(vectors) <= _PLAIN:
        return Halves(vectors, images).smallest_of_all()
    size = float(np.abs(images).max()) or 1.0  # single precision has no room for large kernels
    matrix = Halves(vectors, images / size)
    grouped, order = _group(*_signed_coordinates(matrix))
    matrix = matrix[order]
    best = _smallest_of_longest(grouped, matrix)
    for first in range(0, len(grouped.starts), _AT_ONCE):
        best = _smallest_in_groups(grouped, matrix, first, best)
    return best * size


def _signed_coordinates(matrix: Halves) -> tuple[FloatArray, FloatArray]:
    """Coordinates X and signs s with ``X diag(s) Xᵀ`` the matrix, and axes close to the rows."""
    both = np.hstack([matrix.vectors, matrix.images])
    width = both.shape[1]
    squares = both.T @ both
    squares.flat[:: width + 1] += 1e-12 * np.trace(squares)  # any root will do: keep it regular
    root = np.linalg.cholesky(squares).T
    halves = np.roll(root, width // 2, axis=1) / 2
    values, turns = eigh(halves @ root.T)
    scaled_turns = solve_triangular(root, turns * np.sqrt(np.abs(values)))
    rows = both @ scaled_turns
    parts = [_turned_to_axes(rows[:, values > 0]), _turned_to_axes(rows[:, values <= 0])]
    return np.hstack(parts), np.repeat([1.0, -1.0], [part.shape[1] for part in parts])


def _turned_to_axes(rows: FloatArray) -> FloatArray:
    """Turn coordinates so that long rows that differ most lie near the axes: boxes get thin."""
    if not rows.any():
        return rows
    some = rows[:: -(-len(rows) // _SAMPLE)]
    _, chosen = qr(some.T, mode="r", pivoting=True, check_finite=False)
    left, _, right = np.linalg.svd(some[chosen[: rows.shape[1]]].T)
    return rows @ (left @ right)


def _group(rows: FloatArray, signs: FloatArray) -> tuple[Grouped, IntArray]:
    """Halve the rows at the median of their widest coordinate until groups are small."""
    single = np.ascontiguousarray(rows, dtype=np.float32)
    order = np.arange(len(rows))
    starts, waiting = [], [(0, len(rows))]
    while waiting:
        start, stop = waiting.pop()
        if stop - start <= _GROUP:
            starts.append(start)
            continue
        part, half = single[start:stop], (stop - start) // 2
        sides = np.argpartition(part[:, part.var(axis=0).argmax()], half)
        single[start:stop] = part[sides]
        order[start:stop] = order[start:stop][sides]
        waiting += [(start + half, stop), (start, start + half)]
    longest = np.abs(single).max(axis=0).astype(np.float64)
    slack = 4 * (len(signs) + 2) * float(np.finfo(np.float32).eps) * float(longest @ longest)
    return Grouped(single, single * signs.astype(np.float32), np.array(starts), slack), order


def _smallest_of_longest(grouped: Grouped, matrix: Halves) -> float:
    """An entry as small as any that the longest rows have: mostly the smallest of all."""
    lengths = np.einsum("ij,ij->i", grouped.rows, grouped.rows)
    longest = np.argpartition(lengths, -_LONGEST)[-_LONGEST:]
    columns = np.array([int((grouped.rows @ grouped.signed[row]).argmin()) for row in longest])
    return float(matrix.entries(longest, columns).min())


def _smallest_in_groups(grouped: Grouped, matrix: Halves, first: int, best: float) -> float:
    """The smallest of ``best`` and of the entries of some groups with the rows from there on."""
    ends = np.append(grouped.starts, len(grouped.rows))[first : first + _AT_ONCE + 1]
    rows = grouped.rows[ends[0] :]
    bounds = _lowest_products(rows, grouped.signed[ends[0] : ends[-1]], ends[:-1] - ends[0])
    for bound, start, stop in zip(bounds, ends[:-1], ends[1:], strict=True):
        later = bound[start - ends[0] :]  # earlier groups have met this one
        doubtful = start + np.flatnonzero(later < best + grouped.slack)
        if not len(doubtful):
            continue
        products = grouped.rows[doubtful] @ grouped.signed[start:stop].T
        if products.min() < best + grouped.slack:
            near, columns = np.nonzero(products < best + grouped.slack)
            best = min(best, float(matrix.entries(doubtful[near], start + columns).min()))
    return best


def _lowest_products(rows: FloatArray, signed: FloatArray, starts: IntArray) -> FloatArray:
    """What the product of a row with anything in the box around a group is at least."""
    lowest = np.minimum.reduceat(signed, starts, axis=0)
    highest = np.maximum.reduceat(signed, starts, axis=0)
    bounds: FloatArray = lowest @ np.maximum(rows, 0).T
    bounds += highest @ np.minimum(rows, 0).T
    return bounds
