"""Views in one ``.npz`` file, never pickled, uncompressed, each part guarded by a checksum."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.data.io.atomic import replaced_file
from manyviews.data.io.cells import checked_csr, pack, unpack
from manyviews.data.io.safety import DamageError, check_size, check_version, reading
from manyviews.data.views import Dataset, Views
from manyviews.typing import AnyArray, Matrix, is_sparse

MARKER = "manyviews_format"
VERSION = 1
"""Of the format: files of a higher one are refused."""
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
    """Read our own layout, or the plain one of :func:`from_keys`."""
    with path.open("rb") as file, reading(path, ".npz file"), zipfile.ZipFile(file) as archive:
        check_size(path, sum(info.file_size for info in archive.infolist()), max_bytes)
        parts = _load(archive)
        if MARKER not in parts:
            return from_keys(parts, path.stem)
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


_CSR = ("_data", "_indices", "_indptr", "_shape")


def from_keys(parts: Parts, name: str) -> Dataset:
    """Read views from arrays by key; arrays with one row per object that are left go to ``extra``.

    ``view_<v>`` is a dense view (more than two dimensions are flattened), ``view_<v>_data``,
    ``_indices``, ``_indptr`` and ``_shape`` a CSR view, ``present_<v>`` says where it is observed,
    and ``feature_names_<v>`` (or ``<v>_names``, ``<v>_columns``) names its features. Without any,
    ``X`` is the one view, or ``kernels`` is a stack of them. Labels are ``y`` with
    ``label_names``; or, if there is no ``y``, the first integers ``<k>`` with ``<k>_names``.
    ``ids`` names the objects.
    """
    rest = dict(parts)
    matrices = _take_views(rest)
    n_objects = next(iter(matrices.values())).shape[0]
    features = _take_features(rest, matrices)
    present = {v: rest.pop(f"present_{v}") for v in matrices if f"present_{v}" in rest}
    views = Views(
        matrices,
        observed=present,
        feature_names=features,
        sample_ids=rest.pop("ids", None),
    )
    y, label_names = _take_labels(rest, n_objects)
    extra = {key: array for key, array in rest.items() if array.shape[:1] == (n_objects,)}
    return Dataset(views, y, label_names, extra, name)


def _take_views(rest: Parts) -> dict[str, Matrix]:
    names = dict.fromkeys(_view_of(key, rest) for key in rest if key.startswith("view_"))
    if names:
        return {name: _take_matrix(rest, name) for name in names}
    if "X" in rest:
        return {"X": rest.pop("X")}
    if "kernels" in rest:
        return _kernels(rest.pop("kernels"))
    raise DamageError(
        "it holds no views under the keys 'view_<name>', 'X' or 'kernels'; "
        "rename its arrays, or write it with manyviews.write."
    )


def _view_of(key: str, parts: Mapping[str, Any]) -> str:
    """Name of the view that a key belongs to; ``view_shape`` alone is a view called shape."""
    for part in _CSR:
        stem = key.removesuffix(part)
        if stem != key and all(f"{stem}{other}" in parts for other in _CSR):
            return stem.removeprefix("view_")
    return key.removeprefix("view_")


def _take_matrix(rest: Parts, name: str) -> Matrix:
    key = f"view_{name}"
    if key not in rest:
        return checked_csr(name, *(rest.pop(f"{key}{part}") for part in _CSR))
    array = rest.pop(key)
    if array.ndim == 0:
        raise DamageError(f"view {name!r} is a single number; give it one row per object.")
    width = int(np.prod(array.shape[1:]))  # not -1, which cannot tell the width of no rows
    return array.reshape(len(array), width)


def _kernels(stack: AnyArray) -> dict[str, Matrix]:
    if stack.ndim != 3 or stack.shape[1] != stack.shape[2] or not len(stack):
        raise DamageError(
            f"'kernels' has the shape {stack.shape}; give a stack of square matrices."
        )
    return {f"kernel{i}": kernel for i, kernel in enumerate(stack)}


def _take_features(rest: Parts, matrices: Mapping[str, Matrix]) -> Parts:
    features = {}
    for name, matrix in matrices.items():
        keys = [f"feature_names_{name}", f"{name}_names", f"{name}_columns"]
        if name == "X":
            keys.insert(0, "feature_names")
        for key in keys:
            if key in rest and rest[key].shape == (matrix.shape[1],):
                features[name] = rest.pop(key)
                break
    return features


def _take_labels(rest: Parts, n_objects: int) -> tuple[AnyArray | None, tuple[str, ...]]:
    if "y" in rest:
        y = rest.pop("y")
        if y.shape != (n_objects,):
            raise DamageError(
                f"'y' has the shape {y.shape} for {n_objects} objects; give one label each."
            )
        return y, _names(rest.pop("label_names", None))
    for key, array in rest.items():
        if array.shape == (n_objects,) and array.dtype.kind in "iu" and f"{key}_names" in rest:
            names = _names(rest.pop(f"{key}_names"))
            return rest.pop(key), names
    return None, ()


def _names(names: AnyArray | None) -> tuple[str, ...]:
    return () if names is None else tuple(map(str, names.ravel().tolist()))
