"""Split rows in two by the top of Ward's tree, then let each go to the nearer mean [@gupta2005]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews.cluster._trees._condense import condensed
from manyviews.cluster._trees._rows import mean_rows
from manyviews.cluster._trees._ward_top import top_of_ward
from manyviews.maths import Divergence, cluster_cost, merge_cost
from manyviews.typing import BoolArray, FloatArray, Matrix

_TIE = 1e-9
"""Share of the divergence of two means up to which a row counts as equally near to both."""
_MOST_MOVES = 300
"""Rounds of moving to the nearer mean; some ten are needed, and they end by themselves."""


@dataclass(frozen=True)
class Split:
    """Rows in two halves."""

    second: BoolArray
    """Which rows are in the second half, the smaller one."""
    means: FloatArray
    """The mean of each half, of shape (2, d); rows go to the nearer one."""
    before: float
    """Cost of all rows as one cluster."""
    after: float
    """Sum of the costs of the halves."""


def find_split(
    X: FloatArray,
    divergence: Divergence,
    *,
    condense: int,
    refine: bool,
    columns: Matrix | None = None,
) -> Split | None:
    """Return the two clusters of Ward's method, or nothing if all rows are alike.

    More than ``condense`` rows are first put into so many groups, which Ward's method then merges.
    With ``refine``, rows move to the nearer of the two means until none does. ``columns`` has the
    rows in their own columns, if ``X`` has them in other coordinates.

    Examples
    --------
    >>> from manyviews.maths import SquaredEuclidean
    >>> X = np.array([[0.0], [1.0], [9.0]])
    >>> split = find_split(X, SquaredEuclidean(), condense=500, refine=True)
    >>> split.second, split.before, split.after
    (array([False, False,  True]), 48.666666666666664, 0.5)
    """
    if len(X) < 2 or not (X[1:] != X[0]).any():
        return None
    if len(X) == 2:
        before = float(merge_cost(divergence, X[0], 1, X[1], 1)[()])
        second, means = _larger_first(np.array([False, True]), X, columns)
        return Split(second, means, before, 0.0) if before > 0 else None
    second = _ward_halves(X, divergence, condense, columns)
    if second.all() or not second.any():
        return None  # the rows differ by so little that their divergences vanish
    means = _half_means(X, second)
    if refine:
        second, means = two_means(X, second, divergence)
    second, means = _larger_first(second, means, columns)
    before = cluster_cost(divergence, X)
    after = cluster_cost(divergence, X[~second]) + cluster_cost(divergence, X[second])
    return Split(second, means, before, after) if after < before else None


def prefers_second(X: FloatArray, means: FloatArray, divergence: Divergence) -> BoolArray:
    """Whether each row is nearer to the second of two means; a tie goes to the first.

    Examples
    --------
    >>> from manyviews.maths import SquaredEuclidean
    >>> means = np.array([[0.0], [2.0]])
    >>> prefers_second(np.array([[0.9], [1.0], [1.1]]), means, SquaredEuclidean())
    array([False, False,  True])
    """
    return margin(X, means, divergence) > 0


def margin(X: FloatArray, means: FloatArray, divergence: Divergence) -> FloatArray:
    """By how much each row diverges more from the first of two means than from the second.

    The φ(x) of both cancel, so that the margin is linear in ``x``; where a mean lies on the border
    of the domain, its gradient is infinite, and the divergences are taken one by one. A margin that
    could be rounding is none: rows are led alike in whatever coordinates they come.
    """
    slopes = divergence.gradient(means)
    if np.isfinite(slopes).all():
        middle = means.mean(axis=0, keepdims=True)
        at_middle = divergence.rowwise(middle, means[:1]) - divergence.rowwise(middle, means[1:])
        found = ((X - middle) * (slopes[1] - slopes[0])).sum(axis=1) + at_middle
        apart = divergence.rowwise(means[:1], means[1:])
        return np.where(np.abs(found) > _TIE * apart, found, 0.0)
    first, second = divergence.rowwise(X, means[:1]), divergence.rowwise(X, means[1:])
    return np.subtract(
        first, second, out=np.zeros(len(X)), where=~(np.isinf(first) & (first == second))
    )


def two_means(
    X: FloatArray, second: BoolArray, divergence: Divergence
) -> tuple[BoolArray, FloatArray]:
    """Move rows to the nearer mean until none moves; return the halves and what made them.

    A half never empties: the mean of a half is, summed over its rows, nearer than any other point.
    """
    for _ in range(_MOST_MOVES):
        means = _half_means(X, second)
        moved = prefers_second(X, means, divergence)
        if np.array_equal(moved, second) or moved.all() or not moved.any():
            break
        second = moved
    return second, means


def _half_means(X: FloatArray, second: BoolArray) -> FloatArray:
    first, rest = X[~second], X[second]
    return np.stack([first.sum(axis=0) / len(first), rest.sum(axis=0) / len(rest)])


def _larger_first(
    second: BoolArray, means: FloatArray, columns: Matrix | None
) -> tuple[BoolArray, FloatArray]:
    """Let the larger half be the first; of equals the one whose mean is lower, column by column."""
    surplus = 2 * int(second.sum()) - len(second)
    if surplus == 0:
        shown = means if columns is None else mean_rows(columns, second.astype(np.intp), 2)[0]
        different = np.flatnonzero(shown[0] != shown[1])
        surplus = int(len(different) > 0 and shown[0, different[0]] > shown[1, different[0]])
    return (~second, means[::-1].copy()) if surplus > 0 else (second, means)


def _ward_halves(
    X: FloatArray, divergence: Divergence, condense: int, columns: Matrix | None
) -> BoolArray:
    """Cut the top of Ward's tree of rows, or of groups of rows."""
    if len(X) <= condense:
        return top_of_ward(X, np.ones(len(X)), divergence)
    groups = condensed(X, condense, divergence, columns)
    means, sizes = mean_rows(X, groups, int(groups.max()) + 1)
    return top_of_ward(means, sizes, divergence)[groups]
