"""Co-Laplacian least squares on 100,000 sparse documents, with the neighbour search and without."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize

from benchmarks._measure import Comparison, growth_exponent, medians, resident_peak, timed
from manyviews import Views
from manyviews.semi_supervised import CoLaplacianRLS, CoLaplacianSVM
from manyviews.similarity import KNNGraph
from manyviews.typing import FloatArray, IntArray

SIZES = (25_000, 50_000, 100_000)
WIDTHS = {"body": 20_000, "links": 10_000}
N_LABELLED = 100
N_TOKENS = 100
N_SMALL = 3000
SECONDS = 60.0
BYTES = 4 * 2**30


def run() -> Iterator[Comparison]:
    yield accuracy(N_SMALL)
    seconds = []
    for n in SIZES:
        row = fits(n)
        seconds.append(row.seconds)
        yield row
    growth = growth_exponent(SIZES, seconds)
    name = f"RLS, sparse, graphs given: growth exponent {growth:.2f}"
    yield Comparison(name, seconds[-1], seconds[0], None, "at most 1.2", growth <= 1.2)
    peak = resident_peak("bench_co_laplacian", f"work = task({SIZES[-1]})", "work[0].fit(*work[1])")
    name = f"RLS, sparse {SIZES[-1]:,}, graphs given: memory of the fit"
    yield Comparison(name, seconds[-1], seconds[-1], peak, "under 4 GiB", peak < BYTES)
    yield searches(SIZES[-1])
    yield exact_search(SIZES[0])


def accuracy(n: int) -> Comparison:
    """Conjugate gradients beside the system of all objects, solved directly."""
    views, few, _ = documents(n)
    graphs = reduced_graphs(n)
    seconds, gaps = {}, {}
    for method in (CoLaplacianRLS, CoLaplacianSVM):
        models = {solver: method(graph=graphs, solver=solver) for solver in ("iterative", "dual")}
        found = {solver: timed(lambda m=m: m.fit(views, few))[0] for solver, m in models.items()}
        values = [model.decision_function(views) for model in models.values()]
        gaps[method] = float(np.abs(values[0] - values[1]).max() / np.abs(values[1]).max())
        seconds[method] = found
    worst, ours = max(gaps.values()), seconds[CoLaplacianRLS]
    name = f"RLS, {n:,} documents: steps against direct, differing by {worst:.1g} (also SVM)"
    return Comparison(name, ours["iterative"], ours["dual"], None, "within 1e-3", worst <= 1e-3)


def fits(n: int) -> Comparison:
    """A whole fit, the graphs given, against a minute."""
    model, data = task(n)
    seconds = medians(lambda: {"fit": timed(lambda: model.fit(*data))[0]})["fit"]
    right = float(np.mean(model.transduction_ == documents(n)[2]))
    name = f"RLS, sparse {n:,} × (20,000 + 10,000), graphs given: {right:.1%} right"
    return Comparison(name, seconds, SECONDS, None, "a minute", seconds <= SECONDS)


def searches(n: int) -> Comparison:
    """The graphs: neighbours in 64 directions of the words, searched for approximately."""
    seconds = timed(lambda: reduced_graphs.__wrapped__(n))[0]
    return Comparison(f"graphs of {n:,} by 64 directions", seconds, SECONDS, None, "", True)


def exact_search(n: int) -> Comparison:
    """The graphs: exact neighbours by the cosine of the words, whose cost grows with n²."""
    views = documents(n)[0]
    graph = KNNGraph(10, metric="cosine")
    seconds = timed(lambda: [graph.gram(matrix) for _, matrix in views.items()])[0]
    return Comparison(f"graphs of {n:,} by all words", seconds, SECONDS, None, "", True)


def task(n: int) -> tuple[CoLaplacianRLS, tuple[Views, IntArray]]:
    """What is measured: the method and what it is fitted on."""
    model = CoLaplacianRLS(graph=reduced_graphs(n), proportions="labelled")
    return model, documents(n)[:2]


@cache
def reduced_graphs(n: int) -> dict[str, sparse.csr_array]:
    graph = KNNGraph(10, metric="cosine", method="approximate")
    return {name: graph.gram(directions(matrix)) for name, matrix in documents(n)[0].items()}


def directions(matrix: Any) -> FloatArray:
    """The documents in the 64 leading directions of their words."""
    return TruncatedSVD(64, n_iter=2, random_state=0).fit_transform(matrix)


@cache
def documents(n: int) -> tuple[Views, IntArray, IntArray]:
    """Two classes of texts, of which a hundred are labelled; words are as rare as in a language."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=n)
    views = {name: words(truth, width, rng) for name, width in WIDTHS.items()}
    few = np.full(n, -1)
    chosen = rng.permutation(n)[:N_LABELLED]
    few[chosen] = truth[chosen]
    return Views(views), few, truth


def words(truth: IntArray, width: int, rng: np.random.Generator) -> sparse.csr_array:
    """Weights of words, rare ones more, in rows of length one."""
    common = 1.0 / np.arange(1, width + 1)
    found = np.empty((len(truth), N_TOKENS), dtype=np.int32)
    for label in (0, 1):
        own = common * np.where(rng.random(width) < 0.05, 4.0, 1.0)
        rows = np.flatnonzero(truth == label)
        found[rows] = rng.choice(width, size=(len(rows), N_TOKENS), p=own / own.sum())
    starts = np.arange(len(truth) + 1) * N_TOKENS
    shape = (len(truth), width)
    counts = sparse.csr_array((np.ones(found.size), found.ravel(), starts), shape=shape)
    counts.sum_duplicates()
    rare = np.log((1 + len(truth)) / (1 + np.bincount(counts.indices, minlength=width)))
    counts.data *= rare[counts.indices]
    return sparse.csr_array(normalize(counts))
