"""Labels of any kind, read without mixing their types up, and numbered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from manyviews.typing import AnyArray, BoolArray, IntArray


def read_labels(labels: Any, what: str) -> AnyArray:
    """Read one label per object, keeping labels of different types apart (``1`` is not ``"1"``)."""
    if hasattr(labels, "to_numpy"):
        labels = labels.to_numpy()
    if hasattr(labels, "__array__"):
        values = np.asarray(labels)
    elif not isinstance(labels, Iterable):
        raise ValueError(f"{what} is {labels!r}; give a flat array with one label per object.")
    else:
        listed = list(labels)
        values = np.asarray(listed) if _one_kind(listed) else _as_objects(listed)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"{what} has shape {values.shape}; give a flat array with one label per object."
        )
    return values


def missing_labels(labels: AnyArray) -> BoolArray:
    """Where there is None or NaN instead of a label."""
    if labels.dtype.kind == "f":
        return np.isnan(labels)
    if labels.dtype.kind != "O":
        return np.zeros(len(labels), dtype=bool)
    return np.array([is_absent(label) for label in labels], dtype=bool)


def number_labels(labels: AnyArray) -> tuple[AnyArray, IntArray]:
    """Return the classes, sorted or else in order of appearance, and each label's place there."""
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:  # labels of several types have no order
        places: dict[Any, int] = {}
        codes = np.array([places.setdefault(v, len(places)) for v in labels], dtype=np.intp)
        classes = _as_objects(list(places))
    return classes, codes


def is_absent(label: Any) -> bool:
    """Whether a single label is None, NaN or pandas' NA or NaT."""
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(label, float) and label != label


def _one_kind(labels: list[Any]) -> bool:
    """Whether NumPy's own reading of a list keeps its labels as they are."""
    if any(label is None or isinstance(label, tuple) for label in labels):
        return False
    return len({isinstance(label, str) for label in labels}) <= 1


def _as_objects(labels: list[Any]) -> AnyArray:
    return np.fromiter(labels, dtype=object, count=len(labels))
