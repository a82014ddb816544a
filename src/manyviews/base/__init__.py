"""What every method stands on: bases that read views, tags, and the alternating template."""

from manyviews.base._alternating import AlternatingMixin, Run, alternate
from manyviews.base._delegate import if_estimator_has, seeded
from manyviews.base._estimators import (
    BaseMultiView,
    BaseMultiViewClassifier,
    BaseMultiViewClusterer,
    BaseMultiViewRegressor,
    BaseMultiViewTransformer,
)
from manyviews.base._hints import hint_at_counts, hint_at_scales
from manyviews.base._parameters import (
    accepts,
    check_argument,
    check_params,
    declared,
    described,
)
from manyviews.base._tags import MultiViewTags, ViewTags
from manyviews.data import Labels, split_labelled

__all__ = [
    "AlternatingMixin",
    "BaseMultiView",
    "BaseMultiViewClassifier",
    "BaseMultiViewClusterer",
    "BaseMultiViewRegressor",
    "BaseMultiViewTransformer",
    "Labels",
    "MultiViewTags",
    "Run",
    "ViewTags",
    "accepts",
    "alternate",
    "check_argument",
    "check_params",
    "declared",
    "described",
    "hint_at_counts",
    "hint_at_scales",
    "if_estimator_has",
    "seeded",
    "split_labelled",
]
