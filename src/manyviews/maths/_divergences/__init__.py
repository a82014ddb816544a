"""Bregman divergences as objects, and the costs of clusters under them [@gupta2005]."""

from manyviews.maths._divergences._base import Divergence, SumOfDivergences
from manyviews.maths._divergences._costs import cluster_cost, merge_cost
from manyviews.maths._divergences._custom import CustomDivergence
from manyviews.maths._divergences._entropies import (
    BinaryRelativeEntropy,
    GeneralizedKL,
    ItakuraSaito,
)
from manyviews.maths._divergences._quadratic import Mahalanobis, SquaredEuclidean

__all__ = [
    "BinaryRelativeEntropy",
    "CustomDivergence",
    "Divergence",
    "GeneralizedKL",
    "ItakuraSaito",
    "Mahalanobis",
    "SquaredEuclidean",
    "SumOfDivergences",
    "cluster_cost",
    "merge_cost",
]
