"""Every estimator the rooms export, found by looking: a new method needs no entry anywhere."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
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
    "sequence",
)
"""The rooms that may hold estimators, those not built yet included."""


def estimators() -> dict[str, type]:
    """Return the exported estimators by name, room by room.

    Examples
    --------
    >>> "PerView" in estimators()
    True
    """
    from sklearn.base import BaseEstimator

    found: dict[str, type] = {}
    for room in ROOMS:
        if find_spec(f"manyviews.{room}") is None:
            continue
        module = import_module(f"manyviews.{room}")
        for name in module.__all__:
            exported = getattr(module, name)
            if isclass(exported) and issubclass(exported, BaseEstimator):
                found[name] = exported
    return found
