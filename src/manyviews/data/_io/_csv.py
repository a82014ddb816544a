"""One view as a table of comma-separated values, with the objects' keys in a column."""

from __future__ import annotations

import csv
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data._io._damage import DamageError
from manyviews.data._io._table import ID, Table
from manyviews.data._rows import nearest
from manyviews.typing import AnyArray, Matrix, is_sparse

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Cells that count as missing, in any case of letters."""

SEPARATORS = (",", ";", "\t")
"""What stands between cells in tables that people have, the first where nothing tells."""

PANDAS_INDEX = "__index_level_0__"
"""What pandas calls an index without a name in a Parquet file."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ID_WORDS = frozenset({"id", "ids", "idx", "pid", "uid", "uuid", "guid"})
_RUN_TOGETHER = re.compile(
    r"(sample|patient|subject|participant|person|user|customer|object|item|record|case|row|index"
    r"|document|doc|page|image|file|cell|gene|protein|node)_?id",
    re.IGNORECASE,
)
NOT_NUMBERS = (
    "if it has the ids of the objects say id={column!r} (in a shell, --id), if it has their "
    "labels labels={column!r} (--labels), and if it is a feature turn it into numbers, for example "
    "by pandas.get_dummies."
)
"""What to do about a column of text, as the end of a sentence."""

_DECIMAL_COMMA = re.compile(r"[+-]?[\d.]*\d,\d[\d,]*(\.\d*)?")
_QUOTED = re.compile(r'"[^"]*"')
_PANDAS_INDEX = re.compile(r"unnamed: 0(_level_\d+)?", re.IGNORECASE)


def write_rows(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a header and rows; numbers as the shortest text that reads back the same."""
    with path.open("x", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def read_rows(path: Path, separator: str = ",") -> tuple[list[str], list[list[str]]]:
    """Header and rows of a table of text, all rows as long as the header."""
    rows = _rows(path, separator)
    header = next(rows, None)
    if header is None:
        raise DamageError("it is empty; give it a header with the names of its columns.")
    return header, list(_checked(rows, len(header)))


def write_csv(path: Path, matrix: Matrix, names: Sequence[str], keys: Sequence[str]) -> None:
    """Write one view; in a sparse one, cells that are not stored stay empty."""
    header = [ID, *names]
    values = _sparse_cells(matrix) if is_sparse(matrix) else _cells(matrix)
    write_rows(path, header, ([key, *row] for key, row in zip(keys, values, strict=True)))


def _cells(matrix: AnyArray) -> Iterator[list[Any]]:
    return (row.tolist() for row in matrix)


def _sparse_cells(matrix: Any) -> Iterator[list[Any]]:
    values = matrix.data.tolist()
    for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        row: list[Any] = [""] * matrix.shape[1]
        for column, value in zip(matrix.indices[start:stop], values[start:stop], strict=True):
            row[column] = value
        yield row


def find_separator(path: Path) -> str:
    """Say which separator a table has: the one that cuts its first line into most cells."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = _QUOTED.sub("", file.readline())
    return max(SEPARATORS, key=first.count)


def read_csv(
    path: Path,
    *,
    id_column: str | None = None,
    separator: str = ",",
    is_sparse: bool = False,
    aside: Collection[str] = (),
) -> Table:
    """Read one view, with the keys in the first column if that is what its name says."""
    rows = _rows(path, separator)
    header = next(rows, None)
    if header is None:
        raise DamageError("it is empty; give it a header with the names of its columns.")
    position = id_position(header, id_column, lambda: _first_cells(path, separator))
    keys: list[str] = []
    taken = {i: list[str]() for i, name in enumerate(header) if name in aside and i != position}
    apart = taken if position is None else {**taken, position: keys}
    names = [name for i, name in enumerate(header) if i not in apart]
    cells = _without(_checked(rows, len(header)), apart)
    matrix = _sparse_matrix(cells, names) if is_sparse else _dense_matrix(cells, names)
    others = {header[i]: column for i, column in taken.items()}
    if position is None:
        return Table(matrix, names, None, aside=others)
    return Table(matrix, names, keys, header[position], others)


def id_position(
    header: Sequence[str], id_column: str | None, first_cells: Callable[[], Sequence[str]]
) -> int | None:
    """Which column has the keys of the objects, if any does.

    That is the one that is named by the user, or the first if it is called ``id`` or nothing, or
    if it is called like ids (``patient_id``) and holds distinct integers or words.
    """
    if id_column is not None:
        if id_column in header:
            return list(header).index(id_column)
        for place, unnamed in ((0, ""), (0, "Unnamed: 0"), (-1, PANDAS_INDEX)):
            if header and header[place] == unnamed:  # an index that lost its name on the way
                return range(len(header))[place]
        raise DamageError(f"it has no column {id_column!r} with ids; {nearest(id_column, header)}")
    if not header:
        return None
    name = header[0].strip()
    if name.casefold() in {"", ID}:
        return 0
    if "id" not in name.casefold() and not is_called_id(name):
        return None
    cells = list(first_cells())
    words = any(not _is_number(cell) for cell in cells)
    whole = all(_is_whole(cell) for cell in cells if cell)
    if not words and not (is_called_id(name) and whole):
        return None  # a measurement, such as the width or the share of an acid
    if "" in cells:
        raise DamageError(
            f"its first column {header[0]!r} looks like ids and has none in row "
            f"{cells.index('')}; give every object an id, or rename the column if it is a feature."
        )
    if len(set(cells)) == len(cells):
        return 0
    if is_called_id(name):
        raise DamageError(
            f"its first column {header[0]!r} looks like ids and has some of them twice; keep one "
            "row for each object, or rename the column if it is a feature."
        )
    return None


def is_called_id(name: str) -> bool:
    """Whether a name says of itself that it is that of ids: by a word of its own, as people write.

    Examples
    --------
    >>> [is_called_id(name) for name in ("id", "patient_id", "sampleID", "Unnamed: 0")]
    [True, True, True, True]
    >>> [is_called_id(name) for name in ("width", "acid", "humidity", "grid")]
    [False, False, False, False]
    """
    words = {word.casefold() for word in _WORDS.findall(name)}
    run_together = _RUN_TOGETHER.fullmatch(name.strip()) or _PANDAS_INDEX.fullmatch(name.strip())
    return bool(words & _ID_WORDS) or run_together is not None


def _first_cells(path: Path, separator: str) -> list[str]:
    rows = _rows(path, separator)
    next(rows)
    return [row[0].strip() for row in rows if row]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return cell.casefold() in MISSING
    return True


def _is_whole(cell: str) -> bool:
    return cell.lstrip("+-").isdecimal()


def _rows(path: Path, separator: str) -> Iterator[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        yield from csv.reader(file, delimiter=separator, strict=True)


def _checked(rows: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    for number, row in enumerate(rows):
        if not row:  # an empty line, as at the end of hand-made files
            continue
        if len(row) != width:
            raise DamageError(
                f"row {number} has {len(row)} cells under a header of {width}; "
                "give every row one cell per column."
            )
        yield row


def _without(rows: Iterator[list[str]], apart: Mapping[int, list[str]]) -> Iterator[list[str]]:
    """Rows without some of their cells, which are gathered by column."""
    places = sorted(apart, reverse=True)
    for row in rows:
        for place in places:
            apart[place].append(row.pop(place))
        yield row


def _dense_matrix(rows: Iterator[list[str]], names: Sequence[str]) -> Matrix:
    values, n_rows = array("d"), 0
    for number, row in enumerate(rows):
        try:
            values.extend(map(float, row))
        except ValueError:
            del values[number * len(names) :]  # the cells of this row before the odd one
            values.extend(_number(c, number, n) for c, n in zip(row, names, strict=True))
        n_rows = number + 1
    return np.array(values, dtype=np.float64).reshape(n_rows, len(names))


def _sparse_matrix(rows: Iterator[list[str]], names: Sequence[str]) -> Matrix:
    data, indices, indptr = array("d"), array("q"), array("q", [0])
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            if cell:
                data.append(_number(cell, number, names[column]))
                indices.append(column)
        indptr.append(len(data))
    parts = np.array(data), np.array(indices, dtype=np.int64), np.array(indptr, dtype=np.int64)
    return sparse.csr_array(parts, shape=(len(indptr) - 1, len(names)))


def _number(cell: str, row: int, column: str) -> float:
    if cell.strip().casefold() in MISSING:
        return float("nan")
    try:
        return float(cell)
    except ValueError as error:
        if _DECIMAL_COMMA.fullmatch(cell.strip()):
            raise DamageError(
                f"row {row} of the column {column!r} has {cell!r}; write numbers with a point for "
                "the decimals and nothing between thousands."
            ) from error
        raise DamageError(
            f"row {row} of the column {column!r} has {cell!r}, which is not a number; "
            f"{NOT_NUMBERS.format(column=column)}"
        ) from error
