"""Which object a row belongs to: ids are read off an index, compared, and rows joined by them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from manyviews.exceptions import UnknownObjectError, ViewsError
from manyviews.maths import is_absent, missing_labels, read_labels
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
    if np.ma.is_masked(names):
        ids = ids.astype(object)
        ids[np.ma.getmaskarray(names)] = None
    if ids.dtype.kind == "O" and _may_lack_some(names):
        keys = (_none_if_missing(key) for key in ids)
        ids = np.fromiter(keys, dtype=object, count=len(ids))
    return ids


def _may_lack_some(names: Any) -> bool:
    """Whether ids have to be looked through for missing ones; an index knows that of itself."""
    if getattr(names, "nlevels", 1) > 1:
        return any((codes < 0).any() for codes in names.codes)
    return bool(getattr(names, "hasnans", True))


def _none_if_missing(key: Any) -> Any:
    """Return None for an id that is missing, or a level of it: NaN and pandas' NA equal nothing."""
    if isinstance(key, tuple):
        return tuple(map(_none_if_missing, key))
    return None if is_absent(key) else key


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


def rows_named(ids: AnyArray | None, wanted: Any) -> IntArray:
    """Return the rows of an object, or of several in the order in which they are named.

    Examples
    --------
    >>> rows_named(np.array(["ann", "bob", "cem"]), ["cem", "ann"])
    array([2, 0])
    """
    if ids is None:
        raise ViewsError("these views have no ids; choose rows by number, as in views[3].")
    if isinstance(wanted, slice):
        raise ViewsError("loc takes ids and no slice; choose rows by number, as in views[3:7].")
    listed = _as_listed(wanted, ids.dtype)
    places: dict[Any, list[int]] = {}
    for row, key in enumerate(keys_of(ids)):
        places.setdefault(key, []).append(row)
    for key in listed:
        if key not in places:
            raise UnknownObjectError(f"there is no object {key!r}; {nearest(key, places)}")
    return np.array([row for key in listed for row in places[key]], dtype=np.intp)


def _as_listed(wanted: Any, dtype: np.dtype[Any]) -> list[Any]:
    """Ids of one object or of several; a tuple may itself be one, of an index with levels."""
    if isinstance(wanted, set | frozenset | Mapping):
        raise ViewsError(f"loc takes one id or a list of ids and no {type(wanted).__name__}.")
    if dtype.kind in "mM":
        return _as_times(wanted, dtype)
    if not isinstance(wanted, list) and not hasattr(wanted, "__array__"):
        return [wanted]
    array = as_ids(wanted)
    if array.ndim == 0:
        return [array.item()]
    if array.ndim > 1:
        raise ViewsError(f"loc takes a flat list of ids, not one of the shape {array.shape}.")
    if array.dtype.kind == "b":
        raise ViewsError("loc takes ids and no mask; choose by a mask with views[mask].")
    return keys_of(array)


def _as_times(wanted: Any, dtype: np.dtype[Any]) -> list[Any]:
    """Ids that are times, written as text or as a type of Python's or pandas'."""
    try:
        return list(np.atleast_1d(np.asarray(wanted, dtype=dtype)))
    except (TypeError, ValueError) as error:
        raise UnknownObjectError(
            f"the ids are times ({dtype}) and {wanted!r} is none; write it as '2020-01-31'."
        ) from error


def spread_over(values: Any, ids: AnyArray | None, names: Sequence[str], what: str) -> Any:
    """Bring one row per object into the order of other rows, NaN or None where there is none."""
    values = np.asarray(in_row_order(values, ids, what))
    if ids is None or values.shape[:1] != ids.shape:
        n_objects = "no ids" if ids is None else f"{len(ids)} objects"
        raise ViewsError(
            f"{what} has the shape {values.shape} and the views have {n_objects}; "
            "give one row per object, of views with ids."
        )
    refuse_repeated(np.array([str(key) for key in keys_of(ids)]), "views")
    refuse_repeated(np.array([str(name) for name in names]), "the container")
    place = {str(name): row for row, name in enumerate(names)}
    rows = [place.get(str(key), -1) for key in keys_of(ids)]
    if -1 in rows:
        stranger = keys_of(ids)[rows.index(-1)]
        raise UnknownObjectError(
            f"the views have the object {stranger!r} and the container has not; "
            f"{nearest(stranger, place)}"
        )
    is_number = values.dtype.kind == "f" or (values.dtype.kind in "iu" and values.ndim > 1)
    empty = np.nan if is_number else None
    placed = np.full((len(place), *values.shape[1:]), empty, dtype=float if is_number else object)
    placed[rows] = values
    return placed


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
    strangers = np.delete(np.arange(len(own)), rows)
    if len(strangers):
        raise ViewsError(
            f"{what} names objects that the views do not have ({len(strangers)}, the first "
            f"{shown(own, strangers[0])}); choose its rows with {what}.loc[views.sample_ids]."
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


def refuse_alike(tables: Sequence[Collection[Any]]) -> None:
    """Refuse ids of two tables that differ and read alike, such as 3 and "3": they mean one object.

    A table that has both knows two objects.
    """
    texts: dict[str, Any] = {}
    for key in (key for keys in tables for key in keys):
        other = texts.setdefault(str(key).strip(), key)
        if other != key and not any(other in keys and key in keys for keys in tables):
            raise ViewsError(
                f"the ids {other!r} and {key!r} differ, though they read alike; write the ids of "
                "all tables alike, as in table.index = table.index.astype(str).str.strip()."
            )


def kind_of_ids(ids: AnyArray) -> str:
    """Name the type of ids: integers, strings, or something else."""
    if ids.dtype.kind in "iuU":
        return "strings" if ids.dtype.kind == "U" else "integers"
    kinds: Sequence[tuple[Any, str]] = ((str, "strings"), ((int, np.integer), "integers"))
    for kind, name in kinds:
        if len(ids) and all(isinstance(key, kind) for key in keys_of(ids)):
            return name
    return "others"


def nearest(name: Any, known: Iterable[Any]) -> str:
    """Say which known names are like a mistyped one, or the first of them, to end a sentence.

    Examples
    --------
    >>> nearest("P0152", ["P0512", "P0700"]), nearest("age", ["iron", "zinc", "lead", "salt"])
    ("did you mean 'P0512'?", "there are 'iron', 'zinc', 'lead' and 1 more.")
    """
    by_text = {str(each): each for each in known}
    if near := get_close_matches(str(name), by_text, n=3):
        return f"did you mean {' or '.join(repr(by_text[text]) for text in near)}?"
    first = ", ".join(map(repr, list(by_text.values())[:3]))
    more = f" and {len(by_text) - 3} more" if len(by_text) > 3 else ""
    return f"there are {first}{more}." if first else "there are none."


def _an_example(ids: AnyArray) -> str:
    return f"ids such as {shown(ids, 0)}" if len(ids) else "no objects at all"
