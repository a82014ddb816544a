"""Building blocks for pipelines on views: transform each, merge them, split a matrix into them."""

from manyviews.compose._labelled_only import LabelledOnly
from manyviews.compose._merge_views import MergeViews
from manyviews.compose._per_view import PerView
from manyviews.compose._split_views import SplitViews

__all__ = ["LabelledOnly", "MergeViews", "PerView", "SplitViews"]
