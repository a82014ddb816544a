"""The Gaussian kernel of two rows, integrated over what is missing of them [@williams2005]."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from manyviews.maths import Conditionals
from manyviews.similarity._incomplete._pairs import (
    Group,
    PairRows,
    PairRule,
    add_block,
    compare_among,
    compare_between,
    compare_with_itself,
)
from manyviews.typing import BoolArray, FloatArray, IntArray


def expected_rbf(left: Conditionals, sigma: float, right: Conditionals | None = None) -> FloatArray:
    """Expected Gaussian kernel of left rows and right rows, or of left rows among themselves.

    With ``x ~ Σ_ζ π_ζ N(m_ζ, S_ζ)`` and ``y ~ Σ_ξ π_ξ N(m_ξ, S_ξ)`` independent of each other,
    ``E exp(−|x − y|² / 2σ²) = Σ_ζξ π_ζ π_ξ (2πσ²)^(d/2) N(m_ζ − m_ξ | 0, σ²I + S_ζ + S_ξ)``,
    which is Eq. (4) of the paper divided by ``z_κ = (2πσ²)^(−d/2)``.

    Parameters
    ----------
    left : Conditionals
        Rows as mixtures.
    sigma : float
        The width of the kernel.
    right : Conditionals, optional
        Other rows as mixtures.

    Returns
    -------
    array of shape (n_left, n_right) or (n_left, n_left)
        Values above 0 and up to 1.

    Examples
    --------
    >>> from manyviews.maths import conditionals
    >>> rows = np.array([[0.0, 1.0], [0.0, np.nan]])
    >>> known = conditionals(rows, np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> expected_rbf(known, sigma=1.0).round(3)
    array([[1.   , 0.551],
           [0.551, 0.577]])
    """
    rule = _GaussianRule(sigma**2)
    if right is None:
        return compare_among(_moved(left, left), rule)
    return compare_between(_moved(left, right), _moved(right, right), rule)


def expected_rbf_diagonal(rows: Conditionals, sigma: float) -> FloatArray:
    """Expected Gaussian kernel of each row and an independent copy of it."""
    return compare_with_itself(_moved(rows, rows), _GaussianRule(sigma**2))


def _moved(rows: Conditionals, right: Conditionals) -> Conditionals:
    """Rows moved by the mean of the right ones, so that distances lose no digits."""
    return replace(rows, means=rows.means - right.means.mean(axis=(0, 1)))


@dataclass(frozen=True)
class _GaussianRule(PairRule):
    """The expected Gaussian kernel of two mixtures."""

    variance: float

    def together(self, left: Group, right: Group) -> FloatArray:
        found = np.zeros((len(left), len(right)))
        either = np.flatnonzero(left.missing | right.missing)
        for one, rows in left.components():
            for other, columns in right.components():
                spread = left.covariances[one] + right.covariances[other]
                means = np.concatenate([left.means[rows, one], right.means[columns, other]])
                white, log_determinant = self._whitened(means, spread, either)
                here, there = white[: len(rows)], white[len(rows) :]
                terms = _gaussians(
                    here,
                    there,
                    _log(left.weights[rows, one]) - 0.5 * log_determinant,
                    _log(right.weights[columns, other]),
                )
                add_block(found, rows, columns, terms)
        return found

    def _whitened(
        self, means: FloatArray, spread: FloatArray, either: IntArray
    ) -> tuple[FloatArray, float]:
        """Rows in units of ``σ²I + S_ζ + S_ξ``, and the logarithm of its determinant over σ²I's.

        It is σ²I but for the features that either side lacks.
        """
        white = means / np.sqrt(self.variance)
        if not len(either):
            return white, 0.0
        covariance = spread[np.ix_(either, either)] + self.variance * np.eye(len(either))
        factor = cholesky(covariance, lower=True, check_finite=False)
        white[:, either] = solve_triangular(
            factor, means[:, either].T, lower=True, check_finite=False
        ).T
        return white, float(2.0 * np.log(np.diag(factor) / np.sqrt(self.variance)).sum())

    def one_by_one(
        self,
        found: FloatArray,
        left: PairRows,
        right: PairRows,
        wanted: BoolArray,
        *,
        symmetric: bool,
    ) -> None:
        from manyviews.similarity._incomplete._rbf_loops import fill_pairs

        fill_pairs(found, left, right, wanted, self.variance, symmetric)


def _gaussians(
    left: FloatArray, right: FloatArray, left_logs: FloatArray, right_logs: FloatArray
) -> FloatArray:
    """``exp(−|x − y|²/2 + a + b)`` for all pairs: the exponent is one matrix product."""
    here = np.column_stack([left, left_logs - 0.5 * (left**2).sum(axis=1), np.ones(len(left))])
    there = np.column_stack([right, np.ones(len(right)), right_logs - 0.5 * (right**2).sum(axis=1)])
    exponents = here @ there.T
    return np.exp(exponents, out=exponents)


def _log(weights: FloatArray) -> FloatArray:
    """Logarithms, of which none is infinite: what adds nothing may add 1e-300."""
    return np.log(np.maximum(weights, 1e-300))
