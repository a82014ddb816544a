"""Kernel methods that are smooth over graphs of the views."""

from manyviews.semi_supervised.laplacian._shared import (
    Penalty,
    choose_solver,
    deformed_dual,
    deformed_iterative,
    deformed_primal,
    fit_graphs,
    iterative_ridge,
    laplacian,
    penalty_among,
    roughness,
    with_concatenation,
)
from manyviews.semi_supervised.laplacian.co_laplacian_rls import CoLaplacianRLS
from manyviews.semi_supervised.laplacian.co_laplacian_svm import CoLaplacianSVM, svm_coefficients
from manyviews.semi_supervised.least_squares import ridge_coefficients

__all__ = [
    "CoLaplacianRLS",
    "CoLaplacianSVM",
    "Penalty",
    "choose_solver",
    "deformed_dual",
    "deformed_iterative",
    "deformed_primal",
    "fit_graphs",
    "iterative_ridge",
    "laplacian",
    "penalty_among",
    "ridge_coefficients",
    "roughness",
    "svm_coefficients",
    "with_concatenation",
]
