"""What EM sums over rows with gaps, and the mixture it makes of the sums [@ghahramani1994]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from manyviews.maths._gaussians._complete import Completed, complete
from manyviews.maths._gaussians._expect import GaussianComponents, expect
from manyviews.maths._gaussians._patterns import PatternRows
from manyviews.typing import FloatArray

_LITTLE = 10 * np.finfo(np.float64).eps
"""Rows that every component has beside its own, so that an empty one has no 0 / 0."""


@dataclass(frozen=True)
class GaussianSums:
    """Expected sums over rows, of their deviations from the means they were taken with."""

    mass: FloatArray
    """How many rows each component has, of shape (Z,)."""
    first: FloatArray
    """Sums of the deviations, of shape (Z, d)."""
    second: FloatArray
    """Sums of their outer products, of shape (Z, d, d), or of their squares, of shape (Z, d)."""
    log_likelihood: float
    """Of what is observed, under the mixture the sums were taken with."""

    def __add__(self, other: GaussianSums) -> GaussianSums:
        return GaussianSums(
            self.mass + other.mass,
            self.first + other.first,
            self.second + other.second,
            self.log_likelihood + other.log_likelihood,
        )


def gaussian_sums(rows: PatternRows, mixture: GaussianComponents) -> GaussianSums:
    """Sum over rows, shared among the components and completed under each: the E-step.

    Examples
    --------
    >>> from manyviews.maths._gaussians._patterns import pattern_rows
    >>> standard = GaussianComponents(np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> sums = gaussian_sums(pattern_rows(np.array([[1.0, 2.0], [3.0, np.nan]])), standard)
    >>> sums.first
    array([[4., 2.]])
    >>> sums.second
    array([[[10.,  2.],
            [ 2.,  5.]]])
    """
    return reduce(add, (_shared(block, mixture) for block in rows.blocks(len(mixture.weights))))


def assigned_gaussian_sums(
    rows: PatternRows,
    responsibilities: FloatArray,
    reference: GaussianComponents,
    means: FloatArray,
    *,
    diagonal: bool,
) -> GaussianSums:
    """Sum over rows whose responsibilities are given, completed under one Gaussian.

    ``reference`` has one component, and its log-likelihood is that of the sums; deviations are
    taken from ``means``.
    """
    blocks = rows.blocks(responsibilities.shape[1])
    return reduce(
        add, (_assigned(block, responsibilities, reference, means, diagonal) for block in blocks)
    )


def components_of_sums(
    sums: GaussianSums, means: FloatArray, reg_covar: float
) -> GaussianComponents:
    """The mixture that the sums make most likely: the M-step.

    ``means`` are those from which the sums have the deviations; ``reg_covar`` is added to the
    variances.

    Examples
    --------
    >>> sums = GaussianSums(np.array([2.0]), np.array([[4.0]]), np.array([[[10.0]]]), 0.0)
    >>> mixture = components_of_sums(sums, np.array([[1.0]]), 0.0)
    >>> mixture.means.round(12), mixture.covariances.round(12)
    (array([[3.]]), array([[[1.]]]))
    """
    mass = sums.mass + _LITTLE
    shift = sums.first / mass[:, None]
    if sums.second.ndim == 2:
        covariances = sums.second / mass[:, None] - shift**2 + reg_covar
    else:
        outer = shift[:, :, None] * shift[:, None, :]
        ridge = reg_covar * np.eye(shift.shape[1])
        covariances = sums.second / mass[:, None, None] - outer + ridge
    return GaussianComponents(sums.mass / sums.mass.sum(), means + shift, covariances)


def _shared(rows: PatternRows, mixture: GaussianComponents) -> GaussianSums:
    expected = expect(rows, mixture)
    diagonal = mixture.covariances.ndim == 2
    log_likelihood = float(expected.log_likelihood.sum())
    return _sum_parts(expected.parts, expected.responsibilities, log_likelihood, diagonal)


def _assigned(
    rows: PatternRows,
    responsibilities: FloatArray,
    reference: GaussianComponents,
    means: FloatArray,
    diagonal: bool,
) -> GaussianSums:
    (centre,), (covariance,) = reference.means, reference.covariances
    part = complete(rows, centre, covariance)
    parts = [
        replace(part, mean=mean, deviations=part.deviations + (centre - mean)) for mean in means
    ]
    log_likelihood = float(part.log_density.sum())
    return _sum_parts(parts, responsibilities[rows.places], log_likelihood, diagonal)


def _sum_parts(
    parts: list[Completed],
    responsibilities: FloatArray,
    log_likelihood: float,
    diagonal: bool,
) -> GaussianSums:
    first, second = [], []
    for part, shares in zip(parts, responsibilities.T, strict=True):
        first.append(shares @ part.deviations)
        second.append(_second_moment(part, shares, diagonal))
    return GaussianSums(
        responsibilities.sum(axis=0), np.array(first), np.array(second), log_likelihood
    )


def _second_moment(part: Completed, shares: FloatArray, diagonal: bool) -> FloatArray:
    """Sum of ``E[(x - mean)(x - mean)ᵀ]``, what is missing with its conditional covariance."""
    unseen = part.sum_covariances(np.add.reduceat(shares, part.rows.starts[:-1]))
    if diagonal:
        return np.asarray(shares @ part.deviations**2 + unseen)
    scaled = np.sqrt(shares)[:, None] * part.deviations
    return np.asarray(scaled.T @ scaled + (np.diag(unseen) if unseen.ndim == 1 else unseen))
