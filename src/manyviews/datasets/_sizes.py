"""Checks of the sizes and strengths that a generator is asked for."""

from __future__ import annotations

import math
import numbers
from typing import Any


def check_size(value: Any, name: str, *, minimum: int = 1, multiple_of: int = 1) -> int:
    """Return a whole number that is large enough and divides as needed, or say what is wrong."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
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
