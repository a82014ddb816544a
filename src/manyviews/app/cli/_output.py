"""How results leave: a table for people, one JSON document for programs, rows of csv for both."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from rich.console import Console, Group

WIDTH_WITHOUT_TERMINAL = 120


def emit(payload: Any, *, as_json: bool, show: Callable[[Console], None]) -> None:
    """Print a result, as JSON or as the given function shows it."""
    if as_json:
        click.echo(json.dumps(plain(payload), indent=2, allow_nan=False))
    else:
        show(console())


def console() -> Console:
    """Return a console for results, in which text is never taken for markup."""
    import sys

    from rich.console import Console

    width = None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL
    return Console(markup=False, highlight=False, emoji=False, width=width, soft_wrap=False)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    title: str = "",
    right: Sequence[str] = (),
) -> Group:
    """Make a table under its title; columns named in ``right`` hold numbers."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        made.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell(value) for value in row))
    return Group(Text(title, style="bold"), made) if title else Group(made)


def cell(value: Any) -> str:
    """Write a value for a person."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {cell(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return str(value)


def plain(value: Any) -> Any:
    """Return what JSON can hold: NumPy becomes Python, what is not finite becomes null.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": np.float32(0.5), "b": np.array([1.0, np.nan]), 3: (True, None)})
    {'a': 0.5, 'b': [1.0, None], '3': [True, None]}
    """
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value))
    return str(value)


def write_json(payload: Any, path: Path) -> None:
    """Write a readable JSON file."""
    text = json.dumps(plain(payload), indent=2, allow_nan=False, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def write_csv(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: TextIO) -> None:
    """Write rows of csv; what is missing is an empty cell, and numbers keep every digit."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(["" if _is_missing(value) else value for value in row])


def write_csv_file(columns: Sequence[str], rows: Iterable[Sequence[Any]], path: Path) -> None:
    """Write a csv file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write_csv(columns, rows, file)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))
