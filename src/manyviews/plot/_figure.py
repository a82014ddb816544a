"""A figure to draw on, or the sentence that says what to install."""

from __future__ import annotations

from typing import Any

from manyviews.exceptions import MissingExtraError


def new_figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure of that size in inches."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("plotting", "plot") from error
    return pyplot.figure(figsize=(width, height), layout="constrained")
