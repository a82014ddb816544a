"""Clusterings of objects seen through several views; each predicts for new objects."""

from manyviews.cluster._bregman_ward import BregmanWard
from manyviews.cluster._co_em import CoEMMixture
from manyviews.cluster._co_em_sweep import CoEMStatistics
from manyviews.cluster._co_regularized_spectral import CoRegularizedSpectral
from manyviews.cluster._co_spherical_k_means import CoSphericalKMeans
from manyviews.cluster._co_trained_spectral import CoTrainedSpectral
from manyviews.cluster._dbscan import MultiViewDBSCAN
from manyviews.cluster._fused_spectral import FusedSpectral
from manyviews.cluster._hybrid_tree import HybridTree
from manyviews.cluster._min_disagreement import MinDisagreementSpectral
from manyviews.cluster._split_tree import SplitTree
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
]
