"""One value per view from what a user gives once, as a list, or by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manyviews.exceptions import UnknownViewError, ViewsError
from manyviews.typing import BoolArray


def per_view(value: Any, names: Sequence[str], *, parameter: str = "value") -> dict[str, Any]:
    """Spread a parameter over the views.

    A list gives one value per view in order, a dict one per view by name, anything else is the
    value of every view.

    Parameters
    ----------
    value : object, list or dict
        The parameter as the user gave it.
    names : sequence of str
        The names of the views, in order.
    parameter : str
        The parameter's name, for the error messages.

    Returns
    -------
    dict
        One value per view, in the order of ``names``.

    Examples
    --------
    >>> per_view(0.5, ["text", "links"])
    {'text': 0.5, 'links': 0.5}
    >>> per_view({"links": 2, "text": 1}, ["text", "links"])
    {'text': 1, 'links': 2}
    """
    if isinstance(value, Mapping):
        return _by_name(value, names, parameter)
    if isinstance(value, list):
        if len(value) != len(names):
            raise ViewsError(
                f"{parameter} lists {len(value)} values for {len(names)} views "
                f"({_quoted(names)}); give one per view, or one value for all."
            )
        return dict(zip(names, value, strict=True))
    return dict.fromkeys(names, value)


def read_view_weights(weights: Any, names: Sequence[str]) -> dict[str, float]:
    """Weights of the views as a user gave them, 1 for each if not; refuses what weighs nothing.

    Examples
    --------
    >>> read_view_weights({"links": 0, "text": 2}, ["text", "links"])
    {'text': 2.0, 'links': 0.0}
    """
    given = per_view(1.0 if weights is None else weights, names, parameter="view_weights")
    for name, weight in given.items():
        if not 0 <= weight < math.inf:
            raise ValueError(
                f"view_weights gives {weight!r} to view {name!r}; give a number of at least 0."
            )
    if not any(given.values()):
        raise ValueError("view_weights are all zero; give at least one view a positive weight.")
    return {name: float(weight) for name, weight in given.items()}


def _by_name(value: Mapping[str, Any], names: Sequence[str], parameter: str) -> dict[str, Any]:
    unknown = [name for name in value if name not in names]
    if unknown:
        raise UnknownViewError(
            f"{parameter} names the view {unknown[0]!r}, which is not among the views "
            f"{_quoted(names)}; rename or remove it."
        )
    missing = [name for name in names if name not in value]
    if missing:
        raise UnknownViewError(
            f"{parameter} has no value for the view {missing[0]!r}; give one for each of "
            f"{_quoted(names)}."
        )
    return {name: value[name] for name in names}


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


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
