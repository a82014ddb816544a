"""From a view to a matrix, a graph or a low-rank factor of similarities."""

from manyviews.similarity._auto_graph import AutoGraph
from manyviews.similarity._base import Similarity, SimilarityLike
from manyviews.similarity._functions import (
    ViewFunction,
    ViewKernel,
    fit_kernel,
    kernel_function,
    mean_values,
    values_by_view,
)
from manyviews.similarity._incomplete._imputers import (
    ConditionalMeanImputer,
    UnconditionalMeanImputer,
)
from manyviews.similarity._incomplete._kernel_features import KernelFeatures
from manyviews.similarity._incomplete._kernels import IncompleteLinear, IncompletePolynomial
from manyviews.similarity._incomplete._mixture import IncompleteGaussianMixture
from manyviews.similarity._incomplete._rbf_kernel import IncompleteRBF
from manyviews.similarity._kernels import RBF, Cosine, Kernel, Linear, Polynomial
from manyviews.similarity._knn_graph import KNNGraph
from manyviews.similarity._lookup import Lookup
from manyviews.similarity._low_rank import LowRankKernel
from manyviews.similarity._names import as_kernel, as_similarity
from manyviews.similarity._neighbourhoods import Neighbourhoods
from manyviews.similarity._precomputed import Precomputed
from manyviews.similarity._rows import evenly_spaced
from manyviews.similarity._self_tuning import SelfTuningRBF
from manyviews.similarity._structure import (
    ViewStructure,
    auto_view_weights,
    constant_views,
    judge_views,
    structure_of,
    warn_of_empty_views,
    weights_of_views,
)
from manyviews.similarity._views import ViewSimilarities, fit_similarities, observed_similarities

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
    "values_by_view",
    "warn_of_empty_views",
    "weights_of_views",
]
