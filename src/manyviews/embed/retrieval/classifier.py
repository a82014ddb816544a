"""Classification across views: labelled in English, predicted in French [@fortuna2005]."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from manyviews.base import BaseMultiViewClassifier, ViewTags, if_estimator_has
from manyviews.data import Views
from manyviews.embed.retrieval._shared import (
    Embedding,
    OnEmbedding,
    fit_embedding,
    place,
    place_by_view,
)
from manyviews.typing import AnyArray, Classifier, FloatArray, IntArray, ViewsLike

__all__ = ["CrossViewClassifier"]


class CrossViewClassifier(OnEmbedding, BaseMultiViewClassifier):
    """Learn classes from objects labelled in one view and predict them from other views.

    Take it where labels are there in one view only, such as English texts, and new objects show
    another, such as French ones; the pairs that connect the views need no labels.

    Parameters
    ----------
    embedding : transformer, optional
        Maps views into one space, objects with views missing too: by default ``KernelCCA(d)`` with
        d half of what two views can span, from 2 to 100. A fitted one is used as it is when it
        comes in scikit-learn's ``FrozenEstimator``; ``fit`` then takes objects with some of its
        views.
    estimator : classifier, optional
        Learns from the coordinates; by default logistic regression on coordinates brought to unit
        variance, since spaces differ in scale and a penalty does not.
    by_view : bool
        Make each view of a labelled object an example of its own, instead of their mean.

    Attributes
    ----------
    embedding_ : transformer
        The fitted embedding.
    estimator_ : classifier
        The fitted classifier; its classes are positions in ``classes_``.
    classes_ : array
        The classes.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import datasets
    >>> from manyviews.embed import CrossViewClassifier, KernelCCA
    >>> views, topics = datasets.make_bilingual_topics(300, random_state=0)
    >>> labelled = np.where(np.arange(200) < 100, topics[:200], -1)
    >>> model = CrossViewClassifier(KernelCCA(n_components=10)).fit(views[:200], labelled)
    >>> model.score({"fr": views["fr"][200:]}, topics[200:])
    0.98

    Notes
    -----
    **Objective**
        A classifier f of points in a common space, learnt from the points of the labelled objects:
        min_f Σ_i loss(f(z_i), y_i) + penalty(f), where z_i is the mean of the places that the views
        of object i give it. [@fortuna2005], section 4.2, takes kernel CCA and a linear SVM.

    **Symbols**
        W, the semantic space → what ``embedding`` transforms into; C = 1 → a parameter of
        ``estimator``.

    **Algorithm**
        1. ``fit_embedding``: learn the space from all objects, labelled or not.
        2. ``place``: put the labelled ones into it, by all of their views or (``by_view``) once by
           each of them.
        3. Fit ``estimator`` to these points; new objects are placed in the same way.

    **Deviations**
        The paper takes a linear SVM (``estimator=LinearSVC(C=1)``); the default is logistic
        regression, which also tells probabilities. The paper learns the space from one corpus and
        labels another: give the fitted space as ``FrozenEstimator(space)``, or both together, with
        -1 where there is no label.

    **Complexity**
        That of the embedding, and of the classifier on as many features as the space has
        dimensions.

    With one view alone the classifier works in the space that the embedding makes of that view.

    References
    ----------
    [@fortuna2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    embedding_: Any
    estimator_: Any

    def __init__(
        self,
        embedding: Embedding | None = None,
        estimator: Classifier | None = None,
        *,
        by_view: bool = False,
    ) -> None:
        self.embedding = embedding
        self.estimator = estimator
        self.by_view = by_view

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Learn the common space from all objects and the classes from the labelled ones."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        self.embedding_ = fit_embedding(self.embedding, views, np.asarray(y).ravel())
        points, codes = self._examples(views[labels.labelled], labels.codes[labels.labelled])
        # Learnt from annotated points of the semantic space, section 4.2
        self.estimator_ = clone(self._unfitted()).fit(points, codes)
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Classes of objects, by whatever views they show."""
        points = self._points(X)
        return self.classes_[self.estimator_.predict(points)]

    @if_estimator_has("predict_proba")
    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class; there if the classifier tells probabilities."""
        points = self._points(X)
        return np.asarray(self.estimator_.predict_proba(points))

    @if_estimator_has("decision_function")
    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Scores of the classes; there if the classifier has such scores."""
        points = self._points(X)
        return np.asarray(self.estimator_.decision_function(points))

    def _unfitted(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def _points(self, X: ViewsLike) -> FloatArray:
        views = self._new_views(X)
        return place(self.embedding_, views)

    def _examples(self, views: Views, codes: IntArray) -> tuple[FloatArray, IntArray]:
        if not self.by_view:
            return place(self.embedding_, views), codes
        rows, points = zip(*place_by_view(self.embedding_, views), strict=True)
        return np.vstack(points), codes[np.concatenate(rows)]
