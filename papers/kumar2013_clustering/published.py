"""Tables 3.1 to 3.5 and 4.1 as printed: values, and standard deviations over runs of k-means."""

from __future__ import annotations

from typing import TypeAlias

from papers._frame import published

Row: TypeAlias = tuple[tuple[float | None, ...], tuple[float | None, ...]]
"""Values and spreads."""

_PRINTED = published("kumar2013-clustering")

SCORES: tuple[str, ...] = _PRINTED["3.1"]["columns"]
SETS: tuple[str, ...] = _PRINTED["4.1"]["columns"]

SINGLE, CONCAT, SUM, PRODUCT = (
    "Best single view",
    "Feature concat",
    "Kernel addition",
    "Kernel product",
)
CCA, DISAGREEMENT = "CCA", "Min-disagreement"
TRAINED_2, TRAINED_3 = "Co-trained (2)", "Co-trained (3)"
PAIRWISE_2, PAIRWISE_3 = "Co-regularized (P) (2)", "Co-regularized (P) (3)"
CENTROID_2, CENTROID_3 = "Co-regularized (C) (2)", "Co-regularized (C) (3)"


def rows_of(table: str) -> dict[str, Row]:
    """Return the rows of a table with their spreads."""
    values, spreads = _PRINTED[table]["values"], _PRINTED[table]["spreads"]
    return {name: (values[name], spreads[name]) for name in values}


def cells_of(table: str) -> dict[tuple[str, str], float | None]:
    """Return the numbers that the text states, by row and column."""
    return {
        (row, column): value
        for row, values in _PRINTED[table]["values"].items()
        for column, value in zip(_PRINTED[table]["columns"], values, strict=True)
    }
