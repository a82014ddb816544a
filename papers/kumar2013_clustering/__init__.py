"""Co-trained and co-regularised spectral clustering, chapters 3 and 4 of the thesis [@kumar2013].

Every object is placed once by a method and the places are clustered by k-means from as many random
starts as there are seeds; synthetic data are drawn anew for each seed. Like the text, a table
reports the best single view, for baselines the better of two views and all, and for
co-regularisation the best λ of a range: all chosen by the classes, as is said in the notes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import DataFolder, Measured, Progress
from papers.kumar2013_clustering import published
from papers.kumar2013_clustering.tables import CHAPTER_3, CURVES, PAPER

__all__ = ["PAPER", "run"]


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table or figure."""
    if table in CHAPTER_3:
        return Measured(_scores(table, CHAPTER_3[table], seeds, data, progress))
    if table == "4.1":
        return _all_sets(seeds, data, progress)
    return Measured(_curves(table, seeds, data, progress))


def _scores(
    table: str, name: str, seeds: range, data: DataFolder, progress: Progress
) -> FloatArray:
    """Six scores for each method on one set of data."""
    rows = PAPER.table(table).rows
    values = []
    for number, method in enumerate(rows):
        progress(number, len(rows), f"{table} {method}")
        values.append(_method_scores(method, name, seeds, data))
    return np.stack(values, axis=1)


def _method_scores(method: str, name: str, seeds: range, data: DataFolder) -> FloatArray:
    """Seeds × scores of one method; what is read from disk is placed once."""
    from papers.kumar2013_clustering.methods import best, embeddings, scores
    from papers.kumar2013_clustering.settings import is_drawn, setting

    found = []
    for seed in seeds:
        if seed == seeds[0] or is_drawn(name):
            known = setting(name, seed, data)
            placed = embeddings(method, known)
        found.append(scores(known, placed, seed))
    return best(np.array(found))


def _all_sets(seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Table 4.1: NMI of every method on every set, where the text has a number."""
    table = PAPER.table("4.1")
    nmi = published.SCORES.index("NMI")
    values = np.full((len(seeds), len(table.rows), len(table.columns)), np.nan)
    for i, method in enumerate(table.rows):
        for j, name in enumerate(table.columns):
            progress(i * len(table.columns) + j, values[0].size, f"4.1 {method}, {name}")
            if table.published(method, name) is not None:
                values[:, i, j] = _method_scores(method, name, seeds, data)[:, nmi]
    return Measured(values)


def _curves(table: str, seeds: range, data: DataFolder, progress: Progress) -> FloatArray:
    """One number for each row, column and seed, measured one by one."""
    known = PAPER.table(table)
    measure: Callable[..., list[float]] = CURVES[table]
    total = len(known.rows) * len(seeds)
    values = np.empty((len(seeds), len(known.rows), len(known.columns)))
    for i, row in enumerate(known.rows):
        for j, seed in enumerate(seeds):
            progress(i * len(seeds) + j, total, f"{table} {row}")
            values[j, i] = measure(row, known.columns, seed, data)
    return values
