"""DBSCAN whose neighbourhoods unite or intersect those of several views [@kailing2004]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from manyviews.base import BaseMultiViewClusterer, ViewTags, accepts, described
from manyviews.cluster._density._neighbourhoods import Neighbours, automatic_radii, neighbourhoods
from manyviews.data import Views, per_view
from manyviews.exceptions import ParameterError
from manyviews.typing import (
    BoolArray,
    ByView,
    Count,
    IntArray,
    Matrix,
    NonNegative,
    Positive,
    ViewsLike,
    is_sparse,
)

NOISE = -1
_NOT_BY_NAME = {"mahalanobis", "precomputed", "seuclidean", "yule"}
"""Distances of scikit-learn that need a matrix beside the name, or that warn whatever comes."""


@dataclass(frozen=True)
class DensityClusters:
    """Clusters numbered by their first core object, -1 for noise, and who is a core object."""

    labels: IntArray
    core: BoolArray


def density_clusters(
    hoods: Iterable[sparse.csr_array], n_objects: int, min_samples: int
) -> DensityClusters:
    """Cluster by density from neighbourhoods that come in batches of rows, in order.

    A batch has a column per object and entries where two are neighbours, an object being its own.
    Nothing is kept of a batch but the links that join core objects anew, and the neighbours of
    objects that are not core, who are fewer than ``min_samples``.
    """
    core = np.zeros(n_objects, dtype=bool)
    joined = _Joined(n_objects)
    fringe = []
    first = 0
    for hood in hoods:
        rows = np.arange(first, first + hood.shape[0], dtype=np.int32)
        first += hood.shape[0]
        counts = np.diff(hood.indptr)
        core[rows] = counts >= min_samples
        ends = np.repeat(rows, counts), hood.indices
        linked = core[ends[0]] & core[ends[1]]  # a later core object will see this one in turn
        joined.link(ends[0][linked], ends[1][linked])
        loose = ~core[ends[0]]
        fringe.append((ends[0][loose], ends[1][loose]))
    labels = _numbered(joined.components(), core)
    _claim_border(labels, core, *(np.concatenate(ends) for ends in zip(*fringe, strict=True)))
    return DensityClusters(labels, core)


class _Joined:
    """Which objects hang together, as links come in; memory stays within a few numbers each."""

    def __init__(self, n_objects: int) -> None:
        self._component = np.arange(n_objects, dtype=np.int32)
        self._pending: list[tuple[IntArray, IntArray]] = []
        self._n_pending = 0

    def link(self, one: IntArray, other: IntArray) -> None:
        one, other = self._component[one], self._component[other]
        new = one != other
        self._pending.append((one[new], other[new]))
        self._n_pending += int(new.sum())
        if self._n_pending > 4 * len(self._component):
            self._merge()

    def components(self) -> IntArray:
        self._merge()
        return self._component

    def _merge(self) -> None:
        if self._n_pending:
            n_objects = len(self._component)
            ends = tuple(np.concatenate(side) for side in zip(*self._pending, strict=True))
            ones = np.ones(len(ends[0]), dtype=np.int8)
            graph = sparse.coo_array((ones, ends), shape=(n_objects, n_objects)).tocsr()
            self._component = connected_components(graph, directed=False)[1][self._component]
        self._pending, self._n_pending = [], 0


def _numbered(components: IntArray, core: BoolArray) -> IntArray:
    """Labels of the core objects, clusters numbered in the order of their first; else noise."""
    labels = np.full(len(core), NOISE, dtype=np.int64)
    _, firsts, places = np.unique(components[core], return_index=True, return_inverse=True)
    labels[core] = np.argsort(np.argsort(firsts))[places]
    return labels


def _claim_border(labels: IntArray, core: BoolArray, rows: IntArray, near: IntArray) -> None:
    """Give every object near core objects, itself none, to the first of their clusters."""
    reached = core[near]
    found = first_cluster(rows[reached], labels[near[reached]], len(labels))
    labels[~core] = found[~core]


def first_cluster(rows: IntArray, clusters: IntArray, n_rows: int) -> IntArray:
    """Lowest cluster number among those listed for each row; noise where there is none."""
    lowest = np.full(n_rows, np.iinfo(np.int64).max)
    np.minimum.at(lowest, rows, clusters)
    return np.where(lowest == np.iinfo(np.int64).max, NOISE, lowest)


class MultiViewDBSCAN(BaseMultiViewClusterer):
    """Find clusters of any shape and leave outliers out, where being near is judged in each view.

    With ``rule="union"`` two objects are neighbours when *some* view shows them near: for views
    that are each right when they say "near" but see only a part (texts with few words, missing
    views). With ``rule="intersection"`` *all* views must: for views that each take different
    things for near.

    **Objective**
        None: the clusters are defined. With ``N_v(o)`` the objects within ``eps_v`` of ``o`` in
        view ``v``, and ``N(o)`` their union (intersection) over the views, ``o`` is a *core
        object* if ``|N(o)| >= min_samples``; core objects in each other's ``N`` share a cluster,
        and so do the objects in the ``N`` of a core object; all others are noise.

    **Symbols**
        ``ε_i`` → ``eps_[view]``; ``k``, ``MinPts`` → ``min_samples``; ``N^{R_i}_{ε_i}(o)`` → a row
        of ``Neighbours.within``.

    **Algorithm**
        1. ``eps="auto"``: in each view the distance at the knee of the k-distance curve, with
           ``k = min_samples`` or, for an intersection, the first ``k`` of a growing series that
           makes half of the objects core objects (``automatic_radii``).
        2. ``neighbourhoods``: search each view by batches of rows, unite or intersect.
        3. ``density_clusters``: core objects, their connected components, the objects around.

    **Deviations**
        *Unobserved views* have empty neighbourhoods. So under ``"union"`` an object is judged by
        the views that it has; under ``"intersection"`` an object that lacks a view has no
        neighbours and **is noise**: nothing shows that all views agree on it. Fill the gaps
        first, or leave the view out, if that is not what you mean. *Border objects* near core
        objects of several clusters go to the first of these, as in scikit-learn; the paper leaves
        it to the order of processing. *New objects* are placed by the same rule among the core
        objects: not to the nearest, since distances of different views do not compare.

    **Complexity**
        That of the neighbour search in each view (scikit-learn's: trees up to 15 features, brute
        force for more and for sparse views), and linear in the pairs of neighbours. These are
        never held together: memory is that of 1,024 neighbourhoods and of ``min_samples`` numbers
        per object.

    Parameters
    ----------
    eps : float, "auto", list or dict
        Radius, for all views or for each.
    min_samples : int
        Objects that a neighbourhood needs, the object itself among them.
    rule : {"union", "intersection"}
        How neighbourhoods of the views come together.
    metric : str, callable, list or dict
        Distance, for all views or for each: a name that scikit-learn's ``NearestNeighbors`` knows
        (``"cosine"`` suits text) or a function of two rows.

    Attributes
    ----------
    labels_ : array of int
        Cluster of each object; -1 is noise.
    core_sample_indices_ : array of int
        Rows of the core objects.
    components_ : dict of matrices
        Core objects in each view.
    components_observed_ : array of bool
        Which core object is observed in which view.
    eps_ : dict of float
        Radius used in each view.
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

    References
    ----------
    [@kailing2004], [@schubert2005], [@ester1996]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    core_sample_indices_: IntArray
    components_: dict[str, Matrix]
    components_observed_: BoolArray
    eps_: dict[str, float]

    def __init__(
        self,
        eps: ByView[Positive | Literal["auto"]] = "auto",
        min_samples: Count = 5,
        *,
        rule: Literal["union", "intersection"] = "union",
        metric: ByView[str | Callable[..., float]] = "euclidean",
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.rule = rule
        self.metric = metric

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        strict = cls(rule="intersection")
        strict._contract_exemptions = {
            "one_view_is_enough_to_predict": "under rule='intersection' all views must agree, so "
            "an object that lacks one is noise"
        }
        yield strict

    def fit(self, X: ViewsLike, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Find the clusters."""
        views = self._fit_views(X)
        searches = self._searches(views)
        given = self._given_radii(views.names)
        self.eps_ = automatic_radii(searches, given, views, self.min_samples, self.rule)
        found = density_clusters(
            neighbourhoods(searches, self.eps_, views, self.rule), len(views), self.min_samples
        )
        self.labels_ = found.labels
        self.core_sample_indices_ = np.flatnonzero(found.core)
        centres = views[self.core_sample_indices_]
        self.components_ = dict(centres.items())
        self.components_observed_ = np.array(centres.observed)
        return self

    def predict(self, X: ViewsLike) -> IntArray:
        """Place objects in the first cluster that has a core object in their neighbourhood.

        For the objects of ``fit`` this gives ``labels_``; -1 where no core object is near.
        """
        views = self._new_views(X)
        core_labels = self.labels_[self.core_sample_indices_]
        if len(core_labels) == 0:
            return np.full(len(views), NOISE, dtype=np.int64)
        searches = self._searches(Views(self.components_, observed=self.components_observed_))
        found = [
            first_cluster(
                np.repeat(np.arange(hood.shape[0]), np.diff(hood.indptr)),
                core_labels[hood.indices],
                hood.shape[0],
            )
            for hood in neighbourhoods(searches, self.eps_, views, self.rule)
        ]
        return np.concatenate(found)

    def _searches(self, views: Views) -> dict[str, Neighbours]:
        metrics = per_view(self.metric, views.names, parameter="metric")
        searches = {}
        for name, matrix in views.items():
            seen = views.observed_in(name)
            if callable(metrics[name]):
                _try_distance(metrics[name], matrix[np.flatnonzero(seen)[:2]], name)
            else:
                _refuse_unknown_distance(metrics[name], matrix, name)
            searches[name] = Neighbours.among(matrix, seen, metrics[name])
        return searches

    def _given_radii(self, names: tuple[str, ...]) -> dict[str, float | None]:
        """Radius of each view; ``None`` is to be found."""
        given = per_view(self.eps, names, parameter="eps")
        return {name: None if eps == "auto" else float(eps) for name, eps in given.items()}


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
