"""scikit-learn's tools, which index, clone and score, take the estimator with views in hand."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from manyviews.compose import PerView
from manyviews.data import Views
from manyviews.testing.answers import (
    answers,
    assert_same,
    assert_sound,
    everything,
    fitted,
    fitted_once,
)
from manyviews.testing.check import predicts, rule
from manyviews.testing.data import count, problem_for, rows_of

FOLDS = KFold(3)


def _answers_well(model: Any, X: Any, y: Any = None) -> float:  # noqa: ARG001 (a scorer)
    """Score by whether there is a sound answer at all, for estimators that have no score."""
    found = answers(model, X)
    assert_sound(found, len(X), "in a fold")
    return float(len(found))


def _scoring(estimator: Any) -> Any:
    return None if hasattr(estimator, "score") else _answers_well


@rule()
def cross_validation_takes_views(estimator: Any) -> None:
    """``cross_val_score`` works on a ``Views``, by the estimator's own score if it has one."""
    problem = problem_for(estimator)
    scores = cross_val_score(
        estimator,
        Views(problem.X),
        problem.y,
        cv=FOLDS,
        scoring=_scoring(estimator),
        error_score="raise",
    )
    assert np.isfinite(scores).all(), f"the scores are {scores}."


@rule(applies=predicts)
def cross_validated_predictions(estimator: Any) -> None:
    """``cross_val_predict`` gives what ``fit`` and ``predict`` on each fold give."""
    problem = problem_for(estimator)
    found = cross_val_predict(estimator, Views(problem.X), problem.y, cv=FOLDS)
    for train, test in FOLDS.split(np.zeros(count(problem.X))):
        y = None if problem.y is None else problem.y[train]
        model = fitted(estimator, rows_of(problem.X, train), y)
        expected = {"predict": model.predict(rows_of(problem.X, test))}
        assert_same(expected, {"predict": found[test]}, "cross_val_predict")


@rule()
def grid_search_takes_views(estimator: Any) -> None:
    """``GridSearchCV`` clones, sets, fits and scores it on a ``Views``."""
    problem = problem_for(estimator)
    params = estimator.get_params(deep=False)
    grid = {name: [value] for name, value in list(params.items())[:1]}
    search = GridSearchCV(
        estimator, grid, cv=FOLDS, scoring=_scoring(estimator), error_score="raise"
    )
    search.fit(Views(problem.X), problem.y)
    expected = answers(fitted_once(estimator), problem.new)
    assert_same(expected, answers(search.best_estimator_, problem.new), "GridSearchCV")


@rule()
def pipeline_takes_views(estimator: Any) -> None:
    """After ``PerView`` in a pipeline it gives what the two steps give one by one."""
    problem = problem_for(estimator)
    scaler = PerView(StandardScaler(with_mean=False))
    together = fitted(make_pipeline(scaler, estimator), Views(problem.X), problem.y)
    first = fitted(scaler, problem.X)
    second = fitted(estimator, first.transform(problem.X), problem.y)
    expected = answers(second, first.transform(problem.new))
    assert_same(expected, answers(together, Views(problem.new)), "the pipeline")


@rule()
def train_test_split_takes_views(estimator: Any) -> None:
    """``train_test_split`` of a ``Views`` gives rows that it learns from as from arrays."""
    problem = problem_for(estimator)
    rows = np.arange(count(problem.X))
    train, test, train_rows, test_rows = train_test_split(Views(problem.X), rows, random_state=0)
    y = None if problem.y is None else problem.y[train_rows]
    found = everything(fitted(estimator, train, y), test)
    model = fitted(estimator, rows_of(problem.X, train_rows), y)
    expected = everything(model, rows_of(problem.X, test_rows))
    assert_same(expected, found, "train_test_split")
