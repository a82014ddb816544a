"""Clusterings of objects seen through several views; each predicts for new objects."""

from manyviews.cluster.co_em import CoEMMixture, CoEMStatistics
from manyviews.cluster.co_spherical_k_means import CoSphericalKMeans
from manyviews.cluster.dbscan import MultiViewDBSCAN
from manyviews.cluster.spectral.co_regularized import CoRegularizedSpectral
from manyviews.cluster.spectral.co_trained import CoTrainedSpectral
from manyviews.cluster.spectral.fused import FusedSpectral
from manyviews.cluster.spectral.min_disagreement import (
    MinDisagreementSpectral,
    min_disagreement_embedding,
)
from manyviews.cluster.trees.bregman_ward import BregmanWard
from manyviews.cluster.trees.hybrid_tree import HybridTree
from manyviews.cluster.trees.split_tree import SplitTree
from manyviews.maths import (
    Bernoulli,
    BinaryRelativeEntropy,
    CustomDivergence,
    Divergence,
    Gaussian,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    Multinomial,
    SquaredEuclidean,
    SumOfDivergences,
    VonMisesFisher,
)

__all__ = [
    "Bernoulli",
    "BinaryRelativeEntropy",
    "BregmanWard",
    "CoEMMixture",
    "CoEMStatistics",
    "CoRegularizedSpectral",
    "CoSphericalKMeans",
    "CoTrainedSpectral",
    "CustomDivergence",
    "Divergence",
    "FusedSpectral",
    "Gaussian",
    "GeneralizedKL",
    "HybridTree",
    "ItakuraSaito",
    "Mahalanobis",
    "MinDisagreementSpectral",
    "MultiViewDBSCAN",
    "Multinomial",
    "SplitTree",
    "SquaredEuclidean",
    "SumOfDivergences",
    "VonMisesFisher",
    "min_disagreement_embedding",
]
