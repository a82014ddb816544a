"""``LogLinearMixtureFeatures`` beside the same EM with scikit-learn's logistic regression."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import (
    Comparison,
    cpu_seconds,
    growth_exponent,
    medians,
    peak_bytes,
    timed,
)
from manyviews import Views
from manyviews.datasets import make_token_views
from manyviews.embed import LogLinearMixtureFeatures
from manyviews.embed.features._shared import Problems, auxiliary_values, problems_of

N_OBJECTS, N_LABELLED, N_CLASSES = 30_000, 100, 10
SIZES = (10_000, 30_000, 100_000)
N_STEPS = 10
"""Steps of EM when two ways of doing them are compared, or sizes."""


def run() -> Iterator[Comparison]:
    for kind, options in (
        ("naive Bayes", {}),
        ("dependent tokens", {"consecutive": True}),
        ("dependent views", {"consecutive": True, "dependency": 0.3}),
    ):
        yield until_convergence(f"log-linear 30,000 × 1,000 × 2, {kind}", **options)
    yield beside_scikit_learn(*sample(N_OBJECTS // 10))
    yield growth(SIZES)


def sample(n_objects: int, **options: Any) -> tuple[Views, Any]:
    """Views, and labels of the first objects."""
    views, y = make_token_views(n_objects, random_state=0, **({"consecutive": True} | options))
    return views, np.where(np.arange(n_objects) < N_LABELLED, y, -1)


def until_convergence(name: str, **options: Any) -> Comparison:
    """Seconds of a whole fit, beside themselves: no peer has this method."""
    views, known = sample(N_OBJECTS, **({"consecutive": False} | options))
    seconds = medians(lambda: {"fit": cpu_seconds(lambda: fit(views, known))}, repeats=3)["fit"]
    model = fit(views, known)
    extra = peak_bytes(lambda: fit(views, known, max_iter=2))
    return Comparison(f"{name}: {model.n_iter_} steps", seconds, seconds, extra, "", met=True)


def beside_scikit_learn(views: Views, known: Any) -> Comparison:
    """Ten steps of EM, against ten in which each M-step is fitted anew to repeated objects."""
    times: list[tuple[float, float]] = []
    for _ in range(5):
        mine, model = timed(lambda: fit(views, known, max_iter=N_STEPS, tol=0.0))
        reference, objective = timed(lambda: by_scikit_learn(views, known))
        times.append((mine, reference))
    ours, theirs = (float(seconds) for seconds in np.median(times, axis=0))
    lead = model.objective_history_[-1] - objective
    return Comparison(
        f"ten steps of EM, beside scikit-learn's (3,000 objects; objective {lead:+.3f})",
        ours,
        theirs,
        None,
        "at most 0.5×",
        ours <= 0.5 * theirs,
    )


def by_scikit_learn(views: Views, known: Any) -> float:
    """EM with whole fits of ``LogisticRegression`` on soft labels; the mean objective."""
    values = auxiliary_values("argmax", views)
    return float(
        np.mean(
            [
                _one_view(matrix, problems_of(name, values, views), known)
                for name, matrix in views.items()
            ]
        )
    )


def _one_view(matrix: Any, problems: Problems, known: Any) -> float:
    rows, targets = matrix[problems.rows], problems.targets
    penalty = 0.1 * float((rows.data**2).sum()) / rows.shape[0]
    classifier = LogisticRegression(C=1 / penalty, max_iter=300)
    repeated = sparse.csr_array(sparse.vstack([rows] * N_CLASSES, format="csr"))
    codes = np.repeat(np.arange(N_CLASSES), rows.shape[0])
    classifier.fit(matrix[known >= 0], known[known >= 0])
    alpha = np.full((targets.shape[1], N_CLASSES), 1 / targets.shape[1])
    for number in range(N_STEPS + 1):
        joint = classifier.predict_proba(rows) * (targets @ alpha)
        likelihood = float(np.log(joint.sum(axis=1)).mean())
        if number == N_STEPS:
            break
        shares = joint / joint.sum(axis=1, keepdims=True)
        alpha = np.maximum(np.asarray(targets.T @ shares) / shares.sum(axis=0), 1e-300)
        classifier.fit(repeated, codes, sample_weight=shares.T.ravel() + 1e-12)
    return likelihood - penalty / 2 * float(np.sum(classifier.coef_**2)) / rows.shape[0]


def growth(sizes: tuple[int, ...]) -> Comparison:
    """Time of ten steps of EM as the objects become more."""
    made = [sample(n) for n in sizes]
    seconds = medians(
        lambda: {
            str(len(views)): cpu_seconds(
                lambda views=views, known=known: fit(views, known, max_iter=N_STEPS, tol=0.0)
            )
            for views, known in made
        },
        repeats=3,
    )
    times = [seconds[str(n)] for n in sizes]
    exponent = growth_exponent(sizes, times)
    row = Comparison("", times[-1], times[0], None, "exponent at most 1.2", exponent <= 1.2)
    return replace(
        row, name=f"growth from {sizes[0]:,} to {sizes[-1]:,} objects: exponent {exponent:.2f}"
    )


def fit(views: Views, known: Any, **options: Any) -> LogLinearMixtureFeatures:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogLinearMixtureFeatures(**options).fit(views, known)
