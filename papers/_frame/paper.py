"""A paper's tables as data, and the shape of what an experiment hands back."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from manyviews.typing import FloatArray
from papers._frame.data import DataFolder

Numbers: TypeAlias = tuple[tuple[float | None, ...], ...]
"""Rows of a published table; ``None`` where the paper gives no number."""

Place: TypeAlias = str | tuple[str, str]
"""A row or a column by its name, or one cell as (row, column)."""


def published(key: str) -> dict[str, Any]:
    """Return what a paper prints, by table, from ``published/KEY.toml``.

    A table has ``columns``, and by row ``values`` and, where they are printed, ``spreads``. What is
    not printed is ``nan`` in the file and None here.

    Examples
    --------
    >>> published("desa2005")["section-2"]["values"]["any noise"]
    (0.05, 0.81, 0.92)
    """
    text = (Path(__file__).parents[1] / "published" / f"{key}.toml").read_text(encoding="utf-8")
    found: dict[str, Any] = _frozen(tomllib.loads(text))
    return found


def unpublished(n_rows: int, n_columns: int) -> Numbers:
    """Return the numbers of a table that the paper draws, or leaves out."""
    return ((None,) * n_columns,) * n_rows


def _frozen(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _frozen(each) for name, each in node.items()}
    if isinstance(node, list):
        return tuple(_frozen(each) for each in node)
    return None if isinstance(node, float) and math.isnan(node) else node


@dataclass(frozen=True)
class Table:
    """One published table: its numbers, how to judge ours against them, and why they differ.

    Examples
    --------
    >>> table = Table("1", "Entropy", rows=("both",), columns=("A", "B"), values=((1.66, None),))
    >>> table.published("both", "A"), table.published("both", "B")
    (1.66, None)
    """

    key: str
    """What the paper calls it, as typed after ``--table``."""
    caption: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Numbers
    spreads: Numbers | None = None
    """Published spreads, where there are any; see ``standard_errors_over``."""
    standard_errors_over: int | None = None
    """When the spreads are standard errors: over how many runs. Else they are deviations."""
    higher_is_better: bool | Mapping[str, bool | None] | None = None
    """For the table, or by column; ``None`` where no direction is better."""
    resolution: float = 0.0
    """The smallest difference that counts: the rounding of the table, the step of a scan."""
    decimals: int = 2
    """With how many decimals the paper prints."""
    data: tuple[str, ...] = ()
    """The data sets that measuring it reads, as folders or as ``folder/file``."""
    axes: tuple[str, str] | None = None
    """When the rows are numbers along which the columns are curves: what they are, and what is
    measured."""
    reasons: Mapping[Place, str] = field(default_factory=dict)
    """Why ours differ, by cell, row or column; the narrowest is shown."""

    def __post_init__(self) -> None:
        self._check_shape(self.values, "values")
        if self.spreads is not None:
            self._check_shape(self.spreads, "spreads")
        for names, kind in ((self.rows, "rows"), (self.columns, "columns")):
            if len(set(names)) < len(names):
                raise ValueError(f"table {self.key!r} names two {kind} alike; rename one.")
        if not 0 <= self.resolution < math.inf:
            raise ValueError(f"table {self.key!r} has the resolution {self.resolution}.")
        for place in self.reasons:
            self._check_place(place)

    def _check_shape(self, numbers: Numbers, kind: str) -> None:
        widths = {len(row) for row in numbers}
        if len(numbers) != len(self.rows) or widths - {len(self.columns)}:
            raise ValueError(
                f"{kind} of table {self.key!r} should have {len(self.rows)} rows of "
                f"{len(self.columns)} numbers."
            )

    def _check_place(self, place: Place) -> None:
        names = {*self.rows, *self.columns}
        cells = {(row, column) for row in self.rows for column in self.columns}
        if place not in names and place not in cells:
            raise ValueError(
                f"a reason of table {self.key!r} names {place!r}, which is neither a row, "
                "a column nor a (row, column) of it."
            )

    def published(self, row: str, column: str) -> float | None:
        """Return the number the paper gives."""
        return self.values[self.rows.index(row)][self.columns.index(column)]

    def published_spread(self, row: str, column: str) -> float | None:
        """Return the spread the paper gives, as a standard deviation over its runs."""
        if self.spreads is None:
            return None
        spread = self.spreads[self.rows.index(row)][self.columns.index(column)]
        if spread is None or self.standard_errors_over is None:
            return spread
        return spread * math.sqrt(self.standard_errors_over)

    def direction(self, column: str) -> bool | None:
        """Return whether higher is better in a column; ``None`` for no direction."""
        if isinstance(self.higher_is_better, Mapping):
            return self.higher_is_better.get(column)
        return self.higher_is_better

    def reason(self, row: str, column: str) -> str | None:
        """Return the stated reason for a difference: of the cell, else the row, else the column."""
        for place in ((row, column), row, column):
            if place in self.reasons:
                return self.reasons[place]
        return None


@dataclass(frozen=True)
class Paper:
    """What identifies a paper, its tables, and how its experiments are run by default."""

    key: str
    title: str
    authors: tuple[str, ...]
    year: int
    tables: tuple[Table, ...]
    seeds: int = 10
    """How many repetitions, unless the user says."""
    quick_seeds: int = 2
    """How many when only asked whether it runs."""
    deviations: tuple[str, ...] = ()
    """Where the experiment departs from the paper's words, or had to choose; one sentence each."""

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets its tables need, each once."""
        return tuple(dict.fromkeys(name for table in self.tables for name in table.data))

    def table(self, key: str) -> Table:
        """Return one table by its key."""
        for table in self.tables:
            if table.key == key:
                return table
        known = ", ".join(repr(table.key) for table in self.tables)
        raise ValueError(f"{self.key} has no table {key!r}; its tables are {known}.")


@dataclass(frozen=True)
class Measured:
    """Our numbers for one table, one layer per seed; NaN where nothing was measured."""

    values: FloatArray
    """Seeds × rows × columns."""
    notes: tuple[str, ...] = ()
    """What a reader of the numbers should know, one sentence each."""

    def __post_init__(self) -> None:
        if self.values.ndim != 3:
            raise ValueError(
                f"measured values have shape {self.values.shape}; give seeds × rows × columns."
            )
        if np.isinf(self.values).any():
            raise ValueError("measured values hold infinity; use NaN where nothing was measured.")


class Progress(Protocol):
    """Called by an experiment as it goes on."""

    def __call__(self, done: int, total: int, doing: str = "") -> None:
        """Tell that ``done`` of ``total`` steps are made, and what is being done."""


def silent(done: int, total: int, doing: str = "") -> None:
    """Say nothing about the progress."""


class Run(Protocol):
    """The experiment behind a paper's tables."""

    def __call__(
        self, table: str, *, seeds: range, data: DataFolder, progress: Progress
    ) -> Measured:
        """Measure one table, once per seed."""


@dataclass(frozen=True)
class Experiment:
    """A paper with the function that measures its tables."""

    paper: Paper
    run: Run
