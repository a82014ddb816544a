"""Exact search among points: the nearest of each query, and where its mate stands among them.

Every score is such that larger is nearer: the cosine, the inner product, minus the distance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from manyviews.maths import row_blocks, unit_length
from manyviews.typing import BoolArray, FloatArray, IntArray

Metric: TypeAlias = Literal["cosine", "euclidean", "dot"]

_BLOCK_ENTRIES = 1 << 22
"""How many scores are held at a time, so that memory does not grow with the queries."""

_ROUNDING = 64 * np.finfo(np.float64).eps
"""Scores of one query that differ by less than this share of the largest possible are equal."""


@dataclass(frozen=True)
class Points:
    """Objects to be searched: where they are, and how far from the origin."""

    coordinates: FloatArray = field(repr=False)
    lengths: FloatArray = field(repr=False)


@dataclass(frozen=True)
class Nearest:
    """The best objects of each query (row), the best first; equal ones in order of position."""

    indices: IntArray
    scores: FloatArray


@dataclass(frozen=True)
class Standing:
    """How many objects stand before each query's mate, and how many beside it."""

    better: IntArray
    tied: IntArray
    """Objects with the score of the mate, itself included."""

    @property
    def ranks(self) -> FloatArray:
        """Mean rank of the mate when ties are broken by chance; 1 is best."""
        return self.better + (self.tied + 1) / 2

    def found(self, n: int) -> FloatArray:
        """Probability that the mate is among the first ``n`` when ties are broken by chance."""
        return np.clip((n - self.better) / self.tied, 0.0, 1.0)


def as_points(coordinates: FloatArray) -> Points:
    """Coordinates as doubles, with their lengths.

    Examples
    --------
    >>> as_points(np.array([[3.0, 4.0]])).lengths
    array([5.])
    """
    found = np.asarray(coordinates, dtype=np.float64)
    return Points(found, np.sqrt(np.einsum("od,od->o", found, found)))


def nearest(queries: FloatArray, objects: Points, k: int, metric: Metric) -> Nearest:
    """Find the ``k`` objects nearest to each query; all of them if there are fewer.

    Examples
    --------
    >>> found = nearest(np.array([[1.0, 0.1]]), as_points(np.eye(2)), 1, "cosine")
    >>> found.indices, found.scores.round(3)
    (array([[0]]), array([[0.995]]))
    """
    k = min(k, len(objects.lengths))
    queries = _asking(queries, metric)
    indices = np.empty((len(queries), k), dtype=np.intp)
    scores = np.empty((len(queries), k))
    for part, block in _score_blocks(queries, objects, metric):
        indices[part] = largest(block, k)
        scores[part] = np.take_along_axis(block, indices[part], axis=1)
    if metric == "euclidean":  # without the rounding of a difference of squares
        for part in row_blocks(len(queries), max(1, _BLOCK_ENTRIES // (k * queries.shape[1] + 1))):
            gaps = queries[part, None, :] - objects.coordinates[indices[part]]
            scores[part] = -np.sqrt(np.einsum("qkd,qkd->qk", gaps, gaps))
    return _in_order(indices, scores)


def mate_standing(
    queries: FloatArray, objects: Points, mates: IntArray, metric: Metric
) -> Standing:
    """Say where each query's mate, an object, stands among all objects.

    Scores within rounding of the mate's count as equal to it.

    Examples
    --------
    >>> mate_standing(np.eye(3)[:2], as_points(np.eye(3)), np.array([0, 2]), "cosine").ranks
    array([1. , 2.5])
    """
    queries = _asking(queries, metric)
    better = np.empty(len(queries), dtype=np.intp)
    tied = np.empty(len(queries), dtype=np.intp)
    margins = _ROUNDING * _largest_possible(queries, objects, metric)
    for part, block in _score_blocks(queries, objects, metric):
        own = np.take_along_axis(block, mates[part, None], axis=1)
        margin = margins[part, None]
        better[part] = np.count_nonzero(block > own + margin, axis=1)
        tied[part] = np.count_nonzero(block >= own - margin, axis=1) - better[part]
    return Standing(better, tied)


def largest(block: FloatArray, k: int) -> IntArray:
    """Columns of the ``k`` largest of each row in any order; among equals the first ones.

    Examples
    --------
    >>> largest(np.array([[2.0, 1.0, 2.0, 2.0]]), 2)
    array([[0, 2]])
    """
    if k == block.shape[1]:
        return np.broadcast_to(np.arange(k), block.shape)
    found = np.argpartition(block, -k, axis=1)[:, -k:]
    edge = np.take_along_axis(block, found, axis=1).min(axis=1, keepdims=True)
    crowded: BoolArray = np.count_nonzero(block >= edge, axis=1) > k
    if crowded.any():
        found[crowded] = np.argsort(-block[crowded], axis=1, kind="stable")[:, :k]
    return found


def _asking(coordinates: FloatArray, metric: Metric) -> FloatArray:
    points = np.asarray(coordinates, dtype=np.float64)
    return unit_length(points) if metric == "cosine" else points


def _score_blocks(
    queries: FloatArray, objects: Points, metric: Metric
) -> Iterator[tuple[slice, FloatArray]]:
    """Yield scores of some queries (rows) with all objects; for distances half of |q|² - d²."""
    lengths = objects.lengths
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    for part in row_blocks(len(queries), max(1, _BLOCK_ENTRIES // max(len(lengths), 1))):
        block = queries[part] @ objects.coordinates.T
        if metric == "cosine":
            block *= inverse
        elif metric == "euclidean":
            block -= lengths**2 / 2
        yield part, block


def _largest_possible(queries: FloatArray, objects: Points, metric: Metric) -> FloatArray:
    lengths = np.sqrt(np.einsum("qd,qd->q", queries, queries))
    longest = 1.0 if metric == "cosine" else float(objects.lengths.max())
    return lengths * longest + (longest**2 / 2 if metric == "euclidean" else 0.0)


def _in_order(indices: IntArray, scores: FloatArray) -> Nearest:
    order = np.lexsort((indices, -scores), axis=1)
    return Nearest(
        np.take_along_axis(indices, order, axis=1), np.take_along_axis(scores, order, axis=1)
    )
