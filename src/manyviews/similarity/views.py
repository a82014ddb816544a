"""Similarities and functions of each view of some objects, gaps filled from the other views.

One matrix per view over all objects; where a view does not show both of a pair, the mean over the
views that do [@kumar2013]. And functions of one view: sums of kernels at training objects, or of
features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import (
    Gram,
    LowRank,
    frobenius,
    row_blocks,
    rows_at_a_time,
    spread_gram,
    to_dense,
)
from manyviews.similarity.base import PositiveSimilarity, Similarity
from manyviews.similarity.kernels import Precomputed
from manyviews.similarity.low_rank import as_kernel, as_similarity
from manyviews.similarity.rows import blocks, check_similarities
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

__all__ = [
    "ViewFunction",
    "ViewKernel",
    "ViewSimilarities",
    "fill_unobserved",
    "fit_kernel",
    "fit_similarities",
    "kernel_function",
    "mean_values",
    "observed_similarities",
    "values_by_view",
]

# Similarities by view -----------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewSimilarities:
    """Similarities that have seen training objects, and compare others with them."""

    similarities: dict[str, Similarity]
    rows: dict[str, Matrix]
    """The training rows of each view, without those unobserved there."""
    observed: BoolArray
    """Which training object is seen in which view."""
    scales: dict[str, float]
    """The typical size of each view's similarities, by which they are made comparable."""
    typical: float
    """The mean similarity of two objects after that, for pairs that no view shows."""

    def cross(self, new: Views) -> dict[str, Gram]:
        """Similarities of new objects to all training objects, one matrix per view."""
        found = self.cross_observed(new)
        return fill_unobserved(found, new.observed, self.observed, self.scales, self.typical)

    def subset(self, names: Sequence[str]) -> ViewSimilarities:
        """The same of some of the views."""
        chosen = [name in names for name in self.similarities]
        return replace(
            self,
            similarities={name: self.similarities[name] for name in names},
            rows={name: self.rows[name] for name in names},
            observed=self.observed[:, chosen],
            scales={name: self.scales[name] for name in names},
        )

    def fill(self, found: Mapping[str, Gram]) -> dict[str, Gram]:
        """Similarities among all training objects from those among the ones each view shows."""
        return fill_unobserved(found, self.observed, self.observed, self.scales, self.typical)

    def cross_observed(self, new: Views) -> dict[str, Gram]:
        """In each view, similarities of the new objects seen there to the training objects."""
        found = {}
        for name, similarity in self.similarities.items():
            rows, (asked, places) = self.rows[name], shown_rows(new, name)
            if len(places):
                found[name] = similarity.cross(asked, rows)
            else:  # an empty matrix, of the kind that others would get: dense, sparse or low-rank
                found[name] = similarity.cross(rows[:1], rows)[:0]
        return found


def fit_similarities(views: Views, affinity: Any) -> tuple[ViewSimilarities, dict[str, Gram]]:
    """Fit one similarity per view, and compare all objects in each.

    A pair of objects that a view does not show both of gets the mean over the views that do,
    each scaled to the same typical size (Kumar §3.6). A pair that no view shows gets the mean
    similarity of all pairs, or zero in a graph of neighbours.

    Parameters
    ----------
    views : Views
        The training objects.
    affinity : Similarity, name, list or dict
        For all views, or one per view.

    Returns
    -------
    fitted : ViewSimilarities
        What is needed to compare new objects with these.
    grams : dict of matrices
        One symmetric matrix per view, over all objects.

    Examples
    --------
    >>> views = Views({"a": [[0.0], [1.0]], "b": [[0.0], None]})
    >>> fitted, grams = fit_similarities(views, "rbf")
    >>> grams["a"].round(2)
    array([[1.  , 0.61],
           [0.61, 1.  ]])
    """
    fitted, found = observed_similarities(views, affinity)
    return fitted, fitted.fill(found)


def observed_similarities(views: Views, affinity: Any) -> tuple[ViewSimilarities, dict[str, Gram]]:
    """Fit one similarity per view, and compare in each the objects it shows; nothing is filled.

    Examples
    --------
    >>> views = Views({"a": [[0.0], [1.0]], "b": [[0.0], None]})
    >>> fitted, grams = observed_similarities(views, "rbf")
    >>> grams["b"]
    array([[1.]])
    """
    names = views.names
    chosen = per_view(affinity, names, parameter="affinity")
    similarities, rows, found, scales = {}, {}, {}, {}
    for name in names:
        rows[name], places = shown_rows(views, name)
        similarities[name] = as_similarity(chosen[name]).fitted(rows[name], places)
        found[name] = similarities[name].gram(rows[name])
        scales[name] = frobenius(found[name]) / max(len(places), 1)  # a root mean square
    typical = _typical(found, scales)
    return ViewSimilarities(similarities, rows, views.observed, scales, typical), found


def _typical(found: dict[str, Gram], scales: dict[str, float]) -> float:
    """Mean over views of their mean similarity, each divided by its scale."""
    means = [
        # By rows first: that is what dense, sparse and low-rank similarities all can.
        float(gram.sum(axis=1).sum()) / gram.shape[0] ** 2 / scales[name]
        for name, gram in found.items()
        if scales[name] > 0
    ]
    return sum(means) / len(means) if means else 0.0


def shown_rows(views: Views, name: str) -> tuple[Matrix, IntArray]:
    """The rows that a view shows, a copy only where some are missing, and where they stand."""
    places = np.flatnonzero(views.observed_in(name))
    matrix = views[name]
    return (matrix if len(places) == len(views) else matrix[places]), places


# What a view does not show is the mean over those that do -----------------------------------------

_MOST_ENTRIES = 10**8
"""Views of different kinds are filled in dense matrices of at most so many entries; a judgement:
800 MB for each view, where the user asked for sparse ones and those of low rank."""


def fill_unobserved(
    found: Mapping[str, Gram],
    row_observed: BoolArray,
    column_observed: BoolArray,
    scales: Mapping[str, float],
    typical: float = 0.0,
) -> dict[str, Gram]:
    """Similarities over all objects from those among the objects each view shows.

    Parameters
    ----------
    found : mapping of matrices
        By view: similarities of the row objects seen there to the column objects seen there.
    row_observed, column_observed : arrays of bool
        Which object is seen in which view, objects × views, in the order of ``found``.
    scales : mapping of float
        By view: the typical size of its similarities.
    typical : float
        Similarity, divided by the scale, of pairs of which nothing is known.

    Returns
    -------
    dict of matrices
        By view, over all row and column objects. Where a view lacks one of the pair, the mean of
        the similarities over the views that show both, each divided by its scale, times the scale
        of this view. Where there is no such view, the ``typical`` one: a zero would say that the
        two are as unlike as can be, which nobody has seen. A graph says so of almost all pairs,
        so that sparse similarities stay zero there. A view whose similarities are all zero has no
        scale and is not counted.

    Notes
    -----
    Sparse similarities of all views stay sparse, those of low rank stay of low rank (their rank
    grows, see :func:`low_rank_mean`), and so stays a view that shows all. Otherwise those with
    gaps become dense.
    """
    if row_observed.all() and column_observed.all():
        return dict(found)
    seen = Seen(found, row_observed, column_observed, scales, typical)
    kinds = {
        type(gram) if isinstance(gram, LowRank) else is_sparse(gram) for gram in found.values()
    }
    if kinds == {True}:
        return _fill_sparse(seen)
    if kinds == {LowRank}:
        return _fill_low_rank(seen)
    return _fill_dense(seen)


@dataclass(frozen=True)
class Seen:
    """Similarities by view, and whom each view shows."""

    found: Mapping[str, Gram]
    rows: BoolArray
    columns: BoolArray
    scales: Mapping[str, float]
    typical: float

    @property
    def shape(self) -> tuple[int, int]:
        """How many row objects and column objects there are."""
        return len(self.rows), len(self.columns)

    @property
    def counted(self) -> list[int]:
        """Numbers of the views that have a scale."""
        return [view for view, name in enumerate(self.found) if self.scales[name] > 0]

    def places(self, view: int) -> tuple[IntArray, IntArray]:
        """The row and column objects that a view shows."""
        return np.flatnonzero(self.rows[:, view]), np.flatnonzero(self.columns[:, view])

    def complete(self, view: int) -> bool:
        """Whether a view shows all objects."""
        return bool(self.rows[:, view].all() and self.columns[:, view].all())

    def n_showing(self, rows: BoolArray, columns: BoolArray) -> FloatArray:
        """How many views with a scale show both of a pair; each side says which views show it."""
        return rows[:, self.counted].astype(float) @ columns[:, self.counted].T.astype(float)


def _fill_dense(seen: Seen) -> dict[str, Gram]:
    """One more matrix than the result has, the mean, is held at a time."""
    # Where no view is dense already, dense matrices may be far larger than was bargained for.
    none_dense = not any(isinstance(gram, np.ndarray) for gram in seen.found.values())
    if none_dense and seen.shape[0] * seen.shape[1] > _MOST_ENTRIES:
        raise ValueError(
            f"some views have sparse and some low-rank similarities, which can be filled for "
            f"unobserved views only in dense matrices of {seen.shape[0]} × {seen.shape[1]}; "
            "use similarities of one kind in all views."
        )
    mean = _dense_mean(seen)
    filled: dict[str, Gram] = {}
    for view, (name, gram) in enumerate(seen.found.items()):
        if seen.complete(view):
            filled[name] = gram
            continue
        result = mean * seen.scales[name]
        result[np.ix_(*seen.places(view))] = to_dense(gram)
        filled[name] = result
    return filled


def _dense_mean(seen: Seen) -> FloatArray:
    """Mean over the views that show both, each divided by its scale."""
    check_similarities(seen.shape)
    mean = np.zeros(seen.shape)
    names = list(seen.found)
    for view in seen.counted:
        rows, columns = seen.places(view)
        gram = to_dense(seen.found[names[view]])
        for part in blocks(len(rows), seen.shape[1]):
            mean[np.ix_(rows[part], columns)] += gram[part] / seen.scales[names[view]]
    for part in blocks(*seen.shape):
        counts = seen.n_showing(seen.rows[part], seen.columns)
        mean[part] /= np.maximum(counts, 1.0)
        mean[part][counts == 0] = seen.typical
    return mean


def _fill_sparse(seen: Seen) -> dict[str, Gram]:
    """Only pairs that are stored in some view can have a mean that is not zero."""
    spread: list[sparse.csr_array] = []
    total = sparse.csr_array(seen.shape)
    for view, (name, gram) in enumerate(seen.found.items()):
        spread.append(spread_gram(gram, *seen.places(view), seen.shape))
        if seen.scales[name] > 0:
            total = total + spread[view] / seen.scales[name]
    # The mean has the pattern of the sum, so that counts and means are arrays beside its entries.
    at_row = np.repeat(np.arange(seen.shape[0]), np.diff(total.indptr))
    shown = [seen.rows[at_row, v] & seen.columns[total.indices, v] for v in range(len(spread))]
    counts = sum((shown[view].astype(float) for view in seen.counted), np.zeros(total.nnz))
    means = np.divide(total.data, counts, out=np.zeros(total.nnz), where=counts > 0)
    filled: dict[str, Gram] = {}
    for view, name in enumerate(seen.found):
        data = np.where(shown[view], 0.0, means * seen.scales[name])
        missing = sparse.csr_array((data, total.indices, total.indptr), shape=seen.shape)
        filled[name] = spread[view] + missing  # the one is zero wherever the other is not
    return filled


def _fill_low_rank(seen: Seen) -> dict[str, Gram]:
    filled: dict[str, Gram] = {}
    names = list(seen.found)
    for view, name in enumerate(names):
        result = spread_gram(seen.found[name], *seen.places(view), seen.shape)
        assert isinstance(result, LowRank)
        if not seen.complete(view) and seen.scales[name] > 0:
            for other in seen.counted:
                if other != view:
                    share = seen.scales[name] / seen.scales[names[other]]
                    result = result + low_rank_mean(seen, view, other, share)
            result = result + unknown_pairs(seen, seen.typical * seen.scales[name])
        filled[name] = result
    return filled


def low_rank_mean(seen: Seen, view: int, other: int, share: float) -> LowRank:
    """What the similarities of one view add to those that another view lacks.

    Let ``p`` and ``q`` be the sets of views that show the row and the column object. The mean
    weighs an entry of the other view by ``1 / |p ∩ q|`` where ``view`` is not in both, and by zero
    where it is: a number that depends on ``p`` and ``q`` only. So the weights are a small matrix
    over the sets that occur, ``W(p, q) = Σ_t a_t(p) b_t(q)`` by its singular values, and the
    weighted matrix is ``Σ_t diag(a_t(p_i)) L Rᵀ diag(b_t(q_j))``: of low rank, at most the rank
    of the other view times the number of sets that contain it.
    """
    rows, columns = seen.places(other)
    gram = seen.found[list(seen.found)[other]]
    assert isinstance(gram, LowRank)
    row_sets, row_set = np.unique(seen.rows[rows], axis=0, return_inverse=True)
    column_sets, column_set = np.unique(seen.columns[columns], axis=0, return_inverse=True)
    counts = seen.n_showing(row_sets, column_sets)
    weights = np.divide(1.0, counts, out=np.zeros_like(counts), where=counts > 0) * share
    weights[np.outer(row_sets[:, view], column_sets[:, view])] = 0.0
    found = _weighed(gram, weights, row_set.ravel(), column_set.ravel())
    spread = spread_gram(found, rows, columns, seen.shape)
    assert isinstance(spread, LowRank)
    return spread


def unknown_pairs(seen: Seen, value: float) -> LowRank:
    """One value for all pairs that no view shows, which again are blocks of sets of views."""
    row_sets, row_set = np.unique(seen.rows, axis=0, return_inverse=True)
    column_sets, column_set = np.unique(seen.columns, axis=0, return_inverse=True)
    weights = value * (seen.n_showing(row_sets, column_sets) == 0)
    ones = LowRank(np.ones((len(seen.rows), 1)), np.ones((len(seen.columns), 1)))
    return _weighed(ones, weights, row_set.ravel(), column_set.ravel())


def _weighed(
    gram: LowRank, weights: FloatArray, row_set: IntArray, column_set: IntArray
) -> LowRank:
    """Entries times the weight of their sets: a sum over the singular vectors of the weights."""
    left, values, right = np.linalg.svd(weights, full_matrices=False)
    # Weights are fractions of few views; singular values below are rounding of exact zeros.
    kept = np.flatnonzero(values > 1e-12 * max(values.max(initial=0.0), 1.0))
    found = LowRank(np.zeros((len(gram.left), 0)), np.zeros((len(gram.right), 0)))
    for term in kept:
        one, two = left[:, term] * values[term], right[term]
        found = found + LowRank(gram.left * one[row_set, None], gram.right * two[column_set, None])
    return found


# Functions of one view ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ViewKernel:
    """A kernel that has seen the rows of a view."""

    kernel: Similarity
    rows: Matrix = field(repr=False)
    """The observed training rows."""
    places: IntArray = field(repr=False)
    """Where they stand among all objects."""
    precomputed: bool = False
    """Whether new rows are similarities themselves, so that none has to be compared with."""

    @property
    def n_features(self) -> int | None:
        """How many features the kernel is the inner product of; None if it has none."""
        features = self.kernel.feature_rows(self.rows[:1])
        return None if features is None else int(features.shape[1])

    @property
    def features(self) -> Matrix:
        """The features of the training rows."""
        found = self.kernel.feature_rows(self.rows)
        if found is None:
            raise TypeError(f"{type(self.kernel).__name__} has no features that can be had.")
        return found

    @property
    def largest_rank(self) -> int:
        """The most that the rank of the similarities can be: objects, or fewer features."""
        return min(len(self.places), self.n_features or len(self.places))

    @property
    def gram(self) -> FloatArray:
        """Similarities among the training rows, in double precision."""
        return to_dense(self.kernel.gram(self.rows)).astype(np.float64, copy=False)

    def columns(self) -> tuple[FloatArray, Callable[[int], FloatArray]]:
        """Similarity of each row to itself, and what gives the similarities of all to one."""
        if isinstance(self.kernel, PositiveSimilarity):
            return self.kernel.diagonal(self.rows), self.kernel.columns(self.rows)
        product = self.kernel.gram(self.rows)
        if not isinstance(product, LowRank):
            raise TypeError(f"{type(self.kernel).__name__} cannot be had column by column.")
        left, right = product.left, product.right
        return np.einsum("ij,ij->i", left, right), lambda number: left @ right[number]

    def restricted(self, chosen: IntArray) -> ViewKernel:
        """The kernel to some of the rows, holding copies of these and no other."""
        # New rows of a precomputed view hold their similarities: rows to compare with are not read.
        kept = self.rows[chosen[:0] if self.precomputed else chosen]
        kernel = self.kernel.restricted(chosen)
        return ViewKernel(kernel, kept, self.places[chosen], self.precomputed)


@dataclass(frozen=True)
class ViewFunction:
    """``f(x) = φ(x)·w + b``, or ``Σ_i k(x, x_i) w_i + b``; one column per target."""

    kernel: Similarity
    rows: Matrix | None = field(repr=False)
    """The training rows that others are compared with; None where the kernel has features."""
    weights: FloatArray = field(repr=False)
    """What each feature, or training row, adds; one column per target."""
    intercept: FloatArray

    def __call__(self, rows: Matrix) -> FloatArray:
        """Values at some rows of the view, one column per target."""
        found = np.empty((rows.shape[0], len(self.intercept)))
        for part in row_blocks(len(found), rows_at_a_time(len(self.weights))):
            some = rows[part].astype(np.float64, copy=False)
            if self.rows is None:
                basis: Any = self.kernel.feature_rows(some)
            else:
                basis = to_dense(self.kernel.cross(some, self.rows))
            found[part] = basis @ self.weights
        return found + self.intercept


def fit_kernel(views: Views, name: str, kernel: Any) -> ViewKernel:
    """Fit the kernel of a view to the objects that it shows; refuse what is no kernel.

    Single precision would lose the small eigenvalues of smooth kernels, so that rows are doubles.
    """
    rows, places = shown_rows(views, name)
    if not len(places):
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object, so no function of it can be learnt; "
            "leave the view out."
        )
    rows = rows.astype(np.float64, copy=False)
    chosen = as_kernel(kernel, name)
    return ViewKernel(
        chosen.fitted(rows, places), rows, places, precomputed=isinstance(chosen, Precomputed)
    )


def kernel_function(
    own: ViewKernel, coefficients: FloatArray, intercept: FloatArray
) -> ViewFunction:
    """The function with these coefficients of the training rows, in the leanest form.

    Where the kernel has features their weights say the same, without the rows; else only rows with
    coefficients are kept.
    """
    if own.n_features is not None:
        weights = np.asarray(own.features.T @ coefficients)
        return ViewFunction(own.kernel, None, weights, intercept)
    support = np.flatnonzero(coefficients.any(axis=1))
    if not len(support):  # a constant, but kernels want a row to compare with
        support = np.arange(1)
    kernel = own.kernel.restricted(support)
    return ViewFunction(kernel, own.rows[support], coefficients[support], intercept)


def values_by_view(functions: Mapping[str, ViewFunction], views: Views) -> dict[str, FloatArray]:
    """Values of all functions by view, objects × targets; NaN where a view is unobserved."""
    found = {}
    for name, function in functions.items():
        rows, places = shown_rows(views, name)
        found[name] = np.full((len(views), len(function.intercept)), np.nan)
        if len(places):
            found[name][places] = function(rows)
    return found


def mean_values(values: Mapping[str, FloatArray]) -> FloatArray:
    """Mean over the views that show an object, those where it is not NaN."""
    return np.asarray(np.nanmean(list(values.values()), axis=0))
