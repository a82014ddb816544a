"""Which of many classifiers become members: some at random, the best, or those that help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manyviews.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Selection:
    """The members by their positions, and how the ensemble did as they joined."""

    chosen: IntArray
    history: FloatArray
    """Error of the ensemble after each addition; empty where none was measured."""


def draw(n_candidates: int, most: int, rng: np.random.Generator) -> Selection:
    """Draw members at random.

    Examples
    --------
    >>> draw(5, 9, np.random.default_rng(0)).chosen
    array([0, 1, 2, 3, 4])
    """
    chosen = rng.choice(n_candidates, size=min(most, n_candidates), replace=False)
    return Selection(np.sort(chosen), np.empty(0))


def one_standard_error_selection(
    errors: FloatArray, sizes: IntArray, n_judged: IntArray, most: int
) -> Selection:
    """Choose those that cannot be told from the best by their errors, at most so many.

    That is, those within one standard error of the lowest error. A classifier that is clearly
    ahead stays alone.

    Parameters
    ----------
    errors, sizes : arrays of shape (n_candidates,)
        Error of each classifier and its number of views, which decides between equal errors.
    n_judged : array of shape (n_candidates,)
        On how many objects each error is measured.
    most : int
        Most members.

    Examples
    --------
    >>> errors = np.array([0.30, 0.21, 0.20, 0.22])
    >>> one_standard_error_selection(errors, np.array([1, 2, 1, 2]), np.full(4, 300), most=9).chosen
    array([2, 1, 3])
    """
    order = by_error(errors, sizes)
    best = order[0]
    n = n_judged[best] + 2.0
    share = (errors[best] * n_judged[best] + 1.0) / n  # so that no error is not taken for certain
    within = errors <= errors[best] + np.sqrt(share * (1.0 - share) / n)
    return Selection(order[within[order]][:most], np.empty(0))


def forward_selection(
    errors: FloatArray, sizes: IntArray, most: int, error_of: Callable[[IntArray], float]
) -> Selection:
    """Start from the lowest error and add, one by one, what lowers the ensemble's error most.

    Parameters
    ----------
    errors, sizes : arrays of shape (n_candidates,)
        Error of each classifier by itself and its number of views, which decide between
        candidates that help alike.
    most : int
        Most members.
    error_of : callable
        Error of the ensemble of some candidates, given by position in the order of joining.

    Examples
    --------
    >>> known = {(1,): 0.4, (1, 0): 0.4, (1, 2): 0.3, (1, 2, 0): 0.3}
    >>> sizes = np.ones(3, dtype=int)
    >>> errors = np.array([0.3, 0.1, 0.5])
    >>> found = forward_selection(errors, sizes, 9, lambda rows: known[tuple(rows)])
    >>> found.chosen, found.history
    (array([1, 2]), array([0.4, 0.3]))
    """
    order = by_error(errors, sizes)
    chosen, rest = order[:1], order[1:]
    history = [error_of(chosen)]
    while len(chosen) < most and len(rest):
        found = np.array([error_of(np.append(chosen, candidate)) for candidate in rest])
        best = int(found.argmin())
        if found[best] >= history[-1]:
            break
        history.append(float(found[best]))
        chosen, rest = np.append(chosen, rest[best]), np.delete(rest, best)
    return Selection(chosen, np.array(history))


def by_error(errors: FloatArray, sizes: IntArray) -> IntArray:
    """Positions from the lowest error up; of equal ones, that of fewer views first."""
    return np.lexsort((np.arange(len(errors)), sizes, errors))
