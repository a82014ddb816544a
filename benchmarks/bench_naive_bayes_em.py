"""A step of naive Bayes EM on sparse counts against the bare products it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from benchmarks._documents import N_WORDS, documents
from benchmarks._measure import Comparison, compare, growing
from manyviews.maths import LikelihoodRows, Multinomial
from manyviews.semi_supervised.co_em import fit_weighted
from manyviews.semi_supervised.naive_bayes_em import Problem, step

N_CLASSES = 20
N_LABELLED = 200
LARGE = 20_000
"""Documents at which the times are judged."""


def em_step(n: int, kind: str, weight: float = 1.0) -> Comparison:
    name = f"EM step {n:,} × {N_WORDS:,}, {kind}"
    if weight != 1:
        name += f", unlabelled documents at weight {weight:g}"
    works = step_and_products([documents(n, kind)], weight)
    return compare(name, *works, at_most=1.5 if n == LARGE else None, repeats=5)


def two_views(n: int) -> Comparison:
    X = documents(n, "float64")
    halves = [X[:, : N_WORDS // 2].tocsr(), X[:, N_WORDS // 2 :].tocsr()]
    name = f"EM step {n:,}, the same words in two views"
    most = 1.5 if n >= LARGE else None
    return compare(name, *step_and_products(halves), at_most=most, repeats=5)


def soft_labels(n: int) -> Comparison:
    """MultinomialNB from class probabilities: by sums, and by every document once per class."""
    X = documents(n, "float64")
    weights = np.random.default_rng(1).dirichlet(np.ones(N_CLASSES), size=X.shape[0])
    rows, codes = np.nonzero(weights)
    return compare(
        f"MultinomialNB on soft labels, {n:,} documents, against documents repeated",
        lambda: fit_weighted(MultinomialNB(), X, weights),
        lambda: MultinomialNB().fit(X[rows], codes, sample_weight=weights[rows, codes]),
        at_most=0.5,
        repeats=5,
    )


def growth(*sizes: int) -> Iterator[Comparison]:
    """Time of a step at growing sizes in single precision, and how it and its reference grow."""
    rows = [em_step(n, "float32") for n in sizes]
    yield from rows[1:]
    yield growing("EM step", sizes, [row.seconds for row in rows], at_most=1.05)
    yield growing("bare products", sizes, [row.reference_seconds for row in rows])


def step_and_products(matrices: list[Any], weight: float = 1.0) -> tuple[Any, Any]:
    """One step with its objective, and the products X θ and Xᵀ R alone."""
    problem = posed(matrices, weight)
    state = step(problem, np.equal.outer(problem.known, np.arange(N_CLASSES)).astype(np.float64))
    parts = [
        (X, np.ascontiguousarray(own.log_probabilities.T, dtype=X.dtype))
        for X, own in zip(matrices, state.parameters.views.values(), strict=True)
    ]
    return (
        lambda: step(problem, state.posterior),
        lambda: [(X @ weights, X.T @ state.posterior) for X, weights in parts],
    )


def posed(matrices: list[Any], weight: float) -> Problem:
    n = matrices[0].shape[0]
    known = np.where(np.arange(n) < N_LABELLED, np.arange(n) % N_CLASSES, -1)
    views = {
        f"view{number}": LikelihoodRows.among(Multinomial(1.0), X, np.ones(n, dtype=bool))
        for number, X in enumerate(matrices)
    }
    return Problem(views, known, weight, 0.0, np.ones(len(views)))


SHORT = (
    partial(em_step, 5_000, "float64"),
    partial(two_views, 5_000),
    partial(soft_labels, 1_000),
    partial(growth, 5_000, 40_000),
)
ALL = (
    partial(em_step, LARGE, "float64"),
    partial(em_step, LARGE, "float32"),
    partial(two_views, LARGE),
    partial(em_step, LARGE, "float64", 0.1),
    partial(soft_labels, 5_000),
    partial(growth, LARGE, 140_000, 1_000_000),
)
