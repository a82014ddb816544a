"""Read a folder of views, written here or by hand, into one order of objects."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from manyviews.data.convert import spread_rows
from manyviews.data.io.atomic import replaced_folder
from manyviews.data.io.cells import (
    Column,
    column_of,
    dense_cells,
    dtype_called,
    dtype_name,
    file_stems,
    from_cells,
    guess_cells,
    guess_ids,
    object_keys,
    refuse_wide,
    to_cells,
    with_index_type,
)
from manyviews.data.io.safety import DamageError, check_size, check_version, reading
from manyviews.data.io.sheet import (
    Sheet,
    in_order,
    label_column,
    only_known,
    read_label_sheet,
    read_sheet,
    refuse_repeated,
)
from manyviews.data.io.tables import (
    ID,
    PANDAS_INDEX,
    Table,
    read_csv,
    read_parquet,
    read_rows,
    read_svmlight,
    write_csv,
    write_parquet,
    write_rows,
    write_svmlight,
)
from manyviews.data.views import Dataset, Views
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
        matrix, _ = dense_cells(matrix)
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


TOML = "views.toml"
LABELS = "labels.csv"
OBSERVED = "observed.csv"
MARKER = "manyviews_format"
VERSION = 1
"""Of the format: files of a higher one are refused."""

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".svmlight": "svmlight",
    ".svm": "svmlight",
    ".libsvm": "svmlight",
}

_TYPES: dict[str, tuple[type, ...]] = {
    "file": (str,),
    "format": (str,),
    "id": (str,),
    "separator": (str,),
    "sparse": (bool,),
    "dtype": (str,),
    "index_dtype": (str,),
    "n_features": (int,),
    "first_index": (int,),
    "feature_names": (bool, dict),
}


def read_config(folder: Path) -> dict[str, Any]:
    """Parse ``views.toml`` and refuse what is not understood."""
    path = folder / TOML
    if not path.is_file():
        raise FileNotFoundError(
            f"the folder {folder} has no {TOML}; write one that names the views."
        )
    with reading(path, "TOML file"):
        try:
            config = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise DamageError(f"it is not valid TOML: {error}; correct it there.") from error
        check_version(config.get(MARKER, VERSION), VERSION)
        views = config.get("views")
        if not isinstance(views, dict) or not views:
            raise DamageError(
                'it names no views; add tables such as [views.text] with file = "text.csv".'
            )
        for name, view in views.items():
            _check_view(name, view)
        _check_rest(config)
    return config


def _check_view(name: str, view: object) -> None:
    if not isinstance(view, dict) or "file" not in view:
        raise DamageError(f'the view {name!r} names no file; add file = "…" to it.')
    for key, value in view.items():
        if key not in _TYPES:
            raise DamageError(f"the view {name!r} has the unknown entry {key!r}; remove it.")
        if not isinstance(value, _TYPES[key]) or (isinstance(value, bool) and int in _TYPES[key]):
            raise DamageError(
                f"the view {name!r} has an entry {key!r} of the wrong type; correct it."
            )
    kind = format_of(view)
    if kind not in FORMATS.values():
        raise DamageError(
            f"the view {name!r} is in no format that is known here ({kind!r}); give "
            'format = "csv", "parquet" or "svmlight".'
        )
    if len(view.get("separator", ",")) != 1:
        raise DamageError(
            f"the view {name!r} has a separator that is not one character; correct it."
        )
    if view.get("n_features", 0) < 0 or view.get("first_index", 0) not in {0, 1}:
        raise DamageError(
            f"the view {name!r} has n_features or first_index out of range; correct it."
        )


def _check_rest(config: Mapping[str, Any]) -> None:
    for key in ("labels", "observed", "name"):
        if not isinstance(config.get(key, ""), str):
            raise DamageError(f"{key!r} is not a string; correct it.")
    names = config.get("label_names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DamageError("'label_names' is not a list of strings; correct it.")
    for key in ("y", "sample_ids", "extra"):
        if not isinstance(config.get(key, {}), dict):
            raise DamageError(f"{key!r} is not a table; correct it.")


def format_of(view: Mapping[str, Any]) -> str:
    """Format of a view's file: as stated, else by its suffix."""
    suffix = Path(view["file"]).suffix.lower()
    return str(view.get("format", FORMATS.get(suffix, suffix)))


def inside(folder: Path, file: str) -> Path:
    """Path of a file of the folder; outside of it nothing is read."""
    path = folder / file
    if "\0" in file or not path.resolve().is_relative_to(folder.resolve()):
        raise DamageError(
            f"{TOML} names the file {file!r}, which is outside of the folder; move it there."
        )
    if not path.is_file():
        raise DamageError(
            f"{TOML} names the file {file!r}, which is not there; add it, or take out its name."
        )
    return path


def files_of(config: Mapping[str, Any]) -> set[str]:
    """Names of all files that belong to a folder of views."""
    return {TOML, LABELS, OBSERVED, *_files_named(config)}


def _files_named(config: Mapping[str, Any]) -> Iterator[str]:
    for key in ("labels", "observed"):
        yield config.get(key, TOML)
    for view in config["views"].values():
        yield view["file"]
        names = view.get("feature_names")
        if isinstance(names, dict):
            yield str(names.get("file"))


ViewFormat = Literal["auto", "csv", "parquet", "svmlight"]


def write_folder(dataset: Dataset, path: Path, view_format: ViewFormat) -> None:
    """Write a folder; an existing one is replaced if all that it holds belongs to its views."""
    views = dataset.views
    keys, id_column = object_keys(views.sample_ids, len(views))
    config: dict[str, Any] = {MARKER: VERSION, "name": dataset.name, "labels": LABELS}
    config["label_names"] = list(dataset.label_names)
    with replaced_folder(path, _refuse_other_folder) as folder:
        _write_labels(folder, dataset, keys, id_column, config)
        if not views.observed.all():
            config["observed"] = OBSERVED
            _write_observed(folder, views, keys)
        stems = file_stems(f"view_{name}" if _is_taken(name) else name for name in views.names)
        config["views"] = {
            name: _write_view(folder, dataset, name, stem, keys, view_format)
            for name, stem in zip(views.names, stems, strict=True)
        }
        (folder / TOML).write_text(as_toml(config), encoding="utf-8", newline="\n")


def _refuse_other_folder(path: Path) -> None:
    if not path.exists():
        return
    if not path.is_dir():
        raise FileExistsError(f"{path} is a file; choose another name for the folder.")
    found = {entry.name for entry in path.iterdir()}
    if found and TOML not in found:
        raise FileExistsError(
            f"the folder {path} has no {TOML} and would be lost; choose another name, or remove it."
        )
    others = sorted(found - files_of(read_config(path))) if found else []
    if others:
        raise FileExistsError(
            f"the folder {path} holds {others[0]!r}, which is no part of its views and would be "
            "lost; move it elsewhere first."
        )


def _is_taken(name: str) -> bool:
    return f"{name}.csv".casefold() in {LABELS, OBSERVED}


def _write_labels(
    folder: Path, dataset: Dataset, keys: list[str], ids: Column | None, config: dict[str, Any]
) -> None:
    """One row per object: its key, its label, and whatever else is known of it."""
    header, columns = [ID], [keys]

    def add(name: str, values: AnyArray, column: Column) -> dict[str, str]:
        while name in header:
            name += "_"
        header.append(name)
        columns.append(to_cells(values, column))
        return {"column": name, "dtype": column.dtype, "encoding": column.encoding}

    if ids is not None:
        config["sample_ids"] = {"column": ID, "dtype": ids.dtype, "encoding": ids.encoding}
    elif dataset.views.sample_ids is not None:
        own = dataset.views.sample_ids
        config["sample_ids"] = add("sample_id", own, column_of(own))
    if dataset.y is not None:
        config["y"] = add("y", dataset.y, column_of(dataset.y))
    for name, array in dataset.extra.items():
        flat = array.reshape(len(array), int(np.prod(array.shape[1:])))
        column = column_of(array)
        several = array.ndim > 1
        added = [add(f"{name} {i}" if several else name, v, column) for i, v in enumerate(flat.T)]
        config.setdefault("extra", {})[name] = {
            "columns": [one["column"] for one in added],
            "shape": list(array.shape[1:]),
            "dtype": column.dtype,
            "encoding": column.encoding,
        }
    write_rows(folder / LABELS, header, zip(*columns, strict=True))


def _write_observed(folder: Path, views: Views, keys: list[str]) -> None:
    rows = ([key, *map(int, seen)] for key, seen in zip(keys, views.observed, strict=True))
    write_rows(folder / OBSERVED, [ID, *views.names], rows)


def _write_view(
    folder: Path, dataset: Dataset, name: str, stem: str, keys: list[str], view_format: ViewFormat
) -> dict[str, Any]:
    """Write the file of one view, and return what ``views.toml`` says of it."""
    matrix, features = dataset.views[name], dataset.views.feature_names.get(name)
    kind = view_format if view_format != "auto" else "svmlight" if is_sparse(matrix) else "csv"
    config = _view_entry(matrix, f"{stem}.{kind}", kind)
    in_header = kind != "svmlight" and features is not None and _fit_a_header(features)
    if not in_header:
        config["feature_names"] = _write_features(folder, f"{stem}.features.csv", features)
    file = folder / config["file"]
    if kind == "svmlight":
        write_svmlight(file, matrix, dataset.y)
        return config
    seen = np.flatnonzero(dataset.views.observed_in(name))
    rows = matrix if len(seen) == len(keys) else matrix[seen]
    names = list(features) if features is not None and in_header else _numbered(matrix.shape[1])
    write_table = write_csv if kind == "csv" else write_parquet
    write_table(file, rows, names, [keys[row] for row in seen])
    return config


def _view_entry(matrix: Matrix, file: str, kind: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"file": file, "format": kind, "sparse": is_sparse(matrix)}
    entry["dtype"] = dtype_name(matrix.dtype)
    if is_sparse(matrix):
        entry["index_dtype"] = dtype_name(matrix.indices.dtype)
    if kind == "svmlight":
        return entry | {"n_features": int(matrix.shape[1]), "first_index": 1}
    return entry | {"id": ID}


def _numbered(width: int) -> list[str]:
    return [f"x{i}" for i in range(width)]


def _fit_a_header(features: AnyArray) -> bool:
    return all(isinstance(f, str) and "\0" not in f for f in features) and len(
        {ID, *features}
    ) == 1 + len(features)


def _write_features(folder: Path, file: str, features: AnyArray | None) -> dict[str, str] | bool:
    if features is None:
        return False
    column = column_of(features)
    write_rows(folder / file, [ID, "feature"], enumerate(to_cells(features, column)))
    return {"file": file, "dtype": column.dtype, "encoding": column.encoding}


def as_toml(document: Mapping[str, Any]) -> str:
    r"""Write text, numbers, booleans, lists of them, and tables of tables.

    Examples
    --------
    >>> print(as_toml({"format": 1, "views": {"a b": {"file": "a\nb.csv"}}}), end="")
    format = 1
    <BLANKLINE>
    [views."a b"]
    file = "a\nb.csv"
    """
    lines = _toml_table(document, ())
    return "\n".join(lines).lstrip("\n") + "\n"


def _toml_table(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    values = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    lines = []
    if path and (values or not tables):
        lines += ["", f"[{'.'.join(map(_toml_key, path))}]"]
    lines += [f"{_toml_key(key)} = {_toml_value(value)}" for key, value in values.items()]
    for key, inner in tables.items():
        lines += _toml_table(inner, (*path, key))
    return lines


def _toml_key(key: str) -> str:
    bare = key.isascii() and key.replace("_", "a").replace("-", "a").isalnum()
    return key if bare else _toml_string(key)


def _toml_value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return _toml_string(value)
        case list() | tuple():
            return f"[{', '.join(map(_toml_value, value))}]"
    raise TypeError(f"{value!r} has no form in TOML here.")


def _toml_string(text: str) -> str:
    return f'"{"".join(map(_toml_character, text))}"'


def _toml_character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character == "\n":
        return "\\n"
    code = ord(character)
    return f"\\u{code:04X}" if code < 32 or code == 127 else character
