"""Spectral clustering with two views, of eight objects and of web pages [@desa2005].

The tables ``section-2`` and ``readings`` are the paper's example of eight objects, ``section-3``
and ``table-…`` its experiment with web pages; each file here says what it had to choose.
"""

from __future__ import annotations

from papers._frame import DataFolder, Measured, Paper, Progress
from papers.desa2005.example import TABLES as EXAMPLE_TABLES
from papers.desa2005.example import run_example
from papers.desa2005.pages import TABLES as PAGE_TABLES
from papers.desa2005.pages import run_pages

PAPER = Paper(
    key="desa2005",
    title="Spectral clustering with two views",
    authors=("Virginia R. de Sa",),
    year=2005,
    seeds=20,
    deviations=(
        "The paper does not say what its noise is: here uniform from 0 to the level, symmetric, on "
        "each view before they are combined.",
        "It does not say how k-means was started: with eight objects its optimum is found among "
        "all partitions, with web pages the best of ten starts is taken.",
        "It gives one number per method for all noise levels: here it stands beside each level.",
        "Its web pages of six classes are not at hand: its numbers for them stand beside ours for "
        "webkb (five classes, words and links) and course (two classes, words and link texts).",
        "It searched for good widths of the kernels by clustering single views and does not say "
        "what good is measured by: here every width is the median distance in the view.",
    ),
    tables=(*EXAMPLE_TABLES, *PAGE_TABLES),
)


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table, once per seed."""
    if table in {known.key for known in EXAMPLE_TABLES}:
        return run_example(table, PAPER.table(table).rows, seeds, progress)
    return run_pages(PAPER.table(table), seeds=seeds, data=data, progress=progress)
