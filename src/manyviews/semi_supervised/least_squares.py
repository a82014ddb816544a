"""Ridge regression and its constants: pieces of least squares that several methods use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve

from manyviews.data import Labels
from manyviews.typing import BoolArray, FloatArray

__all__ = ["class_offsets", "offset", "ridge_coefficients", "view_offsets"]


def ridge_coefficients(
    gram: FloatArray, targets: FloatArray, ridge: float, *, fit_intercept: bool
) -> tuple[FloatArray, FloatArray]:
    """Coefficients ``a`` and constants ``b`` of least ``|y − K a − b|² + ridge · aᵀ K a``.

    One column of each per column of ``targets``. The constant costs nothing; without
    ``fit_intercept`` it is zero.

    Examples
    --------
    >>> a, b = ridge_coefficients(np.eye(2), np.array([[1.0], [3.0]]), 1.0, fit_intercept=True)
    >>> a.ravel(), b
    (array([-0.5,  0.5]), array([2.]))
    """
    system = gram + ridge * np.eye(len(gram))
    asked = np.column_stack([targets, np.ones(len(gram))])
    try:
        found = solve(system, asked, assume_a="pos")
    except np.linalg.LinAlgError as error:
        raise ValueError(
            f"gamma is so small beside the kernel, whose values reach {np.abs(gram).max():.2g}, "
            "that it is lost in rounding; raise gamma, or scale the views."
        ) from error
    if not fit_intercept:
        return found[:, :-1], np.zeros(targets.shape[1])
    constant = found[:, -1]
    intercept = found[:, :-1].sum(axis=0) / constant.sum()
    return found[:, :-1] - np.outer(constant, intercept), intercept


def class_offsets(
    values: FloatArray, seen: BoolArray, labels: Labels, targets: FloatArray
) -> FloatArray:
    """Where to cut the functions of each view; shape (n_views, n_targets).

    A view without labelled objects of some class is cut as the mean of the functions is.
    """

    def complete(shown: BoolArray) -> bool:
        return len(np.unique(labels.codes[shown])) == len(labels.classes)

    return view_offsets(values, seen & labels.labelled, seen, targets, offset, complete)


def view_offsets(
    values: FloatArray,
    shown: BoolArray,
    seen: BoolArray,
    targets: FloatArray,
    best: Callable[[FloatArray, FloatArray], FloatArray],
    enough: Callable[[BoolArray], Any],
) -> FloatArray:
    """The best offset of each view that shows enough known objects, else of the mean function."""
    mean, known = values.sum(axis=0) / np.maximum(seen.sum(axis=0), 1)[:, None], shown.any(axis=0)
    joint = best(mean[known], targets[known])
    return np.array(
        [
            best(own[some], targets[some]) if enough(some) else joint
            for own, some in zip(values, shown, strict=True)
        ]
    )


def offset(values: FloatArray, targets: FloatArray) -> FloatArray:
    """Return the ``b`` with which ``y ≈ s (f + b)`` fits best, ``s`` being one for all targets.

    Examples
    --------
    >>> offset(np.array([[0.1], [0.5]]), np.array([[-1.0], [1.0]]))
    array([-0.3])
    """
    centre, middle = values.mean(axis=0), targets.mean(axis=0)
    spread = float(((values - centre) ** 2).sum())
    shared = float(((values - centre) * (targets - middle)).sum())
    scale = shared / spread if spread > 0 and shared > 0 else 1.0
    return np.asarray(middle / scale - centre)
