"""One value per view from what a user gives once, as a list, or by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manyviews.exceptions import UnknownViewError, ViewsError


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
