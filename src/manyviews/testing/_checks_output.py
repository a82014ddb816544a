"""What transformers give: rows, columns, their names, and the container asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from manyviews.data import Views
from manyviews.testing._answers import assert_sound, equal, fitted, fitted_once, table
from manyviews.testing._check import rule
from manyviews.testing._data import count, flat_frame, problem_for
from manyviews.testing._prepare import is_transformer, with_pandas
from manyviews.typing import is_sparse


def _transforms_with_pandas(estimator: Any) -> bool:
    return is_transformer(estimator) and with_pandas(estimator)


@rule(applies=is_transformer)
def transform_gives_a_row_per_object(estimator: Any) -> None:
    """``transform`` gives two dimensions, one finite row per object, the same width for all."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    widths = set()
    for X in (problem.X, problem.new):
        result = model.transform(X)
        assert_sound({"transform": result}, count(X), "after fit on all")
        assert table(result).ndim == 2, f"transform gives {table(result).ndim} dimensions."
        widths.add(table(result).shape[1])
    assert len(widths) == 1, f"transform gives the widths {sorted(widths)}."


@rule(applies=is_transformer)
def fit_transform_is_fit_then_transform(estimator: Any) -> None:
    """``fit_transform`` gives what ``fit`` and then ``transform`` give."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    both = clone(estimator)
    given = (problem.X,) if problem.y is None else (problem.X, problem.y)
    assert equal(both.fit_transform(*given), model.transform(problem.X)), "they differ."


@rule(applies=is_transformer)
def columns_have_names(estimator: Any) -> None:
    """``get_feature_names_out`` gives one distinct string per column."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    names = model.get_feature_names_out()
    width = table(model.transform(problem.new)).shape[1]
    assert len(names) == width, f"there are {len(names)} names for {width} columns."
    assert all(isinstance(name, str) for name in names), "some names are no strings."
    assert len(set(names)) == len(names), "some names occur twice."


@rule(applies=_transforms_with_pandas)
def set_output_gives_a_frame(estimator: Any) -> None:
    """``set_output(transform="pandas")`` gives a DataFrame with those names and the same numbers.

    Views become one frame with the columns ``view__feature``; a sparse result has no frame.
    """
    problem = problem_for(estimator)
    model = fitted(estimator, flat_frame(problem.X), problem.y)
    plain = model.transform(flat_frame(problem.new))
    if is_sparse(plain):
        return
    frame = model.set_output(transform="pandas").transform(flat_frame(problem.new))
    assert hasattr(frame, "columns"), f"it gives a {type(frame).__name__}."
    assert list(frame.columns) == list(model.get_feature_names_out()), "the columns differ."
    assert equal(frame.to_numpy(), plain), "the numbers differ."


@rule(applies=is_transformer)
def views_in_views_out_keep_the_objects(estimator: Any) -> None:
    """A transformer that gives views keeps sample ids and says what is observed."""
    problem = problem_for(estimator)
    ids = np.array([f"object{row}" for row in range(count(problem.new))])
    result = fitted_once(estimator).transform(Views(problem.new, sample_ids=ids))
    if not isinstance(result, Views):
        return
    assert result.observed.all(), "observed views came out unobserved."
    assert list(result.sample_ids if result.sample_ids is not None else []) == list(ids), (
        "the sample ids are lost."
    )
