"""Measure the defaults: ``python -m benchmarks.quality [RECIPE ...]``, ``make quality``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.quality._recipes import TASKS
from benchmarks.quality._report import condensed, rows
from benchmarks.quality._run import as_record, cells
from benchmarks.quality._sets import CONDITIONS, SETS

KEPT = Path(__file__).parent / "found.json"
PACKAGES = ("manyviews", "numpy", "scipy", "scikit-learn", "imml", "mvlearn", "sslearn")


def main() -> int:
    """Measure, print a table for each task and condition, and keep the cells as JSON."""
    options = _options()
    tasks, conditions, sets = options.task, options.condition, options.sets
    found = []
    total = len(tasks) * len(conditions) * len(sets) * options.seeds
    work = cells(
        tasks, conditions, sets, range(options.seeds), options.recipes, workers=options.workers
    )
    console = Console(width=130)
    seen = set()
    for cell in work:
        found.append(as_record(cell))
        key = (cell.task, cell.condition, cell.set, cell.seed)
        if key not in seen and sys.stderr.isatty():
            console.print(f"{len(seen)}/{total} {key}", end="\r")
        seen.add(key)
    if options.cells:
        Path(options.cells).write_text(json.dumps(found))
    if options.out:
        kept = {
            "date": date.today().isoformat(),
            "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
            "python": platform.python_version(),
            "versions": dict(_versions()),
            "seeds": options.seeds,
        }
        Path(options.out).write_text(_lines(kept, condensed(found)))
    for task in tasks:
        for condition in conditions:
            console.print(_table(found, task, condition))
    return 0


def _lines(kept: dict[str, object], records: list[dict[str, object]]) -> str:
    """JSON with a line for each record, so that a change is seen where it is."""
    head = json.dumps(kept, indent=1).removesuffix("\n}")
    body = ",\n  ".join(json.dumps(record) for record in records)
    return f'{head},\n "found": [\n  {body}\n ]\n}}\n'


def _versions() -> Iterator[tuple[str, str]]:
    """Of the packages that are installed."""
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            yield name, version(name)


def _table(found: list[dict[str, object]], task: str, condition: str) -> Table:
    own = [cell for cell in found if (cell["task"], cell["condition"]) == (task, condition)]
    table = Table(
        "recipe",
        "kind",
        "mean",
        "against reference",
        "rank",
        "sets",
        "failed",
        "s",
        title=f"{task}, {condition}",
    )
    for row in rows(own, task):
        table.add_row(
            row.recipe,
            row.kind,
            f"{row.mean:.3f}",
            f"{row.difference:+.3f} ± {row.error:.3f}",
            f"{row.rank:.1f}",
            str(row.sets),
            str(row.failures or ""),
            f"{row.seconds:.2f}",
        )
    return table


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality", description=__doc__)
    parser.add_argument("recipes", nargs="*", help="parts of names of recipes; all by default")
    parser.add_argument("--task", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--condition", nargs="+", default=list(CONDITIONS), choices=CONDITIONS)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--seeds", type=int, default=2, help="draws of each set")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", help=f"file to keep the cells in, such as {KEPT.name}")
    parser.add_argument("--cells", help="file for every single cell, with its warning or error")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
