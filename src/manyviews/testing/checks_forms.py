"""The same data give the same answers in every form and order, named and rounded as may be."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_clusterer

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.testing.answers import (
    Answers,
    answers,
    assert_equivalent,
    assert_same,
    assert_sound,
    equal,
    everything,
    fitted,
    fitted_once,
    refused,
    same_partition,
    table,
)
from manyviews.testing.check import (
    deterministic,
    has_deterministic_start,
    rule,
    takes_dense_only,
    takes_several_views,
    takes_sparse,
    with_pandas,
)
from manyviews.testing.data import (
    ViewDict,
    count,
    flat_frame,
    modalities,
    problem_for,
    replaced,
    rows_of,
    two_level_frame,
)
from manyviews.typing import AnyArray

# -- forms -----------------------------------------------------------------------------------------

OTHER_NAMES = ("zeta", "alpha", "mu", "beta")
"""Out of alphabetical order, so that sorting by name is noticed."""


def plain_forms(views: ViewDict) -> dict[str, Any]:
    """The forms that need no further package."""
    return {"a list": [*views.values()], "a tuple": (*views.values(),), "a Views": Views(views)}


@rule()
def fit_takes_every_form(estimator: Any) -> None:
    """``fit`` on a list, a tuple or a ``Views`` is ``fit`` on a dict."""
    problem = problem_for(estimator)
    expected = everything(fitted_once(estimator), problem.new)
    for form, X in plain_forms(problem.X).items():
        model = fitted(estimator, X, problem.y)
        assert_same(expected, everything(model, problem.new), f"fit on {form}")


@rule()
def answers_take_every_form(estimator: Any) -> None:
    """New objects may come as a list, a tuple or a ``Views`` whatever ``fit`` had."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    expected = answers(model, problem.new)
    for form, new in plain_forms(problem.new).items():
        assert_same(expected, answers(model, new), f"giving new objects as {form}")


@rule(applies=with_pandas)
def frames_are_views(estimator: Any) -> None:
    """A DataFrame with ``view__feature`` or two-level columns is the dict of its views."""
    problem = problem_for(estimator)
    plain = fitted_once(estimator)
    expected = everything(plain, problem.new)
    for kind, frame in (("flat", flat_frame), ("two-level", two_level_frame)):
        model = fitted(estimator, frame(problem.X), problem.y)
        found = everything(model, frame(problem.new))
        assert_same(expected, found, f"fit on a {kind} DataFrame")
        found = everything(plain, frame(problem.new))
        assert_same(expected, found, f"giving new objects as a {kind} DataFrame")


@rule()
def modalities_are_views(estimator: Any) -> None:
    """A MuData, or what looks like one, is the dict of its modalities."""
    problem = problem_for(estimator)
    plain = fitted_once(estimator)
    expected = everything(plain, problem.new)
    model = fitted(estimator, modalities(problem.X), problem.y)
    assert_same(expected, everything(model, modalities(problem.new)), "fit on a MuData")
    found = everything(plain, modalities(problem.new))
    assert_same(expected, found, "giving new objects as a MuData")


@rule()
def wide_matrix_is_cut(estimator: Any) -> None:
    """New objects may come as one matrix as wide as all fitted views together."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    wide = np.hstack(list(problem.new.values()))
    assert_same(answers(model, problem.new), answers(model, wide), "giving one wide matrix")


@rule(applies=takes_several_views)
def new_views_are_matched_by_name(estimator: Any) -> None:
    """The order of a dict of new views does not matter."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    turned = dict(reversed(problem.new.items()))
    expected = answers(model, problem.new)
    assert_same(expected, answers(model, turned), "another order of the new views")
    assert_same(expected, answers(model, Views(turned)), "another order in the new Views")


def _may_turn_views(estimator: Any) -> bool:
    return takes_several_views(estimator) and has_deterministic_start(estimator)


@rule(applies=_may_turn_views)
def order_of_views_in_fit_is_free(estimator: Any) -> None:
    """From a deterministic start, the order of the views in ``fit`` does not matter.

    Up to the names of clusters, and the order and signs of a transformer's columns.
    """
    problem = problem_for(estimator)
    sure = deterministic(estimator)
    expected = everything(fitted_once(sure), problem.new)
    turned = fitted(sure, dict(reversed(problem.X.items())), problem.y)
    found = everything(turned, dict(reversed(problem.new.items())))
    assert_equivalent(estimator, expected, found, "another order of the views in fit")


@rule()
def names_of_views_are_free(estimator: Any) -> None:
    """Renaming the views changes nothing."""
    problem = problem_for(estimator)
    expected = everything(fitted_once(estimator), problem.new)
    X, new = (
        dict(zip(OTHER_NAMES, views.values(), strict=False)) for views in (problem.X, problem.new)
    )
    assert_same(expected, everything(fitted(estimator, X, problem.y), new), "renaming the views")


@rule(applies=has_deterministic_start)
def order_of_objects_in_fit_is_free(estimator: Any) -> None:
    """From a deterministic start, permuted objects get permuted answers.

    It is asked of estimators without ``random_state`` and of those that say in
    ``_deterministic_start`` with which parameters they draw nothing: a random start rightly
    depends on the order.
    """
    problem = problem_for(estimator)
    sure = deterministic(estimator)
    order = np.roll(np.arange(count(problem.X))[::-1], 7)
    y = None if problem.y is None else problem.y[order]
    expected = everything(fitted_once(sure), problem.new)
    found = everything(fitted(sure, rows_of(problem.X, order), y), problem.new)
    if "labels_" in expected:
        expected["labels_"] = np.asarray(expected["labels_"])[order]
    assert_equivalent(estimator, expected, found, "another order of the objects in fit")


@rule()
def all_observed_is_no_mask(estimator: Any) -> None:
    """A mask that hides nothing changes nothing."""
    problem = problem_for(estimator)
    expected = everything(fitted_once(estimator), problem.new)
    X, new = (
        Views(views, observed=np.ones((count(views), len(views)), dtype=bool))
        for views in (problem.X, problem.new)
    )
    found = everything(fitted(estimator, X, problem.y), new)
    assert_same(expected, found, "a mask that hides nothing")


@rule(applies=takes_sparse)
def sparse_is_dense(estimator: Any) -> None:
    """Sparse views of any format give what dense ones give, in ``fit`` and after."""
    problem = problem_for(estimator)
    dense = fitted_once(estimator)
    expected = everything(dense, problem.new)
    for make in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        X, new = (
            {name: make(matrix) for name, matrix in views.items()}
            for views in (problem.X, problem.new)
        )
        found = everything(fitted(estimator, X, problem.y), new)
        assert_same(expected, found, f"fit on {make.__name__}")
        assert_same(expected, everything(dense, new), f"asking with {make.__name__}")


@rule(applies=takes_dense_only)
def sparse_is_refused(estimator: Any) -> None:
    """An estimator that takes dense views only says so, naming the sparse one."""
    problem = problem_for(estimator)
    X = replaced(problem.X, problem.last, sparse.csr_array(problem.X[problem.last]))
    new = replaced(problem.new, problem.last, sparse.csr_array(problem.new[problem.last]))
    refused(lambda: fitted(estimator, X, problem.y), "a sparse view", naming=problem.last)
    model = fitted_once(estimator)
    refused(lambda: answers(model, new), "a sparse new view", naming=problem.last)


@rule()
def single_precision_will_do(estimator: Any) -> None:
    """Views in single precision are taken, and so are mixtures of both."""
    problem = problem_for(estimator)
    X, new = (
        {name: matrix.astype(np.float32) for name, matrix in views.items()}
        for views in (problem.X, problem.new)
    )
    model = fitted(estimator, X, problem.y)
    assert_sound(answers(model, new), count(new), "in single precision")
    mixed = replaced(X, problem.last, problem.X[problem.last])
    model = fitted(estimator, mixed, problem.y)
    assert_sound(answers(model, problem.new), count(new), "in mixed precision")


@rule()
def integers_are_numbers(estimator: Any) -> None:
    """Integer views give what the same numbers give as floats."""
    problem = problem_for(estimator)
    X, new = (
        {name: np.rint(20 * matrix) for name, matrix in views.items()}
        for views in (problem.X, problem.new)
    )
    expected = everything(fitted(estimator, X, problem.y), new)
    X, new = (
        {name: matrix.astype(np.int64) for name, matrix in views.items()} for views in (X, new)
    )
    assert_same(expected, everything(fitted(estimator, X, problem.y), new), "giving integers")


@rule()
def order_of_new_objects_is_free(estimator: Any) -> None:
    """Permuted new objects get permuted answers."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    order = np.roll(np.arange(count(problem.new))[::-1], 5)
    expected = answers(model, Views(problem.new))
    found = answers(model, rows_of(problem.new, order))
    for name in expected:
        assert equal(_rows(expected[name], order), found[name]), f"{name} depends on the order."


@rule()
def alone_is_as_in_company(estimator: Any) -> None:
    """An object asked for alone gets the answer that it gets among others."""
    problem = problem_for(estimator)
    model = fitted_once(estimator)
    together = answers(model, problem.new)
    for row in (0, 1, count(problem.new) - 1):
        alone = answers(model, rows_of(problem.new, [row]))
        for name in together:
            kept = equal(_rows(together[name], [row]), alone[name])
            assert kept, f"{name} depends on the company that an object is in."


def _rows(answer: Any, rows: Any) -> Any:
    if isinstance(answer, Views):
        return answer[rows]
    return answer[rows] if sparse.issparse(answer) else np.asarray(answer)[rows]


# -- rounding --------------------------------------------------------------------------------------

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
