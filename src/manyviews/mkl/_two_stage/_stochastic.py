"""The K-classifier from batches of K-examples: Pegasos, in a metric if there are few terms."""

from __future__ import annotations

from math import ceil

import numpy as np

from manyviews.mkl._two_stage._metric_steps import (
    ROWS,
    ROWS_PER_TERM,
    SUMMED_SHARE,
    descend,
    even,
)
from manyviews.mkl._two_stage._problem import KExamples
from manyviews.mkl._two_stage._rounds import MOST_ROUNDS, MOST_TERMS, improve
from manyviews.typing import FloatArray

FEW_TERMS = 64
"""Terms up to which all steps are taken in a metric."""
MOST_MOVES = 250
"""Most steps in a metric, or in a round of them, if nobody says."""
FIRST_STEP = 100.0
"""First step without a metric in units of the inverse mean squared length of a K-example."""
FAR_OUT = 100.0
"""In units of the median squared length."""
MOST_SUMMED = 500
"""Steps without a metric that are averaged at most."""


def solve_stochastic(
    examples: KExamples,
    regularization: float,
    *,
    n_steps: int,
    batch_size: int,
    start: FloatArray | None = None,
    most_moves: int = MOST_MOVES,
    most_rounds: int = MOST_ROUNDS,
) -> FloatArray:
    """Minimise Eq. (5.2) over non-negative weights, about.

    A step follows the sub-gradient of one batch of K-examples and stays among weights that are not
    negative; its length falls to zero as ``(1 − t/T)³``, and the mean over the last fifth of the
    steps, 500 at most, is returned. The examples are taken in their order, over and over; they are
    in random order already.

    Up to 64 terms, batches are put together to ``most_moves`` at most, and a step is one of
    Newton's kind: the sub-gradient g is followed in a :class:`Metric` M, to the least of
    ``g·μ + ‖μ − μ_t‖²_M / 2r`` over μ ≥ 0. Kernels that are much alike need this, as only large
    and opposite changes of their weights tell them apart. M is measured from some hundred
    K-examples, 17 times in the first third of the steps, which are the long ones.

    With more terms a step is that of Pegasos, 1/(λ t), bounded by η: ``(1 − t/T)³ / (λ t + 1/η)``,
    and ends in the ball of radius 1/√λ in which the best weights are. Up to six rounds of steps in
    a metric follow, each with the 100 terms that matter most, and the best end is taken.

    There is no metric if the batches of a step have less than ten K-examples for each term.

    Parameters
    ----------
    examples : KExamples
        The K-examples.
    regularization : float
        λ, above 0.
    n_steps : int
        How many batches, T.
    batch_size : int
        K-examples in each.
    start : array of shape (n_terms,)
        Weights to begin with; zeros if None.
    most_moves, most_rounds : int
        Most steps in a metric, and most rounds of them with many terms.

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
    weights = np.zeros(examples.n_terms) if start is None else start.copy()
    n_together = ceil(n_steps / most_moves)
    n_moves = ceil(n_steps / n_together)
    n_rows = even(len(examples), n_together * batch_size)
    n_moved = min(examples.n_terms, MOST_TERMS)
    enough = n_rows >= min(len(examples), ROWS_PER_TERM * n_moved)
    if enough and examples.n_terms <= FEW_TERMS:
        return descend(examples, regularization, n_moves, n_rows, weights)
    weights = _plain(examples, regularization, n_steps, batch_size, weights)
    if not enough or most_rounds == 0:
        return weights
    return improve(examples, regularization, n_moves, n_rows, weights, most_rounds)


def _plain(
    examples: KExamples, regularization: float, n_steps: int, batch_size: int, weights: FloatArray
) -> FloatArray:
    """Many steps along the sub-gradient."""
    from manyviews.mkl._two_stage._steps import advance

    step, step_size = 0, FIRST_STEP / (_squared_length(examples, batch_size) or 1.0)
    total = np.zeros(examples.n_terms)
    n_summed = min(max(1, n_steps // SUMMED_SHARE), MOST_SUMMED)
    while step < n_steps:
        for block in examples.blocks(batch_size):
            step = advance(
                block,
                batch_size,
                weights,
                total,
                step,
                n_steps,
                regularization,
                step_size,
                n_summed,
            )
            if step >= n_steps:
                break
    return total / n_summed


def _squared_length(examples: KExamples, batch_size: int) -> float:
    """Mean squared length of the first K-examples, without those that are far out."""
    lengths: list[FloatArray] = []
    left = min(len(examples), ROWS)
    for block in examples.blocks(batch_size):
        lengths.append(np.einsum("ij,ij->i", block[:left], block[:left]))
        left -= len(lengths[-1])
        if left <= 0:
            break
    found = np.concatenate(lengths)
    return float(found[found <= FAR_OUT * np.median(found)].mean())
