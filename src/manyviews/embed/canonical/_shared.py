"""Shared by CCA and kernel CCA: moments of views with gaps, canonical directions, common spaces."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import cholesky, eigh, solve_triangular

from manyviews.base import BaseMultiViewTransformer, ViewTags
from manyviews.data import Views
from manyviews.exceptions import UnobservedViewsError
from manyviews.maths import check_memory, fix_signs, inverse_root, to_dense
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray, Matrix, ViewsLike, is_sparse

# Means and covariances of views with gaps, summed over blocks of objects --------------------------
#
# No centred copy is made: blocks are taken relative to a first estimate of the mean, which keeps
# large means from swallowing small variances, and the rest of the mean is taken off the sums.

BLOCK_NUMBERS = 2**20
"""How many numbers a block of objects has: 8 MB, little enough for the cache of a processor."""
SAMPLE = 1000
"""How many objects the first estimate of a mean is made of, which is then off by 3 % of the
standard deviation: enough, as the rest is taken off the sums."""
SPARSE = 0.1
"""Up to this share of non-zeros a product of sparse matrices is quicker than one of blocks."""

CONSTANT = 1e-13
"""A standard deviation of no more than this share of the mean is rounding: some hundred times that
of double precision."""

Rows = slice | IntArray


@dataclass(frozen=True)
class PairMoments:
    """Of the objects that two views both show: their number, and sums about their means."""

    count: int
    means: tuple[FloatArray, FloatArray]
    own: tuple[FloatArray, FloatArray]
    """Products of the features within each view."""
    cross: FloatArray
    """Products of the features of one with those of the other."""

    def __add__(self, other: PairMoments) -> PairMoments:
        count = self.count + other.count
        if self.count == 0 or other.count == 0:
            return self if other.count == 0 else other
        gaps = [b - a for a, b in zip(self.means, other.means, strict=True)]
        share = other.count / count
        spread = self.count * share
        return PairMoments(
            count,
            (self.means[0] + share * gaps[0], self.means[1] + share * gaps[1]),
            (
                self.own[0] + other.own[0] + spread * np.outer(gaps[0], gaps[0]),
                self.own[1] + other.own[1] + spread * np.outer(gaps[1], gaps[1]),
            ),
            self.cross + other.cross + spread * np.outer(gaps[0], gaps[1]),
        )

    def masked(self, left: BoolArray, right: BoolArray) -> PairMoments:
        """The same with products of zero for features that are masked out."""
        own = self.own[0] * np.outer(left, left), self.own[1] * np.outer(right, right)
        return PairMoments(self.count, self.means, own, self.cross * np.outer(left, right))

    def correlations(self, left: FloatArray, right: FloatArray) -> FloatArray:
        """Correlations between the columns of two sets of weights; 0 where one is constant."""
        covariances = np.einsum("fk,fk->k", left, self.cross @ right)
        variances = [
            np.einsum("fk,fk->k", weights, own @ weights)
            for weights, own in zip((left, right), self.own, strict=True)
        ]
        sizes = np.sqrt(np.maximum(variances[0] * variances[1], 0.0))
        found = np.divide(covariances, sizes, out=np.zeros_like(covariances), where=sizes > 0.0)
        return np.clip(found, -1.0, 1.0)


@dataclass(frozen=True)
class Moments:
    """Moments of every pair of views; those of different objects add up."""

    pairs: tuple[tuple[PairMoments, ...], ...]
    """``pairs[v][w - v]`` for views ``v ≤ w``."""

    def __add__(self, other: Moments) -> Moments:
        return Moments(
            tuple(
                tuple(a + b for a, b in zip(mine, theirs, strict=True))
                for mine, theirs in zip(self.pairs, other.pairs, strict=True)
            )
        )

    @property
    def n_views(self) -> int:
        """How many views there are."""
        return len(self.pairs)

    def own(self, view: int) -> PairMoments:
        """Moments of one view over all objects that it shows."""
        return self.pairs[view][0]

    def pair(self, view: int, other: int) -> PairMoments:
        """Moments of two views, the one that comes first being on the left."""
        return self.pairs[view][other - view]

    def without_rounding(self) -> Moments:
        """The same with products of zero for features that only seem to vary."""
        vary = [varying(own.means[0], np.diag(own.cross) / own.count) for (own, *_) in self.pairs]
        if all(own.all() for own in vary):
            return self
        return Moments(
            tuple(
                tuple(pair.masked(vary[v], vary[w]) for w, pair in enumerate(row, v))
                for v, row in enumerate(self.pairs)
            )
        )

    def covariance(self, view: int, other: int) -> FloatArray:
        """Covariance over the objects that both show; zero if there are none."""
        found = self.pair(min(view, other), max(view, other))
        matrix = found.cross / max(found.count, 1)
        return matrix if view <= other else matrix.T


@dataclass(frozen=True)
class Source:
    """A view as its features, or as its coordinates along the columns of a basis."""

    matrix: Matrix
    basis: FloatArray | None = None

    @property
    def width(self) -> int:
        """How many coordinates there are."""
        return int((self.matrix if self.basis is None else self.basis).shape[1])

    @property
    def stays_sparse(self) -> bool:
        """Whether products are to be made without unpacking it."""
        if self.basis is not None or not is_sparse(self.matrix):
            return False
        return bool(self.matrix.nnz <= SPARSE * self.matrix.shape[0] * self.matrix.shape[1])

    def block(self, rows: Rows) -> FloatArray:
        """Coordinates of a few objects."""
        part = self.matrix[rows]
        if self.basis is not None:
            return np.asarray(part @ self.basis)
        return part.toarray() if is_sparse(part) else part

    def first_mean(self, n_objects: int, rows: Rows) -> FloatArray:
        """Mean of some of the objects, which is near to that of all."""
        step = max(1, n_objects // SAMPLE)
        some = slice(None, None, step) if isinstance(rows, slice) else rows[::step]
        return self.block(some).mean(axis=0, dtype=np.float64)


def moments_of(
    sources: Sequence[Source], observed: BoolArray, *, block_rows: int | None = None
) -> Moments:
    """Sum up views over the objects that they show.

    Parameters
    ----------
    sources : sequence
        The views.
    observed : array of bool of shape (n_objects, n_views)
        Which object is seen in which view; other rows are not read.
    block_rows : int, optional
        How many objects are taken at a time; as many as fit a processor's cache by default.
    """
    found: dict[tuple[int, int], PairMoments] = {}
    for rows, shown in patterns(observed):
        scatter = _scatter([sources[v] for v in shown], rows, len(observed), block_rows)
        for i, v in enumerate(shown):
            for j, w in enumerate(shown[i:], i):
                more = scatter.pair(i, j)
                found[v, w] = found[v, w] + more if (v, w) in found else more
    every = range(len(sources))
    return Moments(
        tuple(
            tuple(found.get((v, w)) or _empty(sources[v], sources[w]) for w in every[v:])
            for v in every
        )
    )


def varying(means: FloatArray, variances: FloatArray) -> BoolArray:
    """Whether a feature varies by more than the rounding of its mean.

    Examples
    --------
    >>> varying(np.array([0.1, 0.1, 0.0]), np.array([1e-34, 1e-20, 0.0]))
    array([False,  True, False])
    """
    return np.asarray(variances > (CONSTANT * means) ** 2)


def patterns(observed: BoolArray) -> Iterator[tuple[Rows, list[int]]]:
    """Objects that the same views show, with these views."""
    if observed.all():
        yield slice(None), list(range(observed.shape[1]))
        return
    kinds, which = np.unique(observed, axis=0, return_inverse=True)
    for number, kind in enumerate(kinds):
        yield np.flatnonzero(which.ravel() == number), np.flatnonzero(kind).tolist()


def blocks_of(rows: Rows, n_objects: int, size: int) -> Iterator[Rows]:
    """Cut objects into blocks, all of the same size but the last."""
    if isinstance(rows, slice):
        yield from (slice(at, min(at + size, n_objects)) for at in range(0, n_objects, size))
    else:
        yield from (rows[at : at + size] for at in range(0, len(rows), size))


def block_size(width: int) -> int:
    """How many objects of so many features to take at a time."""
    return max(BLOCK_NUMBERS // max(width, 1), 64)


@dataclass(frozen=True)
class _Scatter:
    """Sums over objects that all views show."""

    count: int
    means: list[FloatArray]
    products: FloatArray
    places: list[slice]

    def pair(self, i: int, j: int) -> PairMoments:
        one, other = self.places[i], self.places[j]
        return PairMoments(
            self.count,
            (self.means[i], self.means[j]),
            (self.products[one, one], self.products[other, other]),
            self.products[one, other],
        )


def _scatter(
    sources: Sequence[Source], rows: Rows, n_objects: int, block_rows: int | None
) -> _Scatter:
    """Sum up products relative to first means, and take off what these missed."""
    n_rows = n_objects if isinstance(rows, slice) else len(rows)
    dense = [i for i, source in enumerate(sources) if not source.stays_sparse]
    sparse = [i for i, source in enumerate(sources) if source.stays_sparse]
    widths = [sources[i].width for i in dense + sparse]
    edges = np.cumsum([0, *widths])
    places = dict(zip(dense + sparse, map(slice, edges[:-1], edges[1:]), strict=True))
    n_dense = int(sum(widths[: len(dense)]))
    shift = np.zeros(edges[-1])
    for i in dense:
        shift[places[i]] = sources[i].first_mean(n_rows, rows)
    sums = np.zeros(edges[-1])
    check_memory(
        (edges[-1], edges[-1]),
        f"the covariance of {edges[-1]:,} coordinates",
        remedy="bound the rank of the views, by solver='randomized' or max_rank",
    )
    products = np.zeros((edges[-1], edges[-1]))
    size = min(block_rows or block_size(n_dense), n_rows)
    room = np.empty((size, n_dense))
    for block in blocks_of(rows, n_objects, size) if dense else ():
        beside = _side_by_side([sources[i] for i in dense], block, shift, room)
        sums[:n_dense] += beside.sum(axis=0)
        products[:n_dense, :n_dense] += beside.T @ beside
        for i in sparse:
            products[places[i], :n_dense] += sources[i].matrix[block].T @ beside
    parts = [_some(sources[i].matrix, rows) for i in sparse]
    for i, part in zip(sparse, parts, strict=True):
        sums[places[i]] = part.sum(axis=0)
        for j, other in zip(sparse, parts, strict=True):
            products[places[i], places[j]] = to_dense(part.T @ other)
    products[:n_dense, n_dense:] = products[n_dense:, :n_dense].T
    products -= np.outer(sums, sums) / n_rows
    means = shift + sums / n_rows
    every = [places[i] for i in range(len(sources))]
    return _Scatter(n_rows, [means[place] for place in every], products, every)


def _side_by_side(
    sources: Sequence[Source], rows: Rows, shift: FloatArray, room: FloatArray
) -> FloatArray:
    """Write a few objects, relative to the first means, into room that is used again."""
    at, n_rows = 0, 0
    for source in sources:
        part = source.block(rows)
        n_rows, after = len(part), at + part.shape[1]
        np.subtract(part, shift[at:after], out=room[:n_rows, at:after])
        at = after
    return room[:n_rows]


def _some(matrix: Matrix, rows: Rows) -> Matrix:
    """Rows of a sparse view in double precision."""
    chosen = matrix if isinstance(rows, slice) else matrix[rows]
    return chosen.astype(np.float64, copy=False)


def _empty(one: Source, other: Source) -> PairMoments:
    a, b = one.width, other.width
    own = np.zeros((a, a)), np.zeros((b, b))
    return PairMoments(0, (np.zeros(a), np.zeros(b)), own, np.zeros((a, b)))


# Canonical directions of several views from their covariances [@kettenring1971] -------------------
#
# Everything here is small: matrices as wide as the views have features, or as a kernel has pivots.

Blocks = Sequence[Sequence[FloatArray]]
"""``blocks[v][w]`` is the covariance of views ``v`` and ``w``, features × features."""

DEPENDENT = 1e-9
"""A feature of which the ones before it leave no more than this share of its variance is taken to
follow them: the inverse of what is left would keep no more than seven of sixteen digits."""


@dataclass(frozen=True)
class CanonicalDirections:
    """Weights of the features, by view, one column per component, the best first."""

    weights: tuple[FloatArray, ...]
    values: FloatArray
    """For two views the regularised correlations; for more the mean of those between views."""


@dataclass(frozen=True)
class Whitened:
    """Views in coordinates in which the penalised covariance of each is the identity."""

    roots: tuple[FloatArray, ...]
    """``Rᵥ``, features × rank, with ``Rᵥᵀ Pᵥ Rᵥ = I``."""
    cross: FloatArray
    """``Rᵥᵀ Cᵥᵥ' Rᵥ'`` of all views side by side, with zeros where ``v = v'``."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """In how many directions each view varies."""
        return tuple(int(root.shape[1]) for root in self.roots)

    def split(self, stacked: AnyArray) -> list[AnyArray]:
        """Rows of a stacked matrix by view."""
        return np.split(stacked, np.cumsum(self.ranks)[:-1])

    def weights(self, rotations: Sequence[FloatArray]) -> tuple[FloatArray, ...]:
        """Whitened directions as weights of the features, with signs that are always the same."""
        parts = [root @ rotation for root, rotation in zip(self.roots, rotations, strict=True)]
        edges = np.cumsum([len(part) for part in parts])[:-1]
        return tuple(np.split(fix_signs(np.vstack(parts)), edges))


def canonical_directions(
    blocks: Blocks, penalised: Sequence[FloatArray], n_components: int
) -> CanonicalDirections:
    """Directions with ``Σᵥ wᵥᵀ Pᵥ wᵥ`` fixed along which the views covary most (MAXVAR).

    For two views these are the classical canonical directions, each with ``wᵥᵀ Pᵥ wᵥ = 1``. For
    more, the views share a sum of as many ones: a view that has little part in a component has
    little weight in it. For one view they are its principal directions.

    Parameters
    ----------
    blocks : matrices
        Covariances between views; those of a view with itself are not read unless it is alone.
    penalised : matrices
        ``Pᵥ``: the covariance of each view with its penalty.
    n_components : int
        How many; there are no more than two of the views have directions, see
        :func:`most_components`.
    """
    if len(penalised) == 1:
        return _principal_directions(blocks[0][0], penalised[0], n_components)
    return maxvar(whiten(blocks, penalised), n_components)


def maxvar(whitened: Whitened, n_components: int) -> CanonicalDirections:
    """Leading directions of the whitened views, from one decomposition."""
    n_views, kept = len(whitened.roots), min(n_components, most_components(whitened.ranks))
    if n_views == 2:
        first = whitened.ranks[0]
        # The eigenvalue problem of CCA [@hotelling1936], by kernels too (section 3 of
        # [@fortuna2005]), as singular vectors of R₁ᵀ C₁₂ R₂; the values are the correlations.
        left, values, right = np.linalg.svd(whitened.cross[:first, first:], full_matrices=False)
        rotations = [left[:, :kept], right[:kept].T]
        return CanonicalDirections(whitened.weights(rotations), values[:kept])
    values, vectors = leading(whitened.cross, kept)  # MAXVAR of [@kettenring1971]
    rotations = whitened.split(vectors * np.sqrt(n_views))
    return CanonicalDirections(whitened.weights(rotations), values / (n_views - 1))


def whiten(blocks: Blocks, penalised: Sequence[FloatArray]) -> Whitened:
    """Bring two or more views to coordinates in which only what is between them is left."""
    roots = tuple(_root(matrix) for matrix in penalised)
    edges = np.cumsum([0, *(root.shape[1] for root in roots)])
    cross = np.zeros((edges[-1], edges[-1]))
    for v in range(len(roots)):
        for w in range(v + 1, len(roots)):
            block = roots[v].T @ blocks[v][w] @ roots[w]
            cross[edges[v] : edges[v + 1], edges[w] : edges[w + 1]] = block
            cross[edges[w] : edges[w + 1], edges[v] : edges[v + 1]] = block.T
    return Whitened(roots, cross)


def most_components(ranks: Sequence[int]) -> int:
    """How many directions two of the views can share, or one view has that is alone.

    Examples
    --------
    >>> most_components([7]), most_components([7, 3]), most_components([7, 3, 5])
    (7, 3, 5)
    """
    return sorted(ranks)[-2] if len(ranks) > 1 else ranks[0]


def leading(symmetric: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues and eigenvectors at the upper end, the largest first."""
    size = len(symmetric)
    if count == 0:
        return np.zeros(0), np.zeros((size, 0))
    values, vectors = eigh(symmetric, subset_by_index=(size - count, size - 1))
    return values[::-1], vectors[:, ::-1]


def _principal_directions(
    covariance: FloatArray, penalised: FloatArray, n_components: int
) -> CanonicalDirections:
    """Principal directions at unit penalised variance: whitened principal components."""
    values, vectors = eigh(covariance)
    rounding = len(values) * np.finfo(np.float64).eps * float(values[-1])
    kept = int(min(n_components, (values > max(rounding, 0.0)).sum()))
    values, vectors = values[::-1][:kept], vectors[:, ::-1][:, :kept]
    sizes = np.einsum("fk,fg,gk->k", vectors, penalised, vectors, optimize=True)
    return CanonicalDirections((fix_signs(vectors / np.sqrt(sizes)),), values / sizes)


def _root(penalised: FloatArray) -> FloatArray:
    """``R`` with ``Rᵀ P R = I``: by Cholesky, or where P is singular on its range.

    Features are brought to unit variance first, so that their units do not decide what is
    singular; constant ones get no weight.
    """
    scales = np.sqrt(np.diag(penalised))
    varying = scales > 0.0
    scales = scales[varying]
    correlation = penalised[np.ix_(varying, varying)] / np.outer(scales, scales)
    found = _inverse_root(correlation) / scales[:, None]
    root = np.zeros((len(penalised), found.shape[1]))
    root[varying] = found
    return root


def _inverse_root(correlation: FloatArray) -> FloatArray:
    try:
        lower = cholesky(correlation, lower=True)
    except np.linalg.LinAlgError:
        return inverse_root(correlation)
    if np.square(np.diag(lower)).min(initial=1.0) <= DEPENDENT:
        return inverse_root(correlation)  # what is left of a feature may be rounding
    return solve_triangular(lower, np.eye(len(lower)), lower=True).T


# From moments to directions, and how far the views correlate along them ---------------------------


@dataclass(frozen=True)
class Solution:
    """Weights by view, one column per component, and what they reach on the training objects."""

    weights: tuple[FloatArray, ...]
    values: FloatArray
    """Values of the criterion, divided by the number of pairs of views."""
    ranks: tuple[int, ...]
    """In how many directions each view varies."""
    history: FloatArray
    """Sum of the values found so far, after every step."""
    n_iter: int = 1
    """The most steps that a component took."""
    converged: bool = True


def solve(
    moments: Moments,
    ridges: Sequence[float],
    n_components: int,
    *,
    criterion: Callable[[Whitened, int], Solution] | None = None,
) -> Solution:
    """Find the directions of one view (principal), two (canonical) or more (by a criterion).

    Parameters
    ----------
    moments : Moments
        Of the views.
    ridges : sequence of float
        What is added to every variance, by view.
    n_components : int
        How many; the solution has fewer where there are no more.
    criterion : callable, optional
        Solves for two or more whitened views; :func:`maxvar` by default.
    """
    every = range(moments.n_views)
    blocks: Blocks = [[moments.covariance(v, w) for w in every] for v in every]
    penalised = [blocks[v][v] + ridge * np.eye(len(blocks[v][v])) for v, ridge in enumerate(ridges)]
    if moments.n_views == 1:
        alone = canonical_directions(blocks, penalised, n_components)
        n_found = alone.weights[0].shape[1]
        return Solution(alone.weights, alone.values, (n_found,), np.array([alone.values.sum()]))
    whitened = whiten(blocks, penalised)
    if criterion is not None:
        return criterion(whitened, n_components)
    found = maxvar(whitened, n_components)
    return Solution(found.weights, found.values, whitened.ranks, np.array([found.values.sum()]))


def pair_correlations(moments: Moments, weights: Sequence[FloatArray]) -> FloatArray:
    """Correlations of the variates of every two views over the objects that both show.

    Returns
    -------
    array of shape (n_components, n_views, n_views)
        NaN where fewer than two objects are shown by both.
    """
    n_views = moments.n_views
    found = np.full((weights[0].shape[1], n_views, n_views), np.nan)
    for v in range(n_views):
        for w in range(v, n_views):
            pair = moments.pair(v, w)
            if pair.count > 1:
                found[:, v, w] = found[:, w, v] = pair.correlations(weights[v], weights[w])
    return found


def mean_correlations(pairs: FloatArray) -> FloatArray:
    """Mean over the pairs of different views by component; 1 for a view that is alone.

    Examples
    --------
    >>> mean_correlations(np.array([[[1.0, 0.5, 0.7], [0.5, 1.0, 0.3], [0.7, 0.3, 1.0]]]))
    array([0.5])
    """
    n_views = pairs.shape[1]
    if n_views == 1:
        return np.ones(len(pairs))
    above = np.triu_indices(n_views, 1)
    return np.asarray(np.nanmean(pairs[:, above[0], above[1]], axis=1))


def correlations_of(places: Sequence[FloatArray], observed: BoolArray) -> FloatArray:
    """Mean correlations by component of objects that were placed by each of their views."""
    moments = moments_of([Source(own) for own in places], observed)
    pairs = pair_correlations(moments, [np.eye(own.shape[1]) for own in places])
    above = np.triu_indices(len(places), 1)
    if len(places) > 1 and np.isnan(pairs[:, above[0], above[1]]).all():
        raise UnobservedViewsError(
            "no two views are observed together for two of the objects, so that nothing can "
            "correlate; give objects with two views or more."
        )
    return mean_correlations(pairs)


def refuse_lonely_views(views: Views) -> None:
    """Refuse a view that is seen too rarely to share anything with another."""
    together = views.observed.T.astype(int) @ views.observed.astype(int)
    for v, name in enumerate(views.names):
        if together[v, v] < 2:
            raise UnobservedViewsError(
                f"view {name!r} is observed for fewer than two objects and teaches nothing; "
                "leave it out."
            )
        if views.n_views > 1 and np.delete(together[v], v).max() < 2:
            raise UnobservedViewsError(
                f"view {name!r} is observed with no other view for more than one object, so that "
                "nothing is known of what they share; leave it out."
            )


# A common space: objects placed by each of their views, and by all --------------------------------


class CommonSpace(BaseMultiViewTransformer):
    """Base of methods that map every view into one space.

    A child says in ``_place`` where the rows of a view lie; an object lies at the mean of the
    places that its observed views give it, and at the origin if it has none.
    """

    view_tags: ClassVar[ViewTags] = ViewTags(unobserved=True, sparse=True, absent=True)

    correlations_: FloatArray
    """Of the training objects, one per component; falling if nothing is regularised or missing."""

    @abstractmethod
    def _place(self, name: str, rows: Matrix) -> FloatArray:
        """Coordinates of observed rows of a view."""

    def transform_views(self, X: ViewsLike) -> dict[str, FloatArray]:
        """Coordinates of the objects by each view alone; NaN where a view is unobserved."""
        return self._places(self._new_views(X))

    def transform(self, X: ViewsLike) -> FloatArray:
        """Coordinates of the objects: the mean over the views that each has."""
        views = self._new_views(X)
        total = np.zeros((len(views), len(self.correlations_)))
        for name, places in self._places(views).items():
            seen = views.observed_in(name)
            total[seen] += places[seen]
        return total / np.maximum(views.observed.sum(axis=1), 1)[:, None]

    def correlate(self, X: ViewsLike) -> FloatArray:
        """Correlations between the views along each component, as ``correlations_`` are, of X.

        Those of objects that were not fitted on tell how many components are real, and which
        parameters are best.
        """
        views = self._new_views(X)
        return correlations_of(list(self._places(views).values()), views.observed)

    def score(self, X: ViewsLike, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """Return the mean of these correlations, for scikit-learn's searches."""
        return float(self.correlate(X).mean())

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:  # noqa: ARG002
        """Names of the coordinates: ``cca0``, ``cca1``, …, after the class."""
        stem = type(self).__name__.lower()
        return np.array([f"{stem}{i}" for i in range(len(self.correlations_))], dtype=object)

    def _places(self, views: Views) -> dict[str, FloatArray]:
        found = {}
        for name, matrix in views.items():
            seen = np.flatnonzero(views.observed_in(name))
            found[name] = np.full((len(views), len(self.correlations_)), np.nan)
            if len(seen):
                found[name][seen] = self._place(name, _rows(matrix, seen))
        return found


def _rows(matrix: Matrix, seen: AnyArray) -> Matrix:
    return matrix if len(seen) == matrix.shape[0] else matrix[seen]
