"""Orthonormal columns that span what the columns of a tall matrix span."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cholesky, qr, solve_triangular

from manyviews.typing import FloatArray

Pairs: TypeAlias = tuple[FloatArray, FloatArray]

_DEPENDENT = 1e4
"""Columns count as dependent if their condition, times their number, is larger than this."""
_APART = 2.0
"""If their condition is no larger than this, one pass gives right angles up to rounding."""
_STRIP = 2048
"""So many rows of a tall matrix are worked on at once: they stay in the processor's cache."""


def factors(block: FloatArray) -> Pairs:
    """Orthonormal columns and a triangle; column by column in memory it is several times faster.

    Examples
    --------
    >>> basis, triangle = factors(np.array([[3.0], [4.0]]))
    >>> np.abs(triangle)
    array([[5.]])
    """
    orthonormal, triangle = qr(np.array(block, order="F"), mode="economic", overwrite_a=True)
    return orthonormal, triangle


def quick_factors(block: FloatArray) -> Pairs:
    """Orthonormal columns and a triangle, by products alone where that is accurate.

    The Cholesky factor of the columns' products brings them to right angles, up to rounding times
    the square of their condition; a second pass, if one is needed, has next to nothing left to do.
    Products pass a large matrix a few times only. Reflections pass it once for each column, and are
    left for columns that depend on each other.

    Examples
    --------
    >>> basis, triangle = quick_factors(np.array([[3.0, 1.0], [4.0, 1.0]]))
    >>> triangle.round(6)
    array([[5. , 1.4],
           [0. , 0.2]])
    """
    width = block.shape[1]
    columns, triangle, condition = block, np.eye(width), np.inf
    while condition > _APART * width:
        found = cholesky_qr(columns)
        if found is None:
            return factors(block)
        columns, root, condition = found
        triangle = root @ triangle
    return columns, triangle


def cholesky_qr(columns: FloatArray) -> tuple[FloatArray, FloatArray, float] | None:
    """One pass of CholeskyQR: columns nearer to orthogonal, a triangle, and the condition before.

    None for columns that depend on each other.
    """
    found = _root((columns.T @ columns).astype(np.float64, copy=False))
    if found is None:
        return None
    root, inverse, condition = found
    return columns @ inverse.astype(columns.dtype, copy=False), root, condition


def _root(squares: FloatArray) -> tuple[FloatArray, FloatArray, float] | None:
    """Cholesky factor of the columns' products, its inverse, and the condition of the columns.

    Their lengths do not count for it. None for columns that depend on each other.
    """
    lengths = np.sqrt(np.diag(squares))
    if not lengths.all():
        return None
    try:
        root = cholesky(squares / np.outer(lengths, lengths))
    except LinAlgError:  # dependent beyond doubt
        return None
    inverse = solve_triangular(root, np.eye(len(root)))
    condition = float(np.linalg.norm(root) * np.linalg.norm(inverse))
    if condition > _DEPENDENT:
        return None
    return root * lengths, inverse / lengths[:, None], condition


def weighted_triangle(tall: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """The triangle alone that :func:`quick_factors` finds for ``diag(weights) @ hstack(tall)``.

    No other tall matrix is formed.

    Examples
    --------
    >>> weighted_triangle([np.array([[3.0, 1.0], [4.0, 1.0]])], np.ones(2)).round(6)
    array([[5. , 1.4],
           [0. , 0.2]])
    """
    width = sum(block.shape[1] for block in tall)
    whole, inverses, condition = np.eye(width), np.eye(width), np.inf
    while condition > _APART * width:
        found = _root(_squares(tall, weights, inverses))
        if found is None:
            return factors(weights[:, None] * np.hstack(tall))[1]
        root, inverse, condition = found
        whole, inverses = root @ whole, inverses @ inverse
    return whole


def _squares(tall: Sequence[FloatArray], weights: FloatArray, inverses: FloatArray) -> FloatArray:
    """Products of the columns of ``diag(weights) @ hstack(tall) @ inverses``."""
    squares = np.zeros_like(inverses)
    for first in range(0, len(weights), _STRIP):
        rows = slice(first, first + _STRIP)
        strip = np.hstack([block[rows] for block in tall])
        strip *= weights[rows, None]
        strip = strip @ inverses
        squares += strip.T @ strip
    return squares
