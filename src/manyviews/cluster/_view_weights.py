"""Weights of the views for clusterers that make no graph of their own to judge the views by."""

from __future__ import annotations

from typing import Any

from manyviews.data import Views, read_view_weights
from manyviews.similarity import auto_view_weights, structure_of, warn_of_empty_views


def weigh_views(view_weights: Any, views: Views) -> dict[str, float]:
    """Weights as given; by "auto" none for a view that looks empty of structure, and a hint.

    Examples
    --------
    >>> weigh_views([1, 2], Views({"words": [[1.0]], "links": [[1.0]]}))
    {'words': 1.0, 'links': 2.0}
    """
    if view_weights != "auto":
        return read_view_weights(view_weights, views.names)
    if len(views.names) == 1:
        return {views.names[0]: 1.0}
    judged = structure_of(views)
    consequence = "it is left out, unless view_weights says otherwise"
    warn_of_empty_views(judged, consequence, stacklevel=5)  # where ``fit`` was called
    return auto_view_weights(judged)


def used_views(views: Views, weights: dict[str, float]) -> Views:
    """The views that weigh anything."""
    used = [name for name in views.names if weights[name] > 0]
    return views if len(used) == len(views.names) else views.subset(used)
