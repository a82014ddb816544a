"""Directions about a mean direction [@banerjee2005], concentrated as Newton finds [@sra2012]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import gammaln, ive

from manyviews.maths._likelihoods._base import (
    Likelihood,
    WeightedSums,
    fill_weightless,
    weighted_sums,
)
from manyviews.typing import BoolArray, FloatArray, Interval, Matrix, is_sparse

_NEWTON_STEPS = 5
_LEAST_CONCENTRATION = 1e-6
_HIGH_ORDER = 30.0
"""Order from which on the uniform expansion of the Bessel function is exact to rounding."""


@dataclass(frozen=True)
class VonMisesFisherParameters:
    """Where each component points and how closely its rows do."""

    directions: FloatArray
    """Components × features, of unit length."""
    concentrations: FloatArray
    """One per component; 0 is uniform."""


@dataclass
class VonMisesFisher(Likelihood[WeightedSums, VonMisesFisherParameters]):
    """Distribution of directions: rows count by where they point, not by their length.

    A row of zeros has no direction and says nothing of its component.

    Parameters
    ----------
    max_concentration : float
        Bound of the concentration, which would be infinite for rows that all point one way.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import VonMisesFisher
    >>> rows = np.array([[1.0, 0.1], [2.0, -0.2], [1.0, 0.0]])
    >>> family = VonMisesFisher()
    >>> found = family.update(family.summarize(rows, np.ones((3, 1))))
    >>> found.directions, found.concentrations.round(1)
    (array([[1., 0.]]), array([151.4]))

    References
    ----------
    [@banerjee2005], [@sra2012]
    """

    max_concentration: Annotated[float, Interval(_LEAST_CONCENTRATION, above=True)] = 1e6

    def check(self, X: Matrix, *, view: str) -> None:
        """Accept everything."""

    def informative(self, X: Matrix) -> BoolArray:
        """Tell which rows have a direction."""
        return row_lengths(X) > 0

    def summarize(self, X: Matrix, responsibilities: FloatArray) -> WeightedSums:
        """Sum up the unit vectors of each component."""
        scaled = responsibilities * _inverse_lengths(X)[:, None]
        sums = weighted_sums(X, scaled)
        return WeightedSums(responsibilities.sum(axis=0, dtype=np.float64), sums.totals)

    def update(self, stats: WeightedSums) -> VonMisesFisherParameters:
        """Return mean directions and concentrations."""
        totals = fill_weightless(stats.totals, stats.mass, stats.totals.sum(axis=0))
        mass = fill_weightless(stats.mass, stats.mass, stats.mass.sum())
        lengths = np.linalg.norm(totals, axis=1)
        uniform = np.full_like(totals, totals.shape[1] ** -0.5)
        divided = totals / np.where(lengths > 0, lengths, 1.0)[:, None]
        directions = np.where(lengths[:, None] > 0, divided, uniform)
        resultant = np.clip(lengths / np.maximum(mass, np.finfo(float).tiny), 0.0, 1.0)
        kappa = concentration(resultant, totals.shape[1], limit=self.max_concentration)
        return VonMisesFisherParameters(directions, kappa)

    def log_density(self, X: Matrix, parameters: VonMisesFisherParameters) -> FloatArray:
        """Return the cosines times the concentrations, normalised."""
        kappa = parameters.concentrations
        weights = np.ascontiguousarray((parameters.directions * kappa[:, None]).T, dtype=X.dtype)
        density = np.asarray(X @ weights)
        density *= _inverse_lengths(X)[:, None]
        density += log_normalizer(kappa, X.shape[1]).astype(density.dtype)
        return density


def row_lengths(X: Matrix) -> FloatArray:
    """Euclidean length of each row, NaN where a row is NaN.

    Examples
    --------
    >>> row_lengths(np.array([[3.0, 4.0]]))
    array([5.])
    """
    squares = X.power(2).sum(axis=1) if is_sparse(X) else np.einsum("ij,ij->i", X, X)
    return np.sqrt(np.asarray(squares))


def _inverse_lengths(X: Matrix) -> FloatArray:
    lengths = row_lengths(X)
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def concentration(resultant: FloatArray, dimension: int, *, limit: float) -> FloatArray:
    """Concentration at which unit vectors have a mean of the given lengths.

    Banerjee's approximation, then Newton's steps on A(κ) = r, where A is the ratio of the Bessel
    functions of orders d/2 and d/2 − 1.

    Examples
    --------
    >>> concentration(np.array([0.0, 0.5]), 3, limit=1e6).round(4)
    array([0.    , 1.7968])
    """
    r = np.minimum(resultant, 1.0 - 1e-12)
    kappa = r * (dimension - r**2) / (1.0 - r**2)
    kappa = np.clip(kappa, _LEAST_CONCENTRATION, limit)
    for _ in range(_NEWTON_STEPS):
        ratio = bessel_ratio(kappa, dimension)
        slope = 1.0 - ratio**2 - (dimension - 1.0) / kappa * ratio
        change = np.divide(ratio - r, slope, out=np.zeros_like(kappa), where=slope > 1e-14)
        kappa = np.clip(np.maximum(kappa - change, kappa / 4.0), _LEAST_CONCENTRATION, limit)
    return np.asarray(kappa)


def bessel_ratio(kappa: FloatArray, dimension: int) -> FloatArray:
    """Mean length of unit vectors at a concentration.

    Examples
    --------
    >>> bessel_ratio(np.array([2.0]), 1), np.tanh([2.0])
    (array([0.96402758]), array([0.96402758]))
    """
    order = dimension / 2.0
    return np.exp(log_bessel(order, kappa) - log_bessel(order - 1.0, kappa))


def log_normalizer(kappa: FloatArray, dimension: int) -> FloatArray:
    """Log of what the density exp(κ cos) is multiplied by on the sphere.

    Examples
    --------
    >>> float(np.exp(-log_normalizer(np.array([1e-6]), 3))[0]) / (4 * np.pi)  # the sphere's area
    1.0...
    """
    order = dimension / 2.0 - 1.0
    kappa = np.maximum(kappa, _LEAST_CONCENTRATION)
    constant = dimension / 2.0 * np.log(2.0 * np.pi)
    return np.asarray(order * np.log(kappa) - constant - log_bessel(order, kappa))


def log_bessel(order: float, kappa: FloatArray) -> FloatArray:
    """Log of the modified Bessel function of the first kind, for any order from -1/2 up.

    Examples
    --------
    >>> log_bessel(0.5, np.array([1.0])), np.log(np.sqrt(2 / np.pi) * np.sinh([1.0]))
    (array([-0.06435199]), array([-0.06435199]))
    """
    if order >= _HIGH_ORDER:
        return _uniform_log_bessel(order, kappa)
    scaled = ive(order, kappa)
    usable = scaled > 1e-290
    near_zero = order * np.log(kappa / 2.0) - gammaln(order + 1.0)  # leading term of the series
    return np.where(usable, np.log(np.where(usable, scaled, 1.0)) + kappa, near_zero)


def _uniform_log_bessel(order: float, kappa: FloatArray) -> FloatArray:
    """Debye's expansion, uniform in κ (Abramowitz and Stegun, 9.7.7)."""
    root = np.hypot(order, kappa)
    t = order / root
    exponent = root + order * np.log(kappa / (order + root))
    u1 = t * (3.0 - 5.0 * t**2) / 24.0
    u2 = t**2 * (81.0 - 462.0 * t**2 + 385.0 * t**4) / 1152.0
    u3 = t**3 * (30375.0 - 369603.0 * t**2 + 765765.0 * t**4 - 425425.0 * t**6) / 414720.0
    u4 = (
        t**4
        * (
            4465125.0
            - 94121676.0 * t**2
            + 349922430.0 * t**4
            - 446185740.0 * t**6
            + 185910725.0 * t**8
        )
        / 39813120.0
    )
    series = u1 / order + u2 / order**2 + u3 / order**3 + u4 / order**4
    return np.asarray(exponent - 0.5 * np.log(2.0 * np.pi * root) + np.log1p(series))
