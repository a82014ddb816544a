"""Features from unlabelled pairs: one factorisation against regressions and a full SVD."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growth_exponent,
    medians,
    peak_bytes,
)
from manyviews import Views
from manyviews.datasets import make_token_views
from manyviews.embed import SubspaceFeatures

N_OBJECTS = 30_000
N_COMPONENTS = 10
SIZES = (10_000, 30_000, 100_000, 300_000)
SECONDS = 5.0
WIDE = (30_000, 100_000)
N_TOKENS = 50


def run() -> Iterator[Comparison]:
    for kind, options in (
        ("naive Bayes", {}),
        ("dependent tokens", {"consecutive": True}),
    ):
        views = make_token_views(N_OBJECTS, random_state=0, **options).views
        yield within(f"subspace 30,000 × 1,000 × 2, {kind}", views)
    views = make_token_views(N_OBJECTS, consecutive=True, random_state=0).views
    yield within("the same, every word asked about", views, auxiliary="nonzero")
    yield compare(
        "subspace, beside scikit-learn's Ridge and a full SVD",
        lambda: fit(views, whiten=False),
        lambda: by_hand(views),
        repeats=5,
    )
    yield growth()
    yield wide(*WIDE)


def within(name: str, views: Views, **options: Any) -> Comparison:
    """Seconds of a fit beside the goal, as if that were the reference."""
    seconds = medians(lambda: {"fit": cpu_seconds(lambda: fit(views, **options))})["fit"]
    extra = peak_bytes(lambda: fit(views, **options))
    return Comparison(name, seconds, SECONDS, extra, f"within {SECONDS:g} s", seconds <= SECONDS)


def growth() -> Comparison:
    """Time from 10,000 to 300,000 objects; what does not depend on them is part of it."""
    made = [make_token_views(n, consecutive=True, random_state=0).views for n in SIZES]
    seconds = medians(
        lambda: {
            str(n): cpu_seconds(lambda views=views: fit(views))
            for n, views in zip(SIZES, made, strict=True)
        },
        repeats=3,
    )
    times = [seconds[str(n)] for n in SIZES]
    exponent = growth_exponent(SIZES, times)
    name = f"growth from {SIZES[0]:,} to {SIZES[-1]:,} objects: exponent {exponent:.2f}"
    return Comparison(name, times[-1], times[0], None, "exponent at most 1.1", exponent <= 1.1)


def wide(n_objects: int, n_words: int) -> Comparison:
    """Words by the ten thousands, where no product of features or objects can be formed."""
    views = words(n_objects, n_words)
    seconds = cpu_seconds(lambda: fit(views))
    extra = peak_bytes(lambda: fit(views))
    size = sum(matrix.data.nbytes + matrix.indices.nbytes for _, matrix in views.items())
    name = f"subspace {n_objects:,} × {n_words:,} × 2 words (one run), memory beside the data's"
    base = Comparison(name, seconds, seconds, extra, "memory at most 20× the data", True)
    return replace(base, met=extra <= 20 * size)


def fit(views: Views, **options: Any) -> SubspaceFeatures:
    return SubspaceFeatures(N_COMPONENTS, **options).fit(views)


def by_hand(views: Views) -> list[Any]:
    """What the paper says, with scikit-learn's ridge for all problems and NumPy's SVD."""
    from sklearn.linear_model import Ridge

    found = []
    for name, other in (views.names, views.names[::-1]):
        rows = views[name].toarray()
        codes = views[other].toarray().argmax(axis=1)
        targets = np.eye(views[other].shape[1])[:, np.unique(codes)][codes]
        penalty = 3.0 * float((rows**2).sum()) / len(rows)
        weights = Ridge(alpha=penalty, fit_intercept=False, solver="cholesky").fit(rows, targets)
        found.append(np.linalg.svd(weights.coef_.T, full_matrices=False)[0][:, :N_COMPONENTS])
    return found


def words(n_objects: int, n_words: int, n_classes: int = 10) -> Views:
    """Words with Zipf's frequencies, a third of them of a class, weighted by their rarity."""
    rng = np.random.default_rng(0)
    classes = rng.integers(n_classes, size=n_objects)
    ranks = np.cumsum(1.0 / np.arange(1, n_words + 1))
    views = {}
    for name in ("first", "second"):
        rank = np.searchsorted(ranks / ranks[-1], rng.random((n_objects, N_TOKENS)))
        order = np.stack([rng.permutation(n_words) for _ in range(n_classes)])
        own = rng.random(rank.shape) < 1 / 3
        chosen = np.where(own, order[classes[:, None], rank], rank).ravel()
        places = np.repeat(np.arange(n_objects), N_TOKENS)
        counts = sparse.csr_array(
            (np.ones(len(chosen)), (places, chosen)), shape=(n_objects, n_words)
        )
        frequency = np.bincount(counts.indices, minlength=n_words)
        rarity = np.log((1 + n_objects) / (1 + frequency))
        views[name] = sparse.csr_array(counts * rarity[None, :])
    return Views(views)
