"""The numbers of Tables 2 to 4 and the names of their rows and columns, as printed."""

from __future__ import annotations

from papers._frame import Numbers, published

_PRINTED = published("dalvi2015")

METHODS: tuple[str, ...] = _PRINTED["2"]["columns"]
PROPOSED = ("PRODSCORE", "SUMSCORE", "MAXAGREE")
HIERARCHICAL_METHODS: tuple[str, ...] = _PRINTED["4"]["columns"]

FLAT: dict[str, tuple[float, ...]] = _PRINTED["2"]["values"]
"""Macro F1 of the methods."""
AGREEMENT: dict[str, tuple[float]] = _PRINTED["2-agreement"]["values"]
"""Share of objects on whose labels V1 and V2 agree."""
AVERAGE_RANKS: tuple[float, ...] = _PRINTED["2-rank"]["values"]["average rank"]
CORRELATIONS: dict[str, tuple[float, float]] = _PRINTED["3"]["values"]
"""Of relative improvements with the view imbalance, and p-values."""
HIERARCHICAL: dict[str, tuple[float, ...]] = _PRINTED["4"]["values"]
"""Macro F1 on the leaves of NELL_mv."""
HIERARCHICAL_AGREEMENT: dict[str, tuple[float]] = _PRINTED["4-agreement"]["values"]


def unpublished(n_rows: int, n_columns: int) -> Numbers:
    """What the paper draws or leaves out."""
    return ((None,) * n_columns,) * n_rows
