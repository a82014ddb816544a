"""Classifiers that learn from few labels and many unlabelled objects seen through several views."""

from manyviews.maths import Ontology
from manyviews.semi_supervised.co_em import CoEMClassifier
from manyviews.semi_supervised.co_rls import CoRLS
from manyviews.semi_supervised.co_rls_regressor import CoRLSRegressor
from manyviews.semi_supervised.co_training._shared import Provenance
from manyviews.semi_supervised.co_training.co_training import CoTraining
from manyviews.semi_supervised.co_training.co_training_regressor import CoTrainingRegressor
from manyviews.semi_supervised.co_training.self_training import SelfTraining
from manyviews.semi_supervised.laplacian.co_laplacian_rls import CoLaplacianRLS
from manyviews.semi_supervised.laplacian.co_laplacian_svm import CoLaplacianSVM
from manyviews.semi_supervised.naive_bayes_em import NaiveBayesEM, NaiveBayesStatistics
from manyviews.semi_supervised.seeded_spherical_k_means import SeededSphericalKMeans
from manyviews.semi_supervised.spectral_graph_transducer import (
    CutTargets,
    SmoothCuts,
    SpectralGraphTransducer,
    cut_by_labels,
    cut_targets,
    smooth_cuts,
)
from manyviews.semi_supervised.transductive_svm import TransductiveSVM

__all__ = [
    "CoEMClassifier",
    "CoLaplacianRLS",
    "CoLaplacianSVM",
    "CoRLS",
    "CoRLSRegressor",
    "CoTraining",
    "CoTrainingRegressor",
    "CutTargets",
    "NaiveBayesEM",
    "NaiveBayesStatistics",
    "Ontology",
    "Provenance",
    "SeededSphericalKMeans",
    "SelfTraining",
    "SmoothCuts",
    "SpectralGraphTransducer",
    "TransductiveSVM",
    "cut_by_labels",
    "cut_targets",
    "smooth_cuts",
]
