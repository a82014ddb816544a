"""Products of kernels as further kernels, never all at once [@kumar2013]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from manyviews.maths import row_blocks
from manyviews.mkl._combination import Combination
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import FloatArray

BLOCK_VALUES = 2**21
"""How many kernel values are looked at together: 16 MiB."""


def n_terms(n_kernels: int, degree: int) -> int:
    """How many products of one up to ``degree`` kernels there are, whatever their order.

    Examples
    --------
    >>> n_terms(2, 2), n_terms(60, 3)
    (5, 39710)
    """
    return comb(n_kernels + degree, degree) - 1


def expand(examples: FloatArray, degree: int) -> FloatArray:
    """Polynomial K-examples, Eq. (6.1): all products of up to ``degree`` kernels, each once.

    They are ordered by degree, then by the kernels' numbers.

    Examples
    --------
    >>> expand(np.array([[2.0, 3.0]]), 2)
    array([[2., 3., 4., 6., 9.]])
    """
    n_kernels = examples.shape[1]
    expanded = np.empty((len(examples), n_terms(n_kernels, degree)))
    expanded[:, :n_kernels] = lower = examples
    filled = n_kernels
    for power in range(2, degree + 1):
        start = filled
        for kernel in range(n_kernels):
            rest = comb(n_kernels - kernel + power - 2, power - 1)  # products of it and those after
            factors = lower[:, lower.shape[1] - rest :]
            np.multiply(examples[:, kernel, None], factors, out=expanded[:, filled : filled + rest])
            filled += rest
        lower = expanded[:, start:filled]
    return expanded


def term_names(names: Sequence[str], degree: int) -> list[str]:
    """Names of the products, in their order.

    Examples
    --------
    >>> term_names(["a", "b"], 2)
    ['a', 'b', 'a × a', 'a × b', 'b × b']
    """
    return [
        " × ".join(factors)
        for power in range(1, degree + 1)
        for factors in combinations_with_replacement(names, power)
    ]


def polynomial_values(examples: FloatArray, weights: FloatArray, degree: int) -> FloatArray:
    """Return ``expand(examples, degree) @ weights`` for a degree up to 3, without the products.

    ``Σ_i z_i (w_i + Σ_{j≥i} z_j (w_ij + Σ_{k≥j} w_ijk z_k))``, from the inside out.
    """
    n_kernels = examples.shape[1]
    pairs = n_terms(n_kernels, 2) if degree > 1 else n_kernels
    inner = np.broadcast_to(weights[:n_kernels], examples.shape)
    if degree > 1 and weights[n_kernels:pairs].any():
        inner = inner + examples @ _upper(weights[n_kernels:pairs], n_kernels).T
    if degree > 2:
        inner = inner + _third_order(examples, weights[pairs:])
    return np.einsum("ij,ij->i", examples, inner)


@dataclass(frozen=True)
class PolynomialCombination(Combination):
    """A weighted sum of products of kernels, a kernel itself if no weight is negative."""

    weights: FloatArray = field(repr=False)
    degree: int

    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """``Σ_l μ_l K_l + Σ_{l≤m} μ_lm K_l ∘ K_m + …``, some rows at a time."""
        found = np.empty(kernels.shape)
        step = max(1, BLOCK_VALUES // (kernels.shape[1] * len(kernels)))
        for rows in row_blocks(kernels.shape[0], step):
            examples = kernels.examples(rows)
            flat = examples.reshape(-1, len(kernels))
            values = polynomial_values(flat, self.weights, self.degree)
            found[rows] = values.reshape(examples.shape[:2])
        return found


def _upper(weights: FloatArray, size: int) -> FloatArray:
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size)] = weights
    return matrix


def _third_order(examples: FloatArray, weights: FloatArray) -> FloatArray:
    """For each kernel i the sum over j and k of ``w_ijk z_j z_k``."""
    n_kernels = examples.shape[1]
    found = np.zeros_like(examples)
    start = 0
    for kernel in range(n_kernels):
        rest = n_kernels - kernel
        own = weights[start : start + comb(rest + 1, 2)]
        start += len(own)
        if own.any():
            factors = examples[:, kernel:]
            found[:, kernel] = np.einsum("ij,ij->i", factors @ _upper(own, rest).T, factors)
    return found
