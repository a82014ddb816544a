"""Pure functions on arrays; nothing here knows a view or an estimator."""

from manyviews.maths._dependence import (
    CanonicalPairs,
    IndependenceTest,
    canonical_pairs,
    centre_gram,
    effective_rank,
    entropy_rank,
    hsic,
    independence_test,
    median_rbf,
    without_group_means,
)
from manyviews.maths._labels import missing_labels, number_labels, read_labels
from manyviews.maths._random import generator
from manyviews.maths._spectral import (
    column_signs,
    fix_signs,
    leading_eigenvectors,
    normalize_by_degree,
    spectral_embedding,
)

__all__ = [
    "CanonicalPairs",
    "IndependenceTest",
    "canonical_pairs",
    "centre_gram",
    "column_signs",
    "effective_rank",
    "entropy_rank",
    "fix_signs",
    "generator",
    "hsic",
    "independence_test",
    "leading_eigenvectors",
    "median_rbf",
    "missing_labels",
    "normalize_by_degree",
    "number_labels",
    "read_labels",
    "spectral_embedding",
    "without_group_means",
]
