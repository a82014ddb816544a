"""A finished reproduction: what was run on what, all numbers, and the verdicts, as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import manyviews
from manyviews.data import replaced_file
from papers._frame.data import DataFolder
from papers._frame.paper import Experiment, Paper, Progress, Table, silent
from papers._frame.verdict import Cell, compare


@dataclass(frozen=True)
class TableReport:
    """One table with our numbers beside the published ones."""

    table: Table
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """Everything a reader needs to believe the numbers, or to repeat them."""

    paper: Paper
    tables: tuple[TableReport, ...]
    seeds: tuple[int, ...]
    checksums: Mapping[str, str]
    date: str
    versions: Mapping[str, str]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Cells of all tables."""
        return tuple(cell for table in self.tables for cell in table.cells)

    def as_dict(self) -> dict[str, Any]:
        """Return the report in plain types; a number that is not there is ``None``."""
        return {
            "paper": {
                "key": self.paper.key,
                "title": self.paper.title,
                "authors": list(self.paper.authors),
                "year": self.paper.year,
            },
            "date": self.date,
            "versions": dict(self.versions),
            "data": dict(self.checksums),
            "seeds": list(self.seeds),
            "deviations": list(self.paper.deviations),
            "tables": [_table_as_dict(table) for table in self.tables],
        }

    def as_json(self) -> str:
        """Return the report as JSON text."""
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON whole or not at all."""
        with replaced_file(Path(path)) as temporary:
            temporary.write_text(self.as_json(), encoding="utf-8")


def run_experiment(
    experiment: Experiment,
    *,
    data: DataFolder,
    tables: Sequence[str] | None = None,
    seeds: range | None = None,
    progress: Progress = silent,
) -> Report:
    """Measure some tables of a paper, or all, and judge them.

    Parameters
    ----------
    experiment : Experiment
        From :func:`load_experiment`.
    data : DataFolder
        Where real data are.
    tables : sequence of str, optional
        Keys of the tables; all by default.
    seeds : range, optional
        One repetition per seed; by default as many as the paper's file says.
    progress : callable
        Told how far the experiment is.

    Returns
    -------
    Report
    """
    paper = experiment.paper
    seeds = range(paper.seeds) if seeds is None else seeds
    chosen = paper.tables if tables is None else tuple(paper.table(key) for key in tables)
    for name in dict.fromkeys(name for table in chosen for name in table.data):
        data.path(name)  # all data are known to be there before the first table is run
    return Report(
        paper,
        tuple(_run_table(experiment, table, seeds, data, progress) for table in chosen),
        tuple(seeds),
        data.checksums(),
        datetime.now(UTC).isoformat(timespec="seconds"),
        _versions(),
    )


def _versions() -> dict[str, str]:
    """Versions of Python, of the library and of what it computes with."""
    packages = ("numpy", "scipy", "scikit-learn")
    found = {"python": platform.python_version(), "manyviews": manyviews.__version__}
    return found | {name: version(name) for name in packages}


def _run_table(
    experiment: Experiment, table: Table, seeds: range, data: DataFolder, progress: Progress
) -> TableReport:
    measured = experiment.run(table.key, seeds=seeds, data=data, progress=progress)
    if len(measured.values) != len(seeds):
        raise ValueError(
            f"{experiment.paper.key} measured {len(measured.values)} repetitions of table "
            f"{table.key!r} where {len(seeds)} were asked for."
        )
    return TableReport(table, compare(table, measured), measured.notes)


def _table_as_dict(report: TableReport) -> dict[str, Any]:
    table = report.table
    return {
        "key": table.key,
        "caption": table.caption,
        "resolution": table.resolution,
        "notes": list(report.notes),
        "cells": [
            {
                "row": cell.row,
                "column": cell.column,
                "published": cell.published,
                "published_spread": cell.published_spread,
                "higher_is_better": table.direction(cell.column),
                "mean": cell.mean,
                "spread": cell.spread,
                "verdict": str(cell.verdict),
                "reason": cell.reason,
                "values": list(cell.values),
            }
            for cell in report.cells
        ],
    }
