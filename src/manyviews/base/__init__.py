"""Bases that read views, tags, checks of parameters, messages, and the alternating template."""

from manyviews.base._alternating import AlternatingMixin, Run, alternate
from manyviews.base._estimators import (
    BaseMultiView,
    BaseMultiViewClassifier,
    BaseMultiViewClusterer,
    BaseMultiViewRegressor,
    BaseMultiViewTransformer,
    MultiViewTags,
    ViewTags,
    if_estimator_has,
    reads_views,
    refusing_overflow,
    seeded,
)
from manyviews.base._messages import (
    aligned,
    headed,
    hint_at_counts,
    hint_at_scales,
    report,
    warn_not_converged,
    warn_of_minutes,
    warn_user,
)
from manyviews.base._parameters import (
    accepts,
    check_argument,
    check_params,
    declared,
    described,
)
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
    "aligned",
    "alternate",
    "check_argument",
    "check_params",
    "declared",
    "described",
    "headed",
    "hint_at_counts",
    "hint_at_scales",
    "if_estimator_has",
    "reads_views",
    "refusing_overflow",
    "report",
    "seeded",
    "split_labelled",
    "warn_not_converged",
    "warn_of_minutes",
    "warn_user",
]
