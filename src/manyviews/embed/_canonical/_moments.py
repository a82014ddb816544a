"""Means and covariances of views with gaps, summed over blocks of objects.

No centred copy is made: blocks are taken relative to a first estimate of the mean, which keeps
large means from swallowing small variances, and the rest of the mean is taken off the sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manyviews.maths import check_memory, to_dense
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

_BLOCK_NUMBERS = 2**20
"""How many numbers a block of objects has: little enough for the cache of a processor."""
_SAMPLE = 1000
"""How many objects the first estimate of a mean is made of."""
_SPARSE = 0.1
"""Up to this share of non-zeros a product of sparse matrices is quicker than one of blocks."""

_CONSTANT = 1e-13
"""A standard deviation of no more than this share of the mean is rounding."""

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
        return bool(self.matrix.nnz <= _SPARSE * self.matrix.shape[0] * self.matrix.shape[1])

    def block(self, rows: Rows) -> FloatArray:
        """Coordinates of a few objects."""
        part = self.matrix[rows]
        if self.basis is not None:
            return np.asarray(part @ self.basis)
        return part.toarray() if is_sparse(part) else part

    def first_mean(self, n_objects: int, rows: Rows) -> FloatArray:
        """Mean of some of the objects, which is near to that of all."""
        step = max(1, n_objects // _SAMPLE)
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
    return np.asarray(variances > (_CONSTANT * means) ** 2)


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
    return max(_BLOCK_NUMBERS // max(width, 1), 64)


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
