"""Short names for the usual similarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manyviews.similarity._base import Similarity
from manyviews.similarity._kernels import RBF, Cosine, Linear, Polynomial
from manyviews.similarity._knn_graph import KNNGraph
from manyviews.similarity._precomputed import Precomputed
from manyviews.similarity._self_tuning import SelfTuningRBF

_BY_NAME: dict[str, Callable[[], Similarity]] = {
    "cosine": Cosine,
    "knn": KNNGraph,
    "linear": Linear,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
    "rbf": RBF,
    "self_tuning": SelfTuningRBF,
}


def as_similarity(value: Any) -> Similarity:
    """Return the similarity that a user gave, as an object or by its short name.

    Examples
    --------
    >>> as_similarity("rbf")
    RBF(gamma='median')
    """
    if isinstance(value, Similarity):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]()
    raise ValueError(
        f"affinity={value!r} is not a similarity; give one of manyviews.similarity, such as "
        f"RBF(gamma='median'), or one of the names {', '.join(map(repr, _BY_NAME))}."
    )
