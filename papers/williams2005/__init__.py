"""Gaussian kernels of objects of which something is missing, by expectation [@williams2005].

``data`` brings objects with gaps, ``methods`` the kernel matrices and the classifier,
``trials`` joins both. What several tables need is measured once per seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import DataFolder, Measured, Progress, silent
from papers.williams2005.claims import CLAIMS, Curves, Evidence
from papers.williams2005.data import DIGITS, IONOSPHERE
from papers.williams2005.methods import AS_MEASURED, ESTIMATED, METHODS, Choices
from papers.williams2005.tables import (
    DIGITS_SHARES,
    MINES,
    NATURAL,
    PAPER,
    RADAR_SHARES,
    READING_SHARES,
    TRIALS,
)
from papers.williams2005.trials import (
    NARROW,
    READINGS,
    Trial,
    artificial_trial,
    natural_trial,
)

__all__ = ["PAPER", "run"]

Rows = list[list[float]]
Layer = Callable[[int, str], Rows]
"""From a seed and a folder to the rows of a table."""
EVERY = slice(None)


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table, once per seed."""
    for name in PAPER.table(table).data:
        data.path(name)  # so that it is known to be used, and missed at once
    folder = str(data.root)
    if table.startswith("claims"):
        suffix = table.removeprefix("claims")
        return Measured(claims_that_hold(suffix, seeds, folder, progress), NOTES)
    values = measured(table, seeds, folder, progress)
    few = TRIALS[table] < len(seeds)
    note = f"Measured for the first {TRIALS[table]} seeds."
    return Measured(values, (note,) if few else ())


def measured(table: str, seeds: range, folder: str, progress: Progress = silent) -> FloatArray:
    """Seeds × rows × columns of a figure or table; NaN for the seeds it does not go through."""
    known, chosen = PAPER.table(table), seeds[: TRIALS[table]]
    values = np.full((len(seeds), len(known.rows), len(known.columns)), np.nan)
    for number, seed in enumerate(chosen):
        progress(number, len(chosen), f"{table} seed {seed}")
        values[number] = LAYERS[table](seed, folder)
    progress(len(chosen), len(chosen))
    return values


def claims_that_hold(suffix: str, seeds: range, folder: str, progress: Progress) -> FloatArray:
    """Share of the points for which each claim is true, the same for every seed."""

    def curves(key: str, rows: slice = EVERY) -> Curves:
        figure = f"{key}{suffix}"
        means = measured(figure, seeds, folder, progress)[: TRIALS[figure], rows].mean(axis=0)
        return dict(zip(PAPER.table(figure).columns, means.T, strict=True))

    natural = curves("2", slice(-len(NATURAL), None))
    evidence = Evidence(curves("figure-1a"), curves("figure-1b"), curves("figure-2"), natural)
    return np.array([[[holds(evidence)] for holds in CLAIMS.values()]] * len(seeds))


def _curves(
    name: str, shares: tuple[str, ...], choices: Choices, of: Callable[[Trial], list[float]]
) -> Layer:
    """One trial for each share."""
    return lambda seed, folder: [
        of(artificial_trial(name, float(share), seed, folder, choices)) for share in shares
    ]


def _areas(trial: Trial) -> list[float]:
    return [trial.auc[name] for name in METHODS]


def _distances(trial: Trial) -> list[float]:
    return [trial.distance[name] for name in ESTIMATED]


def _natural(n_mines: int, choices: Choices) -> Layer:
    """Rows of land mines, which are not public, and of sets of data that came with gaps."""

    def rows(seed: int, folder: str) -> Rows:
        found = [natural_trial(name, seed, folder, choices) for name in NATURAL]
        unknown = [[np.nan] * len(ESTIMATED)] * n_mines
        return [*unknown, *([auc[name] for name in ESTIMATED] for auc in found)]

    return rows


def _layers(suffix: str, n_mines: int, choices: Choices) -> dict[str, Layer]:
    return {
        f"figure-1a{suffix}": _curves(IONOSPHERE, RADAR_SHARES, choices, _areas),
        f"figure-1b{suffix}": _curves(IONOSPHERE, RADAR_SHARES, choices, _distances),
        f"figure-2{suffix}": _curves(DIGITS, DIGITS_SHARES, choices, _areas),
        f"2{suffix}": _natural(n_mines, choices),
    }


def _readings(of: Callable[[Trial], list[float]]) -> Layer:
    """One trial for each reading and share; the shares stand side by side."""

    def row(choices: Choices, seed: int, folder: str) -> list[float]:
        trials = _curves(IONOSPHERE, READING_SHARES, choices, of)(seed, folder)
        return [value for trial in trials for value in trial]

    return lambda seed, folder: [row(choices, seed, folder) for choices in READINGS.values()]


LAYERS: dict[str, Layer] = {
    **_layers("", len(MINES), AS_MEASURED),
    **_layers("-narrow", 0, NARROW),
    "readings": _readings(_areas),
    "readings-1b": _readings(_distances),
}

NOTES = (
    "The sentences are about means over the trials, so that every seed has the same number.",
    "A lead counts here however small it is; the figures say how sure it is.",
    "Little and much missing are the first and the last three shares of a figure.",
)
