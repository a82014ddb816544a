"""A classifier on a subset of the views: its parameters, its left-out labels, what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import get_tags

from manyviews.base import BaseMultiView
from manyviews.data import Views
from manyviews.ensemble._subsets._combining import SILENT
from manyviews.ensemble._subsets._names import Subset, spoken
from manyviews.ensemble._subsets._parameters import ParamGrid
from manyviews.maths import dense_within_memory
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse


@dataclass(frozen=True)
class Training:
    """How the classifier of any subset is trained."""

    estimator: Any
    param_grid: ParamGrid
    cv: Any
    n_classes: int
    needs_all: bool
    """Whether a subset that nobody can learn from is an error: so if a user has named it."""


@dataclass(frozen=True)
class Member:
    """A trained classifier, and what it said of each training object without having seen it."""

    subset: Subset
    estimator: Any
    left_out: IntArray
    """Codes, and ``SILENT`` for objects that lack one of its views."""
    error: float
    """Share of wrong labels among those."""
    n_judged: int


def train_member(views: Views, codes: IntArray, subset: Subset, way: Training) -> Member | None:
    """Train on the objects that show the subset; None if these are of fewer than two classes."""
    part = views.subset(subset)
    seen = np.flatnonzero(part.observed.all(axis=1))
    known = codes[seen]
    if len(np.unique(known)) < 2:
        return None
    rows = rows_for(way.estimator, part[seen])
    try:
        estimator, labels = best_by_left_out(way, rows, known)
    except ValueError as error:
        error.add_note(f"This is the classifier of {spoken(subset)}, with {len(seen)} objects.")
        raise
    left_out = np.full(len(codes), SILENT, dtype=np.int32)
    left_out[seen] = labels
    return Member(subset, estimator, left_out, float(np.mean(labels != known)), len(seen))


def best_by_left_out(way: Training, rows: Any, codes: IntArray) -> tuple[Any, IntArray]:
    """Of all parameters in the grid, those with the fewest wrong left-out labels."""
    from sklearn.model_selection import ParameterGrid

    tried: list[tuple[int, int, Any, IntArray]] = []
    for params in ParameterGrid(grids(way.param_grid)):
        estimator = clone(way.estimator).set_params(**params)
        labels = left_out_labels(estimator, rows, codes, way.cv)
        tried.append((int((labels != codes).sum()), len(tried), estimator, labels))
    _, _, estimator, labels = min(tried, key=lambda attempt: attempt[:2])
    if not hasattr(estimator, "leave_one_out_predictions"):
        estimator.fit(rows, codes)
    return estimator, labels


def grids(given: ParamGrid) -> list[Mapping[str, Sequence[Any]]]:
    """Grids of parameters to try, one after the other; an empty one for parameters as they are.

    Examples
    --------
    >>> grids(None), grids({"C": [0.1, 1.0]})
    ([{}], [{'C': [0.1, 1.0]}])
    """
    found = [given] if isinstance(given, Mapping) else [{}] if given is None else list(given)
    empty = [name for grid in found for name, values in grid.items() if not len(values)]
    if empty or not found:
        of = f" of {empty[0]!r}" if empty else ""
        raise ValueError(f"param_grid={given!r} has no value{of} to try; give one or more.")
    return found


def left_out_labels(estimator: Any, rows: Any, codes: IntArray, cv: Any) -> IntArray:
    """Label each object as if it had not been there, in the quickest exact way there is.

    Estimators with ``leave_one_out_predictions`` know how; nearest neighbours leave out the object
    itself; all others are trained again on the objects of the other folds.
    """
    from sklearn.neighbors import KNeighborsClassifier

    if hasattr(estimator, "leave_one_out_predictions"):
        return np.asarray(estimator.leave_one_out_predictions(rows, codes), dtype=np.int32)
    if isinstance(estimator, KNeighborsClassifier):
        if estimator.n_neighbors >= len(codes):
            raise ValueError(
                f"n_neighbors={estimator.n_neighbors} are more than the {len(codes) - 1} objects "
                "that stay when one is left out; give fewer, or label more objects."
            )
        return np.asarray(clone(estimator).fit(rows, codes).predict(None), dtype=np.int32)
    labels = np.full(len(codes), SILENT, dtype=np.int32)
    for train, test in folds(cv, rows, codes):
        if len(np.unique(codes[train])) == 1:
            labels[test] = codes[train][0]
        else:
            labels[test] = clone(estimator).fit(rows[train], codes[train]).predict(rows[test])
    if (labels == SILENT).any():
        raise ValueError(
            f"cv={cv!r} leaves object {int((labels == SILENT).argmax())} out of every fold; give "
            "one in which each object is tested."
        )
    return labels


def folds(cv: Any, rows: Any, codes: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Train and test rows; a number deals out the objects class by class, in their order.

    Examples
    --------
    >>> [test.tolist() for _, test in folds(2, None, np.array([0, 0, 1, 1, 1]))]
    [[0, 2, 4], [1, 3]]
    """
    if not isinstance(cv, int | np.integer):
        from sklearn.model_selection import check_cv

        for train, test in check_cv(cv).split(rows, codes):
            yield known_rows(train, len(codes)), known_rows(test, len(codes))
        return
    fold = np.empty(len(codes), dtype=np.intp)
    fold[np.argsort(codes, kind="stable")] = np.arange(len(codes)) % cv
    for number in range(min(int(cv), len(codes))):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def known_rows(given: Any, n_objects: int) -> IntArray:
    """Positions of objects, from positions or a mask as a way to split gives them."""
    found = np.asarray(given)
    if found.dtype == bool and found.shape == (n_objects,):
        return np.flatnonzero(found)
    whole = found.ndim == 1 and found.dtype.kind in "iu"
    if not whole or ((found < 0) | (found >= n_objects)).any():
        raise ValueError(
            f"cv splits into rows that are not those of {n_objects} objects; give positions from "
            f"0 to {n_objects - 1}."
        )
    return found


def rows_for(estimator: Any, views: Views) -> Any:
    """Objects as an estimator takes them: views if it knows views, else columns side by side.

    Sparse views become dense for estimators whose tags say that they take no sparse ones.
    """
    if not get_tags(estimator).input_tags.sparse and any(is_sparse(m) for _, m in views.items()):
        dense = {name: _dense(m, name) for name, m in views.items()}
        views = Views(dense, observed=views.observed)
    return views if reads_views(estimator) else views.concatenate()


def stored_alike(views: Views, sparse_names: Sequence[str]) -> Views:
    """Views stored as in fit, sparse or dense: some estimators mind when asked."""
    other = {
        name: _dense(matrix, name) if is_sparse(matrix) else csr_array(np.nan_to_num(matrix))
        for name, matrix in views.items()
        if is_sparse(matrix) != (name in sparse_names)
    }
    if not other:
        return views
    return Views({**dict(views.items()), **other}, observed=views.observed)


def _dense(matrix: Matrix, name: str) -> FloatArray:
    return dense_within_memory(
        matrix,
        f"view {name!r} made dense, {matrix.shape[0]:,} objects with {matrix.shape[1]:,} features,",
        remedy="use an estimator that takes sparse views, or reduce the view by TruncatedSVD",
    )


def reads_views(estimator: Any) -> bool:
    """Whether an estimator, the first step of a pipeline, or what a search tunes, knows views."""
    if isinstance(estimator, BaseMultiView):
        return True
    if hasattr(estimator, "steps"):
        return reads_views(estimator.steps[0][1])
    return hasattr(estimator, "estimator") and reads_views(estimator.estimator)


def speaks(subset: Subset, views: Views) -> IntArray:
    """Objects of which a member can say something: those that show all its views."""
    return np.flatnonzero(views.subset(subset).observed.all(axis=1))


def codes_of(estimator: Any, subset: Subset, views: Views, rows: IntArray) -> IntArray:
    """The class that a member takes some objects for."""
    asked = rows_for(estimator, views.subset(subset)[rows])
    return np.asarray(estimator.predict(asked), dtype=np.int32)


def shares_of(
    estimator: Any, subset: Subset, views: Views, rows: IntArray, n_classes: int
) -> FloatArray:
    """Shares of all classes for some objects; one and zeros if it only names a class."""
    shares = np.zeros((len(rows), n_classes))
    if not hasattr(estimator, "predict_proba"):
        codes = codes_of(estimator, subset, views, rows)
        shares[np.arange(len(rows)), codes] = 1.0
        return shares
    asked = rows_for(estimator, views.subset(subset)[rows])
    shares[:, np.asarray(estimator.classes_, dtype=np.intp)] = estimator.predict_proba(asked)
    return shares


def n_observations(estimator: Any) -> float:
    """How many neighbours stand behind a member's shares; one where it is not known."""
    if hasattr(estimator, "best_estimator_"):
        return n_observations(estimator.best_estimator_)
    if hasattr(estimator, "steps"):
        return n_observations(estimator.steps[-1][1])
    return float(estimator.n_neighbors) if hasattr(estimator, "kneighbors") else 1.0
