"""What all learnt features share: they stand beside the views they come from, or multiply."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_consistent_length

from manyviews.base import BaseMultiViewTransformer, Labels, ViewTags, split_labelled
from manyviews.data import Views
from manyviews.typing import AnyArray, FloatArray, Matrix, ViewsLike, is_sparse


class ViewFeatures(BaseMultiViewTransformer):
    """Base of methods that learn a few features of each view.

    A child says in ``_features`` what the rows of a view have, in ``_n_features`` how many that
    are, and in ``_stem`` what they are called; ``interactions`` and ``concatenate`` are parameters.
    An unobserved view has the features zero: it speaks for nothing.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)
    _stem: ClassVar[str]

    interactions: bool
    concatenate: bool

    @abstractmethod
    def _features(self, name: str, rows: Matrix) -> FloatArray:
        """Features of observed rows of a view."""

    @abstractmethod
    def _n_features(self, name: str) -> int:
        """How many they are."""

    def transform_views(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Learnt features by each view alone; NaN where a view is unobserved."""
        return self._by_view(self._new_views(X))

    def transform(self, X: ViewsLike) -> Matrix:
        """Views and learnt features side by side, CSR if any of the views is sparse."""
        views = self._new_views(X)
        return self._side_by_side(views, self._by_view(views))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns: ``view__feature``, then the learnt ones."""
        own = {
            name: [f"{name}__{self._stem}{number}" for number in range(self._n_features(name))]
            for name in self.layout_.names
        }
        if self._multiplies():
            learnt = [
                f"{a} {b}" for one, two in combinations(own.values(), 2) for a in one for b in two
            ]
        else:
            learnt = [feature for features in own.values() for feature in features]
        names = self.layout_.column_names() if self.concatenate else np.zeros(0, dtype=object)
        return np.concatenate([names, np.asarray(learnt, dtype=object)])

    def _read_labels(self, y: Any, views: Views) -> Labels | None:
        """Read labels, some of which may be missing, where there are any."""
        if y is None:
            return None
        labels = split_labelled(y, views)
        check_consistent_length(views, labels.codes)
        return labels

    def _by_view(self, views: Views) -> dict[str, FloatArray]:
        found = {}
        for name, matrix in views.items():
            seen = views.observed_in(name)
            found[name] = np.full((len(views), self._n_features(name)), np.nan)
            if seen.any():
                found[name][seen] = self._features(name, matrix if seen.all() else matrix[seen])
        return found

    def _side_by_side(self, views: Views, features: Mapping[str, FloatArray]) -> Matrix:
        """The result for some views, with features that have NaN where a view is unobserved."""
        spoken = [np.nan_to_num(block, nan=0.0) for block in features.values()]
        learnt = _products(spoken) if self._multiplies() else spoken
        blocks: list[Matrix] = (
            [_filled(name, views) for name in views.names] if self.concatenate else []
        )
        if any(is_sparse(block) for block in blocks):
            return sparse.csr_array(sparse.hstack([*blocks, *learnt], format="csr"))
        return np.hstack([*blocks, *learnt])

    def _multiplies(self) -> bool:
        """Whether features are products of two views; one view alone has nothing to multiply."""
        return self.interactions and len(self.layout_.names) > 1


def _products(features: list[FloatArray]) -> list[FloatArray]:
    """Every feature of one view times every feature of another, for each pair of views."""
    return [
        (one[:, :, None] * two[:, None, :]).reshape(len(one), -1)
        for one, two in combinations(features, 2)
    ]


def _filled(name: str, views: Views) -> Matrix:
    """A view as it is, with zeros where it is unobserved."""
    matrix, seen = views[name], views.observed_in(name)
    if is_sparse(matrix) or seen.all():
        return matrix
    return np.where(seen[:, None], matrix, 0.0)
