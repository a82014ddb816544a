"""What questions cost, from what a user gives: a column for the label, and one for each view."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from manyviews.acquire.plan_report import Kind
from manyviews.data import Views, in_row_order
from manyviews.typing import FloatArray

__all__ = ["object_name", "read_costs"]


def read_costs(
    costs: Any,
    views: Views,
    kinds: Sequence[Kind] = ("label", "view"),
    *,
    measurable: Collection[str] | None = None,
) -> FloatArray:
    """Cost of every question: the label in the first column, each view in one of the next.

    Parameters
    ----------
    costs : None, number, dict or DataFrame
        As :func:`plan` takes them.
    views : Views
        The objects.
    kinds : sequence of {"label", "view"}
        Kinds that are asked for; the others need no costs.
    measurable : collection of str, optional
        Views of which something is left to measure, all by default; the others need no costs.

    Returns
    -------
    array of shape (n_objects, 1 + n_views)
        NaN where a question cannot be asked.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import Views
    >>> views = Views({"radar": np.eye(2), "camera": np.eye(2)})
    >>> read_costs({"label": [1, np.nan], "view": {"radar": 5, "camera": 2}}, views)
    array([[ 1.,  5.,  2.],
           [nan,  5.,  2.]])
    """
    found = np.full((len(views), 1 + views.n_views), np.nan)
    needed = views.names if measurable is None else measurable
    asked = [None] * ("label" in kinds) + [name for name in needed if "view" in kinds]
    by_question = _costs_by_question(costs, views.names, asked)
    for place, name in enumerate((None, *views.names)):
        if name in by_question and ("label" if name is None else "view") in kinds:
            what = "the label" if name is None else f"view {name!r}"
            found[:, place] = _cost_column(by_question[name], views, what)
    return found


def _costs_by_question(
    costs: Any, names: Sequence[str], asked: Sequence[str | None]
) -> dict[str | None, Any]:
    """What was given for the label (None) and for each view, all that are asked among them."""
    if costs is None:
        costs = 1.0
    if not isinstance(costs, Mapping) and not hasattr(costs, "columns"):
        if np.ndim(costs):
            raise ValueError(
                "costs is a list of numbers, which does not say of what they are the costs; give "
                "a dict such as {'label': …, 'view': …}."
            )
        return dict.fromkeys((None, *names), costs)
    given = {name: costs[name] for name in (costs if isinstance(costs, Mapping) else costs.columns)}
    strangers = [name for name in given if name not in ("label", "view", *names)]
    if strangers:
        raise ValueError(
            f"costs names {strangers[0]!r}, which is neither 'label' nor 'view' nor one of the "
            f"views {', '.join(map(repr, names))}; rename or remove it."
        )
    found: dict[str | None, Any] = {None: given["label"]} if "label" in given else {}
    whole = given.get("view")
    if isinstance(whole, Mapping):
        wrong = [name for name in whole if name not in names]
        if wrong:
            raise ValueError(
                f"costs names the view {wrong[0]!r}, which is not among "
                f"{', '.join(map(repr, names))}; rename or remove it."
            )
        found |= whole
    elif whole is not None:
        found |= dict.fromkeys(names, whole)
    found |= {name: value for name, value in given.items() if name in names and name != "label"}
    for name in asked:
        if name not in found:
            what = "of a label" if name is None else f"of the view {name!r}"
            leave = "kinds=('view',)" if name is None else "NaN if it cannot be measured"
            raise ValueError(f"costs has no cost {what}; give one, or {leave}.")
    return found


def _cost_column(value: Any, views: Views, what: str) -> FloatArray:
    """Costs of one question for all objects, refusing what is no cost."""
    ordered = in_row_order(value, views.sample_ids, f"the cost of {what}")
    try:
        column = np.asarray(ordered, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the cost of {what} should be numbers, not {value!r}; NaN is a question that cannot "
            "be asked."
        ) from error
    if column.ndim > 1 or (column.ndim == 1 and len(column) != len(views)):
        raise ValueError(
            f"the cost of {what} has shape {column.shape} for {len(views)} objects; give one "
            "number, or one for each object."
        )
    column = np.broadcast_to(column, (len(views),))
    if (column < 0).any():
        row = int(np.argmax(column < 0))
        raise ValueError(
            f"the cost of {what} is {column[row]:g} for the object {object_name(views, row)}; give "
            "0 or more, or NaN for a question that cannot be asked."
        )
    return np.where(np.isinf(column), np.nan, column)


def object_name(views: Views, row: int) -> Any:
    """Id of an object, or its row."""
    return row if views.sample_ids is None else views.sample_ids[row : row + 1].tolist()[0]
