"""What a K-classifier is learnt from, what it is to minimise, and what is found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from manyviews.mkl._two_stage._polynomial import (
    BLOCK_VALUES,
    expand,
    n_terms,
    polynomial_values,
)
from manyviews.typing import FloatArray, IntArray

KEPT_VALUES = 2**25
"""How many values of terms are kept: 256 MiB."""


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


def mean_hinge(examples: KExamples, weights: FloatArray) -> float:
    """Mean of ``[1 − t_ij μ·z_ij]_+``."""
    return float(np.maximum(1.0 - _margins(examples, weights), 0.0).mean())


def standard_error(examples: KExamples, weights: FloatArray) -> float:
    """Standard error of the mean hinge loss, as if pairs were independent."""
    losses = np.maximum(1.0 - _margins(examples, weights), 0.0)
    return float(losses.std() / np.sqrt(len(losses)))


def objective(examples: KExamples, weights: FloatArray, regularization: float) -> float:
    """Eq. (5.2): half the squared norm of the weights times λ, and the mean hinge loss."""
    return regularization / 2 * float(weights @ weights) + mean_hinge(examples, weights)


def _margins(examples: KExamples, weights: FloatArray) -> FloatArray:
    if examples.fits:
        return examples.signed @ weights
    step = max(1, BLOCK_VALUES // examples.values.shape[1])
    found = [
        polynomial_values(examples.values[start : start + step], weights, examples.degree)
        for start in range(0, len(examples), step)
    ]
    return examples.signs * np.concatenate(found)
