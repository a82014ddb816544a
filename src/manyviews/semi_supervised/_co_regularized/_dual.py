"""The coupled system solved for its residuals: symmetric, well-conditioned, one factorisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from manyviews.maths import check_memory
from manyviews.semi_supervised._co_regularized._system import CoupledLoss, Solution
from manyviews.typing import FloatArray, IntArray

_NOTHING = 1e-14
"""Eigenvalues up to this share of an object's largest are the zero of its unlabelled null space."""


@dataclass(frozen=True)
class Residuals:
    """The loss as a plain sum of squares ``Σ_z (t_z − Σ_v r_zv f_v(x_{i(z)}))²``."""

    objects: IntArray
    """The object that each of them is about."""
    loadings: FloatArray
    """Shape (n_residuals, n_views): ``r``."""
    targets: FloatArray
    """Shape (n_residuals, n_targets): ``t``."""


def residuals(loss: CoupledLoss) -> Residuals:
    """Write each object's matrix ``A`` as ``RᵀR`` with as few rows as its rank.

    An unlabelled object has one row less than it has views, a labelled one as many as views.
    """
    by_object = np.moveaxis(loss.weights, 2, 0)
    values, vectors = np.linalg.eigh(by_object)
    kept = values > _NOTHING * np.maximum(values[:, -1:], np.finfo(np.float64).tiny)
    objects, places = np.nonzero(kept)
    roots = np.sqrt(values[objects, places])[:, None]
    directions = vectors[objects, :, places]
    targets = np.einsum("zv,vz->z", directions, loss.fit[:, objects])[:, None]
    return Residuals(objects, roots * directions, targets * loss.targets[objects] / roots)


def solve_dual(grams: Sequence[FloatArray], loss: CoupledLoss, gammas: Sequence[float]) -> Solution:
    """Coefficients of the kernel expansions, ``(Γ + A K) α = d y``, the paper's coupled system.

    With ``A = RᵀR`` the coefficients are ``Γ⁻¹ Rᵀ z`` with ``(I + R K Γ⁻¹ Rᵀ) z = t``, for all
    targets at once. That system is symmetric and positive definite, and with two views has
    ``l + u + l`` unknowns instead of ``2 (l + u)``.

    Parameters
    ----------
    grams : sequence of arrays of shape (n_objects, n_objects)
        Kernel matrix of each view, zero where an object is unobserved.
    loss : CoupledLoss
        What the functions cost.
    gammas : sequence of float
        Weight of the squared norm of each view's function.

    Examples
    --------
    >>> from manyviews.semi_supervised._co_regularized._system import pose_loss
    >>> every = np.ones((2, 1), dtype=bool)
    >>> y = np.array([[1.0], [-1.0]])
    >>> loss = pose_loss(every, every[:, 0], y, coupling=0, balance=[1], view_weights=[1])
    >>> solve_dual([np.eye(2)], loss, [0.5]).values.ravel()
    array([ 0.5, -0.5])
    """
    rows = residuals(loss)
    found = _solve_residuals(grams, rows, gammas)
    coefficients = np.zeros((len(grams), *loss.targets.shape))
    for own, loading, gamma in zip(coefficients, rows.loadings.T, gammas, strict=True):
        np.add.at(own, rows.objects, loading[:, None] * found / gamma)  # α = Γ⁻¹ Rᵀ z
    values = np.stack([gram @ own for gram, own in zip(grams, coefficients, strict=True)])
    norms = np.einsum("vik,vik->v", coefficients, values)
    return Solution(values, norms, coefficients=coefficients)


def _solve_residuals(
    grams: Sequence[FloatArray], rows: Residuals, gammas: Sequence[float]
) -> FloatArray:
    """Solve ``(I + R K Γ⁻¹ Rᵀ) z = t``."""
    n_unknowns = len(rows.objects)
    check_memory(
        (n_unknowns, n_unknowns),
        f"the coupled system of {n_unknowns:,} unknowns",
        remedy="use a kernel with features, such as LowRankKernel(), and solver='primal'",
    )
    system = np.zeros((n_unknowns, n_unknowns))
    for gram, loading, gamma in zip(grams, rows.loadings.T, gammas, strict=True):
        part = gram[np.ix_(rows.objects, rows.objects)].astype(np.float64, copy=False)
        part *= loading[:, None] / gamma
        part *= loading
        system += part
    system[np.diag_indices_from(system)] += 1.0
    try:
        factor = cho_factor(system.T, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError as error:
        lost = n_unknowns * np.finfo(np.float64).eps  # how far rounding moves the eigenvalues of K
        if any(
            gamma < lost * np.abs(gram).max() for gram, gamma in zip(grams, gammas, strict=True)
        ):
            raise ValueError(
                "gamma is so small beside the kernel that it is lost in rounding; raise gamma, or "
                "scale the views."
            ) from error
        raise ValueError(
            "a kernel matrix is not positive semi-definite, so no function costs least; use a "
            "kernel such as RBF(), or take the positive part of a precomputed one."
        ) from error
    return np.asarray(cho_solve(factor, rows.targets, check_finite=False))
