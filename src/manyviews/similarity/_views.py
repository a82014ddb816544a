"""One similarity matrix per view over all objects, its gaps filled from the others [@kumar2013]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manyviews.data import Views, per_view
from manyviews.maths import Gram, frobenius
from manyviews.similarity._base import Similarity
from manyviews.similarity._fill import fill_unobserved
from manyviews.similarity._names import as_similarity
from manyviews.typing import BoolArray, IntArray, Matrix


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
            seen = np.flatnonzero(new.observed_in(name))
            found[name] = _cross(similarity, new[name][seen], self.rows[name])
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
        places = np.flatnonzero(views.observed_in(name))
        rows[name] = _rows(views, name, places)
        similarities[name] = as_similarity(chosen[name]).fitted(rows[name], places)
        found[name] = similarities[name].gram(rows[name])
        scales[name] = frobenius(found[name]) / max(len(places), 1)  # a root mean square
    typical = _typical(found, scales)
    return ViewSimilarities(similarities, rows, views.observed, scales, typical), found


def _typical(found: dict[str, Gram], scales: dict[str, float]) -> float:
    """Mean over views of their mean similarity, each divided by its scale."""
    means = [
        float(gram.sum(axis=1).sum()) / gram.shape[0] ** 2 / scales[name]
        for name, gram in found.items()
        if scales[name] > 0
    ]
    return sum(means) / len(means) if means else 0.0


def _cross(similarity: Similarity, new: Matrix, rows: Matrix) -> Gram:
    """Similarities of new rows; of none, an empty matrix in the shape that others would have."""
    if new.shape[0]:
        return similarity.cross(new, rows)
    return similarity.cross(rows[:1], rows)[:0]


def _rows(views: Views, name: str, places: IntArray) -> Matrix:
    """The observed rows of a view, as a copy only where some are missing."""
    matrix = views[name]
    return matrix if len(places) == len(views) else matrix[places]
