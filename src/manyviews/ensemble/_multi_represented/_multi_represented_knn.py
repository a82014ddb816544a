"""Nearest neighbours of every view vote, the surer views louder [@kriegel2005] [@schubert2005]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import BaseMultiViewClassifier, ViewTags
from manyviews.data import Views, per_view, read_view_weights
from manyviews.ensemble._multi_represented._confidence import (
    candidate_weights,
    class_confidences,
    combined,
)
from manyviews.ensemble._multi_represented._neighbours import (
    ViewReferences,
    metric_for,
    read_view,
    showing,
)
from manyviews.exceptions import UnobservedViewsError
from manyviews.typing import (
    AnyArray,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    NonNegative,
    ViewsLike,
    ViewWeights,
)


class MultiRepresentedKNN(BaseMultiViewClassifier):
    """Classify by the nearest neighbours in every view, trusting most the views that are sure.

    Each view looks for neighbours by itself, so that views of any kind go together (text beside
    measurements) and an object needs only some of them, in training as in prediction. For each
    object anew, a view counts the more the better its neighbours agree.

    Parameters
    ----------
    n_neighbors : int, list or dict
        Neighbours that vote, in all views or in each.
    weighting : {"entropy", "uniform"}
        Whether views that are sure weigh more, or all the same.
    metric : {"auto", "euclidean", "cosine"}, list or dict
        Distance, for all views or for each. "auto" takes the cosine where more than half of a
        view's cells are zero, as in counts of words or links, and else the Euclidean one.
    view_weights : list or dict, optional
        What a view is worth beforehand; multiplies its weight.
    softening : float
        Distance, as a share of the typical one, below which nearness is no longer told apart.

    Attributes
    ----------
    references_ : dict of ViewReferences
        The labelled objects of each view.
    typical_distances_ : dict of float
        Median distance to the ``n_neighbors``-th nearest other object in each view.
    class_shares_ : array
        Share of each class among the labelled objects.
    view_weights_ : dict of float
        What each view is worth beforehand.
    classes_ : array
        The classes.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.ensemble import MultiRepresentedKNN
    >>> views = {
    ...     "size": [[1.0], [1.2], [3.0], [3.1]],
    ...     "text": [[1.0, 0.0], None, [0.0, 2.0], [0.0, 1.0]],
    ... }
    >>> metric = {"size": "euclidean", "text": "cosine"}
    >>> model = MultiRepresentedKNN(n_neighbors=2, metric=metric)
    >>> model = model.fit(views, ["ant", "ant", "bee", "bee"])
    >>> model.predict({"size": [[1.1], [2.9]], "text": None})
    array(['ant', 'bee'], dtype='<U3')
    >>> model.view_confidences({"size": [[1.1]], "text": [[0.0, 5.0]]})["text"]
    array([[0., 1.]])

    Notes
    -----
    **Objective**
        The class ``c`` of largest ``Σ_v w_v(o) cv_v,c(o)``. The confidence of view ``v`` in class
        ``c`` is the share of ``c`` in the votes ``1/(ρ² + ε²)`` of the ``k`` nearest objects,
        ``ρ`` being their distance over the typical distance of the view; the weight is
        ``w_v(o) ∝ u_v (1 + Σ_c cv_v,c(o) log_L cv_v,c(o))``: one minus the entropy of the
        confidences of ``L`` classes.

    **Symbols**
        ``k`` → ``n_neighbors``; ``ε`` → ``softening``; ``u_v`` → ``view_weights``; ``L`` →
        ``len(classes_)``; the typical distance → ``typical_distances_[view]``.

    **Algorithm**
        1. ``read_view``: keep the labelled objects that a view shows; ``typical_distance`` is the
           median of their distances to the ``k``-th nearest other (of 512 of them, evenly spaced,
           where there are more). Thus a view in other units gives the same answers.
        2. ``ViewReferences.search``: the neighbours of new objects, exactly.
        3. ``class_confidences``, ``candidate_weights``, ``combined``.

    **Deviations**
        The talk [@schubert2005] gives the idea and no formulas; these follow the authors' paper on
        large class sets, without its reduction of the training set by clustering. There a
        neighbour weighs ``1/d²``; ``ε`` is added so that a copy does not decide alone, and is what
        the typical distance sets the unit of. *Unobserved views* leave the sum; so do rows of
        zeros under cosine, which have no direction. Where all views that an object shows are
        perfectly unsure, or weigh nothing, their plain mean is taken; where all are rows of
        zeros, the shares of the classes in training. *Unlabelled objects* take no part. *One
        view*: nearest neighbours weighted by distance.

    **Complexity**
        ``O(m n d_v)`` in each view for ``m`` new and ``n`` training objects, less by trees for up
        to 15 features; ``O(m k)`` after that. Memory is that of ``m`` × ``L`` confidences per view.

    References
    ----------
    [@kriegel2005], [@schubert2005]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    references_: dict[str, ViewReferences]
    typical_distances_: dict[str, float]
    class_shares_: FloatArray
    view_weights_: dict[str, float]

    def __init__(
        self,
        n_neighbors: ByView[Count] = 10,
        weighting: Literal["entropy", "uniform"] = "entropy",
        *,
        metric: ByView[Literal["auto", "euclidean", "cosine"]] = "auto",
        view_weights: ViewWeights = None,
        softening: NonNegative = 0.1,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weighting = weighting
        self.metric = metric
        self.view_weights = view_weights
        self.softening = softening

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(5, weighting="uniform", metric="cosine")

    def fit(self, X: ViewsLike, y: Any) -> Self:
        """Keep the labelled objects of each view and measure how far apart they lie."""
        self._learn(X, y)
        return self

    def leave_one_out_predictions(self, X: ViewsLike, y: Any) -> AnyArray:
        """Fit, and give the class that each object gets from all others.

        The typical distances remain those of all objects.
        """
        views = self._learn(X, y)
        proba = self._probabilities(views, itself=np.arange(len(views)))
        return np.asarray(self.classes_[proba.argmax(axis=1)])

    def predict_proba(self, X: ViewsLike) -> FloatArray:
        """Confidence in each class, over the views that an object shows."""
        return self._probabilities(self._new_views(X), itself=None)

    def predict(self, X: ViewsLike) -> AnyArray:
        """Class of largest confidence."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def view_confidences(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Confidence of each view in each class; NaN where a view does not show an object."""
        views = self._new_views(X)
        confidences, shown = self._confidences(views, itself=None)
        return {
            name: np.where(seen[:, None], found, np.nan)
            for name, found, seen in zip(self.view_names_, confidences, shown.T, strict=True)
        }

    def _learn(self, X: ViewsLike, y: Any) -> Views:
        views = self._fit_views(X)
        labels = self._fit_labels(y, views)
        given = per_view(self.metric, views.names, parameter="metric")
        metrics = {
            name: metric_for(matrix, views.observed_in(name))
            if given[name] == "auto"
            else given[name]
            for name, matrix in views.items()
        }
        counts = per_view(self.n_neighbors, views.names, parameter="n_neighbors")
        self.view_weights_ = read_view_weights(self.view_weights, views.names)
        self.class_shares_ = labels.counts / labels.counts.sum()
        self.references_ = {}
        for name, matrix in views.items():
            shown = showing(matrix, views.observed_in(name), metrics[name])
            _refuse_unshown(name, shown & labels.labelled)
            self.references_[name] = read_view(
                matrix, shown, labels.codes, int(counts[name]), metrics[name]
            )
        self.typical_distances_ = {name: each.typical for name, each in self.references_.items()}
        return views

    def _confidences(
        self, views: Views, itself: IntArray | None
    ) -> tuple[list[FloatArray], BoolArray]:
        """Confidences of each view, zero where it does not show an object, and where it does."""
        confidences: list[FloatArray] = []
        masks = []
        for name, references in self.references_.items():
            shown = showing(views[name], views.observed_in(name), references.metric)
            rows = np.flatnonzero(shown)
            found = np.zeros((len(views), len(self.classes_)))
            if len(rows):
                itself_of = None if itself is None else itself[rows]
                near = references.search(views[name][rows], itself_of)
                found[rows] = class_confidences(
                    near.distances, references.codes[near.indices], found.shape[1], self.softening
                )
            confidences.append(found)
            masks.append(found.any(axis=1))
        return confidences, np.column_stack(masks)

    def _probabilities(self, views: Views, itself: IntArray | None) -> FloatArray:
        confidences, shown = self._confidences(views, itself)
        given = np.array(list(self.view_weights_.values()))
        weights = candidate_weights(confidences, shown, given, self.weighting)
        return combined(confidences, weights, self.class_shares_)


def _refuse_unshown(name: str, shown: BoolArray) -> None:
    if not shown.any():
        raise UnobservedViewsError(
            f"view {name!r} shows no labelled object and teaches nothing; leave it out."
        )
