"""Features from unlabelled pairs: one factorisation against regressions and a full SVD."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import Ridge

from benchmarks._measure import Comparison, compare, growing, seconds_by_size
from manyviews import Views
from manyviews.datasets import make_token_views
from manyviews.embed import SubspaceFeatures

N_COMPONENTS = 10
SECONDS = 5.0
LARGE = 30_000
N_TOKENS = 50
KINDS = {"naive Bayes": False, "dependent tokens": True}
"""Whether a token depends on the one before it."""


@cache
def tokens(n_objects: int, kind: str) -> Views:
    return make_token_views(n_objects, consecutive=KINDS[kind], random_state=0).views


def beside_ridge(n_objects: int, kind: str, auxiliary: str = "argmax") -> Comparison:
    """Beside scikit-learn's ridge and a full SVD, which answer what ``argmax`` asks."""
    views = tokens(n_objects, kind)
    row = compare(
        f"subspace {n_objects:,} × 1,000 × 2, {kind}, {auxiliary}, beside Ridge and a full SVD",
        lambda: fit(views, auxiliary=auxiliary),
        lambda: by_hand(views),
        repeats=5,
    )
    judged = n_objects == LARGE
    goal = f"within {SECONDS:g} s" if judged else ""
    return replace(row, goal=goal, met=row.seconds <= SECONDS or not judged)


def growth(*sizes: int) -> Comparison:
    """What does not depend on the objects is part of it."""
    works = {n: partial(fit, tokens(n, "dependent tokens")) for n in sizes}
    return growing("subspace, objects", *seconds_by_size(works), at_most=1.1)


def wide(n_objects: int, n_words: int) -> Comparison:
    """Words by the ten thousands, where no product of features or objects can be formed."""
    views = words(n_objects, n_words)
    row = compare(
        f"subspace {n_objects:,} × {n_words:,} × 2 words, beside a truncated SVD of both",
        lambda: fit(views),
        lambda: [TruncatedSVD(N_COMPONENTS, random_state=0).fit(X) for _, X in views.items()],
        repeats=5,
    )
    size = sum(matrix.data.nbytes + matrix.indices.nbytes for _, matrix in views.items())
    lean = (row.extra_bytes or 0) <= 20 * size
    return replace(row, goal="memory at most 20× the data", met=lean)


def fit(views: Views, **options: Any) -> SubspaceFeatures:
    return SubspaceFeatures(N_COMPONENTS, **options).fit(views)


def by_hand(views: Views) -> list[Any]:
    """What the paper says, with scikit-learn's ridge for all problems and NumPy's SVD."""
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


SHORT = (partial(beside_ridge, 2_000, "naive Bayes"), partial(growth, 3_000, 12_000))
ALL = (
    partial(beside_ridge, LARGE, "naive Bayes"),
    partial(beside_ridge, LARGE, "dependent tokens"),
    partial(beside_ridge, LARGE, "dependent tokens", "nonzero"),
    partial(growth, 10_000, 30_000, 100_000, 300_000),
    partial(wide, LARGE, 100_000),
)
