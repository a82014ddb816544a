"""Multiple kernel learning via binary classification, chapters 5 and 6 of the thesis [@kumar2013].

A seed is a split into four fifths to learn from and a fifth to test, the same for all methods and
both sets of kernels; the toy data are drawn anew for each seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import DataFolder, Measured, Progress
from papers.kumar2013_mkl.tables import NOTES, PAPER

__all__ = ["PAPER", "run"]


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table or figure."""
    measure = _measures(data)[table]
    rows = PAPER.table(table).rows
    layers: list[FloatArray] = []
    for seed in seeds:
        found = []
        for place, row in enumerate(rows):
            done = len(layers) * len(rows) + place
            progress(done, len(seeds) * len(rows), f"{table} {row}, split {seed}")
            found.append(measure(row, seed))
        layers.append(np.array(found, dtype=float))
    return Measured(np.stack(layers), NOTES.get(table, ()))


def _measures(data: DataFolder) -> dict[str, Callable[[str, int], list[float]]]:
    """What measures a row of each table for a seed."""
    from papers.kumar2013_mkl import k_space, methods, published

    def many(method: str, seed: int) -> list[float]:
        columns = published.KERNEL_SETS
        return [methods.many_kernels(method, column, seed, data) for column in columns]

    def single(method: str, seed: int) -> list[float]:
        return [methods.single_features(method, name, seed, data) for name in published.SETS]

    return {
        "two-circles": k_space.circle_accuracy,
        "6.1": single,
        "5.2": many,
        "5.3": lambda row, seed: methods.seconds(row, seed, data),
        "solvers": lambda row, seed: methods.solver(row, seed, data),
        "football": lambda row, seed: list(methods.football(row, seed, data)),
        "6.3": single,
        "figure-5.1": k_space.figure_5_1,
        "figure-6.1": k_space.figure_6_1,
    }
