"""Ward's method under Bregman divergences, on one view or on a sum over views [@gupta2005]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.utils.validation import check_is_fitted

from manyviews.base import (
    BaseMultiViewClusterer,
    ViewTags,
    check_argument,
    check_params,
    hint_at_scales,
    report,
    warn_of_minutes,
)
from manyviews.cluster.trees._shared import (
    compared_rows,
    coordinates,
    dense_columns,
    dense_view,
    is_wide,
    mean_rows,
    rooted_views,
)
from manyviews.data import Views, per_view
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import (
    BinaryRelativeEntropy,
    Divergence,
    GeneralizedKL,
    ItakuraSaito,
    Mahalanobis,
    SquaredEuclidean,
    SumOfDivergences,
    check_memory,
    cluster_cost,
    merge_cost,
)
from manyviews.similarity import weights_of_views
from manyviews.typing import (
    ByView,
    Count,
    FloatArray,
    IntArray,
    Positive,
    Verbosity,
    ViewsLike,
)

if TYPE_CHECKING:
    from manyviews.cluster.trees.bregman_ward_kernels import Clusters

__all__ = ["BregmanWard"]

Merges: TypeAlias = tuple[IntArray, FloatArray]
"""The two nodes of each merge, the smaller number first, where merge ``i`` makes node ``n + i``;
and how much each adds to the cost of the partition."""
Report: TypeAlias = Callable[[str], None]
"""Told how far the search is."""

LONG = 1e11
"""Squared objects times columns beyond which a search takes minutes, where 20 columns are added for
what a pair costs without any. Of 20,000 objects in 30 groups, 50 columns, 2.8e10, took 13 s of one
processor under squared distances and 19 s under ``GeneralizedKL``; two, 8.8e9, took 4 and 5 s
(2026-11)."""
_TIE = 1e-9
"""Relative difference up to which two distances may change places by rounding."""
_NOTHING = 1e-12
"""Merges that cost less than this share of the last one count as free when jumps are compared:
sums of equal terms, which should be zero, are as large."""


@dataclass(frozen=True)
class Part:
    """One view of some clusters, under one divergence."""

    matrix: FloatArray
    """Mean of each cluster, or the objects themselves."""
    sizes: FloatArray
    """How many objects of each cluster the view shows."""
    divergence: Divergence
    weight: float = 1.0

    def filled(self) -> FloatArray:
        """The rows, with the mean of all where there is none; such rows weigh nothing."""
        rows, shown = self.matrix.copy(), self.sizes > 0
        if not shown.all():
            rows[~shown] = rows[shown].mean(axis=0)
        return rows


# -- greedy agglomeration --------------------------------------------------------------------------


def agglomerate(parts: Sequence[Part], report: Report | None = None) -> Merges:
    """Merge clusters, seen in one or more parts, always by the cheapest merge.

    Clusters that share no view are joined when no others are left, which costs nothing.

    Examples
    --------
    >>> counts = np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0]])
    >>> children, costs = agglomerate([Part(counts, np.ones(3), GeneralizedKL())])
    >>> children.tolist(), costs.round(3).tolist()
    ([[0, 1], [2, 3]], [0.199, 8.485])
    """
    clusters = compiled_clusters(parts)
    if clusters is None:
        return agglomerate_in_numpy(parts, report)
    from manyviews.cluster.trees import bregman_ward_kernels as kernels

    n_objects, n_merges = len(parts[0].matrix), len(parts[0].matrix) - 1
    partners = kernels.Partners(
        np.full(n_objects, np.inf),
        np.full(n_objects, -1),
        np.zeros(n_objects, dtype=bool),
        np.ones(n_objects, dtype=bool),
        np.arange(n_objects),
    )
    children, costs = np.empty((n_merges, 2), dtype=np.intp), np.empty(n_merges)
    for first, last in pairwise(_stops(n_objects, report, power=2)):
        kernels.find_partners(clusters, partners, first, last)
        if report is not None:
            report(f"compared {last:,} of {n_objects:,} objects")
    for first, last in pairwise(_stops(n_merges, report)):
        kernels.merge(clusters, partners, children, costs, first, last)
        if report is not None:
            report(f"{last:,} of {n_merges:,} merges")
    return children, np.where(np.isfinite(costs), costs, 0.0)


def compiled_clusters(parts: Sequence[Part]) -> Clusters | None:
    """Write clusters as the compiled search takes them; None if it knows not all divergences."""
    from manyviews.cluster.trees import bregman_ward_kernels as kernels

    kinds: dict[type[Divergence], int] = {
        SquaredEuclidean: kernels.SQUARED,
        Mahalanobis: kernels.SQUARED,
        GeneralizedKL: kernels.KULLBACK_LEIBLER,
        BinaryRelativeEntropy: kernels.KULLBACK_LEIBLER,
        ItakuraSaito: kernels.ITAKURA_SAITO,
    }
    columns: list[FloatArray] = []
    terms, weights, sizes, width = [], [], [], 0
    for part in parts:
        for weight, divergence in _summands(part.divergence):
            if type(divergence) not in kinds:
                return None
            columns.append(_columns(part.filled(), divergence))
            terms.append((kinds[type(divergence)], width, width + columns[-1].shape[1]))
            width += columns[-1].shape[1]
            weights.append(part.weight * weight)
            sizes.append(part.sizes)
    clusters = kernels.Clusters(
        np.array(terms),
        np.array(weights),
        np.ascontiguousarray(np.concatenate(columns, axis=1)),
        np.array(sizes),
        np.empty(width),
        np.empty(width),
        np.empty(len(terms)),
        np.empty(len(terms)),
        np.empty((width, len(parts[0].matrix)), np.float32),
    )
    kernels.lift_all(clusters)
    return clusters


def agglomerate_in_numpy(parts: Sequence[Part], report: Report | None = None) -> Merges:
    """Do the same under any divergences, with the costs of all pairs in memory.

    Pairs are chosen by the Lemma with ``d(·, c)`` for ``φ``, where ``c`` is the mean of all: the
    two differ by a plane, which costs do not feel, and what is left is not much larger than they.
    What a merge costs is then computed without any difference.
    """
    n_objects = len(parts[0].matrix)
    check_memory(
        (n_objects, n_objects),
        f"costs of merging {n_objects:,} objects two by two",
        remedy="take a divergence other than CustomDivergence, or fewer objects",
    )
    means, sizes = [part.filled() for part in parts], [part.sizes.copy() for part in parts]
    centres = [
        np.average(mean, axis=0, weights=size)[None]
        for mean, size in zip(means, sizes, strict=True)
    ]
    levels = [
        part.divergence.rowwise(mean, centre)
        for part, mean, centre in zip(parts, means, centres, strict=True)
    ]

    def costs_of(slot: int, others: IntArray) -> FloatArray:
        total, shared = np.zeros(len(others)), np.zeros(len(others), dtype=bool)
        everything = zip(parts, means, sizes, levels, centres, strict=True)
        for part, mean, size, level, centre in everything:
            known = (size[others] > 0) & (size[slot] > 0)
            rows = others[known]
            both = size[slot] + size[rows]
            union = mean[slot] + (size[rows] / both)[:, None] * (mean[rows] - mean[slot])
            apart = size[slot] * level[slot] + size[rows] * level[rows]
            cost = apart - both * part.divergence.rowwise(union, centre)  # Lemma of section 3
            total[known] += part.weight * np.maximum(cost, 0.0)
            shared |= known
        return np.where(shared, total, np.inf)

    costs = np.full((n_objects, n_objects), np.inf)
    for first, last in pairwise(_stops(n_objects, report, power=2)):
        for slot in range(first, last):
            costs[slot, :slot] = costs[:slot, slot] = costs_of(slot, np.arange(slot))
        if report is not None:
            report(f"compared {last:,} of {n_objects:,} objects")
    nearest, lowest = costs.argmin(axis=1), costs.min(axis=1)
    alive, nodes = np.arange(n_objects), np.arange(n_objects)
    children, found = np.empty((n_objects - 1, 2), dtype=np.intp), np.zeros(n_objects - 1)
    stops = _stops(n_objects - 1, report)
    for number in range(n_objects - 1):
        slot = int(lowest.argmin())
        pair = (slot, int(nearest[slot])) if np.isfinite(lowest[slot]) else alive[:2].tolist()
        kept, gone = sorted(pair)
        children[number] = sorted(nodes[[kept, gone]])
        for place, (part, mean, size) in enumerate(zip(parts, means, sizes, strict=True)):
            # The Lemma of section 3 without its difference: |S| D(μ_S, μ_ST) + |T| D(μ_T, μ_ST).
            merged = merge_cost(part.divergence, mean[kept], size[kept], mean[gone], size[gone])
            found[number] += part.weight * float(merged)
            if size[gone] > 0:
                mean[kept] += size[gone] / (size[kept] + size[gone]) * (mean[gone] - mean[kept])
                size[kept] += size[gone]
                levels[place][kept] = part.divergence.rowwise(mean[[kept]], centres[place])[0]
        alive = alive[alive != gone]
        others = alive[alive != kept]
        nodes[kept] = n_objects + number
        costs[gone], costs[:, gone], lowest[gone] = np.inf, np.inf, np.inf
        costs[kept, others] = costs[others, kept] = costs_of(kept, others)
        closer = others[costs[others, kept] < lowest[others]]
        lowest[closer], nearest[closer] = costs[closer, kept], kept
        lost = alive[np.isin(nearest[alive], (kept, gone)) | (alive == kept)]
        nearest[lost] = costs[lost].argmin(axis=1)
        lowest[lost] = costs[lost, nearest[lost]]
        if report is not None and number + 1 in stops:
            report(f"{number + 1:,} of {n_objects - 1:,} merges")
    return children, found


def _stops(number: int, report: Report | None, power: int = 1) -> list[int]:
    """Where to pause for a report: after each tenth of work that grows by this power."""
    if report is None:
        return [0, number]
    tenths = np.linspace(0, 1, 11) ** (1 / power)
    return np.unique((number * tenths).round().astype(int)).tolist()


def _summands(divergence: Divergence) -> list[tuple[float, Divergence]]:
    return (
        divergence.weighted() if isinstance(divergence, SumOfDivergences) else [(1.0, divergence)]
    )


def _columns(rows: FloatArray, divergence: Divergence) -> FloatArray:
    """Columns in which a known divergence is a sum over cells of one of the kernels' formulas."""
    if isinstance(divergence, Mahalanobis):
        values, vectors = np.linalg.eigh(divergence.known_precision())
        return rows @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    if isinstance(divergence, BinaryRelativeEntropy):  # of heads, and of tails
        return np.hstack([rows, 1 - rows])
    return rows


# -- the tree --------------------------------------------------------------------------------------


def linkage(children: IntArray, costs: FloatArray) -> FloatArray:
    """SciPy's linkage matrix, with the heights ``√(2 · largest cost so far)``."""
    n_objects = len(children) + 1
    sizes = np.ones(2 * n_objects - 1)
    for number, pair in enumerate(children):
        sizes[n_objects + number] = sizes[pair].sum()
    heights = np.sqrt(2 * np.maximum.accumulate(costs))
    return np.column_stack([children, heights, sizes[n_objects:]])


def number_at_largest_jump(costs: FloatArray) -> int:
    """The number of clusters, from 2 to ``√n``, before the merge with the largest jump in cost.

    With ``k`` clusters it is the cost of the merge that would leave ``k − 1``, over that of the
    merge that left ``k``.

    Examples
    --------
    >>> number_at_largest_jump(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 9.0, 10.0]))
    3
    """
    n_objects = len(costs) + 1
    if n_objects < 3:
        return n_objects
    levels = np.maximum.accumulate(costs)
    levels = np.maximum(levels, max(_NOTHING * levels[-1], np.finfo(np.float64).tiny))
    numbers = np.arange(2, max(2, int(np.sqrt(n_objects))) + 1)
    jumps = levels[n_objects - numbers] / levels[n_objects - numbers - 1]
    return int(numbers[jumps.argmax()])


def cut_tree(children: IntArray, n_clusters: int) -> IntArray:
    """Labels before the last ``n_clusters − 1`` merges, numbered in the order of the objects.

    Examples
    --------
    >>> cut_tree(np.array([[1, 2], [0, 3]]), 2)
    array([0, 1, 1])
    """
    n_objects = len(children) + 1
    tops, pairs = list(range(2 * n_objects - 1)), children.tolist()
    for number in reversed(range(n_objects - n_clusters)):
        one, other = pairs[number]
        tops[one] = tops[other] = tops[n_objects + number]
    labels: dict[int, int] = {}
    return np.array([labels.setdefault(top, len(labels)) for top in tops[:n_objects]])


# -- the estimator ---------------------------------------------------------------------------------


class BregmanWard(BaseMultiViewClusterer):
    """Build a tree of clusters bottom-up, with the divergence that suits each view's kind of data.

    Take it where you ask how clusters divide into smaller ones, and views are of different
    kinds. For one flat clustering :class:`CoRegularizedSpectral` is better in the mean.

    Parameters
    ----------
    divergence : Divergence, list or dict, optional
        One for all views, a list with one per view, or a dict by view name. If not given,
        :class:`~manyviews.maths.SquaredEuclidean`, between the rows, or between the roots of their
        shares where three quarters of the cells or more are zeros.
    n_clusters : int, optional
        Where the tree is cut. If not given, before the merge with the largest jump in cost over
        the merge before it, among the cuts into 2 to ``√n`` clusters.
    view_weights : "auto", "balanced", float, list, dict or None
        Factor of each view's cost, 1 for None. ``"balanced"`` makes up for different scales:
        the inverse of what all objects as one cluster cost, with a mean of 1. So does ``"auto"``,
        but a view that looks empty of structure (:func:`~manyviews.similarity.judge_views`, asked
        of a thousand objects at most) is left out, of which a warning tells.
    verbose : int
        Whether to report every tenth of the first search among all objects, and of the merges.

    Attributes
    ----------
    labels_ : array of shape (n_objects,)
        Cluster of each object, numbered in the order of the objects.
    n_clusters_ : int
        How many there are.
    linkage_ : array of shape (n_objects - 1, 4)
        The tree as SciPy's linkage matrix.
    children_ : array of shape (n_objects - 1, 2)
        The nodes that each merge joins; nodes below ``n_objects`` are objects.
    merge_costs_ : array of shape (n_objects - 1,)
        How much each merge adds to the cost.
    cluster_centers_ : dict of arrays of shape (n_clusters, n_features)
        Mean of each cluster, by view; of the roots of shares in ``rooted_views_``.
    cluster_sizes_ : dict of arrays of shape (n_clusters,)
        How many of its members show the view.
    exceptions_ : dict of arrays of shape (n_exceptions, n_features)
        Training objects that are not nearest to the mean of their own cluster, by view; NaN where
        a view is unobserved.
    exception_labels_ : array of shape (n_exceptions,)
        Their clusters.
    divergences_ : dict of Divergence
        What was used, by view, with everything known that is learnt from the data.
    rooted_views_ : tuple of str
        Views that are compared by the roots of their rows' shares.
    view_weights_ : dict of float
        Factor of each view's cost; one that weighs nothing is in none of the above.
    view_names_ : tuple of str
        Names of the views.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.cluster import BregmanWard
    >>> from manyviews.maths import GeneralizedKL, SquaredEuclidean
    >>> views = {
    ...     "words": np.array([[9.0, 1.0], [8.0, 2.0], [1.0, 9.0], [2.0, 7.0]]),
    ...     "place": np.array([[0.1], [0.0], [0.9], [1.0]]),
    ... }
    >>> divergence = {"words": GeneralizedKL(), "place": SquaredEuclidean()}
    >>> model = BregmanWard(divergence, n_clusters=2).fit(views)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.predict({"words": [[0.0, 5.0]], "place": None})
    array([1])

    Notes
    -----
    **Objective**
        Of all pairs of clusters, merge the one that adds least to the cost of the partition,
        ``Σ_S cost(S)`` with ``cost(S) = Σ_{x∈S} d_φ(x, μ_S)``. By the paper's Lemma that is
        ``|S| φ(μ_S) + |T| φ(μ_T) − (|S| + |T|) φ(μ_{S∪T})``, from means and sizes alone. Several
        views cost the weighted sum of what each costs, itself a Bregman divergence (Section 5.2).

    **Symbols**
        ``φ`` → ``divergence``; ``d_φ`` → its ``between``; ``μ_S`` → ``cluster_centers_``;
        ``Ward_φ(S, T)`` → ``manyviews.maths.merge_cost``, ``merge_costs_``.

    **Algorithm**
        Greedy agglomeration by Müllner's generic algorithm, which keeps for each cluster its
        nearest neighbour, or a lower bound of how near it is, in an exact search.

        1. Every object is a cluster; find the cheapest partner of each (``find_partners``).
        2. Make the cheapest merge of all, look for the partner of the union, repeat (``merge``).
        3. Cut the tree (``cut_tree``).

    **Deviations**
        The paper says nothing of how the cheapest pair is found, and the usual shortcut, the
        nearest-neighbour chain, is not open: it needs the union of two nearest clusters to be no
        nearer to a third than the nearer of the two was, and that fails for every divergence here
        but the quadratic ones (and for these too when views are missing). The search used needs
        no such property and is exact. For the same reason a merge can cost less than the one
        before; heights in ``linkage_`` are ``√(2 c)`` with ``c`` the largest cost so far, so that
        they never fall and the order of merges is kept. For ``SquaredEuclidean`` they are those of
        ``scipy.cluster.hierarchy.ward``. ``φ = ‖x‖²`` there, as in the paper's cost, not its half
        as in the paper's example.
        *Unobserved views*: means and sizes are kept per view, over the objects observed in it, and
        a merge costs what it adds in the views that both clusters show. Two clusters that share no
        view would merge for nothing; they are merged when no others are left.
        *New objects* go to the cluster whose mean is nearest in the divergence, among those that
        share a view with them. Where all means are infinitely far (a new word under
        ``GeneralizedKL``), the object goes where it adds least to the cost. A cluster without a
        member in a view is given the mean of all there.
        *Training objects* keep their cluster: what merges step by step is no partition into
        nearest means (of counts with many equal rows one object in twenty is nearer to the mean of
        another cluster), so that those objects are kept in ``exceptions_``, and ``predict`` knows
        their rows again. It cannot tell equal rows apart, which a cut into more clusters than
        there are different rows has to do.
        *Words and links*: the paper leaves the divergence to the user. Where none is given, views
        of mostly zeros are compared by the roots of the shares that the cells have of their row,
        which is Hellinger's distance: by the rows themselves long texts are far from everything,
        and one cluster takes nearly all. The NMI is .53 in the mean over the twenty development
        sets; Ward's method on the rows of balanced views side by side has .40.

    **Complexity**
        Each merge scans all clusters: O(n² d) time at worst, with bounds by squared distances
        sparing most logarithms; O(n d) memory, and n² numbers under a divergence of your own. Views
        are made dense, but for those of more columns than objects under ``SquaredEuclidean``: their
        objects are merged by their coordinates in the span of all, which are n at most.

    References
    ----------
    [@gupta2005], [@muellner2011]
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True)

    linkage_: FloatArray
    children_: IntArray
    merge_costs_: FloatArray
    n_clusters_: int
    cluster_centers_: dict[str, FloatArray]
    cluster_sizes_: dict[str, IntArray]
    exceptions_: dict[str, FloatArray]
    exception_labels_: IntArray
    divergences_: dict[str, Divergence]
    rooted_views_: tuple[str, ...]
    view_weights_: dict[str, float]

    def __init__(
        self,
        divergence: ByView[Divergence | None] = None,
        n_clusters: Count | None = None,
        *,
        view_weights: ByView[Positive] | Literal["auto", "balanced"] | None = "auto",
        verbose: Verbosity = 0,
    ) -> None:
        self.divergence = divergence
        self.n_clusters = n_clusters
        self.view_weights = view_weights
        self.verbose = verbose

    @classmethod
    def _contract_instances(cls) -> Iterator[Self]:
        yield cls()
        yield cls(Mahalanobis(), n_clusters=3, view_weights="balanced")
        yield cls(n_clusters=3, view_weights=None)

    def fit(self, X: ViewsLike, y: Any = None) -> Self:
        """Build the tree and cut it."""
        check_params(self)
        views = self._fit_views(X, min_objects=self.n_clusters or 1)
        self._check_labels(X, y)
        _refuse_unseen(views)
        given = per_view(self.divergence, views.names, parameter="divergence")
        weights = None if self.view_weights == "balanced" else self.view_weights
        self.view_weights_ = weights_of_views(weights, views)
        self.rooted_views_ = rooted_views(views, given)
        views = compared_rows(views, self.view_weights_, self.rooted_views_)
        parts = self._parts(views, given)
        self._warn_of_long_search(parts)
        tell = partial(report, self) if self.verbose else None
        self.children_, self.merge_costs_ = agglomerate(list(parts.values()), tell)
        self.linkage_ = linkage(self.children_, self.merge_costs_)
        self.n_clusters_ = self.n_clusters or number_at_largest_jump(self.merge_costs_)
        self.labels_ = self.labels_at(self.n_clusters_)
        self.divergences_ = {name: part.divergence for name, part in parts.items()}
        self.view_weights_ |= {name: part.weight for name, part in parts.items()}
        self.cluster_centers_, self.cluster_sizes_ = {}, {}
        for name, matrix in views.items():
            seen = np.flatnonzero(views.observed_in(name))
            means, sizes = mean_rows(matrix[seen], self.labels_[seen], self.n_clusters_)
            means[sizes == 0] = matrix[seen].mean(axis=0)
            self.cluster_centers_[name], self.cluster_sizes_[name] = means, sizes.astype(np.intp)
        exceptions = _not_clearly_nearest(self._distances(views), self.labels_)
        self.exceptions_ = _rows_by_view(views[exceptions])
        self.exception_labels_ = self.labels_[exceptions]
        return self

    def labels_at(self, n_clusters: int) -> IntArray:
        """Labels of the training objects with the tree cut into another number of clusters."""
        check_is_fitted(self, "children_")
        n_objects = len(self.children_) + 1
        check_argument("n_clusters", n_clusters, Count)
        if n_clusters > n_objects:
            raise ValueError(
                f"n_clusters={n_clusters} should be an integer from 1 to {n_objects}, "
                "the number of objects."
            )
        return cut_tree(self.children_, n_clusters)

    def predict(self, X: ViewsLike) -> IntArray:
        """Cluster whose mean is nearest, over the views observed; that of a training object."""
        views = compared_rows(self._new_views(X), self.view_weights_, self.rooted_views_)
        for name, matrix in views.items():
            self.divergences_[name].check(dense_columns(matrix, name), view=name)
        labels = self._distances(views).argmin(axis=1)
        known = dict(zip(_keys(self.exceptions_), self.exception_labels_, strict=True))
        if known:
            own = [known.get(key, -1) for key in _keys(_rows_by_view(views))]
            labels = np.where(np.array(own) < 0, labels, own)
        return labels

    def _parts(self, views: Views, given: dict[str, Divergence | None]) -> dict[str, Part]:
        """Each view as a dense matrix of few columns, with its divergence and its weight."""
        usual = [name for name in views.names if given[name] is None]
        hint_at_scales(views, usual, type(self).__name__)
        parts = {}
        for name, matrix in views.items():
            seen, divergence = views.observed_in(name), given[name] or SquaredEuclidean()
            if is_wide(matrix, divergence):
                rows = coordinates(matrix, seen)
            else:
                rows = dense_columns(matrix, name)
                divergence.check(rows, view=name)
                divergence = divergence.fitted(rows[seen])
            parts[name] = Part(rows, seen.astype(float), divergence, self.view_weights_[name])
        if not isinstance(self.view_weights, str):
            return parts
        pairs = zip(parts.items(), _balanced_weights(parts), strict=True)
        return {name: replace(part, weight=weight) for (name, part), weight in pairs}

    def _warn_of_long_search(self, parts: dict[str, Part]) -> None:
        n_objects = len(next(iter(parts.values())).matrix)
        n_columns = sum(part.matrix.shape[1] for part in parts.values())
        if n_objects**2 * (n_columns + 20) > LONG:
            warn_of_minutes(
                self,
                f"compares all pairs of {n_objects:,} objects in {n_columns:,} columns",
                "cluster a sample and predict the others",
            )

    def _distances(self, views: Views) -> FloatArray:
        """Divergences of objects from the means of clusters; infinite if they share no view."""
        shown = np.stack([self.cluster_sizes_[name] > 0 for name in views.names])
        shared = views.observed.astype(int) @ shown.astype(int) > 0
        distances = np.where(shared, self._summed(views, self._from_centers), np.inf)
        lost = np.flatnonzero(np.isinf(distances).all(axis=1))
        if len(lost):
            costs = self._summed(views[lost], self._added_cost)
            distances[lost] = np.where(shared[lost], costs, np.inf)
        return distances

    def _summed(self, views: Views, measure: Callable[[str, FloatArray], FloatArray]) -> FloatArray:
        """Sum a measure of objects against clusters over the views observed."""
        total = np.zeros((len(views), self.n_clusters_))
        for name, matrix in views.items():
            seen = views.observed_in(name)
            if seen.any():
                rows = dense_columns(matrix, name)[seen]
                total[seen] += self.view_weights_[name] * measure(name, rows)
        return total

    def _from_centers(self, name: str, rows: FloatArray) -> FloatArray:
        return self.divergences_[name].between(rows, self.cluster_centers_[name])

    def _added_cost(self, name: str, rows: FloatArray) -> FloatArray:
        divergence, centers = self.divergences_[name], self.cluster_centers_[name]
        sizes = np.maximum(self.cluster_sizes_[name], 1)
        return np.stack([merge_cost(divergence, row, 1, centers, sizes) for row in rows])


def _balanced_weights(parts: dict[str, Part]) -> list[float]:
    costs = [cluster_cost(part.divergence, part.matrix[part.sizes > 0]) for part in parts.values()]
    inverse = np.array([1 / cost if cost > 0 else 0.0 for cost in costs])
    if not inverse.any():
        return [1.0] * len(costs)
    inverse[inverse == 0] = inverse.max()  # a constant view adds nothing whatever its weight
    return [float(weight) for weight in inverse / inverse.mean()]


def _not_clearly_nearest(distances: FloatArray, labels: IntArray) -> IntArray:
    """Objects that another cluster is nearer to than their own, or as near up to rounding."""
    own = np.take_along_axis(distances, labels[:, None], axis=1)[:, 0]
    others = distances.copy()
    np.put_along_axis(others, labels[:, None], np.inf, axis=1)
    nearest = others.min(axis=1)
    return np.flatnonzero(own >= (1 - _TIE) * nearest)


def _rows_by_view(views: Views) -> dict[str, FloatArray]:
    """Each view in double precision, NaN where it is unobserved."""
    return {name: dense_view(views, name) for name in views.names}


def _keys(rows: dict[str, FloatArray]) -> list[bytes]:
    """All that is known of each object, as bytes: equal objects have equal ones."""
    wide = np.hstack(list(rows.values())) + 0.0  # which turns -0 into 0
    wide[np.isnan(wide)] = np.nan  # of the many that there are, one
    return [row.tobytes() for row in wide]


def _refuse_unseen(views: Views) -> None:
    for name in views.names:
        if not views.observed_in(name).any():
            raise UnobservedViewsError(
                f"view {name!r} is observed for no object and teaches nothing; leave it out."
            )
