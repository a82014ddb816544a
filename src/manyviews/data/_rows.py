"""Which object a row belongs to: ids are read off an index, compared, and rows joined by them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from manyviews.exceptions import ViewsError
from manyviews.maths import missing_labels, read_labels
from manyviews.typing import AnyArray, BoolArray, IntArray


def row_ids(table: Any) -> AnyArray | None:
    """Return the ids in the index of a table or of a column; plain arrays and lists have none.

    Examples
    --------
    >>> import pandas as pd
    >>> row_ids(pd.Series([0.5, 0.7], index=["ann", "bob"])), row_ids([0.5, 0.7])
    (array(['ann', 'bob'], dtype=object), None)
    """
    index = getattr(table, "index", None)
    if index is None or callable(index) or not hasattr(index, "__array__"):
        return None  # a list has a method of that name
    return as_ids(index)


def as_ids(names: Any) -> AnyArray:
    """Read ids of any kind; several levels become tuples, and what is missing None or NaN."""
    ids = np.asarray(names) if hasattr(names, "__array__") else read_labels(names, "sample_ids")
    one_level = getattr(names, "nlevels", 0) == 1
    if one_level and ids.dtype.kind == "O" and names.hasnans:
        ids = ids.copy()
        ids[names.isna()] = None  # pandas' NA cannot even be compared
    return ids


def keys_of(ids: AnyArray) -> list[Any]:
    """Return ids as Python's own values, by which they can be looked up; times stay NumPy's."""
    return list(ids) if ids.dtype.kind in "mM" else list(ids.tolist())


def is_missing(ids: AnyArray) -> BoolArray:
    """Where there is no id."""
    return np.isnat(ids) if ids.dtype.kind in "mM" else missing_labels(ids)


def differing(one: AnyArray, other: AnyArray) -> IntArray:
    """Return the rows in which as many ids differ; none differs from none."""
    rows = np.flatnonzero(one != other)
    return rows[~(is_missing(one[rows]) & is_missing(other[rows]))] if len(rows) else rows


def same_ids(one: AnyArray, other: AnyArray) -> bool:
    """Whether two tables name the same objects in the same order."""
    return one is other or (one.shape == other.shape and not len(differing(one, other)))


def shown(ids: AnyArray, row: int) -> str:
    """Write an id for a message."""
    value = ids[row]
    if isinstance(value, np.generic):
        return str(value) if ids.dtype.kind in "mM" else repr(value.item())
    return repr(value)


def in_row_order(values: Any, ids: AnyArray | None, what: str = "y") -> Any:
    """Bring what has an index into the order of the objects, or refuse it.

    Parameters
    ----------
    values : Series, DataFrame or array-like, one row per object
        With an index it is matched by id; a plain array goes by position.
    ids : array of shape (n,) or None
        Ids of the objects, if they have any.
    what : str
        Its name, for the messages.

    Returns
    -------
    object of the same kind
        ``values`` itself where nothing is to be done.

    Examples
    --------
    >>> import pandas as pd
    >>> y = pd.Series([0, 1], index=["bob", "ann"])
    >>> in_row_order(y, np.array(["ann", "bob"])).tolist()
    [1, 0]
    """
    own = row_ids(values)
    if own is None or ids is None or same_ids(own, ids):
        return values
    refuse_repeated(own, what)
    place = {key: row for row, key in enumerate(keys_of(own))}
    rows = [place.get(key, -1) for key in keys_of(ids)]
    if -1 in rows:
        row = rows.index(-1)
        raise ViewsError(
            f"{what} is matched to the views by its index, which lacks the object "
            f"{shown(ids, row)} of row {row} and has {_an_example(own)}; give both the same ids, "
            f"or {what}.to_numpy() if its rows are in the order of the views."
        )
    if len(rows) != len(own):
        strangers = np.delete(np.arange(len(own)), rows)
        raise ViewsError(
            f"{what} names {len(strangers)} objects that the views do not have, the first "
            f"{shown(own, strangers[0])}; choose its rows with {what}.loc[views.sample_ids]."
        )
    return values.iloc[rows] if hasattr(values, "iloc") else np.asarray(values)[rows]


def refuse_other_order(values: Any, ids: AnyArray | None, what: str, who: str) -> None:
    """Refuse what is not in the order of the objects, where later steps go by position."""
    ordered = in_row_order(values, ids, what)
    if ordered is not values:
        raise ViewsError(
            f"{what} has the objects in another order than the views, and the steps after {who} "
            f"go by position; give {what}.loc[views.sample_ids]."
        )


def refuse_repeated(ids: AnyArray, what: str) -> None:
    """Refuse ids by which nothing can be matched, as some occur twice."""
    keys = keys_of(ids)
    if len(set(keys)) == len(keys):
        return
    seen: set[Any] = set()
    for row, key in enumerate(keys):
        if key in seen:
            raise ViewsError(
                f"{what} names the object {shown(ids, row)} more than once; "
                "keep one row for each object."
            )
        seen.add(key)


def kind_of_ids(ids: AnyArray) -> str:
    """Name the type of ids: integers, strings, or something else."""
    if ids.dtype.kind in "iuU":
        return "strings" if ids.dtype.kind == "U" else "integers"
    kinds: Sequence[tuple[Any, str]] = ((str, "strings"), ((int, np.integer), "integers"))
    for kind, name in kinds:
        if len(ids) and all(isinstance(key, kind) for key in keys_of(ids)):
            return name
    return "others"


def nearest(name: str, known: Iterable[str]) -> str:
    """Say which known names are like a mistyped one, or the first of them, to end a sentence.

    Examples
    --------
    >>> nearest("P0152", ["P0512", "P0700"]), nearest("age", ["iron", "zinc", "lead", "salt"])
    ("did you mean 'P0512'?", "such as 'iron', 'zinc' or 'lead'.")
    """
    names = list(known)
    if near := get_close_matches(name, names, n=3):
        return f"did you mean {_listed(near)}?"
    return f"such as {_listed(names[:3])}." if names else "of which there are none."


def _listed(names: Sequence[str]) -> str:
    *others, last = map(repr, names)
    return f"{', '.join(others)} or {last}" if others else last


def _an_example(ids: AnyArray) -> str:
    return f"ids such as {shown(ids, 0)}" if len(ids) else "no objects at all"
