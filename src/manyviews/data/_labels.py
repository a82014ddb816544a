"""Which objects carry a label: ``-1`` for integers, ``None`` or NaN for everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.typing import AnyArray, BoolArray, IntArray


@dataclass(frozen=True)
class Labels:
    """Labels as numbers, with the classes they stand for."""

    codes: IntArray
    """Position in ``classes``, or -1 for an unlabelled object."""
    classes: AnyArray

    @property
    def labelled(self) -> BoolArray:
        """Which objects carry a label."""
        return self.codes >= 0

    @property
    def counts(self) -> IntArray:
        """How many objects of each class are labelled."""
        return np.bincount(self.codes[self.labelled], minlength=len(self.classes))


def split_labelled(y: Any) -> Labels:
    """Tell labelled from unlabelled objects and number the classes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Integers with ``-1``, floats with NaN, or strings and other hashable objects with ``None``
        or NaN where an object is unlabelled. Booleans are always labels.

    Returns
    -------
    Labels
        The codes, and the classes in sorted order (in order of appearance if they cannot be
        sorted).

    Examples
    --------
    >>> split_labelled([2, -1, 5]).codes
    array([ 0, -1,  1])
    >>> split_labelled(["news", None, "sport"]).classes
    array(['news', 'sport'], dtype=object)
    """
    values = _as_vector(y)
    if values.dtype.kind == "b":
        labelled = np.ones(len(values), dtype=bool)
    elif values.dtype.kind in "iu":
        labelled = values != -1
    elif values.dtype.kind == "f":
        labelled = ~np.isnan(values)
    else:
        labelled = np.array([not _is_missing(label) for label in values], dtype=bool)
    codes = np.full(len(values), -1, dtype=np.intp)
    classes, codes[labelled] = _number(values[labelled])
    return Labels(codes, classes)


def _as_vector(y: Any) -> AnyArray:
    values = y.to_numpy() if hasattr(y, "to_numpy") else y
    if hasattr(values, "__array__"):
        values = np.asarray(values)
    if not isinstance(values, np.ndarray):
        values = list(values)
        array = np.asarray(values) if _is_plain(values) else np.empty(len(values), dtype=object)
        if array.dtype.kind == "O":
            array[:] = values
        values = array
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise ValueError(
            f"y should be a 1d array of labels, got an array of shape {values.shape} instead; "
            "give one label per object."
        )
    return values


def _is_plain(values: list[Any]) -> bool:
    """Whether NumPy's own reading of a list keeps its labels apart (no None, one kind only)."""
    kinds = {bool if isinstance(v, bool | np.bool_) else _kind(v) for v in values}
    return len(kinds) <= 1 and None not in kinds


def _kind(value: Any) -> type | None:
    if isinstance(value, int | float | np.integer | np.floating):
        return float
    return str if isinstance(value, str) else None


def _is_missing(label: Any) -> bool:
    return label is None or (isinstance(label, float) and np.isnan(label)) or _is_pandas_na(label)


def _is_pandas_na(label: Any) -> bool:
    return type(label).__name__ in {"NAType", "NaTType"}


def _number(labels: AnyArray) -> tuple[AnyArray, IntArray]:
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError:  # labels of several types have no order
        positions: dict[Any, int] = {}
        codes = np.array([positions.setdefault(v, len(positions)) for v in labels], dtype=np.intp)
        classes = np.empty(len(positions), dtype=object)
        classes[:] = list(positions)
    return classes, codes
