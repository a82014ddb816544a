"""Ward's method under divergences against ``fastcluster``'s and SciPy's for squared distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.cluster.hierarchy import linkage

from benchmarks._measure import Comparison, compare, growing, peer, seconds_by_size
from manyviews.cluster import BregmanWard, GeneralizedKL
from manyviews.typing import FloatArray

N_FEATURES = 50


def beside_fastcluster(kind: str, n_objects: int, n_groups: int) -> Comparison:
    """The same rows clustered by squared distances, whatever the divergence."""
    return beside("fastcluster", peer("fastcluster", "linkage_vector"), kind, n_objects, n_groups)


def beside_scipy(kind: str, n_objects: int, n_groups: int) -> Comparison:
    """SciPy holds all pairs in double precision."""
    return beside("SciPy", linkage, kind, n_objects, n_groups)


def beside(
    name: str, reference: Callable[..., Any], kind: str, n_objects: int, n_groups: int
) -> Comparison:
    model, draw, at_most = KINDS[kind]
    X = draw(n_objects, n_groups)
    row = compare(
        f"{title(kind, n_objects, n_groups)}, beside {name}",
        lambda: model.fit(X),
        lambda: reference(X, method="ward"),
        at_most=at_most,
        repeats=5,
    )
    lean = (row.extra_bytes or 0) <= 4 * n_objects * (n_objects - 1) // 2
    return replace(row, goal=f"{row.goal}, 4 bytes per pair", met=row.met and lean)


def growth(kind: str, n_objects: int, n_groups: int) -> Comparison:
    """From a quarter of the rows."""
    model, draw, _ = KINDS[kind]
    X = draw(n_objects, n_groups)
    works: dict[int, Callable[[], object]] = {
        n: partial(model.fit, X[:n]) for n in (n_objects // 4, n_objects)
    }
    return growing(title(kind, n_objects, n_groups), *seconds_by_size(works))


def title(kind: str, n_objects: int, n_groups: int) -> str:
    return f"{kind}, {n_objects:,} in {n_groups} groups"


def gaussians(n_objects: int, n_groups: int) -> FloatArray:
    rng = np.random.default_rng(0)
    centers = 2 * rng.standard_normal((n_groups, N_FEATURES))
    groups = rng.integers(n_groups, size=n_objects)
    return centers[groups] + rng.standard_normal((n_objects, N_FEATURES))


def multinomials(n_objects: int, n_groups: int) -> FloatArray:
    """Documents of 300 words, as shares."""
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(N_FEATURES, 0.5), size=n_groups)
    return rng.multinomial(300, topics[rng.integers(n_groups, size=n_objects)]) / 300


KINDS = {
    "squared Euclidean": (BregmanWard(), gaussians, 2.0),
    "KL": (BregmanWard(GeneralizedKL()), multinomials, 10.0),
}
SHORT = tuple(
    partial(measure, kind, 1_500, 30)
    for kind in KINDS
    for measure in (beside_scipy, beside_fastcluster)
)
ALL = tuple(
    partial(measure, kind, n_objects, n_groups)
    for kind in KINDS
    for n_objects, n_groups in ((20_000, 30), (5_000, 1))  # one group: little to prune
    for measure in (beside_fastcluster, growth)
)
