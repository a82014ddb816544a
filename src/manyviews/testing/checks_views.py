"""Views that are too many, too few, unknown, misshapen, missing or ignored."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from manyviews.data import Views
from manyviews.exceptions import NumberOfViewsError, UnobservedViewsError
from manyviews.testing.answers import (
    answered_or_refused,
    answers,
    assert_same,
    assert_sound,
    equal,
    everything,
    fitted,
    fitted_once,
    refused,
    table,
)
from manyviews.testing.check import (
    gives_groups,
    needs_every_view,
    rule,
    takes_several_views,
    takes_unobserved,
    view_tags,
    with_pandas,
)
from manyviews.testing.data import (
    Problem,
    ViewDict,
    count,
    flat_frame,
    gaps,
    noise_like,
    problem_for,
    replaced,
    with_gaps,
)


@rule()
def number_of_views_is_as_tagged(estimator: Any) -> None:
    """One to four views are taken, or refused by ``NumberOfViewsError``, as the tags say."""
    tags = view_tags(estimator)
    for n_views in (1, 2, 3, 4):
        problem = problem_for(estimator, n_views)
        too_many = tags.max_views is not None and n_views > tags.max_views
        if n_views < tags.min_views or too_many:
            what = f"a number of {n_views} views"
            act = _fitting(estimator, problem)
            refused(act, what, naming=str(n_views), by=NumberOfViewsError)
        else:
            model = fitted(estimator, problem.X, problem.y)
            assert len(model.view_names_) == n_views, f"{n_views} views became fewer."
            assert_sound(answers(model, problem.new), count(problem.new), f"of {n_views} views")


def _fitting(estimator: Any, problem: Problem) -> Any:
    return lambda: fitted(estimator, problem.X, problem.y)


@rule()
def every_view_counts(estimator: Any) -> None:
    """Each view matters: overturning what it shows changes an answer.

    One view is made to show other groups, once among views that all tell the old ones and once
    among views that tell nothing. An estimator may outvote one view in either case; only one
    that never looks at it gives the same answers in both.
    """
    problem = problem_for(estimator)
    noise = noise_like(problem.X, seed=3)
    for name, matrix in problem.X.items():
        regrouped = matrix[np.argsort(problem.groups, kind="stable")]
        reacts = any(
            _tells_apart(estimator, problem, replaced(rest, name, matrix), name, regrouped)
            for rest in (problem.X, noise)
        )
        assert reacts, f"whatever view {name!r} shows, the answers are the same."


def _tells_apart(estimator: Any, problem: Problem, X: ViewDict, name: str, matrix: Any) -> bool:
    other = replaced(X, name, matrix)
    before = everything(fitted(estimator, X, problem.y), X)
    after = everything(fitted(estimator, other, problem.y), other)
    return not all(equal(before[key], after[key]) for key in before)


@rule()
def every_new_view_counts(estimator: Any) -> None:
    """Each view of new objects matters: overturning what it shows changes an answer.

    It is tried among views that tell the groups, and among views that each show one group for
    all objects, so that an estimator that votes finds a tie to break.
    """
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    rests = [problem.new, *_stubborn(problem)]
    for name, matrix in problem.new.items():
        regrouped = matrix[np.argsort(problem.new_groups, kind="stable")]
        reacts = False
        for rest in rests:
            before = answers(model, replaced(rest, name, matrix))
            after = answers(model, replaced(rest, name, regrouped))
            reacts = reacts or not all(equal(before[key], after[key]) for key in before)
        assert reacts, f"whatever view {name!r} of new objects shows, the answers are the same."


def _stubborn(problem: Problem) -> list[ViewDict]:
    """Views in which all new objects look like one of them, another one in each view."""
    n_shown = len(np.unique(problem.new_groups))
    return [
        {
            name: np.repeat(matrix[[(place + shift) % n_shown]], len(matrix), axis=0)
            for place, (name, matrix) in enumerate(problem.new.items())
        }
        for shift in range(n_shown)
    ]


@rule(applies=takes_several_views)
def missing_view_is_named(estimator: Any) -> None:
    """A view left out of the new ones is an error that names it, or by its tags unobserved."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    fewer = {name: matrix for name, matrix in problem.new.items() if name != problem.last}
    if view_tags(estimator).absent:
        unobserved = {**fewer, problem.last: None}
        assert_same(answers(model, fewer), answers(model, unobserved), "a view left out")
    else:
        refused(lambda: answers(model, fewer), "a view left out", naming=problem.last)
    unnamed = list(fewer.values())
    refused(lambda: answers(model, unnamed), "an unnamed view left out")


@rule()
def unknown_view_is_named(estimator: Any) -> None:
    """A view that ``fit`` did not see is an error that names it."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    more = {**problem.new, "stranger": problem.new[problem.last]}
    refused(lambda: answers(model, more), "an unknown view", naming="stranger")


@rule()
def wrong_width_is_named(estimator: Any) -> None:
    """A new view with more or fewer features than in ``fit`` is an error that names it."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    matrix = problem.new[problem.last]
    for changed in (matrix[:, 1:], np.hstack([matrix, matrix[:, :1]])):
        new = replaced(problem.new, problem.last, changed)
        refused(_asking(model, new), "a view of another width", naming=problem.last)


def _asking(model: Any, new: Any) -> Any:
    return lambda: answers(model, new)


@rule(applies=with_pandas)
def features_in_another_order_are_refused(estimator: Any) -> None:
    """Columns of a DataFrame in another order than in ``fit`` are refused, never mixed up."""
    problem = problem_for(estimator)
    model = fitted(estimator, flat_frame(problem.X), problem.y)
    columns = list(flat_frame(problem.new).columns)
    turned = flat_frame(problem.new)[columns[:-2] + columns[:-3:-1]]
    refused(lambda: answers(model, turned), "another order of features", naming=problem.last)


@rule(applies=needs_every_view)
def unobserved_views_are_refused(estimator: Any) -> None:
    """Who needs every view says so by ``UnobservedViewsError``, in ``fit`` and after."""
    problem = problem_for(estimator)
    X, new = with_gaps(problem.X), with_gaps(problem.new)
    by = UnobservedViewsError
    refused(lambda: fitted(estimator, X, problem.y), "an unobserved view", naming="view", by=by)
    model = fitted_once(estimator)
    refused(lambda: answers(model, new), "an unobserved new view", naming="view", by=by)


@rule(applies=takes_unobserved)
def unobserved_views_are_taken(estimator: Any) -> None:
    """Objects that lack a view are learnt from, and each of them gets its answer."""
    problem = problem_for(estimator)
    model = fitted(estimator, with_gaps(problem.X), problem.y)
    for X in (problem.X, problem.new):
        found = answers(model, with_gaps(X))
        for name, answer in found.items():
            assert len(table(answer)) == count(X), f"{name} leaves out objects with gaps."
        assert_sound(answers(model, X), count(X), "after fit with gaps")
    if hasattr(model, "labels_"):
        assert len(model.labels_) == count(problem.X), "labels_ leaves out objects with gaps."


@rule(applies=takes_unobserved)
def gaps_are_gaps_however_said(estimator: Any) -> None:
    """A mask, a row of NaN and ``None`` say the same, whatever stands under the mask."""
    problem = problem_for(estimator)
    expected = None
    for form, say in (("zeros", _zeros), ("junk", _junk), ("NaN", _nan), ("None", _none)):
        model = fitted(estimator, say(problem.X), problem.y)
        found = everything(model, say(problem.new))
        expected = found if expected is None else expected
        assert_same(expected, found, f"saying by {form} that a view is unobserved")


def _zeros(views: ViewDict) -> Views:
    return Views(_fill(views, 0.0), observed=gaps(count(views), len(views)))


def _junk(views: ViewDict) -> Views:
    return Views(_fill(views, 1e6), observed=gaps(count(views), len(views)))


def _nan(views: ViewDict) -> ViewDict:
    return _fill(views, np.nan)


def _none(views: ViewDict) -> dict[str, Any]:
    observed = gaps(count(views), len(views))
    return {
        name: [row if seen else None for row, seen in zip(matrix.tolist(), column, strict=True)]
        for (name, matrix), column in zip(views.items(), observed.T, strict=True)
    }


def _fill(views: ViewDict, value: float) -> ViewDict:
    observed = gaps(count(views), len(views))
    return {
        name: np.where(column[:, None], matrix, value)
        for (name, matrix), column in zip(views.items(), observed.T, strict=True)
    }


def _groups_without_views(estimator: Any) -> bool:
    return takes_unobserved(estimator) and gives_groups(estimator)


def _groups_sparse_with_gaps(estimator: Any) -> bool:
    return _groups_without_views(estimator) and view_tags(estimator).sparse


@rule(applies=_groups_sparse_with_gaps)
def sparse_gaps_are_gaps(estimator: Any) -> None:
    """An unobserved row of a sparse view is a gap, as in a dense one, and no row of zeros."""
    problem = problem_for(estimator)
    model = fitted(estimator, with_gaps(problem.X), problem.y)
    expected = everything(model, with_gaps(problem.new))
    X, new = (
        Views(
            {name: csr_array(matrix) for name, matrix in views.items()},
            observed=gaps(count(views), len(views)),
        )
        for views in (problem.X, problem.new)
    )
    assert_same(expected, everything(fitted(estimator, X, problem.y), new), "being sparse")


@rule(applies=takes_unobserved)
def new_objects_may_lack_a_view(estimator: Any) -> None:
    """New objects without a view, given as ``None``, by mask or as NaN, get the same answer."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    for name, matrix in problem.new.items():
        void = replaced(problem.new, name, np.full_like(matrix, np.nan))
        hidden = Views(problem.new, observed={name: np.zeros(len(matrix), dtype=bool)})
        expected = answers(model, replaced(problem.new, name, None))
        for method, found in expected.items():
            assert len(table(found)) == len(matrix), f"{method} leaves out objects."
        assert_same(expected, answers(model, hidden), f"hiding view {name!r} by a mask")
        assert_same(expected, answers(model, void), f"hiding view {name!r} by NaN")


@rule(applies=_groups_without_views)
def one_view_is_enough_to_predict(estimator: Any) -> None:
    """New objects seen in one view only are told apart by it, whichever view it is."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    for name in problem.names:
        only = {other: problem.new[other] if other == name else None for other in problem.names}
        labels = table(model.predict(only))
        assert len(np.unique(labels)) > 1, f"all objects seen in view {name!r} only look the same."


@rule(applies=takes_unobserved)
def object_without_any_view_is_refused(estimator: Any) -> None:
    """An object that is observed in no view is an error that names its row."""
    problem = problem_for(estimator)
    observed = np.ones((count(problem.X), len(problem.X)), dtype=bool)
    observed[5] = False
    X = Views(problem.X, observed=observed)
    new = Views(problem.new, observed=observed[: count(problem.new)])
    refused(lambda: fitted(estimator, X, problem.y), "an object without views", naming="5")
    model = fitted_once(estimator)
    refused(lambda: answers(model, new), "a new object without views", naming="5")


@rule(applies=takes_unobserved)
def view_that_nobody_shows(estimator: Any) -> None:
    """A view observed for no object in ``fit`` is lived with or refused in one sentence."""
    problem = problem_for(estimator)
    void = np.full_like(problem.X[problem.last], np.nan)
    X = replaced(problem.X, problem.last, void)
    answered_or_refused(estimator, X, problem.y, problem.new, "a view that nobody shows")
