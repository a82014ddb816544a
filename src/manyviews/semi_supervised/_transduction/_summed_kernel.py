"""The kernels of all views in one sum that stays positive where objects lack views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data import Views, per_view
from manyviews.maths import Gram, row_blocks, rows_at_a_time, to_dense
from manyviews.semi_supervised._shared import spread_of_features, spread_of_gram
from manyviews.similarity import Linear, ViewSimilarities, observed_similarities
from manyviews.typing import BoolArray, FloatArray, Matrix, is_sparse


def presence(observed: BoolArray, weights: Mapping[str, float]) -> FloatArray:
    """By how much an object's views are enlarged to make up for those that it lacks.

    It is the root of the weight of all views over the weight of those it shows, so that every
    object has about the length it would have with all views.

    Examples
    --------
    >>> presence(np.array([[True, True], [False, True]]), {"a": 3.0, "b": 1.0})
    array([1., 2.])
    """
    each = np.array(list(weights.values()))
    shown = observed @ each
    return np.sqrt(np.divide(each.sum(), shown, out=np.zeros(len(shown)), where=shown > 0))


def wide_rows(
    views: Views, weights: Mapping[str, float], factors: Mapping[str, float] | None = None
) -> Matrix:
    """All views side by side, each by the root of its factor, with zeros where unobserved.

    Inner products of these rows are the summed linear kernels. The factors are the weights if they
    are not given; objects that lack views are enlarged by the weights.

    Examples
    --------
    >>> wide_rows(Views({"a": [[1.0], [2.0]], "b": [[4.0], None]}), {"a": 1.0, "b": 1.0}).round(2)
    array([[1.  , 4.  ],
           [2.83, 0.  ]])
    """
    larger = presence(views.observed, weights)
    factors = weights if factors is None else factors
    parts = []
    for name, matrix in views.items():
        scale = np.sqrt(factors[name]) * larger * views.observed_in(name)
        if is_sparse(matrix):
            parts.append(sparse.diags_array(scale) @ matrix)
        else:
            seen = np.where(views.observed_in(name)[:, None], matrix, 0.0)
            parts.append(scale[:, None] * seen)
    if any(is_sparse(part) for part in parts):
        return sparse.csr_array(sparse.hstack(parts, format="csr"))
    return np.hstack(parts)


def is_linear(kernel: Any, names: tuple[str, ...]) -> bool:
    """Whether every view has the linear kernel.

    Examples
    --------
    >>> is_linear(["linear", Linear()], ("a", "b")), is_linear("rbf", ("a", "b"))
    (True, False)
    """
    chosen = per_view(kernel, names, parameter="kernel").values()
    return all(isinstance(each, Linear) or each == "linear" for each in chosen)


@dataclass(frozen=True)
class Center:
    """Where the objects that show a view lie in the mean, in the space of its kernel."""

    columns: FloatArray
    """Mean kernel value of each of them with all."""
    total: float

    def seen_from(self, values: FloatArray) -> FloatArray:
        """Kernel values of some objects with these, as seen from the mean."""
        return np.asarray(values - values.mean(axis=1, keepdims=True) - self.columns + self.total)


@dataclass(frozen=True)
class SummedKernel:
    """``K = Σ_v f_v s_i s_j K_v``, over the views that show both objects.

    A sum of positive kernels on the objects that each view shows, scaled on both sides by
    :func:`presence`, is positive; a mean over the views that two objects share would not be.
    An object adds zero for a view that it lacks, which is the mean of all where the kernel is
    seen from there, and else far from everybody who shows the view.
    """

    similarities: ViewSimilarities
    weights: dict[str, float]
    """How much each view counts, by which objects that lack some are enlarged."""
    factors: dict[str, float]
    """What the kernel of each view is multiplied by."""
    centers: dict[str, Center]
    """From where kernels are seen; none: as they are."""

    def gram(self, found: Mapping[str, Gram]) -> FloatArray:
        """Sum over the views of what they say of the training objects."""
        observed = self.similarities.observed
        return self._summed(found, observed, observed)

    def cross(self, new: Views) -> FloatArray:
        """Kernel values of new objects with the training objects."""
        found = self.similarities.cross_observed(new)
        return self._summed(found, new.observed, self.similarities.observed)

    def values(self, new: Views, factors: FloatArray) -> FloatArray:
        """Sum of the kernel with each training object times its factors, for new objects."""
        blocks = row_blocks(len(new), rows_at_a_time(len(self.similarities.observed)))
        return np.vstack([self.cross(new[part]) @ factors for part in blocks])

    def _summed(self, found: Mapping[str, Gram], rows: BoolArray, columns: BoolArray) -> FloatArray:
        total = np.zeros((len(rows), len(columns)))
        for view, (name, gram) in enumerate(found.items()):
            values = to_dense(gram)
            if name in self.centers:
                values = self.centers[name].seen_from(values)
            if rows[:, view].all() and columns[:, view].all():
                total += self.factors[name] * values
            else:
                total[np.ix_(rows[:, view], columns[:, view])] += self.factors[name] * values
        total *= presence(rows, self.weights)[:, None]
        total *= presence(columns, self.weights)
        return total


def fit_summed_kernel(
    views: Views, kernel: Any, weights: dict[str, float], *, relative: bool = False
) -> tuple[SummedKernel, FloatArray]:
    """Fit the kernel of each view, and sum their values among the training objects.

    ``relative`` makes of the sum a mean in which each kernel is centred, which an offset makes up
    for where nothing is lacking, and has a mean diagonal of one.

    Examples
    --------
    >>> views = Views({"a": [[1.0], [2.0]], "b": [[4.0], None]})
    >>> fit_summed_kernel(views, "linear", {"a": 1.0, "b": 1.0})[1].round(2)
    array([[17.  ,  2.83],
           [ 2.83,  8.  ]])
    """
    similarities, found = observed_similarities(views, kernel)
    factors, centers = weights, dict[str, Center]()
    if relative:
        spreads = {
            name: spread_of_gram(to_dense(gram), center=True) for name, gram in found.items()
        }
        factors = relative_factors(weights, spreads)
        centers = {name: _center(to_dense(gram)) for name, gram in found.items() if gram.shape[0]}
    summed = SummedKernel(similarities, weights, factors, centers)
    return summed, summed.gram(found)


def _center(gram: FloatArray) -> Center:
    columns = gram.mean(axis=0)
    return Center(columns, float(columns.mean()))


def relative_factors(
    weights: Mapping[str, float], spreads: Mapping[str, float]
) -> dict[str, float]:
    """Factors of kernels of some mean diagonals that make their sum a mean of the same size.

    Examples
    --------
    >>> relative_factors({"a": 3.0, "b": 1.0}, {"a": 0.5, "b": 100.0})
    {'a': 1.5, 'b': 0.0025}
    """
    total = sum(weights.values())
    return {name: weight / (total * spreads[name]) for name, weight in weights.items()}


def linear_factors(
    views: Views, weights: Mapping[str, float], *, relative: bool
) -> dict[str, float]:
    """The same for linear kernels, from the features."""
    if not relative:
        return dict(weights)
    spreads = {
        name: spread_of_features(matrix[np.flatnonzero(views.observed_in(name))], center=True)
        for name, matrix in views.items()
    }
    return relative_factors(weights, spreads)
