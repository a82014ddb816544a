"""How the weight of the other views falls, sweep by sweep, from ``eta`` to zero [@bickel2005]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from manyviews.base import accepts
from manyviews.exceptions import ParameterError
from manyviews.typing import Share

Anneal: TypeAlias = Literal["linear", "exponential"] | Callable[[int], float] | None

_LAST_OF_EXPONENTIAL = 0.01
"""Share of eta at which an exponential fall ends in zero."""


def eta_schedule(eta: float, anneal: Anneal, max_iter: int) -> Callable[[int], float]:
    """Weight of the other views as a function of the sweep's number, from 0.

    Examples
    --------
    >>> [eta_schedule(1.0, "linear", 8)(number) for number in range(6)]
    [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    """
    span = max(max_iter // 2, 1)

    def linear(number: int) -> float:
        return eta * max(1.0 - number / span, 0.0)

    def exponential(number: int) -> float:
        return float(eta * _LAST_OF_EXPONENTIAL ** (number / span)) if number < span else 0.0

    def own(number: int) -> float:
        try:
            given = anneal(number)  # type: ignore[operator, misc]
        except TypeError as error:
            raise ParameterError(
                f"anneal={anneal!r} cannot be called with the number of a sweep; give a function "
                "of that number, or 'linear'."
            ) from error
        return _checked_eta(given, number)

    if anneal is None:
        return lambda number: float(eta)  # noqa: ARG005 (the same for all)
    if callable(anneal):
        return own
    return linear if anneal == "linear" else exponential


def _checked_eta(eta: Any, number: int) -> float:
    if not accepts(Share, eta):
        raise ValueError(
            f"anneal({number})={eta!r} should be a number from 0 to 1: beyond 1 an object's own "
            "posterior counts negatively and with it words get negative probabilities, and below "
            "0 the views would seek dissent."
        )
    return float(eta)
