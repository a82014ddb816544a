"""Multiple kernel learning: which of many kernels carry a decision, and one kernel made of them."""

from manyviews.mkl.average import AverageKernel
from manyviews.mkl.best_kernel import BestKernel
from manyviews.mkl.landmarks import LandmarkClassifier
from manyviews.mkl.library import KernelLibrary, kumar2013_kernels
from manyviews.mkl.lp_mkl import LpMKL
from manyviews.mkl.simple_mkl import SimpleMKL
from manyviews.mkl.target_alignment import TargetAlignment, TargetAlignmentRegressor
from manyviews.mkl.two_stage import TwoStageMKL

__all__ = [
    "AverageKernel",
    "BestKernel",
    "KernelLibrary",
    "LandmarkClassifier",
    "LpMKL",
    "SimpleMKL",
    "TargetAlignment",
    "TargetAlignmentRegressor",
    "TwoStageMKL",
    "kumar2013_kernels",
]
