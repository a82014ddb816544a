"""Interleaved timing: candidate and reference take turns, so that both meet the same weather."""

from __future__ import annotations

import math
import statistics
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass


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
