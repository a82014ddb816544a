"""The loop of the projected stochastic sub-gradient method, compiled."""

from __future__ import annotations

import numpy as np
from numba import njit

from manyviews.typing import FloatArray


@njit(cache=True, fastmath={"reassoc", "contract", "nsz"})  # type: ignore[untyped-decorator]
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
    n_rows, n_terms = block.shape
    radius = 1.0 / np.sqrt(regularization)
    slope = np.empty(n_terms)
    step = first
    for start in range(0, n_rows, batch_size):
        if step >= n_steps:
            break
        stop = min(start + batch_size, n_rows)
        slope[:] = 0.0
        for row in range(start, stop):
            margin = 0.0
            for term in range(n_terms):
                margin += block[row, term] * weights[term]
            if margin < 1.0:
                for term in range(n_terms):
                    slope[term] += block[row, term]
        rate = (1.0 - step / n_steps) ** 2 / (regularization * (step + 1) + 1.0 / step_size)
        norm = 0.0
        for term in range(n_terms):
            pull = slope[term] / (stop - start) - regularization * weights[term]
            weights[term] = max(weights[term] + rate * pull, 0.0)
            norm += weights[term] ** 2
        if norm > radius**2:
            weights *= radius / np.sqrt(norm)
        step += 1
        if step > n_steps - n_summed:
            total += weights
    return step
