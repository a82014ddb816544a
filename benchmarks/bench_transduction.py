"""``TransductiveSVM`` and ``SpectralGraphTransducer``: how they grow, and beside others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growth_exponent,
    medians,
    peak_bytes,
    resident_peak,
)
from manyviews import Views
from manyviews.semi_supervised import SpectralGraphTransducer, TransductiveSVM
from manyviews.similarity import KNNGraph
from manyviews.typing import FloatArray, IntArray

N_LABELLED = 24
KERNEL_SIZES = (1_000, 2_000, 4_000)
LINEAR_SIZES = (4_000, 16_000, 32_000)
GRAPH_SIZES = (4_000, 16_000, 64_000)


def run() -> Iterator[Comparison]:
    yield from _switching()
    yield from _kernel_growth()
    yield from _linear_growth()
    yield from _spreading()
    yield from _graph_growth()


def _switching() -> Iterator[Comparison]:
    """All switches at once beside one at a time."""
    views, y = documents(KERNEL_SIZES[1])
    known = few(y)
    many, single = TransductiveSVM(), TransductiveSVM(max_switches=1)
    row = compare(
        "", lambda: many.fit(views, known), lambda: single.fit(views, known), repeats=5, at_most=1.0
    )
    right = [np.mean(model.transduction_ == y) for model in (many, single)]
    yield replace(
        row,
        name=f"TransductiveSVM {len(y):,}, all switches ({many.n_iter_} machines, {right[0]:.1%} "
        f"right) beside one at a time ({single.n_iter_}, {right[1]:.1%})",
    )


def _kernel_growth() -> Iterator[Comparison]:
    """The hinge loss on kernel values, beside one machine with all labels."""
    seconds = []
    for n_objects in KERNEL_SIZES:
        views, y = documents(n_objects)
        rows = views.concatenate()
        gram = (rows @ rows.T).toarray()
        known, model = few(y), TransductiveSVM()
        found = medians(
            lambda views=views, y=y, gram=gram, known=known, model=model: {
                "all": cpu_seconds(lambda: model.fit(views, known)),
                "one": cpu_seconds(lambda: SVC(kernel="precomputed").fit(gram, y)),
            }
        )
        seconds.append(found["all"])
        yield Comparison(
            f"TransductiveSVM {n_objects:,}, hinge: {model.n_iter_} machines beside one SVC",
            found["all"],
            found["one"],
            peak_bytes(lambda views=views, known=known, model=model: model.fit(views, known)),
            "",
            met=True,
        )
    yield _growth("TransductiveSVM, hinge", KERNEL_SIZES, seconds)


def _linear_growth() -> Iterator[Comparison]:
    """The squared hinge loss on features."""
    seconds = []
    for n_objects in LINEAR_SIZES:
        views, y = documents(n_objects)
        known, model = few(y), TransductiveSVM(loss="squared_hinge")
        seconds.append(cpu_seconds(lambda v=views, k=known, m=model: m.fit(v, k)))
        peak = resident_peak(
            "bench_transduction",
            f"views, y = documents({n_objects}); known = few(y)",
            "TransductiveSVM(loss='squared_hinge').fit(views, known)",
        )
        yield Comparison(
            f"TransductiveSVM {n_objects:,}, squared hinge: {model.n_iter_} machines, "
            f"{np.mean(model.transduction_ == y):.1%} right",
            seconds[-1],
            seconds[0],
            peak,
            "",
            met=True,
        )
    yield _growth("TransductiveSVM, squared hinge", LINEAR_SIZES, seconds)


def _spreading() -> Iterator[Comparison]:
    """Beside scikit-learn's LabelSpreading over the neighbours of one view."""
    views, y = clouds(GRAPH_SIZES[0])
    known = few(y)
    ours = SpectralGraphTransducer(KNNGraph(15))
    theirs = LabelSpreading(kernel="knn", n_neighbors=15, max_iter=100)
    wide = np.asarray(views)
    row = compare("", lambda: ours.fit(views, known), lambda: theirs.fit(wide, known), repeats=5)
    right = np.mean(ours.transduction_ == y), np.mean(theirs.transduction_ == y)
    yield replace(
        row,
        name=f"SpectralGraphTransducer {len(y):,} × 2 ({right[0]:.1%} right) beside LabelSpreading "
        f"on the concatenation ({right[1]:.1%})",
    )


def _graph_growth() -> Iterator[Comparison]:
    """Neighbour graphs of two views, eighty eigenvectors."""
    seconds = []
    for n_objects in GRAPH_SIZES:
        views, y = clouds(n_objects)
        known, model = few(y), SpectralGraphTransducer(KNNGraph(15))
        found = medians(
            lambda v=views, k=known, m=model: {"fit": cpu_seconds(lambda: m.fit(v, k))}, repeats=3
        )
        seconds.append(found["fit"])
        peak = resident_peak(
            "bench_transduction",
            f"views, y = clouds({n_objects}); known = few(y)",
            "SpectralGraphTransducer(KNNGraph(15)).fit(views, known)",
        )
        yield Comparison(
            f"SpectralGraphTransducer {n_objects:,} × 2: {np.mean(model.transduction_ == y):.1%} "
            "right",
            seconds[-1],
            seconds[0],
            peak,
            "",
            met=True,
        )
    yield _growth("SpectralGraphTransducer", GRAPH_SIZES, seconds)


def _growth(name: str, sizes: tuple[int, ...], seconds: list[float]) -> Comparison:
    """The largest beside what it would take if time grew with the number of objects."""
    growth = growth_exponent(sizes, seconds)
    return Comparison(
        f"{name}: exponent {growth:.2f} from {sizes[0]:,} to {sizes[-1]:,}",
        seconds[-1],
        seconds[0] * sizes[-1] / sizes[0],
        None,
        "",
        met=True,
    )


def few(y: IntArray) -> IntArray:
    """The first labels only."""
    return np.where(np.arange(len(y)) < N_LABELLED, y, -1)


def clouds(n_objects: int) -> tuple[Views, IntArray]:
    """Two classes in oblong clouds, three to ten features in each of two views."""
    rng = np.random.default_rng(0)
    y = np.arange(n_objects) % 2
    one = rng.normal(0.0, 1.0, (n_objects, 3)) + np.outer(y, [2.0, 0.0, 0.0])
    two = rng.normal(0.0, 1.0, (n_objects, 10)) + 0.9 * np.outer(y, np.ones(10))
    return Views({"three": one, "ten": two}), y


def documents(n_objects: int) -> tuple[Views, IntArray]:
    """Texts and anchor texts at unit length; one in four belongs to the positive class."""
    rng = np.random.default_rng(0)
    y = (np.arange(n_objects) % 4 == 0).astype(np.intp)
    views = {
        name: _texts(y, n_words, length, rng)
        for name, n_words, length in (("page", 5_000, 60), ("link", 2_000, 15))
    }
    return Views(views), y


def _texts(y: IntArray, n_words: int, length: int, rng: np.random.Generator) -> csr_array:
    rates = np.tile(np.arange(1.0, n_words + 1) ** -0.9, (2, 1))
    rates[1, rng.permutation(n_words)[: n_words // 10]] *= 6.0
    chances: FloatArray = np.cumsum(rates / rates.sum(axis=1, keepdims=True), axis=1)
    words = np.empty((len(y), length), dtype=np.intp)
    for label in (0, 1):
        drawn = rng.random((int(np.sum(y == label)), length))
        words[y == label] = np.minimum(np.searchsorted(chances[label], drawn), n_words - 1)
    rows = np.repeat(np.arange(len(y)), length)
    counts = csr_array(
        (np.ones(rows.size), (rows, words.ravel())), shape=(len(y), n_words)
    )  # repeated words add up
    lengths = np.sqrt((counts * counts).sum(axis=1))
    return csr_array(counts / lengths[:, None])
