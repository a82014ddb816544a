"""Spherical k-means across views: each view re-centres on what the others see [@bickel2004].

The equations are numbered as in [@dalvi2015], section 2, which calls the method COTRAIN.

From the top: a sweep over the views on unit rows, the start, the rows as directions, the estimator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, ClassVar, Literal, Self

import numpy as np

from manyviews.base import AlternatingMixin, BaseMultiViewClusterer, Run, ViewTags, hint_at_scales
from manyviews.data import Views, per_view
from manyviews.maths import (
    Directions,
    best_and_score,
    best_cluster,
    cosines,
    dense_rows,
    dense_within_memory,
    directions,
    mostly_zeros,
    sum_directions,
    unit_length,
)
from manyviews.similarity import used_views, weights_of_views
from manyviews.typing import (
    AutoViewWeights,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    RandomState,
    Repeats,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["CoSphericalKMeans"]

PATIENCE = 3
"""Sweeps that may pass without a new maximum before a run ends. A judgement: near the end about
every other sweep lowers the objective a little, so that one or two without a rise say nothing."""
ROUNDING = 64
"""Rounding errors, of a mean's length, within which a row is that mean and has no direction. A
judgement: more than a sum and a difference err by, and less than any measurement does."""


@dataclass(frozen=True)
class Sweep:
    """State after a pass over the views."""

    centroids: tuple[FloatArray, ...]
    scores: tuple[FloatArray, ...]
    """Cosines of the centroids (rows) with the objects (columns), by view, until the next sweep."""
    votes: tuple[IntArray, ...]
    """The clusters by which each view was centred."""
    sums: tuple[FloatArray, ...]
    """The sums of directions that the centroids come from."""
    vote: IntArray
    """The clusters by which the next sweep centres the first view."""
    similarity: float


def sweep(views: Directions, state: Sweep) -> Sweep:
    """View by view, re-centre on the assignments of the others, then look again.

    The new cosines take the place of the old ones in memory.
    """
    centroids, scores = list(state.centroids), list(state.scores)
    votes, sums = list(state.votes), list(state.sums)
    for view, unit in enumerate(views.units):
        # The E step of the others leads to the M step of this view: COTRAIN, section 2.3.
        labels = vote_of_others(views, scores, view) if view else state.vote
        sums[view] = updated_sums(unit, sums[view], votes[view], labels)
        votes[view] = labels
        centroids[view] = mean_directions(views, view, labels, sums[view], scores[view])
        scores[view] = cosines(unit, centroids[view], out=scores[view])
    return _measured(views, centroids, scores, votes, sums)


def from_labels(views: Directions, labels: IntArray, scores: FloatArray) -> Sweep:
    """Centre every view on one partition; ``scores`` say whom an empty cluster is to take."""
    sums = [sum_directions(unit, labels, len(scores)) for unit in views.units]
    centroids = [mean_directions(views, view, labels, own, scores) for view, own in enumerate(sums)]
    return _measured(views, centroids, _scores(views, centroids), [labels] * len(sums), sums)


def _measured(
    views: Directions,
    centroids: Sequence[FloatArray],
    scores: Sequence[FloatArray],
    votes: Sequence[IntArray],
    sums: Sequence[FloatArray],
) -> Sweep:
    vote, total = vote_and_similarity(views, scores)
    similarity = total / max(int(np.count_nonzero(views.shown)), 1)
    return Sweep(tuple(centroids), tuple(scores), tuple(votes), tuple(sums), vote, similarity)


def sweep_to_new_maximum(views: Directions, state: Sweep) -> Sweep:
    """Sweep on until the similarity is higher than before; the old state if it does not rise."""
    reached = state
    for _ in range(PATIENCE):
        reached = sweep(views, reached)
        if reached.similarity > state.similarity:
            return reached
        if reached.similarity == state.similarity:  # a fixed point
            break
    # The sweeps have written over the cosines of the old state, which are not its own any more.
    return replace(state, scores=())


def vote_of_others(views: Directions, scores: Sequence[FloatArray], view: int) -> IntArray:
    """Cluster of each object by its other views, or by this one where it has no other."""
    others = [score for other, score in enumerate(scores) if other != view]
    if not others:
        return best_cluster(scores[view])
    return _lone_by_themselves(best_cluster(reduce(np.add, others)), views, scores, view)


def vote_and_similarity(views: Directions, scores: Sequence[FloatArray]) -> tuple[IntArray, float]:
    """Vote of the others on the first view, and the sum over objects of the largest score.

    The latter is of the scores added up over all views; one pass finds both.
    """
    from manyviews.cluster.co_spherical_k_means_kernels import best_and_sum_of_best

    first, *others = scores
    if not others:
        labels, best = best_and_score(first)
        return labels, float(best.sum(dtype=np.float64))
    labels, total = best_and_sum_of_best(reduce(np.add, others), first)
    return _lone_by_themselves(labels, views, scores, 0), float(total)


def _lone_by_themselves(
    labels: IntArray, views: Directions, scores: Sequence[FloatArray], view: int
) -> IntArray:
    """Give the objects that no other view shows the best cluster of this one."""
    alone = views.alone[view]
    if len(alone):
        labels[alone] = best_cluster(scores[view][:, alone])
    return labels


def updated_sums(unit: Matrix, sums: FloatArray, before: IntArray, after: IntArray) -> FloatArray:
    """Sums by cluster, found from the objects that moved as long as these are few."""
    from manyviews.cluster import co_spherical_k_means_kernels as kernels

    moved = kernels.changed_rows(before, after)
    # A move costs two additions, so that from half of the rows on it is cheaper to add up anew; a
    # quarter is a judgement, as rows that moved lie apart in memory too.
    if len(moved) > len(after) // 4:
        return sum_directions(unit, after, len(sums))
    sums = sums.copy()
    if is_sparse(unit):
        kernels.move_sparse_rows(unit.data, unit.indices, unit.indptr, moved, before, after, sums)
    else:
        # Sums by pair of clusters are to be added in the end; by a judgement, for a tenth at most.
        pairs_are_few = 10 * len(sums) ** 2 < len(moved)
        move = kernels.move_rows_by_pair if pairs_are_few else kernels.move_rows
        move(unit, moved, before, after, sums)
    return sums


def mean_directions(
    views: Directions, view: int, labels: IntArray, sums: FloatArray, scores: FloatArray
) -> FloatArray:
    """Mean direction of each cluster; an empty one takes the object that suits its own least."""
    from manyviews.cluster.co_spherical_k_means_kernels import empty_clusters

    unit, shown = views.units[view], views.shown[:, view]
    centroids = unit_length(sums)  # μ_i = Σ_j y_ij x_j, of length one, maximises Eq. (2)
    empty = empty_clusters(labels, shown, len(sums))
    if len(empty):
        suits = np.where(shown, scores.max(axis=0), np.inf)
        lost = np.argsort(suits, kind="stable")[: min(len(empty), int(shown.sum()))]
        centroids[empty] = 0.0  # of sums that moves have left there, only rounding
        centroids[empty[: len(lost)]] = unit_length(
            dense_rows(unit[lost])
        )  # without their view's weight
    return centroids


def consensus(views: Directions, state: Sweep) -> tuple[FloatArray, ...]:
    """Centroids of the objects on whose cluster all their views agree; where none, as they were."""
    joint = best_cluster(reduce(np.add, state.scores))
    agreed = np.ones(len(joint), dtype=bool)
    for shown, score in zip(views.shown.T, state.scores, strict=True):
        agreed &= (best_cluster(score) == joint) | ~shown
    members = np.where(agreed, joint, -1)
    sums = [sum_directions(unit, members, len(state.centroids[0])) for unit in views.units]
    return tuple(_recentred(new, old) for new, old in zip(sums, state.centroids, strict=True))


def _recentred(sums: FloatArray, centroids: FloatArray) -> FloatArray:
    """Mean directions by new sums; a cluster without any object keeps its centroid."""
    means = unit_length(sums)
    return np.where(means.any(axis=1, keepdims=True), means, centroids)


def _scores(views: Directions, centroids: Sequence[FloatArray]) -> list[FloatArray]:
    return [cosines(unit, rows) for unit, rows in zip(views.units, centroids, strict=True)]


# -- the start -------------------------------------------------------------------------------------


def start(views: Directions, n_clusters: int, rng: np.random.Generator) -> Sweep:
    """Divide the objects among seeds that lie far apart, centre every view on that, and sweep."""
    scores = k_means_plus_plus(views, n_clusters, rng)
    return sweep(views, from_labels(views, best_cluster(scores), scores))


def k_means_plus_plus(views: Directions, n_seeds: int, rng: np.random.Generator) -> FloatArray:
    """Mean cosines of all objects with seeds that greedy k-means++ draws [@arthur2007]."""
    n_trials = 2 + int(np.log(n_seeds))  # the number of scikit-learn's greedy k-means++
    shown = views.shown.astype(np.float32)
    found = [mean_cosines(views.units, shown, rng.integers(len(shown), size=1))[0]]
    gaps = np.maximum(1.0 - found[0], 0.0)  # half the squared chord, which k-means++ draws by
    for _ in range(1, n_seeds):
        trials = mean_cosines(views.units, shown, _draw(gaps, n_trials, rng))
        closer = np.minimum(1.0 - trials, gaps)
        np.maximum(closer, 0.0, out=closer)
        chosen = int(closer.sum(axis=1).argmin())
        gaps = closer[chosen]
        found.append(trials[chosen])
    return np.stack(found)


def mean_cosines(units: Sequence[Matrix], shown: FloatArray, rows: IntArray) -> FloatArray:
    """Mean cosine of some objects with all, over the views that both show; 0 where there is none.

    Objects that share no view are taken to be as unlike as two that share no word.
    """
    total = reduce(np.add, (cosines(unit, unit_length(dense_rows(unit[rows]))) for unit in units))
    shared = shown[rows] @ shown.T
    total /= np.maximum(shared, 1.0, out=shared)
    return total


def _draw(weights: FloatArray, size: int, rng: np.random.Generator) -> IntArray:
    """Draw by weight; evenly if all weights are zero."""
    cumulated = np.cumsum(weights, dtype=np.float64)
    if cumulated[-1] <= 0:
        return rng.integers(len(weights), size=size)
    places = np.searchsorted(cumulated, rng.random(size) * cumulated[-1], side="right")
    return np.minimum(places, len(weights) - 1)


# -- rows as directions ----------------------------------------------------------------------------


def feature_means(views: Views, center: Any) -> dict[str, FloatArray]:
    """Mean of the observed rows of each view that is to be centred.

    Examples
    --------
    >>> views = Views({"sizes": [[1.0, 2.0], [3.0, 4.0]], "words": [[0, 0, 0, 1], [0, 2, 0, 0]]})
    >>> feature_means(views, "auto")
    {'sizes': array([2., 3.])}
    """
    means = {}
    for name, wanted in per_view(center, views.names, parameter="center").items():
        rows = views[name][np.flatnonzero(views.observed_in(name))]
        if rows.shape[0] and (not mostly_zeros(rows) if wanted == "auto" else wanted):
            means[name] = np.asarray(rows.mean(axis=0, dtype=np.float64)).ravel()
    return means


def centred_rows(matrix: Matrix, mean: FloatArray | None) -> Matrix:
    """Rows less a mean, if there is one; what is sparse is made dense by that."""
    if mean is None:
        return matrix
    dense = dense_within_memory(matrix, "a view less its mean", remedy="set center=False for it")
    rows = dense - mean.astype(dense.dtype)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    rows[lengths <= ROUNDING * np.finfo(rows.dtype).eps * np.linalg.norm(mean)] = 0.0
    return rows


def mean_resultant_lengths(views: Directions) -> FloatArray:
    """Length of the mean direction of each view: 1 where all point the same way, 0 where all ways.

    Examples
    --------
    >>> units = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[1.0], [1.0]])
    >>> mean_resultant_lengths(Directions(units, np.ones((2, 2), dtype=bool), ())).round(3)
    array([0.707, 1.   ])
    """
    sums = [np.linalg.norm(np.asarray(unit.sum(axis=0, dtype=np.float64))) for unit in views.units]
    return np.array(sums) / np.maximum(views.shown.sum(axis=0), 1)


# -- the estimator ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class DirectionSums:
    """Summed directions of the objects in each cluster, by view; they add up over subsets."""

    sums: dict[str, FloatArray]

    def __add__(self, other: DirectionSums) -> DirectionSums:
        return DirectionSums({name: rows + other.sums[name] for name, rows in self.sums.items()})


class CoSphericalKMeans(AlternatingMixin, BaseMultiViewClusterer):
    """Cluster objects, such as linked texts, by the directions of their features in several views.

    Only directions count: an object and its double are the same. Directions are seen from zero in
    views of mostly zeros, such as words, and from the mean of all objects in other views. Each
    view learns its centres from the clusters that the *other* views see, so that what is chance in
    one view is averaged away and what the views share remains.

    Parameters
    ----------
    n_clusters : int
        How many clusters.
    center : "auto", bool, list or dict
        Whether the mean of the features is taken away first, for all views or for each. By default
        where fewer than three quarters of the cells are zeros. ``False`` as in the paper.
    view_weights : "auto", list, dict or None
        How much the cosines of each view count. By default alike, but nothing where a view looks
        empty of structure (:func:`~manyviews.similarity.judge_views`, asked of a thousand objects
        at most), of which a warning tells; None for all alike.
    n_init : int
        How many starts; the one with the highest objective is kept.
    max_iter : int
        How many new maxima to go for from each start.
    tol : float
        A start is done when the objective, at most 1, rises by no more than this.
    random_state : int, RandomState, Generator or None
        Seed of the starts.
    verbose : int
        1 reports each start, 2 each step.

    Attributes
    ----------
    labels_ : array of int
        Cluster of each object.
    cluster_centers_ : dict of arrays
        Unit centres by view, one row per cluster; of the views that weigh anything.
    feature_means_ : dict of arrays
        What is taken away from the rows, for each view that is centred.
    view_weights_ : dict of float
        How much each view counts.
    turns_ : tuple of str
        The views that weigh anything, in the order in which a sweep takes them.
    objective_history_ : array
        Objective at the start and after each step of the best run.
    n_iter_ : int
        Steps of the best run.
    converged_ : bool
        Whether it ended before ``max_iter``.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.cluster import CoSphericalKMeans
    >>> views = {
    ...     "words": [[3.0, 0.0], [1.0, 0.1], [0.0, 2.0], [0.2, 5.0]],
    ...     "links": [[0.0, 1.0], None, [4.0, 0.0], [1.0, 0.0]],
    ... }
    >>> model = CoSphericalKMeans(n_clusters=2, center=False, random_state=0).fit(views)
    >>> bool(model.labels_[0] == model.labels_[1] != model.labels_[2] == model.labels_[3])
    True
    >>> new = {"words": None, "links": [[0.1, 7.0]]}
    >>> bool(model.predict(new)[0] == model.labels_[0])
    True

    Notes
    -----
    **Objective**
        The similarity of the objects to the centres of their clusters, over all views:
        ``sum_i max_j sum_v w_v <x_i^v, c_j^v>``, divided by the number of pairs of an object and a
        view that shows it a direction. The method of [@bickel2004] alternates without climbing
        it: a sweep can lower it, and near the end about every other one does, a little. So one
        step here is to sweep on until the objective reaches a new maximum; a run ends when three
        sweeps bring none, or one that is smaller than ``tol``. Hence ``objective_history_`` rises.

    **Symbols**
        ``x_i^(v)`` → row of a view, centred or not, at unit length; ``w_v`` → ``view_weights_``,
        brought to a mean of 1; ``c_j^(v)`` → centre; ``m_j^(v)``, the consensus
        mean vector → ``cluster_centers_``; ``π_j`` → ``labels_ == j``.

    **Algorithm**
        1. ``start``: seeds by greedy k-means++ on ``1 - cos``, averaged over the views that two
           objects share; every view is centred on the partition that the seeds make.
        2. ``sweep``: view by view, clusters by the other views (``vote_of_others``), then the mean
           direction of each cluster in this view (``mean_directions``), then new cosines.
        3. ``consensus``: centres of the objects on which all their views agree.
        4. Each object goes to the cluster of largest summed cosine with these.

    **Deviations**
        *More than two views*: the others vote by the sum of their cosines, which for two views is
        the paper's rule. *One view* is its own other: plain spherical k-means. *Unobserved views*
        and rows of zeros have no direction, add nothing to any sum, and take no part in the
        agreement; an object with one direction only votes for itself, one without any goes to
        cluster 0. *Empty clusters* take the object that is least similar to any centre of that
        view, the next one the second least, and so on. *The start* is a partition made over
        all views, where the paper starts from random centres in one. A cluster on which no object
        agrees keeps the centre of the last sweep. *Views other than texts*: the paper has words
        and links only. Measurements far from zero all point the same way, so that ``center``
        moves zero to their mean: the nine development sets with such views come to an NMI of .68
        in the mean by that, and to .57 without (three draws each). Five gain, most of all points
        in a plane, without which it is .64 against .61; four lose, digits most, .07.
        *Weights*: the paper has none. *Turns*: the view of the widest spread begins, so that the
        order in which views are given changes nothing; on the twenty development sets the mean NMI
        is .583 by that, .580 the other way round and .578 in the order given (three draws each).

    **Complexity**
        A sweep costs ``O(n d k)`` per view (``O(nnz k)`` if sparse) and keeps ``n k`` cosines per
        view; the directions are one copy of the views. Single precision is kept.

    References
    ----------
    [@bickel2004], [@dalvi2015], [@dhillon2001], [@arthur2007]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, additive=True)

    cluster_centers_: dict[str, FloatArray]
    feature_means_: dict[str, FloatArray]
    view_weights_: dict[str, float]
    turns_: tuple[str, ...]

    def __init__(
        self,
        n_clusters: Count = 8,
        *,
        center: ByView[bool] | Literal["auto"] = "auto",
        view_weights: AutoViewWeights = "auto",
        n_init: Repeats = 10,
        max_iter: Count = 100,
        tol: NonNegative = 1e-5,
        random_state: RandomState = None,
        verbose: Verbosity = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.center = center
        self.view_weights = view_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X: ViewsLike) -> IntArray:
        """Put each object into the cluster of largest cosine, summed over the views it shows."""
        return self._assigned(self._directions_of(self._new_views(X)))

    def summarize(self, X: ViewsLike) -> DirectionSums:
        """Sum up directions by the clusters that the other views see, around the fitted centres."""
        views = self._directions_of(self._new_views(X))
        scores = _scores(views, list(self.cluster_centers_.values()))
        sums = [
            sum_directions(unit, vote_of_others(views, scores, view), len(scores[view]))
            for view, unit in enumerate(views.units)
        ]
        return DirectionSums(dict(zip(self.cluster_centers_, sums, strict=True)))

    def update(self, stats: DirectionSums) -> Self:
        """Move the centres to the mean directions; clusters without any object keep theirs."""
        for name, sums in stats.sums.items():
            self.cluster_centers_[name] = _recentred(sums, self.cluster_centers_[name])
        return self

    def _min_objects(self) -> int:
        return self.n_clusters

    def _prepare(self, views: Views, y: Any) -> Directions:  # noqa: ARG002 (a hook's signature)
        self.view_weights_ = weights_of_views(self.view_weights, views)
        used = used_views(views, self.view_weights_)
        hint_at_scales(used, used.names, type(self).__name__)
        self.feature_means_ = feature_means(used, self.center)
        self.turns_ = used.names
        given = self._directions_of(views)
        # By what the views show, so that the order in which they are given changes nothing.
        order = np.argsort(mean_resultant_lengths(given), kind="stable")
        self.turns_ = tuple(used.names[view] for view in order)
        units, alone = (tuple(own[v] for v in order) for own in (given.units, given.alone))
        return Directions(units, given.shown[:, order], alone)

    def _directions_of(self, views: Views) -> Directions:
        """Where the rows of the views that count point to from zero or from the mean.

        They are as long as their view weighs, so that cosines with unit centroids are weighted.
        """
        used = views.subset(self.turns_)
        weights = np.array([self.view_weights_[name] for name in used.names])
        weights /= weights.mean()
        rows = [
            centred_rows(matrix, self.feature_means_.get(name)) for name, matrix in used.items()
        ]
        found = directions(rows, used.observed)
        if (weights == 1).all():
            return found
        pairs = zip(found.units, weights, strict=True)
        return replace(found, units=tuple(unit * unit.dtype.type(weight) for unit, weight in pairs))

    def _start(self, problem: Directions, rng: np.random.Generator) -> Sweep:
        return start(problem, self.n_clusters, rng)

    def _step(self, problem: Directions, state: Sweep) -> Sweep:
        return sweep_to_new_maximum(problem, state)

    def _objective(self, state: Sweep) -> float:
        return state.similarity

    def _run(self, problem: Directions, rng: np.random.Generator, number: int) -> Run[Sweep]:
        """Let go of what a run needed to go on, as all runs are kept until the last."""
        run = super()._run(problem, rng, number)
        nobody = np.empty(0, dtype=np.int32)
        return replace(run, state=replace(run.state, scores=(), votes=(), vote=nobody))

    def _store(self, problem: Directions, state: Sweep) -> None:
        scores = tuple(_scores(problem, state.centroids))
        centroids = consensus(problem, replace(state, scores=scores))
        self.cluster_centers_ = dict(zip(self.turns_, centroids, strict=True))
        self.labels_ = self._assigned(problem)

    def _assigned(self, views: Directions) -> IntArray:
        scores = _scores(views, list(self.cluster_centers_.values()))
        return best_cluster(reduce(np.add, scores))
