"""From whatever a user has (dict, list, frames, MuData, arrays) to matrices and presence masks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data._compressed import sparse_fault
from manyviews.data._spread import spread_rows
from manyviews.exceptions import ViewsError
from manyviews.typing import AnyArray, BoolArray, FloatArray, Matrix, is_sparse

SEPARATOR = "__"
"""Stands between view and feature in a flat column name: ``text__price``."""


@dataclass
class Parts:
    """What could be read off the input; a mask only where the input itself states one."""

    matrices: dict[str, Matrix] = field(default_factory=dict)
    observed: dict[str, BoolArray] = field(default_factory=dict)
    feature_names: dict[str, AnyArray] = field(default_factory=dict)
    sample_ids: AnyArray | None = None
    named: bool = True
    """Whether the names are the user's own, or only positions."""


def collect(data: Any) -> Parts:
    """Read any of the accepted forms into parts."""
    if is_multimodal(data):
        return align({name: data.mod[name] for name in data.mod}, data.obs_names)
    if isinstance(data, Mapping) and not is_sparse(data):  # a DOK matrix is a dict, too
        return _gather(dict(data))
    if is_frame(data) and (groups := split_columns(data)):
        return _gather({view: data[columns] for view, columns in groups}, prefixed=True)
    if isinstance(data, list | tuple) and not data:
        raise ViewsError("there are no views; give at least one.")
    if is_list_of_views(data):
        return _gather({position_name(i): view for i, view in enumerate(data)}, named=False)
    return _gather({position_name(0): data}, named=False)


def position_name(position: int) -> str:
    """Name of a view that was given by position only."""
    return f"view{position}"


def is_frame(data: Any) -> bool:
    """Whether the data are a table with named columns (duck-typed)."""
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def is_list_of_views(data: Any) -> bool:
    """Whether a list or tuple holds views rather than the rows of one matrix."""
    if not isinstance(data, list | tuple):
        return False
    return all(view is None or is_matrix_like(view) for view in data) and any(
        view is not None for view in data
    )


def is_matrix_like(view: Any) -> bool:
    """Whether something is two-dimensional: an array, a table, AnnData or a list of rows."""
    if hasattr(view, "ndim"):
        return bool(view.ndim == 2)
    if is_frame(view) or is_annotated(view):
        return True
    return isinstance(view, list | tuple) and any(
        isinstance(row, list | tuple | np.ndarray) for row in view
    )


def is_multimodal(data: Any) -> bool:
    """Whether the data are a MuData-like collection of tables."""
    return hasattr(data, "mod") and hasattr(data, "obs_names")


def is_annotated(view: Any) -> bool:
    """Whether a view is an AnnData-like table."""
    return all(hasattr(view, name) for name in ("X", "obs_names", "var_names"))


def split_columns(frame: Any) -> list[tuple[str, list[Any]]]:
    """Group the columns by view: two-level columns, or ``view__feature``; empty if neither."""
    columns = list(frame.columns)
    if getattr(frame.columns, "nlevels", 1) == 2:
        pairs = [(str(view), (view, feature)) for view, feature in columns]
    else:
        flat = [isinstance(column, str) and SEPARATOR in column for column in columns]
        if not any(flat):
            return []
        if not all(flat):
            odd = columns[flat.index(False)]
            raise ViewsError(
                f"the column {odd!r} names no view while others do ('view{SEPARATOR}feature'); "
                "rename it, or give the frame inside a dict to take it as one view."
            )
        pairs = [(column.split(SEPARATOR, 1)[0], column) for column in columns]
    groups: dict[str, list[Any]] = {}
    for view, column in pairs:
        groups.setdefault(view, []).append(column)
    return list(groups.items())


def _gather(views: dict[Any, Any], *, named: bool = True, prefixed: bool = False) -> Parts:
    """Read each view; those given as ``None`` are unobserved throughout and have no features."""
    if not views:
        raise ViewsError("there are no views; give at least one.")
    if all(view is None for view in views.values()):
        raise ViewsError("every view is None; give at least one with data.")
    parts = Parts(named=named)
    for name, view in views.items():
        if not isinstance(name, str):
            raise ViewsError(f"the view name {name!r} is not a string; rename it.")
        if SEPARATOR in name:
            raise ViewsError(
                f"the view name {name!r} contains '{SEPARATOR}', which separates views from "
                "features and parameters; rename it."
            )
        if view is not None:
            _read_view(name, view, parts, prefixed=prefixed)
        else:
            parts.matrices[name] = np.empty((0, 0))
    _fill_absent_views(views, parts)
    return parts


def _fill_absent_views(views: dict[str, Any], parts: Parts) -> None:
    n_objects = next(m.shape[0] for name, m in parts.matrices.items() if views[name] is not None)
    for name, view in views.items():
        if view is None:
            parts.matrices[name] = np.empty((n_objects, 0))
            parts.observed[name] = np.zeros(n_objects, dtype=bool)


def _read_view(name: str, view: Any, parts: Parts, *, prefixed: bool) -> None:
    ids, features = None, None
    if is_annotated(view):
        ids, features, view = view.obs_names, view.var_names, view.X
    elif is_frame(view):
        ids, features = getattr(view, "index", None), _features(view, name, prefixed)
        view = _frame_values(view)
    parts.matrices[name], seen = as_matrix(view, name)
    if seen is not None:
        parts.observed[name] = seen
    if features is not None:
        parts.feature_names[name] = np.asarray(features, dtype=object)
    if ids is not None and not _is_default_index(ids):
        _set_ids(parts, np.asarray(ids), name)


def _frame_values(frame: Any) -> Any:
    if hasattr(frame, "sparse") and all(_is_sparse_dtype(dtype) for dtype in frame.dtypes):
        return frame.sparse.to_coo()
    return frame.to_numpy()


def _is_sparse_dtype(dtype: Any) -> bool:
    return type(dtype).__name__ == "SparseDtype"


def _features(frame: Any, name: str, prefixed: bool) -> list[str] | None:
    columns = list(frame.columns)
    if getattr(frame.columns, "nlevels", 1) == 2:
        return [str(feature) for _, feature in columns]
    if not all(isinstance(column, str) for column in columns):
        return None
    prefix = name + SEPARATOR
    return [column.removeprefix(prefix) for column in columns] if prefixed else columns


def _is_default_index(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex"


def _set_ids(parts: Parts, ids: AnyArray, name: str) -> None:
    if parts.sample_ids is None:
        parts.sample_ids = ids
    elif len(ids) == len(parts.sample_ids) and (ids != parts.sample_ids).any():
        row = int(np.flatnonzero(ids != parts.sample_ids)[0])
        raise ViewsError(
            f"view {name!r} has the object {ids[row]!r} in row {row} where another view has "
            f"{parts.sample_ids[row]!r}; bring the rows into one order with Views.align."
        )


def as_matrix(view: Any, name: str) -> tuple[Matrix, BoolArray | None]:
    """Read one view as a float matrix, without a copy where the type already fits."""
    if is_sparse(view):
        return _as_csr(view, name), None
    if isinstance(view, list | tuple) and any(row is None for row in view):
        return _rows_with_gaps(view, name)
    return _as_dense(view, name), None


def _as_csr(view: Any, name: str) -> Any:
    if view.ndim != 2:
        raise _not_two_dimensional(view.shape, name)
    _refuse_complex(view.dtype, name)
    if (fault := sparse_fault(view)) is not None:
        raise ViewsError(f"view {name!r} has {fault}; build the matrix again.")
    matrix = sparse.csr_array(view)
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _as_dense(view: Any, name: str) -> FloatArray:
    try:
        array = np.asarray(view)
    except ValueError as error:
        raise ViewsError(
            f"view {name!r} has rows of different lengths; give every object the same features."
        ) from error
    _refuse_complex(array.dtype, name)
    if array.dtype.kind != "f":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ViewsError(
                f"view {name!r} holds values that are not numbers ({error}); encode them first."
            ) from error
    if array.ndim != 2:
        raise _not_two_dimensional(array.shape, name)
    return array


def _rows_with_gaps(rows: Sequence[Any], name: str) -> tuple[FloatArray, BoolArray]:
    seen = np.array([row is not None for row in rows], dtype=bool)
    given = [row for row in rows if row is not None]
    if not given:
        raise ViewsError(f"view {name!r} has no observed row; leave the view out, or give None.")
    values = _as_dense(given, name)
    matrix = np.full((len(rows), values.shape[1]), np.nan)
    matrix[seen] = values
    return matrix, seen


def _refuse_complex(dtype: Any, name: str) -> None:
    if dtype.kind == "c":
        raise ViewsError(
            f"Complex data not supported: view {name!r} has complex values; "
            "give real and imaginary parts as features."
        )


def _not_two_dimensional(shape: tuple[int, ...], name: str) -> ViewsError:
    return ViewsError(
        f"view {name!r} has shape {shape} but needs two dimensions, one row per object; "
        "use reshape(-1, 1) for a single feature."
    )


def align(tables: Mapping[str, Any], ids: Iterable[Any] | None = None) -> Parts:
    """Bring tables with row names into one order; an object absent from a table is unobserved."""
    parts, rows = Parts(), {}
    for name, table in tables.items():
        if not (is_annotated(table) or is_frame(table)):
            raise ViewsError(
                f"view {name!r} has no row names to align by; give a DataFrame or AnnData."
            )
        alone = Parts()
        _read_view(name, table, alone, prefixed=False)
        parts.matrices[name] = alone.matrices[name]
        parts.feature_names.update(alone.feature_names)
        rows[name] = np.asarray(table.obs_names if is_annotated(table) else table.index)
        _refuse_repeated(rows[name], name)
    everyone = dict.fromkeys(ids if ids is not None else (i for row in rows.values() for i in row))
    position = {identity: row for row, identity in enumerate(everyone)}
    for name, own in rows.items():
        places = np.array([position[identity] for identity in own], dtype=np.intp)
        parts.matrices[name] = spread_rows(parts.matrices[name], places, len(everyone))
        parts.observed[name] = np.isin(np.arange(len(everyone)), places)
    parts.sample_ids = np.asarray(list(everyone))
    return parts


def _refuse_repeated(ids: AnyArray, name: str) -> None:
    values, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise ViewsError(
            f"view {name!r} names the object {values[counts > 1][0]!r} more than once; "
            "keep one row for each object."
        )
