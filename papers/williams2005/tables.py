"""Figures 1 and 2 and Table 2, the claims of Section 3, and other readings of what is not said."""

from __future__ import annotations

from collections.abc import Mapping

from papers._frame import Numbers, Paper, Place, Table, published
from papers.williams2005.claims import CLAIMS
from papers.williams2005.data import DIGITS, IONOSPHERE
from papers.williams2005.methods import ESTIMATED, METHODS
from papers.williams2005.reasons import (
    DEVIATIONS,
    NARROW_REASONS,
    NO_MINES,
    REASONS,
)
from papers.williams2005.trials import READINGS

RADAR_SHARES = tuple(f"{tenth / 10}" for tenth in range(1, 10))
DIGITS_SHARES = tuple(f"{tenth / 10}" for tenth in range(1, 9))
"""Of six views every object keeps one, so that at most 0.83 can be missing."""
READING_SHARES = ("0.3", "0.6", "0.9")
MINES: dict[str, tuple[float, float, float]] = published("williams2005")["2"]["values"]
"""Published AUC: proposed, conditional mean, unconditional mean."""
NATURAL = ("tcga_breast", "3sources")

SUFFIXES = {"": "", "-narrow": ", a quarter of the width and hardly a penalty"}
"""Everything is measured for two readings, with these keys and captions."""
_PAPERS_TRIALS = {"figure-1a": 40, "figure-1b": 40, "figure-2": 10, "2": 100}
TRIALS = {
    **{f"{key}{suffix}": n for suffix in SUFFIXES for key, n in _PAPERS_TRIALS.items()},
    **dict.fromkeys(("readings", "readings-1b"), 5),
}
"""As many as the paper had, but for the readings; the claims are about their means."""


def _unpublished(n_rows: int, n_columns: int) -> Numbers:
    return ((None,) * n_columns,) * n_rows


def _curves(
    key: str, caption: str, rows: tuple[str, ...], columns: tuple[str, ...], *, data: str
) -> Table:
    is_auc = columns == METHODS
    return Table(
        key,
        caption,
        rows=rows,
        columns=columns,
        values=_unpublished(len(rows), len(columns)),
        higher_is_better=is_auc,
        decimals=3,
        data=(data,),
        axes=(
            "share of missing views" if data == DIGITS else "share of missing features",
            "AUC" if is_auc else "relative distance from the true kernel matrix",
        ),
    )


def _claims(suffix: str, reasons: Mapping[Place, str]) -> Table:
    return Table(
        f"claims{suffix}",
        "What Section 3 says of means over all trials (share of the points for which it is true)"
        + SUFFIXES[suffix],
        rows=tuple(CLAIMS),
        columns=("holds",),
        values=((1.0,),) * len(CLAIMS),
        higher_is_better=True,
        data=(IONOSPHERE, DIGITS, *NATURAL),
        reasons=reasons,
    )


def _figures(suffix: str) -> tuple[Table, ...]:
    also = SUFFIXES[suffix]
    return (
        _curves(
            f"figure-1a{suffix}",
            f"Ionosphere: AUC with features missing at random{also}",
            RADAR_SHARES,
            METHODS,
            data=IONOSPHERE,
        ),
        _curves(
            f"figure-1b{suffix}",
            f"Ionosphere: distance of estimated kernel matrices from the true one{also}",
            RADAR_SHARES,
            ESTIMATED,
            data=IONOSPHERE,
        ),
        _curves(
            f"figure-2{suffix}",
            f"Digits in place of land mines: AUC with views missing at random{also}",
            DIGITS_SHARES,
            METHODS,
            data=DIGITS,
        ),
    )


def _natural(suffix: str, mines: Mapping[str, tuple[float, float, float]]) -> Table:
    return Table(
        f"2{suffix}",
        f"AUC with views that nobody measured{SUFFIXES[suffix]}",
        rows=(*mines, *NATURAL),
        columns=ESTIMATED,
        values=(*mines.values(), *_unpublished(len(NATURAL), len(ESTIMATED))),
        higher_is_better=True,
        decimals=4,
        data=NATURAL,
        reasons=dict.fromkeys(mines, NO_MINES),
    )


TABLES = (
    _claims("", REASONS),
    *_figures(""),
    _natural("", MINES),
    _claims("-narrow", NARROW_REASONS),
    *_figures("-narrow"),
    _natural("-narrow", {}),
    Table(
        "readings",
        "Ionosphere: AUC under other readings of what the paper leaves open",
        rows=tuple(READINGS),
        columns=tuple(f"{method}, {share}" for share in READING_SHARES for method in METHODS),
        values=_unpublished(len(READINGS), len(READING_SHARES) * len(METHODS)),
        higher_is_better=True,
        decimals=3,
        data=(IONOSPHERE,),
    ),
    Table(
        "readings-1b",
        "Ionosphere: distance from the true kernel matrix under the same readings",
        rows=tuple(READINGS),
        columns=tuple(f"{method}, {share}" for share in READING_SHARES for method in ESTIMATED),
        values=_unpublished(len(READINGS), len(READING_SHARES) * len(ESTIMATED)),
        higher_is_better=False,
        decimals=3,
        data=(IONOSPHERE,),
    ),
)

PAPER = Paper(
    key="williams2005",
    title="Analytical kernel matrix completion with incomplete multi-view data",
    authors=("David Williams", "Lawrence Carin"),
    year=2005,
    seeds=100,
    quick_seeds=1,
    deviations=DEVIATIONS,
    tables=TABLES,
)
