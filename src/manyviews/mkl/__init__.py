"""Multiple kernel learning: which of many kernels carry a decision, and one kernel made of them."""

from manyviews.mkl._baselines._average import AverageKernel
from manyviews.mkl._baselines._best_kernel import BestKernel
from manyviews.mkl._baselines._lp_mkl import LpMKL
from manyviews.mkl._baselines._simple_mkl import SimpleMKL
from manyviews.mkl._baselines._target_alignment import TargetAlignment
from manyviews.mkl._baselines._target_alignment_regressor import TargetAlignmentRegressor
from manyviews.mkl._landmarks._landmark_classifier import LandmarkClassifier
from manyviews.mkl._library._defaults import kumar2013_kernels
from manyviews.mkl._library._library import KernelLibrary
from manyviews.mkl._two_stage._two_stage import TwoStageMKL

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
