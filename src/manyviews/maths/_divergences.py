"""Bregman divergences as objects, and the costs of clusters under them [@gupta2005]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
from scipy.special import kl_div, logit, xlogy

from manyviews.maths._options import Options
from manyviews.maths.memory import check_memory
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, Positive


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


# Quadratic functions: squared distances, plain and in a given metric ------------------------------

_RANK_CUT = 1e-10
"""Directions with less than this share of the largest variance count as constant: rounding leaves
about 1e-16 times their number, and features in units a thousandfold apart are 1e-6 apart."""


@dataclass
class SquaredEuclidean(Divergence):
    """Squared Euclidean distance, ``φ(x) = ‖x‖²``; every real vector is in its domain.

    Gupta and Dasgupta's example in Section 2 has half of it; this is the one of their cost in
    Section 3, which is that of k-means.

    Examples
    --------
    >>> import numpy as np
    >>> SquaredEuclidean().between(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[25.]])
    """

    def phi(self, X: FloatArray) -> FloatArray:
        """Squared length of each row."""
        return np.einsum("ij,ij->i", X, X)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Twice each row."""
        return 2 * X

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Squared distance of each row of ``X`` to the same row of ``Y``."""
        return self.phi(X - Y)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Accept everything."""


@dataclass(eq=False)
class Mahalanobis(Divergence):
    """Squared distance in the metric of a precision matrix, ``φ(x) = xᵀPx``.

    Parameters
    ----------
    precision : array of shape (d, d), optional
        The matrix ``P``, symmetric, without negative eigenvalues. If not given, ``fitted`` takes
        the inverse of the covariance of the data, or its pseudo-inverse where they are constant in
        some direction; differences in such a direction then do not count.

    Examples
    --------
    >>> import numpy as np
    >>> metric = Mahalanobis(np.diag([1.0, 0.01]))
    >>> metric.between(np.array([[0.0, 0.0]]), np.array([[1.0, 10.0]]))
    array([[2.]])
    """

    precision: FloatArray | None = None

    def phi(self, X: FloatArray) -> FloatArray:
        """Quadratic form at each row."""
        return np.einsum("ij,ij->i", X @ self.known_precision(), X)

    def gradient(self, X: FloatArray) -> FloatArray:
        """Twice each row, in the metric."""
        return 2 * X @ self.known_precision()

    def rowwise(self, X: FloatArray, Y: FloatArray) -> FloatArray:
        """Squared distance of each row of ``X`` to the same row of ``Y``, in the metric."""
        return np.maximum(self.phi(X - Y), 0.0)

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse a precision that does not fit the view; its rows may be anything."""
        if self.precision is None:
            return
        given, width = np.asarray(self.precision), X.shape[1]
        if given.dtype.kind not in "fiub" or not np.isfinite(given).all():
            raise ValueError(
                f"the precision of Mahalanobis for view {view!r} has entries that are no finite "
                "numbers; give a matrix of numbers."
            )
        precision = self.known_precision()
        if precision.shape != (width, width):
            raise ValueError(
                f"the precision of Mahalanobis has shape {precision.shape}, but view {view!r} has "
                f"{width} columns; give a matrix of shape ({width}, {width})."
            )
        if not np.allclose(precision, precision.T):
            raise ValueError(
                f"the precision of Mahalanobis for view {view!r} is not symmetric; "
                "give the mean of it and its transpose."
            )
        values = np.linalg.eigvalsh(precision)
        if values.min(initial=0.0) < -_RANK_CUT * values.max(initial=0.0):
            raise ValueError(
                f"the precision of Mahalanobis for view {view!r} has the negative eigenvalue "
                f"{values[0]:.3g}; add a multiple of the identity."
            )

    def fitted(self, X: FloatArray) -> Mahalanobis:
        """Return itself, or one with the inverse of the covariance of the rows."""
        if self.precision is not None:
            return self
        check_memory(
            (X.shape[1], X.shape[1]),
            f"the covariance of {X.shape[1]:,} features",
            remedy="use SquaredEuclidean(), or reduce the features, as by PerView(PCA(100))",
        )
        centred = np.asarray(X, dtype=np.float64) - X.mean(axis=0)
        covariance = centred.T @ centred / max(len(X) - 1, 1)
        return Mahalanobis(np.linalg.pinv(covariance, rcond=_RANK_CUT, hermitian=True))

    def known_precision(self) -> FloatArray:
        """Return the matrix, or say that it is to be learnt first."""
        if self.precision is None:
            raise ValueError(
                "Mahalanobis has no precision yet; give one, or call fitted(X) on the data."
            )
        return np.asarray(self.precision, dtype=np.float64)


# Entropies: for counts, probabilities, spectra and shares -----------------------------------------


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


# A user's own convex function ---------------------------------------------------------------------


@dataclass
class CustomDivergence(Divergence):
    """The divergence of any strictly convex, differentiable function.

    Parameters
    ----------
    phi : callable
        From rows, an array of shape (n, d), to the function's value at each, of shape (n,).
    gradient : callable
        From rows to the gradient at each, of shape (n, d).
    domain : callable, optional
        From rows to what lies in the domain: an array of bool of shape (n,) or, cell by cell,
        (n, d). Everything does if it is not given. The domain should be convex.

    Notes
    -----
    An estimator with functions that have no name of their own (``lambda``) can be used, but not
    be written to a file.

    Examples
    --------
    >>> import numpy as np
    >>> exponential = CustomDivergence(
    ...     phi=lambda X: np.exp(X).sum(axis=1), gradient=np.exp, domain=np.isfinite
    ... )
    >>> exponential.between(np.array([[1.0]]), np.array([[0.0]])).round(3)
    array([[0.718]])
    """

    phi: Callable[[FloatArray], FloatArray] = field()  # type: ignore[assignment]
    gradient: Callable[[FloatArray], FloatArray] = field()  # type: ignore[assignment]
    domain: Callable[[FloatArray], AnyArray] | None = None

    def check(self, X: FloatArray, *, view: str = "X") -> None:
        """Refuse rows that the domain does not hold, and functions of another shape."""
        seen = np.flatnonzero(~np.isnan(X).all(axis=1))
        self._check_domain(X, seen, view)
        first = X[seen[:1]]
        _refuse_other_shape("phi", self.phi(first), first.shape[:1])
        _refuse_other_shape("gradient", self.gradient(first), first.shape)

    def _check_domain(self, X: FloatArray, seen: IntArray, view: str) -> None:
        if self.domain is None:
            return
        found = self.domain(X[seen])
        _refuse_other_shape("domain", found, (len(seen),), (len(seen), X.shape[1]))
        inside = np.asarray(found, dtype=bool)
        if inside.all():
            return
        first = np.argwhere(~inside)[0]
        where = f"row {seen[first[0]]}" + (f", column {first[1]}" if inside.ndim == 2 else "")
        raise ValueError(
            f"view {view!r} lies outside the domain of the custom divergence at {where}; "
            "smooth or clip the view, or choose another divergence for it."
        )


def _refuse_other_shape(name: str, found: Any, *shapes: tuple[int, ...]) -> None:
    """Refuse a function that gives something other than numbers for each row."""
    array = np.asarray(found)
    if array.dtype.kind not in "fiub" or array.shape not in shapes:
        raise ValueError(
            f"{name} of CustomDivergence gives {array.dtype} of shape {array.shape}; give a "
            f"function whose values for these rows are of shape {' or '.join(map(str, shapes))}."
        )


# The cost of a cluster, and of merging two --------------------------------------------------------


def cluster_cost(divergence: Divergence, X: FloatArray) -> float:
    """Sum of the divergences of the rows from their mean; 0 for no rows.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import SquaredEuclidean
    >>> cluster_cost(SquaredEuclidean(), np.array([[0.0], [2.0], [4.0]]))
    8.0
    """
    if not len(X):
        return 0.0
    mean = X.mean(axis=0, keepdims=True)
    return float(divergence.rowwise(X, mean).sum())


def merge_cost(
    divergence: Divergence,
    mean_a: FloatArray,
    size_a: Any,
    mean_b: FloatArray,
    size_b: Any,
) -> FloatArray:
    """How much the cost of two clusters rises when they become one, by the Lemma.

    It is ``|A| φ(μ_A) + |B| φ(μ_B) − (|A| + |B|) φ(μ)`` with the common mean ``μ``, written as
    ``|A| d(μ_A, μ) + |B| d(μ_B, μ)``: the same number, as the gradient's terms cancel, with no
    difference of large values. The points of the clusters are not needed.

    Parameters
    ----------
    divergence : Divergence
        Under which they cost.
    mean_a, mean_b : arrays of shape (d,) or (n, d)
        Means of the clusters of the pairs; a single one is paired with each of the others.
    size_a, size_b : float or arrays of shape (n,)
        Their sizes, or sums of weights. A cluster of size 0 costs nothing to merge with.

    Returns
    -------
    array of shape (n,), or () if both means are single
        The cost of each merge.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.maths import SquaredEuclidean
    >>> float(merge_cost(SquaredEuclidean(), np.array([1.0]), 2, np.array([4.0]), 1))
    6.0
    """
    shape = np.broadcast_shapes(mean_a.shape[:-1], mean_b.shape[:-1])
    sizes_a, sizes_b = np.atleast_1d(size_a), np.atleast_1d(size_b)
    empty = (sizes_a == 0) | (sizes_b == 0)
    share = np.where(empty, 0.5, sizes_b / np.where(empty, 1, sizes_a + sizes_b))[:, None]
    means_a, means_b = np.atleast_2d(mean_a), np.atleast_2d(mean_b)
    common = means_a + share * (means_b - means_a)
    lowest, highest = np.minimum(means_a, means_b), np.maximum(means_a, means_b)
    common = np.clip(common, lowest, highest)  # rounding must not leave the domain
    cost = sizes_a * divergence.rowwise(means_a, common)
    cost = cost + sizes_b * divergence.rowwise(means_b, common)
    return np.where(empty, 0.0, cost).reshape(shape)
