"""The methods of the tables as embeddings, and their scores after k-means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from manyviews.data import Views
from manyviews.typing import FloatArray, IntArray
from papers.kumar2013_clustering import published
from papers.kumar2013_clustering.settings import Setting

STRENGTHS = (0.0005, 0.001, 0.0015, 0.002)
"""λ of the tables: the text varies it over this range and reports the best."""
N_CANONICAL = 10
"""At most so many pairs of canonical variates are kept."""

Embeddings: TypeAlias = list[FloatArray]
"""Candidates: the text reports the one that scores best."""


def embeddings(method: str, setting: Setting) -> Embeddings:
    """Place the objects by a method of the tables, in each way that the text tries."""
    return _BY_NAME[method](setting)


def scores(setting: Setting, candidates: Embeddings, seed: int) -> FloatArray:
    """The six scores of k-means on each candidate, candidates × scores."""
    found = [clustered(rows, setting.n_clusters, seed) for rows in candidates]
    return np.array([score(setting.y, labels) for labels in found])


def clustered(rows: FloatArray, n_clusters: int, seed: int) -> IntArray:
    """Clusters of one run of k-means."""
    from sklearn.cluster import KMeans

    return np.asarray(KMeans(n_clusters, n_init=1, random_state=seed).fit_predict(rows))


def score(y: IntArray, labels: IntArray) -> tuple[float, ...]:
    """Return the scores in the order of the tables."""
    from manyviews.metrics import (
        adjusted_rand_score,
        cluster_entropy,
        normalized_mutual_info_score,
        pairwise_precision_recall_f,
    )

    pairs = pairwise_precision_recall_f(y, labels)
    return (
        pairs.f,
        pairs.precision,
        pairs.recall,
        cluster_entropy(y, labels),
        normalized_mutual_info_score(y, labels),
        adjusted_rand_score(y, labels),
    )


def best(candidates: FloatArray) -> FloatArray:
    """Of seeds × candidates × scores, the candidate whose NMI is best on average."""
    place = published.SCORES.index("NMI")
    return candidates[:, candidates[:, :, place].mean(axis=0).argmax()]


def place(setting: Setting, name: str, **options: Any) -> FloatArray:
    """Embedding of a method of the spectral family."""
    from manyviews import cluster

    model = getattr(cluster, name)(
        setting.n_clusters,
        setting.affinity,
        view_weights=None,
        n_init=1,
        random_state=0,
        **options,
    )
    rows: FloatArray = model.fit(setting.views).embedding_
    return rows


def _single(setting: Setting) -> Embeddings:
    views = setting.views
    return [
        place(Setting(views.subset([name]), setting.y, setting.affinity), "FusedSpectral")
        for name in views.names
    ]


def _fused(fusion: str) -> Callable[[Setting], Embeddings]:
    """Fuse two views and all of them; the text reports the better."""
    return lambda setting: [
        place(some, "FusedSpectral", fusion=fusion) for some in _two_and_all(setting)
    ]


def _canonical(setting: Setting) -> Embeddings:
    """Spectral clustering of the canonical variates of the first two views."""
    from sklearn.cross_decomposition import CCA

    first, second = (_dense(setting.views[name]) for name in setting.views.names[:2])
    n_pairs = min(N_CANONICAL, first.shape[1], second.shape[1])
    variates = CCA(n_pairs, max_iter=2000).fit(first, second).transform(first, second)
    fused = Setting(Views({"variates": np.hstack(variates)}), setting.y, setting.affinity)
    return [place(fused, "FusedSpectral")]


def _dense(matrix: Any) -> FloatArray:
    """A view for CCA: sparse text by its topics, as the text does for kernels."""
    from papers.kumar2013_clustering.settings import by_topics

    if hasattr(matrix, "toarray"):
        return np.asarray(by_topics(Views({"text": matrix}))["text"])
    return np.asarray(matrix)


def _disagreement(setting: Setting) -> Embeddings:
    return [place(some, "MinDisagreementSpectral") for some in _two_and_all(setting)]


def _trained(n_views: int) -> Callable[[Setting], Embeddings]:
    return lambda setting: [place(setting.first(n_views), "CoTrainedSpectral")]


def regularized(setting: Setting, mode: str, strengths: Iterable[float] = STRENGTHS) -> Embeddings:
    """One embedding for each strength of the agreement."""
    return [
        place(setting, "CoRegularizedSpectral", agreement=strength, mode=mode)
        for strength in strengths
    ]


def _two_and_all(setting: Setting) -> Sequence[Setting]:
    return [setting] if setting.views.n_views == 2 else [setting.first(2), setting]


_BY_NAME: dict[str, Callable[[Setting], Embeddings]] = {
    published.SINGLE: _single,
    published.CONCAT: _fused("concat"),
    published.SUM: _fused("sum"),
    published.PRODUCT: _fused("product"),
    published.CCA: _canonical,
    published.DISAGREEMENT: _disagreement,
    published.TRAINED_2: _trained(2),
    published.TRAINED_3: _trained(3),
    published.PAIRWISE_2: lambda setting: regularized(setting.first(2), "pairwise"),
    published.PAIRWISE_3: lambda setting: regularized(setting.first(3), "pairwise"),
    published.CENTROID_2: lambda setting: regularized(setting.first(2), "centroid"),
    published.CENTROID_3: lambda setting: regularized(setting.first(3), "centroid"),
}
