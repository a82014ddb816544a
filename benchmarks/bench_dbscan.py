"""``MultiViewDBSCAN`` beside scikit-learn's DBSCAN on each view in turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.cluster import DBSCAN

from benchmarks._measure import Comparison, compare, growing
from manyviews import Views
from manyviews.cluster import MultiViewDBSCAN
from manyviews.typing import FloatArray

DENSE = 100_000
"""Objects among which clouds of one width have neighbours at the distance 0.3."""


def growth(*sizes: int) -> Iterator[Comparison]:
    rows = [beside_each_view(n_objects, "union") for n_objects in sizes]
    yield from rows
    yield growing("union", sizes, [row.seconds for row in rows])
    yield growing("DBSCAN of each view", sizes, [row.reference_seconds for row in rows])


def beside_each_view(n_objects: int, rule: str) -> Comparison:
    arrays = clouds(n_objects)
    views = Views(arrays)
    eps = 0.3 * (DENSE / n_objects) ** (1 / 3)  # as many neighbours, whatever the number
    return compare(
        f"{n_objects:,} × (2 + 3) features, {rule}",
        lambda: MultiViewDBSCAN(eps=eps, rule=rule, view_weights=None).fit(views),
        lambda: [DBSCAN(eps=eps).fit(array) for array in arrays.values()],
        at_most=2.0,
        repeats=5,
    )


def clouds(n_objects: int) -> dict[str, FloatArray]:
    """Fifty clouds and a tenth of noise, in a plane and in space."""
    rng = np.random.default_rng(0)
    groups = rng.integers(50, size=n_objects)
    stray = rng.random(n_objects) < 0.1
    arrays: dict[str, FloatArray] = {}
    for name, width in (("plane", 2), ("space", 3)):
        points = rng.uniform(-40, 40, size=(50, width))[groups]
        points += rng.standard_normal(points.shape)
        points[stray] = rng.uniform(-45, 45, size=(int(stray.sum()), width))
        arrays[name] = points
    return arrays


SHORT = (partial(growth, 2_500, 10_000), partial(beside_each_view, 10_000, "intersection"))
ALL = (partial(growth, 25_000, 100_000), partial(beside_each_view, 100_000, "intersection"))
