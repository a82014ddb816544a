"""Rows completed under one Gaussian: what is missing, given what is observed [@ghahramani1994]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from manyviews.maths._gaussians._patterns import Gaps, PatternRows
from manyviews.typing import FloatArray, IntArray

_MANY_ROWS = 32
"""Patterns with this many rows are solved one by one, those with fewer all at once."""
_NOT_POSITIVE = (
    "a covariance of the mixture is not positive definite; raise reg_covar, ask for fewer "
    "components, or leave out features that others determine."
)
_LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Completed:
    """What one Gaussian says of rows with gaps."""

    rows: PatternRows
    mean: FloatArray
    log_density: FloatArray
    """Of the observed entries of each row, of shape (n,)."""
    deviations: FloatArray
    """From the mean, expected ones where something is missing, of shape (n, d)."""
    factors: FloatArray
    """Of the covariance with the observed entries first, of shape (n_patterns, d, d); for a
    diagonal covariance its variances, of shape (d,)."""

    @property
    def filled(self) -> FloatArray:
        """The rows: what is observed as it is, the rest as it is expected, of shape (n, d)."""
        seen = self.rows.observed[self.rows.pattern]
        return np.where(seen, self.rows.values, self.mean + self.deviations)

    def put_covariances(self, flat: FloatArray, starts: IntArray) -> None:
        """Write the conditional covariance of each pattern into zeros, from its start on."""
        if self.factors.ndim == 1:
            diagonal = np.arange(len(self.mean)) * (len(self.mean) + 1)
            flat[starts[:, None] + diagonal] = self._variances()
            return
        for gaps, own in self._conditional():
            flat[starts[gaps.patterns, None] + gaps.cells] = own

    def sum_covariances(self, mass: FloatArray) -> FloatArray:
        """Sum of the conditional covariances of the patterns, each as often as ``mass`` says.

        Only its diagonal, if the covariance is diagonal.
        """
        if self.factors.ndim == 1:
            return mass @ self._variances()
        width = len(self.mean)
        total = np.zeros(width * width)
        for gaps, own in self._conditional():
            weighted = own * mass[gaps.patterns, None]
            total += np.bincount(gaps.cells.ravel(), weighted.ravel(), len(total))
        return total.reshape(width, width)

    def _variances(self) -> FloatArray:
        return np.where(self.rows.observed, 0.0, self.factors)

    def _conditional(self) -> Iterator[tuple[Gaps, FloatArray]]:
        """Gaps of patterns that miss equally many entries, and the covariances of each."""
        for gaps in self.rows.gaps:
            late = self.factors[gaps.patterns, gaps.first :, gaps.first :]
            own = late @ late.transpose(0, 2, 1)  # Σ of Eq. (2), Williams and Carin
            yield gaps, own.reshape(len(own), -1)


def complete(rows: PatternRows, mean: FloatArray, covariance: FloatArray) -> Completed:
    """Complete rows under a Gaussian of full, (d, d), or diagonal, (d,), covariance.

    With the observed entries first, the Cholesky factor of the covariance holds all there is to
    know: ``[[A, 0], [B, C]]`` gives the density by ``A``, the conditional mean by ``B A⁻¹`` and the
    conditional covariance, the Schur complement, as ``C Cᵀ``. So each pattern costs one
    factorisation and each row one forward substitution.
    """
    if covariance.ndim == 1:
        return _complete_diagonal(rows, mean, covariance)
    factors = _factors(covariance, rows)
    deviations, distance = _solve(rows, mean, factors)
    logs = np.log(np.einsum("pii->pi", factors))
    log_volume = np.where(rows.seen_in_order, logs, 0.0).sum(axis=1)
    constant = log_volume + 0.5 * _LOG_TWO_PI * rows.n_observed
    log_density = -0.5 * distance - constant[rows.pattern]
    return Completed(rows, mean, log_density, deviations, factors)


def _complete_diagonal(rows: PatternRows, mean: FloatArray, variances: FloatArray) -> Completed:
    """Entries are independent: what is missing keeps its mean and its variance."""
    if variances.min() <= 0:
        raise ValueError(_NOT_POSITIVE)
    deviations = np.where(rows.observed[rows.pattern], rows.values - mean, 0.0)
    log_volume = 0.5 * rows.observed @ (np.log(variances) + _LOG_TWO_PI)
    log_density = -0.5 * deviations**2 @ (1 / variances) - log_volume[rows.pattern]
    return Completed(rows, mean, log_density, deviations, variances)


def _factors(covariance: FloatArray, rows: PatternRows) -> FloatArray:
    """Lower Cholesky factors of the covariance with its entries in the order of each pattern."""
    try:
        return np.linalg.cholesky(np.ravel(covariance).take(rows.cells))
    except np.linalg.LinAlgError as error:
        raise ValueError(_NOT_POSITIVE) from error


def _solve(
    rows: PatternRows, mean: FloatArray, factors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Deviations, expected ones where something is missing, and the lengths of ``A⁻¹ x``."""
    deviations, distance = np.empty_like(rows.values), np.empty(len(rows))
    counts = np.diff(rows.starts)
    for pattern in np.flatnonzero(counts >= _MANY_ROWS):
        own = slice(rows.starts[pattern], rows.starts[pattern + 1])
        order, count = rows.order[pattern], int(rows.n_observed[pattern])
        deviations[own], distance[own] = _solve_pattern(
            rows.values[own], mean, factors[pattern], order, count
        )
    few = np.flatnonzero(counts[rows.pattern] < _MANY_ROWS)
    if len(few):
        deviations[few], distance[few] = _solve_each(rows, mean, factors, few)
    return deviations, distance


def _solve_pattern(
    values: FloatArray, mean: FloatArray, factor: FloatArray, order: IntArray, count: int
) -> tuple[FloatArray, FloatArray]:
    """Rows of one pattern, by one product with ``A⁻¹`` over ``B A⁻¹``."""
    seen, width = order[:count], len(mean)
    inverse = solve_triangular(
        factor[:count, :count], np.eye(count), lower=True, check_finite=False
    )
    deviations = values - mean
    if count == width:
        whitened = deviations @ inverse.T
        return deviations, np.einsum("ij,ij->i", whitened, whitened)
    both = np.concatenate([inverse, factor[count:, :count] @ inverse])
    solved = deviations[:, seen] @ both.T
    whitened = solved[:, :count]
    deviations[:, order[count:]] = solved[:, count:]  # μ - θ of Eq. (2), Williams and Carin
    return deviations, np.einsum("ij,ij->i", whitened, whitened)


def _solve_each(
    rows: PatternRows, mean: FloatArray, factors: FloatArray, chosen: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Forward substitution in rows of many patterns at once, one entry after the other."""
    pattern = rows.pattern[chosen]
    order, seen = rows.order[pattern], rows.seen_in_order[pattern]
    ordered = np.take_along_axis(rows.values[chosen] - mean, order, axis=1)
    scale = seen / np.einsum("pii->pi", factors)[pattern]  # zero where nothing is observed
    whitened, expected = np.zeros_like(ordered), np.zeros_like(ordered)
    each_its_own = len(chosen) == len(factors)
    for entry in range(len(mean)):
        row = factors[:, entry, :entry] if each_its_own else factors[pattern, entry, :entry]
        expected[:, entry] = np.einsum("ij,ij->i", row, whitened[:, :entry])
        whitened[:, entry] = (ordered[:, entry] - expected[:, entry]) * scale[:, entry]
    deviations = np.empty_like(ordered)
    np.put_along_axis(deviations, order, np.where(seen, ordered, expected), axis=1)
    return deviations, np.einsum("ij,ij->i", whitened, whitened)
