"""Answers that do not hang on rounding, which is another on every processor."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_clusterer

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.testing._answers import (
    Answers,
    equal,
    everything,
    fitted,
    fitted_once,
    same_partition,
    table,
)
from manyviews.testing._check import rule
from manyviews.testing._data import ViewDict, problem_for
from manyviews.typing import AnyArray

LAST_DIGITS = 4 * float(np.finfo(np.float64).eps)
"""How far numbers are moved, relatively: about as far as a sum in another order moves."""


@rule()
def order_of_features_is_free(estimator: Any) -> None:
    """The features of a view in another order change the answers by rounding at most.

    Up to the names of clusters, and the order and signs of a transformer's columns. Sums over
    features are then made in another order, as another processor makes them.
    """
    problem = problem_for(estimator)
    expected = everything(fitted_once(estimator), problem.new)
    turned = fitted(estimator, _reordered(problem.X), problem.y)
    found = everything(turned, _reordered(problem.new))
    _assert_alike(estimator, expected, found, "another order of the features")


def _reordered(views: ViewDict) -> ViewDict:
    return {name: np.roll(matrix[:, ::-1], 2, axis=1) for name, matrix in views.items()}


@rule()
def last_digits_decide_nothing(estimator: Any) -> None:
    """Other last digits in the data change the answers by rounding at most."""
    problem = problem_for(estimator)
    expected = everything(fitted_once(estimator), problem.new)
    for seed in range(2):
        shaken = fitted(estimator, _shaken(problem.X, seed), problem.y)
        found = everything(shaken, _shaken(problem.new, seed))
        _assert_alike(estimator, expected, found, "another last digit of the data")


def _shaken(views: ViewDict, seed: int) -> ViewDict:
    rng = generator(seed)
    return {
        name: matrix * (1.0 + rng.uniform(-LAST_DIGITS, LAST_DIGITS, matrix.shape))
        for name, matrix in views.items()
    }


def _assert_alike(estimator: Any, one: Answers, other: Answers, cause: str) -> None:
    assert one.keys() == other.keys(), f"{cause} changes which methods there are."
    clusters = is_clusterer(estimator)
    for name in one:
        if name == "transform":
            kept = equal(_products(one[name]), _products(other[name]), 1e-5)
        elif name in ("labels_", "predict") and clusters:
            kept = same_partition(one[name], other[name])
        elif clusters:
            kept = equal(np.sort(table(one[name])), np.sort(table(other[name])), 1e-5)
        else:
            kept = equal(one[name], other[name], 1e-5)
        assert kept, f"{cause} changes what {name} gives."


def _products(answer: Any) -> AnyArray:
    """Inner products of objects within each view, which no order of its columns changes."""
    parts = [matrix for _, matrix in answer.items()] if isinstance(answer, Views) else [answer]
    known = [np.nan_to_num(table(part)) for part in parts]
    return np.hstack([rows @ rows.T for rows in known])
