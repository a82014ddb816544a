"""Rows are joined by id or refused, and what a mask hides is missing."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_clusterer

from manyviews.data import Views
from manyviews.testing.answers import answers, assert_same, everything, fitted, fitted_once, refused
from manyviews.testing.check import (
    is_transformer,
    rule,
    takes_labels,
    takes_several_views,
    takes_unobserved,
    view_tags,
    with_pandas,
)
from manyviews.testing.data import ViewDict, count, problem_for, replaced, target_for
from manyviews.typing import AnyArray

HIDDEN = 999.0
"""Stands under a mask, where nobody may see it; far from all numbers in the data."""


def _ids(n_objects: int) -> AnyArray:
    return np.array([f"object{row}" for row in range(n_objects)])


def _named(views: ViewDict) -> Views:
    return Views(views, sample_ids=_ids(count(views)))


def _series(values: Any) -> Any:
    import pandas as pd

    return pd.Series(values, index=_ids(len(values)))


def _tables(views: ViewDict) -> dict[str, Any]:
    import pandas as pd

    return {name: pd.DataFrame(matrix) for name, matrix in views.items()}


def _several_tables(estimator: Any) -> bool:
    return with_pandas(estimator) and takes_several_views(estimator)


@rule(applies=_several_tables)
def tables_with_other_rows_are_refused(estimator: Any) -> None:
    """DataFrames whose indexes differ are refused by name, and those that agree are views."""
    problem = problem_for(estimator)
    tables, new = _tables(problem.X), _tables(problem.new)
    model = fitted(estimator, tables, problem.y)
    expected = everything(fitted_once(estimator), problem.new)
    assert_same(expected, everything(model, new), "giving DataFrames")
    for what, turn in (("reversed", _reversed), ("of other objects", _of_others)):
        other = replaced(tables, problem.last, turn(tables[problem.last]))
        learn = partial(fitted, estimator, other, problem.y)
        refused(learn, f"a DataFrame {what} in fit", naming=problem.last)
        other = replaced(new, problem.last, turn(new[problem.last]))
        ask = partial(answers, model, other)
        refused(ask, f"a DataFrame {what} among new objects", naming=problem.last)


def _reversed(table: Any) -> Any:
    return table[::-1]


def _of_others(table: Any) -> Any:
    return table.set_axis(range(1, len(table) + 1))


def _learns_from_series(estimator: Any) -> bool:
    return with_pandas(estimator) and takes_labels(estimator)


@rule(applies=_learns_from_series)
def labels_are_matched_by_id(estimator: Any) -> None:
    """Labels with an index are brought into the order of the views, or refused."""
    problem = problem_for(estimator)
    y = _series(problem.y)
    expected = everything(fitted_once(estimator), problem.new)
    views = _named(problem.X)
    for order, given in (("the same", y), ("another", y[::-1])):
        found = everything(fitted(estimator, views, given), problem.new)
        assert_same(expected, found, f"a Series in {order} order")
    refused(lambda: fitted(estimator, views, y.set_axis(range(len(y)))), "labels of other objects")


def _scores_series(estimator: Any) -> bool:
    return with_pandas(estimator) and is_classifier(estimator)


@rule(applies=_scores_series)
def score_matches_labels_by_id(estimator: Any) -> None:
    """``score`` brings labels and weights with an index into the order of the views."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    views = _named(problem.new)
    half = np.where(np.arange(len(views)) % 2, model.predict(views), model.classes_[0])
    weights = 1.0 + np.arange(len(views))
    expected = model.score(views, half, sample_weight=weights)
    found = model.score(views, _series(half)[::-1], sample_weight=_series(weights)[::-1])
    assert abs(found - expected) < 1e-12, "score takes a Series by position."
    strangers = _series(half).set_axis(range(len(views)))
    refused(lambda: model.score(views, strangers), "labels of other objects")


def _transforms_tables(estimator: Any) -> bool:
    return with_pandas(estimator) and is_transformer(estimator)


@rule(applies=_transforms_tables)
def fit_transform_refuses_labels_in_another_order(estimator: Any) -> None:
    """``fit_transform`` refuses labels that the next step of a pipeline would take by position."""
    problem = problem_for(estimator)
    y = _series(target_for(estimator, problem.groups))
    views = _named(problem.X)
    clone(estimator).fit_transform(views, y)
    refused(lambda: clone(estimator).fit_transform(views, y[::-1]), "labels in another order")


def _clusters_tables(estimator: Any) -> bool:
    return with_pandas(estimator) and is_clusterer(estimator)


@rule(applies=_clusters_tables)
def clusterers_take_no_labels_by_position(estimator: Any) -> None:
    """``fit`` refuses labels that a scorer would take by position, or matches them by id."""
    problem = problem_for(estimator)
    y, views = _series(problem.groups), _named(problem.X)
    model = clone(estimator).fit(views, y)
    if not hasattr(model, "classes_"):  # it does nothing with labels
        refused(lambda: clone(estimator).fit(views, y[::-1]), "labels in another order")
        return
    expected = everything(model, problem.new)
    found = everything(clone(estimator).fit(views, y[::-1]), problem.new)
    assert_same(expected, found, "labels in another order")


@rule(applies=_transforms_tables)
def tables_put_out_have_the_ids(estimator: Any) -> None:
    """Tables of ``set_output`` have the ids of the views as index."""
    problem = problem_for(estimator)
    model = clone(estimator).set_output(transform="pandas").fit(_named(problem.X), problem.y)
    found = model.transform(_named(problem.new))
    if hasattr(found, "iloc"):
        assert list(found.index) == list(_ids(len(found))), "the index is not that of the ids."


@rule()
def masked_cells_are_missing(estimator: Any) -> None:
    """What a masked array hides is NaN, and an object hidden throughout is unobserved."""
    problem = problem_for(estimator)
    tags = view_tags(estimator)
    cell = np.zeros(problem.X[problem.last].shape, dtype=bool)
    cell[0, 0] = True
    row = np.zeros_like(cell)
    row[0] = True
    for mask, taken in ((cell, tags.missing_cells), (row, takes_unobserved(estimator))):
        masked, missing = (
            replaced(problem.X, problem.last, _hidden(problem.X[problem.last], mask, as_mask))
            for as_mask in (True, False)
        )
        if not taken:
            refused(partial(fitted, estimator, masked, problem.y), "a mask")
            continue
        expected = everything(fitted(estimator, missing, problem.y), problem.new)
        found = everything(fitted(estimator, masked, problem.y), problem.new)
        assert_same(expected, found, "a mask instead of NaN")


def _hidden(matrix: Any, mask: Any, as_mask: bool) -> Any:
    if as_mask:
        return np.ma.array(np.where(mask, HIDDEN, matrix), mask=mask)
    return np.where(mask, np.nan, matrix)
