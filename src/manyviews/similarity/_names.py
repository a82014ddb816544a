"""Short names for the usual similarities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manyviews.base import check_argument
from manyviews.similarity._auto_graph import AutoGraph
from manyviews.similarity._base import PositiveSimilarity, Similarity, SimilarityLike
from manyviews.similarity._kernels import RBF, Cosine, Linear, Polynomial
from manyviews.similarity._knn_graph import KNNGraph
from manyviews.similarity._low_rank import LowRankKernel
from manyviews.similarity._precomputed import Precomputed
from manyviews.similarity._self_tuning import SelfTuningRBF

_BY_NAME: dict[str, Callable[[], Similarity]] = {
    "auto": AutoGraph,
    "cosine": Cosine,
    "knn": KNNGraph,
    "linear": Linear,
    "polynomial": Polynomial,
    "precomputed": Precomputed,
    "rbf": RBF,
    "self_tuning": SelfTuningRBF,
}


def as_similarity(value: Any, parameter: str = "affinity") -> Similarity:
    """Return the similarity that a user gave, as an object or by its short name.

    ``parameter`` is what the user calls it, for the message.

    Examples
    --------
    >>> as_similarity("rbf")
    RBF(gamma='median')
    """
    check_argument(parameter, value, SimilarityLike)
    return _BY_NAME[value]() if isinstance(value, str) else value


def as_kernel(value: Any, view: str, parameter: str = "kernel") -> Similarity:
    """Return the similarity given for a view; refuse one that need not be positive semi-definite.

    Examples
    --------
    >>> as_kernel("linear", "text")
    Linear()
    """
    kernel = as_similarity(value, parameter)
    if not isinstance(kernel, PositiveSimilarity | LowRankKernel | Precomputed):
        raise ValueError(
            f"{parameter}={value!r} of view {view!r} need not be positive semi-definite; give a "
            "kernel such as Linear(), RBF(), LowRankKernel() or Precomputed()."
        )
    return kernel
