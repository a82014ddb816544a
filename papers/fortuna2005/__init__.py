"""Cross-lingual search and classification with pairs made by machine translation [@fortuna2005].

``data`` reads and splits debates and laws, ``spaces`` makes pairs and learns spaces from them,
``retrieval`` and ``readings`` are the first experiment, ``classification`` the second. What
several tables need is measured once per seed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from papers._frame import DataFolder, Measured, Progress
from papers.fortuna2005 import classification, retrieval
from papers.fortuna2005 import readings as reading
from papers.fortuna2005.data import LANGUAGES, counts_of_words
from papers.fortuna2005.derived import (
    CLAIMS,
    TAU_MATTERS,
    Evidence,
    classification_differences,
    summary,
)
from papers.fortuna2005.tables import PAPER, TRANSLATORS

__all__ = ["PAPER", "run"]

ASIDE = ("translators", "readings", "7-variants", "claims-tau")
"""Tables that are not in the paper, measured for the first seeds only."""
N_ASIDE = 3
NOTES = {
    **dict.fromkeys(ASIDE, (f"Measured for the first {N_ASIDE} seeds only.",)),
    "claims": (
        "Equal is at most half a point behind, all among the first ten 99.5 %, slightly at most 3 "
        "points, close at most 10 points.",
    ),
    "claims-tau": (
        f"Measured for the first {N_ASIDE} seeds; little is at most 2 points between 0.2 and 0.8, "
        "for mates and for keyword queries found first, in 800 dimensions.",
    ),
}
Rows = list[list[float]]


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure one table, once per seed."""
    for name in PAPER.table(table).data:
        data.path(name)  # so that it is known to be used, and missed at once
    known = PAPER.table(table)
    values = np.full((len(seeds), len(known.rows), len(known.columns)), np.nan)
    for number, seed in enumerate(seeds[: N_ASIDE if table in ASIDE else None]):
        progress(number, len(seeds), f"{table} seed {seed}")
        values[number] = LAYERS[table](seed, str(data.root))
    progress(len(seeds), len(seeds))
    return Measured(values, NOTES.get(table, ()))


def _table_1(seed: int, folder: str) -> Rows:
    return [list(row) for row in zip(*_columns_of_table_1(seed, folder), strict=True)]


def _columns_of_table_1(seed: int, folder: str) -> list[list[float]]:
    texts = retrieval.whole_corpora(seed, folder)
    return [[float(len(known[LANGUAGES[0]])), *counts_of_words(known)] for known in texts.values()]


def _bag_of_words(seed: int, folder: str) -> Rows:  # noqa: ARG001 (nothing is drawn)
    found = retrieval.bag_of_words(folder)
    return [
        [found[own, count, top] for count in retrieval.N_KEYWORDS for top in retrieval.TOPS]
        for own in LANGUAGES
    ]


def _mates(seed: int, folder: str) -> Rows:
    return _questions(None, retrieval.ACROSS, seed, folder)


def _keywords(count: int) -> Callable[[int, str], Rows]:
    def rows(seed: int, folder: str) -> Rows:
        return _questions(count, retrieval.WAYS, seed, folder)

    return rows


def _questions(
    count: int | None, ways: tuple[tuple[str, str], ...], seed: int, folder: str
) -> Rows:
    """Human pairs above, artificial below; Top1 and Top10 of each way."""
    return [
        [found.of((count, *way), top) for way in ways for top in retrieval.TOPS]
        for corpus in ("human", "artificial")
        for found in retrieval.searches(corpus, seed, folder).values()
    ]


def _differences(seed: int, folder: str) -> Rows:
    human, artificial = (
        np.array([summary(found) for found in retrieval.searches(own, seed, folder).values()])
        for own in ("human", "artificial")
    )
    rows: Rows = (human - artificial).T.tolist()
    return rows


def _translators(seed: int, folder: str) -> Rows:
    return [
        summary(retrieval.searches(corpus, seed, folder)[reading.DIMENSION])
        for corpus in TRANSLATORS
    ]


def _readings(seed: int, folder: str) -> Rows:
    return [summary(found) for found in reading.readings(seed, folder).values()]


def _exact(seed: int, folder: str) -> Rows:
    return [reading.exact_and_low_rank(split, seed, folder) for split in reading.SPLITS]


def _table_6(seed: int, folder: str) -> Rows:
    words = classification.precisions(seed, folder).words
    return [[*row, float(np.mean(row))] for row in words.tolist()]


def _table_7(seed: int, folder: str) -> Rows:
    rows: Rows = classification.cells(classification.precisions(seed, folder)).tolist()
    return rows


def _topic_differences(seed: int, folder: str) -> Rows:
    found = classification.precisions(seed, folder)
    return [[value] for value in classification_differences(found.words, found.spaces)]


def _variants(seed: int, folder: str) -> Rows:
    return list(classification.variants(seed, folder).values())


def _claims(seed: int, folder: str) -> Rows:
    topics = classification.precisions(seed, folder)
    evidence = Evidence(
        retrieval.searches("human", seed, folder),
        retrieval.searches("artificial", seed, folder),
        topics.words,
        topics.spaces,
    )
    return [[float(holds(evidence))] for holds in CLAIMS.values()]


def _tau(seed: int, folder: str) -> Rows:
    found = reading.readings(seed, folder)
    rows = np.array([summary(found[name]) for name in reading.TAUS])
    first = np.ptp(rows, axis=0)[:: len(retrieval.TOPS)]
    return [[float(np.all(part <= TAU_MATTERS))] for part in (first[:1], first[1:])]


LAYERS: dict[str, Callable[[int, str], Rows]] = {
    "1": _table_1,
    "mates": _mates,
    "2": _bag_of_words,
    "3": _keywords(5),
    "4": _keywords(10),
    "differences": _differences,
    "translators": _translators,
    "readings": _readings,
    "exact": _exact,
    "6": _table_6,
    "7": _table_7,
    "7-differences": _topic_differences,
    "7-variants": _variants,
    "claims": _claims,
    "claims-tau": _tau,
}
"""What measures each table for one seed."""
