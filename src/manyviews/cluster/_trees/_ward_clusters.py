"""Means and sizes of clusters in every view, and what merges cost by the Lemma [@gupta2005]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manyviews.cluster._trees._ward_search import Clusters, Slots
from manyviews.maths import (
    BinaryRelativeEntropy,
    Divergence,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    SquaredEuclidean,
    SumOfDivergences,
    merge_cost,
)
from manyviews.typing import BoolArray, FloatArray, IntArray

SQUARED, KULLBACK_LEIBLER, ITAKURA_SAITO, BINARY = range(4)

_SINGLE_ROUNDING = float(np.finfo(np.float32).eps)
_DOUBLE_ROUNDING = 1e-11
"""How much sums of a user's own function may err, relatively; generous, as it only costs time."""


@dataclass(frozen=True)
class Part:
    """One view under one divergence: objects as rows, those observed, and the view's weight."""

    matrix: FloatArray
    observed: BoolArray
    divergence: Divergence
    weight: float = 1.0

    def terms(self) -> list[Part]:
        """The same as several parts if the divergence is a sum."""
        if not isinstance(self.divergence, SumOfDivergences):
            return [self]
        return [
            Part(self.matrix, self.observed, term, self.weight * weight)
            for weight, term in self.divergence.weighted()
        ]


def clusters_of_singles(parts: list[Part]) -> Clusters:
    """Every object for itself: compiled if all divergences are known, else in NumPy."""
    terms = [term for part in parts for term in part.terms()]
    if all(type(term.divergence) in _FORMS for term in terms):
        return CompiledClusters(terms)
    return PlainClusters(parts)


class PlainClusters:
    """Clusters under any divergences, a row of costs at a time.

    The Lemma needs one value of ``φ`` per pair, but is a difference of large numbers; it chooses
    the pairs whose cost is then computed without loss.
    """

    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self._means = [_filled(part).copy() for part in parts]
        self._masses = [part.observed.astype(np.float64) for part in parts]
        self._levels = [
            masses * part.divergence.phi(means)  # |S| φ(μ_S)
            for part, means, masses in zip(parts, self._means, self._masses, strict=True)
        ]

    def cost(self, one: int, other: int) -> float:
        """Cost of merging two; infinite if they share no view."""
        return float(self._costs(one, np.array([other]))[0])

    def visit(self, slots: Slots, slot: int, stop: int, best: float) -> tuple[float, int]:
        """Find the cheapest partner before a slot and tell those behind it."""
        others = np.flatnonzero(slots.alive[:stop])
        others = others[others != slot]
        lower, upper = self._bracket(slot, others)
        limit = min(best, upper[others < slot].min(initial=np.inf))
        near = others[lower <= np.where(others < slot, limit, slots.bounds[others])]
        costs = self._costs(slot, near)
        behind = (near > slot) & (costs < slots.bounds[near])
        slots.bounds[near[behind]] = costs[behind]
        slots.nearest[near[behind]], slots.stale[near[behind]] = slot, False
        before = np.where(near < slot, costs, np.inf)
        if not before.min(initial=np.inf) < best:
            return best, -1
        return float(before.min()), int(near[before.argmin()])

    def _shared(self, slot: int, others: IntArray) -> list[BoolArray]:
        return [(masses[others] > 0) & (masses[slot] > 0) for masses in self._masses]

    def _bracket(self, slot: int, others: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bounds of the costs by the Lemma, with room for rounding."""
        total, room = np.zeros(len(others)), np.zeros(len(others))
        shared = self._shared(slot, others)
        for place, both in enumerate(shared):
            part, means, masses = self._parts[place], self._means[place], self._masses[place]
            rows, levels = others[both], self._levels[place]
            sizes = masses[slot] + masses[rows]
            common = means[slot] + (masses[rows] / sizes)[:, None] * (means[rows] - means[slot])
            apart, united = levels[slot] + levels[rows], sizes * part.divergence.phi(common)
            total[both] += part.weight * (apart - united)
            size = np.abs(levels[slot]) + np.abs(levels[rows]) + np.abs(united)
            room[both] += part.weight * _DOUBLE_ROUNDING * size
        total[~np.any(shared, axis=0)] = np.inf
        return total - room, total + room

    def _costs(self, slot: int, others: IntArray) -> FloatArray:
        total = np.zeros(len(others))
        shared = self._shared(slot, others)
        for place, both in enumerate(shared):
            part, means, masses = self._parts[place], self._means[place], self._masses[place]
            rows = others[both]
            total[both] += part.weight * merge_cost(
                part.divergence, means[slot], masses[slot], means[rows], masses[rows]
            )
        return np.where(np.any(shared, axis=0), total, np.inf)

    def absorb(self, slot: int, other: int) -> None:
        """Put the union of two clusters into ``slot``."""
        for place, (means, masses) in enumerate(zip(self._means, self._masses, strict=True)):
            both = masses[slot] + masses[other]
            share = masses[other] / both if both else 0.0
            means[slot] += share * (means[other] - means[slot])
            masses[slot] = both
            phi = self._parts[place].divergence.phi(means[slot : slot + 1])
            self._levels[place][slot] = both * phi[0]

    def compact(self, kept: IntArray) -> None:
        """Keep only some slots, in their order."""
        self._means = [means[kept] for means in self._means]
        self._masses = [masses[kept] for masses in self._masses]
        self._levels = [levels[kept] for levels in self._levels]


class CompiledClusters:
    """Clusters under the divergences that compiled scans know."""

    def __init__(self, parts: list[Part]) -> None:
        from manyviews.cluster._trees import _ward_kernels

        self._kernels = _ward_kernels
        forms = [_FORMS[type(part.divergence)](_filled(part), part) for part in parts]
        self._lifts = [form.lift for form in forms]
        self._widths = np.array([form.values.shape[1] for form in forms])
        self._means = np.hstack([form.values for form in forms])
        self._masses = np.stack([part.observed.astype(np.float64) for part in parts])
        lifted = [form.lift(form.values) for form in forms]
        self._frames = [_Frame.of(rows) for rows in lifted]
        placed = [frame.place(rows) for frame, rows in zip(self._frames, lifted, strict=True)]
        self._screen = np.ascontiguousarray(np.hstack(placed).T, dtype=np.float32)
        self._weights = np.array(
            [
                (part.weight, part.weight * frame.scale**2, *frame.rounding())
                for part, frame in zip(parts, self._frames, strict=True)
            ]
        )
        self._spans = _spans(
            [form.kind for form in forms], self._widths, [len(f.centre) for f in self._frames]
        )

    def cost(self, one: int, other: int) -> float:
        """Cost of merging two; infinite if they share no view."""
        tables = self._spans, self._weights, self._means, self._masses
        return float(self._kernels.pair_cost(*tables, one, other, np.inf))

    def visit(self, slots: Slots, slot: int, stop: int, best: float) -> tuple[float, int]:
        """Find the cheapest partner before a slot and tell those behind it."""
        tables = self._spans, self._weights, self._means, self._masses, self._screen
        states = slots.alive, slots.bounds, slots.nearest, slots.stale
        cost, partner = self._kernels.visit(*tables, *states, slot, stop, best)
        return float(cost), int(partner)

    def absorb(self, slot: int, other: int) -> None:
        """Put the union of two clusters into ``slot``."""
        both = self._masses[:, slot] + self._masses[:, other]
        shares = self._masses[:, other] / np.where(both > 0, both, 1.0)
        self._masses[:, slot] = both
        mean = self._means[slot]
        mean += np.repeat(shares, self._widths) * (self._means[other] - mean)
        start, placed = 0, []
        for lift, frame, width in zip(self._lifts, self._frames, self._widths, strict=True):
            placed.append(frame.place(lift(mean[None, start : start + width]))[0])
            start += width
        self._screen[:, slot] = np.hstack(placed)

    def compact(self, kept: IntArray) -> None:
        """Keep only some slots, in their order."""
        self._means = self._means[kept]
        self._masses = self._masses.take(kept, axis=1)  # in row order, as compiled for
        self._screen = self._screen.take(kept, axis=1)


@dataclass(frozen=True)
class _Form:
    """How a divergence is computed: by which formula, on which values, with which bound.

    The squared distance of lifted values, times ``|A||B| / (|A| + |B|)``, is what a merge costs
    at least.
    """

    kind: int
    values: FloatArray
    lift: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class _Frame:
    """A shift and a scale that bring lifted values into [-1, 1] for single precision."""

    centre: FloatArray
    scale: float

    @classmethod
    def of(cls, lifted: FloatArray) -> _Frame:
        centre = lifted.mean(axis=0)
        return cls(centre, float(np.abs(lifted - centre).max(initial=0.0)) or 1.0)

    def place(self, lifted: FloatArray) -> FloatArray:
        return (lifted - self.centre) / self.scale

    def rounding(self) -> tuple[float, float]:
        """Factor and offset that make a squared distance in single precision a bound from below.

        Values err by ``e`` and ``(s − e)² ≥ (1 − h) s² − e² / h`` for any ``h`` in (0, 1).
        """
        width = len(self.centre)
        given_up = max(1e-4, 2 * width * _SINGLE_ROUNDING)
        return 1 - given_up, width * (2 * _SINGLE_ROUNDING) ** 2 / given_up


def _spans(kinds: list[int], widths: IntArray, lifted_widths: list[int]) -> IntArray:
    """For each part its kind, and its columns of the means and of the screen."""
    ends, lifted_ends = np.cumsum(widths), np.cumsum(lifted_widths)
    return np.column_stack([kinds, ends - widths, ends, lifted_ends - lifted_widths, lifted_ends])


def _filled(part: Part) -> FloatArray:
    """The rows, with the mean of all where there is none; such rows weigh nothing."""
    if part.observed.all():
        return part.matrix
    rows = part.matrix.copy()
    rows[~part.observed] = rows[part.observed].mean(axis=0)
    return rows


def _squared(rows: FloatArray, part: Part) -> _Form:  # noqa: ARG001 (one signature for all)
    return _Form(SQUARED, rows, _same)


def _whitened(rows: FloatArray, part: Part) -> _Form:
    assert isinstance(part.divergence, Mahalanobis)
    values, vectors = np.linalg.eigh(part.divergence.known_precision())
    return _Form(SQUARED, rows @ (vectors * np.sqrt(np.maximum(values, 0.0))), _same)


def _counted(rows: FloatArray, part: Part) -> _Form:  # noqa: ARG001
    return _Form(KULLBACK_LEIBLER, rows, _root)


def _tossed(rows: FloatArray, part: Part) -> _Form:  # noqa: ARG001
    return _Form(BINARY, rows, lambda x: np.hstack([_root(x), _root(1 - x)]))


def _powered(rows: FloatArray, part: Part) -> _Form:  # noqa: ARG001
    logs = np.log(rows)
    ranges = np.maximum(logs.max(axis=0) - logs.min(axis=0), 1e-3)
    slopes = np.sqrt(np.exp(-ranges) + ranges - 1) / ranges
    return _Form(ITAKURA_SAITO, rows, lambda x: np.log(x) * slopes)


def _same(rows: FloatArray) -> FloatArray:
    return rows


def _root(rows: FloatArray) -> FloatArray:
    return np.sqrt(np.maximum(rows, 0.0))


_FORMS: dict[type[Divergence], Callable[[FloatArray, Part], _Form]] = {
    SquaredEuclidean: _squared,
    Mahalanobis: _whitened,
    GeneralizedKL: _counted,
    BinaryRelativeEntropy: _tossed,
    ItakuraSaito: _powered,
}
