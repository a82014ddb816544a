"""EM for a Gaussian mixture of rows with gaps: its start, its step [@ghahramani1994]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.maths import (
    GaussianComponents,
    GaussianSums,
    PatternRows,
    assigned_gaussian_sums,
    components_of_sums,
    gaussian_sums,
)
from manyviews.typing import FloatArray


@dataclass(frozen=True)
class Fit:
    """A mixture, and what the rows sum up to under it."""

    components: GaussianComponents
    sums: GaussianSums

    @property
    def log_likelihood(self) -> float:
        """Mean over the rows of the log-likelihood of what they show."""
        return self.sums.log_likelihood / float(self.sums.mass.sum())


def em_start(
    rows: PatternRows,
    shares: FloatArray,
    reference: GaussianComponents,
    *,
    reg_covar: float,
    diagonal: bool,
) -> Fit:
    """Make a mixture of given shares of the components, gaps filled by the one of reference."""
    means = np.repeat(reference.means, shares.shape[1], axis=0)
    for _ in range(2):  # again, as groups may lie far from the mean of all and lose digits there
        sums = assigned_gaussian_sums(rows, shares, reference, means, diagonal=diagonal)
        components = components_of_sums(sums, means, reg_covar)
        means = components.means
    return Fit(components, gaussian_sums(rows, components))


def em_step(rows: PatternRows, fit: Fit, *, reg_covar: float) -> Fit:
    """Take one step of EM: the mixture that the last sums make, and its own sums."""
    components = components_of_sums(fit.sums, fit.components.means, reg_covar)  # M-step
    return Fit(components, gaussian_sums(rows, components))  # E-step


def k_means_shares(
    rows: PatternRows,
    reference: GaussianComponents,
    n_components: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Responsibilities of 0 and 1 by k-means on scaled features, gaps filled by their means."""
    if n_components == 1:
        return np.ones((len(rows), 1))
    from sklearn.cluster import KMeans

    deviations = (rows.values - reference.means[0]) / np.sqrt(reference.covariances[0])
    scaled = np.empty_like(deviations)
    scaled[rows.places] = np.where(rows.observed[rows.pattern], deviations, 0.0)
    seed = int(rng.integers(2**31))
    found = KMeans(n_components, n_init=1, random_state=seed).fit_predict(scaled)
    return np.eye(n_components)[found]


def draw(
    rng: np.random.Generator, mean: FloatArray, covariance: FloatArray, count: int
) -> FloatArray:
    """Draw rows from a Gaussian of full, (d, d), or diagonal, (d,), covariance."""
    standard = rng.standard_normal((count, len(mean)))
    if covariance.ndim == 1:
        return mean + standard * np.sqrt(covariance)
    return mean + standard @ np.linalg.cholesky(covariance).T
