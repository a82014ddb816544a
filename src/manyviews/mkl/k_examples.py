"""K-examples: the kernels, or their products, of pairs of objects [@kumar2013]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from manyviews.maths import row_blocks
from manyviews.mkl.kernel_learner import Combination
from manyviews.mkl.kernel_matrices import KernelMatrices
from manyviews.typing import FloatArray, IntArray

__all__ = ["KExamples", "PolynomialCombination", "Solution"]


BLOCK_VALUES = 2**21
"""How many kernel values are looked at together: 16 MiB."""
KEPT_VALUES = 2**25
"""How many values of terms are kept: 256 MiB."""


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


@dataclass(frozen=True)
class KExamples:
    """What the kernels, or their products, say of some pairs, Eqs. (5.1) and (6.1)."""

    values: FloatArray = field(repr=False)
    """Values of the kernels, pairs × kernels."""
    signs: IntArray = field(repr=False)
    """1 for pairs of one class, -1 for pairs of two."""
    degree: int = 1

    def __len__(self) -> int:
        return len(self.signs)

    @property
    def n_terms(self) -> int:
        """How many kernels and products there are."""
        return n_terms(self.values.shape[1], self.degree)

    @property
    def fits(self) -> bool:
        """Whether all terms of all pairs are kept at once, which they are if there is room."""
        return len(self) * self.n_terms <= KEPT_VALUES

    @cached_property
    def signed(self) -> FloatArray:
        """``t_ij z_ij``, one row for each pair."""
        return self._signed(slice(None))

    def take(self, rows: slice) -> KExamples:
        """Some of the pairs."""
        return KExamples(self.values[rows], self.signs[rows], self.degree)

    def blocks(self, n_rows: int) -> Iterator[FloatArray]:
        """``t_ij z_ij`` in blocks: one if they are kept, else of a multiple of so many rows."""
        if self.fits:
            yield self.signed
            return
        step = max(1, BLOCK_VALUES // (self.n_terms * n_rows)) * n_rows
        for start in range(0, len(self), step):
            yield self._signed(slice(start, start + step))

    def _signed(self, rows: slice) -> FloatArray:
        terms = self.values[rows] if self.degree == 1 else expand(self.values[rows], self.degree)
        return terms * self.signs[rows, None]


@dataclass(frozen=True)
class Solution:
    """Weights of the terms, and what is known of them."""

    weights: FloatArray = field(repr=False)
    objective: float
    """Eq. (5.2)."""
    n_iter: int
    """How many steps it took."""
    gap: float = np.nan
    """The best objective is not lower by more than this; NaN if nobody knows."""


def objective(examples: KExamples, weights: FloatArray, regularization: float) -> float:
    """Half the squared norm of the weights times λ, and the mean hinge loss."""
    losses = hinge_losses(examples, weights)
    return regularization / 2 * float(weights @ weights) + float(losses.mean())  # Eq. (5.2)


def hinge_losses(examples: KExamples, weights: FloatArray) -> FloatArray:
    """``[1 − t_ij μ·z_ij]_+``."""
    return np.maximum(1.0 - _margins(examples, weights), 0.0)


def _margins(examples: KExamples, weights: FloatArray) -> FloatArray:
    if examples.fits:
        return examples.signed @ weights
    step = max(1, BLOCK_VALUES // examples.values.shape[1])
    found = [
        polynomial_values(examples.values[start : start + step], weights, examples.degree)
        for start in range(0, len(examples), step)
    ]
    return examples.signs * np.concatenate(found)
