"""One view as it stands in a file of its own: rows with keys, columns with names."""

from __future__ import annotations

import csv
import json
import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data.io.cells import csr_of_cells, dense_cells
from manyviews.data.io.safety import DamageError, check_size
from manyviews.data.rows import nearest
from manyviews.exceptions import MissingExtraError
from manyviews.typing import AnyArray, Matrix, is_sparse

ID = "id"
"""Column with the keys of the objects."""

_WHOLE = re.compile(r"(-?\d+)(\.0+)?")


@dataclass(frozen=True)
class Table:
    """The rows of a view that a file holds; ``keys`` says which objects they are, if it knows."""

    matrix: Matrix
    names: Sequence[str] | None
    """Names of the columns, if the file has any."""
    keys: Sequence[str] | None
    id_column: str | None = None
    """Name of the column that the keys come from."""
    aside: Mapping[str, list[str]] = field(default_factory=dict)
    """Columns that were asked for as text and are no features, such as labels."""

    def with_plain_keys(self) -> Table:
        """Keys as people mean them: without spaces around, and no ``7.0`` for ``7``."""
        if self.keys is None:
            return self
        keys = [key.strip() for key in self.keys]
        whole = [_WHOLE.fullmatch(key) for key in keys]
        return replace(self, keys=[found[1] for found in whole if found] if all(whole) else keys)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])


MISSING = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Cells that count as missing, in any case of letters."""

SEPARATORS = (",", ";", "\t")
"""Between cells in tables that people have; the first of them where nothing tells."""

PANDAS_INDEX = "__index_level_0__"
"""Name that pandas gives to an index without one in a Parquet file."""

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
"""Advice on a column of text, as the end of a sentence."""

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


def write_parquet(path: Path, matrix: Matrix, names: Sequence[str], keys: Sequence[str]) -> None:
    """Write one view with checksums; in a sparse one, cells that are not stored are null."""
    arrow, parquet = _pyarrow()
    values, stored = matrix, np.ones(matrix.shape, dtype=bool)
    if is_sparse(matrix):
        values, stored = dense_cells(matrix)
    narrow = np.float32 if values.dtype.itemsize < 4 else values.dtype.newbyteorder("=")
    columns = [
        arrow.array(np.ascontiguousarray(values[:, i], dtype=narrow), mask=~stored[:, i])
        for i in range(values.shape[1])
    ]
    columns.insert(0, arrow.array(keys, arrow.string()))
    content = arrow.Table.from_arrays(columns, names=[ID, *names])
    parquet.write_table(content, path, write_page_checksum=True)


def read_parquet(
    path: Path,
    *,
    id_column: str | None = None,
    is_sparse: bool = False,
    max_bytes: int | None = None,
    aside: Collection[str] = (),
) -> Table:
    """Read one view, with the keys in pandas' index, or in the first column if its name says so."""
    arrow, content = _content(path, max_bytes)
    names = list(content.column_names)
    numbers = _pandas_numbers(content) if id_column is None else None
    id_column = _pandas_index(content.schema) if id_column is None else id_column
    position = id_position(names, id_column, lambda: _as_text(content.column(0)))
    keys = numbers if position is None else _as_text(content.column(position))
    key_name = None if position is None else names[position]
    others = {n: _as_text(content.column(n)) for n in aside if n in names and n != key_name}
    places = [i for i in range(len(names)) if i != position and names[i] not in others]
    cells = [_numbers(content.column(i), names[i], arrow) for i in places]
    shape = (content.num_rows, len(places))
    values = np.column_stack([v for v, _ in cells]) if cells else np.empty(shape)
    features = [names[i] for i in places]
    if not is_sparse:
        return Table(values, features, keys, key_name, others)
    stored = np.column_stack([seen for _, seen in cells]) if cells else np.empty(shape, dtype=bool)
    return Table(csr_of_cells(values, stored), features, keys, key_name, others)


def read_parquet_rows(path: Path, max_bytes: int | None = None) -> list[list[str]]:
    """Header and rows as text, with pandas' index in front."""
    _, content = _content(path, max_bytes)
    names = list(content.column_names)
    index = _pandas_index(content.schema)
    order = names if index is None else [index, *(name for name in names if name != index)]
    header = ["" if name == PANDAS_INDEX else name for name in order]
    columns = [_as_text(content.column(names.index(name))) for name in order]
    if (numbers := _pandas_numbers(content)) is not None:
        header, columns = ["", *header], [numbers, *columns]
    return [header, *map(list, zip(*columns, strict=True))]


def _content(path: Path, max_bytes: int | None) -> tuple[Any, Any]:
    arrow, parquet = _pyarrow()
    with path.open("rb") as file:
        metadata = parquet.read_metadata(file)
        declared = sum(
            map(_bytes_of_group, map(metadata.row_group, range(metadata.num_row_groups)))
        )
        check_size(path, declared, max_bytes)
        source = parquet.ParquetFile(
            file,
            metadata=metadata,
            page_checksum_verification=True,
            read_dictionary=list(_texts(metadata.schema.to_arrow_schema())),  # kept once each
        )
        content = source.read()
        check_size(path, declared + sum(map(_bytes_of_texts, content.columns)), max_bytes)
        return arrow, content


def _texts(schema: Any) -> Iterator[str]:
    from pyarrow import types

    for column in schema:
        if types.is_string(column.type) or types.is_large_string(column.type):
            yield column.name


def _bytes_of_group(row_group: Any) -> int:
    """Memory that a part of the rows needs: lists hold more values than there are rows."""
    columns = map(row_group.column, range(row_group.num_columns))
    return sum(max(8 * column.num_values, column.total_uncompressed_size) for column in columns)


def _bytes_of_texts(column: Any) -> int:
    """Bytes of all texts of a column, of which many rows may have the same long one."""
    from pyarrow import compute, types

    if not types.is_dictionary(column.type) or types.is_primitive(column.type.value_type):
        return 0
    total = 0
    for chunk in column.chunks:
        lengths = compute.binary_length(chunk.dictionary.cast("binary"))
        total += compute.sum(lengths.take(chunk.indices)).as_py() or 0
    return total


def _pandas_index(schema: Any) -> str | None:
    """Name of the column that pandas wrote as the index, if it is one and no range."""
    found = [name for name in _stated_index(schema) if isinstance(name, str)]
    found = [name for name in found if name in schema.names]
    if len(found) > 1:
        raise DamageError(
            f"its index has {len(found)} levels ({', '.join(found)}), which would be features; "
            "join them into one before it is written, or name one of them by id."
        )
    return found[0] if found else None


def _pandas_numbers(content: Any) -> list[str] | None:
    """Keys from an index of numbers that pandas wrote as a range; 0, 1, 2, … names nobody."""
    for stated in _stated_index(content.schema):
        if isinstance(stated, dict) and stated.get("kind") == "range":
            numbers = range(*(int(stated[key]) for key in ("start", "stop", "step")))
            if len(numbers) == content.num_rows and numbers != range(content.num_rows):
                return list(map(str, numbers))
    return None


def _stated_index(schema: Any) -> list[Any]:
    try:
        return list(json.loads((schema.metadata or {}).get(b"pandas", b"{}"))["index_columns"])
    except (ValueError, KeyError, TypeError):  # written by something else
        return [PANDAS_INDEX] if PANDAS_INDEX in schema.names else []


def _as_text(column: Any) -> list[str]:
    """Cells as text; what is missing is empty."""
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _numbers(column: Any, name: str, arrow: Any) -> tuple[AnyArray, AnyArray]:
    """Values as floats with NaN for null, and where there is a value."""
    kind = column.type
    types = arrow.types
    if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)):
        shown = kind.value_type if types.is_dictionary(kind) else kind
        raise DamageError(
            f"the column {name!r} holds {shown} and no numbers; {NOT_NUMBERS.format(column=name)}"
        )
    floats = column.cast(arrow.float64(), safe=False).to_numpy(zero_copy_only=False)
    return floats, column.is_valid().to_numpy(zero_copy_only=False)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("reading and writing Parquet files", "all") from error
    return pyarrow, pyarrow.parquet


def write_svmlight(path: Path, matrix: Matrix, targets: AnyArray | None) -> None:
    """Write a view; the targets are the labels if these are integers, else 0."""
    csr = matrix if is_sparse(matrix) else _stored_cells(matrix)
    labels = targets.tolist() if targets is not None and targets.dtype.kind in "iu" else None
    with path.open("x", encoding="ascii", newline="\n") as file:
        for row, (start, stop) in enumerate(zip(csr.indptr[:-1], csr.indptr[1:], strict=True)):
            columns, values = csr.indices[start:stop].tolist(), csr.data[start:stop].tolist()
            cells = [f" {column + 1}:{v!r}" for column, v in zip(columns, values, strict=True)]
            file.write(f"{labels[row] if labels else 0}{''.join(cells)}\n")


def _stored_cells(matrix: AnyArray) -> Any:
    """A dense view as CSR that keeps negative zeros; rows without any number stay empty."""
    keep = ((matrix != 0) | np.signbit(matrix)) & ~np.isnan(matrix).all(axis=1, keepdims=True)
    return csr_of_cells(matrix, keep)


def read_svmlight(path: Path, n_features: int | None, first_index: int | None) -> Table:
    """Read a view; without a first index it is 0 if that occurs in the file, else 1."""
    from sklearn.datasets import load_svmlight_file

    zero_based: Any = "auto" if first_index is None else first_index == 0
    with path.open("rb") as file:
        matrix, _ = load_svmlight_file(
            file, n_features=n_features or None, dtype=np.float64, zero_based=zero_based
        )
    csr = sparse.csr_array(matrix)
    if n_features == 0:
        csr = sparse.csr_array((csr.shape[0], 0), dtype=np.float64)
    return Table(csr, None, None)
