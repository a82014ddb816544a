"""Interleaved timing: candidate and reference take turns, so that both meet the same weather."""

from __future__ import annotations

import math
import re
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")


class Median(float):
    """A median that remembers what it is the median of, round by round."""

    rounds: tuple[float, ...]

    @classmethod
    def of(cls, values: Iterable[float]) -> Median:
        rounds = tuple(values)
        found = cls(statistics.median(rounds))
        found.rounds = rounds
        return found

    def scaled(self, factor: float) -> Median:
        return Median.of(factor * value for value in self.rounds)


@dataclass(frozen=True)
class Comparison:
    """A candidate beside its reference."""

    name: str
    """What is compared, and nothing that a run finds: rows are kept by their names."""
    seconds: float
    reference_seconds: float
    extra_bytes: int | None
    goal: str
    met: bool
    found: str = ""
    """What else came out, such as an accuracy or an exponent."""

    @property
    def ratio(self) -> float:
        """How many times the reference's time the candidate takes."""
        return self.seconds / self.reference_seconds

    @property
    def quartiles(self) -> tuple[float, float] | None:
        """Of the ratio over the rounds; None where the two were not measured in turns."""
        mine = getattr(self.seconds, "rounds", ())
        theirs = getattr(self.reference_seconds, "rounds", ())
        if len(mine) < 2 or len(mine) != len(theirs):
            return None
        ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
        low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
        return low, high


Measurement: TypeAlias = "Callable[[], Comparison | Iterator[Comparison]]"
"""What gives one row or several when it is called. Every benchmark names two tuples of them:
``SHORT``, which ``make bench`` measures, and ``ALL``. They are partials of functions, so that
progress can say what is measured before it is."""


class MissingPeerError(Exception):
    """A package to compare with is not installed, or does not run here."""


def peer(module: str, name: str) -> Any:
    """Something of a package that this project does not depend on."""
    package = module.split(".")[0]
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise MissingPeerError(f"{package} does not run here: {error}") from error
        raise MissingPeerError(f"{package} is not installed") from error
    except (ImportError, AttributeError) as error:  # of versions that do not know each other
        raise MissingPeerError(f"{package} does not run here: {error}") from error


def label(measurement: Measurement) -> str:
    """The function that measures and its plain arguments, in words."""
    if not isinstance(measurement, partial):
        return measurement.__name__.strip("_").replace("_", " ")
    arguments = [*measurement.args, *(measurement.keywords or {}).values()]
    return " ".join([label(measurement.func), *filter(None, map(_in_words, arguments))])


def _in_words(argument: object) -> str:
    if isinstance(argument, tuple | list):
        return ", ".join(filter(None, map(_in_words, argument)))
    if isinstance(argument, int) and not isinstance(argument, bool):
        return f"{argument:,}"
    return str(argument) if isinstance(argument, str | float) else ""


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
    found = medians(
        lambda: {"mine": cpu_seconds(candidate), "theirs": cpu_seconds(reference)}, repeats
    )
    mine, theirs = found["mine"], found["theirs"]
    return Comparison(
        name,
        mine,
        theirs,
        peak_bytes(candidate),
        f"at most {at_most:g}×" if at_most is not None else "",
        at_most is None or mine <= at_most * theirs,
    )


def growing(
    name: str,
    sizes: Sequence[float],
    seconds: Sequence[float],
    *,
    at_most: float | None = None,
    power: float = 1.0,
    extra_bytes: int | None = None,
) -> Comparison:
    """The time at the largest size, beside that at the smallest if it grew with the power."""
    exponent = growth_exponent(sizes, seconds)
    factor = (sizes[-1] / sizes[0]) ** power
    first = seconds[0]
    return Comparison(
        f"{name}: growth from {sizes[0]:,} to {sizes[-1]:,}",
        seconds[-1],
        first.scaled(factor) if isinstance(first, Median) else first * factor,
        extra_bytes,
        f"exponent at most {at_most:g}" if at_most is not None else "",
        at_most is None or exponent <= at_most,
        f"exponent {exponent:.2f}",
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
    return timed(work)[0]


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """CPU seconds of one run, and what it gave."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def medians(measure: Callable[[], dict[str, float]], repeats: int = 5) -> dict[str, Median]:
    """Repeat a round of measurements and take the median of each."""
    rounds = [measure() for _ in range(repeats)]
    return {name: Median.of(each[name] for each in rounds) for name in rounds[0]}


def seconds_by_size(
    works: dict[Any, Callable[[], object]], repeats: int = 5
) -> tuple[tuple[Any, ...], tuple[Median, ...]]:
    """Sizes, and the median CPU seconds of the work of each, in turns."""
    found = medians(lambda: {size: cpu_seconds(work) for size, work in works.items()}, repeats)
    return tuple(found), tuple(found.values())


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
