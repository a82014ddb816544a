"""Views as a folder that people can read: ``views.toml``, one file per view, ``labels.csv``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np

from manyviews.data._dataset import Dataset
from manyviews.data._io import _toml
from manyviews.data._io._atomic import replaced_folder
from manyviews.data._io._column import Column, column_of, dtype_name, object_keys, to_cells
from manyviews.data._io._csv import write_csv, write_rows
from manyviews.data._io._folder_config import (
    LABELS,
    MARKER,
    OBSERVED,
    TOML,
    VERSION,
    files_of,
    read_config,
)
from manyviews.data._io._names import file_stems
from manyviews.data._io._parquet import write_parquet
from manyviews.data._io._svmlight import write_svmlight
from manyviews.data._io._table import ID
from manyviews.data._views import Views
from manyviews.typing import AnyArray, Matrix, is_sparse

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
        (folder / TOML).write_text(_toml.dumps(config), encoding="utf-8", newline="\n")


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
    config = _entry(matrix, f"{stem}.{kind}", kind)
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


def _entry(matrix: Matrix, file: str, kind: str) -> dict[str, Any]:
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
