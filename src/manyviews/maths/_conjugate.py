"""Conjugate gradients for many right-hand sides at once, each with steps of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from manyviews.typing import FloatArray


@dataclass(frozen=True)
class Solved:
    """What the iteration found."""

    solution: FloatArray
    n_iter: int
    residual: float
    """The largest residual of a column, relative to its right-hand side."""


def conjugate_gradients(
    apply: Callable[[FloatArray], FloatArray],
    targets: FloatArray,
    diagonal: FloatArray,
    *,
    tol: float,
    max_iter: int,
    report: Callable[[int, float], None] | None = None,
) -> Solved:
    """Solve ``A X = targets`` for a positive definite ``A`` that can only be applied.

    Parameters
    ----------
    apply : callable
        Gives ``A @ block`` for a block of columns.
    targets : array of shape (n, k)
        The right-hand sides; columns that are solved leave the block.
    diagonal : array of shape (n,)
        About the diagonal of ``A``, by which unknowns are scaled.
    tol : float
        Stop a column when its residual is at most this share of its right-hand side.
    max_iter : int
        Largest number of steps.
    report : callable, optional
        Is told the number of every step and the largest relative residual after it.

    Examples
    --------
    >>> A = np.array([[2.0, 1.0], [1.0, 3.0]])
    >>> b = np.array([[3.0], [4.0]])
    >>> found = conjugate_gradients(lambda v: A @ v, b, np.diag(A), tol=1e-10, max_iter=10)
    >>> found.solution.ravel().round(6)
    array([1., 1.])
    """
    tol = max(tol, np.finfo(np.float64).eps ** 2)  # residuals fall on, until their squares are 0
    scale = (1.0 / diagonal)[:, None]
    sizes = np.linalg.norm(targets, axis=0)
    solution, relative = np.zeros(targets.shape), np.zeros(targets.shape[1])
    active = np.flatnonzero(sizes > 0)
    residual = targets[:, active].copy()
    direction = scale * residual
    energy = np.einsum("ij,ij->j", residual, direction)
    n_iter = 0
    while len(active) and n_iter < max_iter:
        n_iter += 1
        applied = apply(direction)
        step = energy / np.einsum("ij,ij->j", direction, applied)
        solution[:, active] += step * direction
        residual -= step * applied
        relative[active] = np.linalg.norm(residual, axis=0) / sizes[active]
        if report is not None:
            report(n_iter, float(relative.max()))
        left = relative[active] > tol
        if not left.all():
            active, residual, direction = active[left], residual[:, left], direction[:, left]
            energy = energy[left]
        scaled = scale * residual
        fresh = np.einsum("ij,ij->j", residual, scaled)
        direction = scaled + (fresh / energy) * direction
        energy = fresh
    return Solved(solution, max(n_iter, 1), float(relative.max(initial=0.0)))
