"""Similarities to the training objects as features, over all views at once [@williams2005]."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from manyviews.base import BaseMultiViewTransformer, ViewTags
from manyviews.data import Layout
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import check_memory, to_dense
from manyviews.similarity.base import Similarity, SimilarityLike
from manyviews.similarity.incomplete.kernels import IncompleteKernel
from manyviews.similarity.incomplete.mixture import wide_rows
from manyviews.similarity.incomplete.rbf import IncompleteRBF
from manyviews.similarity.low_rank import as_similarity
from manyviews.typing import AnyArray, FloatArray, ViewsLike

__all__ = ["KernelFeatures"]


class KernelFeatures(BaseMultiViewTransformer):
    """Describe objects by how similar they are to each training object, gaps and all.

    The result is a matrix without gaps, for any classifier of scikit-learn or of this library:
    as features, or as a precomputed kernel.

    Parameters
    ----------
    kernel : Similarity, name or None
        :class:`IncompleteRBF` by default. Kernels of this family take views that are unobserved
        and NaN in single cells; others, such as :class:`RBF`, take complete objects. Views should
        have comparable units: ``make_pipeline(PerView(StandardScaler()), KernelFeatures())``.

    Attributes
    ----------
    kernel_ : Similarity
        The fitted kernel, of all views side by side.
    rows_ : array of shape (n_training, n_features)
        The training objects, all views side by side, NaN where something is missing.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.similarity import IncompleteRBF, KernelFeatures
    >>> views = {"size": [[1.0], [2.0], [3.0], [9.0]], "price": [[2.0], [4.1], None, [17.0]]}
    >>> features = KernelFeatures(IncompleteRBF(sigma=2.0)).fit(views)
    >>> features.transform({"size": [[3.0]]}).round(1)  # its price unobserved
    array([[0.1, 0.6, 1. , 0. ]])

    Notes
    -----
    **Objective**
        ``φ(x) = [K(x, x_1) … K(x, x_N)]`` of Section 3 of the paper, K a kernel of all views side
        by side.

    **Symbols**
        K ``kernel``, N training objects ``rows_``.

    **Algorithm**
        ``fit`` lays the views side by side and fits the kernel, with its mixture, to them;
        ``transform`` compares objects with the training objects.

    **Deviations**
        The paper's φ starts with a 1, which scikit-learn's classifiers add by themselves.

    **Complexity**
        That of the kernel, and O(n N) memory for n objects.

    References
    ----------
    [@williams2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, missing_cells=True, absent=True)

    kernel_: Similarity
    rows_: FloatArray

    def __init__(self, kernel: SimilarityLike | None = None) -> None:
        self.kernel = kernel

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Fit the kernel to all views side by side."""
        views = self._fit_views(X)
        kernel = IncompleteRBF() if self.kernel is None else as_similarity(self.kernel, "kernel")
        rows = _whole(wide_rows(views), kernel, self.layout_)
        self.kernel_ = kernel.fitted(rows)
        self.rows_ = rows
        return self

    def fit_transform(self, X: ViewsLike, y: Any = None) -> FloatArray:  # type: ignore[override]
        """Fit, then compare the training objects with each other: a symmetric matrix."""
        self._refuse_other_order(X, y)
        self.fit(X, y)
        self._check_size(len(self.rows_))
        return to_dense(self.kernel_.gram(self.rows_))

    def transform(self, X: ViewsLike) -> FloatArray:
        """Similarities of objects to the training objects."""
        wide = np.asarray(self._new_views(X), dtype=np.float64)
        self._check_size(len(wide))
        rows = _whole(wide, self.kernel_, self.layout_)
        return to_dense(self.kernel_.cross(rows, self.rows_))

    def _check_size(self, n_objects: int) -> None:
        check_memory(
            (n_objects, len(self.rows_)),
            f"similarities of {n_objects:,} to {len(self.rows_):,} objects as features",
            remedy="fit on fewer objects, as each is a feature, or transform fewer at a time",
        )

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns: ``similarity0`` is that to the first training object."""
        return np.array([f"similarity{number}" for number in range(len(self.rows_))], dtype=object)


def _whole(rows: FloatArray, kernel: Similarity, layout: Layout) -> FloatArray:
    """Rows, without gaps if the kernel cannot take any."""
    if isinstance(kernel, IncompleteKernel) or not np.isnan(rows).any():
        return rows
    row, column = np.argwhere(np.isnan(rows))[0]
    view = next(name for name, columns in layout.slices().items() if column < columns.stop)
    raise UnobservedViewsError(
        f"something of view {view!r} is missing in row {row}, and {type(kernel).__name__} compares "
        "whole rows only; use IncompleteRBF, IncompleteLinear or IncompletePolynomial, or fill "
        "the gaps with ConditionalMeanImputer first."
    )
