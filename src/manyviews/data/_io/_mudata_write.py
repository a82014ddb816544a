"""Views as a MuData file, in the form that users of muon expect."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.data._dataset import Dataset
from manyviews.data._io._atomic import replaced_file
from manyviews.data._io._column import Column, column_of, dtype_name, object_keys, pack, to_cells
from manyviews.data._io._mudata import FEATURES, SECTION, VERSION, loaded
from manyviews.data._io._names import group_keys
from manyviews.data._io._seal import seal
from manyviews.data._views import Views
from manyviews.typing import AnyArray, Matrix, is_sparse

BYTES_OF_NAME = 100
"""Of an object or feature, with its pointer and its place in the maps between modalities."""

SMALLEST = 1 << 20
"""Bytes of a file with nothing in it: two modalities without rows have a tenth of that."""


def write_h5mu(dataset: Dataset, path: Path) -> None:
    """Write one modality per view; an object that a view does not show is absent from it.

    Labels are the column ``y`` of ``obs``; ``uns["manyviews"]`` has the version, the list of all
    objects (those seen in no view too), the names of labels and the extra arrays.
    """
    with loaded() as mudata:
        container = _container(dataset, mudata)
        with replaced_file(path) as temporary:
            _refuse_full_disk(dataset.views, temporary)
            mudata.write_h5mu(temporary, container)
            seal(temporary)


def _refuse_full_disk(views: Views, path: Path) -> None:
    """Fail as other writers do where there is no room: HDF5 has no sentence then, or crashes."""
    names = len(views) * (len(views.names) + 1) + views.shape[1]
    numbers = sum(_bytes(matrix) for _, matrix in views.items())
    if shutil.disk_usage(path.parent).free < numbers + names * BYTES_OF_NAME + SMALLEST:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path.parent))


def _bytes(matrix: Matrix) -> int:
    parts = (matrix.data, matrix.indices, matrix.indptr) if is_sparse(matrix) else (matrix,)
    return sum(int(part.nbytes) for part in parts)


def _container(dataset: Dataset, mudata: Any) -> Any:
    views = dataset.views
    keys, id_column = object_keys(views.sample_ids, len(views))
    objects = np.array(keys, dtype=object)
    modalities = group_keys(views.names)
    variables = _variables(views, modalities)
    container = mudata.MuData(
        {
            key: _modality(views, name, objects, variables[name])
            for key, name in zip(modalities, views.names, strict=True)
        }
    )
    notes: dict[str, Any] = {
        "format": VERSION,
        "objects": objects,
        "unseen": ~views.observed.any(axis=1),
        "extra": {f"extra{i}": _stored(a) for i, a in enumerate(dataset.extra.values())},
        "header": json.dumps(_header(dataset, modalities, id_column)),
    }
    if id_column is None and views.sample_ids is not None:
        notes["sample_ids"] = _stored(views.sample_ids)
    if dataset.y is not None:
        row_of = {key: row for row, key in enumerate(keys)}
        rows = np.array([row_of[key] for key in container.obs_names], dtype=np.intp)
        container.obs["y"] = _label_column(dataset.y[rows], column_of(dataset.y))
        notes["unseen_y"] = _stored(dataset.y[notes["unseen"]])
    container.uns[SECTION] = notes
    return container


def _header(dataset: Dataset, modalities: list[str], ids: Column | None) -> dict[str, Any]:
    views = dataset.views
    header: dict[str, Any] = {
        "name": dataset.name,
        "label_names": list(dataset.label_names),
        "extra": list(dataset.extra),
        "sample_ids": None if ids is None else ids.dtype,
        "views": {
            key: {
                "name": name,
                "index_type": dtype_name(matrix.indices.dtype) if is_sparse(matrix) else None,
                "feature_names": name in views.feature_names,
            }
            for key, (name, matrix) in zip(modalities, views.items(), strict=True)
        },
    }
    if dataset.y is not None:
        column = column_of(dataset.y)
        header["y"] = {"dtype": column.dtype, "encoding": column.encoding}
    return header


def _modality(views: Views, name: str, objects: AnyArray, variables: Any) -> Any:
    import anndata
    import pandas as pd

    seen = views.observed_in(name)
    matrix = views[name] if seen.all() else views[name][np.flatnonzero(seen)]
    obs = pd.DataFrame(index=pd.Index(objects[seen], dtype=object))
    return anndata.AnnData(matrix, obs=obs, var=variables)


def _variables(views: Views, modalities: list[str]) -> dict[str, Any]:
    """Tables of features; where the row names are not the features, a column has those as JSON."""
    import pandas as pd

    tables = {}
    for name, rows in _row_names(views, modalities).items():
        tables[name] = pd.DataFrame(index=pd.Index(rows, dtype=object))
        features = views.feature_names.get(name)
        if features is not None and list(features) != rows:
            tables[name][FEATURES] = np.array([json.dumps(f) for f in features], dtype=object)
    return tables


def _row_names(views: Views, modalities: list[str]) -> dict[str, list[str]]:
    """Names of the features that are distinct over all views, as MuData wants them.

    They are the feature names as they stand; else with the modality in front, as muon does it;
    else numbers with the modality in front.
    """
    widths = dict(zip(views.names, views.layout.widths, strict=True))
    keys = dict(zip(views.names, modalities, strict=True))
    numbered = {name: [f"{keys[name]}:{i}" for i in range(widths[name])] for name in keys}
    plain = {name: list(map(str, f)) for name, f in views.feature_names.items()}
    prefixed = {name: [f"{keys[name]}:{f}" for f in names] for name, names in plain.items()}
    for named in (plain, prefixed):
        choice = {**numbered, **named}
        everything = [row for rows in choice.values() for row in rows]
        if len(set(everything)) == len(everything) and not any("\0" in row for row in everything):
            return choice
    return numbered


def _label_column(y: AnyArray, column: Column) -> Any:
    import pandas as pd

    if y.dtype.kind in "biuf":
        return y.astype(y.dtype.newbyteorder("="))  # all that pandas takes
    gaps = y.dtype.kind == "O" and column.encoding == "plain"
    return pd.Categorical([None if gaps and not cell else cell for cell in to_cells(y, column)])


def _stored(array: AnyArray) -> dict[str, Any]:
    """An array for ``uns``: HDF5 has no dates, and cuts text at NUL characters."""
    if array.dtype.kind in "UO":
        return {"json": pack(array), "dtype": dtype_name(array.dtype)}
    values = array.view(np.int64) if array.dtype.kind in "Mm" else array
    return {"values": values, "dtype": dtype_name(array.dtype)}
