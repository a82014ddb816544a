"""The spectral family's base: similarities, k-means on an embedding, new objects placed."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import qr
from scipy.sparse.csgraph import connected_components

from manyviews.base import (
    BaseMultiViewClusterer,
    ViewTags,
    hint_at_counts,
    hint_at_scales,
    warn_user,
)
from manyviews.data import Views, read_view_weights
from manyviews.exceptions import UnknownViewError
from manyviews.maths import (
    Gram,
    generator,
    gram_eigenvectors,
    inverse_root_degrees,
    row_blocks,
    rows_at_a_time,
    scaled,
    unit_rows,
)
from manyviews.similarity import (
    RBF,
    SimilarityLike,
    ViewSimilarities,
    ViewStructure,
    auto_view_weights,
    constant_views,
    judge_views,
    observed_similarities,
    warn_of_empty_views,
)
from manyviews.typing import (
    AutoViewWeights,
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = [
    "Extension",
    "SpectralClusterer",
    "check_combine",
    "eigen_weights",
    "extension_of",
    "group_rows",
    "refuse_left_out",
]

_BETTER = 1e-9
"""Share by which the inertia of k-means has to be smaller to count as such. A judgement: well above
the rounding of a sum over rows, well below what moves an object to another cluster."""
_LEAST = 1e-12
"""Directions whose squares are below this share of the leading one's are rounding: squares of
lengths are right to the precision of doubles, 2e-16, times the width of an embedding."""


@dataclass(frozen=True)
class Extension:
    """Where an object stands in a spectral embedding, from its similarities to the training ones.

    An eigenvector ``u`` of ``D^{-1/2} K D^{-1/2}`` with eigenvalue ``λ`` has at an object the entry
    ``Σ_j K_ij u_j / sqrt(d_i d_j) / λ``; for a new object that sum is the Nyström extension. The
    factor ``1 / sqrt(d_i)`` is lost when rows are brought to unit length, so dividing by ``d_i``
    instead does no harm, and keeps the direction of an object that is far from all others.
    """

    weights: FloatArray
    """What a similarity to each training object adds to the coordinates, objects × coordinates."""
    reach: FloatArray
    """What it adds to the degree; one for each object unless a path leads on from it."""

    def place(self, cross: Gram) -> FloatArray:
        """Unit rows of coordinates; zero for an object without any similarity.

        Examples
        --------
        >>> Extension(np.eye(2), np.ones(2)).place(np.array([[3.0, 4.0], [0.0, 0.0]]))
        array([[0.6, 0.8],
               [0. , 0. ]])
        """
        degrees = np.abs(cross @ self.reach)[:, None]
        rows = np.asarray(cross @ self.weights, dtype=np.float64)
        return unit_rows(np.divide(rows, degrees, out=np.zeros_like(rows), where=degrees > 0))


def extension_of(gram: Gram, n_components: int) -> Extension:
    """Return the spectral embedding by the leading eigenvectors of the normalised similarities.

    Placed by it, the training objects stand as Ng, Jordan and Weiss place them; coordinates of
    eigenvalue zero, which say nothing, are zero.

    Examples
    --------
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> rows = extension_of(pairs, 2).place(pairs)
    >>> np.abs((rows @ rows.T).round(6))[0]
    array([1., 1., 0., 0.])
    """
    scale = inverse_root_degrees(gram)
    values, vectors = gram_eigenvectors(scaled(gram, scale, scale), n_components)
    return Extension(eigen_weights(scale[:, None] * vectors, values, scale), np.ones(len(vectors)))


def eigen_weights(contributions: FloatArray, values: FloatArray, scale: FloatArray) -> FloatArray:
    """Divide by the eigenvalues, and undo the size of the similarities."""
    # A rank cut as in NumPy's matrix_rank: smaller eigenvalues could be rounding of zero.
    known = np.abs(values) > len(scale) * np.finfo(np.float64).eps * np.abs(values).max(initial=0)
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=known)
    # Without this the weights would be as small as the similarities are large, and underflow.
    typical_degree = np.mean(scale[scale > 0] ** -2.0) if scale.any() else 1.0
    return contributions * (inverse * np.sqrt(typical_degree))


def group_rows(
    rows: FloatArray, n_clusters: int, *, n_init: int, rng: np.random.Generator
) -> tuple[FloatArray, IntArray]:
    """Cluster the rows of an embedding by k-means: the centres, and each row's nearest.

    Beside the random starts there is one from the rows that :func:`pivot_rows` finds; over the
    development sets the labels of two seeds agree by an ARI of 0.93 with it, of 0.87 without, at
    the same NMI (0.575 and 0.573), and with 100 clusters no random start is as good.
    """
    from sklearn.cluster import KMeans

    seed = int(rng.integers(2**31 - 1))
    model = KMeans(n_clusters, n_init=n_init, random_state=seed).fit(rows)
    pivots = pivot_rows(rows, n_clusters)
    if pivots is not None:
        fixed = KMeans(n_clusters, init=rows[pivots], n_init=1).fit(rows)
        if fixed.inertia_ < (1 - _BETTER) * model.inertia_:
            model = fixed
    return model.cluster_centers_, nearest_center(rows, model.cluster_centers_)


def pivot_rows(rows: FloatArray, n_clusters: int) -> IntArray | None:
    """Rows that stand for the clusters, one each, by a QR factorisation with pivots [@damle2019].

    It takes the row with most of the leading directions, then the one with most of what is
    orthogonal to it, and so on. None if the rows have fewer directions than there are clusters.

    Examples
    --------
    >>> pivot_rows(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]), 2)
    array([2, 0])
    >>> pivot_rows(np.ones((5, 1)), 2), pivot_rows(np.ones((5, 3)), 2)
    (None, None)
    """
    if rows.shape[1] < n_clusters:
        return None
    squares, axes = np.linalg.eigh(rows.T @ rows)
    if squares[-n_clusters] <= _LEAST * squares[-1]:
        return None
    leading = rows @ (axes[:, -n_clusters:] / np.sqrt(squares[-n_clusters:]))
    order: IntArray = qr(leading.T, mode="r", pivoting=True)[1][:n_clusters]
    return order.astype(np.intp)


def nearest_center(rows: FloatArray, centers: FloatArray) -> IntArray:
    """Return the number of the nearest centre of each row.

    Examples
    --------
    >>> nearest_center(np.array([[0.9], [0.2]]), np.array([[0.0], [1.0]]))
    array([1, 0])
    """
    # |c|² - 2 x·c: the squared length of a row is the same for all centres.
    distances = np.einsum("ij,ij->i", centers, centers) - 2.0 * rows @ centers.T
    return distances.argmin(axis=1)


def warn_of_pieces(grams: Mapping[str, Gram], n_clusters: int) -> None:
    """Say so if sparse graphs fall, even together, into more pieces than there are clusters.

    Each piece with any edge has an eigenvector of eigenvalue one; those of the largest are taken,
    and all other pieces stand in one place.
    """
    same_objects = len({gram.shape for gram in grams.values()}) == 1
    if not (same_objects and all(is_sparse(gram) for gram in grams.values())):
        return
    graph = reduce(operator.add, grams.values())
    n_pieces, piece = connected_components(graph, directed=False)
    n_pieces -= int((np.bincount(piece, weights=graph.sum(axis=1)) <= 0).sum())
    if n_pieces > n_clusters:
        warn_user(
            f"the graphs of all views together fall into {n_pieces} pieces and "
            f"n_clusters={n_clusters}, so that pieces other than the largest share a cluster; "
            "raise n_neighbors of the graphs, or n_clusters.",
            UserWarning,
        )


def check_combine(combine: str, merged: str, names: Sequence[str]) -> None:
    """Refuse to read the answer out of a view that is not there."""
    if combine not in (merged, *names):
        known = ", ".join(map(repr, (merged, *names)))
        raise UnknownViewError(f"combine={combine!r} is none of {known}; give one of them.")


def refuse_left_out(combine: str, weights: Mapping[str, float]) -> None:
    """Refuse to read the answer out of a view that has no weight."""
    if weights.get(combine) == 0:
        raise ValueError(
            f"combine={combine!r} chooses a view that has no weight; choose another, or give "
            "view_weights."
        )


class SpectralClusterer(BaseMultiViewClusterer, ABC):
    """Base of the spectral family: a child says how objects are placed, known and new ones."""

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    n_clusters: Count
    affinity: ByView[SimilarityLike]
    view_weights: AutoViewWeights
    n_init: Repeats
    random_state: RandomState
    verbose: Verbosity

    similarities_: ViewSimilarities
    view_structure_: dict[str, ViewStructure]
    view_weights_: dict[str, float]
    embedding_: FloatArray
    cluster_centers_: FloatArray
    labels_: IntArray

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Compare the objects in each view, place them, and cluster the places."""
        views = self._fit_views(X, min_objects=self.n_clusters)
        self._check_labels(X, y)
        rng = generator(self.random_state)
        self._report(f"comparing {len(views)} objects in {views.n_views} views")
        self.similarities_, grams = self._compare(views)
        straight = self._by_distances(views)
        hint_at_scales(views, straight, type(self).__name__)
        hint_at_counts(views, straight, type(self).__name__)
        warn_of_pieces(grams, self.n_clusters)
        self._report(f"embedding by {len(grams)} matrices of similarities")
        self.embedding_ = self._embed(grams, self.similarities_.observed)
        self._report(f"k-means in {self.embedding_.shape[1]} coordinates")
        self.cluster_centers_, self.labels_ = group_rows(
            self.embedding_, self.n_clusters, n_init=self.n_init, rng=rng
        )
        return self

    def _report(self, message: str, *, verbose: int = 1) -> None:
        """Say so if asked to be this verbose."""
        if self.verbose >= verbose:
            print(f"{type(self).__name__}: {message}")

    def _by_distances(self, views: Views) -> list[str]:
        """Views whose objects are compared by straight distances of their features."""
        fitted = self.similarities_.similarities
        return [
            name
            for name in views.names
            if isinstance(fitted.get(name), RBF)
            or getattr(fitted.get(name), "metric", None) == "euclidean"
        ]

    def predict(self, X: ViewsLike) -> IntArray:
        """Return the cluster of new objects, from whatever views they have."""
        return nearest_center(self.place(X), self.cluster_centers_)

    def place(self, X: ViewsLike) -> FloatArray:
        """Return the coordinates of new objects in the embedding, by the Nyström extension."""
        views = self._used(self._new_views(X))
        some = (views[part] for part in row_blocks(len(views), rows_at_a_time(len(self.labels_))))
        return np.concatenate([self._place(self._cross(new), new.observed) for new in some])

    def _compare(self, views: Views) -> tuple[ViewSimilarities, dict[str, Gram]]:
        """Similarities among the training objects, one matrix per view that is used."""
        fitted, found = observed_similarities(views, self._affinity(views))
        judged = judge_views(found, views.observed, constant=constant_views(views))
        self.view_structure_ = judged
        if self.view_weights == "auto":
            self.view_weights_ = auto_view_weights(judged)
            used = [name for name in views.names if self.view_weights_[name] > 0]
            consequence = "it is left out, unless view_weights says otherwise"
        else:
            self.view_weights_ = read_view_weights(self.view_weights, views.names)
            used = list(views.names)
            # The user has left out a view of no weight, and need not be told that it is empty.
            judged = {name: view for name, view in judged.items() if self.view_weights_[name] > 0}
            consequence = "leave it out, or let view_weights='auto' do so"
        warn_of_empty_views(judged, consequence)
        fitted, found = fitted.subset(used), {name: found[name] for name in used}
        return fitted, fitted.fill(found) if self._fills_gaps() else found

    def _affinity(self, views: Views) -> Any:  # noqa: ARG002 (a hook)
        """The similarity of all views, or one for each."""
        return self.affinity

    def _fills_gaps(self) -> bool:
        """Whether similarities that a view cannot give are filled from the other views."""
        return True

    def _used(self, views: Views) -> Views:
        """New objects in the views that are used."""
        return views.subset(list(self.similarities_.similarities))

    def _cross(self, views: Views) -> dict[str, Gram]:
        """Similarities of new objects to the training objects, one matrix per view."""
        fitted = self.similarities_
        return fitted.cross(views) if self._fills_gaps() else fitted.cross_observed(views)

    @abstractmethod
    def _embed(self, grams: Mapping[str, Gram], observed: BoolArray) -> FloatArray:
        """Place the training objects, and keep what placing new ones takes."""

    @abstractmethod
    def _place(self, cross: Mapping[str, Gram], observed: BoolArray) -> FloatArray:
        """Place new objects by their similarities to the training objects."""
