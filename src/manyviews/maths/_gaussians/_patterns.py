"""Rows with gaps, those that miss the same entries side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from manyviews.typing import BoolArray, FloatArray, IntArray

_BLOCK = 2**20
"""How many numbers the largest array of one block of rows may hold."""


@dataclass(frozen=True)
class Gaps:
    """What is missing in the patterns that miss equally many entries."""

    first: int
    """Where the missing entries begin in the order of each of these patterns."""
    patterns: slice
    """Which patterns they are."""
    cells: IntArray
    """The cells of a (d, d) matrix, laid flat, in which a row and a column that are missing
    meet: of shape (n_patterns, m²) for m missing entries."""


@dataclass(frozen=True)
class PatternRows:
    """Rows sorted by their pattern: which of the entries are observed.

    The patterns stand in the order of how many entries they show.
    """

    values: FloatArray
    """Rows of shape (n, d), zero where nothing is observed."""
    observed: BoolArray
    """The patterns, of shape (n_patterns, d)."""
    starts: IntArray
    """Where the rows of each pattern begin, and last their number: shape (n_patterns + 1,)."""
    places: IntArray
    """Where each row stood before."""
    numbers: IntArray
    """The number of each pattern among those of all rows."""

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def pattern(self) -> IntArray:
        """The pattern of each row, counted from the first one here."""
        return np.repeat(np.arange(len(self.observed)), np.diff(self.starts))

    @cached_property
    def order(self) -> IntArray:
        """The entries of each pattern with the observed ones first, of shape (n_patterns, d)."""
        return np.argsort(~self.observed, axis=1, kind="stable")

    @cached_property
    def cells(self) -> IntArray:
        """Where the cells of a matrix go when its rows and columns are put in each order."""
        return self.order[:, :, None] * self.order.shape[1] + self.order[:, None, :]

    @cached_property
    def n_observed(self) -> IntArray:
        """How many entries each pattern shows; never falls."""
        return np.asarray(self.observed.sum(axis=1))

    @cached_property
    def seen_in_order(self) -> BoolArray:
        """Which entries are observed, in the order of each pattern."""
        return np.arange(self.observed.shape[1]) < self.n_observed[:, None]

    @cached_property
    def gaps(self) -> list[Gaps]:
        """What is missing, by how many entries that is."""
        width, found = self.observed.shape[1], []
        for count in np.unique(self.n_observed[self.n_observed < width]):
            first, last = np.searchsorted(self.n_observed, [count, count + 1])
            missing = self.order[first:last, count:]
            cells = missing[:, :, None] * width + missing[:, None, :]
            flat = cells.reshape(len(cells), -1)
            found.append(Gaps(int(count), slice(int(first), int(last)), flat))
        return found

    def blocks(self, n_components: int) -> Iterator[PatternRows]:
        """Cut into pieces whose factors and completed rows fit into a few megabytes."""
        width = n_components * self.values.shape[1]
        most_rows = max(1, _BLOCK // width)
        most_patterns = max(1, _BLOCK // (width * self.values.shape[1]))
        n_patterns = len(self.observed)
        for first in range(0, n_patterns, most_patterns):
            end = self.starts[min(first + most_patterns, n_patterns)]
            for start in range(self.starts[first], end, most_rows):
                yield self._cut(start, min(start + most_rows, int(end)))

    def _cut(self, start: int, end: int) -> PatternRows:
        if end - start == len(self):
            return self
        first, last = self.pattern[start], self.pattern[end - 1] + 1
        return PatternRows(
            self.values[start:end],
            self.observed[first:last],
            np.clip(self.starts[first : last + 1], start, end) - start,
            self.places[start:end],
            self.numbers[first:last],
        )


def pattern_rows(rows: FloatArray) -> PatternRows:
    """Sort rows by which of their entries are NaN.

    Examples
    --------
    >>> nan = float("nan")
    >>> sorted_rows = pattern_rows(np.array([[1.0, nan], [2.0, 3.0], [4.0, nan]]))
    >>> sorted_rows.observed
    array([[ True, False],
           [ True,  True]])
    >>> sorted_rows.places, sorted_rows.starts
    (array([0, 2, 1]), array([0, 2, 3]))
    """
    values = np.asarray(rows, dtype=np.float64)
    observed = ~np.isnan(values)
    words = _words(observed)
    places = np.lexsort([*words.T, observed.sum(axis=1)])
    changes = np.diff(words[places], axis=0).any(axis=1)
    first = np.concatenate([[0], 1 + np.flatnonzero(changes)])[: len(values)]
    starts = np.append(first, len(values))
    patterns = observed[places[first]]
    values = np.where(observed, values, 0.0)[places]
    return PatternRows(values, patterns, starts, places, np.arange(len(first)))


def _words(observed: BoolArray) -> IntArray:
    """The bits of each row packed into whole numbers."""
    packed = np.packbits(observed, axis=1)
    padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)
