"""The mean of all kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from manyviews.mkl._base import KernelLearner
from manyviews.mkl._combination import LinearCombination
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import IntArray


class AverageKernel(KernelLearner):
    """Classify by the mean of all kernels, which is hard to beat."""

    def __init__(
        self, kernels: Any = None, *, classifier: Any = None, C: str | float = "auto"
    ) -> None:
        self.kernels = kernels
        self.classifier = classifier
        self.C = C

    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> LinearCombination:  # noqa: ARG002
        self.kernel_names_ = list(kernels.names)
        self.kernel_weights_ = np.full(len(kernels), 1.0 / len(kernels))
        return LinearCombination(self.kernel_weights_)
