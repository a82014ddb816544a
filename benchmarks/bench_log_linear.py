"""``LogLinearMixtureFeatures`` beside the same EM with scikit-learn's logistic regression."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import (
    Comparison,
    growing,
    medians,
    peak_bytes,
    seconds_by_size,
    timed,
)
from manyviews import Views
from manyviews.datasets import make_token_views
from manyviews.embed import LogLinearMixtureFeatures
from manyviews.embed.features._shared import Problems, auxiliary_values, problems_of

N_LABELLED, N_CLASSES = 100, 10
KINDS = {
    "naive Bayes": {"consecutive": False},
    "dependent tokens": {"consecutive": True},
    "dependent views": {"consecutive": True, "dependency": 0.3},
}
N_STEPS = 10
"""Steps of EM when two ways of doing them are compared, or sizes."""


def sample(n_objects: int, kind: str = "dependent tokens") -> tuple[Views, Any]:
    """Views, and labels of the first objects."""
    views, y = make_token_views(n_objects, random_state=0, **KINDS[kind])
    return views, np.where(np.arange(n_objects) < N_LABELLED, y, -1)


def until_convergence(n_objects: int, kind: str) -> Comparison:
    """A whole fit, beside one logistic regression of the words on the truth of all objects."""
    views, known = sample(n_objects, kind)
    _, truth = make_token_views(n_objects, random_state=0, **KINDS[kind])

    def once() -> None:
        for matrix in (views[name] for name in views.names):
            LogisticRegression(max_iter=300).fit(matrix, truth)

    model = fit(views, known)
    found = medians(lambda: {"fit": timed(lambda: fit(views, known))[0], "once": timed(once)[0]})
    return Comparison(
        f"log-linear {n_objects:,} × 1,000 × 2, {kind}, beside one LogisticRegression of all",
        found["fit"],
        found["once"],
        peak_bytes(lambda: fit(views, known, max_iter=2)),
        "",
        True,
        f"{model.n_iter_} steps",
    )


def beside_scikit_learn(n_objects: int) -> Comparison:
    """Ten steps of EM, against ten in which each M-step is fitted anew to repeated objects."""
    views, known = sample(n_objects)
    reached: dict[str, float] = {}

    def measure() -> dict[str, float]:
        ours, model = timed(lambda: fit(views, known, max_iter=N_STEPS, tol=0.0))
        theirs, objective = timed(lambda: by_scikit_learn(views, known))
        reached["lead"] = float(model.objective_history_[-1]) - objective
        return {"ours": ours, "theirs": theirs}

    found = medians(measure)
    return Comparison(
        f"ten steps of EM, {n_objects:,} objects, beside scikit-learn's",
        found["ours"],
        found["theirs"],
        None,
        "at most 0.5×",
        found["ours"] <= 0.5 * found["theirs"],
        f"objective {reached['lead']:+.3f}",
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


def growth(*sizes: int) -> Comparison:
    """Time of ten steps of EM as the objects become more."""
    works = {n: partial(fit, *sample(n), max_iter=N_STEPS, tol=0.0) for n in sizes}
    return growing("ten steps of EM, objects", *seconds_by_size(works), at_most=1.2)


def fit(views: Views, known: Any, **options: Any) -> LogLinearMixtureFeatures:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return LogLinearMixtureFeatures(**options).fit(views, known)


SHORT = (partial(beside_scikit_learn, 300), partial(growth, 500, 2_000))
ALL = (
    *(partial(until_convergence, 30_000, kind) for kind in KINDS),
    partial(beside_scikit_learn, 3_000),
    partial(growth, 10_000, 30_000, 100_000),
)
