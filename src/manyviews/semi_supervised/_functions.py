"""Functions of one view: sums of kernels at training objects, or of features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import row_blocks, to_dense
from manyviews.similarity import Similarity, as_kernel
from manyviews.typing import FloatArray, IntArray, Matrix

_BLOCK_ENTRIES = 1 << 24
"""How many similarities of new objects to training objects are looked at together."""


@dataclass(frozen=True)
class ViewKernel:
    """A kernel that has seen the rows of a view."""

    kernel: Similarity
    rows: Matrix
    """The observed training rows."""
    places: IntArray
    """Where they stand among all objects."""

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
    def gram(self) -> FloatArray:
        """Similarities among the training rows."""
        return to_dense(self.kernel.gram(self.rows))


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
        for part in row_blocks(len(found), max(1, _BLOCK_ENTRIES // max(len(self.weights), 1))):
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
    return ViewKernel(as_kernel(kernel, name).fitted(rows, places), rows, places)


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
