"""Embeddings as search and classification use them: a point for each object, or each view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator

from manyviews.base import BaseMultiView, check_params
from manyviews.data import Layout, Views, match_layout
from manyviews.embed.canonical.kernel_cca import KernelCCA
from manyviews.exceptions import ViewsError
from manyviews.typing import FloatArray, Having, IntArray, ViewsLike, is_sparse

Embedding: TypeAlias = Annotated[Any, Having("a transformer of views", "fit", "transform")]
"""Such as ``KernelCCA(n_components=50)``."""
LARGEST_USUAL = 100
"""Dimensions at most if nobody says. Of 300 new pairs of Canadian laws, and of Multi30k, 94 and 93
% find their mate first with so many (600 pairs to learn from), 90 and 90 % with 50, 97 and 94 %
with 200, for which points take twice the memory."""


def usual_dimension(views: Views) -> int:
    """Dimension of a space that nobody has described: half of what two views can span, 2 to 100.

    Examples
    --------
    >>> usual_dimension(Views({"a": np.ones((30, 8)), "b": np.ones((30, 50))}))
    4
    """
    counts = views.observed.sum(axis=0)
    spans = sorted(min(pair) for pair in zip(views.layout.widths, counts, strict=True))
    most = int(spans[-2:][0])
    return max(1, min(most, max(most // 2, 2), LARGEST_USUAL))


def fit_embedding(embedding: Embedding | None, views: Views, y: Any = None) -> Any:
    """Fit a clone of the embedding, kernel CCA if there is none; a frozen one stays as it is."""
    if isinstance(embedding, FrozenEstimator):
        return embedding
    if embedding is None:
        embedding = KernelCCA(usual_dimension(views))
    model = clone(embedding)
    return model.fit(views) if y is None else model.fit(views, y)


class OnEmbedding(BaseMultiView):
    """Base of methods on an embedding: where that is fitted already, its views are the views."""

    embedding: Embedding | None

    def _fit_views(self, X: ViewsLike, *, min_objects: int = 1) -> Views:
        """Read the views; of those that a frozen embedding knows the objects may show some."""
        known = known_layout(self.embedding)
        if known is None:
            return super()._fit_views(X, min_objects=min_objects)
        check_params(self)
        shown = match_layout(X, known, allow_absent=True)
        views = Views(shown, feature_names={**known.feature_names, **shown.feature_names})
        self.layout_ = views.layout
        self.view_names_ = views.names
        self._remember_features(views)
        return self._checked(views, min_objects)


def known_layout(embedding: Any) -> Layout | None:
    """Return the views that a frozen embedding knows; None if it is yet to be fitted."""
    if not isinstance(embedding, FrozenEstimator):
        return None
    steps = getattr(embedding.estimator, "steps", None)
    first = steps[0][1] if steps else embedding.estimator
    layout: Layout | None = getattr(first, "layout_", None)
    return layout


def place(embedding: Any, views: Views) -> FloatArray:
    """Coordinates of the objects, one row for each."""
    found = embedding.transform(views)
    if isinstance(found, Views):
        raise ViewsError(
            f"the embedding {type(embedding).__name__} gives views and not points of one space; "
            "let a step follow that makes one matrix, such as KernelCCA() or MergeViews()."
        )
    return np.asarray(found.toarray() if is_sparse(found) else found)


def seen_alone(views: Views, name: str) -> tuple[IntArray, Views]:
    """Return the objects that a view shows, and these objects without their other views."""
    rows = np.flatnonzero(views.observed_in(name))
    shown = views if len(rows) == len(views) else views[rows]
    if not len(rows):
        raise ViewsError(f"no object shows the view {name!r}; give some that do.")
    others = [other for other in views.names if other != name]
    hidden = np.zeros(len(rows), dtype=bool)
    return rows, shown.with_observed(dict.fromkeys(others, hidden)) if others else shown


def place_by_view(embedding: Any, views: Views) -> Iterator[tuple[IntArray, FloatArray]]:
    """For each view that is shown at all: who shows it, and where it alone places them."""
    for name in views.names:
        if views.observed_in(name).any():
            rows, alone = seen_alone(views, name)
            yield rows, place(embedding, alone)
