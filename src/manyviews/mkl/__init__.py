"""Multiple kernel learning: which of many kernels carry a decision, and one kernel made of them."""

from manyviews.mkl._baselines._average import AverageKernel
from manyviews.mkl._library._library import KernelLibrary

__all__ = ["AverageKernel", "KernelLibrary"]
