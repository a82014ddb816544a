"""Weights of the views for clusterers that make no graph of their own to judge the views by."""

from __future__ import annotations

from typing import Any

from manyviews.data import Views
from manyviews.similarity import structure_of, weights_of_views


def weigh_views(view_weights: Any, views: Views) -> dict[str, float]:
    """Weights as given; by "auto" none for a view that looks empty of structure, and a hint.

    Examples
    --------
    >>> weigh_views([1, 2], Views({"words": [[1.0]], "links": [[1.0]]}))
    {'words': 1.0, 'links': 2.0}
    """
    consequence = "it is left out, unless view_weights says otherwise"
    return weights_of_views(view_weights, views, structure_of, consequence)


def used_views(views: Views, weights: dict[str, float]) -> Views:
    """The views that weigh anything."""
    used = [name for name in views.names if weights[name] > 0]
    return views if len(used) == len(views.names) else views.subset(used)
