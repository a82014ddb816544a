"""Rows of views as distributions P(v|u): counts as they are, measurements in soft bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from manyviews.data import Views
from manyviews.exceptions import ViewsError
from manyviews.explain.bottleneck_equations import TINY, Context, Problem
from manyviews.maths import dense_within_memory, mostly_zeros
from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

__all__ = ["Distribution", "Shares", "SoftBins", "fit_distribution", "pose_views"]


@dataclass(frozen=True)
class Shares:
    """A row of counts or other amounts as shares of its sum."""

    def check(self, X: Matrix, *, view: str) -> None:
        """Refuse negative amounts."""
        values = X.data if is_sparse(X) else X
        if values.size and values.min() < 0:
            wrong = csr_array(X).min(axis=1).toarray().ravel() if is_sparse(X) else X.min(axis=1)
            row = int(np.flatnonzero(wrong < 0)[0])
            raise ViewsError(
                f"Negative values in data: view {view!r}, row {row}, holds {wrong[row]:g} and "
                "distribution='shares' takes counts or other amounts; give such, or "
                "distribution='bins' for this view."
            )

    def __call__(self, X: Matrix) -> csr_array:
        """Return P(v|u); a row of zeros stays one."""
        if not X.shape[0]:
            return csr_array(X.shape)
        rows = csr_array(X, dtype=np.float64, copy=True)
        rows.eliminate_zeros()
        largest = np.maximum(rows.max(axis=1).toarray().ravel(), TINY)
        rows = _scaled(rows, 1.0 / largest)  # first, as the sum of large numbers may overflow
        sums = np.asarray(rows.sum(axis=1)).ravel()
        return _scaled(rows, np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0))


@dataclass(frozen=True)
class SoftBins:
    """A row of measurements as shares of bins: a value belongs to the two knots around it.

    Every feature that varies has the same share, and its knots are quantiles, so that no unit
    counts. A value between two knots belongs to both, the more the nearer it is.
    """

    knots: tuple[FloatArray, ...]
    """By feature; a single one, or none, for features that do not vary."""

    @classmethod
    def of(cls, X: FloatArray, weights: FloatArray, n_bins: int) -> Self:
        """Take quantiles of each feature as knots; those that are equal once.

        Examples
        --------
        >>> SoftBins.of(np.array([[0.0], [1.0], [4.0]]), np.ones(3), 3).knots
        (array([0., 1., 4.]),)
        """
        found = tuple(_quantiles(column, weights, n_bins) for column in X.T)
        return cls(found)

    def check(self, X: Matrix, *, view: str) -> None:
        """Accept everything."""

    def __call__(self, X: Matrix) -> csr_array:
        """Return P(v|u) over the knots of all features.

        Examples
        --------
        >>> SoftBins((np.array([0.0, 4.0]),))(np.array([[1.0], [9.0]])).toarray()
        array([[0.75, 0.25],
               [0.  , 1.  ]])
        """
        varying = [place for place, own in enumerate(self.knots) if len(own) > 1]
        n_rows = X.shape[0]
        if not varying:
            return csr_array(np.ones((n_rows, 1)))  # one bin, that says nothing
        rows = dense_within_memory(
            X, "a sparse view made dense", remedy="give distribution='shares' for this view"
        )
        shape = n_rows, len(varying), 2
        columns, shares, offset = np.empty(shape, dtype=np.intp), np.empty(shape), 0
        for place, feature in enumerate(varying):
            own = self.knots[feature]
            values = np.clip(rows[:, feature].astype(np.float64), own[0], own[-1])
            below = np.clip(np.searchsorted(own, values, side="right") - 1, 0, len(own) - 2)
            above = (values - own[below]) / (own[below + 1] - own[below])
            columns[:, place] = np.stack([below, below + 1], axis=1) + offset
            shares[:, place] = np.stack([1.0 - above, above], axis=1) / len(varying)
            offset += len(own)
        pointers = 2 * len(varying) * np.arange(n_rows + 1)
        found = csr_array((shares.ravel(), columns.ravel(), pointers), shape=(n_rows, offset))
        found.eliminate_zeros()
        return found


Distribution: TypeAlias = Shares | SoftBins


def _scaled(rows: csr_array, factors: FloatArray) -> csr_array:
    data = rows.data * np.repeat(factors, np.diff(rows.indptr))
    return csr_array((data, rows.indices, rows.indptr), shape=rows.shape)


def _quantiles(values: FloatArray, weights: FloatArray, n_bins: int) -> FloatArray:
    order = np.argsort(values, kind="stable")
    order = order[weights[order] > 0]
    values, reached = values[order].astype(np.float64), np.cumsum(weights[order])
    wanted = np.linspace(0.0, 1.0, n_bins) * reached[-1]
    # An object weighing two is two objects: a quantile is a value, not between two of them. How
    # the sum of the weights is rounded does not decide which.
    places = np.searchsorted(reached, wanted * (1.0 - ROUNDING), side="left")
    knots = values[np.minimum(places, len(values) - 1)]
    extent = knots[-1] - knots[0]
    if extent <= ROUNDING * np.abs(knots).max():
        return knots[:1]
    return knots[np.append(True, np.diff(knots) > ROUNDING * extent)]


ROUNDING = 1e-9
"""Numbers that differ by less, beside their size, are equal up to the rounding of sums."""


def fit_distribution(X: Matrix, kind: str, weights: FloatArray, n_bins: int) -> Distribution:
    """Choose how the rows of a view become distributions, and learn the knots."""
    values = X.data if is_sparse(X) else X
    amounts = mostly_zeros(X) and not (values < 0).any()
    if kind == "shares" or (kind == "auto" and amounts):
        return Shares()
    rows = dense_within_memory(
        X, "a sparse view made dense", remedy="give distribution='shares' for this view"
    )
    return SoftBins.of(rows, weights, n_bins)


def pose_views(
    views: Views,
    distributions: dict[str, Distribution],
    view_weights: dict[str, float],
    weights: FloatArray,
    p_w_given_u: FloatArray | None,
) -> Problem:
    """Pose the problem of the union of the features, given which view a feature is of.

    To know the view, as one knows w, changes nothing where every object shows every view, and
    where some are missing it keeps apart what an object shows and which views it does.
    """
    shown: list[tuple[IntArray, csr_array]] = []
    share = np.zeros((len(views), len(distributions)))
    for place, (name, distribution) in enumerate(distributions.items()):
        rows: IntArray = np.flatnonzero(views.observed_in(name))
        distribution.check(views[name], view=name)
        p_v = distribution(views[name][rows])
        tells = np.diff(p_v.indptr) > 0
        rows, p_v = (rows, p_v) if tells.all() else (rows[tells], p_v[tells])
        share[rows, place] = view_weights[name]
        shown.append((rows, p_v))
    total = share.sum(axis=1, keepdims=True)
    share = np.divide(share, total, out=share, where=total > 0)
    p_u = np.where(total[:, 0] > 0, weights, 0.0)
    contexts = []
    for place, (rows, p_v) in enumerate(shown):
        if p_w_given_u is None:
            contexts.append(Context(rows, share[rows, place], p_v))
            continue
        for p_w in p_w_given_u.T:
            own = np.flatnonzero(p_w[rows] > 0)
            p_both = share[rows[own], place] * p_w[rows[own]]
            contexts.append(Context(rows[own], p_both, p_v[own]))
    return Problem(p_u / max(p_u.sum(), TINY), tuple(contexts))
