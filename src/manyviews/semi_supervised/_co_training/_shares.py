"""Probabilities from scores with one row per class, which are quicker to run along than columns."""

from __future__ import annotations

import numpy as np

from manyviews.typing import FloatArray, Matrix


def class_scores(weights: FloatArray, rows: Matrix) -> FloatArray:
    """Scores of objects by linear functions, classes × objects.

    Examples
    --------
    >>> class_scores(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0], [0.0, 3.0], [5.0, 0.0]]))
    array([[3., 6., 5.]])
    """
    return np.ascontiguousarray((rows @ weights.T).T)


def shares_of(scores: FloatArray) -> FloatArray:
    """Probabilities from log scores, classes × objects.

    The largest is left out of the sum and put back as ``log1p``, as scikit-learn's naive Bayes
    does by way of SciPy. Among probabilities that are all but one, "the surest" is a matter of
    rounding, and objects shall be labelled in the same order.

    Examples
    --------
    >>> shares_of(np.log([[1.0, 2.0], [3.0, 2.0]])).round(2)
    array([[0.25, 0.5 ],
           [0.75, 0.5 ]])
    """
    largest = scores.max(axis=0)
    top = scores == largest
    n_top = top.sum(axis=0)
    others = np.exp(scores - largest)
    others *= ~top
    log_sums = np.log1p(others.sum(axis=0) / n_top) + np.log(n_top) + largest
    return np.exp(scores - log_sums)
