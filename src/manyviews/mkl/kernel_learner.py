"""Learners of one kernel from many: base kernels, their combination, a classifier on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from manyviews.base import (
    BaseMultiViewClassifier,
    BaseMultiViewTransformer,
    ViewTags,
    hint_at_scales,
    if_estimator_has,
)
from manyviews.data import Views
from manyviews.maths import check_memory, row_blocks, rows_at_a_time
from manyviews.mkl.classifier import (
    Penalty,
    fit_classifier,
    held_out_sharpness,
    penalty_value,
    probabilities,
    unfitted_classifier,
)
from manyviews.mkl.kernel_matrices import KernelMatrices, LibraryMatrices
from manyviews.mkl.library import KernelLibrary, Kernels
from manyviews.typing import AnyArray, Classifier, FloatArray, IntArray, Verbosity, ViewsLike

__all__ = ["Combination", "CombinedKernels", "KernelLearner", "LinearCombination"]


class Combination(ABC):
    """A function of the K-examples: what a pair of objects has in all kernels, as one number."""

    @abstractmethod
    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """Return the learnt similarity of the objects to the training objects."""


@dataclass(frozen=True)
class LinearCombination(Combination):
    """A weighted sum of the kernels."""

    weights: FloatArray = field(repr=False)

    def gram(self, kernels: KernelMatrices) -> FloatArray:
        """``Σ_l μ_l K_l``."""
        return kernels.combined(self.weights)


class CombinedKernels:
    """Base kernels of views, and one similarity that is made of them: a mixin of estimators.

    An object that a view does not show has no similarity to others in the kernels of that view:
    zero, which is the mean of a centred kernel and leaves it positive semi-definite.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    kernels: KernelLibrary | Kernels
    verbose: Verbosity = 0

    kernels_: LibraryMatrices
    combination_: Combination
    kernel_weights_: FloatArray
    kernel_names_: list[str]

    def _fit_kernels(self, views: Views, chosen: IntArray, remedy: str) -> LibraryMatrices:
        """Base kernels among the chosen objects, if there is room for one made of them."""
        n_objects = len(chosen)
        check_memory(
            (n_objects, n_objects),
            f"the learnt kernel among {n_objects:,} objects",
            remedy=f"learn it from fewer: {remedy}",
        )
        given = self.kernels
        library = given if isinstance(given, KernelLibrary) else KernelLibrary(given)
        found = library.fitted(views, chosen)
        hint_at_scales(views, library.by_lengths(views), type(self).__name__)
        self._report(f"{len(found)} kernels of {n_objects:,} objects")
        self.kernel_names_ = list(found.names)
        return found

    def _gram(self, views: Views) -> FloatArray:
        """The learnt kernel between new objects and those that it was learnt from."""
        return self.combination_.gram(self.kernels_.new(views))

    def _report(self, line: str) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {line}", flush=True)


def _tells_probabilities(learner: KernelLearner) -> bool:
    """Whether the SVMs are ours, or the classifier given has probabilities of its own."""
    return learner.classifier is None or hasattr(learner._unfitted(), "predict_proba")


_Proba = Callable[[Any, ViewsLike], FloatArray]
_if_it_tells_probabilities: Callable[[_Proba], _Proba] = available_if(_tells_probabilities)


@dataclass(frozen=True)
class FittedClassifier:
    """A classifier on a kernel."""

    scale: float
    """What the kernel is divided by."""
    estimator: Any
    sharpness: float | None
    """What makes probabilities of its scores; None where it tells them itself, or cannot."""


class KernelLearner(
    CombinedKernels,
    BaseMultiViewTransformer,
    ClassNamePrefixFeaturesOutMixin,
    BaseMultiViewClassifier,
):
    """Base of classifiers that learn one kernel from many.

    A child says how in ``_learn``; one that learns from more than labels has a ``fit`` of its own,
    which ends in :meth:`_fit_objects`. Objects without a label take no part.
    """

    classifier: Classifier | None
    C: Penalty

    estimator_: Any
    scale_: float
    sharpness_: float | None
    C_: float | None
    labelled_: IntArray

    @abstractmethod
    def _learn(self, kernels: KernelMatrices, codes: IntArray) -> Combination:
        """Learn from kernels among training objects of known class; may set own attributes."""

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn the kernel, then the classifier on it.

        Parameters
        ----------
        X : views
            The objects.
        y : array-like of shape (n_objects,)
            Their classes; those without one take no part.
        """
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        return self._fit_objects(views, labels.codes, np.flatnonzero(labels.labelled))

    def _fit_objects(self, views: Views, codes: IntArray, chosen: IntArray, **known: Any) -> Self:
        """Learn the kernel from the chosen objects, then the classifier from those with a class.

        ``codes`` tells the classes of all objects, -1 for none; without any there is a kernel and
        no classifier. ``known`` is what ``_learn`` is told besides.
        """
        kernels = self._fit_kernels(views, chosen, "leave most of them unlabelled, as -1")
        classes = codes[chosen]
        self.combination_ = self._learn(kernels, classes, **known)
        self.labelled_ = np.flatnonzero(classes >= 0)
        self._fit_estimator(kernels, classes)
        self.C_ = penalty_value(self.estimator_)
        self._report("classifier fitted" + ("" if self.C_ is None else f", C = {self.C_:g}"))
        self.kernels_ = kernels.lean()
        return self

    def _fit_estimator(self, kernels: KernelMatrices, classes: IntArray) -> None:
        """Fit the classifier to the learnt kernel of the objects that have a class."""
        if not len(self.labelled_):
            self.estimator_ = self.sharpness_ = None
            return
        gram = self.combination_.gram(kernels)
        if len(self.labelled_) < len(classes):
            gram = gram[np.ix_(self.labelled_, self.labelled_)]
        self._store_classifier(self._fitted_on(gram, classes[self.labelled_], self.C))

    def _store_classifier(self, fitted: FittedClassifier) -> None:
        self.scale_, self.estimator_ = fitted.scale, fitted.estimator
        self.sharpness_ = fitted.sharpness

    def _fitted_on(self, gram: FloatArray, codes: IntArray, C: Penalty) -> FittedClassifier:
        """Fit the classifier to a kernel among objects of known class, brought to one scale."""
        scale = self._scale(gram)
        gram = gram / scale
        estimator = self._fit_classifier(gram, codes, C)
        own = hasattr(estimator, "predict_proba") or self.classifier is not None
        sharpness = None if own else held_out_sharpness(gram, codes, estimator)
        return FittedClassifier(scale, estimator, sharpness)

    def _scale(self, gram: FloatArray) -> float:
        """What the learnt kernel is divided by for the classifier, so that C means the same.

        It is the mean of the diagonal: weights of any length give the same answers.
        """
        return float(np.trace(gram)) / len(gram) or 1.0

    def _fit_classifier(self, gram: FloatArray, codes: IntArray, C: Penalty) -> Any:
        """Fit the classifier to a kernel among objects of known class."""
        return fit_classifier(gram, codes, self.classifier, C)

    def transform(self, X: ViewsLike) -> FloatArray:
        """Return the learnt kernel between objects and those that it was learnt from."""
        views = self._new_views(X)
        n_training = self.kernels_.shape[1]
        check_memory(
            (len(views), n_training),
            f"the learnt kernel of {len(views):,} to {n_training:,} objects",
            remedy="ask for fewer objects at a time",
        )
        return self._gram(views)

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of each object."""
        best = self._asked("predict", X)
        return self.classes_[best]

    @if_estimator_has("decision_function")
    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Scores of the classes, if the classifier has such scores."""
        return self._asked("decision_function", X)

    @_if_it_tells_probabilities
    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class.

        Of the default SVMs it is the softmax of the scores times ``sharpness_``, which is learnt
        from objects held out; a classifier that was given has to tell probabilities itself.
        """
        check_is_fitted(self)
        if self.sharpness_ is None:
            return self._asked("predict_proba", X)
        return probabilities(self._asked("decision_function", X), self.sharpness_)

    def _asked(self, method: str, X: ViewsLike) -> AnyArray:
        """Ask the classifier about new objects, of so many at a time that their kernel is small."""
        check_is_fitted(self)
        if self.estimator_ is None:
            raise ValueError(
                f"{type(self).__name__} was fitted without labels and knows no classes; give y to "
                "fit, or use transform."
            )
        views, n_training = self._new_views(X), self.kernels_.shape[1]
        labelled = slice(None) if len(self.labelled_) == n_training else self.labelled_
        ask = getattr(self.estimator_, method)
        blocks = row_blocks(len(views), rows_at_a_time(n_training))
        return np.concatenate(
            [ask(self._gram(views[part])[:, labelled] / self.scale_) for part in blocks]
        )

    @property
    def _n_features_out(self) -> int:
        return self.kernels_.shape[1]

    def _unfitted(self) -> Any:
        return unfitted_classifier(self.classifier)
