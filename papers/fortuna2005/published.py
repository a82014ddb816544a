"""The published numbers, and what follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import Numbers, published

_PRINTED = published("fortuna2005")


def _numbers(table: str) -> Any:
    return tuple(_PRINTED[table]["values"].values())


TABLE_1: Numbers = _numbers("1")
TABLE_2: Numbers = _numbers("2")
KEYWORDS: dict[int, Numbers] = {5: _numbers("3"), 10: _numbers("4")}
"""Tables 3 and 4: human pairs above, artificial below; Top1 and Top10 of each way."""
MATES_TOP_1: dict[str, float] = {
    name: first for name, (first,) in _PRINTED["text"]["values"].items()
}
"""The text: 96 to 98 % on average, human pairs around 2 % higher."""

TABLE_6 = np.array(_numbers("6"), dtype=float)
"""English and French classifiers; the categories are CCAT, MCAT, ECAT and GCAT of Reuters."""
TABLE_7: dict[tuple[str, int], FloatArray] = {
    (corpus, size): np.array(_numbers(f"7-{corpus}-{size}"), dtype=float)
    for size in (400, 800)
    for corpus in ("Hansard", "artificial")
}
"""Ways × categories."""


def across(n_keywords: int, corpus: int, dimension: int, top: int) -> float:
    """Mean of both ways across the languages: corpus 0 is human, 1 artificial; top 0 is Top1."""
    return _mean(n_keywords, corpus, dimension, (2 + top, 4 + top))


def within(n_keywords: int, corpus: int, dimension: int, top: int) -> float:
    """Mean of the two languages, each asked in itself."""
    return _mean(n_keywords, corpus, dimension, (top, 6 + top))


def _mean(n_keywords: int, corpus: int, dimension: int, columns: tuple[int, ...]) -> float:
    numbers = np.array(KEYWORDS[n_keywords], dtype=float)
    return float(numbers[3 * corpus + dimension, list(columns)].mean())
