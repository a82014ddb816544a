"""Figures 3.2, 3.3, 4.1 and 4.2, the examples of sections 3.3 and 4.2, readings of the BBC sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import manyviews as mv
from manyviews.data import Dataset, Views
from manyviews.typing import FloatArray
from papers._frame import DataFolder
from papers.kumar2013_clustering import published
from papers.kumar2013_clustering.methods import clustered, embeddings, place, regularized, scores
from papers.kumar2013_clustering.settings import Setting, by_topics, setting

CORRELATIONS = tuple(f"{tenth / 10:.1f}" for tenth in range(-10, 11))
NOISES = ("0.5", "1", "1.5", "2", "3", "5", "10", "20", "50", "100", "200")
STRENGTHS = (
    *("0", "0.0005", "0.001", "0.002", "0.005", "0.01", "0.025", "0.05", "0.075", "0.1"),
    *("0.25", "0.5"),
)
EXAMPLES = ("low quality", "low quality, random", "contradictory")

BEST, TRAINED = "best single view", "co-trained"
PAIRWISE, CENTROID = "co-regularized (P)", "co-regularized (C)"
SUM, PRODUCT = "similarity addition", "similarity product"


def correlated(row: str, columns: tuple[str, ...], seed: int, data: DataFolder) -> list[float]:  # noqa: ARG001
    """Figures 3.2 and 4.1: views whose features are correlated given the cluster."""
    from manyviews.datasets import make_correlated_views

    drawn = make_correlated_views(float(row), random_state=seed)
    return _nmi(_as_setting(drawn, mv.similarity.RBF(gamma="median")), columns, seed)


def complementary(row: str, columns: tuple[str, ...], seed: int, data: DataFolder) -> list[float]:  # noqa: ARG001
    """Figure 3.3: graphs whose wrong edges are complementary."""
    from manyviews.datasets import make_complementary_affinities

    drawn = make_complementary_affinities(float(row), random_state=seed)
    return _nmi(_as_setting(drawn, mv.similarity.Precomputed()), columns, seed)


def strengths(row: str, columns: tuple[str, ...], seed: int, data: DataFolder) -> list[float]:
    """Figure 4.2: English and French Reuters texts under agreement of different strength."""
    texts = setting("Reuters", seed, data).first(2)
    modes = {PAIRWISE: "pairwise", CENTROID: "centroid"}
    found = [regularized(texts, modes[column], [float(row)])[0] for column in columns]
    return [_score(texts, rows, seed) for rows in found]


def examples(row: str, columns: tuple[str, ...], seed: int, data: DataFolder) -> list[float]:  # noqa: ARG001
    """Sections 3.3.3 and 4.2.3: a view that knows nothing, and one that says something else."""
    from manyviews import datasets

    if row == "contradictory":
        drawn = datasets.make_contradictory_affinities()
    else:
        drawn = datasets.make_low_quality_affinities()
    if row == "low quality, random":
        drawn = _randomized(drawn, seed)
    return _nmi(_as_setting(drawn, mv.similarity.Precomputed()), columns, seed)


def _randomized(drawn: Dataset, seed: int) -> Dataset:
    """Uniform random numbers in place of the ones of the second graph."""
    first, second = drawn.views.names
    n_objects = len(drawn.views)
    upper = np.triu(np.random.default_rng(seed).random((n_objects, n_objects)))
    views = Views({first: drawn.views[first], second: upper + np.triu(upper, 1).T})
    return Dataset(views, drawn.y)


def _as_setting(drawn: Dataset, affinity: mv.similarity.Similarity) -> Setting:
    return Setting(drawn.views, np.asarray(drawn.y), affinity)


def _nmi(known: Setting, columns: tuple[str, ...], seed: int) -> list[float]:
    return [_MEASURES[column](known, seed) for column in columns]


def _score(known: Setting, rows: FloatArray, seed: int) -> float:
    from manyviews.metrics import normalized_mutual_info_score

    labels = clustered(rows, known.n_clusters, seed)
    return float(normalized_mutual_info_score(known.y, labels))


def _by(name: str, **options: Any) -> Callable[[Setting, int], float]:
    return lambda known, seed: _score(known, place(known, name, **options), seed)


def _view(number: int) -> Callable[[Setting, int], float]:
    def measure(known: Setting, seed: int) -> float:
        views = known.views.subset([known.views.names[number]])
        return _by("FusedSpectral")(Setting(views, known.y, known.affinity), seed)

    return measure


_MEASURES: dict[str, Callable[[Setting, int], float]] = {
    BEST: lambda known, seed: max(_view(number)(known, seed) for number in range(2)),
    "first view": _view(0),
    "second view": _view(1),
    SUM: _by("FusedSpectral", fusion="sum"),
    PRODUCT: _by("FusedSpectral", fusion="product"),
    TRAINED: _by("CoTrainedSpectral"),
    PAIRWISE: _by("CoRegularizedSpectral", mode="pairwise"),
    CENTROID: _by("CoRegularizedSpectral", mode="centroid"),
}


READ_METHODS = (published.SUM, published.DISAGREEMENT, published.TRAINED_2)


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

READ_SETS = ("BBC", "BBCSport")
READ_ROWS = tuple(f"{name}: {reading}" for name in READ_SETS for reading in _READINGS)


def reading(row: str, columns: tuple[str, ...], seed: int, data: DataFolder) -> list[float]:
    """NMI of the methods on one set under one reading."""
    name, _, how = row.partition(": ")
    known = _READINGS[how](setting(name, seed, data))
    nmi = published.SCORES.index("NMI")
    return [
        float(np.max(scores(known, embeddings(column, known), seed)[:, nmi])) for column in columns
    ]
