"""Run every benchmark, or those named: ``python -m benchmarks [views import ...]``."""

from __future__ import annotations

import os
import pkgutil
import sys
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.table import Table

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # CPU seconds of one thread; NumPy is not loaded yet


def main(names: list[str]) -> int:
    """Print one row per comparison; return 1 if a goal was missed."""
    table = Table("benchmark", "seconds", "reference", "ratio", "memory", "goal", "met")
    missed = 0
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        name = module.name.removeprefix("bench_")
        if not module.name.startswith("bench_") or (names and name not in names):
            continue
        for row in import_module(f"benchmarks.{module.name}").run():
            missed += not row.met
            memory = "" if row.extra_bytes is None else f"{row.extra_bytes / 2**20:.1f} MiB"
            table.add_row(
                row.name,
                f"{row.seconds:.3g}",
                f"{row.reference_seconds:.3g}",
                f"{row.ratio:.2f}",
                memory,
                row.goal,
                ("yes" if row.met else "NO") if row.goal else "",
            )
    Console(width=120).print(table)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
