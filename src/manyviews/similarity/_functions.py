"""Functions of one view: sums of kernels at training objects, or of features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import LowRank, row_blocks, rows_at_a_time, to_dense
from manyviews.similarity._base import PositiveSimilarity, Similarity
from manyviews.similarity._names import as_kernel
from manyviews.similarity._precomputed import Precomputed
from manyviews.typing import FloatArray, IntArray, Matrix


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
            found[part] = self._basis(rows[part].astype(np.float64, copy=False)) @ self.weights
        return found + self.intercept

    def _basis(self, rows: Matrix) -> Any:
        if self.rows is None:
            return self.kernel.feature_rows(rows)
        return to_dense(self.kernel.cross(rows, self.rows))


def fit_kernel(views: Views, name: str, kernel: Any) -> ViewKernel:
    """Fit the kernel of a view to the objects that it shows; refuse what is no kernel.

    Single precision would lose the small eigenvalues of smooth kernels, so that rows are doubles.
    """
    places = np.flatnonzero(views.observed_in(name))
    if not len(places):
        raise UnobservedViewsError(
            f"view {name!r} is observed for no object, so no function of it can be learnt; "
            "leave the view out."
        )
    matrix = views[name]
    rows = matrix if len(places) == len(views) else matrix[places]
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
        places = np.flatnonzero(views.observed_in(name))
        found[name] = np.full((len(views), len(function.intercept)), np.nan)
        if len(places):
            matrix = views[name]
            found[name][places] = function(matrix if len(places) == len(views) else matrix[places])
    return found


def mean_values(values: Mapping[str, FloatArray]) -> FloatArray:
    """Mean over the views that show an object, those where it is not NaN."""
    return np.asarray(np.nanmean(list(values.values()), axis=0))
