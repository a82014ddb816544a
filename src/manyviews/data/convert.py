"""From whatever a user has (dict, list, frames, MuData, arrays) to matrices and presence masks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data.rows import (
    as_ids,
    differing,
    is_missing,
    keys_of,
    kind_of_ids,
    refuse_alike,
    refuse_repeated,
    row_ids,
    shown,
)
from manyviews.exceptions import ViewsError
from manyviews.maths import missing_labels
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, Matrix, is_sparse

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
        return _gather({view: _columns(data, places) for view, places in groups}, prefixed=True)
    if isinstance(data, list | tuple) and not data:
        raise ViewsError("there are no views; give at least one.")
    if (listed := list_of_views(data)) is not None:
        return _gather({position_name(i): view for i, view in enumerate(listed)}, named=False)
    return _gather({position_name(0): data}, named=False)


def ids_of(data: Any) -> AnyArray | None:
    """Return the ids that objects have in any form of views but ``Views``, reading no data."""
    if is_multimodal(data):
        return as_ids(data.obs_names)
    if isinstance(data, Mapping) and not is_sparse(data):
        listed: list[Any] | None = list(data.values())
    else:
        listed = list_of_views(data)
    for view in [data] if listed is None else listed:
        ids = _ids_of_table(view)
        if ids is not None:
            return ids
    return None


def _ids_of_table(view: Any) -> AnyArray | None:
    if is_annotated(view):
        return as_ids(view.obs_names)
    return row_ids(view) if is_frame(view) else None


def as_plain_matrix(data: Any) -> Any:
    """Return one matrix for scikit-learn to read, with what it would not understand made plain.

    Cells that are masked become NaN, and times and words are refused in our own sentences.
    """
    name = position_name(0)
    if is_frame(data):
        data = frame_values(data, name)
    if np.ma.isMaskedArray(data) or getattr(data, "dtype", np.dtype(float)).kind in "mMUScV":
        return as_matrix(data, name)[0]
    return data


def named_once(data: Any) -> Any:
    """Return a table as it is, or without its names if two columns have the same one."""
    if is_frame(data) and len(set(data.columns)) < len(data.columns):
        return np.empty(data.shape)
    return data


def position_name(position: int) -> str:
    """Name of a view that was given by position only."""
    return f"view{position}"


def is_frame(data: Any) -> bool:
    """Whether the data are a table with named columns (duck-typed)."""
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def list_of_views(data: Any) -> list[Any] | None:
    """Return the views that a list, a tuple or a cell array of MATLAB's holds.

    None if it holds the rows of one matrix. A cell array comes from ``scipy.io.loadmat`` as an
    array of objects with one row or one column.
    """
    if isinstance(data, np.ndarray) and data.dtype == object and data.size == max(data.shape):
        listed = list(data.ravel())
    elif isinstance(data, list | tuple):
        listed = list(data)
    else:
        return None
    views = all(view is None or is_matrix_like(view) for view in listed)
    return listed if views and any(view is not None for view in listed) else None


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


def split_columns(frame: Any) -> list[tuple[str, list[int]]]:
    """Group the columns by view: two-level columns, or ``view__feature``; empty if neither.

    Columns are told by position, as two of them may have one name.
    """
    columns = list(frame.columns)
    n_levels = getattr(frame.columns, "nlevels", 1)
    if n_levels > 2:
        raise ViewsError(
            f"the columns have {n_levels} levels where views have two, view and feature; join the "
            "lower ones, or give the frame inside a dict to take it as one view."
        )
    if n_levels == 2:
        owners = [str(view) for view, _ in columns]
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
        owners = [column.split(SEPARATOR, 1)[0] for column in columns]
    groups: dict[str, list[int]] = {}
    for place, view in enumerate(owners):
        groups.setdefault(view, []).append(place)
    return list(groups.items())


def _columns(frame: Any, places: list[int]) -> Any:
    return frame.iloc[:, places] if hasattr(frame, "iloc") else frame[:, places]


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
    ids, features = _ids_of_table(view), None
    if is_annotated(view):
        features, view = view.var_names, view.X
    elif is_frame(view):
        features, view = _features(view, name, prefixed), frame_values(view, name)
    parts.matrices[name], seen = as_matrix(view, name)
    if seen is not None:
        parts.observed[name] = seen
    if features is not None:
        parts.feature_names[name] = np.asarray(features, dtype=object)
    if ids is not None:
        _set_ids(parts, ids, name)


def frame_values(frame: Any, name: str) -> Any:
    """Return the numbers in a table, as a matrix of their own type wherever there is one."""
    dtypes = list(getattr(frame, "dtypes", ()))
    for column, dtype in zip(frame.columns, dtypes, strict=False):
        where = f" in the column {column!r} ({dtype})"
        if _is_time(dtype):
            raise _holds_times(name, where)
        if str(dtype) == "category":
            raise _holds_no_numbers(name, where, in_frame=True)
    if hasattr(frame, "sparse") and dtypes and all(_has_zeros_left_out(d) for d in dtypes):
        return frame.sparse.to_coo()
    kinds = {getattr(dtype, "kind", "O") for dtype in dtypes}
    plain = all(isinstance(dtype, np.dtype) for dtype in dtypes)
    if kinds and kinds <= set("iufb") and not (plain and len(kinds) == 1):
        # what is missing in a nullable type, and booleans beside numbers, would make objects
        return frame.to_numpy(dtype=np.float64, na_value=np.nan)
    values = frame.to_numpy()
    if values.dtype.kind in "OUS":
        return _numbers(values, name, in_frame=True)
    return values


def _is_time(dtype: Any) -> bool:
    return getattr(dtype, "kind", "") in ("m", "M") or str(dtype).startswith("period[")


def _has_zeros_left_out(dtype: Any) -> bool:
    return hasattr(dtype, "fill_value") and bool(dtype.fill_value == 0)


def _features(frame: Any, name: str, prefixed: bool) -> list[str] | None:
    columns = list(frame.columns)
    if getattr(frame.columns, "nlevels", 1) == 2:
        return [str(feature) for _, feature in columns]
    if not all(isinstance(column, str) for column in columns):
        return None
    prefix = name + SEPARATOR
    return [column.removeprefix(prefix) for column in columns] if prefixed else columns


def _set_ids(parts: Parts, ids: AnyArray, name: str) -> None:
    """Keep the first ids that a view has; others in as many rows must be the same."""
    if parts.sample_ids is None:
        parts.sample_ids = ids
        return
    if len(ids) != len(parts.sample_ids) or ids is parts.sample_ids:
        return  # different lengths are told of with the names of both views
    rows = differing(ids, parts.sample_ids)
    if len(rows):
        raise ViewsError(
            f"view {name!r} has the object {shown(ids, rows[0])} in row {rows[0]} where another "
            f"view has {shown(parts.sample_ids, rows[0])}; join the tables by their index with "
            "Views.align, or by position after reset_index(drop=True) on each."
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
    matrix = matrix.astype(_float_type(matrix.dtype), copy=False)
    if matrix.indices.dtype != np.int32 and max(matrix.nnz, *matrix.shape) < 2**31:
        parts = sparse.safely_cast_index_arrays(matrix, np.int32)  # all that scikit-learn takes
        matrix = sparse.csr_array((matrix.data, *parts), shape=matrix.shape)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _as_dense(view: Any, name: str) -> FloatArray:
    try:
        if isinstance(view, list | tuple) and any(np.ma.isMaskedArray(row) for row in view):
            view = np.ma.stack(view)
        array = np.asarray(view)
    except ValueError as error:
        raise ViewsError(
            f"view {name!r} has rows of different lengths; give every object the same features."
        ) from error
    _refuse_complex(array.dtype, name)
    if array.dtype.names:
        raise ViewsError(
            f"view {name!r} is an array of records; give pandas.DataFrame(records) instead."
        )
    if array.dtype.kind in "mM":
        raise _holds_times(name, f" ({array.dtype})")
    if array.dtype.kind not in "iufb":
        array = _numbers(array, name)
    with np.errstate(over="ignore"):  # beyond double precision is infinity, said when it is used
        array = array.astype(_float_type(array.dtype), copy=False)
    if np.ma.is_masked(view):
        array = np.where(np.ma.getmaskarray(view), array.dtype.type(np.nan), array)
    if array.ndim != 2:
        raise _not_two_dimensional(array.shape, name)
    return array


def _float_type(dtype: np.dtype[Any]) -> type[np.floating[Any]]:
    """Single or double precision in the machine's own order of bytes, which kernels can take."""
    return np.float32 if dtype.kind == "f" and dtype.itemsize <= 4 else np.float64


def _numbers(array: AnyArray, name: str, *, in_frame: bool = False) -> FloatArray:
    """Read objects or text as numbers, NaN where there is none."""
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        filled = array
        if array.dtype.kind == "O":
            absent = missing_labels(array.ravel()).reshape(array.shape)
            filled = np.where(absent, np.nan, array)
    try:
        return filled.astype(np.float64)
    except OverflowError:  # integers of any length: said with the row when they are used
        return np.vectorize(_as_float, otypes=[np.float64])(filled)
    except (TypeError, ValueError) as error:
        place, cell = next(_odd_cells(filled))
        where = f", such as {cell!r} in row {place[0] if place else 0}"
        if isinstance(cell, date | time | timedelta):
            raise _holds_times(name, where) from error
        raise _holds_no_numbers(name, where, in_frame=in_frame) from error


def _as_float(cell: Any) -> float:
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def _odd_cells(array: AnyArray) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the cells that are no numbers, or else the first, with their places."""
    for place, cell in np.ndenumerate(array):
        try:
            float(cell)
        except (TypeError, ValueError):
            yield place, cell.item() if isinstance(cell, np.generic) else cell
    yield (0,), array


def _holds_no_numbers(name: str, where: str, *, in_frame: bool) -> ViewsError:
    lines = (
        ("import pandas as pd", "view = pd.get_dummies(view, dtype=float)")
        if in_frame
        else (
            "from sklearn.preprocessing import OneHotEncoder",
            "view = OneHotEncoder(handle_unknown='ignore').fit_transform(view)",
        )
    )
    return ViewsError(
        f"view {name!r} holds values that are not numbers{where}; encode them first with "
        f"`{lines[0]}` and `{lines[1]}`."
    )


def _holds_times(name: str, where: str) -> ViewsError:
    return ViewsError(
        f"view {name!r} holds times{where}, which are no numbers before they have a unit; give "
        "days, for example, by `(times - times.min()) / np.timedelta64(1, 'D')`."
    )


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
    remedy = (
        "use reshape(len(view), -1) to lay out what belongs to an object in one row."
        if len(shape) > 2
        else "use reshape(-1, 1) for a single feature."
    )
    return ViewsError(
        f"view {name!r} has shape {shape} but needs two dimensions, one row per object; {remedy}"
    )


def align(tables: Mapping[str, Any], ids: Iterable[Any] | None = None) -> Parts:
    """Bring tables with row names into one order; an object absent from a table is unobserved.

    With ``ids`` it is known which objects there are; else they are those of all tables, each of
    which has to share some with another.
    """
    if not isinstance(tables, Mapping):
        raise ViewsError("align needs names for the tables; give a dict of them.")
    parts, rows = Parts(), {}
    for name, table in tables.items():
        own = _ids_of_table(table)
        if own is None:
            raise ViewsError(
                f"view {name!r} has no row names to align by; give a DataFrame or AnnData."
            )
        alone = Parts()
        _read_view(name, table, alone, prefixed=False)
        parts.matrices[name] = alone.matrices[name]
        parts.observed.update(alone.observed)
        parts.feature_names.update(alone.feature_names)
        _refuse_unnamed(own, name)
        refuse_repeated(own, f"view {name!r}")
        rows[name] = own
    if ids is None:
        _refuse_strangers(rows)
        named = [dict.fromkeys(keys_of(own)) for own in rows.values()]
        refuse_alike(named)
        ids = (key for keys in named for key in keys)
    everyone = {key: place for place, key in enumerate(dict.fromkeys(ids))}
    for name, own in rows.items():
        places = np.array([everyone[key] for key in keys_of(own)], dtype=np.intp)
        seen = np.zeros(len(everyone), dtype=bool)
        seen[places] = parts.observed.get(name, True)
        parts.matrices[name] = spread_rows(parts.matrices[name], places, len(everyone))
        parts.observed[name] = seen
    parts.sample_ids = as_ids(list(everyone))
    return parts


def _refuse_unnamed(ids: AnyArray, name: str) -> None:
    missing = np.flatnonzero(is_missing(ids))
    if len(missing):
        raise ViewsError(
            f"view {name!r} has no id in row {missing[0]} ({shown(ids, missing[0])}); "
            "give every object an id, or leave the row out."
        )


def _refuse_strangers(rows: Mapping[str, AnyArray]) -> None:
    """Refuse a table none of whose objects is in another, as its ids must be of another kind."""
    named = {name: own for name, own in rows.items() if len(own)}
    counts: dict[Any, int] = {}
    for own in named.values():
        for key in keys_of(own):
            counts[key] = counts.get(key, 0) + 1
    for name, own in named.items():
        if len(named) < 2 or any(counts[key] > 1 for key in keys_of(own)):
            continue
        kinds = {other: kind_of_ids(ids) for other, ids in named.items()}
        other = next((n for n in named if kinds[n] != kinds[name]), "")
        if {kinds[name], kinds.get(other)} == {"integers", "strings"}:
            raise ViewsError(
                f"view {name!r} has {kinds[name]} for ids, such as {shown(own, 0)}, and view "
                f"{other!r} has {kinds[other]}, such as {shown(named[other], 0)}; make them one "
                "type, for example by table.index = table.index.astype(str)."
            )
        other = next(n for n in named if n != name)
        raise ViewsError(
            f"view {name!r} has no object in common with another view: its ids are like "
            f"{shown(own, 0)} and those of view {other!r} like {shown(named[other], 0)}; "
            "give every table the ids of the same objects."
        )


def sparse_fault(matrix: Any) -> str | None:
    """Say what is wrong with a sparse matrix of SciPy's, or None if nothing is.

    A wild index in it would be read and written at without a look, here or in SciPy. This looks
    once at every index, which is cheap beside whatever is done with them.

    Examples
    --------
    >>> from scipy import sparse
    >>> matrix = sparse.csr_array([[1.0, 0.0], [0.0, 2.0]])
    >>> matrix.indices[1] = 9
    >>> sparse_fault(matrix)
    'a CSR column index outside of its 2 columns'
    """
    if matrix.format == "csr":
        return csr_fault(matrix.data, matrix.indices, matrix.indptr, matrix.shape)
    if matrix.format == "csc":  # the CSR parts of its transpose
        return csr_fault(matrix.data, matrix.indices, matrix.indptr, matrix.shape[::-1])
    if matrix.format == "coo":
        for places, length in zip(matrix.coords, matrix.shape, strict=True):
            if len(places) != len(matrix.data) or not _all_below(places, length):
                return "coordinates that do not fit its shape"
    if matrix.format == "bsr":
        try:
            matrix.check_format(full_check=True)
        except ValueError:
            return "blocks that do not fit its shape"
    return None


def csr_fault(
    data: AnyArray, indices: AnyArray, indptr: AnyArray, shape: tuple[int, ...]
) -> str | None:
    """Say what is wrong with the parts of a CSR matrix, or None if nothing is."""
    n_rows, n_columns = shape
    if any(part.ndim != 1 for part in (data, indices, indptr)):
        return "CSR parts that are not vectors"
    if indices.dtype.kind not in "iu" or indptr.dtype.kind not in "iu":
        return "CSR indices that are no integers"
    ends_meet = len(indptr) == n_rows + 1 and indptr[0] == 0 and indptr[-1] <= len(indices)
    if not ends_meet or len(data) != len(indices) or (indptr[1:] < indptr[:-1]).any():
        return f"CSR row pointers that fit neither its {n_rows} rows nor its {len(data)} values"
    if not _all_below(indices[: int(indptr[-1])], n_columns):  # behind may be room to grow
        return f"a CSR column index outside of its {n_columns} columns"
    return None


def _all_below(indices: AnyArray, length: int) -> bool:
    return not len(indices) or 0 <= int(np.min(indices)) <= int(np.max(indices)) < length


def spread_rows(matrix: Matrix, places: IntArray, n_objects: int) -> Matrix:
    """Return a matrix of ``n_objects`` rows with the given ones at ``places``, in any order.

    The other rows are NaN in a dense matrix and empty in a sparse one, as ``Views`` has them.

    Examples
    --------
    >>> spread_rows(np.array([[1.0], [2.0]]), np.array([2, 0]), 3).ravel()
    array([ 2., nan,  1.])
    """
    shape = (n_objects, int(matrix.shape[1]))
    if is_sparse(matrix):
        counts = np.zeros(n_objects, dtype=matrix.indptr.dtype)
        counts[places] = np.diff(matrix.indptr)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(matrix.indptr.dtype)
        ordered = matrix[np.argsort(places)]
        return sparse.csr_array((ordered.data, ordered.indices, indptr), shape=shape)
    dtype = np.result_type(matrix.dtype, np.float32)
    spread = np.full(shape, np.nan, dtype=dtype)
    spread[places] = matrix
    return spread
