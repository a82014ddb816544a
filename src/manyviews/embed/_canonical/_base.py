"""What every common space can do: place objects by each of their views, and by all."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from manyviews.base import BaseMultiViewTransformer, ViewTags
from manyviews.data import Views
from manyviews.embed._canonical._solution import correlations_of
from manyviews.typing import AnyArray, FloatArray, Matrix, ViewsLike


class CommonSpace(BaseMultiViewTransformer):
    """Base of methods that map every view into one space.

    A child says in ``_place`` where the rows of a view lie; an object lies at the mean of the
    places that its observed views give it, and at the origin if it has none.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    correlations_: FloatArray
    """Of the training objects, one per component; falling if nothing is regularised or missing."""

    @abstractmethod
    def _place(self, name: str, rows: Matrix) -> FloatArray:
        """Coordinates of observed rows of a view."""

    def transform_views(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Coordinates of the objects by each view alone; NaN where a view is unobserved."""
        return self._places(self._new_views(X))

    def transform(self, X: ViewsLike) -> FloatArray:
        """Coordinates of the objects: the mean over the views that each has."""
        views = self._new_views(X)
        total = np.zeros((len(views), len(self.correlations_)))
        for name, places in self._places(views).items():
            seen = views.observed_in(name)
            total[seen] += places[seen]
        return total / np.maximum(views.observed.sum(axis=1), 1)[:, None]

    def correlate(self, X: ViewsLike) -> FloatArray:
        """Correlations between the views along each component, as ``correlations_`` are, of X.

        Those of objects that were not fitted on tell how many components are real, and which
        parameters are best.
        """
        views = self._new_views(X)
        return correlations_of(list(self._places(views).values()), views.observed)

    def score(self, X: ViewsLike, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """Return the mean of these correlations, for scikit-learn's searches."""
        return float(self.correlate(X).mean())

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the coordinates: ``cca0``, ``cca1``, …, after the class."""
        stem = type(self).__name__.lower()
        return np.array([f"{stem}{i}" for i in range(len(self.correlations_))], dtype=object)

    def _places(self, views: Views) -> dict[str, FloatArray]:
        found = {}
        for name, matrix in views.items():
            seen = np.flatnonzero(views.observed_in(name))
            found[name] = np.full((len(views), len(self.correlations_)), np.nan)
            if len(seen):
                found[name][seen] = self._place(name, _rows(matrix, seen))
        return found


def _rows(matrix: Matrix, seen: AnyArray) -> Matrix:
    return matrix if len(seen) == matrix.shape[0] else matrix[seen]
