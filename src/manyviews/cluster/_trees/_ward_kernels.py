"""Compiled scans for the cheapest merge: a bound in single precision, then the cost itself.

Every pair of clusters is first held against a bound that is a squared distance of *lifted* means:

    merge cost  ≥  c · |A||B| / (|A| + |B|) · ‖lift(μ_A) − lift(μ_B)‖².

For squared distances the lift is the identity, ``c`` is 1, and the two are equal. For entropies
the lift is the square root. That the bound holds with ``c = 1`` follows from
``x log(x / y) − x + y ≥ (√x − √y)²`` and from the mean being the best centre of two points. It
holds with ``c = −log(1 − w) / w`` too, ``w`` being the smaller cluster's share of the two: that is
the quotient of both sides where one of the values is zero, and there it is least. For
Itakura-Saito the lift is the logarithm, times a factor for the range ``t`` of the logarithms of a
column, ``√(e^-t + t − 1) / t``.

Squared distances to many clusters are a few vector instructions each; logarithms are taken for the
few pairs that the bound does not settle.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from manyviews.cluster._trees._ward_clusters import BINARY, ITAKURA_SAITO, SQUARED

_BLOCK = 512
"""Clusters that are bounded together, so that what is summed stays in the nearest cache."""


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
def _cell_cost(kind: int, a: float, b: float, mass_a: float, mass_b: float) -> float:
    mean = a + (b - a) * (mass_b / (mass_a + mass_b))
    if kind == ITAKURA_SAITO:
        return mass_a * np.log(mean / a) + mass_b * np.log(mean / b)
    cost = _entropy(a, mean, mass_a) + _entropy(b, mean, mass_b)
    if kind == BINARY:
        cost += _entropy(1.0 - a, 1.0 - mean, mass_a) + _entropy(1.0 - b, 1.0 - mean, mass_b)
    return cost


@njit(cache=True)  # type: ignore[untyped-decorator]
def pair_cost(
    spans: Any, weights: Any, means: Any, masses: Any, one: int, other: int, limit: float
) -> float:
    """Cost of merging two clusters by the Lemma, or some cost above ``limit``.

    It is infinite if they share no view.
    """
    total = 0.0
    shared = False
    for p in range(len(spans)):
        mass_a, mass_b = masses[p, one], masses[p, other]
        if mass_a == 0.0 or mass_b == 0.0:
            continue
        shared = True
        kind, start, stop = spans[p, 0], spans[p, 1], spans[p, 2]
        if kind == SQUARED:
            a, b = means[one, start:stop], means[other, start:stop]
            total += weights[p, 0] * _squared_cost(a, b, mass_a, mass_b)
            continue
        for k in range(start, stop):
            cost = _cell_cost(kind, means[one, k], means[other, k], mass_a, mass_b)
            total += weights[p, 0] * max(cost, 0.0)
            if total > limit:  # no cell costs less than nothing
                return total
    return total if shared else np.inf


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def _add_squares(screen: Any, first: int, last: int, slot: int, start: int, squares: Any) -> None:
    for k in range(first, last):
        own = screen[k, slot]
        values = screen[k, start : start + squares.size]
        for r in range(squares.size):
            squares[r] += (values[r] - own) ** 2


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def _add_bounds(
    kind: int, weights: Any, mass: float, masses: Any, squares: Any, lower: Any
) -> None:
    """Add what one part costs at least, allowing for the rounding of ``squares``."""
    _, weight, kept, slack = weights
    sharper = kind not in (SQUARED, ITAKURA_SAITO)
    for r in range(squares.size):
        share = masses[r] / (mass + masses[r])
        factor = weight * mass * share
        if sharper:
            w = min(share, 1.0 - share)
            factor *= 1.0 + w * (1 / 2 + w * (1 / 3 + w * (1 / 4 + w / 5)))  # −log(1 − w) / w
        lower[r] += factor * max(squares[r] * kept - slack, 0.0)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _bound_block(
    spans: Any,
    weights: Any,
    masses: Any,
    screen: Any,
    slot: int,
    start: int,
    squares: Any,
    lower: Any,
) -> None:
    """Put bounds for the clusters from ``start`` on into ``lower``; ``squares`` is its scratch."""
    lower[:] = 0.0
    for p in range(len(spans)):
        mass = masses[p, slot]
        if mass > 0.0:
            squares[:] = 0.0
            _add_squares(screen, spans[p, 3], spans[p, 4], slot, start, squares)
            others = masses[p, start : start + squares.size]
            _add_bounds(spans[p, 0], weights[p], mass, others, squares, lower)


@njit(cache=True)  # type: ignore[untyped-decorator]
def visit(
    spans: Any,
    weights: Any,
    means: Any,
    masses: Any,
    screen: Any,
    alive: Any,
    bounds: Any,
    nearest: Any,
    stale: Any,
    slot: int,
    stop: int,
    best: float,
) -> tuple[float, int]:
    """Find the cheapest partner of a cluster among those before it, and tell those behind it.

    Clusters from ``slot + 1`` to ``stop`` learn of it where it is their cheapest partner so far
    (``bounds``, ``nearest``). Costs of ``best`` or more are not searched for.
    """
    partner = -1
    squares, lower = np.empty(_BLOCK, np.float32), np.empty(_BLOCK)
    for start in range(0, stop, _BLOCK):
        size = min(_BLOCK, stop - start)
        _bound_block(spans, weights, masses, screen, slot, start, squares[:size], lower[:size])
        for r in range(start, start + size):
            limit = best if r < slot else bounds[r]
            if lower[r - start] >= limit or r == slot or not alive[r]:
                continue
            cost = pair_cost(spans, weights, means, masses, slot, r, limit)
            if cost >= limit:
                continue
            if r < slot:
                best, partner = cost, r
            else:
                bounds[r], nearest[r], stale[r] = cost, slot, False
    return best, partner
