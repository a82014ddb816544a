"""Distributions of the rows of one view, as the components of mixtures have them."""

from manyviews.maths.likelihoods._base import (
    Likelihood,
    LikelihoodRows,
    log_softmax,
    refuse_silent_views,
    row_blocks,
    safe_log,
)
from manyviews.maths.likelihoods.families import (
    Bernoulli,
    Gaussian,
    LikelihoodLike,
    Multinomial,
    VonMisesFisher,
    mostly_zeros,
    read_likelihood,
    suited_likelihood,
    takes_counts,
)

__all__ = [
    "Bernoulli",
    "Gaussian",
    "Likelihood",
    "LikelihoodLike",
    "LikelihoodRows",
    "Multinomial",
    "VonMisesFisher",
    "log_softmax",
    "mostly_zeros",
    "read_likelihood",
    "refuse_silent_views",
    "row_blocks",
    "safe_log",
    "suited_likelihood",
    "takes_counts",
]
