"""What all ways to weight kernels share: base kernels, one learnt kernel, a classifier on it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin

from manyviews.base import BaseMultiViewClassifier, ViewTags, if_estimator_has
from manyviews.mkl._classifier import fit_classifier, unfitted_classifier
from manyviews.mkl._combination import Combination
from manyviews.mkl._library._library import KernelLibrary, LibraryMatrices
from manyviews.mkl._library._matrices import KernelMatrices
from manyviews.typing import AnyArray, FloatArray, IntArray, ViewsLike


class KernelLearner(TransformerMixin, BaseMultiViewClassifier):
    """Base of classifiers that learn one kernel from many.

    A child says how in ``_learn``. Objects without a label take no part. An object that a view
    does not show has no similarity to others in the kernels of that view: zero, which is the mean
    of a centred kernel and leaves it positive semi-definite.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    kernels: Any
    classifier: Any
    C: str | float

    kernels_: LibraryMatrices
    combination_: Combination
    estimator_: Any
    kernel_weights_: FloatArray
    kernel_names_: list[str]

    @abstractmethod
    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> Combination:
        """Learn from kernels among training objects of known class; may set own attributes."""

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn the kernel, then the classifier on it."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        codes = labels.codes[labels.labelled]
        self.kernels_ = as_library(self.kernels).fitted(views[labels.labelled])
        self.combination_ = self._learn(self.kernels_, codes)
        gram = self.combination_.gram(self.kernels_)
        self.estimator_ = fit_classifier(gram, codes, self.classifier, self.C)
        return self

    def transform(self, X: ViewsLike) -> FloatArray:
        """Return the learnt kernel between objects and the labelled training objects."""
        views = self._new_views(X)
        return self.combination_.gram(self.kernels_.new(views))

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object."""
        gram = self.transform(X)
        return self.classes_[self.estimator_.predict(gram)]

    @if_estimator_has("decision_function")
    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Scores of the classes, if the classifier has such scores."""
        return np.asarray(self.estimator_.decision_function(self.transform(X)))

    @if_estimator_has("predict_proba")
    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class, if the classifier tells probabilities."""
        return np.asarray(self.estimator_.predict_proba(self.transform(X)))

    def _unfitted(self) -> Any:
        return unfitted_classifier(self.classifier)


def as_library(kernels: Any) -> KernelLibrary:
    """Return the library that a user gave, or one of the kernels given."""
    return kernels if isinstance(kernels, KernelLibrary) else KernelLibrary(kernels)
