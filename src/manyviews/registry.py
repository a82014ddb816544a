"""Every estimator the rooms export, found by looking: a new method needs no entry anywhere."""

from __future__ import annotations

from importlib import import_module
from inspect import isclass

ROOMS = (
    "compose",
    "similarity",
    "cluster",
    "embed",
    "semi_supervised",
    "mkl",
    "ensemble",
    "acquire",
    "explain",
)
"""The rooms that may hold estimators."""


def classes() -> dict[str, type]:
    """Return every exported class by name, room by room: estimators and their options.

    Examples
    --------
    >>> classes()["MergeViews"].__module__
    'manyviews.compose._merge_views'
    """
    found: dict[str, type] = {}
    for room in ROOMS:
        module = import_module(f"manyviews.{room}")
        exported = {name: getattr(module, name) for name in module.__all__}
        found.update({name: thing for name, thing in exported.items() if isclass(thing)})
    return found


def estimators() -> dict[str, type]:
    """Return the exported estimators by name, room by room.

    Examples
    --------
    >>> "PerView" in estimators()
    True
    """
    from sklearn.base import BaseEstimator

    return {name: found for name, found in classes().items() if issubclass(found, BaseEstimator)}
