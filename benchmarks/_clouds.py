"""Groups of objects in several views, and the bare search for neighbours among them."""

from __future__ import annotations

import numpy as np

from manyviews import Views
from manyviews.typing import IntArray

N_CLUSTERS = 10


def clouds(n_objects: int, n_views: int, seed: int = 0) -> tuple[Views, IntArray]:
    """Ten groups of objects, seen in each view with ten features."""
    rng = np.random.default_rng(seed)
    y = rng.integers(N_CLUSTERS, size=n_objects)
    arrays = {}
    for view in range(n_views):
        centres = rng.standard_normal((N_CLUSTERS, 10))
        arrays[f"view {view}"] = centres[y] + rng.standard_normal((n_objects, 10))
    return Views(arrays), y


def search_neighbors(views: Views) -> None:
    """The exact search for neighbours alone, by faiss."""
    import faiss

    for name in views.names:
        rows = np.ascontiguousarray(views[name], dtype=np.float32)
        faiss.knn(rows, rows, 11)
