"""Views in one ``.npz`` file, never pickled, uncompressed, each part guarded by a checksum."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.data._dataset import Dataset
from manyviews.data._io import _keyed_npz
from manyviews.data._io._atomic import replaced_file
from manyviews.data._io._column import pack, unpack
from manyviews.data._io._csr import checked_csr
from manyviews.data._io._damage import DamageError, check_version, reading
from manyviews.data._io._size import check_size
from manyviews.data._views import Views
from manyviews.typing import AnyArray, Matrix, is_sparse

MARKER = "manyviews_format"
VERSION = 1
CSR_PARTS = ("data", "indices", "indptr", "shape")

Parts = dict[str, AnyArray]


def write_npz(dataset: Dataset, path: Path) -> None:
    """Write in our own layout, version 1.

    ``manyviews_format`` is the version and ``header`` (UTF-8 JSON) tells the names; the arrays are
    ``observed``, ``view0`` or ``view0_data``, …, ``features0``, ``sample_ids``, ``y``, ``extra0``.
    Arrays of objects are JSON, and their key ends in ``.json``.
    """
    parts = to_parts(dataset)
    with replaced_file(path) as temporary, zipfile.ZipFile(temporary, "x") as archive:
        for key, array in parts.items():
            info = zipfile.ZipInfo(f"{key}.npy")  # no clock: the same data make the same bytes
            with archive.open(info, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def read_npz(path: Path, max_bytes: int | None = None) -> Dataset:
    """Read our own layout, or the plain one of :mod:`manyviews.data._io._keyed_npz`."""
    with path.open("rb") as file, reading(path, ".npz file"), zipfile.ZipFile(file) as archive:
        check_size(path, sum(info.file_size for info in archive.infolist()), max_bytes)
        parts = _load(archive)
        if MARKER not in parts:
            return _keyed_npz.from_keys(parts, path.stem)
        check_version(_scalar(parts[MARKER]), VERSION)
        return from_parts(parts, path.stem)


def _load(archive: zipfile.ZipFile) -> Parts:
    parts = {}
    for info in archive.infolist():
        key = info.filename.removesuffix(".npy")
        if key in parts:
            raise DamageError(f"it has two parts {key!r}; give each another name.")
        with archive.open(info) as member:
            parts[key] = _load_array(member, key)
        if parts[key].size > info.file_size:  # of a type that has no bytes
            raise DamageError(f"the part {key!r} has more values than bytes; write the file again.")
    return parts


def _load_array(member: Any, key: str) -> AnyArray:
    try:
        array = np.lib.format.read_array(member, allow_pickle=False)
    except ValueError as error:
        if "allow_pickle" not in str(error):
            raise
        raise DamageError(
            f"the part {key!r} is pickled, which could run any code; save it as an array of "
            "numbers or text."
        ) from error
    if member.read(1):  # also makes zipfile compare the checksum
        raise DamageError(f"the part {key!r} is longer than it says; write the file again.")
    return array


def _scalar(array: AnyArray) -> object:
    return array.item() if array.ndim == 0 else array


# -- our layout ----------------------------------------------------------------------------------


def to_parts(dataset: Dataset) -> Parts:
    """All of a data set as arrays by key."""
    views = dataset.views
    header = {
        "name": dataset.name,
        "views": list(views.names),
        "label_names": list(dataset.label_names),
        "extra": list(dataset.extra),
    }
    parts: Parts = {MARKER: np.array(VERSION), "header": _as_bytes(json.dumps(header))}
    parts["observed"] = views.observed
    for position, (name, matrix) in enumerate(views.items()):
        _put_matrix(parts, f"view{position}", matrix)
        _put(parts, f"features{position}", views.feature_names.get(name))
    _put(parts, "sample_ids", views.sample_ids)
    _put(parts, "y", dataset.y)
    for position, values in enumerate(dataset.extra.values()):
        _put(parts, f"extra{position}", values)
    return parts


def _put(parts: Parts, key: str, array: AnyArray | None) -> None:
    if array is None:
        return
    if array.dtype.kind == "O":
        parts[f"{key}.json"] = _as_bytes(pack(array))
    else:
        parts[key] = array


def _put_matrix(parts: Parts, key: str, matrix: Matrix) -> None:
    if not is_sparse(matrix):
        parts[key] = matrix
        return
    stored = matrix.data, matrix.indices, matrix.indptr, np.array(matrix.shape, dtype=np.int64)
    parts.update({f"{key}_{part}": a for part, a in zip(CSR_PARTS, stored, strict=True)})


def _as_bytes(text: str) -> AnyArray:
    return np.frombuffer(text.encode(), dtype=np.uint8)


def from_parts(parts: Mapping[str, AnyArray], name: str) -> Dataset:
    """Read what :func:`to_parts` made."""
    header = json.loads(_need(parts, "header").tobytes())
    names: list[str] = header["views"]
    if len(set(names)) != len(names):
        raise DamageError("it names a view twice; write the file again.")
    features = {view: _get(parts, f"features{i}") for i, view in enumerate(names)}
    views = Views(
        {view: _get_matrix(parts, f"view{i}", view) for i, view in enumerate(names)},
        observed=_need(parts, "observed"),
        feature_names={view: found for view, found in features.items() if found is not None},
        sample_ids=_get(parts, "sample_ids"),
    )
    y = _get(parts, "y")
    extra = {key: _need_values(parts, f"extra{i}") for i, key in enumerate(header["extra"])}
    for what, values in {"y": y, **extra}.items():
        if values is not None and values.shape[:1] != (len(views),):
            raise DamageError(f"{what!r} has not one row for each of the {len(views)} objects.")
    return Dataset(views, y, tuple(header["label_names"]), extra, header["name"] or name)


def _need(parts: Mapping[str, AnyArray], key: str) -> AnyArray:
    if key not in parts:
        raise DamageError(f"the part {key!r} is missing; write the file again.")
    return parts[key]


def _need_values(parts: Mapping[str, AnyArray], key: str) -> AnyArray:
    values = _get(parts, key)
    return _need(parts, key) if values is None else values


def _get(parts: Mapping[str, AnyArray], key: str) -> AnyArray | None:
    packed = parts.get(f"{key}.json")
    return parts.get(key) if packed is None else unpack(packed.tobytes())


def _get_matrix(parts: Mapping[str, AnyArray], key: str, name: str) -> Matrix:
    if f"{key}_data" in parts:
        data, indices, indptr, shape = (_need(parts, f"{key}_{part}") for part in CSR_PARTS)
        return checked_csr(name, data, indices, indptr, shape)
    return _need(parts, key)
