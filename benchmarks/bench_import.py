"""The cost of ``import manyviews`` beyond NumPy, against ``import sklearn`` in the same run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks._measure import Comparison, medians

REPEATS = 5
MODULES = ("manyviews", "manyviews.data", "sklearn")


def imports() -> Iterator[Comparison]:
    found = medians(lambda: {each: import_seconds(each) for each in MODULES}, REPEATS)
    mine, reference = found["manyviews"], found["sklearn"]
    met = mine < 0.15 and mine <= 0.3 * reference
    yield Comparison("import manyviews", mine, reference, None, "below 0.15 s and 0.3×", met)
    data = found["manyviews.data"]
    yield Comparison("import manyviews.data", data, reference, None, "", met=True)


def import_seconds(module: str) -> float:
    """Cumulative time of one import, as Python's own ``-X importtime`` reports it."""
    code = f"import numpy, {module}"
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], capture_output=True, text=True, check=True
    )
    for line in done.stderr.splitlines():
        _, cumulative, name = line.removeprefix("import time:").split("|")
        if name.strip() == module:
            return int(cumulative) / 1e6
    raise ValueError(f"{module} was not imported by {code!r}")


SHORT = ALL = (imports,)
