"""The K-classifier by projected stochastic sub-gradients, as in [@shalevshwartz2007]."""

from __future__ import annotations

import numpy as np

from manyviews.mkl._two_stage._problem import KExamples
from manyviews.typing import FloatArray

FIRST_STEP = 100.0
"""First step in units of the inverse mean squared length of a K-example."""
LOOKED_AT = 10
"""Batches from which that is measured."""
SUMMED_SHARE = 5
"""One step in so many, the last ones, is averaged."""


def solve_stochastic(
    examples: KExamples,
    regularization: float,
    *,
    n_steps: int,
    batch_size: int,
    start: FloatArray | None = None,
) -> FloatArray:
    """Minimise Eq. (5.2) over non-negative weights, about.

    Step t follows the sub-gradient of one batch of K-examples, then projects to weights that are
    not negative and to the ball of radius 1/√λ in which the best are. Its length is
    ``(1 − t/T)² / (λ t + 1/η)``: that of Pegasos, 1/(λ t), bounded by η and led to zero. The mean
    over the last fifth of the steps is returned. The examples are taken in their order, over and
    over; they are in random order already.

    Parameters
    ----------
    examples : KExamples
        The K-examples.
    regularization : float
        λ, above 0.
    n_steps : int
        How many steps, T.
    batch_size : int
        K-examples for each step.
    start : array of shape (n_terms,)
        Weights to begin with; zeros if None.

    Returns
    -------
    array of shape (n_terms,)
        The weights.

    Examples
    --------
    >>> examples = KExamples(np.array([[1.0, 0.0], [-1.0, 2.0]]), np.array([1, -1]))
    >>> solve_stochastic(examples, 0.5, n_steps=2000, batch_size=2).round(2)
    array([1., 0.])
    """
    from manyviews.mkl._two_stage._steps import advance

    weights = np.zeros(examples.n_terms) if start is None else start.copy()
    total = np.zeros(examples.n_terms)
    n_summed = max(1, n_steps // SUMMED_SHARE)
    step, step_size = 0, _first_step(examples, batch_size)
    while step < n_steps:
        for block in examples.blocks(batch_size):
            step = advance(
                block,
                batch_size,
                weights,
                total,
                step,
                n_steps,
                float(regularization),
                step_size,
                n_summed,
            )
            if step >= n_steps:
                break
    return total / n_summed


def _first_step(examples: KExamples, batch_size: int) -> float:
    """A step that the mean squared length of the first K-examples allows."""
    total = 0.0
    left = looked_at = min(len(examples), LOOKED_AT * batch_size)
    for block in examples.blocks(batch_size):
        total += float(np.vdot(block[:left], block[:left]))
        left -= len(block)
        if left <= 0:
            break
    return FIRST_STEP * looked_at / total if total > 0 else FIRST_STEP
