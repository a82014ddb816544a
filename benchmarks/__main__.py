"""Measure speed: ``python -m benchmarks [NAME ...] [--short] [--keep]``, ``make bench``.

Without names: the short rows of all benchmarks, under ten minutes. ``all``: all rows of all, about
two hours. Names, such as ``views co_em``: all rows of those, or with ``--short`` the short ones.
"""

from __future__ import annotations

import argparse
import os
import pkgutil
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks._kept import KEPT, as_record, change, keep, key, load, slower
from benchmarks._measure import Comparison, Measurement, MissingPeerError, label

WIDTH = 160
"""Columns of the table where it is not printed to a terminal."""


@dataclass(frozen=True)
class Missed:
    """A row that could not be measured."""

    name: str
    why: str
    fails: bool


def main(arguments: list[str]) -> int:
    """Print one row per comparison; return 1 if a goal was missed."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"  # CPU seconds of one thread; NumPy is not loaded yet
    options = _options(arguments)
    everything = "all" in options.names
    names = benchmarks() if everything or not options.names else options.names
    short = options.short or not options.names
    work = {name: measurements(name, short=short) for name in names}
    kept, rows = load(options.kept), []
    try:
        for name, found in measured(work):
            rows.append((name, found))
            if options.keep and isinstance(found, Comparison):
                keep([as_record(name, found)], options.kept)
    finally:  # also of a run that is broken off
        Console(width=None if sys.stdout.isatty() else WIDTH).print(table(rows, kept))
    return int(
        any(found.fails if isinstance(found, Missed) else not found.met for _, found in rows)
    )


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="all, or some of the benchmarks")
    parser.add_argument("--short", action="store_true", help="the short rows of those named")
    parser.add_argument("--keep", action="store_true", help=f"write them into {KEPT.name}")
    parser.add_argument("--kept", type=Path, default=KEPT, help="another file to keep rows in")
    options = parser.parse_args(arguments)
    for name in options.names:
        if name not in (known := ["all", *benchmarks()]):
            parser.error(f"no benchmark is called {name!r}; there are {', '.join(known)}")
    return options


def benchmarks() -> list[str]:
    """Found, not listed: files whose name begins with ``bench_``."""
    modules = pkgutil.iter_modules([str(Path(__file__).parent)])
    names = sorted(module.name for module in modules)
    return [name.removeprefix("bench_") for name in names if name.startswith("bench_")]


def measurements(name: str, *, short: bool) -> tuple[Measurement, ...]:
    module = import_module(f"benchmarks.bench_{name}")
    return module.SHORT if short else module.ALL


def measured(
    work: dict[str, tuple[Measurement, ...]],
) -> Iterator[tuple[str, Comparison | Missed]]:
    """Rows one after the other; says on stderr what is measured now, and how long all took."""
    total, start, place = sum(map(len, work.values())), time.monotonic(), 0
    for name, several in work.items():
        for measurement in several:
            place += 1
            minutes, seconds = divmod(int(time.monotonic() - start), 60)
            print(
                f"{minutes:3d}:{seconds:02d}  {place}/{total}  {name}: {label(measurement)}",
                file=sys.stderr,
                flush=True,
            )
            yield from ((name, found) for found in attempted(measurement))


def attempted(measurement: Measurement) -> Iterator[Comparison | Missed]:
    """The rows, or that a peer is missing, or how it failed: the others are measured anyway."""
    try:
        found = measurement()
        yield from [found] if isinstance(found, Comparison) else found
    except MissingPeerError as missing:
        yield Missed(label(measurement), str(missing), fails=False)
    except Exception as error:
        traceback.print_exc()
        yield Missed(label(measurement), f"FAILED: {type(error).__name__}", fails=True)


def table(rows: list[tuple[str, Comparison | Missed]], kept: dict) -> Table:
    """One line per row, with the change from what is kept of this machine."""
    made = Table(
        "benchmark", "row", "seconds", "reference", "ratio", "was", "memory", "goal", "met"
    )
    for name, row in rows:
        if isinstance(row, Missed):
            made.add_row(name, row.name, "", "", "", "", "", row.why, "NO" if row.fails else "")
            continue
        memory = "" if row.extra_bytes is None else f"{row.extra_bytes / 2**20:.1f} MiB"
        made.add_row(
            name,
            f"{row.name}; {row.found}" if row.found else row.name,
            f"{row.seconds:.3g}",
            f"{row.reference_seconds:.3g}",
            f"{row.ratio:.2f}",
            before(name, row, kept),
            memory,
            row.goal,
            ("yes" if row.met else "NO") if row.goal else "",
        )
    return made


def before(name: str, row: Comparison, kept: dict) -> str:
    """The kept ratio and the change since, marked if it is slower."""
    old = kept.get(key(as_record(name, row))) if kept else None
    if old is None:
        return ""
    percent = f"{change(row, old) - 1:+.0%}"
    return f"{old['ratio']:.2f} {percent}" + (" SLOWER" if slower(row, old) else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
