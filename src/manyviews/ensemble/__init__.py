"""Nearest neighbours in many views: hyperplanes, ensembles over subsets of views, confidences."""

from manyviews.ensemble._hyperplane._hyperplane_knn import HyperplaneKNN
from manyviews.ensemble._multi_represented._multi_represented_knn import MultiRepresentedKNN
from manyviews.ensemble._subsets._view_subset_ensemble import ViewSubsetEnsemble

__all__ = ["HyperplaneKNN", "MultiRepresentedKNN", "ViewSubsetEnsemble"]
