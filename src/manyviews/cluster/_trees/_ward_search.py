"""Greedy agglomeration: always the cheapest merge of all, for costs of any shape [@muellner2011].

Merge costs of Bregman divergences other than squared distances are not *reducible*: the union of
the two nearest clusters can be nearer to a third than either was. The nearest-neighbour chain is
then wrong, so the cheapest pair is searched by bounds, which needs no such property.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from manyviews.typing import BoolArray, FloatArray, IntArray

_COMPACT_EVERY = 64
"""Merges between two looks at whether half of the slots are empty."""


@dataclass
class Slots:
    """Which clusters there are, and for each its cheapest partner among those in slots before it.

    ``bounds`` is the cost of merging with ``nearest``; where ``stale``, that partner has changed
    and the bound is only what no partner undercuts.
    """

    bounds: FloatArray
    nearest: IntArray
    stale: BoolArray
    alive: BoolArray
    nodes: IntArray

    @classmethod
    def of_singles(cls, n_objects: int) -> Slots:
        """Every object for itself, with no partner known."""
        return cls(
            np.full(n_objects, np.inf),
            np.full(n_objects, -1),
            np.zeros(n_objects, dtype=bool),
            np.ones(n_objects, dtype=bool),
            np.arange(n_objects),
        )

    def compacted(self, kept: IntArray) -> Slots:
        """Only the slots that are kept, in their order."""
        places = np.full(len(self.alive), -1)
        places[kept] = np.arange(len(kept))
        return Slots(
            self.bounds[kept],
            places[self.nearest[kept]],
            self.stale[kept],
            self.alive[kept],
            self.nodes[kept],
        )


class Clusters(Protocol):
    """Means and sizes of the clusters, one per slot, and what it costs to merge two."""

    def cost(self, one: int, other: int) -> float:
        """Cost of merging two; infinite if they cannot be compared."""

    def visit(self, slots: Slots, slot: int, stop: int, best: float) -> tuple[float, int]:
        """Cheapest partner before ``slot`` that costs less than ``best``, or -1 for its place.

        Slots from ``slot + 1`` to ``stop`` are told where ``slot`` is their cheapest partner.
        """

    def absorb(self, slot: int, other: int) -> None:
        """Put the union of two clusters into ``slot``."""

    def compact(self, kept: IntArray) -> None:
        """Keep only some slots, in their order."""


@dataclass(frozen=True)
class Merges:
    """What was merged, in order: nodes by number, as in SciPy's linkage, and the costs."""

    children: IntArray
    costs: FloatArray
    """Infinite where clusters were joined that cannot be compared, when no others were left."""


@dataclass
class _Search:
    clusters: Clusters
    slots: Slots
    pairs: list[tuple[int, int]] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)

    def cheapest(self) -> tuple[int, int]:
        """Slots of the cheapest merge of all; bounds are made exact only while they lead."""
        slots = self.slots
        while True:
            slot = int(slots.bounds.argmin())
            if np.isinf(slots.bounds[slot]):
                first, second = np.flatnonzero(slots.alive)[:2]
                return int(second), int(first)
            if not slots.stale[slot]:
                return slot, int(slots.nearest[slot])
            self._refresh(slot)

    def _refresh(self, slot: int) -> None:
        slots, guess = self.slots, int(self.slots.nearest[slot])
        best, partner = self.clusters.cost(slot, guess), -1  # of the union that took its partner
        if best > slots.bounds[slot]:
            best, partner = self.clusters.visit(slots, slot, slot, best)
        slots.bounds[slot] = best
        slots.nearest[slot] = guess if partner < 0 else partner
        slots.stale[slot] = False

    def merge(self, slot: int, target: int, node: int) -> None:
        """Let ``target``, the earlier slot, take in the cluster of ``slot``."""
        slots = self.slots
        self.pairs.append((int(slots.nodes[slot]), int(slots.nodes[target])))
        self.costs.append(float(slots.bounds[slot]))
        self.clusters.absorb(target, slot)
        slots.alive[slot], slots.bounds[slot] = False, np.inf
        slots.nodes[target] = node
        touched = (slots.nearest == slot) | (slots.nearest == target)
        slots.nearest[touched] = target
        slots.stale |= touched
        self.look(target, len(slots.alive))

    def look(self, slot: int, stop: int) -> None:
        """Find the partner of a cluster that is new in its slot."""
        slots = self.slots
        slots.bounds[slot], slots.nearest[slot] = self.clusters.visit(slots, slot, stop, np.inf)
        slots.stale[slot] = False

    def compact(self) -> None:
        """Close the gaps once half of the slots are empty."""
        if 2 * int(self.slots.alive.sum()) < len(self.slots.alive):
            kept = np.flatnonzero(self.slots.alive)
            self.clusters.compact(kept)
            self.slots = self.slots.compacted(kept)


def agglomerate(
    clusters: Clusters, n_objects: int, report: Callable[[int], None] | None = None
) -> Merges:
    """Merge single objects, always the cheapest pair, until one cluster is left.

    Each cluster keeps its cheapest partner among those in earlier slots, so that every pair is
    kept once. When a partner is merged away, the old cost stays as a bound from below: without it
    nothing gets cheaper, and the new union is looked at by all. A bound is made exact only when
    it is the least of all, which is rare.

    Parameters
    ----------
    clusters : Clusters
        The objects, each in a slot of its own; they are used up.
    n_objects : int
        How many they are.
    report : callable, optional
        Called with the number of merges after each.

    Returns
    -------
    Merges
        ``n_objects − 1`` merges in the order of the greedy algorithm.
    """
    search = _Search(clusters, Slots.of_singles(n_objects))
    for slot in range(n_objects):
        search.look(slot, slot)
    for number in range(n_objects - 1):
        slot, target = search.cheapest()
        search.merge(slot, target, n_objects + number)
        if number % _COMPACT_EVERY == 0:
            search.compact()
        if report is not None:
            report(number + 1)
    return Merges(np.array(search.pairs).reshape(-1, 2), np.array(search.costs))
