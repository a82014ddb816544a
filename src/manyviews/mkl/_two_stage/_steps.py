"""The steps of the stochastic solver, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray

LONGEST = 100.0
"""A margin is 1 where the loss ends; a step without a metric may change it by this at once."""


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def add_slope(  # pragma: no cover (compiled)
    rows: FloatArray, weights: FloatArray, slope: FloatArray, most: float = np.inf
) -> None:
    """Add the K-examples within the margin to ``slope``, none with a squared length above ``most``.

    Those that are longer count for less.
    """
    n_rows, n_terms = rows.shape
    for row in range(n_rows):
        margin = 0.0
        for term in range(n_terms):
            margin += rows[row, term] * weights[term]
        if margin < 1.0:
            share = 1.0
            if most < np.inf:
                length = 0.0
                for term in range(n_terms):
                    length += rows[row, term] ** 2
                share = most / max(length, most)
            for term in range(n_terms):
                slope[term] += share * rows[row, term]


@njit(cache=True)  # type: ignore[untyped-decorator]
def advance(  # pragma: no cover (compiled)
    block: FloatArray,
    batch_size: int,
    weights: FloatArray,
    total: FloatArray,
    first: int,
    n_steps: int,
    regularization: float,
    step_size: float,
    n_summed: int,
) -> int:
    """Make one step for each batch of the block, from step ``first`` on; return the next step.

    ``weights`` are moved in place, and those of the last ``n_summed`` steps added to ``total``. No
    K-example changes its own margin by more than ``LONGEST`` in one step.
    """
    slope = np.empty(len(weights))
    step = first
    for start in range(0, len(block), batch_size):
        if step >= n_steps:
            break
        rows = block[start : start + batch_size]
        rate = (1.0 - step / n_steps) ** 3 / (regularization * (step + 1) + 1.0 / step_size)
        slope[:] = 0.0
        add_slope(rows, weights, slope, LONGEST * len(rows) / rate)
        norm = 0.0
        for term in range(len(weights)):
            pull = slope[term] / len(rows) - regularization * weights[term]
            weights[term] = max(weights[term] + rate * pull, 0.0)
            norm += weights[term] ** 2
        if norm * regularization > 1.0:
            weights /= np.sqrt(norm * regularization)
        step += 1
        if step > n_steps - n_summed:
            total += weights
    return step
