"""``CCA`` beside covariances and one SVD in NumPy, its peers, and on documents beside two SVDs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import cross_decomposition
from sklearn.decomposition import TruncatedSVD

from benchmarks._measure import Comparison, compare, cpu_seconds, growth_exponent, resident_peak
from manyviews import Views
from manyviews.embed import CCA

Peer = Callable[[list[Any]], Any]
"""From the views to the variates of both."""

N_OBJECTS, N_FEATURES, N_SHARED = 100_000, 200, 5
SIZES = (12_500, 25_000, 50_000, 100_000)
N_WORDS, WORDS_PER_DOCUMENT, RANK = 20_000, 100, 300
MOST_MEMORY = 0.05
"""Share of the data: almost no memory beyond them."""


def run() -> Iterator[Comparison]:
    views = clouds(N_OBJECTS, N_FEATURES)
    yield _beside_numpy(views)
    for name, peer in _peers().items():
        yield _beside(f"{N_OBJECTS:,} × {N_FEATURES} × 2", views, name, peer)
    yield _beside("5,000 × 30 × 2", clouds(5_000, 30), "scikit-learn", _by_scikit_learn)
    yield _growth()
    yield _gaps(views)
    yield _sumcor()
    yield _documents()


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


def _beside_numpy(views: Views) -> Comparison:
    arrays = [views[name] for name in views.names]
    row = compare(
        "",
        lambda: CCA(N_SHARED).fit(views),
        lambda: _plain(*arrays),
        at_most=1.5,
        repeats=5,
    )
    share = (row.extra_bytes or 0) / sum(array.nbytes for array in arrays)
    apart = np.abs(CCA(N_SHARED).fit(views).correlations_ - _plain(*arrays)).max()
    return replace(
        row,
        name=f"{N_OBJECTS:,} × {N_FEATURES} × 2, beside covariance and SVD: same to {apart:.0e}, "
        f"memory {share:.1%} of the data",
        goal=f"{row.goal}, {MOST_MEMORY:.0%} memory",
        met=row.met and share <= MOST_MEMORY and apart < 1e-9,
    )


def _plain(x: Any, y: Any) -> Any:
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    lower = [np.linalg.cholesky(view.T @ view / len(view)) for view in (x, y)]
    half = np.linalg.solve(lower[0], x.T @ y / len(x))
    return np.linalg.svd(np.linalg.solve(lower[1], half.T).T)[1][:N_SHARED]


def _beside(shape: str, views: Views, name: str, peer: Peer) -> Comparison:
    """How long, and how far the correlations of both are from each other."""
    arrays = [views[view] for view in views.names]
    found: dict[str, Any] = {}

    def ours() -> None:
        found["ours"] = CCA(N_SHARED).fit(views)

    def theirs() -> None:
        found["theirs"] = peer(arrays)

    row = compare("", ours, theirs, at_most=1.0, repeats=5)
    left, right = found["theirs"]
    reached = [np.corrcoef(left[:, k], right[:, k])[0, 1] for k in range(N_SHARED)]
    apart = np.abs(found["ours"].correlations_ - np.abs(reached)).max()
    return replace(row, name=f"{shape}, beside {name}: same to {apart:.0e}")


def _peers() -> dict[str, Peer]:
    """Peers that are installed and run here."""
    found = {}
    for name, module in {"cca-zoo": "cca_zoo.linear", "mvlearn": "mvlearn.embed"}.items():
        try:
            peer = _fitting(import_module(module).CCA)
            peer([clouds(50, 10)[view] for view in ("view0", "view1")])
        except ImportError:
            print(f"{name} is not installed")
        except AttributeError as error:  # of a scikit-learn that it does not know yet
            print(f"{name} does not run here: {error}")
        else:
            found[name] = peer
    return found


def _fitting(kind: Any) -> Peer:
    return lambda arrays: kind(n_components=N_SHARED).fit(arrays).transform(arrays)


def _by_scikit_learn(arrays: list[Any]) -> list[Any]:
    return cross_decomposition.CCA(N_SHARED, max_iter=2000).fit(*arrays).transform(*arrays)


def _growth() -> Comparison:
    seconds = []
    for n_objects in SIZES:
        views = clouds(n_objects, N_FEATURES)
        seconds.append(
            min(cpu_seconds(lambda views=views: CCA(N_SHARED).fit(views)) for _ in range(5))
        )
    growth = growth_exponent(SIZES, seconds)
    return Comparison(
        f"{SIZES[0]:,} to {SIZES[-1]:,} objects: exponent {growth:.2f}",
        seconds[-1],
        seconds[0] * SIZES[-1] / SIZES[0],
        None,
        "exponent at most 1.1",
        growth <= 1.1,
    )


def _gaps(views: Views) -> Comparison:
    observed = np.random.default_rng(1).random((len(views), 2)) < 0.8
    observed[:, 0] |= ~observed.any(axis=1)
    gappy = views.with_observed(observed)
    return compare(
        f"{N_OBJECTS:,} × {N_FEATURES} × 2 with a fifth hidden, beside all of them",
        lambda: CCA(N_SHARED).fit(gappy),
        lambda: CCA(N_SHARED).fit(views),
        repeats=5,
    )


def _sumcor() -> Comparison:
    views = clouds(20_000, 100, n_views=4)
    return compare(
        "20,000 × 100 × 4, sumcor beside maxvar",
        lambda: CCA(N_SHARED, criterion="sumcor").fit(views),
        lambda: CCA(N_SHARED).fit(views),
        repeats=5,
    )


def _documents() -> Comparison:
    """Wide sparse views, beside a singular value decomposition of each, which is not centred."""
    views = paired_documents(20_000)

    def decompose() -> None:
        for name in views.names:
            TruncatedSVD(RANK, n_iter=3, random_state=0).fit(views[name])

    row = compare("", lambda: fit_documents(views), decompose, repeats=5)
    peak = resident_peak("bench_cca", "views = paired_documents(20_000)", "fit_documents(views)")
    dense = 8 * views.shape[0] * views.shape[1]
    title = (
        f"20,000 documents of {N_WORDS:,} words × 2, rank {RANK}, beside TruncatedSVD of both: "
        f"memory {peak / dense:.1%} of the same views unpacked"
    )
    return replace(row, name=title, extra_bytes=peak)


def fit_documents(views: Views) -> None:
    CCA(50, 0.1, rank=RANK, random_state=0).fit(views)
