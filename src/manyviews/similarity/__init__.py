"""From a view to a matrix, a graph or a low-rank factor of similarities."""

from manyviews.similarity.base import Similarity, SimilarityLike
from manyviews.similarity.graphs import AutoGraph, KNNGraph, Neighbourhoods, SelfTuningRBF
from manyviews.similarity.incomplete.features import KernelFeatures
from manyviews.similarity.incomplete.kernels import IncompleteLinear, IncompletePolynomial
from manyviews.similarity.incomplete.mixture import (
    ConditionalMeanImputer,
    IncompleteGaussianMixture,
    UnconditionalMeanImputer,
)
from manyviews.similarity.incomplete.rbf import IncompleteRBF
from manyviews.similarity.kernels import (
    RBF,
    Cosine,
    Kernel,
    Linear,
    Lookup,
    Polynomial,
    Precomputed,
)
from manyviews.similarity.low_rank import LowRankKernel, as_kernel, as_similarity
from manyviews.similarity.rows import evenly_spaced
from manyviews.similarity.structure import (
    ViewStructure,
    auto_view_weights,
    constant_views,
    judge_views,
    structure_of,
    used_views,
    warn_of_empty_views,
    weights_of_views,
)
from manyviews.similarity.views import (
    ViewFunction,
    ViewKernel,
    ViewSimilarities,
    fit_kernel,
    fit_similarities,
    kernel_function,
    mean_values,
    observed_similarities,
    values_by_view,
)

__all__ = [
    "RBF",
    "AutoGraph",
    "ConditionalMeanImputer",
    "Cosine",
    "IncompleteGaussianMixture",
    "IncompleteLinear",
    "IncompletePolynomial",
    "IncompleteRBF",
    "KNNGraph",
    "Kernel",
    "KernelFeatures",
    "Linear",
    "Lookup",
    "LowRankKernel",
    "Neighbourhoods",
    "Polynomial",
    "Precomputed",
    "SelfTuningRBF",
    "Similarity",
    "SimilarityLike",
    "UnconditionalMeanImputer",
    "ViewFunction",
    "ViewKernel",
    "ViewSimilarities",
    "ViewStructure",
    "as_kernel",
    "as_similarity",
    "auto_view_weights",
    "constant_views",
    "evenly_spaced",
    "fit_kernel",
    "fit_similarities",
    "judge_views",
    "kernel_function",
    "mean_values",
    "observed_similarities",
    "structure_of",
    "used_views",
    "values_by_view",
    "warn_of_empty_views",
    "weights_of_views",
]
