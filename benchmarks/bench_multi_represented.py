"""``MultiRepresentedKNN`` beside scikit-learn's weighted neighbours on each view in turn."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier

from benchmarks._measure import Comparison, compare, growing
from manyviews import Views
from manyviews.ensemble import MultiRepresentedKNN
from manyviews.typing import FloatArray, IntArray

LARGE = 12_500
"""Objects from which the times are judged: the goal is set for these sizes."""


def growth(n_new: int, *sizes: int) -> Iterator[Comparison]:
    rows = [dense_views(n_objects, n_new) for n_objects in sizes]
    yield from rows
    yield growing("dense", sizes, [row.seconds for row in rows])
    yield growing("neighbours in each view", sizes, [row.reference_seconds for row in rows])


def dense_views(n_objects: int, n_new: int) -> Comparison:
    """Views of 3, 20 and 100 features; fit and predict."""
    arrays, y = clouds(n_objects + n_new)
    views, new = Views(arrays)[:n_objects], Views(arrays)[n_objects:]
    return compare(
        f"{n_objects:,} × (3 + 20 + 100) features, {n_new:,} new",
        lambda: MultiRepresentedKNN(10).fit(views, y[:n_objects]).predict(new),
        lambda: _each_view(views, y[:n_objects], new, "minkowski"),
        at_most=2.0 if n_objects >= LARGE else None,
        repeats=5,
    )


def text_views(n_objects: int, n_new: int) -> Comparison:
    """Two sparse views of 10,000 words under cosine."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_objects + n_new)
    views = Views({"title": words(rng, y, 8), "text": words(rng, y, 60)})
    known, new = views[:n_objects], views[n_objects:]
    return compare(
        f"{n_objects:,} texts of 8 + 60 words, cosine, {n_new:,} new",
        lambda: MultiRepresentedKNN(10, metric="cosine").fit(known, y[:n_objects]).predict(new),
        lambda: _each_view(known, y[:n_objects], new, "cosine"),
        at_most=2.0 if n_objects >= LARGE else None,
        repeats=5,
    )


def _each_view(views: Views, y: IntArray, new: Views, metric: str) -> list[Any]:
    return [
        KNeighborsClassifier(10, weights="distance", metric=metric)
        .fit(matrix, y)
        .predict_proba(new[name])
        for name, matrix in views.items()
    ]


def clouds(n_objects: int) -> tuple[dict[str, FloatArray], IntArray]:
    """Ten classes, each a cloud, in views of several widths."""
    rng = np.random.default_rng(0)
    y = rng.integers(10, size=n_objects)
    arrays: dict[str, FloatArray] = {}
    for name, width in (("space", 3), ("some", 20), ("many", 100)):
        centres = 3.0 * rng.normal(size=(10, width)) / np.sqrt(width)
        arrays[name] = centres[y] + rng.normal(size=(n_objects, width))
    return arrays, y


def words(rng: np.random.Generator, y: IntArray, length: int) -> sparse.csr_array:
    """Words by Zipf's law, half of them from the class's own part of the vocabulary."""
    n_words = 10_000
    drawn = np.minimum(rng.zipf(1.3, size=(len(y), length)) - 1, n_words // 11 - 1)
    own = rng.random(drawn.shape) < 0.5
    columns = drawn + np.where(own, y[:, None] + 1, 0) * (n_words // 11)
    rows = np.repeat(np.arange(len(y)), length)
    counts = sparse.coo_array(
        (np.ones(columns.size), (rows, columns.ravel())), shape=(len(y), n_words)
    )
    return sparse.csr_array(counts)


SHORT = (partial(growth, 500, 3_000, 12_000), partial(text_views, 4_000, 500))
ALL = (partial(growth, 2_000, 12_500, 25_000, 50_000), partial(text_views, 20_000, 2_000))
