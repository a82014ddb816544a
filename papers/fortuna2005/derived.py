"""Claims of the text about the numbers: differences between the corpora, and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from manyviews.typing import FloatArray
from papers._frame import Numbers
from papers.fortuna2005 import published
from papers.fortuna2005.retrieval import DIMENSIONS, N_KEYWORDS, TOPS, Shares

TAU_MATTERS = 2.0
"""Points between the means of two τ from which on the choice matters."""
EQUAL = 0.5
"""Points by which one corpus may be behind and still be called equal."""
CLOSE = 10.0
"""Points from the baseline that are called close."""
SLIGHTLY = 3.0
"""Points that are called a slight improvement."""

RETRIEVAL_ROWS = (
    *(f"mates, Top{top}" for top in TOPS),
    *(f"{count} keywords across, Top{top}" for count in N_KEYWORDS for top in TOPS),
    *(f"{count} keywords within, Top{top}" for count in N_KEYWORDS for top in TOPS),
)
"""What is compared: mates, queries across languages, and queries within one."""

CLASSIFICATION_ROWS = (
    "artificial - Hansard, 400",
    "artificial - Hansard, 800",
    "Hansard, 800 - 400",
    "artificial, 800 - 400",
    "words - artificial, 800",
    "laws - artificial, 800",
)

ByCorpus = Mapping[tuple[str, int], FloatArray]
"""Average precisions by corpus and dimension."""


def summary(found: Shares) -> list[float]:
    """Return the numbers of ``RETRIEVAL_ROWS`` for one space."""
    return [
        *(found.mates(top) for top in TOPS),
        *(found.across(count, top) for count in N_KEYWORDS for top in TOPS),
        *(found.within(count, top) for count in N_KEYWORDS for top in TOPS),
    ]


def published_summary(corpus: str, dimension: int) -> list[float]:
    """Return the same as published: "human" or "artificial", and a position among dimensions."""
    number = ("human", "artificial").index(corpus)
    return [
        published.MATES_TOP_1[corpus],
        100.0,
        *(published.across(n, number, dimension, top) for n in N_KEYWORDS for top in (0, 1)),
        *(published.within(n, number, dimension, top) for n in N_KEYWORDS for top in (0, 1)),
    ]


def published_differences() -> Numbers:
    """Human minus artificial, by row of ``RETRIEVAL_ROWS`` and dimension."""
    columns = [
        np.subtract(published_summary("human", place), published_summary("artificial", place))
        for place in range(len(DIMENSIONS))
    ]
    return tuple(tuple(row) for row in np.column_stack(columns).tolist())


def classification_differences(words: FloatArray, spaces: ByCorpus) -> list[float]:
    """Return the numbers of ``CLASSIFICATION_ROWS``; NaN where there are no pairs of laws."""
    mean = {key: float(values.mean()) for key, values in spaces.items()}
    return [
        mean["artificial", 400] - mean["Hansard", 400],
        mean["artificial", 800] - mean["Hansard", 800],
        mean["Hansard", 800] - mean["Hansard", 400],
        mean["artificial", 800] - mean["artificial", 400],
        float(words.mean()) - mean["artificial", 800],
        mean.get(("laws", 800), np.nan) - mean["artificial", 800],
    ]


@dataclass(frozen=True)
class Evidence:
    """What the claims are judged by, all of one seed."""

    human: Mapping[int, Shares]
    artificial: Mapping[int, Shares]
    words: FloatArray
    spaces: ByCorpus

    def lost(self, n_keywords: int, top: int) -> float:
        """Points that artificial pairs lose across languages, over all dimensions."""
        return float(
            np.mean(
                [
                    self.human[size].across(n_keywords, top)
                    - self.artificial[size].across(n_keywords, top)
                    for size in DIMENSIONS
                ]
            )
        )

    def lost_within(self) -> float:
        """Points that artificial pairs lose within languages, over all dimensions and queries."""
        pairs = [(size, count) for size in DIMENSIONS for count in N_KEYWORDS]
        gaps = [
            self.human[size].within(count, 1) - self.artificial[size].within(count, 1)
            for size, count in pairs
        ]
        return float(np.mean(gaps))

    def differences(self) -> dict[str, float]:
        """Return the differences of the second experiment by name."""
        values = classification_differences(self.words, self.spaces)
        return dict(zip(CLASSIFICATION_ROWS, values, strict=True))


def _mates(found: Mapping[int, Shares], top: int) -> float:
    """Mean over the dimensions."""
    return float(np.mean([shares.mates(top) for shares in found.values()]))


CLAIMS: dict[str, Callable[[Evidence], bool]] = {
    "mates: human pairs before artificial ones": (
        lambda e: _mates(e.human, 1) > _mates(e.artificial, 1)
    ),
    "mates: 96 % and more first, for both": (
        lambda e: min(_mates(e.human, 1), _mates(e.artificial, 1)) >= 96.0
    ),
    "mates: all among the first ten, for both": (
        lambda e: min(_mates(e.human, 10), _mates(e.artificial, 10)) >= 99.5
    ),
    "keywords within a language: artificial pairs not behind": (lambda e: e.lost_within() <= EQUAL),
    "keywords across: artificial pairs lose less than 10 points": (
        lambda e: max(e.lost(count, top) for count in N_KEYWORDS for top in TOPS) < 10.0
    ),
    "keywords across: less is lost with 10 than with 5": lambda e: e.lost(10, 1) < e.lost(5, 1),
    "topics: artificial before Hansard in all 16 cells, 400": (
        lambda e: bool((e.spaces["artificial", 400] > e.spaces["Hansard", 400]).all())
    ),
    "topics: artificial before Hansard in all 16 cells, 800": (
        lambda e: bool((e.spaces["artificial", 800] > e.spaces["Hansard", 800]).all())
    ),
    "topics: Hansard gains 10 points from 400 to 800": (
        lambda e: e.differences()["Hansard, 800 - 400"] >= 10.0
    ),
    "topics: artificial pairs gain only slightly": (
        lambda e: abs(e.differences()["artificial, 800 - 400"]) <= SLIGHTLY
    ),
    "topics: artificial pairs close to the baseline": (
        lambda e: e.differences()["words - artificial, 800"] <= CLOSE
    ),
}
"""Sentences of Section 4, each said by number."""
