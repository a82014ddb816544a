"""What ``import manyviews`` costs beyond NumPy, against ``import sklearn`` in the same run."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterator

from benchmarks._measure import Comparison

REPEATS = 7


def run() -> Iterator[Comparison]:
    front_door, container, sklearn = [], [], []
    for _ in range(REPEATS):
        front_door.append(import_seconds("import numpy, manyviews", "manyviews"))
        container.append(import_seconds("import numpy, manyviews.data", "manyviews.data"))
        sklearn.append(import_seconds("import numpy, sklearn", "sklearn"))
    reference = statistics.median(sklearn)
    mine = statistics.median(front_door)
    met = mine < 0.15 and mine <= 0.3 * reference
    yield Comparison("import manyviews", mine, reference, None, "below 0.15 s and 0.3×", met)
    seconds = statistics.median(container)
    yield Comparison("import manyviews.data", seconds, reference, None, "", met=True)


def import_seconds(code: str, module: str) -> float:
    """Cumulative time of one import, as Python's own ``-X importtime`` reports it."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    for line in done.stderr.splitlines():
        _, cumulative, name = line.removeprefix("import time:").split("|")
        if name.strip() == module:
            return int(cumulative) / 1e6
    raise ValueError(f"{module} was not imported by {code!r}")
