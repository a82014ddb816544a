"""Learning from objects seen through several views, with few labels and with views missing.

Importing this package loads nothing heavy: each name below is fetched from its room on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from manyviews._version import __version__

if TYPE_CHECKING:
    from manyviews import (
        acquire,
        base,
        cluster,
        compose,
        data,
        datasets,
        embed,
        ensemble,
        explain,
        maths,
        metrics,
        mkl,
        plot,
        semi_supervised,
        similarity,
    )
    from manyviews.compose import MergeViews, PerView, SplitViews
    from manyviews.data import Dataset, Views, read, write
    from manyviews.explain import diagnose

_ROOMS = (
    "acquire",
    "base",
    "cluster",
    "compose",
    "data",
    "datasets",
    "embed",
    "ensemble",
    "explain",
    "maths",
    "metrics",
    "mkl",
    "plot",
    "semi_supervised",
    "similarity",
)
_HOME = {
    "Dataset": "data",
    "MergeViews": "compose",
    "PerView": "compose",
    "SplitViews": "compose",
    "Views": "data",
    "diagnose": "explain",
    "read": "data",
    "write": "data",
}

__all__ = [
    "Dataset",
    "MergeViews",
    "PerView",
    "SplitViews",
    "Views",
    "__version__",
    "acquire",
    "base",
    "cluster",
    "compose",
    "data",
    "datasets",
    "diagnose",
    "embed",
    "ensemble",
    "explain",
    "maths",
    "metrics",
    "mkl",
    "plot",
    "read",
    "semi_supervised",
    "similarity",
    "write",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"manyviews.{name}")
    if name in _HOME:
        return getattr(import_module(f"manyviews.{_HOME[name]}"), name)
    raise AttributeError(f"module 'manyviews' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
