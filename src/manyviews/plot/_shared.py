"""Shared by all displays: a figure to draw on, and colours told apart in any colour vision."""

from __future__ import annotations

from typing import Any

from manyviews.exceptions import MissingExtraError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Of Okabe and Ito: told apart in any colour vision."""
QUIET = "#767676"
"""A grey for what is of no view; the lightest with a contrast of 4.5 to white."""


def new_figure(width: float, height: float) -> Any:
    """Return an empty matplotlib figure of that size in inches."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError("plotting", "plot") from error
    return pyplot.figure(figsize=(width, height), layout="constrained")
