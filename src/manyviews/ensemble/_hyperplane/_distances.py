"""Distance of an object to the hyperplane through its neighbours in each class [@vincent2002].

With the object as origin, ``M`` the inner products of its ``K`` neighbours in a class and ``w``
weights that sum to one, the penalised distance has a closed form without the features::

    d² = min_w  w'(M + λI)w − λ/K  =  1 / (1'(M + λI)⁻¹1) − λ/K

If ``z`` solves ``Lz = 1``, where ``LL' = M + λI``, the sum of the first ``K`` squares of ``z`` is
that denominator for the ``K`` nearest: one factorisation serves every number of neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from manyviews.typing import FloatArray, IntArray, Matrix, is_sparse

_BLOCK_ENTRIES = 1 << 21
"""How many distances, or inner products of neighbours, are held at a time."""
_LEAST_PENALTY, _LARGEST_PENALTY = 1e-10, 1e6
"""In units of the squared lengths at hand; beyond them only rounding would change."""
_ROUNDING = 1e-13
"""Squared distances below this share of the squared lengths are rounding, hence zero."""


@dataclass(frozen=True)
class Grid:
    """Numbers of neighbours and penalties to compute distances for, each with each."""

    n_neighbors: tuple[int, ...]
    penalties: tuple[float, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """How many there are of both."""
        return len(self.n_neighbors), len(self.penalties)


@dataclass(frozen=True)
class Members:
    """Labelled objects side by side: what hyperplanes are laid through."""

    rows: Matrix
    codes: IntArray
    n_classes: int


def class_distances(
    queries: Matrix, members: Members, grid: Grid, itself: IntArray | None = None
) -> Iterator[FloatArray]:
    """Squared distances to the hyperplanes of one class after the other.

    Parameters
    ----------
    queries : matrix of shape (n_queries, n_features)
        Objects to place.
    members : Members
        The labelled objects.
    grid : Grid
        The parameters.
    itself : array of int of shape (n_queries,), optional
        Row of each query among the members, -1 if it is none: it is left out for this query.

    Yields
    ------
    array of shape (n_n_neighbors, n_penalties, n_queries)
        Squared distances, infinite where the class has no member, or none is left.

    Examples
    --------
    >>> members = Members(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0]]), np.array([0, 0, 1]), 2)
    >>> for found in class_distances(np.array([[1.0, 1.0]]), members, Grid((1, 2), (0.0,))):
    ...     print(found.round(6).ravel())
    [2. 1.]
    [4. 4.]
    """
    lengths, query_lengths = _squared_lengths(members.rows), _squared_lengths(queries)
    unit = lengths.mean() + query_lengths
    unit[unit == 0] = 1.0  # all objects are one point
    for code in range(members.n_classes):
        places = np.flatnonzero(members.codes == code)
        found = np.full((*grid.shape, len(unit)), np.inf)
        if len(places) == 0:
            yield found
            continue
        group = _Group(members.rows[places], lengths[places])
        n_kept = min(max(grid.n_neighbors), len(places))
        left_out = _within(places, itself, len(members.codes), len(unit))
        for part in blocks(len(unit), max(len(places), n_kept**2)):
            near = _neighbours(queries[part], query_lengths[part], group, n_kept, left_out[part])
            found[:, :, part] = _penalised(near, unit[part], grid)
        yield found


@dataclass(frozen=True)
class _Group:
    """The members of a class, with their squared lengths."""

    rows: Matrix
    lengths: FloatArray


@dataclass(frozen=True)
class _Near:
    """The neighbours in a class, nearest first, seen from each query."""

    inner: FloatArray
    """Their inner products, of shape (n_queries, n_kept, n_kept)."""
    available: IntArray
    """How many of them count: fewer where a query itself was among them."""


def _neighbours(
    queries: Matrix, query_lengths: FloatArray, group: _Group, n_kept: int, left_out: IntArray
) -> _Near:
    products = _dense(queries @ group.rows.T)
    gaps = query_lengths[:, None] + group.lengths - 2.0 * products
    own = np.flatnonzero(left_out >= 0)
    gaps[own, left_out[own]] = np.inf
    nearest = _nearest(gaps, n_kept)
    cross = np.take_along_axis(products, nearest, axis=1)
    inner = _among(group.rows, nearest)
    inner -= cross[:, :, None]
    inner -= cross[:, None, :]
    inner += query_lengths[:, None, None]
    return _Near(inner, len(group.lengths) - (left_out >= 0))


def _nearest(gaps: FloatArray, kept: int) -> IntArray:
    """Columns of the smallest entries of each row, smallest first, equal ones by number."""
    if kept == gaps.shape[1]:
        return np.argsort(gaps, axis=1, kind="stable")
    chosen = np.sort(np.argpartition(gaps, kept - 1, axis=1)[:, :kept], axis=1)
    order = np.argsort(np.take_along_axis(gaps, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, order, axis=1)


def _among(rows: Matrix, nearest: IntArray) -> FloatArray:
    """Inner products of the neighbours of each query, from those of all that occur."""
    occurs = np.zeros(rows.shape[0], dtype=bool)
    occurs[nearest] = True
    used = rows[np.flatnonzero(occurs)]
    gram = _dense(used @ used.T)
    places = (np.cumsum(occurs) - 1)[nearest]
    return gram.ravel().take(places[:, :, None] * len(gram) + places[:, None, :])


def _penalised(near: _Near, unit: FloatArray, grid: Grid) -> FloatArray:
    """Squared distances for every number of neighbours and penalty."""
    found = np.empty((*grid.shape, len(unit)))
    for column, penalty in enumerate(grid.penalties):
        bounded = np.clip(penalty, _LEAST_PENALTY * unit, _LARGEST_PENALTY * unit)
        sums = _sums_of_inverse(near.inner, bounded)
        for row, n_neighbors in enumerate(grid.n_neighbors):
            counts = np.minimum(n_neighbors, near.available)
            at = np.maximum(counts - 1, 0)
            total = np.take_along_axis(sums, at[:, None], axis=1)[:, 0]
            squares = 1.0 / total - bounded / (at + 1)
            squares[squares < _ROUNDING * unit] = 0.0
            found[row, column] = np.where(counts > 0, squares, np.inf)
    return found


def _sums_of_inverse(inner: FloatArray, penalties: FloatArray) -> FloatArray:
    """Sum of all entries of ``(M + λI)⁻¹`` for each leading block of ``M``."""
    n_kept = inner.shape[1]
    factors = np.linalg.cholesky(inner + penalties[:, None, None] * np.eye(n_kept))
    solved = np.empty((len(inner), n_kept))
    for row in range(n_kept):
        known = np.einsum("ij,ij->i", factors[:, row, :row], solved[:, :row])
        solved[:, row] = (1.0 - known) / factors[:, row, row]
    return np.cumsum(solved**2, axis=1)


def _within(places: IntArray, itself: IntArray | None, n_members: int, n_queries: int) -> IntArray:
    """Where each query stands among some members; -1 if it does not."""
    if itself is None:
        return np.full(n_queries, -1)
    positions = np.full(n_members + 1, -1)  # the last entry is what -1 finds
    positions[places] = np.arange(len(places))
    return positions[itself]


def _squared_lengths(rows: Matrix) -> FloatArray:
    if is_sparse(rows):
        return np.asarray((rows * rows).sum(axis=1), dtype=np.float64)
    return np.einsum("ij,ij->i", rows, rows)


def _dense(products: Matrix) -> FloatArray:
    return products.toarray() if is_sparse(products) else products


def blocks(n_rows: int, n_entries: int) -> Iterator[slice]:
    """Rows of so many entries each, as many at a time as are held."""
    step = max(1, _BLOCK_ENTRIES // n_entries)
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
