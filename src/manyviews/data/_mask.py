"""Which object is seen in which view, as a user states it: a table, or columns by view name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyviews.exceptions import UnknownViewError, ViewsError
from manyviews.typing import BoolArray


def read_mask(observed: Any, names: Sequence[str], n_objects: int) -> dict[str, BoolArray]:
    """Return the columns that are stated, by view name; a dict may leave some out.

    Examples
    --------
    >>> read_mask([[True, False], [True, True]], ["text", "links"], 2)["links"]
    array([False,  True])
    """
    if hasattr(observed, "columns") and set(observed.columns) & set(names):
        observed = {name: observed[name] for name in observed.columns}
    if not isinstance(observed, Mapping):
        table = np.asarray(observed)
        if table.shape != (n_objects, len(names)):
            raise ViewsError(
                f"observed has shape {table.shape} but there are {n_objects} objects and "
                f"{len(names)} views; give one row per object and one column per view."
            )
        observed = dict(zip(names, table.T, strict=True))
    return {name: _column(name, column, names, n_objects) for name, column in observed.items()}


def _column(name: str, column: Any, names: Sequence[str], n_objects: int) -> BoolArray:
    if name not in names:
        raise UnknownViewError(
            f"observed names the view {name!r}, which is not among the views {list(names)}; "
            "rename or remove it."
        )
    mask = np.asarray(column)
    if mask.dtype.kind != "b" or mask.shape != (n_objects,):
        raise ViewsError(
            f"observed for view {name!r} should be {n_objects} booleans, "
            f"not {mask.dtype} of shape {mask.shape}."
        )
    return mask
