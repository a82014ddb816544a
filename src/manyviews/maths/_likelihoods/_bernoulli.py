"""Features that are present or absent, independently in each component."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.exceptions import ViewsError
from manyviews.maths._likelihoods._base import (
    Likelihood,
    WeightedSums,
    fill_weightless,
    first_row,
    safe_log,
    values_of,
    weighted_sums,
)
from manyviews.typing import FloatArray, Matrix, NonNegative


@dataclass(frozen=True)
class BernoulliParameters:
    """How probable it is in each component that a feature is present, and absent."""

    log_present: FloatArray
    """Components × features; a probability of zero is held at the smallest positive number."""
    log_absent: FloatArray

    @property
    def probabilities(self) -> FloatArray:
        """Probabilities of presence."""
        return np.exp(self.log_present)


@dataclass
class Bernoulli(Likelihood[WeightedSums, BernoulliParameters]):
    """Distribution of features that are there (1), are not (0), or are so with a probability.

    Parameters
    ----------
    alpha : float
        Count that is added to the present and to the absent ones of every feature; 0 for none.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import Bernoulli
    >>> family = Bernoulli(alpha=0)
    >>> sums = family.summarize(np.array([[1.0, 0.0], [1.0, 1.0]]), np.ones((2, 1)))
    >>> family.update(sums).probabilities
    array([[1. , 0.5]])
    """

    alpha: NonNegative = 0.01

    def check(self, X: Matrix, *, view: str) -> None:
        """Refuse what is not between 0 and 1."""
        values = values_of(X)
        if values.size and (wrong := (values < 0) | (values > 1)).any():
            raise ViewsError(
                f"view {view!r}, row {first_row(X, wrong)}, holds {values[wrong][0]:g} and a "
                "Bernoulli takes values from 0 to 1; use Binarizer in PerView, or choose another "
                "likelihood for this view."
            )

    def summarize(self, X: Matrix, responsibilities: FloatArray) -> WeightedSums:
        """Count in each component how often each feature is present."""
        return weighted_sums(X, responsibilities)

    def update(self, stats: WeightedSums) -> BernoulliParameters:
        """Return the shares of presence and absence, smoothed."""
        mass = stats.mass[:, None]
        present = np.clip(stats.totals, 0.0, mass) + self.alpha
        absent = mass - np.clip(stats.totals, 0.0, mass) + self.alpha
        if self.alpha == 0:
            unseen = stats.mass.sum() == 0
            present = fill_weightless(present, stats.mass, present.sum(axis=0) + unseen)
            absent = fill_weightless(absent, stats.mass, absent.sum(axis=0) + unseen)
        log_weight = np.log(present + absent)
        return BernoulliParameters(safe_log(present) - log_weight, safe_log(absent) - log_weight)

    def log_density(self, X: Matrix, parameters: BernoulliParameters) -> FloatArray:
        """Return sums of the log odds of what is present, from all being absent."""
        log_odds = (parameters.log_present - parameters.log_absent).T
        all_absent = parameters.log_absent.sum(axis=1)
        density = np.asarray(X @ np.ascontiguousarray(log_odds, dtype=X.dtype))
        density += all_absent.astype(X.dtype)
        return density
