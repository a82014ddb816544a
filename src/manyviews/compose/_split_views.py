"""The way into the multi-view part of a pipeline that begins with one wide matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import numpy as np

from manyviews.base import BaseMultiViewTransformer, MultiViewTags, ViewTags
from manyviews.data import Layout, Views
from manyviews.exceptions import ViewsError
from manyviews.typing import AnyArray, Count, Interval, ViewsLike

Columns: TypeAlias = Mapping[str, Count | Sequence[Annotated[int, Interval(0)] | str]]


class SplitViews(BaseMultiViewTransformer):
    """Cut one matrix into views, where a tool has passed views on as a plain matrix.

    scikit-learn's bagging and stacking hand their members a plain matrix; a pipeline that begins
    with ``SplitViews`` finds the views in it again. A row that is NaN in all columns of a view is
    unobserved there.

    Parameters
    ----------
    columns : dict
        For each view its width, columns being taken from left to right, or a list of its columns
        by position or by name.

    Attributes
    ----------
    columns_ : dict
        The positions of each view's columns.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import SplitViews
    >>> SplitViews({"size": 1, "colour": 3}).fit_transform(np.ones((5, 4))).names
    ('size', 'colour')
    """

    view_tags: ClassVar[ViewTags] = ViewTags(sparse=True, missing_cells=True, max_views=1)

    columns_: dict[str, AnyArray]

    def __init__(self, columns: Columns | None = None) -> None:
        self.columns = columns

    def __sklearn_tags__(self) -> MultiViewTags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # the result is a Views, not an array
        return tags

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Find the columns of each view."""
        views = self._fit_views(X)
        self.columns_ = _positions(self.columns, views.layout)
        return self

    def transform(self, X: ViewsLike) -> Views:
        """Cut the matrix into views."""
        views = self._new_views(X)
        (whole,) = views.names
        matrix, features = views[whole], views.feature_names.get(whole)
        return Views(
            {name: matrix[:, columns] for name, columns in self.columns_.items()},
            feature_names=None if features is None else self._features(features),
            sample_ids=views.sample_ids,
        )

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns: ``view__feature``."""
        (whole,) = self.layout_.names
        features = self.layout_.feature_names.get(whole)
        names = tuple(self.columns_)
        widths = tuple(len(columns) for columns in self.columns_.values())
        by_view = {} if features is None else self._features(features)
        return Layout(names, widths, by_view).column_names()

    def _features(self, features: AnyArray) -> dict[str, AnyArray]:
        return {name: features[columns] for name, columns in self.columns_.items()}


def _positions(given: Columns | None, layout: Layout) -> dict[str, Any]:
    (whole,) = layout.names
    if given is None:
        return {whole: np.arange(layout.n_features)}
    widths = [width for width in given.values() if isinstance(width, int | np.integer)]
    if len(widths) == len(given):
        if sum(widths) != layout.n_features:
            raise ViewsError(
                f"the widths in columns add up to {sum(widths)} but the matrix has "
                f"{layout.n_features} columns; give every column a view."
            )
        edges = np.concatenate([[0], np.cumsum(widths)])
        return {
            name: np.arange(start, end)
            for name, (start, end) in zip(given, pairwise(edges), strict=True)
        }
    if widths:
        raise ViewsError("columns has widths for some views and lists for others; give one kind.")
    known = list(layout.feature_names.get(whole, []))
    return {name: _listed(name, columns, known, layout) for name, columns in given.items()}


def _listed(name: str, columns: Any, known: list[Any], layout: Layout) -> AnyArray:
    positions = []
    for column in columns:
        if isinstance(column, str) and column in known:
            positions.append(known.index(column))
        elif isinstance(column, int | np.integer) and 0 <= column < layout.n_features:
            positions.append(int(column))
        else:
            raise ViewsError(
                f"columns gives view {name!r} the column {column!r}, which the matrix of "
                f"{layout.n_features} columns does not have."
            )
    return np.asarray(positions, dtype=np.intp)
