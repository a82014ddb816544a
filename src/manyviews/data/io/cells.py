"""Arrays of labels, ids and names as text and back, exactly, without pickle."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse

from manyviews.data.convert import csr_fault
from manyviews.data.io.safety import ALWAYS, DamageError
from manyviews.exceptions import ViewsError
from manyviews.typing import AnyArray, BoolArray

KINDS = "biufUMmO"
"""Kinds of arrays that every format can hold: numbers, booleans, text, dates, plain objects."""

_PLAIN = (str, bool, int, float, type(None))


def storable(array: AnyArray, what: str) -> AnyArray:
    """Refuse what only pickle could store; turn NumPy scalars among objects into Python's own."""
    if array.dtype.kind not in KINDS or (array.dtype.kind == "f" and array.dtype.itemsize > 8):
        raise ViewsError(
            f"{what} has the type {array.dtype}, which the files cannot hold; "
            "turn it into numbers, booleans, strings or dates."
        )
    if array.dtype.kind != "O":
        return array
    plain = np.empty(array.shape, dtype=object)
    for position, value in np.ndenumerate(array):
        own: Any = value.item() if isinstance(value, np.generic) else value
        if type(own) not in _PLAIN:
            raise ViewsError(
                f"{what} holds {value!r} in row {position[0]}, a {type(value).__name__} that could "
                "only be stored with pickle; turn it into a string, a number or None."
            )
        plain[position] = own
    return plain


def dtype_name(dtype: np.dtype[Any]) -> str:
    """Readable name of a type that :func:`dtype_called` understands."""
    return dtype.name if dtype.isnative and dtype.kind != "U" else dtype.str


def dtype_called(name: object, kinds: str = KINDS) -> np.dtype[Any]:
    """Type of that name, if it is one of those we write."""
    try:
        dtype = np.dtype(name) if isinstance(name, str) else None
    except (TypeError, ValueError, SyntaxError) as error:
        raise DamageError(f"{name!r} is not a type of array.") from error
    if dtype is None or dtype.kind not in kinds:
        raise DamageError(f"{name!r} is not a type of array that is expected here.")
    return dtype


def pack(array: AnyArray) -> str:
    """Write an array of objects as JSON, with its shape."""
    return json.dumps({"shape": array.shape, "values": array.ravel().tolist()}, ensure_ascii=False)


def unpack(text: str | bytes) -> AnyArray:
    """Read what :func:`pack` wrote."""
    stored = json.loads(text)
    flat = np.empty(len(stored["values"]), dtype=object)
    flat[:] = stored["values"]
    if any(type(value) not in _PLAIN for value in flat):
        raise DamageError("an array of objects holds something that is neither text nor a number.")
    return flat.reshape(stored["shape"])


@dataclass(frozen=True)
class Column:
    """How the values of an array stand in cells of text."""

    dtype: str
    encoding: Literal["plain", "json"] = "plain"


def column_of(array: AnyArray) -> Column:
    """Choose the cells: plain where that is unambiguous, else JSON.

    An empty cell among objects means ``None``, so that an empty string there needs JSON; NUL
    characters do too, as HDF5 cuts strings at them.
    """
    kind, name = array.dtype.kind, dtype_name(array.dtype)
    if kind == "O":
        clear = all(v is None or (isinstance(v, str) and v and "\0" not in v) for v in array.flat)
    else:
        clear = kind != "U" or not any("\0" in value for value in array.flat)
    return Column(name, "plain" if clear else "json")


def to_cells(array: AnyArray, column: Column) -> list[str]:
    """Text of each value of a one-dimensional array."""
    values: list[Any] = array.tolist()
    if column.encoding == "json":
        return [json.dumps(value, ensure_ascii=False) for value in values]
    match array.dtype.kind:
        case "b":
            return ["true" if value else "false" for value in values]
        case "f":
            return list(map(repr, values))  # shortest text that gives back the same double
        case "M":
            return list(np.datetime_as_string(array).tolist())
        case "m":
            return list(map(str, array.view(np.int64).tolist()))
        case "O":
            return ["" if value is None else value for value in values]
    return list(map(str, values))


def from_cells(cells: Sequence[str], column: Column) -> AnyArray:
    """Read what :func:`to_cells` wrote."""
    dtype = dtype_called(column.dtype)
    values: list[Any]
    if column.encoding == "json":
        values = [json.loads(cell) for cell in cells]
    elif dtype.kind == "b":
        values = [_TRUTH[cell] for cell in cells]
    elif dtype.kind in "iu":
        values = list(map(int, cells))
    elif dtype.kind == "f":
        return np.array(list(map(float, cells)), dtype=np.float64).astype(dtype)
    elif dtype.kind == "m":
        return np.array(list(map(int, cells)), dtype=np.int64).view(dtype)
    else:
        values = [cell or None for cell in cells] if dtype.kind == "O" else list(cells)
    if dtype.kind == "U" and max(map(len, values), default=0) > dtype.itemsize // 4:
        raise DamageError(f"a text is longer than its type {column.dtype} allows.")
    refuse_wide(dtype, len(values))
    array = np.empty(len(values), dtype=dtype)
    array[:] = values
    return storable(array, "it") if dtype.kind == "O" else array


def refuse_wide(dtype: np.dtype[Any], n_values: int) -> None:
    """Refuse a type of texts so wide that a file of a few bytes would fill the memory."""
    if dtype.kind == "U" and dtype.itemsize * n_values > ALWAYS:
        raise DamageError(
            f"texts of the type {dtype.str} would take {dtype.itemsize * n_values:,} bytes of "
            "memory for themselves; state the type 'object'."
        )


_TRUTH = {"true": True, "false": False, "True": True, "False": False}


def guess_cells(cells: Sequence[str]) -> AnyArray:
    """Read cells of unknown type: integers, floats, booleans or text; empty ones are missing.

    Missing is -1 among integers, NaN among floats, None among text, as everywhere for labels.
    """
    given = [cell for cell in cells if cell]
    if given and all(_is_integer(cell) for cell in given):
        return np.array([int(cell) if cell else -1 for cell in cells], dtype=np.int64)
    if given and all(_is_float(cell) for cell in given):
        return np.array([float(cell) if cell else np.nan for cell in cells])
    if given and len(given) == len(cells) and all(cell in _TRUTH for cell in given):
        return np.array([_TRUTH[cell] for cell in cells])
    if len(given) == len(cells):
        return np.array(cells, dtype=np.str_)
    return np.array([cell or None for cell in cells], dtype=object)


def guess_ids(keys: Sequence[str]) -> AnyArray:
    """Read keys of unknown type; as text where numbers would not tell them apart (1.1, 1.10)."""
    guessed = guess_cells(keys)
    return guessed if len(set(guessed.tolist())) == len(keys) else np.array(keys, dtype=np.str_)


def _is_integer(cell: str) -> bool:
    """Whether a cell is an integer that is written as Python would: ``007`` stays text."""
    return cell.removeprefix("-").isdecimal() and len(cell) < 19 and str(int(cell)) == cell


def _is_float(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return not cell.lstrip("+-").startswith("0") or cell.lstrip("+-")[1:2] in {"", ".", "e", "E"}


def object_keys(ids: AnyArray | None, n_objects: int) -> tuple[list[str], Column | None]:
    """One distinct text per object: its id if that can be read back from it, else its row number.

    The column says how to read the ids back; it is None where the keys are row numbers.
    """
    if ids is not None:
        column = column_of(ids)
        keys = to_cells(ids, column)
        if column.encoding == "plain" and len(set(keys)) == n_objects and not _has_none(ids):
            return keys, column
    return list(map(str, range(n_objects))), None


def _has_none(ids: AnyArray) -> bool:
    return ids.dtype.kind == "O" and any(value is None for value in ids)


def checked_csr(
    name: str, data: AnyArray, indices: AnyArray, indptr: AnyArray, shape: AnyArray
) -> Any:
    """Build a CSR array after looking at every part: compiled code downstream trusts them."""
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or (shape < 0).any():
        raise DamageError(f"view {name!r} has no valid shape of two numbers; write the file again.")
    rows, columns = (int(length) for length in shape)
    fault = csr_fault(data, indices, indptr, (rows, columns))
    if fault is None and int(indptr[-1]) != len(data):
        fault = f"{len(data)} values and row pointers for {int(indptr[-1])} of them"
    if fault is not None:
        raise DamageError(f"view {name!r} has {fault}; write the file again.")
    return sparse.csr_array((data, indices, indptr), shape=(rows, columns))


def with_index_type(matrix: Any, dtype: np.dtype[Any]) -> Any:
    """The same CSR array with indices of that integer type, if they fit."""
    if matrix.indices.dtype == dtype and matrix.indptr.dtype == dtype:
        return matrix
    if max(*matrix.shape, matrix.nnz) > np.iinfo(dtype).max:
        raise DamageError(
            f"a sparse matrix of {matrix.shape[1]} features and {matrix.nnz} values has indices "
            f"beyond the type {dtype} that is stated for them; state int64."
        )
    parts = matrix.data, matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return sparse.csr_array(parts, shape=matrix.shape)


def dense_cells(matrix: Any) -> tuple[AnyArray, BoolArray]:
    """Dense values and where a value is stored; unlike ``toarray`` it keeps negative zeros."""
    values = np.zeros(matrix.shape, dtype=matrix.dtype)
    stored = np.zeros(matrix.shape, dtype=bool)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    values[rows, matrix.indices] = matrix.data
    stored[rows, matrix.indices] = True
    return values, stored


def csr_of_cells(values: AnyArray, stored: BoolArray) -> Any:
    """CSR array of the values that are to be stored, zeros among them."""
    rows, columns = np.nonzero(stored)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(values)))])
    return sparse.csr_array((values[rows, columns], columns, indptr), shape=values.shape)


_LONGEST = 60
"""Characters of a file's stem. A judgement: Windows takes paths of 260, with the folders before
it."""
_RESERVED = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Files that cannot be called so on Windows."""


def file_stems(names: Iterable[str]) -> list[str]:
    """Distinct file names without suffix, safe on every system, close to the names given.

    Examples
    --------
    >>> file_stems(["text", "Text", "a/b c", "…", "con"])
    ['text', 'Text_2', 'a_b_c', 'view', 'con_']
    """
    return _distinct(names, _plain)


def group_keys(names: Iterable[str]) -> list[str]:
    """Distinct keys for HDF5: the names themselves unless they hold a slash or the like.

    Examples
    --------
    >>> group_keys(["text", "a/b c", "é"])
    ['text', 'a_b_c', 'é']
    """
    return _distinct(names, lambda name: name if _is_key(name) else _plain(name))


def _is_key(name: str) -> bool:
    return bool(name) and name.isprintable() and "/" not in name and name.strip(". ") == name


def _plain(name: str) -> str:
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", name).strip("_")[:_LONGEST] or "view"
    return f"{stem}_" if _RESERVED.fullmatch(stem) else stem


def _distinct(names: Iterable[str], simplified: Callable[[str], str]) -> list[str]:
    taken: set[str] = set()
    chosen = []
    for name in names:
        stem = candidate = simplified(name)
        number = 2
        while candidate.casefold() in taken:
            candidate, number = f"{stem}_{number}", number + 1
        taken.add(candidate.casefold())
        chosen.append(candidate)
    return chosen
