"""Labels as numbers, none of them missing, so that the scores work on integers only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from manyviews.maths import missing_labels, number_labels
from manyviews.typing import AnyArray, BoolArray, IntArray


def encode(labels: AnyArray, what: str) -> IntArray:
    """Number the labels 0, 1, …; a missing one (None or NaN) is refused."""
    missing = missing_labels(labels)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"{what} has no label in row {row}; leave such objects out.")
    return number_labels(labels)[1]


def encode_together(
    columns: Sequence[AnyArray], seen: Sequence[BoolArray], names: Sequence[str]
) -> list[IntArray]:
    """Number the labels of several views by one list of classes; -1 where a view is not seen."""
    for column, mask, name in zip(columns, seen, names, strict=True):
        unlabelled = np.flatnonzero(missing_labels(column) & mask)
        if len(unlabelled):
            raise ValueError(
                f"view {name!r} has no label in row {unlabelled[0]}; mark it in observed as not "
                "seen, or leave the object out."
            )
    present = [column[mask] for column, mask in zip(columns, seen, strict=True)]
    is_text = {column.dtype.kind in "US" for column in present}
    if len(is_text) > 1:  # NumPy would turn numbers into text when joining them
        present = [column.astype(object) for column in present]
    numbers = number_labels(np.concatenate(present))[1]
    parts = np.split(numbers, np.cumsum([len(column) for column in present])[:-1])
    codes: list[IntArray] = []
    for part, mask in zip(parts, seen, strict=True):
        code = np.full(len(mask), -1, dtype=np.intp)
        code[mask] = part
        codes.append(code)
    return codes
