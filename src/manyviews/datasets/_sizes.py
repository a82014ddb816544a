"""Checks of the sizes, strengths and switches that a generator is asked for."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

MOST = 100_000_000
"""More rows than that, of two numbers in two views, fill 3 GB."""
MOST_SQUARED = 20_000
"""A dense matrix of as many rows and columns fills 3 GB."""


def check_size(
    value: Any, name: str, *, minimum: int = 1, maximum: int = MOST, multiple_of: int = 1
) -> int:
    """Return a whole number within bounds that divides as needed, or say what is wrong."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and value > maximum:
        raise ValueError(f"{name}={value!r} is more than can be made; give at most {maximum:,}.")
    if not whole or value < minimum or value % multiple_of:
        divisible = f" divisible by {multiple_of}" if multiple_of > 1 else ""
        raise ValueError(
            f"{name}={value!r} cannot be used; give a whole number{divisible} "
            f"that is at least {minimum}."
        )
    return int(value)


def check_between(value: Any, name: str, low: float, high: float = math.inf) -> float:
    """Return a finite number within bounds, or say what is wrong."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not low <= value <= high:
        bounds = f"from {low:g} to {high:g}" if math.isfinite(high) else f"of at least {low:g}"
        raise ValueError(f"{name}={value!r} cannot be used; give a number {bounds}.")
    return float(value)


def check_switch(value: Any, name: str) -> bool:
    """Return whether something is to be done, or say what is wrong."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r} cannot be used; give True or False.")
    return bool(value)
