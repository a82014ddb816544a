"""``MultiViewDBSCAN`` beside scikit-learn's DBSCAN on each view in turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from sklearn.cluster import DBSCAN

from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews import Views
from manyviews.cluster import MultiViewDBSCAN
from manyviews.typing import FloatArray

SIZES = (25_000, 100_000)


def run() -> Iterator[Comparison]:
    rows = [beside_each_view(n_objects, "union") for n_objects in SIZES]
    yield from rows
    ours = growth_exponent(SIZES, [row.seconds for row in rows])
    theirs = growth_exponent(SIZES, [row.reference_seconds for row in rows])
    name = f"growth exponent {ours:.2f}, of the reference {theirs:.2f}"
    yield replace(rows[1], name=name, goal="", met=True)
    yield beside_each_view(SIZES[1], "intersection")


def beside_each_view(n_objects: int, rule: str) -> Comparison:
    arrays = clouds(n_objects)
    views = Views(arrays)
    eps = 0.3 * (SIZES[1] / n_objects) ** (1 / 3)  # as many neighbours, whatever the number
    return compare(
        f"{n_objects:,} × (2 + 3) features, {rule}",
        lambda: MultiViewDBSCAN(eps=eps, rule=rule).fit(views),
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
