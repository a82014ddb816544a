"""What is maximised: gains of bits, minus disagreement of views, minus broken constraints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from manyviews.maths._ontology import Ontology
from manyviews.typing import BoolArray, FloatArray, IntArray

Edge = tuple[int, int]


@dataclass(frozen=True)
class Problem:
    """One bit per view, object and class, to be chosen for the most of Eq. (10).

    The value of an object's bits is the sum of the gains of those that are on, minus
    ``disagreement`` for each class and pair of views that differ, minus ``penalty`` for each view
    and constraint broken.
    """

    gains: FloatArray  # (n_views, n_objects, n_classes)
    disagreement: float
    penalty: float

    @property
    def n_views(self) -> int:
        """Number of views."""
        return self.gains.shape[0]

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.gains.shape[1]

    def rows(self, rows: Any) -> Problem:
        """Return the problem of some objects."""
        return replace(self, gains=self.gains[:, rows])

    def columns(self, classes: Any) -> Problem:
        """Return the problem of some classes."""
        return replace(self, gains=self.gains[:, :, classes])


@dataclass(frozen=True)
class Constraints:
    """Which classes lie in each other and which exclude each other, by position."""

    n_classes: int
    subset: tuple[Edge, ...]  # (child, parent)
    mutex: tuple[Edge, ...]

    @classmethod
    def of(cls, ontology: Ontology) -> Constraints:
        """Read those of an ontology."""
        return cls(
            len(ontology),
            tuple((int(i), int(j)) for i, j in ontology.subset_pairs),
            tuple((int(i), int(j)) for i, j in ontology.mutex_pairs),
        )

    @cached_property
    def neighbours(self) -> tuple[frozenset[int], ...]:
        """For each class those that share a constraint with it."""
        found: list[set[int]] = [set() for _ in range(self.n_classes)]
        for i, j in (*self.subset, *self.mutex):
            found[i].add(j)
            found[j].add(i)
        return tuple(frozenset(others) for others in found)

    def within(self, classes: Sequence[int]) -> Constraints:
        """Return the constraints among some classes, which get new positions."""
        place = {old: new for new, old in enumerate(classes)}
        return Constraints(
            len(classes), tuple(_kept(self.subset, place)), tuple(_kept(self.mutex, place))
        )

    def components(self) -> list[list[int]]:
        """Return groups of classes without constraints between them, to be solved one by one."""
        unseen = set(range(self.n_classes))
        groups = []
        for start in range(self.n_classes):
            if start not in unseen:
                continue
            group = [start]
            unseen.discard(start)
            for name in group:
                new = self.neighbours[name] & unseen
                unseen -= new
                group.extend(sorted(new))
            groups.append(sorted(group))
        return groups


def popcounts(n_views: int) -> IntArray:
    """Return how many views are on in each of the 2^V joint states of a class."""
    return np.array([state.bit_count() for state in range(2**n_views)], dtype=np.int64)


def unpack(states: IntArray, n_views: int) -> list[BoolArray]:
    """Return the bits of joint states, one array per view."""
    return [(states & (1 << view)) != 0 for view in range(n_views)]


def row_blocks(n_objects: int, n_rows: int) -> Iterator[slice]:
    """Yield slices of at most so many rows."""
    for start in range(0, n_objects, n_rows):
        yield slice(start, min(start + n_rows, n_objects))


def _kept(edges: Iterable[Edge], place: dict[int, int]) -> Iterator[Edge]:
    return ((place[i], place[j]) for i, j in edges if i in place and j in place)
