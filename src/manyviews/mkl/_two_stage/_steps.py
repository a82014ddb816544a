"""The steps of the stochastic solver, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
def add_slope(  # pragma: no cover (compiled)
    rows: FloatArray, weights: FloatArray, slope: FloatArray
) -> None:
    """Add the K-examples within the margin to ``slope``."""
    n_rows, n_terms = rows.shape
    for row in range(n_rows):
        margin = 0.0
        for term in range(n_terms):
            margin += rows[row, term] * weights[term]
        if margin < 1.0:
            for term in range(n_terms):
                slope[term] += rows[row, term]


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

    ``weights`` are moved in place, and those of the last ``n_summed`` steps added to ``total``.
    """
    slope = np.empty(len(weights))
    step = first
    for start in range(0, len(block), batch_size):
        if step >= n_steps:
            break
        rows = block[start : start + batch_size]
        slope[:] = 0.0
        add_slope(rows, weights, slope)
        rate = (1.0 - step / n_steps) ** 3 / (regularization * (step + 1) + 1.0 / step_size)
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
