"""The first experiment: mates and keyword queries among documents of the parliament."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray
from papers.fortuna2005.data import (
    LANGUAGES,
    Debates,
    Texts,
    Weights,
    debates,
    rows_of,
)
from papers.fortuna2005.spaces import (
    Space,
    Teacher,
    half_translated,
    learn_space,
    translator,
    unit,
    weighed,
)

DIMENSIONS = (400, 800, 1200)
N_PAIRS = 1500
N_KEYWORDS = (5, 10)
TOPS = (1, 10)
WAYS = tuple((query, target) for query in LANGUAGES for target in LANGUAGES)
ACROSS = tuple((query, target) for query, target in WAYS if query != target)

ARTIFICIAL: dict[str, Teacher] = {
    "artificial": "debates",
    "artificial, translator of laws": "laws",
    "artificial, translator one way": "debates, one way",
}
"""Corpora of machine-made pairs, by what their translator is."""

Question = tuple[int | None, str, str]
"""By how many keywords (all words if None), in which language, in which it is searched."""


@dataclass(frozen=True)
class Shares:
    """Per cent of the documents found among the first n, by question and n."""

    found: Mapping[tuple[Question, int], float] = field(repr=False)

    def of(self, question: Question, top: int) -> float:
        """Per cent found among the first ``top``."""
        return self.found[question, top]

    def mates(self, top: int) -> float:
        """Mean over both ways of asking by a whole document for its translation."""
        return self._mean(None, ACROSS, top)

    def across(self, n_keywords: int, top: int) -> float:
        """Mean over both ways across the languages."""
        return self._mean(n_keywords, ACROSS, top)

    def within(self, n_keywords: int, top: int) -> float:
        """Mean over the languages, each asked in itself."""
        return self._mean(n_keywords, tuple((own, own) for own in LANGUAGES), top)

    def _mean(self, n_keywords: int | None, ways: tuple[tuple[str, str], ...], top: int) -> float:
        return float(np.mean([self.found[(n_keywords, *way), top] for way in ways]))


def share_found(scores: FloatArray, top: int) -> float:
    """Per cent of the rows whose diagonal entry is among the first ``top``, ties by chance.

    Examples
    --------
    >>> share_found(np.array([[0.9, 0.1], [0.5, 0.5]]), 1)
    75.0
    """
    own = np.diagonal(scores)[:, None]
    better, tied = (scores > own).sum(axis=1), (scores == own).sum(axis=1)
    return float(100.0 * np.clip((top - better) / tied, 0.0, 1.0).mean())


def keyword_shares(
    space: Space,
    rows: dict[str, Any],
    dimensions: tuple[int, ...],
    *,
    keep_length: bool = True,
    scale: FloatArray | None = None,
) -> dict[int, Shares]:
    """Ask for every document by its mate and by its keywords, in spaces of several dimensions."""
    from manyviews.embed import keyword_queries

    documents = space.place(rows)
    asked: dict[int | None, dict[str, FloatArray]] = {None: documents}
    for count in N_KEYWORDS:
        queries = {
            own: keyword_queries(known, count, keep_length=keep_length)
            for own, known in rows.items()
        }
        asked[count] = space.place(queries)
    stretch = np.ones(max(dimensions)) if scale is None else scale
    return {size: _shares(asked, documents, stretch[:size]) for size in dimensions}


def _shares(
    asked: Mapping[int | None, Mapping[str, FloatArray]],
    documents: Mapping[str, FloatArray],
    stretch: FloatArray,
) -> Shares:
    size = len(stretch)
    indexed = {own: unit(points[:, :size] * stretch) for own, points in documents.items()}
    found: dict[tuple[Question, int], float] = {}
    for count, queries in asked.items():
        for query, target in ACROSS if count is None else WAYS:
            scores = unit(queries[query][:, :size] * stretch) @ indexed[target].T  # cosines
            for top in TOPS:
                found[(count, query, target), top] = share_found(scores, top)
    return Shares(found)


@cache
def part_weights(folder: str, n_joined: int = 1, min_documents: int = 1) -> Weights:
    """Weights of words from the training part, in each language by itself."""
    known = debates(folder, n_joined)
    return Weights(rows_of(known.texts, known.part), min_documents)


def draw_pairs(known: Debates, seed: int, count: int = N_PAIRS) -> IntArray:
    """Draw documents of the training part."""
    return generator(seed).choice(known.part, count, replace=False)


@cache
def searches(corpus: str, seed: int, folder: str) -> dict[int, Shares]:
    """Search in the spaces of one corpus of pairs: "human", or one of ``ARTIFICIAL``."""
    known, weights = debates(folder), part_weights(folder)
    rows = weighed(weights, rows_of(known.texts, known.test))
    space = learn_space(weighed(weights, pair_texts(corpus, seed, folder)), max(DIMENSIONS))
    return keyword_shares(space, rows, DIMENSIONS)


def pair_texts(corpus: str, seed: int, folder: str) -> Texts:
    """Texts of the pairs that a space is learnt from."""
    known = debates(folder)
    texts = rows_of(known.texts, draw_pairs(known, seed))
    if corpus == "human":
        return texts
    return half_translated(texts, translator(ARTIFICIAL[corpus], folder), seed)


def whole_corpora(seed: int, folder: str) -> dict[str, Texts]:
    """All texts of the training part, the same half translated, and those of the test part."""
    known = debates(folder)
    part, test = (rows_of(known.texts, rows) for rows in (known.part, known.test))
    return {
        "TRAIN": part,
        "ARTIFICIAL": half_translated(part, translator("debates", folder), seed),
        "TEST1": test,
    }


@cache
def bag_of_words(folder: str) -> dict[tuple[str, int, int], float]:
    """Per cent found in the space of words, by language, number of keywords and top."""
    from manyviews.embed import keyword_queries

    known = debates(folder)
    rows = part_weights(folder)(rows_of(known.texts, known.test))
    found = {}
    for language, own in rows.items():
        for count in N_KEYWORDS:
            scores = (keyword_queries(own, count) @ own.T).toarray()
            norms = np.sqrt(own.multiply(own).sum(axis=1))
            scores = scores / np.where(norms > 0, norms, 1.0)
            found.update({(language, count, top): share_found(scores, top) for top in TOPS})
    return found
