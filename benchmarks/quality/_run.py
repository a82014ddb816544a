"""Measure cells, a set, condition, seed and recipe each, in processes with a time limit."""

from __future__ import annotations

import multiprocessing
import signal
import time
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.quality._recipes import recipes, score
from benchmarks.quality._sets import problem

PATIENCE = 60
"""Seconds after which a fit counts as a hang: the longest good one takes a tenth of it."""


@dataclass(frozen=True)
class Cell:
    """One measurement."""

    task: str
    condition: str
    set: str
    seed: int
    recipe: str
    kind: str
    score: float | None
    """None if it failed or hung."""
    seconds: float
    note: str = ""
    """The error, or the first warning."""


def cells(
    tasks: list[str],
    conditions: list[str],
    sets: list[str],
    seeds: range,
    chosen: list[str],
    *,
    workers: int = 2,
) -> Iterator[Cell]:
    """Measure everything; ``chosen`` are parts of names of recipes, none for all."""
    work = [(*each, chosen) for each in product(sets, tasks, conditions, seeds)]
    if workers == 1:
        for each in work:
            yield from _measured(each)
        return
    with multiprocessing.get_context("spawn").Pool(workers, maxtasksperchild=8) as pool:
        for found in pool.imap_unordered(_measured, work):
            yield from found


def _measured(work: tuple[str, str, str, int, list[str]]) -> list[Cell]:
    name, task, condition, seed, chosen = work
    drawn = problem(name, condition, seed)
    found = []
    for recipe in recipes(task, drawn):
        if chosen and not any(part in recipe.name for part in chosen):
            continue
        began = time.process_time()
        with threadpool_limits(1):  # a core for each worker
            value, note = _tried(task, drawn, recipe, seed)
        seconds = round(time.process_time() - began, 3)
        found.append(
            Cell(task, condition, name, seed, recipe.name, recipe.kind, value, seconds, note)
        )
    return found


def _tried(task: str, drawn: Any, recipe: Any, seed: int) -> tuple[float | None, str]:
    """The score, or none and the reason: a method that fails on a set loses it, no more."""

    def ring(number: int, frame: Any) -> None:  # noqa: ARG001
        raise TimeoutError(f"more than {PATIENCE} s of work")

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            value = score(task, drawn, recipe.make(drawn, seed), seed)
        note = f"{said[0].category.__name__}: {said[0].message}" if said else ""
        return round(value, 5), note[:300]
    except (ValueError, TimeoutError, ArithmeticError, TypeError, IndexError) as error:
        return None, f"{type(error).__name__}: {error}"[:300]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def as_record(cell: Cell) -> dict[str, Any]:
    """A cell as JSON takes it."""
    return asdict(cell)
