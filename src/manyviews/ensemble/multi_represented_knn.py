"""Nearest neighbours of every view vote, the surer views louder [@kriegel2005] [@schubert2005]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse

from manyviews.base import BaseMultiViewClassifier, ViewTags, hint_at_scales
from manyviews.data import Views, per_view, read_view_weights
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import dense_new_rows
from manyviews.typing import (
    AnyArray,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    ViewsLike,
    ViewWeights,
    is_sparse,
)

__all__ = [
    "MultiRepresentedKNN",
    "class_confidences",
    "combined",
    "nearest",
    "sureness",
    "typical_distance",
]

_BLOCK_ENTRIES = 1 << 21
"""How many products of sparse rows are made at a time."""
_SAMPLE = 512
"""Objects, evenly spaced in their order, that the typical distance is measured at."""


@dataclass(frozen=True)
class Neighbours:
    """Nearest references of each object, nearest first."""

    distances: FloatArray
    indices: IntArray


@dataclass(frozen=True)
class ViewReferences:
    """The labelled objects that one view shows, and how far apart they lie."""

    rows: Matrix
    """Of length one under cosine."""
    codes: IntArray
    objects: IntArray
    """Which of the objects of ``fit`` they are."""
    metric: str
    n_neighbors: int
    typical: float
    """Median distance of an object to its ``n_neighbors``-th nearest other."""

    def search(self, rows: Matrix, itself: IntArray | None = None) -> Neighbours:
        """Nearest references at distances in units of the typical one.

        ``itself`` gives the object of ``fit`` that each row is: to it the distance is infinite.
        """
        queries = as_compared(rows, self.metric, alike=self.rows)
        extra = 0 if itself is None else 1
        found = nearest(self.rows, queries, self.n_neighbors + extra, self.metric)
        if itself is not None:
            away = self.objects[found.indices] == itself[:, None]
            if found.indices.shape[1] > self.n_neighbors:
                away[~away.any(axis=1), -1] = True  # one too many was asked for
            found = Neighbours(np.where(away, np.inf, found.distances), found.indices)
        return Neighbours(found.distances / self.typical, found.indices)


def read_view(
    matrix: Matrix, shown: BoolArray, codes: IntArray, n_neighbors: int, metric: str
) -> ViewReferences:
    """Keep what a view shows of labelled objects, and measure its typical distance."""
    objects = np.flatnonzero(shown & (codes >= 0))
    rows = as_compared(matrix[objects], metric)
    typical = typical_distance(rows, n_neighbors, metric) if len(objects) else 1.0
    return ViewReferences(rows, codes[objects], objects, metric, n_neighbors, typical)


MOSTLY_ZERO = 0.5
"""Beyond this share of zeros a view is compared by the cosine. On 19 development sets the mean
accuracy of ``MultiRepresentedKNN`` was .629 with Euclidean distances throughout: the length of a
text says little of its class."""


def metric_for(matrix: Matrix, observed: BoolArray) -> Literal["euclidean", "cosine"]:
    """The cosine for a view of mostly zeros, else the Euclidean distance.

    Examples
    --------
    >>> metric_for(np.array([[0.0, 0.0, 2.0], [1.0, 0.0, 0.0]]), np.array([True, True]))
    'cosine'
    >>> metric_for(np.array([[1.5], [2.0]]), np.array([True, True]))
    'euclidean'
    """
    rows = matrix[np.flatnonzero(observed)]
    n_other = rows.count_nonzero() if is_sparse(rows) else np.count_nonzero(rows)
    n_cells = rows.shape[0] * rows.shape[1]
    return "cosine" if n_other < (1.0 - MOSTLY_ZERO) * n_cells else "euclidean"


def showing(matrix: Matrix, observed: BoolArray, metric: str) -> BoolArray:
    """Which objects a view says something of: under cosine, rows of zeros have no direction.

    Examples
    --------
    >>> showing(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([True, True]), "cosine")
    array([False,  True])
    """
    if metric != "cosine":
        return observed
    squares = (matrix * matrix).sum(axis=1)  # those of tiny values vanish
    return observed & (np.asarray(squares).ravel() != 0)


def as_compared(rows: Matrix, metric: str, alike: Matrix | None = None) -> Matrix:
    """Rows in double precision, of length one under cosine, dense or sparse like others."""
    if alike is not None and is_sparse(alike) != is_sparse(rows):
        rows = sparse.csr_array(rows) if is_sparse(alike) else dense_new_rows(rows)
    rows = rows.astype(np.float64)
    if metric != "cosine":
        return rows
    if is_sparse(rows):
        lengths = np.sqrt(np.asarray((rows * rows).sum(axis=1)).ravel())
        data = rows.data / np.repeat(lengths, np.diff(rows.indptr))
        return sparse.csr_array((data, rows.indices, rows.indptr), shape=rows.shape)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def typical_distance(rows: Matrix, n_neighbors: int, metric: str) -> float:
    """Median distance to the ``n_neighbors``-th nearest other row, which is above zero.

    Where half of the rows have so many copies, the mean is taken; 1 if all rows are copies.

    Examples
    --------
    >>> typical_distance(np.array([[0.0], [1.0], [3.0]]), 1, "euclidean")
    1.0
    """
    n_rows = rows.shape[0]
    some = np.unique(np.linspace(0, n_rows - 1, min(n_rows, _SAMPLE)).astype(np.intp))
    found = nearest(rows, rows[some], n_neighbors + 1, metric).distances[:, -1]
    typical = float(np.median(found)) or float(found.mean())
    return typical or 1.0


def nearest(rows: Matrix, queries: Matrix, n_neighbors: int, metric: str) -> Neighbours:
    """Nearest rows of each query; all of them where there are fewer.

    Under cosine, rows and queries have length one and ``1 − cos = ‖x − y‖²/2`` is given.
    """
    kept = min(n_neighbors, rows.shape[0])
    search = _by_products if is_sparse(rows) else _by_scikit_learn
    found = search(rows, queries, kept)
    if metric == "cosine":
        return Neighbours(found.distances**2 / 2.0, found.indices)
    return found


def _by_scikit_learn(rows: Matrix, queries: Matrix, kept: int) -> Neighbours:
    from sklearn.neighbors import NearestNeighbors

    return Neighbours(*NearestNeighbors(n_neighbors=kept).fit(rows).kneighbors(queries))


def _by_products(rows: Matrix, queries: Matrix, kept: int) -> Neighbours:
    """Compare blocks of sparse rows with all; the rows themselves are never made dense."""
    transposed = sparse.csr_array(rows.T)
    lengths = np.asarray((rows * rows).sum(axis=1)).ravel()
    query_lengths = np.asarray((queries * queries).sum(axis=1)).ravel()
    shape = (queries.shape[0], kept)
    found = Neighbours(np.empty(shape), np.empty(shape, dtype=np.intp))
    step = max(1, _BLOCK_ENTRIES // rows.shape[0])
    for start in range(0, shape[0], step):
        part = slice(start, start + step)
        gaps = (queries[part] @ transposed).toarray()
        gaps *= -2.0
        gaps += lengths
        chosen = np.sort(np.argpartition(gaps, kept - 1, axis=1)[:, :kept], axis=1)
        squares = np.take_along_axis(gaps, chosen, axis=1) + query_lengths[part, None]
        order = np.argsort(squares, axis=1, kind="stable")
        found.indices[part] = np.take_along_axis(chosen, order, axis=1)
        ordered = np.take_along_axis(squares, order, axis=1)
        found.distances[part] = np.sqrt(np.maximum(ordered, 0.0))
    return found


_SURE_OF_NOTHING = 1e-9
"""Weights that sum to less than this are rounding."""


def class_confidences(
    distances: FloatArray, codes: IntArray, n_classes: int, softening: float
) -> FloatArray:
    """Share of each class among the neighbours of each object, the nearer the heavier.

    A neighbour at distance ``ρ`` weighs ``1/(ρ² + softening²)``; without any at a finite distance
    all shares are zero.

    Examples
    --------
    >>> class_confidences(np.array([[1.0, 2.0]]), np.array([[0, 1]]), 2, softening=0.0)
    array([[0.8, 0.2]])
    """
    n_objects = len(distances)
    unit = max(1.0, softening)  # shares are the same in any, and squares stay finite
    squares = (distances / unit) ** 2 + (softening / unit) ** 2
    votes = 1.0 / np.maximum(squares, np.finfo(np.float64).tiny ** 0.5)
    cells = np.arange(n_objects)[:, None] * n_classes + codes
    sums = np.bincount(cells.ravel(), weights=votes.ravel(), minlength=n_objects * n_classes)
    shares = sums.reshape(n_objects, n_classes)
    totals = shares.sum(axis=1, keepdims=True)
    return np.divide(shares, totals, out=shares, where=totals > 0)  # cv_c of [@kriegel2005]


def sureness(confidences: FloatArray) -> FloatArray:
    """One minus the entropy of each row, its logarithm taken to the base of the classes.

    Examples
    --------
    >>> sureness(np.array([[1.0, 0.0], [0.5, 0.5]]))
    array([1., 0.])
    """
    logarithms = np.log(np.where(confidences > 0, confidences, 1.0))
    entropies = -np.einsum("ij,ij->i", confidences, logarithms) / np.log(confidences.shape[1])
    return np.clip(1.0 - entropies, 0.0, 1.0)  # w_v = 1 + Σ_c cv_c log_L cv_c [@kriegel2005]


def combined(
    confidences: Sequence[FloatArray], weights: Sequence[FloatArray], otherwise: FloatArray
) -> FloatArray:
    """Weighted mean of the views' confidences; ``otherwise`` where no view says anything.

    ``weights`` hold the candidates for the weights (objects × views), of which each object takes
    the first that are not all zero.
    """
    chosen = np.zeros_like(weights[0])
    for candidate in weights:
        idle = chosen.sum(axis=1) <= _SURE_OF_NOTHING
        chosen[idle] = candidate[idle]
    total = np.zeros_like(confidences[0])
    for confidence, weight in zip(confidences, chosen.T, strict=True):
        total += weight[:, None] * confidence  # Σ_v w_v cv_v [@kriegel2005]
    sums = chosen.sum(axis=1)
    silent = sums == 0
    total[silent], sums[silent] = otherwise, 1.0
    return total / sums[:, None]


def candidate_weights(
    confidences: Sequence[FloatArray], shown: BoolArray, view_weights: FloatArray, weighting: str
) -> list[FloatArray]:
    """Weights of the views for each object: by sureness, else as given, else equal."""
    given = shown * view_weights
    plain = [given, shown.astype(np.float64)]
    if weighting == "uniform":
        return plain
    return [given * np.column_stack([sureness(each) for each in confidences]), *plain]


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
        straight = [name for name, metric in metrics.items() if metric == "euclidean"]
        hint_at_scales(views, straight, type(self).__name__)
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
