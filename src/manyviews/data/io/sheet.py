"""Tables of text about objects: labels, masks, and whatever else is known of them."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from manyviews.data.io.cells import guess_cells
from manyviews.data.io.safety import DamageError, reading
from manyviews.data.io.tables import ID, find_separator, is_called_id, read_parquet_rows, read_rows
from manyviews.data.rows import nearest
from manyviews.typing import AnyArray

LABEL_COLUMNS = ("y", "label", "labels", "class")
"""Columns that are taken for labels, in this order."""


NO_LABEL = frozenset({"NA", "N/A", "NaN", "nan", "<NA>"})
"""Cells of labels that are as good as empty; "none" and "null" may well be classes."""


@dataclass(frozen=True)
class Sheet:
    """A table of text: columns by name, and the objects' keys if a column has them."""

    columns: dict[str, list[str]]
    keys: list[str] | None
    id_column: str | None
    length: int


def read_label_file(
    path: Path, ids: Sequence[Any], column: str | None = None, id_column: str | None = None
) -> AnyArray:
    """Read the labels of objects from a CSV or Parquet file, as those of a folder are read.

    One column has a label for each object in order, and several have the ids in one of them;
    a header may be there or not. Labels of objects that are not asked for are dropped with a
    warning, and empty cells are missing labels.
    """
    objects = [str(key) for key in ids]
    with reading(path, "CSV file"):
        sheet = only_known(read_label_sheet(path, objects, id_column), objects, path)
        name = label_column(sheet) if column is None else column
        if name is None:
            raise DamageError(
                f"it has {len(sheet.columns)} columns beside the ids, none of them called "
                f"'label'; name the one with the labels, as in {path.name}:outcome."
            )
        if name not in sheet.columns:
            raise DamageError(
                f"it has no column {name!r} beside the ids; {nearest(name, sheet.columns)}"
            )
        cells = in_order(sheet.columns[name], sheet, objects, len(objects), "", "it")
        return as_labels(cells)


def as_labels(cells: Sequence[str]) -> AnyArray:
    """Read labels of unknown type; what R and pandas write for a missing value is none."""
    return guess_cells(["" if cell in NO_LABEL else cell for cell in cells])


def read_sheet(path: Path) -> Sheet:
    """Read a table under a header as it was written, with ids in the first column or none."""
    with reading(path, "CSV file"):
        header, rows = read_rows(path)
        has_ids = bool(header) and header[0].strip().casefold() in {"", ID}
        return _sheet(header, rows, 0 if has_ids else None)


def read_label_sheet(path: Path, objects: Sequence[str], id_column: str | None = None) -> Sheet:
    """Read a table made by hand, of which it is known which objects it may tell of."""
    with reading(path, "CSV file"):
        rows = _stripped_rows(path)
        if not any(any(row) for row in rows):
            raise DamageError("it has no rows; write one label per object.")
        if all(len(row) <= 1 for row in rows):
            name, cells = _one_column([row[0] if row else "" for row in rows], len(objects))
            return Sheet({name: cells}, None, None, len(cells))
        rows = [row for row in rows if any(row)]
        known = set(objects)
        headed = rows[0][0] not in known
        width = len(rows[0])
        if not headed and width != 2:
            raise DamageError(
                f"it has {width} columns and no header; give two, id and label, or name them."
            )
        for number, row in enumerate(rows, 1):
            if len(row) != width:
                lack = "few" if len(row) < width else "many"
                raise DamageError(f"it has too {lack} columns in row {number}; correct it.")
        header = rows[0] if headed else [ID, LABEL_COLUMNS[1]]
        if id_column in header:
            return _sheet(header, rows[headed:], header.index(id_column))
        return _sheet(header, rows[headed:], _key_position(header, rows[headed:], known))


def label_column(sheet: Sheet) -> str | None:
    """Which column has the labels: the first with such a name, or the only one."""
    names = {name.casefold(): name for name in reversed(sheet.columns)}
    found = [names[label] for label in LABEL_COLUMNS if label in names]
    return next(iter(found or (sheet.columns if len(sheet.columns) == 1 else ())), None)


def only_known(sheet: Sheet, objects: Collection[str], path: Path) -> Sheet:
    """Drop the rows about objects that are not there, with a warning; refuse if none is left."""
    if sheet.keys is None:
        return sheet
    known = set(objects)
    rows = [row for row, key in enumerate(sheet.keys) if key in known]
    if len(rows) == len(sheet.keys):
        return sheet
    if not rows:
        raise DamageError(
            "it labels none of the objects in the data, whose ids are like "
            f"{next(iter(objects), '')!r} and not like {sheet.keys[0]!r}; use the same ids."
        )
    stranger = next(key for key in sheet.keys if key not in known)
    warnings.warn(
        f"{path} labels objects that are not in the data ({len(sheet.keys) - len(rows)}, "
        f"the first {stranger!r}); they are left out.",
        stacklevel=2,
    )
    columns = {name: [cells[row] for row in rows] for name, cells in sheet.columns.items()}
    return Sheet(columns, [sheet.keys[row] for row in rows], sheet.id_column, len(rows))


def in_order(
    cells: Sequence[str],
    sheet: Sheet,
    objects: Sequence[str] | None,
    n_objects: int,
    missing: str,
    file: str,
) -> list[str]:
    """Cells of a sheet in the order of all objects."""
    if sheet.keys is None or objects is None:
        if sheet.length != n_objects:
            raise DamageError(
                f"{file} has {sheet.length} rows and no ids for {n_objects} objects; "
                "give one row per object, or a column 'id'."
            )
        return list(cells)
    found = dict(zip(sheet.keys, cells, strict=True))
    strangers = found.keys() - set(objects)
    if strangers:
        raise DamageError(
            f"{file} names the object {min(strangers)!r}, which no view has; remove it."
        )
    return [found.get(key, missing) for key in objects]


def refuse_repeated(keys: Sequence[str]) -> None:
    """Refuse two rows about one object."""
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            raise DamageError(f"it names the object {key!r} twice; keep one row for each object.")
        seen.add(key)


def _sheet(header: Sequence[str], rows: Sequence[Sequence[str]], position: int | None) -> Sheet:
    keys = None if position is None else [row[position] for row in rows]
    refuse_repeated(keys or ())
    others = [i for i in range(len(header)) if i != position]
    columns = {header[i]: [row[i] for row in rows] for i in others}
    if len(columns) != len(others):
        raise DamageError("it has two columns of the same name; rename one.")
    return Sheet(columns, keys, None if position is None else header[position], len(rows))


def _stripped_rows(path: Path) -> list[list[str]]:
    if path.suffix.lower() == ".parquet":
        return read_parquet_rows(path)
    separator = find_separator(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            rows = csv.reader(file, delimiter=separator, strict=True)
            return [[cell.strip() for cell in row] for row in rows]
        except csv.Error as error:
            raise DamageError(f"it is no CSV ({error}); correct it.") from error


def _one_column(cells: list[str], n_objects: int) -> tuple[str, list[str]]:
    """Name and cells of a single column, in which an empty line is an object without a label."""
    header = LABEL_COLUMNS[1]
    if cells[0].casefold() in LABEL_COLUMNS:
        header = cells.pop(0)
    while len(cells) > n_objects and not cells[-1]:  # empty lines at the end
        cells.pop()
    if len(cells) == n_objects + 1:
        header = cells.pop(0)  # a name that we do not know
    if len(cells) != n_objects:
        raise DamageError(
            f"it has {len(cells)} labels for {n_objects} objects; give one per object, or two "
            "columns, id and label."
        )
    return header, cells


def _key_position(
    header: Sequence[str], rows: Sequence[Sequence[str]], known: Collection[str]
) -> int | None:
    """Which column tells the objects apart, by its name or by what is in it."""
    names = [name.casefold() for name in header]
    if ID in names:
        return names.index(ID)
    first = [row[0] for row in rows]
    distinct = len(set(first)) == len(first)
    known_there = any(key in known for key in first)
    by_name = names[0] == "" or (is_called_id(header[0]) and distinct)
    only_labels_beside = len(names) == 2 and names[0] not in LABEL_COLUMNS
    return 0 if by_name or (known_there and distinct) or only_labels_beside else None
