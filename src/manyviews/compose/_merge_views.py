"""The end of the multi-view part of a pipeline: all views side by side in one matrix."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse

from manyviews.base import BaseMultiViewTransformer, ViewTags
from manyviews.data import Views
from manyviews.typing import AnyArray, FloatArray, Matrix, ViewsLike, is_sparse


class MergeViews(BaseMultiViewTransformer):
    """Merge all views into one matrix that any scikit-learn estimator takes.

    The result is a CSR array if any view is sparse, else a dense array.

    Parameters
    ----------
    fill : {"mean", "zero", "nan"}
        What stands in a dense view's row where it is unobserved: the mean of each feature over
        the objects observed in ``fit``, zero, or NaN (for estimators that take it). Unobserved
        rows of sparse views stay empty.
    indicator : bool
        Whether to add one column per view, 1 where it is observed and 0 where not.

    Attributes
    ----------
    means_ : dict
        Mean of each feature of each dense view over the objects observed in it.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import MergeViews, Views
    >>> views = Views({"size": [[1.0], [3.0], None], "colour": np.eye(3)})
    >>> MergeViews(indicator=True).fit_transform(views)
    array([[1., 1., 0., 0., 1., 1.],
           [3., 0., 1., 0., 1., 1.],
           [2., 0., 0., 1., 0., 1.]])
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, missing_cells=True)

    means_: dict[str, FloatArray]

    def __init__(
        self, fill: Literal["mean", "zero", "nan"] = "mean", *, indicator: bool = False
    ) -> None:
        self.fill = fill
        self.indicator = indicator

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the mean of every dense view."""
        views = self._fit_views(X)
        self.means_ = {
            name: _mean(matrix[views.observed_in(name)])
            for name, matrix in views.items()
            if not is_sparse(matrix)
        }
        return self

    def transform(self, X: ViewsLike) -> Matrix:
        """Lay the views side by side, filling what is unobserved."""
        views = self._new_views(X)
        blocks = [self._filled(name, matrix, views) for name, matrix in views.items()]
        if self.indicator:
            blocks.append(views.observed.astype(float))
        if any(is_sparse(block) for block in blocks):
            return sparse.csr_array(sparse.hstack(blocks, format="csr"))
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns: ``view__feature``, then ``observed__view``."""
        names = self.layout_.column_names()
        if not self.indicator:
            return names
        extra = [f"observed__{name}" for name in self.layout_.names]
        return np.concatenate([names, np.asarray(extra, dtype=object)])

    def _filled(self, name: str, matrix: Matrix, views: Views) -> Matrix:
        seen = views.observed_in(name)
        if is_sparse(matrix) or seen.all() or self.fill == "nan":
            return matrix
        filled = matrix.copy()
        zero = self.fill == "zero" or name not in self.means_  # sparse in fit: empty means zero
        filled[~seen] = 0.0 if zero else self.means_[name]
        return filled


def _mean(rows: FloatArray) -> FloatArray:
    """Mean over the known cells of each feature; zero where there is none."""
    known = ~np.isnan(rows)
    counts = known.sum(axis=0)
    totals = np.where(known, rows, 0.0).sum(axis=0)
    return np.divide(totals, counts, out=np.zeros_like(totals), where=counts > 0)
