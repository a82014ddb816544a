"""Who lies within a radius of whom, view by view and batch by batch, and what radius to take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from scipy import sparse

from manyviews.data import Views
from manyviews.exceptions import ViewsError
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

BATCH = 1024
"""Rows searched at a time: what bounds the memory when a radius takes in everything."""
CURVE = 4096
"""Objects, evenly spaced in their order, that the k-distance curve is drawn from at most."""
MARGIN = 1e-6
"""Share by which the knee's distance is widened, so that rounding does not cut off its object."""


@dataclass(frozen=True)
class Neighbours:
    """A search among the objects that one view shows."""

    rows: Matrix
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
            return cls(matrix, None, places, len(seen))
        rows = matrix if seen.all() else matrix[places]
        return cls(rows, NearestNeighbors(metric=metric).fit(rows), places, len(seen))

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
        chosen = np.unique(np.linspace(0, n_seen - 1, min(n_seen, CURVE)).astype(np.intp))
        neighbors = self.finder.kneighbors
        distances, _ = neighbors(self.rows[chosen], n_neighbors=min(n_neighbors, n_seen))
        return np.sort(distances[:, -1])


def knee(curve: FloatArray) -> float:
    """Value of a rising curve where it lies deepest below the line between its two ends.

    Examples
    --------
    >>> knee(np.array([1.0, 1.0, 1.1, 1.2, 5.0, 9.0]))
    1.2
    """
    height = curve[-1] - curve[0]
    if height <= 0:
        return float(curve[-1])
    depth = np.linspace(0.0, 1.0, len(curve)) - (curve - curve[0]) / height
    return float(curve[len(depth) - 1 - int(np.argmax(depth[::-1]))])  # the last among equals


def automatic_radius(search: Neighbours, n_neighbors: int, view: str) -> float:
    """Radius of one view from the knee of its k-distance curve [@ester1996]."""
    if len(search.places) < 2:
        raise ViewsError(
            f"view {view!r} is observed for {len(search.places)} sample (object), which shows no "
            "distances to take eps from; give eps as a number, or leave the view out."
        )
    curve = search.k_distances(n_neighbors)
    radius = knee(curve)
    if radius <= 0:  # more copies than not: the smallest distance between different objects
        positive = curve[curve > 0]
        if len(positive) == 0:
            raise ViewsError(
                f"view {view!r} shows every object at least {n_neighbors} times, so "
                "its k-distance curve is zero; give eps as a number, or leave the view out."
            )
        radius = float(positive[0])
    return radius * (1.0 + MARGIN)


def automatic_radii(
    searches: Mapping[str, Neighbours],
    given: Mapping[str, float | None],
    views: Views,
    min_samples: int,
    rule: str,
) -> dict[str, float]:
    """Radii as given, and from the k-distance curves where there is ``None``.

    An intersection is smaller than what it is made of: there ``k`` grows from ``min_samples`` until
    half of the objects that have all views are core objects.
    """
    n_neighbors = min_samples
    whole = np.flatnonzero(views.observed.all(axis=1))
    sample = views[whole[:: max(1, len(whole) // BATCH)][:BATCH]]
    while True:
        radii = {
            name: automatic_radius(searches[name], n_neighbors, name) if radius is None else radius
            for name, radius in given.items()
        }
        enough = rule == "union" or None not in given.values() or n_neighbors >= len(views)
        if enough or len(sample) == 0:
            return radii
        hood = next(neighbourhoods(searches, radii, sample, rule))
        if np.median(np.diff(hood.indptr)) >= min_samples:
            return radii
        n_neighbors = int(np.ceil(1.5 * n_neighbors))


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
