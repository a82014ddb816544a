"""Counts, such as words or links, drawn with the probabilities of a component [@bickel2005]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

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
from manyviews.typing import BoolArray, FloatArray, Matrix, NonNegative, is_sparse


@dataclass(frozen=True)
class MultinomialParameters:
    """How probable each feature is in each component."""

    log_probabilities: FloatArray
    """Components × features; a probability of zero is held at the smallest positive number."""

    @property
    def probabilities(self) -> FloatArray:
        """The probabilities, which sum to one in each component."""
        return np.exp(self.log_probabilities)


@dataclass
class Multinomial(Likelihood[WeightedSums, MultinomialParameters]):
    """Distribution of counts of words, links or other events; weights of words will do, too.

    The length of a row is not modelled. A row without counts says nothing of its component.

    Parameters
    ----------
    alpha : float
        Count that is added to every feature of every component; 0 for none.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import Multinomial
    >>> counts, weights = np.array([[3.0, 1.0], [0.0, 2.0]]), np.ones((2, 1))
    >>> family = Multinomial(alpha=0)
    >>> family.update(family.summarize(counts, weights)).probabilities
    array([[0.5, 0.5]])

    References
    ----------
    [@bickel2005]
    """

    alpha: NonNegative = 0.01

    def check(self, X: Matrix, *, view: str) -> None:
        """Refuse negative counts."""
        values = values_of(X)
        if values.size and (wrong := values < 0).any():
            raise ViewsError(
                f"Negative values in data: view {view!r}, row {first_row(X, wrong)}, holds "
                f"{values[wrong][0]:g} and a multinomial takes counts; give counts, or choose "
                "another likelihood for this view."
            )

    def informative(self, X: Matrix) -> BoolArray:
        """Tell which rows have any counts."""
        return np.asarray(X.sum(axis=1) > 0)

    def log_base(self, X: Matrix) -> FloatArray:
        """Log of the number of orders in which the counts can have been drawn."""
        lengths = np.asarray(X.sum(axis=1, dtype=np.float64))
        if is_sparse(X):
            terms = X.copy()
            terms.data = gammaln(X.data.astype(np.float64) + 1.0)
        else:
            terms = gammaln(X.astype(np.float64) + 1.0)
        return np.asarray(gammaln(lengths + 1.0) - terms.sum(axis=1))

    def summarize(self, X: Matrix, responsibilities: FloatArray) -> WeightedSums:
        """Sum up the counts of each component."""
        return weighted_sums(X, responsibilities)

    def update(self, stats: WeightedSums) -> MultinomialParameters:
        """Return the relative frequencies, smoothed."""
        counts = stats.totals + self.alpha
        words = stats.totals.sum(axis=1)
        if self.alpha == 0:
            counts = fill_weightless(counts, words, counts.sum(axis=0) + (words.sum() == 0))
        log_counts = safe_log(counts)
        return MultinomialParameters(log_counts - np.log(counts.sum(axis=1, keepdims=True)))  # (22)

    def log_density(self, X: Matrix, parameters: MultinomialParameters) -> FloatArray:
        """Return sums over the counts of their log probabilities."""
        weights = np.ascontiguousarray(parameters.log_probabilities.T, dtype=X.dtype)
        return np.asarray(X @ weights)  # log of Eq. (20), without what no component changes
