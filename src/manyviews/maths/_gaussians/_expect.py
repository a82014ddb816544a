"""A Gaussian mixture looks at rows with gaps: the E-step of EM [@ghahramani1994]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.maths._gaussians._complete import Completed, complete
from manyviews.maths._gaussians._patterns import PatternRows, pattern_rows
from manyviews.maths._likelihoods import log_softmax, safe_log
from manyviews.typing import FloatArray


@dataclass(frozen=True)
class GaussianComponents:
    """The parameters of a Gaussian mixture."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    """Of shape (Z, d, d), or (Z, d) if they are diagonal."""

    @classmethod
    def checked(
        cls, weights: FloatArray, means: FloatArray, covariances: FloatArray
    ) -> GaussianComponents:
        """Read parameters and refuse those that do not fit together."""
        mixture = cls(
            np.asarray(weights, dtype=np.float64),
            np.asarray(means, dtype=np.float64),
            np.asarray(covariances, dtype=np.float64),
        )
        n_components, width = mixture.means.shape
        shape = mixture.covariances.shape
        if mixture.weights.shape != (n_components,) or shape not in (
            (n_components, width, width),
            (n_components, width),
        ):
            raise ValueError(
                f"weights of shape {mixture.weights.shape}, means of shape {mixture.means.shape} "
                f"and covariances of shape {shape} do not make a mixture; give (Z,), (Z, d) and "
                "(Z, d, d), or (Z, d) for diagonal covariances."
            )
        return mixture


@dataclass(frozen=True)
class Expected:
    """Rows under all components of a mixture."""

    responsibilities: FloatArray
    """Of each component for each row, of shape (n, Z)."""
    log_likelihood: FloatArray
    """Of what is observed of each row, of shape (n,)."""
    parts: list[Completed]
    """The rows completed under each component."""


def expect(rows: PatternRows, mixture: GaussianComponents) -> Expected:
    """Complete rows under every component and share each among them, all in log space."""
    pairs = zip(mixture.means, mixture.covariances, strict=True)
    parts = [complete(rows, mean, covariance) for mean, covariance in pairs]
    joint = np.column_stack([part.log_density for part in parts]) + safe_log(mixture.weights)
    responsibilities, log_likelihood = log_softmax(joint)  # π, Eq. (2) of Williams and Carin
    return Expected(responsibilities, log_likelihood, parts)


def responsibilities(
    rows: FloatArray, components: GaussianComponents
) -> tuple[FloatArray, FloatArray]:
    """Shares of the components in each row, and the log-likelihood of what it shows.

    Examples
    --------
    >>> pair = GaussianComponents.checked([0.5, 0.5], [[0.0, 0.0], [4.0, 0.0]], np.ones((2, 2)))
    >>> shares, log_likelihood = responsibilities(np.array([[np.nan, 0.0], [2.0, np.nan]]), pair)
    >>> shares
    array([[0.5, 0.5],
           [0.5, 0.5]])
    >>> log_likelihood.round(3)
    array([-0.919, -2.919])
    """
    n_components = len(components.weights)
    shares, log_likelihood = np.empty((len(rows), n_components)), np.empty(len(rows))
    for block in pattern_rows(rows).blocks(n_components):
        expected = expect(block, components)
        shares[block.places] = expected.responsibilities
        log_likelihood[block.places] = expected.log_likelihood
    return shares, log_likelihood


def expected_rows(rows: FloatArray, components: GaussianComponents) -> FloatArray:
    """Rows with the expected value of what is missing; what is observed stays as it is.

    Examples
    --------
    >>> pair = GaussianComponents.checked([1.0], [[0.0, 0.0]], [[[2.0, 1.0], [1.0, 2.0]]])
    >>> expected_rows(np.array([[4.0, np.nan], [np.nan, 3.0]]), pair)
    array([[4. , 2. ],
           [1.5, 3. ]])
    """
    filled = np.array(rows, dtype=np.float64)
    for block in pattern_rows(rows).blocks(len(components.weights)):
        expected = expect(block, components)
        shared = zip(expected.responsibilities.T, expected.parts, strict=True)
        mean = sum(shares[:, None] * part.filled for shares, part in shared)
        filled[block.places] = np.where(
            block.observed[block.pattern], block.values, mean
        )  # E[x^m | x^o], Section 3 of Williams and Carin
    return filled
