"""Rows completed under one Gaussian: what is missing, given what is observed [@ghahramani1994]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from manyviews.maths._gaussians._patterns import PatternRows
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
    log_density: FloatArray
    """Of the observed entries of each row, of shape (n,)."""
    filled: FloatArray
    """The rows with the conditional means of what is missing, of shape (n, d)."""
    factors: FloatArray
    """Of the covariance with the observed entries first, of shape (n_patterns, d, d); for a
    diagonal covariance its variances, of shape (d,)."""

    def covariances(self) -> FloatArray:
        """Conditional covariances of the patterns, of shape (n_patterns, d, d)."""
        if self.factors.ndim == 1:
            return self._variances()[:, :, None] * np.eye(len(self.factors))
        roots = self._roots(np.arange(len(self.factors)))
        return roots @ roots.transpose(0, 2, 1)  # Σ of Eq. (2), Williams and Carin

    def sum_covariances(self, mass: FloatArray) -> FloatArray:
        """Sum of the conditional covariances of the patterns, each as often as ``mass`` says.

        Only its diagonal, if the covariance is diagonal.
        """
        if self.factors.ndim == 1:
            return mass @ self._variances()
        width = self.filled.shape[1]
        gaps = np.flatnonzero(self.rows.n_observed < width)
        roots = self._roots(gaps) * np.sqrt(mass[gaps])[:, None, None]
        stacked = roots.transpose(0, 2, 1).reshape(-1, width)
        return stacked.T @ stacked

    def _variances(self) -> FloatArray:
        return np.where(self.rows.observed, 0.0, self.factors)

    def _roots(self, chosen: IntArray) -> FloatArray:
        """The block ``C`` of each factor, its rows back in place and all else zero."""
        late = np.arange(self.factors.shape[1]) >= self.rows.n_observed[chosen, None]
        back = np.argsort(self.rows.order[chosen], axis=1)
        kept = self.factors[chosen] * late[:, None, :]
        return np.asarray(kept[np.arange(len(chosen))[:, None], back])


def complete(rows: PatternRows, mean: FloatArray, covariance: FloatArray) -> Completed:
    """Complete rows under a Gaussian of full, (d, d), or diagonal, (d,), covariance.

    With the observed entries first, the Cholesky factor of the covariance holds all there is to
    know: ``[[A, 0], [B, C]]`` gives the density by ``A``, the conditional mean by ``B A⁻¹`` and the
    conditional covariance, the Schur complement, as ``C Cᵀ``. So each pattern costs one
    factorisation and each row one forward substitution.
    """
    deviations = _deviations(rows, mean)
    if covariance.ndim == 1:
        return _complete_diagonal(rows, deviations, mean, covariance)
    factors = _factors(covariance, rows.order)
    whitened, predicted = _substitute(rows, factors, deviations)
    diagonals = np.einsum("pii->pi", factors)
    seen = np.arange(len(mean)) < rows.n_observed[:, None]
    log_volume = np.where(seen, np.log(diagonals), 0.0).sum(axis=1)
    distance = np.einsum("ij,ij->i", whitened, whitened)
    constant = log_volume + 0.5 * _LOG_TWO_PI * rows.n_observed
    log_density = -0.5 * distance - constant[rows.pattern]
    return Completed(rows, log_density, _fill(rows, mean, _in_place(predicted, rows)), factors)


def _complete_diagonal(
    rows: PatternRows, deviations: FloatArray, mean: FloatArray, variances: FloatArray
) -> Completed:
    """Entries are independent: what is missing keeps its mean and its variance."""
    if variances.min() <= 0:
        raise ValueError(_NOT_POSITIVE)
    log_volume = 0.5 * rows.observed @ (np.log(variances) + _LOG_TWO_PI)
    log_density = -0.5 * deviations**2 @ (1 / variances) - log_volume[rows.pattern]
    filled = _fill(rows, mean, np.zeros_like(deviations))
    return Completed(rows, log_density, filled, variances)


def _deviations(rows: PatternRows, mean: FloatArray) -> FloatArray:
    """``x - mean``, zero where missing."""
    return rows.values - rows.observed[rows.pattern] * mean


def _fill(rows: PatternRows, mean: FloatArray, predicted: FloatArray) -> FloatArray:
    """Observed entries as they are, the others where they are expected."""
    return np.where(rows.observed[rows.pattern], rows.values, mean + predicted)


def _factors(covariance: FloatArray, order: IntArray) -> FloatArray:
    """Lower Cholesky factors of the covariance with its entries in each of the orders."""
    index = order[:, :, None] * len(covariance) + order[:, None, :]
    try:
        return np.linalg.cholesky(np.ravel(covariance).take(index))
    except np.linalg.LinAlgError as error:
        raise ValueError(_NOT_POSITIVE) from error


def _in_place(values: FloatArray, rows: PatternRows) -> FloatArray:
    """Columns back from where the pattern's order put them."""
    back = np.empty_like(values)
    np.put_along_axis(back, rows.order[rows.pattern], values, axis=1)
    return back


def _substitute(
    rows: PatternRows, factors: FloatArray, deviations: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """``A⁻¹ (x - mean)`` of what is observed and ``B A⁻¹ (x - mean)`` of what is not.

    Both in the pattern's order, with zeros for the entries that the other one holds.
    """
    ordered = np.take_along_axis(deviations, rows.order[rows.pattern], axis=1)
    whitened, predicted = np.zeros_like(ordered), np.zeros_like(ordered)
    counts = np.diff(rows.starts)
    for pattern in np.flatnonzero(counts >= _MANY_ROWS):
        own, k = slice(rows.starts[pattern], rows.starts[pattern + 1]), rows.n_observed[pattern]
        factor = factors[pattern]
        solved = solve_triangular(
            factor[:k, :k], ordered[own, :k].T, lower=True, check_finite=False
        ).T
        whitened[own, :k] = solved
        predicted[own, k:] = solved @ factor[k:, :k].T
    few = np.flatnonzero(counts[rows.pattern] < _MANY_ROWS)
    if len(few):
        whitened[few], predicted[few] = _substitute_each(
            factors, rows.pattern[few], ordered[few], rows.n_observed
        )
    return whitened, predicted


def _substitute_each(
    factors: FloatArray, pattern: IntArray, ordered: FloatArray, n_observed: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Forward substitution in all rows at once, one entry after the other."""
    whitened, predicted = np.zeros_like(ordered), np.zeros_like(ordered)
    every = len(pattern) == len(factors) and bool((np.diff(pattern) == 1).all())
    for entry in range(ordered.shape[1]):
        row = factors[:, entry] if every else factors[pattern, entry]
        expected = np.einsum("ij,ij->i", row[:, :entry], whitened[:, :entry])
        seen = entry < n_observed[pattern]
        whitened[:, entry] = np.where(seen, (ordered[:, entry] - expected) / row[:, entry], 0.0)
        predicted[:, entry] = np.where(seen, 0.0, expected)
    return whitened, predicted
