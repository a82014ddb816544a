"""Kernels of rows of which something is missing: what is expected of them [@williams2005].

Here are their base, the linear and the polynomial one, and how pairs of mixtures are compared;
the Gaussian one stands in ``rbf.py``, the compiled loops of both in ``loops.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb, factorial
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from sklearn.base import clone

from manyviews.base import check_params
from manyviews.maths import Conditionals, conditionals
from manyviews.similarity.base import PositiveSimilarity
from manyviews.similarity.incomplete.mixture import IncompleteGaussianMixture, Mixture
from manyviews.similarity.kernels import polynomial_gamma
from manyviews.similarity.rows import blocks, check_similarities, squared_lengths
from manyviews.typing import (
    BoolArray,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    is_sparse,
)

__all__ = ["IncompleteKernel", "IncompleteLinear", "IncompletePolynomial"]

NEGLIGIBLE = 1e-16
"""Components of less weight in a row are left out of it: half the last digit of a sum of ones."""
TOGETHER = 500
"""From so many pairs of rows on, a pair of patterns is worth matrix products of its own. With 6 to
30 features and one to three components they are quicker from 100 to 400 pairs on (2026-11)."""


class Expectation(ABC):
    """What is expected of a kernel of two rows, each a mixture over what it lacks."""

    @abstractmethod
    def __call__(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        """Of left rows and right rows, or of left rows among themselves: symmetric."""

    @abstractmethod
    def diagonal(self, rows: Conditionals) -> FloatArray:
        """Of each row and an independent copy of it."""


class IncompleteKernel(PositiveSimilarity):
    """Base of kernels of rows with NaN cells, integrated over what a mixture says of these.

    Two rows are taken for independent given what they show, also a row and itself: the kernel is
    the inner product of what is expected of their features, hence positive semi-definite. A row
    that shows nothing is the mixture itself. A child says what is expected, and how it chooses
    what depends on data.
    """

    mixture: Mixture | None
    rows_: FloatArray
    """The rows that :meth:`fitted` has seen."""

    @abstractmethod
    def _chosen(self, rows: FloatArray) -> Self:
        """Return the kernel with its own parameters chosen; the mixture is fitted."""

    @abstractmethod
    def _expectation(self) -> Expectation:
        """Return what is expected of the kernel, once its parameters are chosen."""

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Learn the mixture unless it is learnt already, and choose what else depends on data."""
        check_params(self)
        rows = _dense(X, type(self).__name__)
        mixture = _learnt(self.mixture, rows)
        _refuse_other_width(rows, mixture.means_.shape[1], "the mixture")
        chosen = replace(self, mixture=mixture)._chosen(rows)  # type: ignore[type-var]
        chosen.rows_ = rows
        return chosen

    def gram(self, X: Matrix) -> FloatArray:
        """Similarities among the rows of ``X``; exactly symmetric."""
        kernel = self.fitted(X)
        return kernel._compare(kernel.rows_).astype(X.dtype, copy=False)

    def cross(self, new: Matrix, X: Matrix | None = None) -> FloatArray:
        """Similarities of new rows to those of ``X``, or to those that :meth:`fitted` has seen."""
        kernel = self if X is None else self.fitted(X)
        if not hasattr(kernel, "rows_"):
            raise ValueError(
                f"{type(self).__name__} has seen no rows to compare with; give them as X, or call "
                "fitted(X) first."
            )
        rows = _dense(new, type(self).__name__)
        _refuse_other_width(rows, kernel.rows_.shape[1], "those to compare with")
        found = kernel._compare(rows, kernel.rows_)
        return found.astype(new.dtype if X is None else np.result_type(new.dtype, X.dtype))

    def diagonal(self, X: Matrix) -> FloatArray:
        """Similarity of each row to an independent copy of itself."""
        kernel = self.fitted(X)
        return kernel._expectation().diagonal(kernel._known(kernel.rows_))

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives the similarities of all rows of ``X`` to one of them."""
        kernel = self.fitted(X)
        known, expected = kernel._known(kernel.rows_), kernel._expectation()
        return lambda number: expected(known, known[[number]]).ravel()

    def restricted(self, chosen: IntArray) -> Self:
        """Return the similarity to some of the rows that :meth:`fitted` has seen."""
        kept = copy(self)
        if hasattr(self, "rows_"):
            kept.rows_ = self.rows_[chosen]
        return kept

    def _known(self, rows: FloatArray) -> Conditionals:
        mixture: Any = self.mixture
        return conditionals(rows, mixture.weights_, mixture.means_, mixture.covariances_)

    def _compare(self, left: FloatArray, right: FloatArray | None = None) -> FloatArray:
        check_similarities((len(left), len(left if right is None else right)))
        known = None if right is None else self._known(right)
        return self._expectation()(self._known(left), known)


def total_variances(rows: Conditionals) -> FloatArray:
    """Expected squared distance of each row to its mean, which is zero if nothing is missing."""
    within = np.trace(rows.covariances, axis1=2, axis2=3)[rows.pattern]
    between = ((rows.means - rows.expected[:, None]) ** 2).sum(axis=2)
    return np.asarray((rows.weights * (within + between)).sum(axis=1))


def _dense(X: Matrix, name: str) -> FloatArray:
    """Rows in double precision; sparse ones, in which nothing can be missing, are refused."""
    if is_sparse(X):
        raise ValueError(
            f"{name} takes dense rows, in which NaN is what is missing; turn sparse ones into an "
            "array with toarray(), or use RBF, Linear or Polynomial if nothing is missing."
        )
    rows = X.astype(np.float64, copy=False)
    if np.isinf(rows).any():
        row, column = np.argwhere(np.isinf(rows))[0]
        raise ValueError(
            f"row {row} has {rows[row, column]} in column {column}; {name} takes finite numbers, "
            "and NaN for what is missing."
        )
    return rows


def _learnt(mixture: Any, rows: FloatArray) -> Any:
    """The mixture, learnt from the rows unless it is already; each component with a covariance."""
    mixture = IncompleteGaussianMixture() if mixture is None else mixture
    if not hasattr(mixture, "weights_"):
        if np.isnan(rows).any() and not isinstance(mixture, IncompleteGaussianMixture):
            raise ValueError(
                f"{type(mixture).__name__} cannot be learnt from rows of which cells are missing; "
                "give it fitted to complete rows, or an IncompleteGaussianMixture."
            )
        # A row that shows nothing is compared, but teaches nothing.
        mixture = clone(mixture).fit(rows[~np.isnan(rows).all(axis=1)])
    weights, means, covariances = (
        np.shape(getattr(mixture, name, ())) for name in ("weights_", "means_", "covariances_")
    )
    each = covariances in (means, means + means[1:])  # (Z, d) variances, or (Z, d, d)
    if len(means) != 2 or weights != means[:1] or not each:
        raise ValueError(
            f"{type(mixture).__name__} has no covariance matrix, and no variances, for each "
            "component; give an IncompleteGaussianMixture, or scikit-learn's GaussianMixture with "
            "covariance_type='full' or 'diag'."
        )
    return mixture


def _refuse_other_width(rows: FloatArray, width: int, other: str) -> None:
    if rows.shape[1] != width:
        raise ValueError(
            f"rows have {rows.shape[1]} features and {other} {width}; give the same features in "
            "the same order."
        )


@dataclass
class IncompleteLinear(IncompleteKernel):
    """Inner products of rows of which cells or whole views are missing.

    Take it with ``KernelFeatures`` where a linear classifier would do if all cells were there;
    what could stand in the gaps is integrated out, not filled in. Else :class:`IncompleteRBF`.

    Parameters
    ----------
    mixture : IncompleteGaussianMixture or None
        The density of the rows, as in :class:`IncompleteRBF`.

    Attributes
    ----------
    rows_ : array
        The training rows; what ``fitted`` returns has them.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, np.nan], [3.0, 6.0]])
    >>> IncompleteLinear().gram(X).round(2)
    array([[ 0.,  0.,  0.,  0.],
           [ 0.,  5., 10., 15.],
           [ 0., 10., 20., 30.],
           [ 0., 15., 30., 45.]])

    Notes
    -----
    **Objective**
        ``k(i, j) = E x·y = E[x]·E[y]``, the expectation over what is missing: inner products of
        the rows with conditional means in the gaps (Section 2 of the paper).

    **Symbols**
        π, μ of Eq. (2) what ``conditional`` of ``mixture`` gives.

    **Algorithm**
        Fill the gaps by the mixture, multiply.

    **Deviations**
        None off the diagonal. On it a row and itself are two independent draws as everywhere in
        this family, so that it has ``|E x|²``, the whole matrix is that of conditional mean
        imputation, and a training row that comes again is the same; ``E |x|²`` would be larger
        by the trace of the covariance of what is missing.

    **Complexity**
        O(n² d).

    References
    ----------
    [@williams2005]
    """

    mixture: Mixture | None = None

    def feature_rows(self, rows: Matrix) -> Matrix:
        """Return the rows with conditional means in the gaps."""
        return self._known(_dense(rows, type(self).__name__)).expected

    def _chosen(self, rows: FloatArray) -> Self:  # noqa: ARG002 (a hook's signature)
        return self

    def _expectation(self) -> Expectation:
        return ExpectedProduct()


class ExpectedProduct(Expectation):
    """``E x·y = E[x]·E[y]``, as the two are independent given what they show."""

    def __call__(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        return left.expected @ (left if right is None else right).expected.T

    def diagonal(self, rows: Conditionals) -> FloatArray:
        return squared_lengths(rows.expected)


# Pairs of mixtures: common patterns together, all others one by one -------------------------------


class Component(NamedTuple):
    """One component of rows that lack the same features."""

    rows: IntArray
    """Rows that have it, or all where most have it, which is quicker than to choose."""
    weights: FloatArray
    means: FloatArray
    covariance: FloatArray
    """The same for all rows; zero but for the features that they lack."""
    missing: BoolArray
    """Which features are."""


def components(rows: Conditionals) -> Iterator[Component]:
    """The components of rows of one pattern, each that is in some row."""
    for number, weights in enumerate(rows.weights.T):
        having = np.flatnonzero(weights)
        if 2 * len(having) >= len(rows):
            having = np.arange(len(rows))
        if len(having):
            means, covariance = rows.means[having, number], rows.covariances[0, number]
            yield Component(having, weights[having], means, covariance, ~rows.observed[0])


class PairRows(NamedTuple):
    """Conditionals in the form that compiled loops read."""

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    missing: BoolArray
    pattern: IntArray


class Pairs(NamedTuple):
    """Which pairs of rows a compiled loop compares."""

    left: PairRows
    right: PairRows
    wanted: BoolArray
    """Which pairs of patterns."""
    symmetric: bool
    """Whether left and right are the same rows, so that one half is the other's mirror image."""


class PairExpectation(Expectation):
    """An expectation of two mixtures, in two ways that give the same.

    Rows that lack the same features share their covariances, and two such groups are compared by
    matrix products. Where every row lacks something else that would be a product for each pair:
    these are left to compiled loops.
    """

    @abstractmethod
    def term(self, left: Component, right: Component) -> FloatArray:
        """Return what a pair of components adds, for all their rows by matrix products."""

    @abstractmethod
    def one_by_one(self, found: FloatArray, pairs: Pairs) -> None:
        """Write it for some pairs of rows."""

    def moved(self, rows: Conditionals, right: Conditionals) -> Conditionals:  # noqa: ARG002
        """Rows as they are compared with those on the right; a hook."""
        return rows

    def __call__(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        if right is None:
            return self._compare(self.moved(left, left))
        return self._compare(self.moved(left, right), self.moved(right, right))

    def diagonal(self, rows: Conditionals) -> FloatArray:
        rows = self.moved(rows, rows)
        return np.array([self._compare(rows[[row]])[0, 0] for row in range(len(rows))])

    def _compare(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        symmetric = right is None
        left = lean(left)
        right = left if right is None else lean(right)
        found = np.empty((len(left), len(right)))
        left_places = _places(left)
        right_places = left_places if symmetric else _places(right)
        together = np.outer(list(map(len, left_places)), list(map(len, right_places))) >= TOGETHER
        for here, there in np.argwhere(np.triu(together) if symmetric else together):
            rows, columns = left_places[here], right_places[there]
            same = symmetric and here == there
            for part in blocks(len(rows), len(columns)):
                later = columns[part.start :] if same else columns
                block = self._together(left[rows[part]], right[later])
                if same:  # the corner that is compared with itself, exactly symmetric
                    corner = block[:, : part.stop - part.start]
                    corner[:] = (corner + corner.T) / 2
                found[np.ix_(rows[part], later)] = block
                if symmetric:
                    found[np.ix_(later, rows[part])] = block.T
        if not together.all():
            self.one_by_one(found, Pairs(_listed(left), _listed(right), ~together, symmetric))
        return found

    def _together(self, left: Conditionals, right: Conditionals) -> FloatArray:
        """Return it for all pairs of rows of two patterns."""
        found = np.zeros((len(left), len(right)))
        others = list(components(right))
        for one in components(left):
            for other in others:
                block = self.term(one, other)
                if block.shape == found.shape:
                    found += block
                else:
                    found[np.ix_(one.rows, other.rows)] += block
        return found


def lean(rows: Conditionals) -> Conditionals:
    """Rows without components that say nothing: those of no weight, and all but one of whole rows.

    Where nothing is missing all components are the same point.
    """
    weights = np.where(rows.weights < NEGLIGIBLE, 0.0, rows.weights)
    whole = np.all(rows.observed[rows.pattern], axis=1)
    weights[whole] = 0.0
    weights[whole, 0] = 1.0
    return replace(rows, weights=weights)


def _places(rows: Conditionals) -> list[IntArray]:
    """Where the rows of each pattern stand."""
    order = np.argsort(rows.pattern, kind="stable")
    edges = np.searchsorted(rows.pattern[order], np.arange(len(rows.observed) + 1))
    return [order[start:stop] for start, stop in pairwise(edges)]


def _listed(rows: Conditionals) -> PairRows:
    """Rows in one kind of memory, so that loops are compiled once."""
    return PairRows(
        np.ascontiguousarray(rows.weights),
        np.ascontiguousarray(rows.means),
        np.ascontiguousarray(rows.covariances),
        ~np.ascontiguousarray(rows.observed),
        np.ascontiguousarray(rows.pattern, dtype=np.intp),
    )


# Powers of inner products -------------------------------------------------------------------------


@dataclass(frozen=True)
class ExpectedPolynomial(PairExpectation):
    """``E (gamma x·y + coef0)^degree`` of two mixtures, exact but for rounding.

    For Gaussian ``x ~ N(m, S)`` and ``y ~ N(n, T)``, independent, the logarithm of
    ``E exp(t x·y)`` is ``t m(1 − t²TS)⁻¹n + t²/2 [mT(1 − t²ST)⁻¹m + nS(1 − t²TS)⁻¹n]
    − ½ log|1 − t²ST|``. Its powers of ``t`` give the cumulants of ``x·y``, and these the moments.

    Examples
    --------
    >>> rows = np.array([[2.0, 1.0], [1.0, np.nan]])
    >>> known = conditionals(rows, np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    >>> ExpectedPolynomial(degree=2, gamma=1.0, coef0=0.0)(known)
    array([[25.,  5.],
           [ 5.,  2.]])
    """

    degree: int
    gamma: float
    coef0: float

    def term(self, left: Component, right: Component) -> FloatArray:
        cumulants = product_cumulants(
            left.means, left.covariance, right.means, right.covariance, self.degree
        )
        return np.outer(left.weights, right.weights) * self._moment(cumulants)

    def _moment(self, cumulants: list[FloatArray]) -> FloatArray:
        """``E (gamma s + coef0)^degree`` from the cumulants of ``s``."""
        scaled = [cumulant * self.gamma**order for order, cumulant in enumerate(cumulants, 1)]
        scaled[0] = scaled[0] + self.coef0
        # μₙ = Σₖ C(n−1, k−1) κₖ μₙ₋ₖ; of the cumulants only the first feels a shift.
        moments: list[Any] = [1.0]
        for order in range(1, self.degree + 1):
            moments.append(
                sum(
                    comb(order - 1, taken - 1) * scaled[taken - 1] * moments[order - taken]
                    for taken in range(1, order + 1)
                )
            )
        return np.asarray(moments[-1])

    def one_by_one(self, found: FloatArray, pairs: Pairs) -> None:
        from manyviews.similarity.incomplete.loops import fill_powers  # numba is slow to import

        fill_powers(found, pairs, self.degree, float(self.gamma), float(self.coef0))


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
    # The power series of the logarithm: m(TS)ᵏn in order 2k + 1; in order 2k half of mT(ST)ᵏ⁻¹m, of
    # its mirror image and of tr (ST)ᵏ / k. Each order multiplies by one covariance more.
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


@dataclass
class IncompletePolynomial(IncompleteKernel):
    """Powers of inner products of rows of which cells or whole views are missing.

    Take it with ``KernelFeatures`` where products of features tell the classes; what could
    stand in the gaps is integrated out, not filled in. Else :class:`IncompleteRBF`.

    Parameters
    ----------
    degree : int
        The power: how many features are multiplied with each other.
    gamma : "mean" or float
        With "mean", one over the mean expected squared length of the rows.
    coef0 : float
        What lower powers count for; zero or more.
    mixture : IncompleteGaussianMixture or None
        The density of the rows, as in :class:`IncompleteRBF`.

    Attributes
    ----------
    rows_ : array
        The training rows; what ``fitted`` returns has them.

    Examples
    --------
    >>> complete = np.array([[0.0, 0.1], [1.0, 0.9], [2.0, 2.2], [3.0, 3.1]])
    >>> mixture = IncompleteGaussianMixture().fit(complete)
    >>> X = np.array([[0.0, 0.1], [1.0, 0.9], [2.0, np.nan], [3.0, 3.1]])
    >>> IncompletePolynomial(degree=2, gamma=1.0, mixture=mixture).gram(X).round(1)
    array([[  1. ,   1.2,   1.5,   1.7],
           [  1.2,   7.9,  23.8,  46.1],
           [  1.5,  23.8,  87.9, 181.8],
           [  1.7,  46.1, 181.8, 384.6]])

    Notes
    -----
    **Objective**
        ``k(i, j) = E (gamma x·y + coef0)^degree``, the expectation over what is missing of both
        rows, exact for every degree.

    **Symbols**
        π, μ, Σ of Eq. (2) what ``conditional`` of ``mixture`` gives.

    **Algorithm**
        For each pair of components the cumulants of ``x·y`` have a closed form
        (``product_cumulants``; of degree two it is the covariance ``mᵀTm + nᵀSn + tr ST``);
        cumulants give moments, and these are averaged over the components. Common patterns go
        together in matrix products, all others in a compiled loop (``fill_powers``).

    **Deviations**
        The paper calls it trivial and gives no formula; this derivation is ours. The diagonal is
        that of two independent draws, as in :class:`IncompleteRBF`.

    **Complexity**
        O(n² Z² d) for few patterns, O(n² Z² (d² + b³)) for distinct ones, where b features are
        missing on both sides and b³ counts from degree four on.

    References
    ----------
    [@williams2005]
    """

    degree: Count = 2
    gamma: Positive | Literal["mean"] = "mean"
    coef0: NonNegative = 1.0
    mixture: Mixture | None = None

    def _chosen(self, rows: FloatArray) -> Self:
        known = self._known(rows)
        squares = squared_lengths(known.expected) + total_variances(known)
        return replace(self, gamma=polynomial_gamma(self, squares, rows.dtype))

    def _expectation(self) -> Expectation:
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        return ExpectedPolynomial(int(self.degree), self.gamma, self.coef0)
