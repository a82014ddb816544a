"""Errors on labels and differences between views as one quadratic form [@sindhwani2005]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from manyviews.typing import BoolArray, FloatArray


@dataclass(frozen=True)
class CoupledLoss:
    """What functions of the views cost: ``Σ d (y − f)² + Σ_{v<w} c (f_v − f_w)²``.

    Values of functions have the shape (n_views, n_objects, n_targets), with zeros where a view is
    unobserved. As a quadratic form the loss is ``fᵀ A f − 2 fᵀ (d y) + yᵀ d y``; ``A`` couples
    the views of one object and never two objects.
    """

    targets: FloatArray
    """Shape (n_objects, n_targets); zeros for unlabelled objects."""
    fit: FloatArray
    """Shape (n_views, n_objects): weight ``d`` of the error of a view on a labelled object."""
    weights: FloatArray
    """Shape (n_views, n_views, n_objects): the matrix ``A`` of every object."""

    def forces(self, values: FloatArray) -> FloatArray:
        """``A f``, half the slope of the quadratic part."""
        return np.einsum("vwi,wik->vik", self.weights, values)

    def pulls(self) -> FloatArray:
        """``d y``, half the slope of the linear part with the sign turned."""
        return self.fit[:, :, None] * self.targets

    def value(self, values: FloatArray) -> float:
        """The loss itself, as the sum of squares that it is."""
        errors = np.einsum("vi,vik->", self.fit, (self.targets - values) ** 2)
        return float(errors + sum(self.pair_losses(values)))

    def pair_losses(self, values: FloatArray) -> list[float]:
        """``Σ_i c (f_v − f_w)²`` for every pair of views."""
        first, second = np.triu_indices(len(values), 1)
        return [
            float(np.einsum("i,ik->", -self.weights[v, w], (values[v] - values[w]) ** 2))
            for v, w in zip(first, second, strict=True)
        ]


def pose_loss(
    observed: BoolArray,
    labelled: BoolArray,
    targets: FloatArray,
    *,
    coupling: float,
    balance: Sequence[float],
    view_weights: Sequence[float],
) -> CoupledLoss:
    """Weigh errors and differences by means over the objects that have them.

    A view errs on the labelled objects that it shows; two views differ on the objects that both
    show, and that counts the product of their weights. An object lacking a view takes part in no
    pair with it.

    Examples
    --------
    >>> observed, labelled = np.ones((2, 2), dtype=bool), np.array([True, False])
    >>> y = np.array([[1.0], [0.0]])
    >>> loss = pose_loss(
    ...     observed, labelled, y, coupling=4.0, balance=[1.0, 3.0], view_weights=[1.0, 1.0]
    ... )
    >>> loss.weights[:, :, 0]
    array([[ 3., -2.],
           [-2.,  5.]])
    """
    seen = observed.T
    shown = seen & labelled
    shares = np.asarray(balance, dtype=np.float64) / np.maximum(shown.sum(axis=1), 1)  # μ / l
    fit = shares[:, None] * shown
    both = (seen[:, None] & seen[None, :]).astype(np.float64)
    both *= coupling / np.maximum(both.sum(axis=2, keepdims=True), 1.0)  # γ_C / (l + u)
    both *= np.outer(view_weights, view_weights)[:, :, None]
    n_views = len(seen)
    both[np.arange(n_views), np.arange(n_views)] = 0.0
    weights = -both
    weights[np.arange(n_views), np.arange(n_views)] = both.sum(axis=1) + fit
    return CoupledLoss(np.asarray(targets, dtype=np.float64), fit, weights)


@dataclass(frozen=True)
class Solution:
    """The functions that cost least."""

    values: FloatArray
    """Shape (n_views, n_objects, n_targets); zeros where a view is unobserved."""
    squared_norms: FloatArray
    """Of each view's functions in its space, summed over the targets."""
    coefficients: FloatArray | None = None
    """Of the kernel expansion, shaped as the values; None if solved for weights."""
    weights: tuple[FloatArray, ...] | None = None
    """Of the features of each view, shape (n_features, n_targets); None if solved otherwise."""
    n_iter: int = 1
    converged: bool = True


def objective(loss: CoupledLoss, gammas: Sequence[float], solution: Solution) -> float:
    """Return ``loss + Σ_v γ_v ‖f_v‖²``, summed over the targets."""
    return loss.value(solution.values) + float(np.dot(gammas, solution.squared_norms))
