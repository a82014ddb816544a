"""What goes into a file, checked before anything is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyviews.data._dataset import Dataset
from manyviews.data._io._column import storable
from manyviews.data._rows import in_row_order
from manyviews.data._views import Views
from manyviews.exceptions import ViewsError
from manyviews.maths import read_labels
from manyviews.typing import AnyArray


def gather(
    views: Any, y: Any, label_names: Sequence[str], extra: Mapping[str, Any] | None
) -> Dataset:
    """Bring the arguments of ``write`` into one checked data set; what is given beside it wins."""
    given = views if isinstance(views, Dataset) else Dataset(Views(views))
    content = _storable_views(given.views)
    y = given.y if y is None else y
    if y is not None:
        y = in_row_order(y, content.sample_ids)
        y = _one_per_object(read_labels(y, "y"), len(content), "y")
    columns = given.extra if extra is None else extra
    return Dataset(
        content,
        y,
        tuple(_text(name, "label_names") for name in (label_names or given.label_names)),
        {
            _text(name, "extra"): _one_per_object(
                _as_array(in_row_order(values, content.sample_ids, f"extra {name!r}")),
                len(content),
                f"extra {name!r}",
            )
            for name, values in columns.items()
        },
        given.name,
    )


def _storable_views(views: Views) -> Views:
    for name, matrix in views.items():
        if matrix.dtype.itemsize > 8:
            raise ViewsError(
                f"view {name!r} has the type {matrix.dtype}, which differs between machines; "
                "turn it into float64."
            )
    ids = views.sample_ids
    return Views(
        views,
        feature_names={
            name: storable(names, f"feature_names of view {name!r}")
            for name, names in views.feature_names.items()
        },
        sample_ids=None if ids is None else storable(ids, "sample_ids"),
    )


def _text(name: Any, where: str) -> str:
    if not isinstance(name, str):
        raise ViewsError(f"{where} holds the name {name!r}, which is not a string; rename it.")
    return str(name)


def _as_array(values: Any) -> AnyArray:
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)


def _one_per_object(values: AnyArray, n_objects: int, what: str) -> AnyArray:
    if values.ndim == 0 or len(values) != n_objects:
        raise ViewsError(
            f"{what} has the shape {values.shape} for {n_objects} objects; give one row per object."
        )
    return storable(values, what)
