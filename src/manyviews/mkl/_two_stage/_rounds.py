"""Steps in a metric with many terms: round by round with those of them that matter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manyviews.mkl._two_stage._metric_steps import descend, pull
from manyviews.mkl._two_stage._problem import KExamples, objective
from manyviews.typing import FloatArray, IntArray

MOST_TERMS = 100
"""Terms in a round."""
MOST_ROUNDS, MOST_FAILURES = 6, 2
"""Rounds, and how many of them in a row may find nothing better."""
SAME = 2e-5
"""A round that changes the objective by less is the last."""
CAUTION = 0.25
"""What is left of the boldness of steps after a round that went astray."""
KEPT_SHARE = 0.75
"""Most of the places in a round that terms with a weight may take; the others may help next."""


def improve(
    examples: KExamples,
    regularization: float,
    n_moves: int,
    n_rows: int,
    weights: FloatArray,
    most_rounds: int,
) -> FloatArray:
    """Go on in a metric, with 100 terms at a time; the best of all ends is returned.

    A round moves the terms of most weight and those which the objective falls most steeply along.
    """
    sizes = np.sqrt(_mean(examples, lambda rows: np.einsum("ij,ij->j", rows, rows) / len(rows)))
    least, boldness, failures = objective(examples, weights, regularization), 1.0, 0
    for _ in range(most_rounds):
        chosen = _choose(examples, regularization, weights, sizes)
        if not len(chosen):  # no term has a weight or could do with one
            break
        found = np.zeros(examples.n_terms)
        found[chosen] = descend(
            _only(examples, chosen), regularization, n_moves, n_rows, weights[chosen], boldness
        )
        value = objective(examples, found, regularization)
        gain = least - value
        if gain > 0:
            weights, least, failures = found, value, 0
        else:
            boldness, failures = boldness * CAUTION, failures + 1
        all_moved = gain > 0 and len(chosen) == examples.n_terms
        if all_moved or abs(gain) < SAME or failures == MOST_FAILURES:
            break
    return weights


def _choose(
    examples: KExamples, regularization: float, weights: FloatArray, sizes: FloatArray
) -> IntArray:
    """Numbers of the terms of a round."""
    if examples.n_terms <= MOST_TERMS:
        return np.arange(examples.n_terms)
    shares = weights * sizes
    kept = _largest(shares, int(KEPT_SHARE * MOST_TERMS))
    fall = _mean(examples, lambda rows: pull(rows, weights)) - regularization * weights
    fall = np.divide(fall, sizes, out=np.zeros_like(fall), where=sizes > 0)
    fall[kept] = 0.0
    return np.sort(np.concatenate([kept, _largest(fall, MOST_TERMS - len(kept))]))


def _largest(values: FloatArray, most: int) -> IntArray:
    """Numbers of the largest values, if they are above zero."""
    order = np.argsort(-values, kind="stable")[:most]
    return order[values[order] > 0]


def _mean(examples: KExamples, of: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """Mean of what is said of blocks of K-examples."""
    total = np.zeros(examples.n_terms)
    for block in examples.blocks(1):
        total += len(block) * of(block)
    return total / len(examples)


def _only(examples: KExamples, chosen: IntArray) -> KExamples:
    """The K-examples, their labels in their values, with some of the terms."""
    if len(chosen) == examples.n_terms:
        return examples
    values = np.concatenate([block[:, chosen] for block in examples.blocks(1)])
    return KExamples(values, np.ones(len(values), np.int64))
