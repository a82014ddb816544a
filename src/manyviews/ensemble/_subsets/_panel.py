"""All who may be asked about an object: the members, and who stands in where all are silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.ensemble._subsets._combining import (
    SILENT,
    moderated,
    modified,
    nearest_counts,
    normalised,
    product,
    vote_counts,
)
from manyviews.ensemble._subsets._members import (
    Member,
    codes_of,
    n_observations,
    shares_of,
    speaks,
)
from manyviews.ensemble._subsets._names import Subset
from manyviews.ensemble._subsets._parameters import Combine
from manyviews.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Said:
    """What several say of some objects: classes by code, or shares of the classes."""

    codes: IntArray | None
    shares: FloatArray | None
    n_observations: FloatArray

    def of(self, columns: IntArray) -> Said:
        """What some of them say."""
        return Said(
            None if self.codes is None else self.codes[:, columns],
            None if self.shares is None else self.shares[columns],
            self.n_observations[columns],
        )


@dataclass(frozen=True)
class Memory:
    """What they said of the training objects without having seen them, and the true classes."""

    codes: IntArray
    labels: IntArray
    prior: FloatArray

    @classmethod
    def of_members(cls, members: Sequence[Member], labels: IntArray, n_classes: int) -> Memory:
        """Lay the members' left-out labels side by side."""
        codes = np.column_stack([member.left_out for member in members])
        return cls(codes, labels, np.bincount(labels, minlength=n_classes) / len(labels))

    def of(self, columns: IntArray) -> Memory:
        """What some of them said."""
        return Memory(self.codes[:, columns], self.labels, self.prior)


@dataclass(frozen=True)
class Rule:
    """A way of combining, with what it needs to know."""

    name: Combine
    threshold: float

    @property
    def weighs_shares(self) -> bool:
        """Whether it wants shares of the classes, not just a class from each."""
        return self.name in ("modified_product", "moderation")

    def __call__(self, said: Said, memory: Memory) -> FloatArray:
        """Shares of the classes for each object; the prior where nobody speaks."""
        n_classes = len(memory.prior)
        if said.shares is not None:
            shares = said.shares
            if self.name == "modified_product":
                weights = product(modified(shares, self.threshold))
            else:
                weights = product(moderated(shares, said.n_observations))
        elif self.name == "crv":
            weights = nearest_counts(memory.codes, memory.labels, said.codes, n_classes)
        else:
            assert said.codes is not None
            weights = vote_counts(said.codes, n_classes)
        return normalised(weights, memory.prior)

    def left_out(self, memory: Memory) -> FloatArray:
        """Shares of the classes for each training object, judged by the others."""
        n_classes = len(memory.prior)
        if self.name == "crv":
            weights = nearest_counts(memory.codes, memory.labels, None, n_classes)
        else:
            weights = vote_counts(memory.codes, n_classes)
        return normalised(weights, memory.prior)


@dataclass(frozen=True)
class Panel:
    """Trained classifiers; those after the first ``n_members`` speak where no member does."""

    subsets: Sequence[Subset]
    estimators: Sequence[Any]
    n_members: int

    def ask(self, views: Views, n_classes: int, *, shares: bool, first: int | None = None) -> Said:
        """Ask all who can say something of each object.

        Who stands in is asked where the ``first`` members are silent, all members if not given.
        """
        who = self._who_speaks(views, self.n_members if first is None else first)
        weights = np.array([n_observations(estimator) for estimator in self.estimators])
        asked = zip(self.estimators, self.subsets, who, strict=True)
        if shares:
            found = np.full((len(self.subsets), len(views), n_classes), np.nan)
            for place, (estimator, subset, rows) in enumerate(asked):
                if len(rows):
                    found[place, rows] = shares_of(estimator, subset, views, rows, n_classes)
            return Said(None, found, weights)
        codes = np.full((len(views), len(self.subsets)), SILENT, dtype=np.int32)
        for place, (estimator, subset, rows) in enumerate(asked):
            if len(rows):
                codes[rows, place] = codes_of(estimator, subset, views, rows)
        return Said(codes, None, weights)

    def at_stage(self, first: int) -> IntArray:
        """Positions of the ``first`` members, then of all other single views, to stand in."""
        later = range(first, len(self.subsets))
        singles = [place for place in later if len(self.subsets[place]) == 1]
        return np.array([*range(first), *singles])

    def stage(self, said: Said, first: int) -> Said:
        """What is left of it if there were only the ``first`` members, and who stands in."""
        kept = said.of(self.at_stage(first))
        if kept.codes is not None:
            codes = kept.codes.copy()
            codes[(codes[:, :first] != SILENT).any(axis=1), first:] = SILENT
            return replace(kept, codes=codes)
        assert kept.shares is not None
        shares = kept.shares.copy()
        shares[first:, np.isfinite(shares[:first, :, 0]).any(axis=0)] = np.nan
        return replace(kept, shares=shares)

    def _who_speaks(self, views: Views, first: int) -> list[IntArray]:
        """For each classifier, the objects that it is asked about."""
        able = [speaks(subset, views) for subset in self.subsets]
        silent = np.ones(len(views), dtype=bool)
        for rows in able[:first]:
            silent[rows] = False
        return [
            rows if place < self.n_members else rows[silent[rows]]
            for place, rows in enumerate(able)
        ]
