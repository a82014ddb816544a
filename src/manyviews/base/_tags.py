"""What a method says of itself: scikit-learn's tags, and what it takes of views."""

from __future__ import annotations

from dataclasses import dataclass, fields

from sklearn.utils import Tags


@dataclass(frozen=True)
class ViewTags:
    """What a method takes, as the contract tests and the error messages read it."""

    unobserved: bool = False
    """Objects may lack a view."""
    sparse: bool = False
    """Views may be CSR."""
    missing_cells: bool = False
    """Single cells of an observed view may be NaN."""
    min_views: int = 1
    max_views: int | None = None
    absent: bool = False
    """New objects may come without the views that none of them shows."""
    additive: bool = False
    """Its statistics add up over subsets of the objects (``summarize``, ``+``, ``update``)."""


@dataclass(slots=True)
class MultiViewTags(Tags):
    """scikit-learn's tags with ours beside them."""

    views: ViewTags = ViewTags()


def extend(tags: Tags, views: ViewTags) -> MultiViewTags:
    """Add what a method takes of views to scikit-learn's tags."""
    own = {field.name: getattr(tags, field.name) for field in fields(Tags)}
    extended = MultiViewTags(**own, views=views)
    extended.input_tags.sparse = views.sparse
    extended.input_tags.allow_nan = views.missing_cells
    return extended
