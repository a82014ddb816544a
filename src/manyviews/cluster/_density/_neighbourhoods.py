"""Who lies within a radius of whom, view by view and batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.similarity import evenly_spaced
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

BATCH = 1024
"""Rows searched at a time: what bounds the memory when a radius takes in everything."""
CURVE = 4096
"""Objects, evenly spaced in their order, that the k-distance curve is drawn from at most."""


@dataclass(frozen=True)
class Neighbours:
    """A search among the objects that one view shows."""

    rows: Matrix
    metric: Any
    finder: Any
    """scikit-learn's search, or ``None`` where nobody is shown."""
    places: IntArray
    """Which objects these are."""
    n_objects: int

    @classmethod
    def among(cls, matrix: Matrix, seen: BoolArray, metric: Any) -> Neighbours:
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
        chosen = evenly_spaced(n_seen, CURVE)
        neighbors = self.finder.kneighbors
        distances, _ = neighbors(self.rows[chosen], n_neighbors=min(n_neighbors, n_seen))
        return np.sort(distances[:, -1])


def neighbourhoods(
    searches: Mapping[str, Neighbours], radii: Mapping[str, float], views: Views, rule: str
) -> Iterator[sparse.csr_array]:
    """Yield the neighbourhoods of the objects of ``views``, a batch of rows at a time.

    By ``rule``, those of the views are united or intersected.
    """
    for first in range(0, len(views), BATCH):
        rows = views[first : first + BATCH]
        hoods = [
            searches[name].within(radii[name], matrix, rows.observed_in(name))
            for name, matrix in rows.items()
        ]
        yield reduce(_union if rule == "union" else _intersection, hoods)


def _union(one: sparse.csr_array, other: sparse.csr_array) -> sparse.csr_array:
    return one.maximum(other)


def _intersection(one: sparse.csr_array, other: sparse.csr_array) -> sparse.csr_array:
    return one.multiply(other).tocsr()
