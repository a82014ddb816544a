"""Canonical directions of several views from their covariances [@kettenring1971].

Everything here is small: matrices as wide as the views have features, or as a kernel has pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from manyviews.maths import fix_signs, inverse_root
from manyviews.typing import FloatArray

Blocks = Sequence[Sequence[FloatArray]]
"""``blocks[v][w]`` is the covariance of views ``v`` and ``w``, features × features."""


@dataclass(frozen=True)
class CanonicalDirections:
    """Weights of the features, by view, one column per component, the best first."""

    weights: tuple[FloatArray, ...]
    values: FloatArray
    """For two views the regularised correlations; for more the mean of those between views."""


def canonical_directions(
    blocks: Blocks, penalised: Sequence[FloatArray], n_components: int
) -> CanonicalDirections:
    """Directions with ``wᵥᵀ Pᵥ wᵥ`` fixed along which the views' covariances are largest (MAXVAR).

    Parameters
    ----------
    blocks : matrices
        Covariances between views; those of a view with itself are not read unless it is alone.
    penalised : matrices
        ``Pᵥ``: the covariance of each view with its penalty.
    n_components : int
        How many; not more than the narrowest view has features.
    """
    roots = [_root(matrix) for matrix in penalised]
    if len(roots) == 2:
        left, values, right = np.linalg.svd(
            roots[0].T @ blocks[0][1] @ roots[1], full_matrices=False
        )
        turns = [left[:, :n_components], right[:n_components].T]
        return _directions(roots, turns, values[:n_components])
    whitened = np.block(
        [
            [
                roots[v].T @ blocks[v][w] @ roots[w]
                if v != w or len(roots) == 1
                else np.zeros((roots[v].shape[1],) * 2)
                for w in range(len(roots))
            ]
            for v in range(len(roots))
        ]
    )
    values, vectors = np.linalg.eigh((whitened + whitened.T) / 2)
    turn = vectors[:, ::-1][:, :n_components] * np.sqrt(len(roots))
    edges = np.cumsum([root.shape[1] for root in roots])[:-1]
    scale = max(len(roots) - 1, 1)
    return _directions(roots, np.split(turn, edges), values[::-1][:n_components] / scale)


def _directions(
    roots: Sequence[FloatArray], turns: Sequence[FloatArray], values: FloatArray
) -> CanonicalDirections:
    stacked = fix_signs(np.vstack([root @ turn for root, turn in zip(roots, turns, strict=True)]))
    edges = np.cumsum([len(root) for root in roots])[:-1]
    return CanonicalDirections(tuple(np.split(stacked, edges)), values)


def _root(penalised: FloatArray) -> FloatArray:
    """``R`` with ``Rᵀ P R = I``: by Cholesky, or where P is singular on its range."""
    try:
        lower = cholesky(penalised, lower=True)
    except np.linalg.LinAlgError:
        return inverse_root(penalised)
    return solve_triangular(lower, np.eye(len(lower)), lower=True).T
