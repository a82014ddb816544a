"""Nearest neighbours in many views: hyperplanes, ensembles over subsets of views, confidences."""

from manyviews.ensemble._hyperplane._hyperplane_knn import HyperplaneKNN
from manyviews.ensemble._multi_represented._multi_represented_knn import MultiRepresentedKNN
from manyviews.ensemble._subsets._combining import nearest_counts, vote_counts
from manyviews.ensemble._subsets._selection import (
    Selection,
    forward_selection,
    one_standard_error_selection,
)
from manyviews.ensemble._subsets._view_subset_ensemble import ViewSubsetEnsemble

__all__ = [
    "HyperplaneKNN",
    "MultiRepresentedKNN",
    "Selection",
    "ViewSubsetEnsemble",
    "forward_selection",
    "nearest_counts",
    "one_standard_error_selection",
    "vote_counts",
]
