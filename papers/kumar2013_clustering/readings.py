"""What the BBC sets give under other readings of how their texts were compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import manyviews as mv
from manyviews.data import Views
from papers._frame import DataFolder
from papers.kumar2013_clustering import published
from papers.kumar2013_clustering.methods import embeddings, scores
from papers.kumar2013_clustering.settings import Setting, by_topics, setting

METHODS = (published.SUM, published.DISAGREEMENT, published.TRAINED_2)


def _weighted(views: Views) -> Views:
    """Counts as tf-idf weights, rows of unit length."""
    from sklearn.feature_extraction.text import TfidfTransformer

    def weights(matrix: Any) -> Any:
        return TfidfTransformer(sublinear_tf=True).fit_transform(matrix)

    return Views({name: weights(matrix) for name, matrix in views.items()})


_READINGS: dict[str, Callable[[Setting], Setting]] = {
    "counts, width 100": lambda known: known,
    "counts, median width": lambda known: Setting(
        known.views, known.y, mv.similarity.RBF(gamma="median")
    ),
    "counts, cosine": lambda known: Setting(known.views, known.y, mv.similarity.Cosine()),
    "tf-idf, cosine": lambda known: Setting(
        _weighted(known.views), known.y, mv.similarity.Cosine()
    ),
    "tf-idf, 100 topics": lambda known: Setting(
        by_topics(_weighted(known.views)), known.y, mv.similarity.RBF(gamma="median")
    ),
}

SETS = ("BBC", "BBCSport")
ROWS = tuple(f"{name}: {reading}" for name in SETS for reading in _READINGS)


def reading(row: str, columns: tuple[str, ...], seed: int, data: DataFolder) -> list[float]:
    """NMI of the methods on one set under one reading."""
    name, _, how = row.partition(": ")
    known = _READINGS[how](setting(name, seed, data))
    nmi = published.SCORES.index("NMI")
    return [
        float(np.max(scores(known, embeddings(column, known), seed)[:, nmi])) for column in columns
    ]
