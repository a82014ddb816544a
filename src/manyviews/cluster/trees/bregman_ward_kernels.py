"""Compiled greedy agglomeration: always the cheapest merge of all [@muellner2011].

Merge costs of Bregman divergences other than squared distances are not *reducible*: the union of
the two nearest clusters can be nearer to a third than either was. The nearest-neighbour chain is
then wrong; Müllner's generic algorithm needs no such property. Each cluster keeps its cheapest
partner among those in earlier slots, so that every pair is kept once. When the partner is merged
away, the old cost stays as a lower bound: without the partner nothing gets cheaper, and the new
union looks at all others itself. A bound is made exact only when it is the least of all.

A search for a partner holds every pair first against a squared distance of *lifted* means:

    merge cost  ≥  c · |A||B| / (|A| + |B|) · ‖lift(μ_A) − lift(μ_B)‖².

For squared distances the lift is the identity, ``c`` is 1, and the two are equal. For entropies
the lift is the square root. That the bound holds with ``c = 1`` follows from
``x log(x / y) − x + y ≥ (√x − √y)²`` and from the mean being the best centre of two points. It
holds with ``c = −log(1 − w) / w`` too, ``w`` being the smaller cluster's share of the two: that is
the quotient of both sides where one of the values is zero, and there it is least. For
Itakura-Saito the lift is the logarithm, times a factor for the range ``t`` of the logarithms of a
column, ``√(e^-t + t − 1) / t``. Squared distances to many clusters, in single precision and less
their rounding, are a few vector instructions each; what a merge costs is computed for the few pairs
that the bound does not settle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from manyviews.typing import BoolArray, FloatArray, IntArray

SQUARED, KULLBACK_LEIBLER, ITAKURA_SAITO = range(3)

_BLOCK = 512
"""Clusters that are bounded together, so that what is summed stays in the nearest cache."""
_GIVEN_UP = 1e-4
"""Share of a squared distance that its bound gives up, to pay for the rounding of its values: h in
``lift_all``. Times on 3,000 × 50 rows are flat from 1e-5 to 1e-3, and a tenth more at 1e-2
(2026-11)."""
_SINGLE, _DOUBLE = 2.0**-24, 2.0**-51
"""How far rounding to single precision may be off, and lifting in double precision before that: a
unit of the last digit by the root or the logarithm, and half a unit each by shifting and scaling.
"""


class Clusters(NamedTuple):
    """Clusters in slots, and by which divergence each group of columns, a *term*, is compared."""

    terms: IntArray
    """Kind, first column and column after the last, of each term."""
    weights: FloatArray
    """Factor of each term's cost."""
    means: FloatArray
    """Slots × columns."""
    masses: FloatArray
    """Size of each cluster in each term, terms × slots; 0 where it is unobserved."""
    centres: FloatArray
    factors: FloatArray
    """What is taken from each lifted column, and what the rest is multiplied with."""
    kept: FloatArray
    slacks: FloatArray
    """Each term costs at least ``kept`` times a squared distance of ``lifted``, less ``slacks``."""
    lifted: FloatArray
    """Columns × slots, in single precision."""


class Partners(NamedTuple):
    """The cheapest partner of each slot among the slots before it."""

    bounds: FloatArray
    """Cost of merging with ``nearest``; infinite where there is none."""
    nearest: IntArray
    outdated: BoolArray
    """Where ``nearest`` has changed since, and the bound is only what no partner undercuts."""
    alive: BoolArray
    nodes: IntArray
    """The number of each cluster in SciPy's linkage."""


@njit(cache=True)  # type: ignore[untyped-decorator]
def _lifted(kind: int, mean: float) -> float:
    if kind == KULLBACK_LEIBLER:
        return np.sqrt(max(mean, 0.0))
    return np.log(mean) if kind == ITAKURA_SAITO else mean


@njit(cache=True)  # type: ignore[untyped-decorator]
def lift(clusters: Clusters, slot: int) -> None:
    """Compute the lifted mean of one slot."""
    for t in range(len(clusters.terms)):
        kind, first, last = clusters.terms[t]
        for k in range(first, last):
            centred = _lifted(kind, clusters.means[slot, k]) - clusters.centres[k]
            clusters.lifted[k, slot] = centred * clusters.factors[k]


@njit(cache=True)  # type: ignore[untyped-decorator]
def lift_all(clusters: Clusters) -> None:
    """Bring lifted columns into [-1, 1], and compute what that leaves of each term's bound.

    Let ``s`` be the difference of two clusters in a column, ``e`` how far it may be off where both
    are rounded to single precision, and ``u`` half a unit of its last digit. The sum of ``d``
    squares then rounds to ``Q ≤ (1 + u)^(d + 3) Σ (|s| + e)²``. By
    ``(|s| + e)² ≤ s² / (1 − h) + e² / h``, for any ``h`` between 0 and 1, and Bernoulli's
    inequality, ``Σ s² ≥ (1 − h − (d + 3) u) Q − Σ e² / h``.
    """
    for t in range(len(clusters.terms)):
        kind, first, last = clusters.terms[t]
        largest, noise = 0.0, 0.0
        for k in range(first, last):  # lifts rise, and the means of unions lie between others
            low = _lifted(kind, clusters.means[:, k].min())
            high = _lifted(kind, clusters.means[:, k].max())
            slope = 1.0
            if kind == ITAKURA_SAITO:
                width = max(high - low, 1e-3)  # at 0 the slope is 1 / √2, but rounds to nothing
                slope = np.sqrt(np.exp(-width) + width - 1.0) / width
            reach = slope * (high - low) / 2.0
            error = 2.0 * (_SINGLE * reach + _DOUBLE * slope * max(abs(low), abs(high)))
            largest, noise = max(largest, reach), noise + error**2
            clusters.centres[k], clusters.factors[k] = low + (high - low) / 2.0, slope
        scale = largest if largest > 0.0 else 1.0
        clusters.factors[first:last] /= scale
        share = 1.0 - _GIVEN_UP - (last - first + 3) * _SINGLE
        clusters.kept[t] = clusters.weights[t] * scale**2 * share
        clusters.slacks[t] = clusters.weights[t] * noise / _GIVEN_UP
    for slot in range(len(clusters.means)):
        lift(clusters, slot)


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def _squared_cost(one: Any, other: Any, mass_one: float, mass_other: float) -> float:
    total = 0.0
    for k in range(one.size):
        total += (one[k] - other[k]) ** 2
    return total * (mass_one * mass_other / (mass_one + mass_other))


@njit(cache=True)  # type: ignore[untyped-decorator]
def _entropy(value: float, mean: float, mass: float) -> float:
    return mass * value * np.log(value / mean) if value > 0.0 and mean > 0.0 else 0.0


@njit(cache=True)  # type: ignore[untyped-decorator]
def merge_cost(clusters: Clusters, one: int, other: int, limit: float) -> float:
    """Cost of merging two clusters by the Lemma, or some cost above ``limit``.

    It is infinite if they share no view.
    """
    total = 0.0
    shared = False
    for t in range(len(clusters.terms)):
        kind, first, last = clusters.terms[t]
        mass_a, mass_b = clusters.masses[t, one], clusters.masses[t, other]
        if mass_a == 0.0 or mass_b == 0.0:
            continue
        shared = True
        means_a, means_b = clusters.means[one, first:last], clusters.means[other, first:last]
        if kind == SQUARED:
            total += clusters.weights[t] * _squared_cost(means_a, means_b, mass_a, mass_b)
            continue
        for a, b in zip(means_a, means_b):  # noqa: B905 (numba knows no strict)
            mean = a + (b - a) * (mass_b / (mass_a + mass_b))
            # |S| D(μ_S, μ_ST) + |T| D(μ_T, μ_ST): the Lemma of section 3 of [@gupta2005]
            if kind == ITAKURA_SAITO:
                cost = mass_a * np.log(mean / a) + mass_b * np.log(mean / b)
            else:
                cost = _entropy(a, mean, mass_a) + _entropy(b, mean, mass_b)
            total += clusters.weights[t] * max(cost, 0.0)
            if total > limit:  # no cell costs less than nothing
                return total
    return total if shared else np.inf


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def lower_bounds(clusters: Clusters, slot: int, start: int, bounds: Any, squares: Any) -> None:
    """Bound the costs of merging a slot with those from ``start`` on.

    ``squares`` is scratch in single precision.
    """
    bounds[:] = 0.0
    for t in range(len(clusters.terms)):
        kind, first, last = clusters.terms[t]
        mass = clusters.masses[t, slot]
        if mass == 0.0:
            continue
        squares[:] = 0.0
        for k in range(first, last):
            own, values = clusters.lifted[k, slot], clusters.lifted[k, start:]
            for r in range(squares.size):
                squares[r] += (values[r] - own) ** 2
        masses, kept, slack = clusters.masses[t, start:], clusters.kept[t], clusters.slacks[t]
        for r in range(squares.size):
            share = masses[r] / (mass + masses[r])
            factor = mass * share
            if kind == KULLBACK_LEIBLER:
                w = min(share, 1.0 - share)
                factor *= 1.0 + w * (1 / 2 + w * (1 / 3 + w * (1 / 4 + w / 5)))  # −log(1 − w) / w
            bounds[r] += factor * max(kept * squares[r] - slack, 0.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _visit(
    clusters: Clusters, partners: Partners, slot: int, stop: int, best: float
) -> tuple[float, int]:
    """Find the cheapest partner of a slot among those before it, and tell those behind it.

    Slots from ``slot + 1`` to ``stop`` learn of it where it is their cheapest partner so far.
    Costs of ``best`` or more are not searched for.
    """
    partner = -1
    lower, squares = np.empty(_BLOCK), np.empty(_BLOCK, np.float32)
    for start in range(0, stop, _BLOCK):
        size = min(_BLOCK, stop - start)
        lower_bounds(clusters, slot, start, lower[:size], squares[:size])
        for r in range(start, start + size):
            limit = best if r < slot else partners.bounds[r]
            if lower[r - start] >= limit or r == slot or not partners.alive[r]:
                continue
            cost = merge_cost(clusters, slot, r, limit)
            if cost >= limit:
                continue
            if r < slot:
                best, partner = cost, r
            else:
                partners.bounds[r], partners.nearest[r], partners.outdated[r] = cost, slot, False
    return best, partner


@njit(cache=True)  # type: ignore[untyped-decorator]
def find_partners(clusters: Clusters, partners: Partners, first: int, last: int) -> None:
    """Find the cheapest partners of these slots at the start."""
    for slot in range(first, last):
        found = _visit(clusters, partners, slot, slot, np.inf)
        partners.bounds[slot], partners.nearest[slot] = found


@njit(cache=True)  # type: ignore[untyped-decorator]
def _cheapest(clusters: Clusters, partners: Partners) -> tuple[int, int]:
    """Slots of the cheapest merge of all; bounds are made exact only while they lead."""
    bounds, nearest, outdated = partners.bounds, partners.nearest, partners.outdated
    while True:
        slot = int(np.argmin(bounds))
        if bounds[slot] == np.inf:  # no two clusters share a view
            first, second = np.flatnonzero(partners.alive)[:2]
            return second, first
        if not outdated[slot]:
            return slot, nearest[slot]
        # The union that took in the old partner is a good guess.
        best, partner = merge_cost(clusters, slot, nearest[slot], np.inf), -1
        if best > bounds[slot]:
            best, partner = _visit(clusters, partners, slot, slot, best)
        bounds[slot], outdated[slot] = best, False
        if partner >= 0:
            nearest[slot] = partner


@njit(cache=True)  # type: ignore[untyped-decorator]
def _unite(clusters: Clusters, slot: int, other: int) -> None:
    """Put the union of two clusters into ``slot``."""
    for t in range(len(clusters.terms)):
        _, first, last = clusters.terms[t]
        masses = clusters.masses[t]
        both = masses[slot] + masses[other]
        share = masses[other] / both if both > 0.0 else 0.0
        for k in range(first, last):
            mean = clusters.means[slot, k]
            clusters.means[slot, k] += share * (clusters.means[other, k] - mean)
        masses[slot] = both
    lift(clusters, slot)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _compact(clusters: Clusters, partners: Partners) -> Partners:
    """Move the clusters to the first slots, in their order, and return the partners of these."""
    bounds, nearest, outdated, alive, nodes = partners
    kept = np.flatnonzero(alive)
    count, places = len(kept), np.full(len(alive), -1)
    for place, slot in enumerate(kept):  # none is overwritten before it is moved
        places[slot] = place
        bounds[place], outdated[place], nodes[place] = bounds[slot], outdated[slot], nodes[slot]
        nearest[place] = places[nearest[slot]] if nearest[slot] >= 0 else -1
        clusters.means[place] = clusters.means[slot]
        clusters.masses[:, place] = clusters.masses[:, slot]
    for row in clusters.lifted:
        for place, slot in enumerate(kept):
            row[place] = row[slot]
    alive[:count], alive[count:] = True, False
    return Partners(bounds[:count], nearest[:count], outdated[:count], alive[:count], nodes[:count])


@njit(cache=True)  # type: ignore[untyped-decorator]
def merge(
    clusters: Clusters, partners: Partners, children: Any, costs: Any, first: int, last: int
) -> None:
    """Make the merges of these numbers, and write down their nodes and costs."""
    n_objects = len(children) + 1
    partners = _compact(clusters, partners)
    for number in range(first, last):
        if 2 * (n_objects - number) < len(partners.alive):
            partners = _compact(clusters, partners)
        slot, target = _cheapest(clusters, partners)
        costs[number] = partners.bounds[slot]
        children[number, 0] = min(partners.nodes[slot], partners.nodes[target])
        children[number, 1] = max(partners.nodes[slot], partners.nodes[target])
        _unite(clusters, target, slot)
        partners.alive[slot], partners.bounds[slot] = False, np.inf
        partners.nodes[target] = n_objects + number
        for other in range(len(partners.alive)):
            if partners.nearest[other] == slot or partners.nearest[other] == target:
                partners.nearest[other], partners.outdated[other] = target, True
        found = _visit(clusters, partners, target, len(partners.alive), np.inf)
        partners.bounds[target], partners.nearest[target] = found
        partners.outdated[target] = False
