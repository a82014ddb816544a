"""Divergences of entropies: for counts, probabilities, spectra and shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import kl_div, logit, xlogy

from manyviews.maths._divergences._base import Divergence, refuse
from manyviews.typing import FloatArray


@dataclass
class GeneralizedKL(Divergence):
    """Kullback-Leibler divergence of non-negative vectors, ``φ(x) = Σ x log x``, Eq. (3).

    For counts and probabilities. Zeros are in the domain (``0 log 0 = 0``); the divergence from a
    ``y`` that is zero where ``x`` is not is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> GeneralizedKL().between(np.array([[0.5, 0.5]]), np.array([[0.9, 0.1], [1.0, 0.0]])).round(3)
    array([[0.511,   inf]])
    """

    def phi(self, X: FloatArray) -> FloatArray:
        """Negative entropy of each row."""
        return xlogy(X, X).sum(axis=1)

    def gradient(self, X: FloatArray) -> FloatArray:
        """One plus the logarithm of each cell, minus infinity at zero."""
        with np.errstate(divide="ignore"):
            return 1 + np.log(X)

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Divergence of each row of ``X`` from the same row of ``Y``."""
        return np.maximum(kl_div(X, Y), 0.0).sum(axis=1)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse negative values."""
        refuse(
            X,
            X < 0,
            needs="GeneralizedKL needs values of zero or more",
            view=view,
            remedy="give counts or probabilities, or take SquaredEuclidean() for this view",
        )


@dataclass
class ItakuraSaito(Divergence):
    """Itakura-Saito divergence of positive vectors, ``φ(x) = −Σ log x``.

    For power spectra and variances: it sees ratios only, whatever the scale.

    Examples
    --------
    >>> import numpy as np
    >>> ItakuraSaito().between(np.array([[2.0], [200.0]]), np.array([[1.0], [100.0]])).round(3)
    array([[ 0.307,  2.932],
           [193.702, 0.307]])
    """

    def phi(self, X: FloatArray) -> FloatArray:
        """Minus the sum of the logarithms of each row."""
        return -np.log(X).sum(axis=1)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Minus the reciprocals."""
        return -1 / X

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Divergence of each row of ``X`` from the same row of ``Y``."""
        excess = (X - Y) / Y
        return np.maximum(excess - np.log1p(excess), 0.0).sum(axis=1)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse zeros and negative values."""
        refuse(
            X,
            X <= 0,
            needs="ItakuraSaito needs values above zero",
            view=view,
            remedy="smooth the view by adding a small positive constant, or clip it from below",
        )


@dataclass
class BinaryRelativeEntropy(Divergence):
    """Relative entropy of vectors of probabilities, ``φ(x) = Σ x log x + (1 − x) log(1 − x)``.

    For shares and rates, each cell a coin of its own, and for binary features. Zeros and ones are
    in the domain; the divergence from a ``y`` that is 0 or 1 where ``x`` is not is infinite.

    Examples
    --------
    >>> import numpy as np
    >>> BinaryRelativeEntropy().between(np.array([[0.5], [1.0]]), np.array([[0.5], [0.9]])).round(3)
    array([[0.   , 0.511],
           [0.693, 0.105]])
    """

    def phi(self, X: FloatArray) -> FloatArray:
        """Negative entropy of the coins of each row."""
        return (xlogy(X, X) + xlogy(1 - X, 1 - X)).sum(axis=1)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Log odds of each cell, infinite at 0 and 1."""
        return logit(X)

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Divergence of each row of ``X`` from the same row of ``Y``."""
        gap = kl_div(X, Y) + kl_div(1 - X, 1 - Y)
        return np.maximum(gap, 0.0).sum(axis=1)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse values below 0 or above 1."""
        refuse(
            X,
            (X < 0) | (X > 1),
            needs="BinaryRelativeEntropy needs values between 0 and 1",
            view=view,
            remedy="give shares or 0/1 features, or scale the view by its largest value",
        )
