"""Any scikit-learn classifier at the end of a pipeline whose labels have gaps."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from manyviews.base import BaseMultiViewClassifier, ViewTags, if_estimator_has
from manyviews.data import Views
from manyviews.typing import AnyArray, Classifier, FloatArray, Matrix, ViewsLike


class LabelledOnly(BaseMultiViewClassifier):
    """Fit a classifier to the labelled objects only, where steps before it learn from all.

    scikit-learn's classifiers take the mark of an unlabelled object, -1, for one more class. At the
    end of a pipeline this passes them the objects that have a label.

    Parameters
    ----------
    estimator : classifier, optional
        Any of scikit-learn's; logistic regression by default.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : array
        The classes.
    layout_ : Layout
        Names, widths and features of the views seen in ``fit``; several are put side by side.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from manyviews.compose import LabelledOnly
    >>> points = np.array([[0.0], [1.0], [4.0], [5.0]])
    >>> model = LabelledOnly(KNeighborsClassifier(1)).fit(points, [0, -1, 1, -1])
    >>> model.predict(points)
    array([0, 0, 1, 1])
    """

    view_tags: ClassVar[ViewTags] = ViewTags(sparse=True)

    estimator_: Any

    def __init__(self, estimator: Classifier | None = None) -> None:
        self.estimator = estimator

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Fit a clone of the classifier to the objects that have a label."""
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        rows = _side_by_side(views[labels.labelled])
        self.estimator_ = clone(self._unfitted()).fit(rows, labels.codes[labels.labelled])
        return self

    def predict(self, X: ViewsLike) -> AnyArray:
        """Classes of objects."""
        rows = _side_by_side(self._new_views(X))
        return self.classes_[self.estimator_.predict(rows)]

    @if_estimator_has("predict_proba")
    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Probability of each class; there if the classifier tells probabilities."""
        rows = _side_by_side(self._new_views(X))
        return np.asarray(self.estimator_.predict_proba(rows))

    @if_estimator_has("decision_function")
    def decision_function(self, X: ViewsLike) -> FloatArray:
        """Scores of the classes; there if the classifier has such scores."""
        rows = _side_by_side(self._new_views(X))
        return np.asarray(self.estimator_.decision_function(rows))

    def _unfitted(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)


def _side_by_side(views: Views) -> Matrix:
    return views[views.names[0]] if views.n_views == 1 else views.concatenate()
