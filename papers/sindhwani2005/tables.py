"""The tables and figures with their published numbers, and why ours differ."""

from __future__ import annotations

from itertools import product

from papers._frame import Numbers, Paper, Table, published, unpublished
from papers.sindhwani2005 import moons

VIEWS = ("link", "page", "page+link")
VALIDATED = tuple(f"{view}, validated" for view in VIEWS)

PRINTED = published("sindhwani2005")
TABLE_1: dict[str, tuple[float | None, ...]] = PRINTED["1"]["values"]
PAIRED = ("Co-trained RLS", "Co-RLS", "Co-trained SVM")
LEAST_SQUARES = ("RLS (12)", "LapRLS", "Co-LapRLS1", "Co-LapRLS2")

TABLE_2: dict[str, tuple[float, ...]] = PRINTED["2"]["values"]
COLUMNS_2: tuple[str, ...] = PRINTED["2"]["columns"]
RATIOS_2 = {"γ_I = γ_A": 1.0, "γ_I = 10 γ_A": 10.0, "γ_I = 100 γ_A": 100.0}

CO_RLS_PAGE = (
    "Not reached: on the first ten draws no weights, equal or up to 100 times larger for one of "
    "the views, gave the page function more than 78, nor did functions that are not centred. Of "
    "the pair the page function loses by the coupling and the link function gains."
)
NO_UNIVERSITIES = (
    "The data at hand do not say which university a page is from; table 2-random asks the same "
    "of random quarters of the pages."
)
NO_CONSTANT = (
    "Most of the 12 labels are of one class, and without a constant the function is negative "
    "nearly everywhere; the paper may have had one."
)
NO_THIRD = "The method has a function of each of two views; the paper has none of both together."
OTHER_GRID = (
    "The paper does not say its range of parameters, its graphs, nor how often it drew 12 labels."
)


def _with_nothing(rows: dict[str, tuple[float | None, ...]], n_more: int) -> Numbers:
    return tuple(values + (None,) * n_more for values in rows.values())


PAPER = Paper(
    key="sindhwani2005",
    title="A co-regularization approach to semi-supervised learning with multiple views",
    authors=("Vikas Sindhwani", "Partha Niyogi", "Mikhail Belkin"),
    year=2005,
    seeds=20,
    quick_seeds=2,
    deviations=(
        "The pages are those of the paper, 3,000 page and 1,840 link features, weighed and of unit "
        "length as they are at hand; no further tf-idf. They come sorted by class and are shuffled "
        "once, since neighbours that are equally near are taken in their order.",
        "Columns link, page and page+link have the best setting of a grid by the mean score of "
        "all draws, chosen with all labels, as the paper did; those called validated have in each "
        "draw the setting that three folds of the 12 labels prefer (by pairs told apart), and the "
        "mean over settings that they prefer alike; if a class has one label, over all settings.",
        "The grid: γ from 1e-4 to 0.1 in four steps; graphs of 10 or 50 nearest neighbours by the "
        "cosine, weighed by it, normalised, to the power 1 or 2; γ_I / γ_A from 1 to 1000 in four "
        "steps; γ_C from 0.01 to 100 in five; SGT: the same graphs, 80 eigenvectors, c of 32, 3200 "
        "or 100,000; TSVM: C of 1, C* of 0.1 or 1. SGT and TSVM take the share of courses from "
        "the labels or, in the columns that are not validated, also from all pages.",
        "Least squares have a constant here, which the paper does not print; table "
        "1-without-constant has them as printed.",
        "Co-training is that of Blum and Mitchell: a pool of 75, one course and three others per "
        "view and round, 30 rounds.",
        "Rows with full labels are the mean of ten folds; they are drawn for three seeds.",
        "Figures 2 and 3 are given as shares of right classes; the paper has pictures only. "
        "Its labels of Figure 2 are such that co-training's first labels are wrong: so are those "
        "called misleading here, at opposite ends of moons and lines.",
    ),
    tables=(
        Table(
            "figure-2",
            "Two moons and two lines: right classes in percent, one label per class",
            rows=moons.FIGURE_2,
            columns=moons.COLUMNS_2,
            values=unpublished(len(moons.FIGURE_2), len(moons.COLUMNS_2)),
            higher_is_better=True,
            decimals=0,
        ),
        Table(
            "figure-3",
            "Laplacian machines without and with noise on the moons: right classes in percent",
            rows=moons.FIGURE_3,
            columns=(moons.MOONS, moons.LINES),
            values=unpublished(len(moons.FIGURE_3), 2),
            higher_is_better=True,
            decimals=0,
        ),
        Table(
            "figure-3-noise",
            "The moons of Figure 3 by the noise on them",
            rows=moons.NOISES,
            columns=moons.CURVES,
            values=unpublished(len(moons.NOISES), len(moons.CURVES)),
            higher_is_better=True,
            decimals=0,
            axes=("noise on the moons", "right, in percent"),
        ),
        Table(
            "1",
            "Break-even points on web pages, in percent",
            rows=tuple(TABLE_1),
            columns=VIEWS + VALIDATED,
            values=_with_nothing(TABLE_1, len(VALIDATED)),
            higher_is_better=True,
            resolution=0.1,
            decimals=1,
            data=("course",),
            reasons={
                **dict.fromkeys(TABLE_1, OTHER_GRID),
                **dict.fromkeys(product(PAIRED, (VIEWS[2], VALIDATED[2])), NO_THIRD),
                ("Co-RLS", "page"): CO_RLS_PAGE,
            },
        ),
        Table(
            "1-without-constant",
            "Least squares as printed, without a constant",
            rows=LEAST_SQUARES,
            columns=VIEWS,
            values=tuple(TABLE_1[row] for row in LEAST_SQUARES),
            higher_is_better=True,
            resolution=0.1,
            decimals=1,
            data=("course",),
            reasons=dict.fromkeys(LEAST_SQUARES, NO_CONSTANT),
        ),
        Table(
            "2",
            "Co-LapSVM2 on pages of four universities",
            rows=tuple(TABLE_2),
            columns=COLUMNS_2,
            values=tuple(TABLE_2.values()),
            higher_is_better=True,
            resolution=0.1,
            decimals=1,
            reasons=dict.fromkeys(TABLE_2, NO_UNIVERSITIES),
        ),
        Table(
            "2-random",
            "Co-LapSVM2 on a random quarter of the pages, not seen in training",
            rows=tuple(RATIOS_2),
            columns=COLUMNS_2,
            values=unpublished(len(RATIOS_2), len(COLUMNS_2)),
            higher_is_better=True,
            resolution=0.1,
            decimals=1,
            data=("course",),
        ),
    ),
)
