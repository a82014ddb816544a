"""The K-classifier from batches of K-examples: Pegasos, in a metric if there are few terms."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from manyviews.mkl._two_stage._metric import measured
from manyviews.mkl._two_stage._problem import KExamples, objective
from manyviews.typing import FloatArray

FEW_TERMS = 64
"""Terms up to which steps are taken in a metric alone; with a hundred one run in thirty went
astray."""
MOST_TERMS, MOST_MOVES = 128, 250
"""Terms up to which they are taken at all, and how many, if nobody says."""
ROWS, ROWS_PER_TERM = 500, 10
"""K-examples from which a metric is measured: so many at least, and for each term; the latter are
needed for a step, too."""
FIRST_STEP = 100.0
"""First step without a metric in units of the inverse mean squared length of a K-example."""
SUMMED_SHARE, MOST_SUMMED = 5, 500
"""One step in so many, the last ones, is averaged, and no more than that."""


def solve_stochastic(
    examples: KExamples,
    regularization: float,
    *,
    n_steps: int,
    batch_size: int,
    start: FloatArray | None = None,
    most_terms: int = MOST_TERMS,
    most_moves: int = MOST_MOVES,
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

    With more terms, or with fewer than ten K-examples for each term in a step, a step is that of
    Pegasos, 1/(λ t), bounded by η: ``(1 − t/T)³ / (λ t + 1/η)``, and ends in the ball of radius
    1/√λ in which the best weights are. Between 64 and 128 terms both ways are gone and the better
    end is taken.

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
    most_terms, most_moves : int
        Most terms for steps in a metric, and most of these steps.

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
    n_rows = _even(len(examples), n_together * batch_size)
    enough = min(len(examples), ROWS_PER_TERM * examples.n_terms)
    if examples.n_terms > most_terms or n_rows < enough:
        return _plain(examples, float(regularization), n_steps, batch_size, weights)
    n_moves = ceil(n_steps / n_together)
    found = _in_metric(examples, float(regularization), n_moves, n_rows, weights)
    if examples.n_terms <= FEW_TERMS:
        return found
    other = _plain(examples, float(regularization), n_steps, batch_size, weights)
    return min(found, other, key=lambda ends: objective(examples, ends, regularization))


def _in_metric(
    examples: KExamples, regularization: float, n_moves: int, n_rows: int, weights: FloatArray
) -> FloatArray:
    """Few steps, each to the least of a quadratic model over weights that are not negative."""
    n_terms = examples.n_terms
    n_sampled = _even(len(examples), max(ROWS, ROWS_PER_TERM * n_terms))
    batches, samples = _batches(examples, n_rows), _batches(examples, n_sampled)
    metric = measured(next(samples), weights, regularization)
    total, n_summed = np.zeros(n_terms), max(1, n_moves // SUMMED_SHARE)
    for number in range(n_moves):
        if number < n_moves / 3 and number % ceil(n_moves / 50) == 0:
            metric = measured(next(samples), weights, regularization, metric)
        rate = (1.0 - number / n_moves) ** 3
        weights = metric.step(weights, _slope(next(batches), weights, regularization), rate)
        if number >= n_moves - n_summed:
            total += weights
    return total / n_summed


def _slope(rows: FloatArray, weights: FloatArray, regularization: float) -> FloatArray:
    """Sub-gradient of Eq. (5.2) on some K-examples."""
    from manyviews.mkl._two_stage._steps import add_slope

    within = np.zeros(len(weights))
    add_slope(rows, weights, within)
    return regularization * weights - within / len(rows)


def _even(n_examples: int, most: int) -> int:
    """Size of batches of at most so many K-examples, none of them much smaller than the others."""
    return ceil(n_examples / ceil(n_examples / most))


def _batches(examples: KExamples, n_rows: int) -> Iterator[FloatArray]:
    """K-examples, so many at a time, over and over."""
    while True:
        for block in examples.blocks(n_rows):
            for start in range(0, len(block), n_rows):
                yield block[start : start + n_rows]


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
    """Mean squared length of the first K-examples."""
    total = 0.0
    left = looked_at = min(len(examples), ROWS)
    for block in examples.blocks(batch_size):
        total += float(np.vdot(block[:left], block[:left]))
        left -= len(block)
        if left <= 0:
            break
    return total / looked_at
