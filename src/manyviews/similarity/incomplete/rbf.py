"""The Gaussian kernel of rows with gaps, integrated over what they lack [@williams2005]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from manyviews.maths import Conditionals
from manyviews.similarity.incomplete.kernels import (
    Component,
    Expectation,
    IncompleteKernel,
    PairExpectation,
    Pairs,
    total_variances,
)
from manyviews.similarity.incomplete.mixture import Mixture
from manyviews.similarity.kernels import RBF
from manyviews.similarity.rows import MEDIAN_SAMPLE, evenly_spaced, median_square
from manyviews.typing import FloatArray, IntArray, Positive

__all__ = ["IncompleteRBF"]

_NARROWEST = 1e-150
"""Of a narrower width the square is zero, of its inverse it is infinite."""


@dataclass(frozen=True)
class ExpectedRBF(PairExpectation):
    """``E exp(−|x − y|² / 2σ²)`` of two mixtures: above 0 and up to 1.

    With ``x ~ Σ_ζ π_ζ N(m_ζ, S_ζ)`` and ``y ~ Σ_ξ π_ξ N(m_ξ, S_ξ)`` independent of each other it is
    ``Σ_ζξ π_ζ π_ξ (2πσ²)^(d/2) N(m_ζ − m_ξ | 0, σ²I + S_ζ + S_ξ)``, which is Eq. (4) of the paper
    divided by ``z_κ = (2πσ²)^(−d/2)``.

    Examples
    --------
    >>> from manyviews.maths import conditionals
    >>> rows = np.array([[0.0, 1.0], [0.0, np.nan]])
    >>> known = conditionals(rows, np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> ExpectedRBF(sigma=1.0)(known).round(3)
    array([[1.   , 0.551],
           [0.551, 0.577]])
    """

    sigma: float

    @property
    def variance(self) -> float:
        """The square of the width, σ²."""
        return self.sigma**2

    def moved(self, rows: Conditionals, right: Conditionals) -> Conditionals:
        """Rows less the mean of the right ones, so that distances of large numbers keep digits."""
        return replace(rows, means=rows.means - right.means.mean(axis=(0, 1)))

    def term(self, left: Component, right: Component) -> FloatArray:
        either = np.flatnonzero(left.missing | right.missing)
        means, spread = (
            np.concatenate([left.means, right.means]),
            left.covariance + right.covariance,
        )
        white, log_determinant = self._whitened(means, spread, either)
        here, there = white[: len(left.rows)], white[len(left.rows) :]
        left_logs = _log(left.weights) - 0.5 * log_determinant
        return _gaussians(here, there, left_logs, _log(right.weights))

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

    def one_by_one(self, found: FloatArray, pairs: Pairs) -> None:
        from manyviews.similarity.incomplete.loops import fill_pairs  # numba is slow to import

        fill_pairs(found, pairs, self.variance)


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


@dataclass(frozen=True)
class Normalized(Expectation):
    """An expectation over the roots of its diagonal."""

    expected: Expectation

    def __call__(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        found = self.expected(left, right)
        here = self.expected.diagonal(left)
        there = here if right is None else self.expected.diagonal(right)
        found /= np.sqrt(here)[:, None] * np.sqrt(there)
        return found

    def diagonal(self, rows: Conditionals) -> FloatArray:
        return np.ones(len(rows))


@dataclass
class IncompleteRBF(IncompleteKernel):
    """The Gaussian kernel of rows of which cells or whole views are missing.

    Take it for measurements with single cells or whole views missing, for any kernel method:
    what could stand in the gaps is integrated out, not filled in.

    Parameters
    ----------
    mixture : IncompleteGaussianMixture or None
        The density of the rows: one Gaussian by default. It is learnt from the rows that
        ``fitted`` sees, unless it is fitted already. (scikit-learn's ``clone`` makes it unfitted;
        ``FrozenEstimator`` around it keeps it as it is.) Any mixture with ``weights_``, ``means_``
        and full or diagonal ``covariances_`` will do.
    sigma : "median" or float
        The width. With "median" the median over pairs of rows that differ of the root of their
        expected squared distance, the median distance if nothing is missing.
    normalize : bool
        Divide by the roots of the diagonal, so that every object has length one in feature space.
        Else the more an object lacks, the shorter it is and the less it counts, which a narrow
        width drives to nothing.

    Attributes
    ----------
    rows_ : array
        The training rows; what ``fitted`` returns has them.

    Examples
    --------
    >>> from manyviews.similarity import IncompleteGaussianMixture, IncompleteRBF
    >>> complete = np.array([[0.0, 0.1], [1.0, 0.9], [2.0, 2.2], [3.0, 3.1]])
    >>> mixture = IncompleteGaussianMixture().fit(complete)
    >>> X = np.array([[0.0, 0.1], [1.0, 0.9], [2.0, np.nan], [3.0, 3.1]])
    >>> kernel = IncompleteRBF(mixture, sigma=1.0).fitted(X)
    >>> kernel.cross(np.array([[2.0, 2.0], [np.nan, 2.0]])).round(2)
    array([[0.02, 0.33, 0.99, 0.33],
           [0.03, 0.36, 0.98, 0.3 ]])

    Notes
    -----
    **Objective**
        ``k(i, j) = E exp(−|x − y|² / 2σ²)``, the expectation over what is missing of rows i and j
        given what they show: Eq. (4) of the paper over ``z_κ``. With the conditional mixtures
        ``Σ_ζ π_ζ N(m_ζ, S_ζ)`` of the rows (Eq. 2; m is the row itself and S zero where it is
        observed) the double integral is a Gaussian in the difference of the means,
        ``k(i, j) = Σ_ζξ π_ζ π_ξ (2πσ²)^(d/2) N(m_ζ − m_ξ | 0, σ²I + S_ζ + S_ξ)``.

    **Symbols**
        σ_κ ``sigma``, γ = 1 / 2σ² ``gamma``; p(x) of Eq. (1) ``mixture``; π, μ, Σ of Eq. (2) what
        its ``conditional`` gives.

    **Algorithm**
        1. ``fitted`` learns the mixture (EM) and the width.
        2. Pairs of patterns with many rows (``ExpectedRBF``): one Cholesky factor per pair of
           components, which whitens the rows; then distances are matrix products.
        3. All other pairs of rows in a compiled loop (``fill_pairs``). First each row takes in what
           the other shows of the features that it alone lacks, a Cholesky factorisation that stops
           early, one per component; then a pair of components needs one factorisation of the size
           of what *both* lack.

    **Deviations**
        The paper's kernel carries the factor ``z_κ = (2πσ²)^(−d/2)``; ours does not, so that
        complete rows have the usual values and :class:`RBF` with the same ``gamma`` is its special
        case. The paper goes through a chain of partitions, in which step (c) has ``o_i ∩ m_j``
        for ``m_i ∩ o_j`` and one symbol for different blocks of a covariance, (e) is conditioned
        on ``m_i ∩ o_j``, not ``o_i ∩ m_j``, **G** takes its second term from ``m_i``, not ``m_j``,
        and d in ``z_c`` is the number of features in ``m_j``; so corrected it gives the same
        numbers. The paper says nothing of i = j. Here a row and itself are two independent draws,
        as any two objects are that show the same: the diagonal is below one where something is
        missing, and the matrix is one of inner products of mean embeddings. (One draw would give
        ones in the diagonal and the same elsewhere, which is positive semi-definite as well, but
        would make a training object that comes again another object; ``normalize`` gives ones and
        keeps it the same.) Pairs of components with a
        joint weight below 1e-16 are left out, each of which could add as much at most.

    **Complexity**
        Few patterns: O(n² Z² d) in matrix products. All patterns distinct: O(n² (Z d³ + Z² b³)),
        b features missing on both sides. Memory O(n² + P Z d²) for P patterns.

    References
    ----------
    [@williams2005]
    """

    mixture: Mixture | None = None
    sigma: Positive | Literal["median"] = "median"
    normalize: bool = False

    @property
    def gamma(self) -> float:
        """The ``gamma`` of the :class:`RBF` that complete rows have, once the width is chosen."""
        assert not isinstance(self.sigma, str), "fitted() chooses sigma"
        return 0.5 / self.sigma**2

    def _chosen(self, rows: FloatArray) -> Self:
        if self.sigma == "median":
            return replace(self, sigma=median_sigma(self._known(rows)))
        sigma = float(self.sigma)
        if not _NARROWEST <= sigma <= 1 / _NARROWEST:
            raise ValueError(
                f"sigma={self.sigma!r} of IncompleteRBF should be from {_NARROWEST:g} to "
                f"{1 / _NARROWEST:g}, as its square is beyond all numbers; scale the view."
            )
        return replace(self, sigma=sigma)

    def _expectation(self) -> Expectation:
        assert not isinstance(self.sigma, str), "fitted() chooses sigma"
        expected = ExpectedRBF(self.sigma)
        return Normalized(expected) if self.normalize else expected

    def _compare(self, left: FloatArray, right: FloatArray | None = None) -> FloatArray:
        both = (left, left if right is None else right)
        if any(np.isnan(rows).any() for rows in both):
            return super()._compare(left, right)
        kernel = RBF(self.gamma)  # exactly, where nothing is missing
        found = kernel.gram(left) if right is None else kernel.cross(left, right)
        return np.asarray(found)


def median_sigma(rows: Conditionals) -> float:
    """Median over pairs of rows that differ of the root of their expected squared distance.

    Examples
    --------
    >>> from manyviews.maths import conditionals
    >>> X = np.array([[0.0], [1.0], [3.0]])
    >>> median_sigma(conditionals(X, np.ones(1), np.zeros((1, 1)), np.ones((1, 1, 1))))
    2.0
    """
    some = rows[evenly_spaced(len(rows), MEDIAN_SAMPLE)]
    return float(np.sqrt(median_square(some.expected, total_variances(some))))
