"""What objects are by their similarities to landmarks: the map φ of [@balcan2006]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from manyviews.data import Views, per_view
from manyviews.maths import check_memory, to_dense
from manyviews.similarity import (
    Kernel,
    Lookup,
    LowRankKernel,
    Precomputed,
    Similarity,
    as_similarity,
)
from manyviews.typing import FloatArray, IntArray, Matrix

_PAIR_BY_PAIR = (Kernel, Lookup, LowRankKernel, Precomputed)
"""Similarities of two rows that depend on these alone, once fitted; others may need all rows."""


@dataclass(frozen=True)
class ViewLandmarks:
    """The landmarks that one view shows."""

    similarity: Similarity
    rows: Matrix = field(repr=False)
    """What new rows are compared with: the landmarks, or all training rows if one needs these."""
    columns: IntArray = field(repr=False)
    """Which of the columns of these comparisons are landmarks."""
    landmarks: IntArray = field(repr=False)
    """Which of all landmarks they are."""

    def similarities(self, rows: Matrix) -> FloatArray:
        """Similarities of some rows to the landmarks of this view."""
        found = to_dense(self.similarity.cross(rows, self.rows)[:, self.columns])
        return found.astype(np.float64, copy=False)


@dataclass(frozen=True)
class LandmarkSpace:
    """Centred similarities to landmarks, view by view, as features.

    Those of a view have mean zero over the training objects that it shows and one scale, by which
    their mean variance is one. An object that the view does not show has zeros there.
    """

    views: dict[str, ViewLandmarks]
    means: FloatArray = field(repr=False)
    scales: FloatArray = field(repr=False)

    @property
    def landmarks(self) -> IntArray:
        """Which landmark each feature is the similarity to."""
        return np.concatenate([own.landmarks for own in self.views.values()])

    def features(self, views: Views) -> FloatArray:
        """``φ(x) = (K(x, t_1), …, K(x, t_l))``, Eq. (6.3), centred and scaled."""
        return self.scaled(similarities_to_landmarks(self.views, views))

    def scaled(self, similarities: FloatArray) -> FloatArray:
        """Features from similarities, which are overwritten; zeros where they are NaN."""
        similarities -= self.means
        similarities /= self.scales
        return np.nan_to_num(similarities, copy=False, nan=0.0)


def fit_space(
    views: Views, objects: IntArray, landmarks: IntArray, similarity: Any
) -> tuple[LandmarkSpace, FloatArray]:
    """Compare some objects with the landmarks among them.

    Parameters
    ----------
    views : Views
        All training objects.
    objects : array of int
        Those that take part.
    landmarks : array of int
        Positions in ``objects`` of those that others are compared with.
    similarity : Similarity, name, list or dict
        For all views, or one per view.

    Returns
    -------
    space : LandmarkSpace
        What turns objects into features.
    features : array of shape (n_objects, n_features)
        Those of the objects that take part.
    """
    given = per_view(similarity, views.names, parameter="similarity")
    n_features = int(views.observed[objects[landmarks]].sum())
    check_memory(
        (len(objects), n_features),
        f"similarities of {len(objects):,} objects to {len(landmarks):,} landmarks, in all views,",
        remedy="take fewer landmarks, as by n_landmarks=300",
    )
    own = {
        name: _view_landmarks(views, name, objects, landmarks, given[name]) for name in views.names
    }
    found = similarities_to_landmarks(own, views[objects])
    shown = ~np.isnan(found)
    n_shown = np.maximum(shown.sum(axis=0), 1)
    means = np.nansum(found, axis=0) / n_shown
    variances = np.nansum((found - means) ** 2, axis=0) / n_shown
    space = LandmarkSpace(own, means, _scales(variances, [len(v.landmarks) for v in own.values()]))
    return space, space.scaled(found)


def similarities_to_landmarks(own: dict[str, ViewLandmarks], views: Views) -> FloatArray:
    """Similarities in each view side by side; NaN for objects that a view does not show."""
    blocks = []
    for name, landmarks in own.items():
        block = np.full((len(views), len(landmarks.landmarks)), np.nan)
        seen = np.flatnonzero(views.observed_in(name))
        if block.shape[1] and len(seen):
            block[seen] = landmarks.similarities(views[name][seen])
        blocks.append(block)
    return np.hstack(blocks)


def _view_landmarks(
    views: Views, name: str, objects: IntArray, landmarks: IntArray, similarity: Any
) -> ViewLandmarks:
    seen = views.observed_in(name)[objects]
    places = objects[seen]
    rows = views[name][places]
    chosen = as_similarity(similarity, "similarity")
    shown = np.flatnonzero(seen[landmarks])
    columns = (np.cumsum(seen) - 1)[landmarks[shown]]
    if isinstance(chosen, Precomputed) and rows.shape[1] != len(views):
        raise ValueError(
            f"view {name!r} has {rows.shape[1]} columns for {len(views)} objects, so it is no "
            "matrix of similarities; give one, or similarity='rbf' for rows of features."
        )
    if not len(places):
        return ViewLandmarks(chosen, rows, columns, shown)
    fitted = chosen.fitted(rows, places)
    if not isinstance(chosen, _PAIR_BY_PAIR):
        return ViewLandmarks(fitted, rows, columns, shown)
    kept = rows[columns[:0] if isinstance(chosen, Precomputed) else columns]
    return ViewLandmarks(fitted.restricted(columns), kept, np.arange(len(shown)), shown)


def _scales(variances: FloatArray, widths: list[int]) -> FloatArray:
    """For every feature the root of the mean variance in its view; one where all are constant."""
    parts = np.split(variances, np.cumsum(widths)[:-1])
    scales = [np.sqrt(part.mean()) if part.any() else 1.0 for part in parts]
    return np.repeat(scales, widths)
