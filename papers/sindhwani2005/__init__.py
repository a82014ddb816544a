"""Co-regularised and Co-Laplacian machines, on moons, lines and web pages [@sindhwani2005].

What does not depend on the labels (kernels, graphs, kernels deformed by them) is made once; each
draw of labels then solves systems as large as the labels. ``pages`` has the data, ``methods`` the
rows of Table 1, ``scores`` the choice among settings, ``moons`` the figures.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import DataFolder, Measured, Progress
from papers.sindhwani2005 import moons
from papers.sindhwani2005.tables import PAPER, RATIOS_2

__all__ = ["PAPER", "run"]

_TOYS: dict[str, Callable[[str, int], list[float]]] = {
    "figure-2": moons.rates_2,
    "figure-3": moons.rates_3,
    "figure-3-noise": moons.noise_rates,
}
_N_FULL_SEEDS = 3
"""Rows with all labels are measured for so many seeds: each is a mean of ten folds already."""


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table or figure."""
    if table in _TOYS:
        return Measured(_toy(table, seeds, progress))
    if table == "2":
        known = PAPER.table(table)
        return Measured(np.full((len(seeds), len(known.rows), len(known.columns)), np.nan))
    if table == "2-random":
        return Measured(_quarters(seeds, data, progress))
    if table == "1":
        return Measured(_table_1(seeds, data, progress))
    return Measured(_without_constant(seeds, data, progress))


def _toy(table: str, seeds: range, progress: Progress) -> FloatArray:
    rows, measure = PAPER.table(table).rows, _TOYS[table]
    values = []
    for number, row in enumerate(rows):
        progress(number, len(rows), f"{table} {row}")
        values.append([measure(row, seed) for seed in seeds])
    return np.array(values).transpose(1, 0, 2)


def _table_1(seeds: range, data: DataFolder, progress: Progress) -> FloatArray:
    """Seeds × methods × (best setting by view, then validated setting by view)."""
    from papers.sindhwani2005.methods import METHODS
    from papers.sindhwani2005.pages import read_pages
    from papers.sindhwani2005.scores import draws, labelled_in, score, tenths

    pages = read_pages(data)
    trials = draws(pages.y, seeds)
    full = tenths(pages.y, seeds[:_N_FULL_SEEDS])
    pages.needed = labelled_in(trials)
    values = np.full((len(seeds), len(METHODS), len(PAPER.table("1").columns)), np.nan)
    for number, (name, rules) in enumerate(METHODS.items()):
        progress(number, len(METHODS), f"1 {name}")
        own = full if name.endswith("(full)") else trials
        found = score(rules(pages), pages.y, own, validate=True)
        both = np.hstack([found.best(), found.validated()])
        values[: len(both), number] = both
    return values


def _without_constant(seeds: range, data: DataFolder, progress: Progress) -> FloatArray:
    from papers.sindhwani2005.methods import WITHOUT_CONSTANT
    from papers.sindhwani2005.pages import read_pages
    from papers.sindhwani2005.scores import draws, labelled_in, score

    pages = read_pages(data)
    trials = draws(pages.y, seeds)
    pages.needed = labelled_in(trials)
    values = []
    for number, (name, rules) in enumerate(WITHOUT_CONSTANT.items()):
        progress(number, len(WITHOUT_CONSTANT), f"1-without-constant {name}")
        values.append(score(rules(pages), pages.y, trials, validate=False).best())
    return np.stack(values, axis=1)


def _quarters(seeds: range, data: DataFolder, progress: Progress) -> FloatArray:
    from papers.sindhwani2005.pages import read_pages
    from papers.sindhwani2005.scores import quarter_scores

    pages = read_pages(data)
    values = []
    for number, seed in enumerate(seeds):
        progress(number, len(seeds), "2-random")
        values.append(
            [quarter_scores(pages.views, pages.y, seed, ratio) for ratio in RATIOS_2.values()]
        )
    return np.array(values)
