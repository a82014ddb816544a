"""The second experiment: laws by topic, labelled in one language and judged in another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from manyviews.typing import BoolArray, FloatArray, Matrix
from papers.fortuna2005.data import (
    LANGUAGES,
    TOPICS,
    Laws,
    LawSplit,
    Texts,
    Weights,
    debates,
    laws,
    rows_of,
    split_laws,
)
from papers.fortuna2005.retrieval import WAYS, draw_pairs
from papers.fortuna2005.spaces import learn_space, translator, unit, weighed

DIMENSIONS = (400, 800)
N_PAIRS = 1000
VARIANTS = (
    "as in Table 7",
    "tf-idf learnt from the debates",
    "points at their own length",
    "sections of one act on both sides",
)
CORPORA = ("Hansard", "artificial", "laws")
"""Pairs of the debates by people, of laws by the translator, and of laws by people."""


@dataclass(frozen=True)
class Precisions:
    """Average precision in per cent: ways × topics for each corpus and dimension."""

    words: FloatArray
    """In the space of words: languages × topics."""
    spaces: dict[tuple[str, int], FloatArray]

    def mean(self, corpus: str, dimension: int) -> float:
        """Mean over ways and topics."""
        return float(self.spaces[corpus, dimension].mean())


@cache
def precisions(seed: int, folder: str) -> Precisions:
    """Measure the spaces of all corpora, on acts that no classifier has seen."""
    known = laws(folder)
    split = split_laws(known, seed)
    weights = split_weights(known, split)
    spaces: dict[tuple[str, int], FloatArray] = {}
    for corpus in CORPORA:
        pairs = weighed(weights, pair_texts(corpus, known, split, seed, folder))
        spaces.update(
            {
                (corpus, size): found
                for size, found in space_precisions(pairs, weights, known, split).items()
            }
        )
    return Precisions(word_precisions(weights, known, split), spaces)


@cache
def variants(seed: int, folder: str) -> dict[str, list[float]]:
    """Mean average precision by corpus in 800 dimensions, if a choice of ours is another."""
    known, size = laws(folder), max(DIMENSIONS)
    split, mixed = split_laws(known, seed), split_laws(known, seed, by_act=False)
    own, parliament = split_weights(known, split), debates(folder)
    cases = {
        "tf-idf learnt from the debates": (
            split,
            Weights(rows_of(parliament.texts, parliament.part)),
            True,
        ),
        "points at their own length": (split, own, False),
        "sections of one act on both sides": (mixed, split_weights(known, mixed), True),
    }
    base = precisions(seed, folder)
    found = {"as in Table 7": [base.mean(corpus, size) for corpus in CORPORA]}
    for name, (parts, weights, same_length) in cases.items():
        found[name] = []
        for corpus in CORPORA:
            pairs = weighed(weights, pair_texts(corpus, known, parts, seed, folder))
            scores = space_precisions(
                pairs, weights, known, parts, sizes=(size,), same_length=same_length
            )
            found[name].append(float(scores[size].mean()))
    return found


def split_weights(known: Laws, split: LawSplit) -> Weights:
    """Weights of words from the training sections of each language."""
    return Weights({own: known.texts[own][rows] for own, rows in split.labelled.items()})


def pair_texts(corpus: str, known: Laws, split: LawSplit, seed: int, folder: str) -> Texts:
    """The pairs of a corpus; those of laws are of sections that also train the classifiers."""
    if corpus == "Hansard":
        parliament = debates(folder)
        return rows_of(parliament.texts, draw_pairs(parliament, seed, N_PAIRS))
    rows = {own: chosen[: N_PAIRS // 2] for own, chosen in split.labelled.items()}
    if corpus == "laws":
        return rows_of(known.texts, np.concatenate(list(rows.values())))
    from manyviews.embed import paired_corpus

    teacher = translator("debates", folder)
    english, french = (known.texts[own][rows[own]].tolist() for own in LANGUAGES)
    made = paired_corpus(english, french, teacher.translate_ab, teacher.translate_ba)
    return dict(zip(LANGUAGES, (np.array(side, dtype=object) for side in made), strict=True))


def space_precisions(
    pairs: dict[str, Matrix],
    weights: Weights,
    known: Laws,
    split: LawSplit,
    *,
    sizes: tuple[int, ...] = DIMENSIONS,
    same_length: bool = True,
) -> dict[int, FloatArray]:
    """Learn a space, train in each language and judge both; ways × topics by dimension."""
    space = learn_space(pairs, max(sizes))
    labelled = {
        own: space.place(weights({own: known.texts[own][rows]}))[own]
        for own, rows in split.labelled.items()
    }
    tested = space.place(weights(rows_of(known.texts, split.test)))
    scale = unit if same_length else np.asarray
    found = {}
    for size in sizes:
        machines = {
            own: directions(scale(points[:, :size]), known.topics[split.labelled[own]])
            for own, points in labelled.items()
        }
        found[size] = np.array(
            [
                average_precisions(
                    scale(tested[target][:, :size]) @ machines[source], known.topics[split.test]
                )
                for source, target in WAYS
            ]
        )
    return found


def word_precisions(weights: Weights, known: Laws, split: LawSplit) -> FloatArray:
    """Train and judge in the space of words, each language by itself."""
    rows = weights(rows_of(known.texts, split.test))
    found = []
    for own, chosen in split.labelled.items():
        points = weights({own: known.texts[own][chosen]})[own]
        scores = rows[own] @ directions(points, known.topics[chosen])
        found.append(average_precisions(scores, known.topics[split.test]))
    return np.array(found)


def directions(points: Matrix, topics: BoolArray) -> FloatArray:
    """Weights of a linear support vector machine with C = 1 for each topic, one column each."""
    from sklearn.svm import SVC

    from manyviews.maths import to_dense

    gram = np.ascontiguousarray(to_dense(points @ points.T))
    columns = []
    for topic in topics.T:
        machine = SVC(C=1.0, kernel="precomputed").fit(gram, topic)
        columns.append(np.asarray(points[machine.support_].T @ machine.dual_coef_[0]).ravel())
    return np.column_stack(columns)


def average_precisions(scores: FloatArray, topics: BoolArray) -> list[float]:
    """Average precision of each topic, in per cent; the constant of a machine plays no role."""
    from sklearn.metrics import average_precision_score

    return [
        100.0 * float(average_precision_score(own, score))
        for own, score in zip(topics.T, scores.T, strict=True)
    ]


def cells(found: Precisions) -> FloatArray:
    """Rows of Table 7 (dimension × way), columns by topic and corpus, then means by corpus."""
    rows = []
    for size, way in product(DIMENSIONS, range(len(WAYS))):
        by_corpus = np.array([found.spaces[corpus, size][way] for corpus in CORPORA])
        rows.append(np.concatenate([by_corpus.T.ravel(), by_corpus.mean(axis=1)]))
    return np.array(rows).reshape(-1, (len(TOPICS) + 1) * len(CORPORA))
