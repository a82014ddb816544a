"""Ways to make one similarity of many kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import FloatArray


class Combination(ABC):
    """A function of the K-examples: what a pair of objects has in all kernels, as one number."""

    @abstractmethod
    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """Return the learnt similarity of the objects to the training objects."""


@dataclass(frozen=True)
class LinearCombination(Combination):
    """A weighted sum of the kernels."""

    weights: FloatArray = field(repr=False)

    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """``Σ_l μ_l K_l``."""
        return kernels.combined(self.weights)
