"""Kernels of rows of which something is missing: what is expected of them [@williams2005]."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import clone

from manyviews.base import check_params
from manyviews.maths import Conditionals, conditionals
from manyviews.similarity._base import PositiveSimilarity
from manyviews.similarity._incomplete._mixture import IncompleteGaussianMixture
from manyviews.similarity._incomplete._polynomial import (
    expected_polynomial,
    expected_polynomial_diagonal,
)
from manyviews.similarity._kernels import refuse_overflow
from manyviews.similarity._rows import check_similarities, squared_lengths
from manyviews.typing import (
    Count,
    FloatArray,
    Having,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    is_sparse,
)

Mixture: TypeAlias = Annotated[Any, Having("a Gaussian mixture", "fit", "score_samples")]


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
    def _expected(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        """Return what is expected of the kernel."""

    @abstractmethod
    def _expected_diagonal(self, rows: Conditionals) -> FloatArray:
        """Return what is expected of the kernel of each row and a copy of it."""

    def fitted(self, X: Matrix, places: IntArray | None = None) -> Self:  # noqa: ARG002
        """Learn the mixture unless it is learnt already, and choose what else depends on data."""
        check_params(self)
        rows = _dense(X, type(self).__name__)
        mixture: Any = IncompleteGaussianMixture() if self.mixture is None else self.mixture
        if not hasattr(mixture, "weights_"):
            _refuse_learning_from_gaps(mixture, rows)
            mixture = clone(mixture).fit(rows[~np.isnan(rows).all(axis=1)])
        _refuse_shared_covariance(mixture)
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
        return kernel._expected_diagonal(kernel._known(kernel.rows_))

    def columns(self, X: Matrix) -> Callable[[int], FloatArray]:
        """Return what gives the similarities of all rows of ``X`` to one of them."""
        kernel = self.fitted(X)
        known = kernel._known(kernel.rows_)
        return lambda number: kernel._expected(known, known[[number]]).ravel()

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
        return self._expected(self._known(left), None if right is None else self._known(right))


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

    def _expected(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        here = left.expected
        return here @ (here if right is None else right.expected).T

    def _expected_diagonal(self, rows: Conditionals) -> FloatArray:
        return squared_lengths(rows.expected)


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
        gamma = self.gamma
        if gamma == "mean":
            gamma = 1.0 / float(squares.mean()) if squares.any() else 1.0
        refuse_overflow(self, gamma, float(squares.max(initial=0.0)), rows.dtype)
        return replace(self, gamma=gamma)

    def _expected(self, left: Conditionals, right: Conditionals | None = None) -> FloatArray:
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        return expected_polynomial(left, int(self.degree), self.gamma, self.coef0, right)

    def _expected_diagonal(self, rows: Conditionals) -> FloatArray:
        assert not isinstance(self.gamma, str), "fitted() chooses gamma"
        return expected_polynomial_diagonal(rows, int(self.degree), self.gamma, self.coef0)


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


def _refuse_learning_from_gaps(mixture: Any, rows: FloatArray) -> None:
    """Refuse to learn from rows with gaps what is not made for them."""
    if np.isnan(rows).any() and not isinstance(mixture, IncompleteGaussianMixture):
        raise ValueError(
            f"{type(mixture).__name__} cannot be learnt from rows of which cells are missing; give "
            "it fitted to complete rows, or an IncompleteGaussianMixture."
        )


def _refuse_shared_covariance(mixture: Any) -> None:
    """Refuse what is no Gaussian mixture with a covariance, or variances, for each component."""
    weights, means, covariances = (
        np.shape(getattr(mixture, name, ())) for name in ("weights_", "means_", "covariances_")
    )
    each = covariances in (means, means + means[1:])
    if len(means) != 2 or weights != means[:1] or not each:
        raise ValueError(
            f"{type(mixture).__name__} has no covariance matrix, and no variances, for each "
            "component; give an IncompleteGaussianMixture, or scikit-learn's GaussianMixture with "
            "covariance_type='full' or 'diag'."
        )


def _refuse_other_width(rows: FloatArray, width: int, other: str) -> None:
    if rows.shape[1] != width:
        raise ValueError(
            f"rows have {rows.shape[1]} features and {other} {width}; give the same features in "
            "the same order."
        )
