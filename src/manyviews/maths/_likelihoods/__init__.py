"""Distributions of the rows of one view, as the components of mixtures have them."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from manyviews.maths._likelihoods._base import (
    Likelihood,
    log_softmax,
    row_blocks,
    safe_log,
)
from manyviews.maths._likelihoods._bernoulli import Bernoulli
from manyviews.maths._likelihoods._gaussian import Gaussian
from manyviews.maths._likelihoods._multinomial import Multinomial
from manyviews.maths._likelihoods._rows import LikelihoodRows, refuse_silent_views
from manyviews.maths._likelihoods._suited import suited_likelihood
from manyviews.maths._likelihoods._von_mises_fisher import VonMisesFisher

__all__ = [
    "Bernoulli",
    "Gaussian",
    "Likelihood",
    "LikelihoodLike",
    "LikelihoodRows",
    "Multinomial",
    "VonMisesFisher",
    "log_softmax",
    "read_likelihood",
    "refuse_silent_views",
    "row_blocks",
    "safe_log",
    "suited_likelihood",
    "takes_counts",
]

LikelihoodLike: TypeAlias = (
    Likelihood[Any, Any]
    | Literal["auto", "bernoulli", "gaussian", "multinomial", "von_mises_fisher"]
)
"""A view's likelihood, as an object or by its name: ``likelihood: ByView[LikelihoodLike]``."""

_BY_NAME = {
    "bernoulli": Bernoulli,
    "gaussian": Gaussian,
    "multinomial": Multinomial,
    "von_mises_fisher": VonMisesFisher,
}


def read_likelihood(likelihood: Any) -> Likelihood[Any, Any]:
    """Return a likelihood given by its name, or as the object it is.

    Examples
    --------
    >>> read_likelihood("bernoulli")
    Bernoulli(alpha=0.01)
    """
    if isinstance(likelihood, Likelihood):
        return likelihood
    if isinstance(likelihood, str) and likelihood in _BY_NAME:
        family: Likelihood[Any, Any] = _BY_NAME[likelihood]()
        return family
    raise ValueError(
        f"likelihood={likelihood!r} should be one of {', '.join(map(repr, _BY_NAME))}, or an "
        "object such as Multinomial(alpha=1)."
    )


def takes_counts(likelihood: Any) -> bool:
    """Whether some view may have to be free of negative values, by what a user gave for them.

    Examples
    --------
    >>> takes_counts({"text": "multinomial", "size": "gaussian"}), takes_counts("gaussian")
    (True, False)
    """
    given = list(likelihood.values()) if isinstance(likelihood, dict) else likelihood
    given = given if isinstance(given, list) else [given]
    names = ("multinomial", "bernoulli")
    return any(each in names or isinstance(each, Multinomial | Bernoulli) for each in given)
