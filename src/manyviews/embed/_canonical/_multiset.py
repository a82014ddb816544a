"""Canonical directions of several views from their covariances [@kettenring1971].

Everything here is small: matrices as wide as the views have features, or as a kernel has pivots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from manyviews.maths import fix_signs, inverse_root
from manyviews.typing import AnyArray, FloatArray

Blocks = Sequence[Sequence[FloatArray]]
"""``blocks[v][w]`` is the covariance of views ``v`` and ``w``, features × features."""

_DEPENDENT = 1e-9
"""A feature of which the ones before it leave no more than this share is taken to follow them."""


@dataclass(frozen=True)
class CanonicalDirections:
    """Weights of the features, by view, one column per component, the best first."""

    weights: tuple[FloatArray, ...]
    values: FloatArray
    """For two views the regularised correlations; for more the mean of those between views."""


@dataclass(frozen=True)
class Whitened:
    """Views in coordinates in which the penalised covariance of each is the identity."""

    roots: tuple[FloatArray, ...]
    """``Rᵥ``, features × rank, with ``Rᵥᵀ Pᵥ Rᵥ = I``."""
    cross: FloatArray
    """``Rᵥᵀ Cᵥᵥ' Rᵥ'`` of all views side by side, with zeros where ``v = v'``."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """In how many directions each view varies."""
        return tuple(int(root.shape[1]) for root in self.roots)

    def split(self, stacked: AnyArray) -> list[AnyArray]:
        """Rows of a stacked matrix by view."""
        return np.split(stacked, np.cumsum(self.ranks)[:-1])

    def weights(self, turns: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
        """Whitened directions as weights of the features, with signs that are always the same."""
        parts = [root @ turn for root, turn in zip(self.roots, turns, strict=True)]
        edges = np.cumsum([len(part) for part in parts])[:-1]
        return tuple(np.split(fix_signs(np.vstack(parts)), edges))


def canonical_directions(
    blocks: Blocks, penalised: Sequence[FloatArray], n_components: int
) -> CanonicalDirections:
    """Directions with ``Σᵥ wᵥᵀ Pᵥ wᵥ`` fixed along which the views covary most (MAXVAR).

    For two views these are the classical canonical directions, each with ``wᵥᵀ Pᵥ wᵥ = 1``. For
    more, the views share a sum of as many ones: a view that has little part in a component has
    little weight in it. For one view they are its principal directions.

    Parameters
    ----------
    blocks : matrices
        Covariances between views; those of a view with itself are not read unless it is alone.
    penalised : matrices
        ``Pᵥ``: the covariance of each view with its penalty.
    n_components : int
        How many; there are no more than two of the views have directions, see
        :func:`most_components`.
    """
    if len(penalised) == 1:
        return _principal_directions(blocks[0][0], penalised[0], n_components)
    return maxvar(whiten(blocks, penalised), n_components)


def maxvar(whitened: Whitened, n_components: int) -> CanonicalDirections:
    """Leading directions of the whitened views, from one decomposition."""
    n_views, kept = len(whitened.roots), min(n_components, most_components(whitened.ranks))
    if n_views == 2:
        first = whitened.ranks[0]
        left, values, right = np.linalg.svd(whitened.cross[:first, first:], full_matrices=False)
        turns = [left[:, :kept], right[:kept].T]
        return CanonicalDirections(whitened.weights(turns), values[:kept])
    values, vectors = leading(whitened.cross, kept)
    turns = whitened.split(vectors * np.sqrt(n_views))
    return CanonicalDirections(whitened.weights(turns), values / (n_views - 1))


def whiten(blocks: Blocks, penalised: Sequence[FloatArray]) -> Whitened:
    """Bring two or more views to coordinates in which only what is between them is left."""
    roots = tuple(_root(matrix) for matrix in penalised)
    edges = np.cumsum([0, *(root.shape[1] for root in roots)])
    cross = np.zeros((edges[-1], edges[-1]))
    for v in range(len(roots)):
        for w in range(v + 1, len(roots)):
            block = roots[v].T @ blocks[v][w] @ roots[w]
            cross[edges[v] : edges[v + 1], edges[w] : edges[w + 1]] = block
            cross[edges[w] : edges[w + 1], edges[v] : edges[v + 1]] = block.T
    return Whitened(roots, cross)


def most_components(ranks: Sequence[int]) -> int:
    """How many directions two of the views can share, or one view has that is alone.

    Examples
    --------
    >>> most_components([7]), most_components([7, 3]), most_components([7, 3, 5])
    (7, 3, 5)
    """
    return sorted(ranks)[-2] if len(ranks) > 1 else ranks[0]


def leading(symmetric: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues and eigenvectors at the upper end, the largest first."""
    size = len(symmetric)
    if count == 0:
        return np.zeros(0), np.zeros((size, 0))
    values, vectors = eigh(symmetric, subset_by_index=(size - count, size - 1))
    return values[::-1], vectors[:, ::-1]


def _principal_directions(
    covariance: FloatArray, penalised: FloatArray, n_components: int
) -> CanonicalDirections:
    """Principal directions at unit penalised variance: whitened principal components."""
    values, vectors = eigh(covariance)
    rounding = len(values) * np.finfo(np.float64).eps * float(values[-1])
    kept = int(min(n_components, (values > max(rounding, 0.0)).sum()))
    values, vectors = values[::-1][:kept], vectors[:, ::-1][:, :kept]
    sizes = np.einsum("fk,fg,gk->k", vectors, penalised, vectors, optimize=True)
    return CanonicalDirections((fix_signs(vectors / np.sqrt(sizes)),), values / sizes)


def _root(penalised: FloatArray) -> FloatArray:
    """``R`` with ``Rᵀ P R = I``: by Cholesky, or where P is singular on its range.

    Features are brought to unit variance first, so that their units do not decide what is
    singular; constant ones get no weight.
    """
    scales = np.sqrt(np.diag(penalised))
    varying = scales > 0.0
    scales = scales[varying]
    correlation = penalised[np.ix_(varying, varying)] / np.outer(scales, scales)
    found = _inverse_root(correlation) / scales[:, None]
    root = np.zeros((len(penalised), found.shape[1]))
    root[varying] = found
    return root


def _inverse_root(correlation: FloatArray) -> FloatArray:
    try:
        lower = cholesky(correlation, lower=True)
    except np.linalg.LinAlgError:
        return inverse_root(correlation)
    if np.square(np.diag(lower)).min(initial=1.0) <= _DEPENDENT:
        return inverse_root(correlation)  # what is left of a feature may be rounding
    return solve_triangular(lower, np.eye(len(lower)), lower=True).T
