"""``CCA`` beside covariances and one SVD in NumPy, its peers, and on documents beside two SVDs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import cross_decomposition
from sklearn.decomposition import TruncatedSVD

from benchmarks._measure import (
    Comparison,
    MissingPeerError,
    compare,
    growing,
    peer,
    resident_peak,
    seconds_by_size,
)
from manyviews import Views
from manyviews.embed import CCA

Peer = Callable[[list[Any]], Any]
"""From the views to the variates of both."""

N_FEATURES, N_SHARED = 200, 5
N_WORDS, WORDS_PER_DOCUMENT, RANK = 20_000, 100, 300
MOST_MEMORY = 0.05
"""Share of the data: almost no memory beyond them."""
PEERS = {"cca-zoo": "cca_zoo.linear", "mvlearn": "mvlearn.embed"}


@cache
def clouds(n_objects: int, n_features: int, n_views: int = 2) -> Views:
    """Noise, with five signals that all views show."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(n_objects, N_SHARED)) * np.sqrt(np.arange(N_SHARED, 0, -1))
    views = {f"view{v}": rng.normal(size=(n_objects, n_features)) for v in range(n_views)}
    for view in views.values():
        view[:, :N_SHARED] += shared
    return Views(views)


def paired_documents(n_objects: int) -> Views:
    """Documents of a hundred words in two languages, two fifths of them of their common topic."""
    rng = np.random.default_rng(0)
    topics = rng.integers(0, 100, size=(n_objects, 1))
    return Views({name: _language(topics, rng) for name in ("en", "fr")})


def _language(topics: Any, rng: np.random.Generator) -> sparse.csr_array:
    shape = (len(topics), 2 * WORDS_PER_DOCUMENT // 5)
    special = (97 * topics + rng.integers(0, 80, size=shape)) % N_WORDS
    usual = rng.zipf(1.3, size=(len(topics), WORDS_PER_DOCUMENT - shape[1])) % N_WORDS
    words = np.hstack([special, usual]).ravel()
    rows = np.repeat(np.arange(len(topics)), WORDS_PER_DOCUMENT)
    counts = sparse.csr_array((np.ones(len(words)), (rows, words)), (len(topics), N_WORDS))
    counts.sum_duplicates()
    counts.data = 1 + np.log(counts.data)
    return counts


def beside_numpy(n_objects: int) -> Comparison:
    views = clouds(n_objects, N_FEATURES)
    arrays = [views[name] for name in views.names]
    row = compare(
        f"{n_objects:,} × {N_FEATURES} × 2, beside covariance and SVD",
        lambda: CCA(N_SHARED).fit(views),
        lambda: _plain(*arrays),
        at_most=1.5,
        repeats=5,
    )
    share = (row.extra_bytes or 0) / sum(array.nbytes for array in arrays)
    large = n_objects >= 100_000  # the goal is set for this size
    apart = np.abs(CCA(N_SHARED).fit(views).correlations_ - _plain(*arrays)).max()
    return replace(
        row,
        found=f"same to {apart:.0e}, memory {share:.1%} of the data",
        goal=f"{row.goal}, {MOST_MEMORY:.0%} memory" if large else row.goal,
        met=row.met and (share <= MOST_MEMORY or not large) and apart < 1e-9,
    )


def _plain(x: Any, y: Any) -> Any:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    lower = [np.linalg.cholesky(view.T @ view / len(view)) for view in (x, y)]
    half = np.linalg.solve(lower[0], x.T @ y / len(x))
    return np.linalg.svd(np.linalg.solve(lower[1], half.T).T)[1][:N_SHARED]


def beside_peer(name: str, n_objects: int, n_features: int = N_FEATURES) -> Comparison:
    """How long, and how far the correlations of both are from each other."""
    views, fit = clouds(n_objects, n_features), _by_scikit_learn
    if name != "scikit-learn":
        fit = _fitting(peer(PEERS[name], "CCA"))
        tiny = clouds(50, 10)
        try:
            fit([tiny[view] for view in tiny.names])
        except AttributeError as error:  # of a scikit-learn that it does not know yet
            raise MissingPeerError(f"{name} does not run here: {error}") from error
    arrays = [views[view] for view in views.names]
    found: dict[str, Any] = {}

    def ours() -> None:
        found["ours"] = CCA(N_SHARED).fit(views)

    def theirs() -> None:
        found["theirs"] = fit(arrays)

    shape = f"{n_objects:,} × {n_features} × 2"
    row = compare(f"{shape}, beside {name}", ours, theirs, at_most=1.0, repeats=5)
    left, right = found["theirs"]
    reached = [np.corrcoef(left[:, k], right[:, k])[0, 1] for k in range(N_SHARED)]
    apart = np.abs(found["ours"].correlations_ - np.abs(reached)).max()
    return replace(row, found=f"same to {apart:.0e}")


def _fitting(kind: Any) -> Peer:
    return lambda arrays: kind(n_components=N_SHARED).fit(arrays).transform(arrays)


def _by_scikit_learn(arrays: list[Any]) -> list[Any]:
    return cross_decomposition.CCA(N_SHARED, max_iter=2000).fit(*arrays).transform(*arrays)


def growth(*sizes: int) -> Comparison:
    works = {n: partial(CCA(N_SHARED).fit, clouds(n, N_FEATURES)) for n in sizes}
    return growing(f"objects × {N_FEATURES} × 2", *seconds_by_size(works), at_most=1.1)


def gaps(n_objects: int) -> Comparison:
    views = clouds(n_objects, N_FEATURES)
    observed = np.random.default_rng(1).random((len(views), 2)) < 0.8
    observed[:, 0] |= ~observed.any(axis=1)
    gappy = views.with_observed(observed)
    return compare(
        f"{n_objects:,} × {N_FEATURES} × 2 with a fifth hidden, beside all of them",
        lambda: CCA(N_SHARED).fit(gappy),
        lambda: CCA(N_SHARED).fit(views),
        repeats=5,
    )


def sumcor(n_objects: int) -> Comparison:
    views = clouds(n_objects, 100, n_views=4)
    return compare(
        f"{n_objects:,} × 100 × 4, sumcor beside maxvar",
        lambda: CCA(N_SHARED, criterion="sumcor").fit(views),
        lambda: CCA(N_SHARED).fit(views),
        repeats=5,
    )


def documents(n_objects: int) -> Comparison:
    """Wide sparse views, beside a singular value decomposition of each, which is not centred."""
    views = paired_documents(n_objects)

    def decompose() -> None:
        for name in views.names:
            TruncatedSVD(RANK, n_iter=3, random_state=0).fit(views[name])

    title = f"{n_objects:,} documents of {N_WORDS:,} words × 2, rank {RANK}"
    row = compare(
        f"{title}, beside TruncatedSVD of both", lambda: fit_documents(views), decompose, repeats=5
    )
    prepare = f"views = paired_documents({n_objects})"
    peak = resident_peak("bench_cca", prepare, "fit_documents(views)")
    dense = 8 * views.shape[0] * views.shape[1]
    found = f"memory {peak / dense:.1%} of the same views unpacked"
    return replace(row, extra_bytes=peak, found=found)


def fit_documents(views: Views) -> None:
    CCA(50, 0.1, rank=RANK, random_state=0).fit(views)


SHORT = (
    partial(beside_numpy, 10_000),
    *(partial(beside_peer, name, 10_000) for name in PEERS),
    partial(beside_peer, "scikit-learn", 1_000, 30),
    partial(growth, 5_000, 20_000),
)
ALL = (
    partial(beside_numpy, 100_000),
    *(partial(beside_peer, name, 100_000) for name in PEERS),
    partial(beside_peer, "scikit-learn", 5_000, 30),
    partial(growth, 12_500, 25_000, 50_000, 100_000),
    partial(gaps, 100_000),
    partial(sumcor, 20_000),
    partial(documents, 20_000),
)
