"""One view as a table of comma-separated values, with the objects' keys in a column."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data._io._damage import DamageError
from manyviews.data._io._table import ID, Table
from manyviews.typing import AnyArray, Matrix, is_sparse

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Cells that count as missing, in any case of letters."""


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


def read_csv(
    path: Path, *, id_column: str | None = None, separator: str = ",", is_sparse: bool = False
) -> Table:
    """Read one view; the first column has the keys if it is called ``id`` or nothing at all."""
    rows = _rows(path, separator)
    header = next(rows, None)
    if header is None:
        raise DamageError("it is empty; give it a header with the names of its columns.")
    position = id_position(header, id_column)
    names = header if position is None else header[:position] + header[position + 1 :]
    keys: list[str] | None = None if position is None else []
    cells = _without_keys(_checked(rows, len(header)), position, keys)
    matrix = _sparse_matrix(cells, names) if is_sparse else _dense_matrix(cells, names)
    return Table(matrix, names, keys)


def id_position(header: Sequence[str], id_column: str | None) -> int | None:
    """Which column has the keys of the objects, if any does."""
    if id_column is not None:
        if id_column not in header:
            raise DamageError(f"it has no column {id_column!r}; name the column with the ids.")
        return list(header).index(id_column)
    return 0 if header and header[0].strip().casefold() in {"", ID} else None


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


def _without_keys(
    rows: Iterator[list[str]], position: int | None, keys: list[str] | None
) -> Iterator[list[str]]:
    for row in rows:
        if position is not None and keys is not None:
            keys.append(row.pop(position))
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
        raise DamageError(
            f"row {row} of the column {column!r} has {cell!r}, which is not a number; encode it, "
            "or give the name of the column with the ids as 'id' in views.toml."
        ) from error
