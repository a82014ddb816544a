"""The published numbers, and what follows from them."""

from __future__ import annotations

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import Numbers

TABLE_1: Numbers = ((9918, 9918, 896), (38252, 39395, 16136), (52391, 55425, 21001))
TABLE_2: Numbers = ((96, 100, 99, 100), (97, 100, 100, 100))
KEYWORDS: dict[int, Numbers] = {
    5: (
        (76, 98, 59, 93, 60, 92, 74, 98),
        (83, 99, 64, 95, 65, 94, 81, 99),
        (87, 99, 66, 96, 65, 95, 84, 99),
        (76, 97, 49, 89, 50, 87, 72, 97),
        (84, 99, 55, 91, 56, 89, 80, 99),
        (86, 99, 58, 91, 59, 90, 83, 99),
    ),
    10: (
        (93, 99, 79, 99, 78, 97, 90, 100),
        (96, 100, 82, 99, 81, 98, 94, 100),
        (97, 100, 82, 99, 81, 98, 96, 100),
        (94, 100, 70, 96, 69, 96, 91, 100),
        (97, 100, 75, 98, 75, 97, 95, 100),
        (97, 100, 77, 98, 75, 97, 96, 100),
    ),
}
"""Tables 3 and 4: human pairs above, artificial below; Top1 and Top10 of each way."""
MATES_TOP_1 = {"human": 98.0, "artificial": 96.0}
"""The text: 96 to 98 % on average, human pairs around 2 % higher."""

TABLE_6 = np.array([[85, 80, 62, 86], [83, 85, 63, 94]], dtype=float)
"""English and French classifiers; the categories are CCAT, MCAT, ECAT and GCAT of Reuters."""
TABLE_7: dict[tuple[str, int], FloatArray] = {
    ("Hansard", 400): np.array(
        [[59, 40, 25, 51], [41, 21, 18, 75], [55, 30, 22, 40], [40, 24, 19, 77]], dtype=float
    ),
    ("artificial", 400): np.array(
        [[79, 76, 51, 78], [78, 81, 54, 89], [80, 76, 50, 77], [78, 82, 54, 89]], dtype=float
    ),
    ("Hansard", 800): np.array(
        [[67, 61, 38, 67], [47, 32, 27, 80], [60, 43, 30, 51], [53, 59, 38, 85]], dtype=float
    ),
    ("artificial", 800): np.array(
        [[80, 82, 54, 79], [79, 82, 55, 90], [80, 76, 52, 78], [79, 83, 56, 89]], dtype=float
    ),
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
