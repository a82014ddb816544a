"""The first experiment under other readings of a setting that the paper leaves open."""

from __future__ import annotations

from functools import cache

import numpy as np

from manyviews.maths import generator
from manyviews.typing import IntArray
from papers.fortuna2005.data import (
    LANGUAGES,
    N_TEST,
    Weights,
    debates,
    rows_of,
    split_by_group,
)
from papers.fortuna2005.retrieval import (
    N_PAIRS,
    Shares,
    draw_pairs,
    keyword_shares,
    part_weights,
    searches,
    share_found,
)
from papers.fortuna2005.spaces import learn_space, unit, weighed

DIMENSION = 800
"""In which the readings are compared."""

READINGS = (
    "as in Tables 3 and 4",
    "tau 0.2",
    "tau 0.8",
    "coordinates times correlations",
    "keywords not at the length of the document",
    "tf-idf learnt from the 1,500 pairs",
    "documents of three blocks",
    "documents of six blocks",
    "three blocks, words of five documents and more",
)
TAUS = READINGS[:3]
SPLITS = ("documents at random", "by debate")

N_UNSEEN, EXACT_DIMENSION = 800, 400


@cache
def readings(seed: int, folder: str) -> dict[str, Shares]:
    """Human pairs, searched in ways that the paper's words allow too, and longer documents."""
    known, weights = debates(folder), part_weights(folder)
    pairs = rows_of(known.texts, draw_pairs(known, seed))
    test = rows_of(known.texts, known.test)
    rows, size = weighed(weights, test), (DIMENSION,)
    space = learn_space(weighed(weights, pairs), DIMENSION)
    own = Weights(pairs)
    found = [
        searches("human", seed, folder),
        *(
            keyword_shares(learn_space(weighed(weights, pairs), DIMENSION, tau=tau), rows, size)
            for tau in (0.2, 0.8)
        ),
        keyword_shares(space, rows, size, scale=space.model.correlations_),
        keyword_shares(space, rows, size, keep_length=False),
        keyword_shares(learn_space(weighed(own, pairs), DIMENSION), weighed(own, test), size),
        *(_of_longer_documents(*case, seed, folder) for case in ((3, 1), (6, 1), (3, 5))),
    ]
    return {name: each[DIMENSION] for name, each in zip(READINGS, found, strict=True)}


def _of_longer_documents(
    n_joined: int, min_documents: int, seed: int, folder: str
) -> dict[int, Shares]:
    known = debates(folder, n_joined)
    weights = part_weights(folder, n_joined, min_documents)
    pairs = rows_of(known.texts, draw_pairs(known, seed))
    space = learn_space(weighed(weights, pairs), DIMENSION)
    rows = weighed(weights, rows_of(known.texts, known.test))
    return keyword_shares(space, rows, (DIMENSION,))


def exact_and_low_rank(split: str, seed: int, folder: str) -> list[float]:
    """Mates found first, English to French and back, with all pivots and with few."""
    train, test = _unseen(split, seed, folder)
    texts = debates(folder).texts
    weights = Weights(rows_of(texts, train))
    pairs, rows = (weighed(weights, rows_of(texts, part)) for part in (train, test))
    shares = []
    for tolerance in (0.0, 0.4):
        places = learn_space(pairs, EXACT_DIMENSION, cholesky_tol=tolerance).place(rows)
        scores = np.asarray(unit(places[LANGUAGES[0]]) @ unit(places[LANGUAGES[1]]).T)
        shares += [share_found(scores, 1), share_found(scores.T, 1)]
    return shares


def _unseen(split: str, seed: int, folder: str) -> tuple[IntArray, IntArray]:
    """Documents to learn from, and others that are not in their debates or merely not they."""
    known = debates(folder)
    rng = generator(seed)
    if split == SPLITS[0]:
        drawn = rng.permutation(len(known.debates))[: N_PAIRS + N_UNSEEN]
        return drawn[:N_PAIRS], drawn[N_PAIRS:]
    held, others = split_by_group(known.debates, (5 * N_TEST,), seed)
    return (
        rng.choice(others, N_PAIRS, replace=False),
        rng.choice(held, N_UNSEEN, replace=False),
    )
