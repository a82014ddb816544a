"""Bad input and senseless parameters are refused in one sentence that names what is at fault.

Poor input is lived with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.testing.answers import (
    answered_or_refused,
    answers,
    assert_same,
    everything,
    fitted,
    fitted_once,
    refused,
    table,
)
from manyviews.testing.check import rule, takes_labels, takes_several_views, view_tags
from manyviews.testing.data import count, problem_for, replaced, rows_of

# -- data ------------------------------------------------------------------------------------------

BAD_ROW = 3
"""The object with the bad cell: not the first, so that a look at the first row will not do."""


def _with_cell(matrix: Any, value: Any) -> Any:
    changed = matrix.astype(np.result_type(matrix.dtype, type(value)))
    changed[BAD_ROW, 0] = value
    return changed


def _refused_everywhere(estimator: Any, spoil: Any, what: str) -> None:
    """Fail unless a spoilt view is refused by name, in ``fit`` and after."""
    problem = problem_for(estimator)
    X = replaced(problem.X, problem.last, spoil(problem.X[problem.last]))
    refused(lambda: fitted(estimator, X, problem.y), f"{what} in fit", naming=problem.last)
    model = fitted_once(estimator)
    new = replaced(problem.new, problem.last, spoil(problem.new[problem.last]))
    refused(lambda: answers(model, new), f"{what} in new objects", naming=problem.last)


@rule()
def nan_in_a_cell_is_as_tagged(estimator: Any) -> None:
    """NaN in a cell is taken where the tags say so, and else refused with its view."""
    if not view_tags(estimator).missing_cells:
        _refused_everywhere(estimator, lambda matrix: _with_cell(matrix, np.nan), "NaN in a cell")
        return
    problem = problem_for(estimator)
    X, new = (
        replaced(views, problem.last, _with_cell(views[problem.last], np.nan))
        for views in (problem.X, problem.new)
    )
    found = answers(fitted(estimator, X, problem.y), new)
    for name, answer in found.items():
        assert len(table(answer)) == count(new), f"{name} leaves out objects with NaN."


@rule()
def infinity_is_refused(estimator: Any) -> None:
    """Infinity in a cell is refused with its view."""
    _refused_everywhere(estimator, lambda matrix: _with_cell(matrix, np.inf), "infinity")


@rule()
def complex_numbers_are_refused(estimator: Any) -> None:
    """Complex values are refused with their view."""
    _refused_everywhere(estimator, lambda matrix: matrix + 1j, "a complex view")


@rule()
def text_is_refused(estimator: Any) -> None:
    """Strings that are no numbers are refused with their view."""

    def as_words(matrix: Any) -> Any:
        return np.full(matrix.shape, "word", dtype=object)

    _refused_everywhere(estimator, as_words, "a view of words")


@rule()
def views_have_two_dimensions(estimator: Any) -> None:
    """A view with one dimension or three is refused by name."""
    _refused_everywhere(estimator, lambda matrix: matrix[:, 0], "a view of one dimension")
    _refused_everywhere(estimator, lambda matrix: matrix[:, :, None], "a view of three dimensions")


@rule()
def no_objects_are_refused(estimator: Any) -> None:
    """Views without objects are refused, in ``fit`` and after."""
    problem = problem_for(estimator)
    y = None if problem.y is None else problem.y[:0]
    refused(lambda: fitted(estimator, rows_of(problem.X, slice(0)), y), "no objects")
    model = fitted_once(estimator)
    refused(lambda: answers(model, rows_of(problem.new, slice(0))), "no new objects")


@rule()
def no_views_are_refused(estimator: Any) -> None:
    """An empty dict or list of views is refused."""
    y = problem_for(estimator).y
    refused(lambda: fitted(estimator, {}, y), "an empty dict")
    refused(lambda: fitted(estimator, [], y), "an empty list")


@rule()
def no_features_are_refused(estimator: Any) -> None:
    """A view without features is refused by name."""
    _refused_everywhere(estimator, lambda matrix: matrix[:, :0], "a view without features")


@rule(applies=takes_several_views)
def different_numbers_of_rows_are_refused(estimator: Any) -> None:
    """Views with different numbers of rows are refused, naming the odd one."""
    _refused_everywhere(estimator, lambda matrix: matrix[1:], "a view with fewer rows")


@rule()
def one_object(estimator: Any) -> None:
    """A single object is learnt from or refused in one sentence."""
    problem = problem_for(estimator)
    y = None if problem.y is None else problem.y[:1]
    X = rows_of(problem.X, slice(1))
    answered_or_refused(estimator, X, y, problem.new, "a single object")


@rule()
def constant_views(estimator: Any) -> None:
    """A view in which nothing varies, and views that all are so, are lived with or refused."""
    problem = problem_for(estimator)
    flat = {name: np.ones_like(matrix) for name, matrix in problem.X.items()}
    one = replaced(problem.X, problem.last, flat[problem.last])
    answered_or_refused(estimator, one, problem.y, problem.new, "a constant view")
    answered_or_refused(estimator, flat, problem.y, problem.new, "constant views only")


@rule()
def duplicated_objects(estimator: Any) -> None:
    """Objects that occur twice are learnt from or refused, and their copies get one answer."""
    problem = problem_for(estimator)
    X = {name: np.vstack([matrix, matrix]) for name, matrix in problem.X.items()}
    y = None if problem.y is None else np.concatenate([problem.y, problem.y])
    new = {name: np.vstack([matrix, matrix]) for name, matrix in problem.new.items()}
    answered_or_refused(estimator, X, y, new, "objects that occur twice")
    found = answers(fitted_once(estimator), new)
    half = count(problem.new)
    first, second = (
        {name: table(answer)[rows] for name, answer in found.items()}
        for rows in (slice(half), slice(half, None))
    )
    assert_same(first, second, "being a copy")


@rule(applies=takes_labels)
def labels_of_another_length_are_refused(estimator: Any) -> None:
    """As many labels as objects, and not none, or an error in one sentence."""
    problem = problem_for(estimator)
    y = None if problem.y is None else problem.y[:-1]
    refused(lambda: fitted(estimator, problem.X, y), "a label too few")
    refused(lambda: estimator.fit(problem.X, None), "y=None")


@rule()
def failed_fit_leaves_the_old(estimator: Any) -> None:
    """A ``fit`` that refuses its views leaves what was learnt before as it was."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    before = everything(model, problem.new)
    bad = {f"other{name}": _with_cell(matrix[:, 1:], np.inf) for name, matrix in problem.X.items()}
    y = () if problem.y is None else (problem.y,)
    refused(lambda: model.fit(bad, *y), "infinity in fit")
    assert_same(before, everything(model, problem.new), "a fit that failed")


# -- parameters ------------------------------------------------------------------------------------


@rule()
def nonsense_in_a_parameter_is_refused(estimator: Any) -> None:
    """NaN, or an object that is nothing in particular, is refused by the parameter's name."""
    problem = problem_for(estimator)
    model = fitted(estimator, problem.X, problem.y)
    before = _learnt(model)
    y = () if problem.y is None else (problem.y,)
    for name, value in estimator.get_params(deep=False).items():
        for wrong in (np.nan, object()):
            model.set_params(**{name: wrong})
            refused(lambda: model.fit(problem.X, *y), f"{name}={wrong!r}", naming=name)
        model.set_params(**{name: value})
    assert before == _learnt(model), "a parameter that is refused changes what was learnt."


def _learnt(model: Any) -> dict[str, int]:
    """Which object stands behind each fitted attribute."""
    return {name: id(value) for name, value in vars(model).items() if name.endswith("_")}
