"""What is to be solved in one view, in which of three ways, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from manyviews.semi_supervised._laplacian._deformed import (
    Deformed,
    Penalty,
    deformed_dual,
    deformed_iterative,
    deformed_primal,
)
from manyviews.typing import FloatArray, IntArray, Matrix

Solver: TypeAlias = Literal["auto", "dual", "primal", "iterative"]
_FEW_OBJECTS = 2000
"""Up to so many objects a system of that size is solved directly."""
_FEW_FEATURES = 2000
"""Up to so many features (and no more than objects) it is one of their number."""


@dataclass(frozen=True)
class ViewProblem:
    """What is to be solved in one view, over the objects that it shows."""

    basis: Matrix
    """The kernel among the objects (dual), or their features."""
    solver: str
    penalty: Penalty | None
    labelled: IntArray
    """Places of the labelled objects among those shown."""
    codes: IntArray
    """Their classes, as numbers."""
    targets: FloatArray
    """``Y``: 1 in the column of an object's class, −1 in the others; one column for two classes."""
    gamma: float
    """``γ_A``."""


@dataclass(frozen=True)
class Expansion:
    """The solution of one view: ``f(x) = b(x)ᵀ weights + intercept``."""

    weights: FloatArray
    intercept: FloatArray
    n_iter: int = 1
    residual: float = 0.0


def deform(problem: ViewProblem, *, tol: float, max_iter: int) -> Deformed:
    """Deform the kernel of a view in the way that was chosen."""
    if problem.solver == "dual":
        return deformed_dual(np.asarray(problem.basis), problem.penalty, problem.labelled)
    if problem.solver == "primal":
        return deformed_primal(problem.basis, problem.penalty, problem.labelled)
    return deformed_iterative(
        problem.basis, problem.penalty, problem.labelled, tol=tol, max_iter=max_iter
    )


def choose_solver(solver: Solver, n_objects: int, width: int | None) -> str:
    """Decide how large a system is solved; ``width`` is the number of features, if any.

    Examples
    --------
    >>> choose_solver("auto", 1000, 30), choose_solver("auto", 1000, None)
    ('primal', 'dual')
    """
    if solver != "auto":
        return solver
    if width is not None and width <= min(n_objects, _FEW_FEATURES):
        return "primal"
    return "dual" if width is None or n_objects <= _FEW_OBJECTS else "iterative"


def thresholds(values: FloatArray, shares: FloatArray) -> FloatArray:
    """Where to cut every column so that the share of its class lies above.

    One column is that of the second of two classes. Halfway between the two values; at least one
    value stays on either side.

    Examples
    --------
    >>> thresholds(np.array([[1.0], [2.0], [4.0], [8.0]]), np.array([0.75, 0.25]))
    array([6.])
    """
    n = len(values)
    if n < 2:
        return np.zeros(values.shape[1])
    own = shares[-values.shape[1] :]
    above = np.clip(np.rint(own * n).astype(np.intp), 1, n - 1)
    falling, columns = -np.sort(-values, axis=0), np.arange(values.shape[1])
    return np.asarray((falling[above - 1, columns] + falling[above, columns]) / 2)
