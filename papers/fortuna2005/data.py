"""Debates and laws in two languages, split so that no debate and no act is on both sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from manyviews.maths import generator
from manyviews.typing import AnyArray, BoolArray, IntArray

LANGUAGES = ("en", "fr")
HANSARD, LAWS = "hansard_en_fr", "canada_laws_en_fr"

N_TEST, N_PART = 896, 9918
"""Documents of the paper's test part and of its training part (Table 1)."""
N_LABELLED = 3000
"""Documents of each language that train the classifiers."""

Texts = dict[str, AnyArray]
"""Aligned texts by language."""

TOPICS: dict[str, str] = {
    "finance": (
        "bank|banks|banking|insurance companies|credit|loan|loans|trust|insolvency|bankruptcy|"
        "deposit|corporations|companies|cooperatives|bills of exchange|payment|payments|"
        "stablecoin|winding-up|currency|borrowing"
    ),
    "tax": (
        "tax|taxes|excise|customs|tariff|duties|revenue|income|fiscal|charge|import|export|"
        "importation"
    ),
    "resources": (
        "environment|environmental|oil|gas|petroleum|energy|fisheries|fish|species|water|waters|"
        "forest|wildlife|mineral|nuclear|greenhouse|park|parks|oceans|pipeline|"
        "petroleum resources|resource management|impact"
    ),
    "transport": (
        "transport|transportation|shipping|marine|railway|railways|aeronautics|air|pilotage|"
        "navigation|navigable|harbour|harbours|port|vessel|vessels|motor vehicle|bridge|bridges|"
        "aircraft|ferry"
    ),
}
"""Words of an act's English title that put it under a topic; an act may have several topics."""


@dataclass(frozen=True)
class Debates:
    """Documents of the parliament, and which of them are for what; a debate is for one thing."""

    texts: Texts
    debates: IntArray
    """Number of the debate of each document."""
    test: IntArray
    part: IntArray
    """What pairs are drawn from, and what the weights of words are learnt from."""
    rest: IntArray
    """What the translator learns from."""


@dataclass(frozen=True)
class Laws:
    """Sections of laws with the topics of their acts."""

    texts: Texts
    acts: IntArray
    topics: BoolArray
    """Sections × topics."""


@dataclass(frozen=True)
class LawSplit:
    """Sections that train in English, others that train in French, and those of other acts."""

    labelled: dict[str, IntArray]
    test: IntArray


def split_by_group(groups: IntArray, sizes: Sequence[int], seed: int) -> list[IntArray]:
    """Give whole groups, in random order, to parts until each has its size; the rest comes last.

    Examples
    --------
    >>> parts = split_by_group(np.array([0, 0, 1, 1, 2, 2]), [1, 2], seed=0)
    >>> [len(part) for part in parts]
    [2, 2, 2]
    """
    order = generator(seed).permutation(int(groups.max()) + 1)
    places = np.argsort(order)[groups]
    counts = np.bincount(places)
    edges = [0]
    for size in sizes:
        held = np.cumsum(counts[edges[-1] :])
        edges.append(edges[-1] + min(int(np.searchsorted(held, size)) + 1, len(held)))
    edges.append(len(counts))
    return [np.flatnonzero((places >= low) & (places < high)) for low, high in pairwise(edges)]


@cache
def debates(folder: str, n_joined: int = 1) -> Debates:
    """Read the debates; ``n_joined`` neighbouring blocks of a debate are one document."""
    corpus = _read(HANSARD, folder)
    _, own = np.unique(corpus[1]["debate"], return_inverse=True)
    texts, groups = joined(corpus[0], own, n_joined)
    test, part, rest = split_by_group(groups, (N_TEST, N_PART // n_joined), seed=0)
    return Debates(texts, groups, test[:N_TEST], part, rest)


@cache
def laws(folder: str) -> Laws:
    """Read the sections of laws."""
    texts, meta = _read(LAWS, folder)
    _, acts = np.unique(meta["act"], return_inverse=True)
    return Laws(texts, acts, topics_of(meta["act_title"]))


def topics_of(titles: AnyArray) -> BoolArray:
    """Which topics the titles of acts name.

    Examples
    --------
    >>> topics_of(np.array(["Bank Act", "Air Travellers Security Charge Act"])).astype(int)
    array([[1, 0, 0, 0],
           [0, 1, 0, 1]])
    """
    known, own = np.unique(titles, return_inverse=True)
    rules = [re.compile(rf"\b(?:{words})\b") for words in TOPICS.values()]
    found = [[bool(rule.search(title.lower())) for rule in rules] for title in known.tolist()]
    return np.array(found)[own]


def split_laws(found: Laws, seed: int, *, by_act: bool = True) -> LawSplit:
    """Draw acts that train, two disjoint sets of sections of them, and test on all other acts."""
    groups = found.acts if by_act else np.arange(len(found.acts))
    known, test = split_by_group(groups, (2 * N_LABELLED,), seed)
    drawn = generator(seed).permutation(known)
    halves = drawn[:N_LABELLED], drawn[N_LABELLED : 2 * N_LABELLED]
    return LawSplit(dict(zip(LANGUAGES, halves, strict=True)), test)


def joined(texts: Texts, groups: IntArray, count: int) -> tuple[Texts, IntArray]:
    """Join so many neighbouring texts of a group; what is left over at its end is left out."""
    if count == 1:
        return texts, groups
    rows = []
    for group in range(int(groups.max()) + 1):
        own = np.flatnonzero(groups == group)
        rows += [own[start : start + count] for start in range(0, len(own) - count + 1, count)]
    made = {
        language: np.array([" ".join(known[row]) for row in rows], dtype=object)
        for language, known in texts.items()
    }
    return made, groups[[row[0] for row in rows]]


class Weights:
    """Weights of words, tf-idf at unit length, learnt from texts of each language."""

    def __init__(self, texts: Texts, min_documents: int = 1) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._by_language = {
            language: TfidfVectorizer(strip_accents="unicode", min_df=min_documents).fit(known)
            for language, known in texts.items()
        }

    def __call__(self, texts: Texts) -> dict[str, csr_array]:
        """Return one row per text, by language."""
        return {
            language: csr_array(self._by_language[language].transform(known))
            for language, known in texts.items()
        }


def rows_of(texts: Texts, rows: IntArray) -> Texts:
    """Take the texts at some places, in every language."""
    return {language: known[rows] for language, known in texts.items()}


def counts_of_words(texts: Texts) -> list[float]:
    """How many different words the texts of each language have."""
    weights = Weights(texts)
    return [float(rows.shape[1]) for rows in weights(rows_of(texts, np.arange(1))).values()]


def _read(name: str, folder: str) -> tuple[Texts, dict[str, AnyArray]]:
    from manyviews.datasets import load_parallel

    corpus = load_parallel(name, languages=LANGUAGES, data_home=folder)
    texts = {language: np.array(corpus.texts[language], dtype=object) for language in LANGUAGES}
    return texts, dict(corpus.meta)
