"""DBSCAN whose neighbourhoods unite or intersect those of several views [@kailing2004].

From the top: clusters from neighbourhoods, the search for neighbours view by view, radii found from
the data, the estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from manyviews.base import (
    BaseMultiViewClusterer,
    ViewTags,
    accepts,
    described,
    hint_at_counts,
    hint_at_scales,
    warn_of_minutes,
    warn_user,
)
from manyviews.data import Views, per_view
from manyviews.exceptions import ParameterError, ViewsError, ViewsWarning
from manyviews.maths import mostly_zeros
from manyviews.similarity import evenly_spaced, used_views, weights_of_views
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    FloatArray,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    Verbosity,
    ViewsLike,
    is_sparse,
)

__all__ = ["MultiViewDBSCAN"]

Rule: TypeAlias = Literal["union", "intersection"]

NOISE = -1
"""Label of objects in no cluster, as in scikit-learn."""
BATCH = 1024
"""Rows searched at a time, which bounds the memory when a radius takes in everything. A judgement:
then they are as many numbers as a view of 1,024 features has."""
CURVE = 4096
"""Objects, evenly spaced in their order, that a k-distance curve is drawn from at most. A
judgement: the share of the objects below a radius then errs by .008 (standard error) at most."""
SAMPLE = 2048
"""Objects, evenly spaced in their order, among whom radii are tried. A judgement: four million
distances a view, 34 MB."""
MARGIN = 1e-6
"""Share by which a radius is widened, so that rounding does not cut off the object it ends at. A
judgement: far above what distances err by, far below what tells objects apart."""
SHARES = np.geomspace(0.02, 0.95, 20)
"""Shares of the objects that a radius of a union makes dense: from nearly none to nearly all."""
CROWDED = 0.75
"""Share of the objects that a radius of an intersection makes dense in a view. Over the 20
development sets 0.75 gives an NMI of 0.306, a half 0.259, a quarter 0.246."""
N_COUNTS = 24
"""Numbers of neighbours tried for an intersection, at most. A judgement: with 2,048 objects each is
about a fifth more than the one before."""
LONG = 1e10
"""Pairs of objects in all views beyond which finding neighbourhoods takes half a minute: of
20,000 in two views of 20 features, 8e8, it took 3.6 s of one processor (2026-11)."""
_NOT_BY_NAME = {"mahalanobis", "precomputed", "seuclidean", "yule"}
"""Distances of scikit-learn that need a matrix beside the name, or that warn whatever comes."""


def density_clusters(
    batches: Iterable[sparse.csr_array], n_objects: int, min_samples: int
) -> tuple[IntArray, BoolArray]:
    """Labels and core objects, from neighbourhoods that come in batches of rows, in order.

    A batch has a column per object and entries where two are neighbours, an object being its own.
    Nothing is kept of a batch but the links that join core objects anew, and the neighbours of
    objects that are not core, who are fewer than ``min_samples``. Clusters are numbered by their
    first core object.
    """
    core = np.zeros(n_objects, dtype=bool)
    components = _Components(n_objects)
    borders = []
    first = 0
    for batch in batches:
        rows = np.arange(first, first + batch.shape[0], dtype=np.int32)
        first += batch.shape[0]
        counts = np.diff(batch.indptr)
        core[rows] = counts >= min_samples  # |N(o)| ≥ k: a core object of [@kailing2004]
        own, near = np.repeat(rows, counts), batch.indices
        linked = core[own] & core[near]  # a later core object will see this one in turn
        components.link(own[linked], near[linked])
        loose = ~core[own]
        borders.append((own[loose], near[loose]))
    own, near = (np.concatenate(ends) for ends in zip(*borders, strict=True))
    labels = np.full(n_objects, NOISE, dtype=np.int64)
    _, firsts, places = np.unique(components.merged()[core], return_index=True, return_inverse=True)
    labels[core] = np.argsort(np.argsort(firsts))[places]
    reached = core[near]
    labels[~core] = first_cluster(own[reached], labels[near[reached]], n_objects)[~core]
    return labels, core


class _Components:
    """Connected components as links come in; memory stays within a few numbers per object."""

    def __init__(self, n_objects: int) -> None:
        self._of = np.arange(n_objects, dtype=np.int32)
        self._links: list[tuple[IntArray, IntArray]] = []
        self._n_links = 0

    def link(self, one: IntArray, other: IntArray) -> None:
        one, other = self._of[one], self._of[other]
        new = one != other
        self._links.append((one[new], other[new]))
        self._n_links += int(new.sum())
        # Merging is linear in objects and links, so that it waits for more links than objects.
        if self._n_links > 4 * len(self._of):
            self.merged()

    def merged(self) -> IntArray:
        """The component of each object, by all links so far."""
        if self._n_links:
            n_objects = len(self._of)
            ends = tuple(np.concatenate(side) for side in zip(*self._links, strict=True))
            ones = np.ones(len(ends[0]), dtype=np.int8)
            graph = sparse.coo_array((ones, ends), shape=(n_objects, n_objects)).tocsr()
            self._of = connected_components(graph, directed=False)[1][self._of]
        self._links, self._n_links = [], 0
        return self._of


def first_cluster(rows: IntArray, clusters: IntArray, n_rows: int) -> IntArray:
    """Lowest cluster number among those listed for each row; noise where there is none."""
    lowest = np.full(n_rows, np.iinfo(np.int64).max)
    np.minimum.at(lowest, rows, clusters)
    return np.where(lowest == np.iinfo(np.int64).max, NOISE, lowest)


# -- neighbourhoods --------------------------------------------------------------------------------


@dataclass(frozen=True)
class NeighbourSearch:
    """A search among the objects that one view shows."""

    rows: Matrix
    metric: Any
    finder: Any
    """scikit-learn's search, or ``None`` where nobody is shown."""
    places: IntArray
    """Which objects these are."""
    n_objects: int

    @classmethod
    def among(cls, matrix: Matrix, seen: BoolArray, metric: Any) -> NeighbourSearch:
        """Prepare a search among the rows that are seen."""
        from sklearn.neighbors import NearestNeighbors

        places = np.flatnonzero(seen).astype(np.int32)
        if len(places) == 0:
            return cls(matrix, metric, None, places, len(seen))
        rows = matrix if seen.all() else matrix[places]
        return cls(rows, metric, NearestNeighbors(metric=metric).fit(rows), places, len(seen))

    def within(self, radius: float, matrix: Matrix, seen: BoolArray) -> sparse.csr_array:
        """For each row the objects within a radius (1 in that column); none for a row unseen."""
        counts = np.zeros(len(seen) + 1, dtype=np.int64)
        columns = np.empty(0, dtype=np.int32)
        if seen.any() and self.finder is not None:
            rows = matrix if seen.all() else matrix[np.flatnonzero(seen)]
            if is_sparse(rows) and not is_sparse(self.rows):  # which a tree cannot read
                rows = rows.toarray()
            found = self.finder.radius_neighbors(rows, radius, return_distance=False)
            counts[1:][seen] = [len(near) for near in found]
            columns = self.places[np.concatenate(found)]
        ones = np.ones(len(columns), dtype=np.int8)
        shape = (len(seen), self.n_objects)
        return sparse.csr_array((ones, columns, np.cumsum(counts)), shape=shape)

    def k_distances(self, n_neighbors: int) -> FloatArray:
        """Rising distances to the ``n_neighbors``-th object, the object itself being the first."""
        n_seen = len(self.places)
        some = self.rows[evenly_spaced(n_seen, CURVE)]
        distances, _ = self.finder.kneighbors(some, n_neighbors=min(n_neighbors, n_seen))
        return np.sort(distances[:, -1])


def neighbourhoods(
    searches: Mapping[str, NeighbourSearch], radii: Mapping[str, float], views: Views, rule: Rule
) -> Iterator[sparse.csr_array]:
    """Yield N(o) of the objects of ``views``, a batch of rows at a time.

    By ``rule``, the neighbourhoods of the views are united or intersected.
    """
    for first in range(0, len(views), BATCH):
        rows = views[first : first + BATCH]
        within = [
            searches[name].within(radii[name], matrix, rows.observed_in(name))
            for name, matrix in rows.items()
        ]
        if rule == "union":
            # Core objects by the union of the local neighbourhoods [@kailing2004].
            yield reduce(lambda one, other: one.maximum(other), within)
        else:
            # Core objects by their intersection [@kailing2004].
            yield reduce(lambda one, other: one.multiply(other).tocsr(), within)


# -- radii from the data ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """A radius, without a unit: so wide that a share of the objects has so many neighbours."""

    n_neighbors: int
    share: float

    def radius(self, k_distances: FloatArray, view: str) -> float:
        """Radius in a view, from its rising distances to the ``n_neighbors``-th object."""
        radius = k_distances[int(np.ceil(self.share * len(k_distances))) - 1]
        if radius <= 0:  # copies: the smallest distance between different objects
            positive = k_distances[k_distances > 0]
            if len(positive) == 0:
                raise ViewsError(
                    f"view {view!r} shows every object at least {self.n_neighbors} times, so that "
                    "no distance can be told from its copies; give eps as a number, or leave the "
                    "view out."
                )
            radius = positive[0]
        return float(radius) * (1.0 + MARGIN)


def growing_scales(rule: Rule, min_samples: int, n_objects: int) -> list[Scale]:
    """Scales to try, from narrow to wide.

    A union needs few objects to be dense in a view, as every view adds its own; an intersection
    needs many neighbours in each view for ``min_samples`` to be left of them.
    """
    if rule == "union":
        return [Scale(min_samples, float(share)) for share in SHARES]
    most = max(min_samples, n_objects // 4)
    counts = np.unique(np.geomspace(min_samples, most, N_COUNTS).astype(int))
    return [Scale(int(count), CROWDED) for count in counts]


def pairs_told_apart(labels: IntArray) -> int:
    """Ordered pairs of objects in two different clusters: none if all are noise, or are one.

    Examples
    --------
    >>> [pairs_told_apart(np.array(labels)) for labels in ([0, 0, 1, -1], [0] * 4, [-1] * 4)]
    [4, 0, 0]
    """
    sizes = np.bincount(labels[labels != NOISE])
    return int(sizes.sum() ** 2 - (sizes**2).sum())


def best_scale(nearness: IntArray, scales: list[Scale], min_samples: int) -> Scale:
    """Scale at which the clusters tell most pairs of objects apart; the narrowest among equals.

    ``nearness`` has for each two objects the number of the first scale at which they are near.
    """
    n_objects = len(nearness)
    best, most = scales[0], -1
    for number, scale in enumerate(scales):
        near = sparse.csr_array(nearness <= number)
        labels, _ = density_clusters([near], n_objects, min_samples)
        told = pairs_told_apart(labels)
        if told > most:
            best, most = scale, told
        largest = int(np.bincount(labels[labels != NOISE], minlength=1).max())
        # Clusters only grow from here on, and pairs within the largest are never told apart again.
        if n_objects**2 - largest**2 <= most:
            break
    return best


def automatic_radii(
    searches: Mapping[str, NeighbourSearch],
    given: Mapping[str, float | None],
    views: Views,
    min_samples: int,
    rule: Rule,
) -> dict[str, float]:
    """Radii as given, and where there is ``None`` those of the best scale for all of these.

    The scale is found among ``SAMPLE`` objects, and gives radii among all objects.
    """
    wanted = [name for name, radius in given.items() if radius is None]
    for name in wanted:
        if (n_seen := len(searches[name].places)) < 2:
            raise ViewsError(
                f"view {name!r} is observed for {n_seen} sample (object), which shows no distances "
                "to take eps from; give eps as a number, or leave the view out."
            )
    radii = {name: radius for name, radius in given.items() if radius is not None}
    if wanted:
        sample = evenly_spaced(len(views), SAMPLE)
        scales = growing_scales(rule, min_samples, len(sample))
        nearness = [
            _first_scale(searches[name], sample, given[name], scales, name) for name in views.names
        ]
        together = np.min if rule == "union" else np.max
        scale = best_scale(together(nearness, axis=0), scales, min_samples)
        for name in wanted:
            radii[name] = scale.radius(searches[name].k_distances(scale.n_neighbors), name)
    return {name: radii[name] for name in views.names}


def _first_scale(
    search: NeighbourSearch, sample: IntArray, given: float | None, scales: list[Scale], view: str
) -> IntArray:
    """Number of the first scale at which a view shows two objects of a sample near.

    With a radius that is given they are near at all scales, or at none.
    """
    from sklearn.metrics import pairwise_distances

    found = np.full((len(sample), len(sample)), len(scales), dtype=np.uint8)
    among, rows = np.flatnonzero(np.isin(sample, search.places)), np.isin(search.places, sample)
    if len(among) == 0:
        return found
    distances = pairwise_distances(search.rows[np.flatnonzero(rows)], metric=search.metric)
    if given is not None:
        near = np.where(distances <= given, 0, len(scales))
    else:
        # Rows sorted, then columns: column k − 1 is the k-distance curve of the sample.
        rising = np.sort(np.sort(distances, axis=1), axis=0)
        last = len(among) - 1
        radii = [one.radius(rising[:, min(one.n_neighbors - 1, last)], view) for one in scales]
        near = np.searchsorted(radii, distances)
    found[np.ix_(among, among)] = near
    return found


# -- the estimator ---------------------------------------------------------------------------------


class MultiViewDBSCAN(BaseMultiViewClusterer):
    """Find clusters of any shape and leave outliers out, where being near is judged in each view.

    With ``rule="union"`` two objects are neighbours when *some* view shows them near: for views
    that are each right when they say "near" but see only a part (texts with few words, missing
    views). With ``rule="intersection"`` *all* views must: for views that each take different
    things for near.

    It is meant for clusters of any shape among outliers, in few features, and where their number
    is not known. For compact clusters take :class:`CoRegularizedSpectral`: on the twenty sets of
    ``make quality`` its mean NMI is 0.58, that of k-means on balanced views 0.41, and 0.25 here.

    Parameters
    ----------
    eps : float, "auto", list or dict
        Radius, for all views or for each; by default found from the data. A start to vary from:
        what was taken is in ``eps_``.
    min_samples : int
        Objects that a neighbourhood needs, the object itself among them.
    rule : {"union", "intersection"}
        How neighbourhoods of the views come together.
    metric : "auto", str, callable, list or dict
        Distance, for all views or for each: a name that scikit-learn's ``NearestNeighbors`` knows,
        or a function of two rows. By default ``"cosine"`` for a view of which three quarters or
        more are zeros, such as words and links, and ``"euclidean"`` for others.
    view_weights : "auto" or None
        By "auto" a view that looks empty of structure, because its neighbourhoods look like
        chance, is left out, and a warning names it: it would join all clusters of a union, and
        leave nothing of an intersection. There is nothing between in and out, since an object is
        near or not. Objects that no other view shows are noise. None, or radii given by hand: all
        views are used.
    verbose : int
        1 prints the radii, and a line whenever a tenth of the objects is searched.

    Attributes
    ----------
    labels_ : array of int
        Cluster of each object; -1 is noise.
    core_sample_indices_ : array of int
        Rows of the core objects.
    components_ : dict of matrices
        Core objects in each view that is used.
    components_observed_ : array of bool
        Which core object is observed in which of these.
    eps_ : dict of float
        Radius in each view that is used.
    view_weights_ : dict of float
        1, or 0 for views that are left out.
    metrics_ : dict
        Distance in each view.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> from manyviews.cluster import MultiViewDBSCAN
    >>> views = {
    ...     "place": [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]],
    ...     "colour": [[1.0], [1.1], None, [1.1], [8.0], [4.0]],
    ... }
    >>> MultiViewDBSCAN(eps=0.3, min_samples=2).fit(views).labels_
    array([ 0,  0,  0,  0,  0, -1])
    >>> MultiViewDBSCAN(eps=0.3, min_samples=2, rule="intersection").fit(views).labels_
    array([ 0,  0, -1, -1, -1, -1])

    Notes
    -----
    **Objective**
        None: the clusters are defined. With ``N_v(o)`` the objects within ``eps_v`` of ``o`` in
        view ``v``, and ``N(o)`` their union (intersection) over the views, ``o`` is a *core
        object* if ``|N(o)| >= min_samples``; core objects in each other's ``N`` share a cluster,
        and so do the objects in the ``N`` of a core object; all others are noise.

    **Symbols**
        ``ε_i`` → ``eps_[view]``; ``k``, ``MinPts`` → ``min_samples``; ``N^{R_i}_{ε_i}(o)`` → a row
        of ``NeighbourSearch.within``.

    **Algorithm**
        1. ``view_weights="auto"``: views that look empty of structure are left out, if all radii
           are to be found.
        2. ``eps="auto"``, ``automatic_radii``: 20 radii from narrow to wide are tried, the same
           *scale* in all views: under ``"union"`` the radius within which a share of the objects,
           2 % to 95 %, has ``min_samples`` neighbours; under ``"intersection"`` the radius within
           which three quarters have ``min_samples`` to ``n / 4``. The one is taken whose clusters
           tell most pairs of objects apart: too narrow, and objects are noise, too wide, and they
           are one cluster. Of more than 2,048 objects so many are tried on.
        3. ``neighbourhoods``: search each view by batches of rows, unite or intersect.
        4. ``density_clusters``: core objects, their connected components, the objects around.

    **Deviations**
        *Unobserved views* have empty neighbourhoods. So under ``"union"`` an object is judged by
        the views that it has; under ``"intersection"`` an object that lacks a view has no
        neighbours and **is noise**: nothing shows that all views agree on it. Fill the gaps
        first, or leave the view out, if that is not what you mean. *Border objects* near core
        objects of several clusters go to the first of these, as in scikit-learn; the paper leaves
        it to the order of processing. *New objects* are placed by the same rule among the core
        objects: not to the nearest, since distances of different views do not compare. *Radii*:
        the papers take them by eye from the k-distance curve; its knee, as it is often found by
        machine, makes one cluster of most sets (NMI 0.005 in the mean over 20 sets, against 0.24).

    **Complexity**
        That of the neighbour search in each view (scikit-learn's: trees up to 15 features, brute
        force for more and for sparse views), and linear in the pairs of neighbours. These are
        never held together: memory is that of 1,024 neighbourhoods and of ``min_samples`` numbers
        per object.

    References
    ----------
    [@kailing2004], [@schubert2005], [@ester1996]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    core_sample_indices_: IntArray
    components_: dict[str, Matrix]
    components_observed_: BoolArray
    eps_: dict[str, float]
    metrics_: dict[str, str | Callable[..., float]]
    view_weights_: dict[str, float]

    def __init__(
        self,
        eps: ByView[Positive | Literal["auto"]] = "auto",
        min_samples: Count = 5,
        *,
        rule: Rule = "union",
        metric: ByView[str | Callable[..., float]] = "auto",
        view_weights: Literal["auto"] | None = "auto",
        verbose: Verbosity = 0,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.rule = rule
        self.metric = metric
        self.view_weights = view_weights
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        strict = cls(rule="intersection")
        strict._contract_exemptions = {
            "one_view_is_enough_to_predict": "under rule='intersection' all views must agree, so "
            "an object that lacks one is noise"
        }
        yield strict

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Find the clusters."""
        views = self._fit_views(X)
        self._check_labels(X, y)
        self.metrics_ = self._chosen_metrics(views)
        straight = [name for name, metric in self.metrics_.items() if metric == "euclidean"]
        hint_at_scales(views, straight, type(self).__name__)
        hint_at_counts(views, straight, type(self).__name__)
        given = {
            name: None if eps == "auto" else float(eps)
            for name, eps in per_view(self.eps, views.names, parameter="eps").items()
        }
        any_told = any(radius is not None for radius in given.values())
        self.view_weights_ = weights_of_views(None if any_told else self.view_weights, views)
        views = used_views(views, self.view_weights_)
        given = {name: given[name] for name in views.names}
        self._warn_of_long_search(views)
        searches = self._searches(views)
        self.eps_ = automatic_radii(searches, given, views, self.min_samples, self.rule)
        self._report(", ".join(f"eps {radius:.3g} in {name}" for name, radius in self.eps_.items()))
        batches = self._reported(neighbourhoods(searches, self.eps_, views, self.rule), len(views))
        self.labels_, core = density_clusters(batches, len(views), self.min_samples)
        self.core_sample_indices_ = np.flatnonzero(core)
        centres = views[self.core_sample_indices_]
        self.components_ = dict(centres.items())
        self.components_observed_ = np.array(centres.observed)
        if None in given.values():
            self._warn_of_no_structure()
        return self

    def _warn_of_long_search(self, views: Views) -> None:
        seen = views.observed.sum(axis=0, dtype=float)
        if (seen**2).sum() > LONG:
            warn_of_minutes(
                self,
                f"compares all pairs of {len(views):,} objects in each view",
                "cluster a sample and predict the others",
            )

    def predict(self, X: ViewsLike) -> IntArray:
        """Place objects in the first cluster that has a core object in their neighbourhood.

        For the objects of ``fit`` this gives ``labels_``; -1 where no core object is near.
        """
        views = used_views(self._new_views(X), self.view_weights_)
        core_labels = self.labels_[self.core_sample_indices_]
        if len(core_labels) == 0:
            return np.full(len(views), NOISE, dtype=np.int64)
        searches = self._searches(Views(self.components_, observed=self.components_observed_))
        found = [
            first_cluster(
                np.repeat(np.arange(batch.shape[0]), np.diff(batch.indptr)),
                core_labels[batch.indices],
                batch.shape[0],
            )
            for batch in neighbourhoods(searches, self.eps_, views, self.rule)
        ]
        return np.concatenate(found)

    def _chosen_metrics(self, views: Views) -> dict[str, str | Callable[..., float]]:
        chosen = per_view(self.metric, views.names, parameter="metric")
        for name, matrix in views.items():
            rows = matrix[np.flatnonzero(views.observed_in(name))]
            if callable(chosen[name]):
                _try_distance(chosen[name], rows[:2], name)
            elif chosen[name] == "auto":
                chosen[name] = "cosine" if mostly_zeros(rows) else "euclidean"
            else:
                _refuse_unknown_distance(chosen[name], matrix, name)
        return chosen

    def _searches(self, views: Views) -> dict[str, NeighbourSearch]:
        return {
            name: NeighbourSearch.among(matrix, views.observed_in(name), self.metrics_[name])
            for name, matrix in views.items()
        }

    def _warn_of_no_structure(self) -> None:
        n_clusters = len(np.unique(self.labels_[self.labels_ != NOISE]))
        if n_clusters < 2:
            found = "one cluster" if n_clusters else "only noise"
            warn_user(
                f"{type(self).__name__} found {found} at every radius that it tried; give eps by "
                "hand (eps_ has the last), lower min_samples, try the other rule, or take a "
                "method that is told the number of clusters.",
                ViewsWarning,
            )

    def _report(self, line: str) -> None:
        if self.verbose:
            print(f"{type(self).__name__}: {line}")

    def _reported(
        self, batches: Iterator[sparse.csr_array], n_objects: int
    ) -> Iterator[sparse.csr_array]:
        """Pass batches on, with a line whenever a tenth of the objects is done."""
        done = 0
        for batch in batches:
            tenths = 10 * done // n_objects
            done += batch.shape[0]
            if 10 * done // n_objects > tenths:
                self._report(f"neighbours of {done:,} of {n_objects:,} objects found")
            yield batch


def _refuse_unknown_distance(metric: str, matrix: Matrix, view: str) -> None:
    """Refuse a name that scikit-learn does not know for such a view, or that needs more than it."""
    from sklearn.neighbors import VALID_METRICS, VALID_METRICS_SPARSE

    if metric == "precomputed":
        raise ParameterError(
            f"metric='precomputed' for view {view!r} leaves new objects without a place; "
            "give features and the name of a distance, or a function of two rows."
        )
    sparse_rows = is_sparse(matrix)
    known = set((VALID_METRICS_SPARSE if sparse_rows else VALID_METRICS)["brute"]) - _NOT_BY_NAME
    if matrix.shape[1] != 2:
        known.discard("haversine")
    if metric not in known:
        raise ParameterError(
            f"metric={metric!r} for view {view!r} should be a function of two rows, or one of the "
            f"distances for {'sparse' if sparse_rows else 'dense'} views of {matrix.shape[1]} "
            f"columns, {', '.join(map(repr, sorted(known)))}."
        )


def _try_distance(metric: Callable[..., float], rows: Matrix, view: str) -> None:
    """Refuse a function that is no distance of the first two rows."""
    if rows.shape[0] == 0:
        return
    try:
        found: Any = metric(rows[0], rows[-1])
    except TypeError as error:
        raise ParameterError(
            f"metric={metric!r} for view {view!r} cannot be called with two rows; give a function "
            "of two rows, or the name of a distance."
        ) from error
    if not accepts(NonNegative, found):
        raise ParameterError(
            f"metric={metric!r} for view {view!r} gives {found!r} for two rows; a distance should "
            f"be {described(NonNegative)}."
        )
