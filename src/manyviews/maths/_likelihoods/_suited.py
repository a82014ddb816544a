"""A likelihood from the kind of numbers that a view holds."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from manyviews.maths._kinds import mostly_zeros
from manyviews.maths._likelihoods._base import Likelihood, values_of
from manyviews.maths._likelihoods._bernoulli import Bernoulli
from manyviews.maths._likelihoods._gaussian import Gaussian
from manyviews.maths._likelihoods._von_mises_fisher import VonMisesFisher
from manyviews.typing import Matrix

SHRINKAGE = 0.2
"""Share of the variances that is taken from all rows: over 19 development sets 0.05, 0.1 and 0.2
give co-EM an NMI of .516, .515 and .524, and naive Bayes with 0.1, 0.2 and 0.3 .723, .718, .718."""


def suited_likelihood(X: Matrix, counts: Likelihood[Any, Any]) -> Likelihood[Any, Any]:
    """Return ``counts`` for rows of mostly zeros and none negative, such as words and links.

    Directions for rows of mostly zeros of both signs; presence where all is 0 or 1, and both are
    there; Gaussians with a variance per feature for all others.

    Examples
    --------
    >>> from manyviews.maths import Multinomial
    >>> suited_likelihood(np.eye(4), Multinomial()), suited_likelihood(-np.eye(4), Multinomial())
    (Multinomial(alpha=0.01), VonMisesFisher(max_concentration=1000000.0))
    >>> suited_likelihood(np.array([[0.3, 2.0]]), Multinomial())
    Gaussian(covariance='diag', reg=1e-06, shrinkage=0.2)
    """
    values = values_of(X)
    if mostly_zeros(X):
        return copy(counts) if not np.any(values < 0) else VonMisesFisher()
    ones = np.count_nonzero(values == 1)
    if 0 < ones < X.shape[0] * X.shape[1] and ones == np.count_nonzero(values):
        return Bernoulli()
    return Gaussian("diag", shrinkage=SHRINKAGE)
