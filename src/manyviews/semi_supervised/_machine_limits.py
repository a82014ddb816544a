"""What support vector machines can bear: how many steps they may take, and which costs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

_STEPS_PER_OBJECT, _FEWEST_STEPS = 300, 2_000_000
"""How many pairs of coefficients LIBSVM may change, for which scikit-learn sets no limit.

Two overlapping clouds of 200 objects (the figure of the guide on transduction) take more than
300,000 and end within two million; machines of extreme costs would go on for minutes.
"""
_LARGEST = 1e15
"""Cost of slack times squared length of an object; beyond it the margin is lost in rounding."""


def most_steps(n_objects: int) -> int:
    """How many steps a machine of so many objects may take."""
    return max(_STEPS_PER_OBJECT * n_objects, _FEWEST_STEPS)


def refuse_extremes(largest_cost: float, largest_square: float, *, remedy: str) -> None:
    """Refuse costs that no solver can bear, given the squared length of the longest object.

    Examples
    --------
    >>> refuse_extremes(1e300, 4.0, remedy="lower C")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: slack costs up to 1e+300 ... scale the views, or lower C.
    """
    if not largest_cost * largest_square <= _LARGEST:
        raise ValueError(
            f"slack costs up to {largest_cost:.2g} and squared lengths of objects reach "
            f"{largest_square:.2g}, which together are beyond what a machine can solve; scale the "
            f"views, or {remedy}."
        )


@contextmanager
def early_ends() -> Iterator[list[str]]:
    """Collect what solvers that were stopped early say, and pass on all other warnings."""
    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield said
    for each in caught:
        if issubclass(each.category, ConvergenceWarning):
            said.append(str(each.message))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


@contextmanager
def early_ends_explained(method: str, *, remedy: str) -> Iterator[None]:
    """Say in our words that a machine was stopped before it was trained to the end."""
    with early_ends() as ended:
        yield
    if ended:
        warn_of_early_end(method, remedy=remedy, stacklevel=6)


def warn_of_early_end(method: str, *, remedy: str, stacklevel: int) -> None:
    """Warn that a machine was stopped before it was trained to the end."""
    warnings.warn(
        f"{method} stopped a machine before it was trained to the end; scale the views to unit "
        f"variance, or {remedy}.",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
