"""The end of the multi-view part of a pipeline: all views side by side in one matrix."""

from __future__ import annotations

from collections.abc import Iterator
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
    balance : bool
        Divide each view by the root mean squared length of its rows, so that every view counts
        alike in distances and penalties, whatever its units and its number of features.

    Attributes
    ----------
    scales_ : dict of float
        What each view is divided by: 1 without ``balance``, and for a view of zeros.
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
    >>> views = Views({"metres": [[3.0], [-3.0]], "grams": [[500.0], [500.0]]})
    >>> MergeViews(balance=True).fit_transform(views)
    array([[ 1.,  1.],
           [-1.,  1.]])
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, missing_cells=True)

    means_: dict[str, FloatArray]
    scales_: dict[str, float]

    def __init__(
        self,
        fill: Literal["mean", "zero", "nan"] = "mean",
        *,
        indicator: bool = False,
        balance: bool = False,
    ) -> None:
        self.fill = fill
        self.indicator = indicator
        self.balance = balance

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(balance=True)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the mean of every dense view, and the size of all."""
        views = self._fit_views(X)
        self.means_ = {
            name: _mean(matrix[views.observed_in(name)])
            for name, matrix in views.items()
            if not is_sparse(matrix)
        }
        self.scales_ = {
            name: _row_length(matrix[views.observed_in(name)]) if self.balance else 1.0
            for name, matrix in views.items()
        }
        return self

    def transform(self, X: ViewsLike) -> Matrix:
        """Lay the views side by side, filling what is unobserved."""
        views = self._new_views(X)
        blocks = [self._scaled(name, matrix, views) for name, matrix in views.items()]
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

    def _scaled(self, name: str, matrix: Matrix, views: Views) -> Matrix:
        filled, scale = self._filled(name, matrix, views), self.scales_[name]
        return filled if scale == 1.0 else filled * (1.0 / scale)

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


def _row_length(rows: Matrix) -> float:
    """Root mean squared length of the rows, over their known cells; 1 if all are zero."""
    cells = rows.data if is_sparse(rows) else rows[~np.isnan(rows)]
    largest = float(np.abs(cells).max(initial=0.0))  # squares of very small cells would vanish
    if not largest:
        return 1.0
    shares = np.asarray(cells, dtype=np.float64) / largest
    return largest * float(np.sqrt(np.dot(shares, shares) / rows.shape[0]))
