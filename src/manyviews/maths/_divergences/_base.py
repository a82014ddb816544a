"""What a Bregman divergence is: the gap between a convex function and its tangent [@gupta2005]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from manyviews.maths._options import Options
from manyviews.typing import BoolArray, FloatArray, Positive


class Divergence(Options):
    """Base of Bregman divergences ``d(x, y) = φ(x) − φ(y) − ⟨∇φ(y), x − y⟩``, Eq. (1).

    A child is a dataclass and gives ``phi``, ``gradient`` and ``check``. It may replace
    ``rowwise`` by a form that loses fewer digits where ``x`` is near ``y``.

    Divergences add up to divergences, and so do positive multiples of them:
    ``GeneralizedKL() + 0.1 * SquaredEuclidean()``.
    """

    @abstractmethod
    def phi(self, X: FloatArray) -> FloatArray:
        """Value of the convex function at each row, of shape (n,)."""

    @abstractmethod
    def gradient(self, X: FloatArray) -> FloatArray:
        """Gradient of the convex function at each row, of shape (n, d).

        At the border of the domain it may be infinite.
        """

    @abstractmethod
    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Raise ``ValueError`` if a row lies outside the domain; rows of NaN are passed over."""

    def fitted(self, X: FloatArray) -> Divergence:  # noqa: ARG002 (a hook's signature)
        """Return the divergence with everything known that is learnt from data."""
        return self

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Divergence of each row of ``X`` from the same row of ``Y``, or from the only one."""
        step = X - Y
        with np.errstate(invalid="ignore"):  # infinite slope times no step
            slope = np.where(step == 0, 0.0, self.gradient(Y) * step)
        gap = self.phi(X) - self.phi(Y) - slope.sum(axis=1)  # Eq. (1)
        return np.maximum(gap, 0.0)

    def between(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Divergence of each row of ``X`` from each row of ``Y``, of shape (n, m).

        It is infinite where ``y`` lies on a border of the domain that ``x`` does not share.
        """
        gaps = np.empty((len(X), len(Y)))
        if len(X) < len(Y):
            for row, x in enumerate(X):
                gaps[row] = self.rowwise(x[None, :], Y)
        else:
            for column, y in enumerate(Y):
                gaps[:, column] = self.rowwise(X, y[None, :])
        return gaps

    def __add__(self, other: Divergence) -> SumOfDivergences:
        left, right = _weighted_terms(self), _weighted_terms(other)
        weights, terms = zip(*left, *right, strict=True)
        return SumOfDivergences(terms, weights)

    def __mul__(self, factor: float) -> SumOfDivergences:
        weights, terms = zip(*_weighted_terms(self), strict=True)
        return SumOfDivergences(terms, tuple(factor * weight for weight in weights))

    __rmul__ = __mul__


@dataclass
class SumOfDivergences(Divergence):
    """A linear combination of divergences on the same rows, itself a divergence.

    Parameters
    ----------
    terms : sequence of Divergence
        What is added.
    weights : sequence of float, optional
        A positive factor for each term; 1 if not given.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import GeneralizedKL, SquaredEuclidean
    >>> both = 2 * SquaredEuclidean() + GeneralizedKL()
    >>> both.between(np.array([[1.0, 2.0]]), np.array([[1.0, 1.0]])).round(3)
    array([[2.386]])
    """

    terms: Sequence[Divergence]
    weights: Sequence[Positive] | None = None

    def phi(self, X: FloatArray) -> FloatArray:
        """Value of the convex function at each row."""
        return sum_of([weight * term.phi(X) for weight, term in self.weighted()])

    def gradient(self, X: FloatArray) -> FloatArray:
        """Gradient of the convex function at each row."""
        return sum_of([weight * term.gradient(X) for weight, term in self.weighted()])

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Divergence of each row of ``X`` from the same row of ``Y``."""
        return sum_of([weight * term.rowwise(X, Y) for weight, term in self.weighted()])

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Raise ``ValueError`` if a row lies outside the domain of a term."""
        for _, term in self.weighted():
            term.check(X, view=view)

    def fitted(self, X: FloatArray) -> SumOfDivergences:
        """Return the sum of the fitted terms."""
        weights, terms = zip(*self.weighted(), strict=True)
        return SumOfDivergences(tuple(term.fitted(X) for term in terms), weights)

    def weighted(self) -> list[tuple[float, Divergence]]:
        """The terms with their factors, checked."""
        weights = [1.0] * len(self.terms) if self.weights is None else list(self.weights)
        if not self.terms or len(weights) != len(self.terms):
            raise ValueError(
                f"a sum of {len(self.terms)} divergences got {len(weights)} weights; give at least "
                "one term, and one weight per term."
            )
        for weight in weights:
            if not (np.isfinite(weight) and weight > 0):
                raise ValueError(
                    f"a divergence is weighted by {weight!r}; weights should be positive, "
                    "so leave out a term that is not to count."
                )
        return list(zip(weights, self.terms, strict=True))


def refuse(X: FloatArray, outside: BoolArray, *, needs: str, view: str, remedy: str) -> None:
    """Raise for the first cell that is outside a domain; say where it is and what to do."""
    if outside.any():
        _raise_at(X, outside, needs=needs, view=view, remedy=remedy)


def _raise_at(X: FloatArray, outside: BoolArray, *, needs: str, view: str, remedy: str) -> NoReturn:
    row, column = np.argwhere(outside)[0]
    raise ValueError(
        f"{needs}, but view {view!r} has {X[row, column]:.6g} at row {row}, column {column}; "
        f"{remedy}."
    )


def sum_of(parts: list[FloatArray]) -> FloatArray:
    """Add arrays of one shape."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _weighted_terms(divergence: Divergence) -> list[tuple[float, Divergence]]:
    if isinstance(divergence, SumOfDivergences):
        return divergence.weighted()
    return [(1.0, divergence)]
