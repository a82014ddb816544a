"""Gaussian mixtures of rows with gaps: what is missing given the rest, and the sums of EM."""

from manyviews.maths._gaussians._conditionals import Conditionals, conditionals
from manyviews.maths._gaussians._expect import (
    GaussianComponents,
    expected_rows,
    responsibilities,
)
from manyviews.maths._gaussians._patterns import PatternRows, pattern_rows
from manyviews.maths._gaussians._sums import (
    GaussianSums,
    assigned_gaussian_sums,
    components_of_sums,
    gaussian_sums,
)

__all__ = [
    "Conditionals",
    "GaussianComponents",
    "GaussianSums",
    "PatternRows",
    "assigned_gaussian_sums",
    "components_of_sums",
    "conditionals",
    "expected_rows",
    "gaussian_sums",
    "pattern_rows",
    "responsibilities",
]
