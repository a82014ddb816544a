"""One view as a Parquet file, with the objects' keys in a column."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manyviews.data._io._csr import from_cells, to_cells
from manyviews.data._io._csv import NOT_NUMBERS, PANDAS_INDEX, id_position
from manyviews.data._io._damage import DamageError
from manyviews.data._io._size import check_size
from manyviews.data._io._table import ID, Table
from manyviews.exceptions import MissingExtraError
from manyviews.typing import AnyArray, Matrix, is_sparse


def write_parquet(path: Path, matrix: Matrix, names: Sequence[str], keys: Sequence[str]) -> None:
    """Write one view with checksums; in a sparse one, cells that are not stored are null."""
    arrow, parquet = _pyarrow()
    values, stored = matrix, np.ones(matrix.shape, dtype=bool)
    if is_sparse(matrix):
        values, stored = to_cells(matrix)
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
    return Table(from_cells(values, stored), features, keys, key_name, others)


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
            map(_declared_bytes, map(metadata.row_group, range(metadata.num_row_groups)))
        )
        check_size(path, declared, max_bytes)
        source = parquet.ParquetFile(
            file,
            metadata=metadata,
            page_checksum_verification=True,
            read_dictionary=list(_texts(metadata.schema.to_arrow_schema())),  # kept once each
        )
        content = source.read()
        check_size(path, declared + sum(map(_size_of_texts, content.columns)), max_bytes)
        return arrow, content


def _texts(schema: Any) -> Iterator[str]:
    from pyarrow import types

    for field in schema:
        if types.is_string(field.type) or types.is_large_string(field.type):
            yield field.name


def _declared_bytes(row_group: Any) -> int:
    """Memory that a part of the rows needs: lists hold more values than there are rows."""
    columns = map(row_group.column, range(row_group.num_columns))
    return sum(max(8 * column.num_values, column.total_uncompressed_size) for column in columns)


def _size_of_texts(column: Any) -> int:
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
