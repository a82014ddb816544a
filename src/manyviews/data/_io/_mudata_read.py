"""MuData files as views: those written here exactly as they were, those of others as they are."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.data import _convert
from manyviews.data._dataset import Dataset
from manyviews.data._io._column import Column, dtype_called, from_cells, refuse_wide, unpack
from manyviews.data._io._csr import with_index_type
from manyviews.data._io._damage import DamageError, check_version, reading
from manyviews.data._io._hdf5 import check_hdf5
from manyviews.data._io._mudata import FEATURES, LABEL_COLUMNS, SECTION, VERSION, loaded
from manyviews.data._io._seal import check_seal
from manyviews.data._io._table import Table
from manyviews.data._rows import nearest
from manyviews.data._views import Views
from manyviews.maths import read_labels
from manyviews.typing import AnyArray, Matrix, is_sparse


def read_h5mu(path: Path, max_bytes: int | None = None, wanted: str | None = None) -> Dataset:
    """Read a file of ours, or any MuData whose modalities share their objects.

    In a file of others the labels are the column ``y`` or ``label`` of ``obs``, if there is one.
    A column of ``obs`` that is wanted, or one of a modality (``rna:cell_type``), becomes ``extra``.
    """
    with loaded() as mudata, reading(path, ".h5mu file"):
        check_seal(path)
        check_hdf5(path, max_bytes)
        container = mudata.read_h5mu(path)
        _check_container(container)
        notes = container.uns.get(SECTION)
        if notes is None:
            dataset = _foreign(container, path.stem)
        else:
            check_version(_plain(notes.get("format")), VERSION)
            dataset = _own(container, notes, path.stem)
        if wanted is None or wanted == "y" or wanted in dataset.extra:
            return dataset
        column = _obs_column(container, wanted)
        if column is None:
            return dataset
        ids = dataset.views.sample_ids
        objects = range(len(dataset.views)) if ids is None else ids
        found = _foreign_labels(column.reindex([str(key) for key in objects]))
        return replace(dataset, extra={**dataset.extra, wanted: found})


def _obs_column(container: Any, name: str) -> Any:
    """Column of that name in ``obs``, or else in the ``obs`` of the one modality that has it."""
    if name in container.obs:
        return container.obs[name]
    modality, _, own = name.partition(":")
    if modality in container.mod and own in container.mod[modality].obs:
        return container.mod[modality].obs[own]
    holders = [key for key in container.mod if name in container.mod[key].obs]
    if len(holders) > 1:
        raise DamageError(
            f"several modalities have a column {name!r} in obs; name one, as in "
            f"{holders[0]}:{name}."
        )
    return container.mod[holders[0]].obs[name] if holders else None


def read_h5ad(
    path: Path, *, layer: str | None, aside: Collection[str], max_bytes: int | None
) -> Table:
    """Read one view from an AnnData file: its X, or the layer that is named or the only one."""
    with loaded():
        import anndata

        check_hdf5(path, max_bytes)
        container = anndata.read_h5ad(path)
    if layer is None and container.X is None and len(container.layers) == 1:
        layer = next(iter(container.layers))
    if layer is None and container.X is None:
        raise DamageError(
            f"it has no matrix X; name a layer as in {path.name}:counts, of which "
            f"{nearest('counts', container.layers)}"
        )
    if layer is not None and layer not in container.layers:
        raise DamageError(f"it has no layer {layer!r}; {nearest(layer, container.layers)}")
    values, _ = _convert.as_matrix(container.X if layer is None else container.layers[layer], "X")
    others = {name: _as_cells(container.obs[name]) for name in aside if name in container.obs}
    names = [str(name) for name in container.var_names]
    return Table(values, names, [str(key) for key in container.obs_names], None, others)


def _as_cells(column: Any) -> list[str]:
    gaps, values = column.isna(), column.tolist()
    return ["" if gap else str(value) for gap, value in zip(gaps, values, strict=True)]


def _check_container(container: Any) -> None:
    if container.axis != 0:
        raise DamageError(
            "its modalities share features and not objects (axis 1), so they are no views; "
            "join them into one modality first."
        )
    if not len(container.mod):
        raise DamageError("it has no modality, thus no view; write it with at least one.")
    for name in container.mod:
        if container.mod[name].X is None:
            raise DamageError(
                f"the modality {name!r} has no matrix X; fill X or remove the modality."
            )


def _foreign(container: Any, name: str) -> Dataset:
    views = Views(container)
    found = [column for column in LABEL_COLUMNS if column in container.obs]
    y = _foreign_labels(container.obs[found[0]]) if found else None
    return Dataset(views, y, name=name)


def _foreign_labels(column: Any) -> AnyArray:
    """Values of a column as labels: gaps are -1 among integers, NaN among floats, else None."""
    from pandas.api import types

    if types.is_integer_dtype(column.dtype):
        return column.fillna(-1).to_numpy(dtype=np.int64)
    if types.is_float_dtype(column.dtype):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    gaps = column.isna().to_numpy()
    listed = column.astype(object).to_numpy().tolist()
    return read_labels([None if gap else v for gap, v in zip(gaps, listed, strict=True)], "y")


def _own(container: Any, notes: Mapping[str, Any], name: str) -> Dataset:
    header = json.loads(notes["header"])
    everyone = [str(key) for key in notes["objects"]]
    unseen = np.asarray(notes["unseen"], dtype=bool)
    present = set(container.obs_names)
    if len(unseen) != len(everyone) or not present <= set(everyone):
        raise DamageError(
            "it has objects that it had not when manyviews wrote it; remove uns['manyviews'] to "
            "have it read like any other MuData."
        )
    kept = np.array([key in present for key in everyone], dtype=bool) | unseen
    objects = [key for key, keep in zip(everyone, kept, strict=True) if keep]
    y = _own_labels(container, notes, header, objects) if "y" in container.obs else None
    extra = {
        key: _restored(notes["extra"][f"extra{i}"])[kept] for i, key in enumerate(header["extra"])
    }
    ids = _own_ids(notes, header, objects, kept)
    views = _own_views(container, header["views"], objects, ids)
    return Dataset(views, y, tuple(header["label_names"]), extra, header["name"] or name)


def _own_ids(
    notes: Mapping[str, Any], header: Mapping[str, Any], objects: list[str], kept: AnyArray
) -> AnyArray | None:
    if header["sample_ids"] is not None:
        return from_cells(objects, Column(header["sample_ids"]))
    return _restored(notes["sample_ids"])[kept] if "sample_ids" in notes else None


def _own_views(
    container: Any, header: Mapping[str, Any], objects: list[str], ids: AnyArray | None
) -> Views:
    parts = _convert.align({key: container.mod[key] for key in container.mod}, objects)
    names = {key: header[key]["name"] if key in header else key for key in container.mod}
    features = {
        names[key]: found
        for key in container.mod
        if (found := _own_features(container.mod[key], header.get(key))) is not None
    }
    return Views(
        {names[key]: _retyped(m, header.get(key)) for key, m in parts.matrices.items()},
        observed={names[key]: seen for key, seen in parts.observed.items()},
        feature_names=features,
        sample_ids=ids,
    )


def _retyped(matrix: Matrix, header: Mapping[str, Any] | None) -> Matrix:
    if header is None or header["index_type"] is None or not is_sparse(matrix):
        return matrix
    return with_index_type(matrix, dtype_called(header["index_type"], "i"))


def _own_features(modality: Any, header: Mapping[str, Any] | None) -> Sequence[Any] | None:
    if header is not None and not header["feature_names"]:
        return None
    if header is not None and FEATURES in modality.var:
        return [json.loads(feature) for feature in modality.var[FEATURES]]
    return list(modality.var_names)


def _own_labels(
    container: Any, notes: Mapping[str, Any], header: Mapping[str, Any], objects: list[str]
) -> AnyArray:
    column = Column(**header["y"]) if "y" in header else None
    stored = container.obs["y"]
    if column is None:  # added by others since
        return _foreign_labels(stored.reindex(objects))
    seen, hidden = _seen_labels(stored, column), _restored(notes["unseen_y"])
    order = {key: row for row, key in enumerate(container.obs_names)}
    unseen = (k for k, hide in zip(notes["objects"], notes["unseen"], strict=True) if hide)
    order.update({str(key): len(seen) + row for row, key in enumerate(unseen)})
    rows = np.array([order[key] for key in objects], dtype=np.intp)
    return _as_type(np.concatenate([seen, hidden])[rows], dtype_called(column.dtype))


def _seen_labels(stored: Any, column: Column) -> AnyArray:
    dtype = dtype_called(column.dtype)
    if dtype.kind not in "biuf":
        gaps = stored.isna()
        return from_cells(
            ["" if gap else str(cell) for gap, cell in zip(gaps, stored, strict=True)], column
        )
    if dtype.kind == "f":  # MuData turns floats without a fraction into integers
        return stored.to_numpy(dtype=np.float64, na_value=np.nan).astype(dtype)
    values = stored.to_numpy()
    if values.dtype.kind not in "biu":
        raise DamageError(
            f"its labels are of type {values.dtype} and were written as {dtype}; remove "
            "uns['manyviews'] to have it read like any other MuData."
        )
    return values.astype(dtype)


def _restored(stored: Mapping[str, Any]) -> AnyArray:
    dtype = dtype_called(_plain(stored["dtype"]))
    if "json" in stored:
        return _as_type(unpack(str(stored["json"])), dtype)
    return np.asarray(stored["values"]).view(dtype)


def _as_type(values: AnyArray, dtype: np.dtype[Any]) -> AnyArray:
    refuse_wide(dtype, values.size)
    return values.astype(dtype)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
