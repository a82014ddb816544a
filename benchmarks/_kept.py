"""Earlier measurements, row by row in ``found.json``, and whether today's is slower.

The file is of whoever measures and no part of the project: there is none until ``--keep`` makes it.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Iterable
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks._measure import Comparison

KEPT = Path(__file__).with_name("found.json")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
WORSE = 1.1
"""A ratio that is higher by this factor is marked if the repeats do not explain it: chosen as the
least that is worth a look, not measured."""

Record = dict[str, Any]
Key = tuple[str, str, str]
"""Benchmark, row and machine: ratios of two machines are not compared, nor replace each other."""


@cache
def machine() -> str:
    """The processor, its cores, and the kernels that OpenBLAS chose for it."""
    from threadpoolctl import threadpool_info

    kernels = {one["architecture"] for one in threadpool_info() if "architecture" in one}
    blas = ", OpenBLAS " + "/".join(sorted(kernels)) if kernels else ""
    return f"{_processor()}, {os.cpu_count()} cores{blas}"


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    lines = described.read_text().splitlines() if described.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


@cache
def _versions() -> tuple[tuple[str, str], ...]:
    found = [("python", platform.python_version())]
    found += [(name, version(name)) for name in PACKAGES]
    return (*found, ("manyviews", _commit()))


def _commit() -> str:
    asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True)
    return done.stdout.strip() or version("manyviews")  # of a checkout, or of an archive


def as_record(benchmark: str, row: Comparison) -> Record:
    """A row with the day, the machine and the versions that it was measured on."""
    return {
        "benchmark": benchmark,
        "row": row.name,
        "ratio": row.ratio,
        "quartiles": row.quartiles,
        "seconds": row.seconds,
        "reference_seconds": row.reference_seconds,
        "extra_bytes": row.extra_bytes,
        "found": row.found,
        "goal": row.goal,
        "met": bool(row.met),
        "date": date.today().isoformat(),
        "machine": machine(),
        "versions": dict(_versions()),
    }


def load(path: Path = KEPT) -> dict[Key, Record]:
    """All rows that are kept."""
    if not path.exists():
        return {}
    return {key(record): record for record in json.loads(path.read_text(encoding="utf-8"))}


def key(record: Record) -> Key:
    return record["benchmark"], record["row"], record["machine"]


def keep(records: Iterable[Record], path: Path = KEPT) -> None:
    """Replace the rows that were measured, in one step, and leave all others as they are."""
    rows = load(path) | {key(record): record for record in records}
    lines = ",\n ".join(json.dumps(rows[each], ensure_ascii=False) for each in sorted(rows))
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(f"[{lines}]\n", encoding="utf-8")
    fresh.replace(path)


def change(row: Comparison, before: Record | None) -> float | None:
    """By which factor the ratio is higher than the one that is kept, if one is."""
    return None if before is None else row.ratio / before["ratio"]


def slower(row: Comparison, before: Record | None) -> bool:
    """Whether the ratio is higher by a tenth, and the quartiles of its rounds beyond those kept.

    Without rounds there is no telling.
    """
    factor = change(row, before)
    if factor is None or row.quartiles is None or before["quartiles"] is None:
        return False
    return factor > WORSE and row.quartiles[0] > before["quartiles"][1]
