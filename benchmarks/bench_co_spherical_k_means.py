"""``CoSphericalKMeans`` beside scikit-learn's Lloyd on the views side by side."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from benchmarks._measure import Comparison, compare, growth_exponent
from manyviews import Views
from manyviews.cluster import CoSphericalKMeans
from manyviews.cluster.co_spherical_k_means import from_labels, sweep
from manyviews.maths import directions
from manyviews.typing import IntArray

SIZES = (10_000, 50_000, 200_000)
N_CLUSTERS = 10
N_TOPICS = 20
FEW_AND_MORE = (10, 30)


def run() -> Iterator[Comparison]:
    warnings.simplefilter("ignore", ConvergenceWarning)  # a fixed number of iterations is asked
    yield from dense_fits()
    for dtype in (np.float64, np.float32):
        yield iterations(clouds(SIZES[-1], dtype, apart=1.0)[0], dtype.__name__)
    arrays, truth = text(np.random.default_rng(0))
    yield fits("sparse 20,000 × (10,000 + 10,000)", arrays, truth, N_TOPICS, at_most=1.5)


def dense_fits() -> Iterator[Comparison]:
    rows = [
        fits(f"dense {n:,} × (50 + 50)", *clouds(n, np.float64), N_CLUSTERS, at_most=1.0)
        for n in SIZES
    ]
    yield from rows
    growth = growth_exponent(SIZES, [row.seconds for row in rows])
    named = replace(rows[-1], name=f"the same: growth exponent {growth:.2f}", extra_bytes=None)
    yield replace(named, goal="at most 1.1", met=growth <= 1.1)


def fits(
    name: str, arrays: dict[str, Any], truth: Any, n_clusters: int, *, at_most: float
) -> Comparison:
    """Whole fits from three starts, with the agreement with the truth of both."""
    views = Views(arrays)
    wide = views.concatenate()
    ours = CoSphericalKMeans(n_clusters, n_init=3, random_state=0)
    theirs = KMeans(n_clusters, n_init=3, random_state=0)
    row = compare(
        name, lambda: ours.fit(views), lambda: theirs.fit(wide), at_most=at_most, repeats=5
    )
    scores = [adjusted_rand_score(truth, model.labels_) for model in (ours, theirs)]
    return replace(row, name=f"{name}: fit, ARI {scores[0]:.3f} against {scores[1]:.3f}")


def iterations(arrays: dict[str, Any], kind: str) -> Comparison:
    """One pass of each: what twenty more take, over data on which both go on and on."""
    views = Views(arrays)
    wide = views.concatenate()
    labels = np.random.default_rng(0).integers(N_CLUSTERS, size=len(views)).astype(np.int32)
    times: dict[tuple[str, int], list[float]] = {}
    for _ in range(6):
        for n_iter in FEW_AND_MORE:
            theirs = KMeans(N_CLUSTERS, init=wide[:N_CLUSTERS], n_init=1, max_iter=n_iter, tol=0)
            works = {
                "ours": partial(sweeping, views, labels, n_iter),
                "theirs": partial(theirs.fit, wide),
            }
            for who, work in works.items():
                times.setdefault((who, n_iter), []).append(seconds(work))
    few, more = FEW_AND_MORE
    ours, theirs_each = (
        (median(times[who, more][1:]) - median(times[who, few][1:])) / (more - few)
        for who in ("ours", "theirs")
    )
    name = f"dense {len(views):,} × (50 + 50), {kind}: one sweep"
    return Comparison(name, ours, theirs_each, None, "at most 1×", ours <= theirs_each)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def sweeping(views: Views, labels: IntArray, n_sweeps: int) -> object:
    units = directions([matrix for _, matrix in views.items()], views.observed)
    state = from_labels(units, labels, np.zeros((N_CLUSTERS, len(labels))))
    for _ in range(n_sweeps):
        state = sweep(units, state)
    return state


def clouds(n_objects: int, dtype: Any, *, apart: float = 2.5) -> tuple[dict[str, Any], Any]:
    """Round clouds in ten directions, which neither view alone tells apart well."""
    rng = np.random.default_rng(0)
    truth = rng.integers(N_CLUSTERS, size=n_objects)
    arrays = {}
    for name in ("one", "two"):
        means = rng.standard_normal((N_CLUSTERS, 50))
        means *= apart / np.linalg.norm(means, axis=1, keepdims=True)
        arrays[name] = (means[truth] + rng.standard_normal((n_objects, 50))).astype(dtype)
    return arrays, truth


def text(rng: np.random.Generator) -> tuple[dict[str, Any], Any]:
    """Unit rows of word counts on twenty topics, about 0.85 million entries in each view."""
    n_objects, n_words, n_tokens = 20_000, 10_000, 55
    truth = rng.integers(N_TOPICS, size=n_objects)
    arrays = {}
    for name in ("body", "links"):
        common = 1.0 / np.arange(1, n_words + 1)
        counts = []
        for topic in range(N_TOPICS):
            own = common * np.where(rng.random(n_words) < 0.05, 8.0, 1.0)
            size = (int((truth == topic).sum()), n_tokens)
            counts.append(rng.choice(n_words, size=size, p=own / own.sum()))
        words = np.concatenate(counts).ravel().astype(np.int32)
        rows = np.repeat(np.argsort(truth, kind="stable").astype(np.int32), n_tokens)
        ones = np.ones(len(rows))
        matrix = sparse.csr_array((ones, (rows, words)), shape=(n_objects, n_words))
        arrays[name] = sparse.csr_array(normalize(matrix))
    return arrays, truth
