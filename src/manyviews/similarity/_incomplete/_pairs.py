"""Pairs of incomplete rows: those of common patterns together, all others one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from manyviews.maths import Conditionals
from manyviews.similarity._rows import blocks
from manyviews.typing import BoolArray, FloatArray, IntArray

_NEGLIGIBLE = 1e-16
"""Components of less weight in a row are left out of it."""
_TOGETHER = 500
"""From so many pairs of rows on, a pair of patterns is worth matrix products of its own."""


@dataclass(frozen=True)
class Group:
    """Rows that lack the same features, as mixtures."""

    weights: FloatArray
    """Of shape (rows, components)."""
    means: FloatArray
    """Of shape (rows, components, features)."""
    covariances: FloatArray
    """Of shape (components, features, features)."""
    missing: BoolArray
    """Which features are."""

    def __len__(self) -> int:
        return len(self.weights)

    def __getitem__(self, rows: slice) -> Group:
        return Group(self.weights[rows], self.means[rows], self.covariances, self.missing)

    def components(self) -> Iterator[tuple[int, IntArray]]:
        """Numbers of the components that are in some row, and which rows these are.

        If they are most rows all are given, which is quicker than to choose.
        """
        for component, weights in enumerate(self.weights.T):
            rows = np.flatnonzero(weights)
            if len(rows):
                yield component, rows if 2 * len(rows) < len(self) else np.arange(len(self))


def add_block(found: FloatArray, rows: IntArray, columns: IntArray, block: FloatArray) -> None:
    """Add a block to some rows and columns."""
    if block.shape == found.shape:
        found += block
    else:
        found[np.ix_(rows, columns)] += block


class PairRows(NamedTuple):
    """Conditionals in the form that compiled loops read."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    missing: BoolArray
    pattern: IntArray


class PairRule(ABC):
    """What the similarity of two mixtures is, in two ways that give the same."""

    @abstractmethod
    def together(self, left: Group, right: Group) -> FloatArray:
        """Similarities of all rows of one group to all of another."""

    @abstractmethod
    def one_by_one(
        self,
        found: FloatArray,
        left: PairRows,
        right: PairRows,
        wanted: BoolArray,
        *,
        symmetric: bool,
    ) -> None:
        """Write the similarities of the pairs of rows whose pair of patterns is wanted."""


def compare_among(rows: Conditionals, rule: PairRule) -> FloatArray:
    """Similarities among rows; exactly symmetric."""
    return _compare(rows, rows, rule, symmetric=True)


def compare_between(left: Conditionals, right: Conditionals, rule: PairRule) -> FloatArray:
    """Similarities of left rows to right rows."""
    return _compare(left, right, rule, symmetric=False)


def compare_with_itself(rows: Conditionals, rule: PairRule) -> FloatArray:
    """Similarity of each row to itself."""
    found = np.empty(len(rows))
    for number in range(len(rows)):
        one = rows[[number]]
        found[number] = _compare(one, one, rule, symmetric=True)[0, 0]
    return found


def lean(rows: Conditionals) -> Conditionals:
    """Rows without components that say nothing: those of no weight, and all but one of whole rows.

    Where nothing is missing all components are the same point.
    """
    weights = np.where(rows.weights < _NEGLIGIBLE, 0.0, rows.weights)
    whole = np.all(rows.observed[rows.pattern], axis=1)
    weights[whole] = 0.0
    weights[whole, 0] = 1.0
    return replace(rows, weights=weights)


def _compare(
    left: Conditionals, right: Conditionals, rule: PairRule, *, symmetric: bool
) -> FloatArray:
    found = np.empty((len(left), len(right)))
    left, right = lean(left), lean(right)
    left_places, right_places = _places(left), _places(right)
    counts = np.array([len(places) for places in right_places])
    alone = np.ones((len(left_places), len(right_places)), dtype=bool)
    for here, rows in enumerate(left_places):
        alone[here] = len(rows) * counts < _TOGETHER
        for there in np.flatnonzero(~alone[here]):
            if not symmetric or there >= here:
                _fill_together(
                    found,
                    (left, here, rows),
                    (right, int(there), right_places[there]),
                    rule,
                    symmetric=symmetric,
                )
    if alone.any():
        rule.one_by_one(found, _listed(left), _listed(right), alone, symmetric=symmetric)
    return found


def _fill_together(
    found: FloatArray,
    left: tuple[Conditionals, int, IntArray],
    right: tuple[Conditionals, int, IntArray],
    rule: PairRule,
    *,
    symmetric: bool,
) -> None:
    """Write the block of two patterns, and its mirror image."""
    here, there = _group(*left), _group(*right)
    rows, columns = left[2], right[2]
    same = symmetric and left[1] == right[1]
    for part in blocks(len(rows), len(columns)):
        later = slice(part.start if same else 0, len(columns))
        block = rule.together(here[part], there[later])
        if same:  # the corner that is compared with itself
            corner = block[:, : part.stop - part.start]
            corner[:] = (corner + corner.T) / 2
        found[np.ix_(rows[part], columns[later])] = block
        if symmetric:
            found[np.ix_(columns[later], rows[part])] = block.T


def _places(rows: Conditionals) -> list[IntArray]:
    """Where the rows of each pattern stand."""
    order = np.argsort(rows.pattern, kind="stable")
    edges = np.searchsorted(rows.pattern[order], np.arange(len(rows.observed) + 1))
    return [order[start:stop] for start, stop in pairwise(edges)]


def _group(rows: Conditionals, pattern: int, places: IntArray) -> Group:
    return Group(
        rows.weights[places],
        rows.means[places],
        rows.covariances[pattern],
        ~rows.observed[pattern],
    )


def _listed(rows: Conditionals) -> PairRows:
    """Rows in one kind of memory, so that loops are compiled once."""
    return PairRows(
        np.ascontiguousarray(rows.weights),
        np.ascontiguousarray(rows.means),
        np.ascontiguousarray(rows.covariances),
        ~np.ascontiguousarray(rows.observed),
        np.ascontiguousarray(rows.pattern, dtype=np.intp),
    )
