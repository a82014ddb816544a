"""Whether views can be used by a method, and whether new ones match those it was fitted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from manyviews.data import convert
from manyviews.data.views import Layout, Views
from manyviews.exceptions import (
    NumberOfViewsError,
    UnknownViewError,
    UnobservedViewsError,
    ViewsError,
)
from manyviews.typing import AnyArray, BoolArray, IntArray, Matrix, ViewsLike, is_sparse


def check_views(
    X: ViewsLike,
    *,
    min_views: int = 1,
    max_views: int | None = None,
    min_objects: int = 1,
    accept_sparse: bool = True,
    accept_unobserved: bool = True,
    accept_nan: bool = False,
    method: str = "this method",
) -> Views:
    """Read views and refuse what a method cannot use, saying what, where and what to do.

    Parameters
    ----------
    X : views in any accepted form
        See :class:`manyviews.Views`.
    min_views, max_views : int
        How many views the method takes.
    min_objects : int
        How many objects it needs.
    accept_sparse, accept_unobserved, accept_nan : bool
        Whether it takes sparse views, unobserved views, and missing cells in observed rows.
    method : str
        Its name, for the messages.

    Returns
    -------
    Views
        Finite in every observed row (NaN apart, if accepted), with values whose squares can be
        summed, each object seen somewhere.
    """
    views = X if isinstance(X, Views) else Views(X)
    _check_number(views, min_views, max_views, method)
    if len(views) < min_objects:
        raise ViewsError(
            f"Found array with {len(views)} sample(s) (shape={views.shape}) while a minimum of "
            f"{min_objects} is required by {method}."
        )
    _check_observed(views, accept_unobserved, method)
    for name, matrix in views.items():
        if matrix.shape[1] == 0 and views.observed_in(name).any():
            raise ViewsError(
                f"0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required: "
                f"view {name!r} has no features; leave it out."
            )
        if not accept_sparse and is_sparse(matrix):
            raise ViewsError(
                f"view {name!r} is sparse and {method} takes dense views only; "
                "turn it into an array with toarray(), or reduce it first with PerView."
            )
        _check_finite(name, matrix, views, accept_nan)
    return views


def match_layout(X: ViewsLike, layout: Layout, *, allow_absent: bool = False) -> Views:
    """Bring new data into the form a method was fitted on.

    Named views are matched by name, in any order; unnamed ones by position; one matrix as wide as
    all fitted views together is cut into them. ``allow_absent`` takes named views that are left out
    for unobserved.
    """
    views, named = _read(X)
    if not named:
        views = _match_positions(views, layout)
    unknown = [name for name in views.names if name not in layout.names]
    if unknown:
        raise UnknownViewError(
            f"the view {unknown[0]!r} was not there in fit, which saw {list(layout.names)}; "
            "leave it out."
        )
    missing = [name for name in layout.names if name not in views.names]
    if missing and allow_absent:
        views = _with_absent(views, layout)
    elif missing:
        raise UnknownViewError(
            f"the view {missing[0]!r} is missing: fit saw {list(layout.names)}; "
            "give it as None if it is unobserved."
        )
    views = _widen_absent(views.subset(layout.names), layout)
    for name, width in zip(layout.names, layout.widths, strict=True):
        found = views[name].shape[1]
        if found != width:
            raise ViewsError(
                f"view {name!r} has {found} features but had {width} in fit; "
                "give the same features in the same order."
            )
        _check_features(name, views.feature_names.get(name), layout)
    return views


def _read(X: ViewsLike) -> tuple[Views, bool]:
    if isinstance(X, Views):
        return X, True
    parts = convert.collect(X)
    views = Views(
        parts.matrices,
        observed=parts.observed,
        feature_names=parts.feature_names,
        sample_ids=parts.sample_ids,
    )
    return views, parts.named


def _match_positions(views: Views, layout: Layout) -> Views:
    if views.n_views == 1 and len(layout.names) > 1 and views.shape[1] == layout.n_features:
        return split_wide(views[views.names[0]], layout, views.sample_ids)
    if views.n_views != len(layout.names):
        raise ViewsError(
            f"there are {views.n_views} unnamed views of {views.shape[1]} features where fit saw "
            f"{len(layout.names)} views ({', '.join(map(repr, layout.names))}) of "
            f"{layout.n_features}; give all of them, or name them."
        )
    return Views(
        dict(zip(layout.names, (matrix for _, matrix in views.items()), strict=True)),
        observed=views.observed,
        feature_names={
            new: views.feature_names[old]
            for new, old in zip(layout.names, views.names, strict=True)
            if old in views.feature_names
        },
        sample_ids=views.sample_ids,
    )


def split_wide(matrix: Matrix, layout: Layout, sample_ids: Any = None) -> Views:
    """Cut a wide matrix into views by their widths."""
    columns = layout.slices()
    return Views(
        {name: matrix[:, columns[name]] for name in layout.names},
        feature_names=layout.feature_names,
        sample_ids=sample_ids,
    )


def _with_absent(views: Views, layout: Layout) -> Views:
    """Add the fitted views that are left out, unobserved."""
    nothing = np.zeros((len(views), 0))
    matrices = {name: views[name] if name in views.names else nothing for name in layout.names}
    seen = [name in views.names and views.observed_in(name) for name in layout.names]
    return Views(
        matrices,
        observed=np.column_stack([np.broadcast_to(own, len(views)) for own in seen]),
        feature_names=views.feature_names,
        sample_ids=views.sample_ids,
    )


def _widen_absent(views: Views, layout: Layout) -> Views:
    """Give a view that came as ``None`` the width it had in fit."""
    absent = {
        name
        for name, width in zip(layout.names, layout.widths, strict=True)
        if width and views[name].shape[1] == 0 and not views.observed_in(name).any()
    }
    if not absent:
        return views
    as_sparse = any(is_sparse(matrix) for name, matrix in views.items() if name not in absent)
    matrices = {
        name: _nothing(len(views), layout.width(name), as_sparse) if name in absent else matrix
        for name, matrix in views.items()
    }
    return Views(
        matrices,
        observed=views.observed,
        feature_names=views.feature_names,
        sample_ids=views.sample_ids,
    )


def _nothing(n_objects: int, width: int, as_sparse: bool) -> Matrix:
    """An unobserved view; beside sparse ones it is sparse, as it may be as wide as they are."""
    if as_sparse:
        return csr_array((n_objects, width))
    return np.full((n_objects, width), np.nan)


def check_columns(columns: Sequence[Any], layout: Layout) -> None:
    """Refuse a table as wide as all views whose columns do not stand in the order of ``fit``."""
    if len(columns) != layout.n_features or not all(isinstance(name, str) for name in columns):
        return
    for name, place in layout.slices().items():
        _check_features(name, np.array(columns[place], dtype=object), layout)


def _check_features(name: str, now: AnyArray | None, layout: Layout) -> None:
    then = layout.feature_names.get(name)
    if now is None or then is None or np.array_equal(now, then):
        return
    column = int(np.flatnonzero(np.asarray(now) != np.asarray(then))[0])
    raise ViewsError(
        f"The feature names should match those that were passed during fit: view {name!r} has "
        f"{now[column]!r} in column {column} where fit saw {then[column]!r}; reorder the columns."
    )


def _check_number(views: Views, min_views: int, max_views: int | None, method: str) -> None:
    n_views = views.n_views
    if n_views < min_views:
        raise NumberOfViewsError(
            f"{method} needs at least {min_views} views and got {n_views} "
            f"({', '.join(map(repr, views.names))}); give more views, or split one with "
            "manyviews.datasets.split_features."
        )
    if max_views is not None and n_views > max_views:
        raise NumberOfViewsError(
            f"{method} takes at most {max_views} views and got {n_views} "
            f"({', '.join(map(repr, views.names))}); choose some with views.subset([...])."
        )


def _check_observed(views: Views, accept_unobserved: bool, method: str) -> None:
    if views.observed.all():
        return
    unseen = np.flatnonzero(~views.observed.any(axis=1))
    if len(unseen):
        raise ViewsError(
            f"object {unseen[0]} is observed in no view ({len(unseen)} such in all); "
            "drop it with views[views.observed.any(axis=1)]."
        )
    if not accept_unobserved:
        row, column = np.argwhere(~views.observed)[0]
        raise UnobservedViewsError(
            f"view {views.names[column]!r} is unobserved for object {row} and {method} needs every "
            "view of every object; keep the complete ones with views.drop_unobserved()."
        )


def _check_finite(name: str, matrix: Matrix, views: Views, accept_nan: bool) -> None:
    values = matrix.data if is_sparse(matrix) else matrix
    largest = _largest_square_root(values.dtype)
    if not values.size or (values.min() >= -largest and values.max() <= largest):
        return  # without a mask; NaN is neither
    bad = np.isinf(values) if accept_nan else ~np.isfinite(values)
    rows = _rows_with(bad, matrix, views.observed_in(name))
    if len(rows):
        what = "infinity" if accept_nan else "NaN or infinity"
        raise ViewsError(
            f"Input X contains {what}: view {name!r}, row {rows[0]}; fill such cells first, or "
            "leave the whole row NaN if the view is unobserved there."
        )
    low, high = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    if low < -largest or high > largest:
        rows = _rows_with(np.abs(values) > largest, matrix, views.observed_in(name))
        raise ViewsError(
            f"view {name!r} holds a value beyond {largest:.0e} in row {rows[0]}, whose square is "
            f"too large to be summed in {values.dtype}; divide the view by its largest value."
        )


def refuse_vanishing(views: Views) -> None:
    """Refuse to learn from a view all of whose values are so small that their squares vanish."""
    for name, matrix in views.items():
        values = matrix.data if is_sparse(matrix) else matrix
        if not values.size:
            continue
        low, high = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
        smallest = _smallest_square_root(values.dtype)
        if 0 < max(-low, high) < smallest:
            raise ViewsError(
                f"view {name!r} holds no value beyond {smallest:.0e}, and squares of smaller ones "
                f"vanish in {values.dtype}; divide the view by its largest value."
            )


def _smallest_square_root(dtype: np.dtype[Any]) -> float:
    """Smallest value whose square has all its digits."""
    kind = np.finfo(dtype)
    return float(np.sqrt(kind.tiny / kind.eps))


def _largest_square_root(dtype: np.dtype[Any]) -> float:
    """Largest value whose square can be summed over 10^8 cells without overflow."""
    return float(np.sqrt(np.finfo(dtype).max)) / 1e4


def _rows_with(bad: BoolArray, matrix: Matrix, seen: BoolArray) -> IntArray:
    """Observed rows with a cell, or a stored value of a sparse view, that is marked."""
    if is_sparse(matrix):
        return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))[bad]
    return np.flatnonzero(bad.any(axis=1) & seen)


Form = Literal["named", "positions", "matrix"]


def form_of(X: ViewsLike) -> Form:
    """Tell views with names from views by position and from one plain matrix.

    Examples
    --------
    >>> form_of({"text": [[1.0]]}), form_of([[[1.0]], [[2.0]]]), form_of([[1.0, 2.0]])
    ('named', 'positions', 'matrix')
    """
    if is_sparse(X):  # before Mapping: a DOK matrix is a dict, too
        return "matrix"
    if isinstance(X, Views | Mapping) or convert.is_multimodal(X):
        return "named"
    if convert.is_frame(X) and convert.split_columns(X):
        return "named"
    if convert.list_of_views(X) is not None:
        return "positions"
    return "matrix"
