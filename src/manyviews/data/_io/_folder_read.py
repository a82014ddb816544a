"""Read a folder of views, written here or by hand, into one order of objects."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.data._dataset import Dataset
from manyviews.data._io._column import (
    Column,
    dtype_called,
    from_cells,
    guess_cells,
    guess_ids,
    refuse_wide,
)
from manyviews.data._io._csr import to_cells, with_index_type
from manyviews.data._io._csv import PANDAS_INDEX, read_csv, read_rows
from manyviews.data._io._damage import DamageError, reading
from manyviews.data._io._folder_config import (
    LABELS,
    MARKER,
    OBSERVED,
    TOML,
    format_of,
    inside,
    read_config,
)
from manyviews.data._io._parquet import read_parquet
from manyviews.data._io._sheet import (
    Sheet,
    in_order,
    label_column,
    only_known,
    read_label_sheet,
    read_sheet,
    refuse_repeated,
)
from manyviews.data._io._size import check_size
from manyviews.data._io._svmlight import read_svmlight
from manyviews.data._io._table import ID, Table
from manyviews.data._spread import spread_rows
from manyviews.data._views import Views
from manyviews.typing import AnyArray, BoolArray, Matrix, is_sparse


def read_folder(folder: Path, max_bytes: int | None = None) -> Dataset:
    """Read the views, the labels and the mask of a folder with ``views.toml``."""
    config = read_config(folder)
    with reading(folder, "folder of views"):
        mask = _optional_file(folder, config, "observed", OBSERVED)
        tables = {n: _read_view(folder, view, max_bytes) for n, view in config["views"].items()}
        if MARKER not in config:
            tables = {name: table.with_plain_keys() for name, table in tables.items()}
        labels = _labels(_optional_file(folder, config, "labels", LABELS), tables, config)
        objects, n_objects = _roster(tables, labels)
        placed = {n: in_place(n, table, objects, n_objects) for n, table in tables.items()}
        observed = {name: seen for name, (_, seen) in placed.items()}
        stated = {} if mask is None else _stated_mask(read_sheet(mask), config, objects, n_objects)
        if MARKER in config:
            _refuse_lost_rows(observed, stated, objects)
        features = {n: _features(folder, config["views"][n], t) for n, t in tables.items()}
        views = Views(
            {n: _typed(m, config["views"][n]) for n, (m, _) in placed.items()},
            observed={n: seen & stated.get(n, True) for n, seen in observed.items()},
            feature_names={name: f for name, f in features.items() if f is not None},
            sample_ids=_ids(config, labels, objects),
        )
        y, extra = _columns(config, labels, objects, n_objects)
    name = config.get("name") or folder.resolve().name
    notes = tuple(_notes(config, tables))
    return Dataset(views, y, tuple(config.get("label_names", ())), extra, name, notes)


# -- files ---------------------------------------------------------------------------------------


def _optional_file(folder: Path, config: Mapping[str, Any], key: str, default: str) -> Path | None:
    if key not in config and not (folder / default).is_file():
        return None
    return inside(folder, config.get(key, default))


def _labels(
    path: Path | None, tables: Mapping[str, Table], config: Mapping[str, Any]
) -> Sheet | None:
    """Read the labels; by hand they may be of more objects than there are, in any order."""
    if path is None:
        return None
    if MARKER in config:
        return read_sheet(path)
    keyed = [table.keys for table in tables.values() if table.keys is not None]
    if not keyed:
        numbers = list(map(str, range(len(next(iter(tables.values()))))))
        sheet = read_label_sheet(path, numbers)
        by_number = sheet.keys is not None and set(sheet.keys) <= set(numbers)
        return _by_row_number(sheet, numbers) if by_number else sheet
    everyone = list(dict.fromkeys(key for keys in keyed for key in keys))
    sheet = read_label_sheet(path, everyone)
    return only_known(sheet, everyone, path) if len(keyed) == len(tables) else sheet


def _by_row_number(sheet: Sheet, numbers: Sequence[str]) -> Sheet:
    """Put labels of objects without ids into the order of their rows."""
    columns = {
        name: in_order(cells, sheet, numbers, len(numbers), "", LABELS)
        for name, cells in sheet.columns.items()
    }
    return Sheet(columns, None, None, len(numbers))


def _read_view(folder: Path, view: Mapping[str, Any], max_bytes: int | None) -> Table:
    path = inside(folder, view["file"])
    kind = format_of(view)
    with reading(path, f"{kind} file"):
        if kind == "svmlight":
            table = read_svmlight(path, view.get("n_features"), view.get("first_index"))
            if not view.get("sparse", True):  # a line of a few bytes may name any feature
                check_size(path, 8 * math.prod(table.matrix.shape), max_bytes)
        elif kind == "parquet":
            table = read_parquet(
                path,
                id_column=view.get("id"),
                is_sparse=view.get("sparse", False),
                max_bytes=max_bytes,
            )
        else:
            separator = view.get("separator", "\t" if path.suffix.lower() == ".tsv" else ",")
            table = read_csv(
                path,
                id_column=view.get("id"),
                separator=separator,
                is_sparse=view.get("sparse", False),
            )
        if table.keys is not None:
            refuse_repeated(table.keys)
    return table


def _features(folder: Path, view: Mapping[str, Any], table: Table) -> AnyArray | None:
    stated = view.get("feature_names", True)
    if isinstance(stated, bool):
        return np.array(table.names, dtype=object) if stated and table.names is not None else None
    path = inside(folder, str(stated.get("file")))
    with reading(path, "CSV file"):
        header, rows = read_rows(path)
        if len(header) != 2:
            raise DamageError("it has not the two columns of a list of features; write it again.")
        return from_cells([row[1] for row in rows], _column(stated))


def _notes(config: Mapping[str, Any], tables: Mapping[str, Table]) -> Iterator[str]:
    """Say of ids what nobody has stated."""
    for name, table in tables.items():
        expected = {None, "", ID, PANDAS_INDEX, config["views"][name].get("id")}
        if table.id_column not in expected:
            yield f"the ids of view {name!r} are taken from its column {table.id_column!r}"


# -- objects -------------------------------------------------------------------------------------


def _roster(tables: Mapping[str, Table], labels: Sheet | None) -> tuple[list[str] | None, int]:
    """All objects in order: those of the labels, then those that only views name.

    A file without ids has one row per object, in the same order.
    """
    everyone: dict[str, None] = {}
    for keys in (None if labels is None else labels.keys, *(t.keys for t in tables.values())):
        everyone.update(dict.fromkeys(keys or ()))
    named = (labels is not None and labels.keys is not None) or any(
        table.keys is not None for table in tables.values()
    )
    if named:
        return list(everyone), len(everyone)
    return None, len(next(iter(tables.values())))


def in_place(
    name: str, table: Table, objects: list[str] | None, n_objects: int
) -> tuple[Matrix, BoolArray]:
    """Rows of a view in the order of all objects, and which of them it has."""
    if table.keys is None or objects is None:
        if len(table) != n_objects:
            raise DamageError(
                f"the view {name!r} has {len(table)} rows and no ids where there are {n_objects} "
                "objects; give one row per object, or a column 'id' in every file."
            )
        return table.matrix, np.ones(n_objects, dtype=bool)
    if list(table.keys) == objects:
        return table.matrix, np.ones(n_objects, dtype=bool)
    row_of = {key: row for row, key in enumerate(objects)}
    places = np.array([row_of[key] for key in table.keys], dtype=np.intp)
    placed = spread_rows(table.matrix, places, n_objects)
    return placed, np.isin(np.arange(n_objects), places)


def _stated_mask(
    mask: Sheet, config: Mapping[str, Any], objects: list[str] | None, n_objects: int
) -> dict[str, BoolArray]:
    """What the mask file says of the views that it names."""
    stated = {}
    for name, cells in mask.columns.items():
        if name not in config["views"]:
            raise DamageError(f"{OBSERVED} names the view {name!r}, which is not there; remove it.")
        odd = [cell for cell in cells if cell not in {"0", "1"}]
        if odd:
            raise DamageError(f"{OBSERVED} has {odd[0]!r} for the view {name!r}; give 0 or 1.")
        ordered = in_order(cells, mask, objects, n_objects, "1", OBSERVED)
        stated[name] = np.array(ordered, dtype=np.str_) == "1"
    return stated


def _refuse_lost_rows(
    observed: Mapping[str, BoolArray], stated: Mapping[str, BoolArray], objects: list[str] | None
) -> None:
    """In a folder written here, a row that is not in a file was said to be unobserved."""
    for name, seen in observed.items():
        lost = np.flatnonzero(~seen & stated.get(name, np.ones(len(seen), dtype=bool)))
        if len(lost) and objects is not None:
            raise DamageError(
                f"the file of the view {name!r} has no row for the object {objects[lost[0]]!r}; "
                f"add the row, or say in {OBSERVED} that it is unobserved."
            )


# -- types ---------------------------------------------------------------------------------------


def _typed(matrix: Matrix, view: Mapping[str, Any]) -> Matrix:
    """Give a view the kind and types that it had before it was written."""
    if is_sparse(matrix) and not view.get("sparse", True):
        matrix, _ = to_cells(matrix)
    dtype = dtype_called(view.get("dtype", "float64"), "f")
    if is_sparse(matrix):
        index_type = dtype_called(view.get("index_dtype", "int32"), "i")
        return with_index_type(matrix, index_type).astype(dtype, copy=False)
    return matrix.astype(dtype, copy=False)


def _column(stated: Mapping[str, Any]) -> Column:
    encoding = stated.get("encoding", "plain")
    if encoding not in {"plain", "json"}:
        raise DamageError(f"the encoding {encoding!r} is neither 'plain' nor 'json'; correct it.")
    return Column(str(stated.get("dtype")), encoding)


def _values(cells: Sequence[str], stated: Mapping[str, Any]) -> AnyArray:
    return from_cells(cells, _column(stated)) if "dtype" in stated else guess_cells(cells)


def _ids(
    config: Mapping[str, Any], labels: Sheet | None, objects: list[str] | None
) -> AnyArray | None:
    if "sample_ids" not in config:
        by_hand = MARKER not in config
        return guess_ids(objects) if by_hand and objects is not None else None
    stated = config["sample_ids"]
    if labels is not None and stated.get("column") == labels.id_column and objects is not None:
        return _values(objects, stated)
    return _stated({} if labels is None else labels.columns, stated)


def _columns(
    config: Mapping[str, Any], labels: Sheet | None, objects: list[str] | None, n_objects: int
) -> tuple[AnyArray | None, dict[str, AnyArray]]:
    """Labels and other columns, as ``views.toml`` tells them, or as ``labels.csv`` has them."""
    if labels is None:
        if "y" in config or "extra" in config:
            raise DamageError(f"{TOML} tells of labels and there is no {LABELS}; add it.")
        return None, {}
    cells = {
        name: in_order(column, labels, objects, n_objects, "", LABELS)
        for name, column in labels.columns.items()
    }
    if MARKER in config:
        y = _stated(cells, config["y"]) if "y" in config else None
        return y, {n: _several(cells, e, n_objects) for n, e in config.get("extra", {}).items()}
    found = config.get("y", {}).get("column", label_column(labels))
    y = None if found is None else _stated(cells, {**config.get("y", {}), "column": found})
    return y, {name: guess_cells(c) for name, c in cells.items() if name != found}


def _stated(cells: Mapping[str, list[str]], stated: Mapping[str, Any]) -> AnyArray:
    name = stated.get("column")
    if not isinstance(name, str) or name not in cells:
        raise DamageError(f"{TOML} names the column {name!r}, which {LABELS} has not; correct it.")
    return _values(cells[name], stated)


def _several(cells: Mapping[str, list[str]], stated: Mapping[str, Any], n_objects: int) -> AnyArray:
    columns = stated["columns"]
    shape = (n_objects, *(int(length) for length in stated["shape"]))
    if len(columns) != int(np.prod(shape[1:])):
        raise DamageError(
            "an extra array has not as many columns as its shape needs; write it again."
        )
    dtype = dtype_called(stated["dtype"])
    refuse_wide(dtype, n_objects * len(columns))
    flat = np.empty((n_objects, len(columns)), dtype=dtype)
    for i, name in enumerate(columns):
        flat[:, i] = _stated(cells, {**stated, "column": name})
    return flat.reshape(shape)
