"""A step of naive Bayes EM on sparse counts against the bare products it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.naive_bayes import MultinomialNB

from benchmarks._documents import N_WORDS, documents
from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews.maths import LikelihoodRows, Multinomial
from manyviews.semi_supervised.co_em import fit_weighted
from manyviews.semi_supervised.naive_bayes_em import Problem, step

N_CLASSES = 20
N_LABELLED = 200
SIZES = (20_000, 140_000, 1_000_000)


def run() -> Iterator[Comparison]:
    for dtype in (np.float64, np.float32):
        X = documents(20_000, dtype)
        name = f"EM step 20,000 × 20,000, {np.dtype(dtype).name}"
        yield compare(name, *step_and_products([X]), at_most=1.5, repeats=5)
    X = documents(20_000, np.float64)
    halves = [X[:, : N_WORDS // 2].tocsr(), X[:, N_WORDS // 2 :].tocsr()]
    name = "EM step, the same words in two views"
    yield compare(name, *step_and_products(halves), at_most=1.5, repeats=5)
    name = "EM step, unlabelled documents at weight 0.1"
    yield compare(name, *step_and_products([X], weight=0.1), at_most=1.5, repeats=5)
    yield soft_labels(documents(5_000, np.float64))
    yield from growth(np.float32)


def soft_labels(X: Any) -> Comparison:
    """MultinomialNB from class probabilities: by sums, and by every document once per class."""
    weights = np.random.default_rng(1).dirichlet(np.ones(N_CLASSES), size=X.shape[0])
    rows, codes = np.nonzero(weights)
    return compare(
        "MultinomialNB on soft labels, 5,000 documents, against documents repeated",
        lambda: fit_weighted(MultinomialNB(), X, weights),
        lambda: MultinomialNB().fit(X[rows], codes, sample_weight=weights[rows, codes]),
        at_most=0.5,
        repeats=5,
    )


def growth(dtype: Any) -> Iterator[Comparison]:
    """Time of a step at growing sizes, and the exponent of its growth."""
    rows = []
    for n in SIZES:
        name = f"EM step {n:,} documents, {np.dtype(dtype).name}"
        rows.append(compare(name, *step_and_products([documents(n, dtype)]), repeats=5))
        yield rows[-1]
    ours = growth_exponent(SIZES, [row.seconds for row in rows])
    bare = growth_exponent(SIZES, [row.reference_seconds for row in rows])
    name = f"growth exponent up to {SIZES[-1]:,} (ours, bare products)"
    yield Comparison(name, ours, bare, None, "at most 1.05", ours <= 1.05)


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
