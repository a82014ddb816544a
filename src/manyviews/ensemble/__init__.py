"""Nearest neighbours in many views: hyperplanes, ensembles over subsets of views, confidences."""

from manyviews.ensemble.hyperplane_knn import HyperplaneKNN
from manyviews.ensemble.members import nearest_counts, vote_counts
from manyviews.ensemble.multi_represented_knn import MultiRepresentedKNN
from manyviews.ensemble.view_subset_ensemble import (
    Selection,
    ViewSubsetEnsemble,
    forward_selection,
    one_standard_error_selection,
)

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
