"""The plain ``.npz`` layout, where the keys themselves name the views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from manyviews.data._dataset import Dataset
from manyviews.data._io._csr import checked_csr
from manyviews.data._io._damage import DamageError
from manyviews.data._views import Views
from manyviews.typing import AnyArray, Matrix

_CSR = ("_data", "_indices", "_indptr", "_shape")

Parts = dict[str, AnyArray]


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
