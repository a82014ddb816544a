"""Views as directions: unit rows, their cosines with centres, their sums, and seeds among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy import sparse

from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

BLOCK = 4096
"""How many objects are looked at together where all of them would leave the cache."""


@dataclass(frozen=True)
class Directions:
    """The views as unit rows, all zero where a view shows an object no direction."""

    units: tuple[Matrix, ...]
    shown: BoolArray
    """Which object has a direction in which view (objects × views)."""
    alone: tuple[IntArray, ...]
    """Objects that have a direction in this view and in no other, by view."""


def directions(matrices: Sequence[Matrix], observed: BoolArray) -> Directions:
    """Bring every observed row to unit length; what is unobserved or zero has no direction."""
    units, shown = zip(
        *(_unit_rows(m, seen) for m, seen in zip(matrices, observed.T, strict=True)), strict=True
    )
    single = np.sum(shown, axis=0) == 1
    alone = tuple(np.flatnonzero(single & in_view) for in_view in shown)
    return Directions(units, np.column_stack(shown), alone)


def cosines(unit: Matrix, centres: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Cosine of every centre (row) with every object (column), into ``out`` if that is given."""
    if is_sparse(unit):
        return (unit @ np.ascontiguousarray(centres.T)).T
    if unit.dtype == np.float64:  # which order BLAS does faster depends on the precision
        return np.matmul(centres, unit.T, out=out)
    return np.matmul(unit, centres.T, out=None if out is None else out.T).T


def best_cluster(scores: FloatArray) -> IntArray:
    """Row of the largest score of each object, the first among equals."""
    return best_and_score(scores)[0]


def best_and_score(scores: FloatArray) -> tuple[IntArray, FloatArray]:
    """Row of the largest score of each object, and that score."""
    from manyviews.cluster._directional._kernels import best_rows, best_rows_by_column

    by_column = scores.flags.f_contiguous
    return (best_rows_by_column if by_column else best_rows)(scores)


def similarity_to_best(scores: Sequence[FloatArray]) -> float:
    """Sum over objects of the largest score, added up over views, in blocks that stay in cache."""
    blocks = range(0, scores[0].shape[1], BLOCK)
    parts = (reduce(np.add, [rows[:, at : at + BLOCK] for rows in scores]) for at in blocks)
    return float(sum(best_and_score(part)[1].sum(dtype=np.float64) for part in parts))


def sum_directions(unit: Matrix, labels: IntArray, n_clusters: int) -> FloatArray:
    """Sum of the directions of each cluster; objects labelled -1 are left out."""
    if is_sparse(unit):
        from manyviews.cluster._directional._kernels import add_sparse_rows

        sums = np.zeros((n_clusters, unit.shape[1]), dtype=unit.dtype)
        add_sparse_rows(unit.data, unit.indices, unit.indptr, labels, sums)
        return sums
    counted = np.asarray(labels >= 0, dtype=unit.dtype)
    starts = np.arange(len(labels) + 1, dtype=np.int32)
    members = sparse.csc_array(
        (counted, np.maximum(labels, 0), starts), shape=(n_clusters, len(labels))
    )
    return np.asarray(members @ unit)


def unit_length(rows: FloatArray) -> FloatArray:
    """Rows at length one; rows of zeros as they are."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return rows * _inverse(lengths)[:, None]


def seed_scores(views: Directions, n_seeds: int, rng: np.random.Generator) -> FloatArray:
    """Likeness of all objects to seeds that greedy k-means++ draws far apart [@arthur2007]."""
    n_trials = 2 + int(np.log(n_seeds))
    shown = views.shown.astype(np.float32)
    found = [likeness(views.units, shown, rng.integers(len(shown), size=1))[0]]
    gaps = np.maximum(1.0 - found[0], 0.0)  # half the squared chord, which k-means++ draws by
    for _ in range(1, n_seeds):
        trials = likeness(views.units, shown, _draw(gaps, n_trials, rng))
        closer = np.minimum(1.0 - trials, gaps)
        np.maximum(closer, 0.0, out=closer)
        chosen = int(closer.sum(axis=1).argmin())
        gaps = closer[chosen]
        found.append(trials[chosen])
    return np.stack(found)


def likeness(units: Sequence[Matrix], shown: FloatArray, rows: IntArray) -> FloatArray:
    """Mean cosine of some objects with all, over the views that both show; 0 where there is none.

    Objects that share no view are taken to be as unlike as two that share no word.
    """
    total = reduce(np.add, (cosines(unit, dense_rows(unit[rows])) for unit in units))
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


def dense_rows(rows: Matrix) -> FloatArray:
    """Some rows as a dense array."""
    return np.asarray(rows.toarray()) if is_sparse(rows) else rows


def _unit_rows(matrix: Matrix, seen: BoolArray) -> tuple[Matrix, BoolArray]:
    if not is_sparse(matrix):
        rows = matrix if seen.all() else np.where(seen[:, None], matrix, matrix.dtype.type(0))
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        return rows * _inverse(lengths)[:, None], lengths > 0
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    data = matrix.data * np.repeat(_inverse(lengths), np.diff(matrix.indptr))
    parts = (data, matrix.indices, matrix.indptr)
    return sparse.csr_array(parts, shape=matrix.shape), seen & (lengths > 0)


def _inverse(lengths: FloatArray) -> FloatArray:
    """One over each length; zero where that is zero."""
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
