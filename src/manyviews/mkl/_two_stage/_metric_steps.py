"""Few and long steps to a K-classifier, each in a metric of its weights."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

import numpy as np

from manyviews.mkl._two_stage._metric import measured
from manyviews.mkl._two_stage._problem import KExamples
from manyviews.typing import FloatArray

ROWS, ROWS_PER_TERM = 500, 10
"""K-examples from which a metric is measured: so many at least, and for each term."""
SUMMED_SHARE = 5
"""One step in so many, the last ones, is averaged."""


def descend(
    examples: KExamples,
    regularization: float,
    n_moves: int,
    n_rows: int,
    weights: FloatArray,
    boldness: float = 1.0,
) -> FloatArray:
    """Go to the least of a quadratic model over weights that are not negative, so many times.

    A step looks at ``n_rows`` K-examples. The first is as long as ``boldness`` of the way, the
    last of no length.
    """
    n_terms = examples.n_terms
    n_sampled = even(len(examples), max(ROWS, ROWS_PER_TERM * n_terms))
    batches, samples = _batches(examples, n_rows), _batches(examples, n_sampled)
    metric = measured(next(samples), weights, regularization)
    total, n_summed = np.zeros(n_terms), max(1, n_moves // SUMMED_SHARE)
    for number in range(n_moves):
        if number < n_moves / 3 and number % ceil(n_moves / 50) == 0:
            metric = measured(next(samples), weights, regularization, metric)
        rate = boldness * (1.0 - number / n_moves) ** 3
        slope = regularization * weights - pull(next(batches), weights)
        weights = metric.step(weights, slope, rate)
        if number >= n_moves - n_summed:
            total += weights
    return total / n_summed


def pull(rows: FloatArray, weights: FloatArray) -> FloatArray:
    """Sum of the K-examples within the margin, divided by the number of all."""
    from manyviews.mkl._two_stage._steps import add_slope

    within = np.zeros(len(weights))
    add_slope(rows, weights, within)
    return within / len(rows)


def even(n_examples: int, most: int) -> int:
    """Size of batches of at most so many K-examples, none of them much smaller than the others."""
    return ceil(n_examples / ceil(n_examples / most))


def _batches(examples: KExamples, n_rows: int) -> Iterator[FloatArray]:
    """K-examples, so many at a time, over and over."""
    while True:
        for block in examples.blocks(n_rows):
            for start in range(0, len(block), n_rows):
                yield block[start : start + n_rows]
