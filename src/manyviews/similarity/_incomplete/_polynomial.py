"""The polynomial kernel of two rows, integrated over what is missing of them [@williams2005]."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, factorial
from typing import Any

import numpy as np

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
from manyviews.typing import BoolArray, FloatArray


def expected_polynomial(
    left: Conditionals,
    degree: int,
    gamma: float,
    coef0: float,
    right: Conditionals | None = None,
) -> FloatArray:
    """Expected polynomial kernel of left rows and right rows, or of left rows among themselves.

    For Gaussian ``x ~ N(m, S)`` and ``y ~ N(n, T)``, independent, the logarithm of
    ``E exp(t x·y)`` is ``t m(1 − t²TS)⁻¹n + t²/2 [mT(1 − t²ST)⁻¹m + nS(1 − t²TS)⁻¹n]
    − ½ log|1 − t²ST|``. Its powers of ``t`` give the cumulants of ``x·y``, and these the moments.

    Parameters
    ----------
    left : Conditionals
        Rows as mixtures.
    degree : int
        The power.
    gamma, coef0 : float
        The kernel is ``(gamma x·y + coef0)^degree``.
    right : Conditionals, optional
        Other rows as mixtures.

    Returns
    -------
    array of shape (n_left, n_right) or (n_left, n_left)
        The expectations, exact but for rounding.

    Examples
    --------
    >>> from manyviews.maths import conditionals
    >>> rows = np.array([[2.0, 1.0], [1.0, np.nan]])
    >>> known = conditionals(rows, np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> expected_polynomial(known, degree=2, gamma=1.0, coef0=0.0)
    array([[25.,  5.],
           [ 5.,  2.]])
    """
    rule = _PowerRule(degree, gamma, coef0)
    if right is None:
        return compare_among(left, rule)
    return compare_between(left, right, rule)


def expected_polynomial_diagonal(
    rows: Conditionals, degree: int, gamma: float, coef0: float
) -> FloatArray:
    """Expected polynomial kernel of each row and an independent copy of it."""
    return compare_with_itself(rows, _PowerRule(degree, gamma, coef0))


@dataclass(frozen=True)
class _PowerRule(PairRule):
    """The expected power of the inner product of two mixtures."""

    degree: int
    gamma: float
    coef0: float

    def together(self, left: Group, right: Group) -> FloatArray:
        found = np.zeros((len(left), len(right)))
        for one, rows in left.components():
            for other, columns in right.components():
                cumulants = product_cumulants(
                    left.means[rows, one],
                    left.covariances[one],
                    right.means[columns, other],
                    right.covariances[other],
                    self.degree,
                )
                moment = self._moment(cumulants)
                weights = np.outer(left.weights[rows, one], right.weights[columns, other])
                add_block(found, rows, columns, weights * moment)
        return found

    def _moment(self, cumulants: list[FloatArray]) -> FloatArray:
        """``E (gamma s + coef0)^degree`` from the cumulants of ``s``."""
        scaled = [cumulant * self.gamma**order for order, cumulant in enumerate(cumulants, 1)]
        scaled[0] = scaled[0] + self.coef0
        moments: list[Any] = [1.0]
        for order in range(1, self.degree + 1):
            moments.append(
                sum(
                    comb(order - 1, taken - 1) * scaled[taken - 1] * moments[order - taken]
                    for taken in range(1, order + 1)
                )
            )
        return np.asarray(moments[-1])

    def one_by_one(
        self,
        found: FloatArray,
        left: PairRows,
        right: PairRows,
        wanted: BoolArray,
        *,
        symmetric: bool,
    ) -> None:
        from manyviews.similarity._incomplete._polynomial_loops import fill_powers

        rule = (self.degree, float(self.gamma), float(self.coef0))
        fill_powers(found, left, right, wanted, rule, symmetric)


def product_cumulants(
    left: FloatArray,
    left_covariance: FloatArray,
    right: FloatArray,
    right_covariance: FloatArray,
    highest: int,
) -> list[FloatArray]:
    """Cumulants of ``x·y`` for all pairs of left and right means, from the first to the highest.

    Examples
    --------
    >>> one = np.ones((1, 1))
    >>> [float(c.item()) for c in product_cumulants(one, one, 2 * one, one, 3)]
    [2.0, 6.0, 12.0]
    """
    cumulants: list[FloatArray] = [left @ right.T]
    here, there, power = left, right, np.eye(len(left_covariance))
    for order in range(2, highest + 1):
        if order % 2 == 0:
            here, there = here @ right_covariance, there @ left_covariance
            power = power @ left_covariance @ right_covariance
            squares = (here * left).sum(axis=1)[:, None] + (there * right).sum(axis=1)
            cumulants.append(factorial(order) * (squares / 2 + np.trace(power) / order))
        else:
            here, there = here @ left_covariance, there @ right_covariance
            cumulants.append(factorial(order) * (here @ right.T))
    return cumulants
