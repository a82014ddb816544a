"""Interleaved timing: candidate and reference take turns, so that both meet the same weather."""

from __future__ import annotations

import math
import re
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Comparison:
    """A candidate beside its reference."""

    name: str
    seconds: float
    reference_seconds: float
    extra_bytes: int | None
    goal: str
    met: bool

    @property
    def ratio(self) -> float:
        """How many times the reference's time the candidate takes."""
        return self.seconds / self.reference_seconds


def compare(
    name: str,
    candidate: Callable[[], object],
    reference: Callable[[], object],
    *,
    at_most: float | None = None,
    repeats: int = 7,
) -> Comparison:
    """Median CPU seconds of both, turn by turn, and the memory the candidate adds.

    Without ``at_most`` the figures are shown and no goal is set.
    """
    candidate(), reference()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for slot, work in zip(times, (candidate, reference), strict=True):
            start = time.process_time()
            work()
            slot.append(time.process_time() - start)
    mine, theirs = statistics.median(times[0]), statistics.median(times[1])
    return Comparison(
        name,
        mine,
        theirs,
        peak_bytes(candidate),
        f"at most {at_most:g}×" if at_most is not None else "",
        at_most is None or mine <= at_most * theirs,
    )


def growth_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """The power of the size with which the time grows: the slope of its logarithm."""
    return statistics.linear_regression(
        [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    ).slope


def peak_bytes(work: Callable[[], object]) -> int:
    """The most memory that was allocated while working, beyond what was there."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result
    return peak


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of one run."""
    start = time.process_time()
    work()
    return time.process_time() - start


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """CPU seconds of one run, and what it gave."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def medians(measure: Callable[[], dict[str, float]], repeats: int = 5) -> dict[str, float]:
    """Repeat a round of measurements and take the median of each."""
    rounds = [measure() for _ in range(repeats)]
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def resident_peak(module: str, prepare: str, work: str) -> int:
    """Memory of a process of its own that prepares and works, beyond one that only prepares.

    Both are expressions over the names of a module of benchmarks. What compiled libraries allocate
    is counted, which ``peak_bytes`` does not see.
    """
    report = "from benchmarks._measure import print_resident_peak; print_resident_peak()"
    sizes = []
    for steps in ((prepare, work), (prepare,)):
        code = "\n".join([f"from benchmarks.{module} import *", *steps, report])
        done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE)
        sizes.append(int(done.stdout))
    return max(sizes[0] - sizes[1], 0)


def print_resident_peak() -> None:
    """Say the most memory this process ever had; getrusage would tell of the parent, too."""
    status = Path("/proc/self/status").read_text()
    print(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024)
