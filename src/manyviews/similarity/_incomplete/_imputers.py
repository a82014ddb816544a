"""Gaps filled with one value each, by a mixture or by the mean of the feature [@williams2005]."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from manyviews.base import BaseMultiViewTransformer, ViewTags
from manyviews.data import Layout
from manyviews.exceptions import ViewsError
from manyviews.maths import GaussianComponents, expected_rows
from manyviews.similarity._incomplete._kernels import Mixture
from manyviews.similarity._incomplete._mixture import IncompleteGaussianMixture
from manyviews.similarity._incomplete._rows import wide_rows
from manyviews.typing import AnyArray, FloatArray, ViewsLike

_TAGS = ViewTags(unobserved=True, sparse=True, missing_cells=True, absent=True)


class _SideBySide(BaseMultiViewTransformer):
    """A transformer whose columns are those of all views side by side."""

    view_tags: ClassVar[ViewTags] = _TAGS

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the columns, ``view__feature``."""
        return self.layout_.column_names()


class ConditionalMeanImputer(_SideBySide):
    """Fill what objects lack with what a Gaussian mixture expects of it, given what they show.

    The result is one matrix, all views side by side and without gaps, for any method of
    scikit-learn.

    Parameters
    ----------
    mixture : IncompleteGaussianMixture or None
        The mixture to learn; one Gaussian by default. One that is learnt already, perhaps from
        more objects, is kept as it is in scikit-learn's ``FrozenEstimator``.

    Attributes
    ----------
    mixture_ : IncompleteGaussianMixture
        The fitted mixture.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.similarity import ConditionalMeanImputer
    >>> size = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> views = {"size": size, "price": [[2.0], [4.0], None, [8.0]]}
    >>> ConditionalMeanImputer().fit_transform(views).round(2)
    array([[1., 2.],
           [2., 4.],
           [3., 6.],
           [4., 8.]])

    Notes
    -----
    **Objective**
        xᵐ ← E[xᵐ | xᵒ] = Σ_z π_z μ_zᵐ, with π and μ of Eq. (2) (Section 3 of the paper): of all
        single values the one with the least expected squared error under the mixture.

    **Symbols**
        xᵒ and xᵐ what an object shows and lacks; π and μ the ``weights`` and ``means`` of
        ``mixture_.conditional``.

    **Algorithm**
        1. ``fit`` learns the mixture from objects with gaps.
        2. ``transform`` fills each object by ``expected_rows``; what is observed stays as it is.

    **Deviations**
        None. A filled value looks as sure as a measured one:
        ``IncompleteRBF`` keeps the uncertainty instead.

    **Complexity**
        That of the mixture; ``transform`` is one of its E-steps.

    References
    ----------
    [@williams2005]
    """

    mixture_: IncompleteGaussianMixture

    def __init__(self, mixture: Mixture | None = None) -> None:
        self.mixture = mixture

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Learn the mixture."""
        views = self._fit_views(X, min_objects=2)
        mixture = IncompleteGaussianMixture() if self.mixture is None else clone(self.mixture)
        self.mixture_ = mixture.fit(views, y)
        _refuse_other_views(self.mixture_.layout_, self.layout_)
        return self

    def transform(self, X: ViewsLike) -> FloatArray:
        """All views side by side, gaps filled."""
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        mixture = self.mixture_
        components = GaussianComponents(mixture.weights_, mixture.means_, mixture.covariances_)
        return expected_rows(rows, components)


def _refuse_other_views(known: Layout, given: Layout) -> None:
    """A mixture that was frozen may have been learnt from other views."""
    if (known.names, known.widths) != (given.names, given.widths):
        raise ViewsError(
            f"the mixture was learnt from views {list(known.names)} of widths {list(known.widths)} "
            f"and is to fill views {list(given.names)} of widths {list(given.widths)}; give the "
            "same views in the same order."
        )


class UnconditionalMeanImputer(_SideBySide):
    """Fill what objects lack with the mean of the feature over the objects that show it.

    The result is one matrix, all views side by side and without gaps, for any method of
    scikit-learn. It uses nothing of what an object does show, and is there to compare with.

    Attributes
    ----------
    means_ : array of shape (n_features,)
        Means, all views side by side.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.similarity import UnconditionalMeanImputer
    >>> views = {"size": [[1.0], [2.0], [3.0]], "price": [[2.0], None, [8.0]]}
    >>> imputer = UnconditionalMeanImputer().fit(views)
    >>> imputer.transform({"size": [[9.0]]})
    array([[9., 5.]])

    Notes
    -----
    **Objective**
        xᵃ ← the mean of feature a over the M objects for which it was observed (Section 3 of the
        paper).

    **Symbols**
        E[xᵃ] ``means_[a]``.

    **Algorithm**
        1. ``fit`` takes the mean of each feature over the cells that are observed.
        2. ``transform`` puts it into those that are not.

    **Deviations**
        None.

    **Complexity**
        O(n d).

    References
    ----------
    [@williams2005]
    """

    means_: FloatArray

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Take the mean of each feature."""
        self.means_ = np.nanmean(wide_rows(self._fit_views(X)), axis=0)
        return self

    def transform(self, X: ViewsLike) -> FloatArray:
        """All views side by side, gaps filled."""
        rows = np.asarray(self._new_views(X), dtype=np.float64)
        return np.where(np.isnan(rows), self.means_, rows)
