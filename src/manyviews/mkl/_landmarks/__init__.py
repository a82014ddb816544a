"""Objects by their similarities to landmarks."""

from manyviews.mkl._landmarks._landmark_classifier import LandmarkClassifier

__all__ = ["LandmarkClassifier"]
