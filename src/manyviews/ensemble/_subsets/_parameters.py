"""What the parameters of an ensemble may be, said before anything is trained."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from manyviews.ensemble._subsets._panel import RULES

Select: TypeAlias = Literal["random", "cv", "validation"]
SELECTIONS: tuple[Select, ...] = ("random", "cv", "validation")


def check_parameters(given: Mapping[str, Any]) -> None:
    """Refuse what makes no sense, by the parameters' names."""
    for name, known in (("combine", RULES), ("selection", SELECTIONS)):
        if given[name] not in known:
            raise ValueError(f"{name}={given[name]!r} should be one of {', '.join(known)}.")
    most = given["max_members"]
    if not isinstance(most, numbers.Integral) or most < 1:
        raise ValueError(f"max_members={most!r} should be a number from 1 up.")
    if not 0 < given["threshold"] < 1:
        raise ValueError(f"threshold={given['threshold']!r} should lie between 0 and 1.")
    _check_validation(given["validation"])
    by_labels = given["combine"] in ("crv", "vote")
    if (
        given["selection"] == "validation"
        and isinstance(given["validation"], str)
        and not by_labels
    ):
        raise ValueError(
            "validation='left_out' knows labels only; combine by 'crv' or 'vote', or give the "
            "share of objects to hold out."
        )


def _check_validation(given: Any) -> None:
    if isinstance(given, tuple):
        if len(given) != 2:
            raise ValueError(
                f"validation is a tuple of {len(given)}; give objects and their labels, (X, y)."
            )
    elif given != "left_out" and not (isinstance(given, numbers.Real) and 0 < float(given) < 1):
        raise ValueError(
            f"validation={given!r} should be a share between 0 and 1, (X, y) or 'left_out'."
        )
