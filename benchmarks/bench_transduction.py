"""``TransductiveSVM`` and ``SpectralGraphTransducer``: how they grow, and beside others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC, LinearSVC

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growing,
    medians,
    peak_bytes,
    resident_peak,
    seconds_by_size,
)
from manyviews import Views
from manyviews.semi_supervised import SpectralGraphTransducer, TransductiveSVM
from manyviews.similarity import KNNGraph
from manyviews.typing import FloatArray, IntArray

N_LABELLED = 24


def machine(**params: Any) -> TransductiveSVM:
    """Plain products of the texts and no view judged, as the machines beside it."""
    return TransductiveSVM("linear", view_weights=None, **params)


def transducer() -> SpectralGraphTransducer:
    return SpectralGraphTransducer(KNNGraph(15), view_weights=None)


def switching(n_objects: int) -> Comparison:
    """All switches at once beside one at a time."""
    views, y = documents(n_objects)
    known = few(y)
    many, single = machine(), machine(max_switches=1)
    name = f"TransductiveSVM {n_objects:,}, all switches beside one at a time"
    row = compare(
        name,
        lambda: many.fit(views, known),
        lambda: single.fit(views, known),
        repeats=5,
        at_most=1.0,
    )
    right = [np.mean(model.transduction_ == y) for model in (many, single)]
    return replace(
        row,
        found=f"{many.n_iter_} machines, {right[0]:.1%} right; {single.n_iter_}, {right[1]:.1%}",
    )


def hinge(*sizes: int) -> Iterator[Comparison]:
    """The hinge loss on kernel values, beside one machine with all labels."""
    seconds = []
    for n_objects in sizes:
        views, y = documents(n_objects)
        rows = views.concatenate()
        gram = (rows @ rows.T).toarray()
        known, model = few(y), machine()
        found = medians(
            lambda views=views, y=y, gram=gram, known=known, model=model: {
                "all": cpu_seconds(lambda: model.fit(views, known)),
                "one": cpu_seconds(lambda: SVC(kernel="precomputed").fit(gram, y)),
            }
        )
        seconds.append(found["all"])
        yield Comparison(
            f"TransductiveSVM {n_objects:,}, hinge, beside one SVC with all labels",
            found["all"],
            found["one"],
            peak_bytes(lambda views=views, known=known, model=model: model.fit(views, known)),
            "",
            True,
            f"{model.n_iter_} machines",
        )
    yield growing("TransductiveSVM, hinge", sizes, seconds)


def squared_hinge(*sizes: int) -> Iterator[Comparison]:
    """The squared hinge loss on features, beside one machine with all labels."""
    seconds = []
    for n_objects in sizes:
        views, y = documents(n_objects)
        known, model = few(y), machine(loss="squared_hinge")
        rows = views.concatenate()
        row = compare(
            f"TransductiveSVM {n_objects:,}, squared hinge, beside one LinearSVC with all labels",
            lambda views=views, known=known, model=model: model.fit(views, known),
            lambda rows=rows, y=y: LinearSVC(random_state=0).fit(rows, y),
            repeats=5,
        )
        seconds.append(row.seconds)
        right = np.mean(model.transduction_ == y)
        yield replace(row, found=f"{model.n_iter_} machines, {right:.1%} right")
    yield growing("TransductiveSVM, squared hinge", sizes, seconds)


def spreading(n_objects: int) -> Comparison:
    """Beside scikit-learn's LabelSpreading over the neighbours of all features."""
    views, y = clouds(n_objects)
    known = few(y)
    ours = transducer()
    theirs = LabelSpreading(kernel="knn", n_neighbors=15, max_iter=100)
    wide = np.asarray(views)
    name = f"SpectralGraphTransducer {n_objects:,} × 2, beside LabelSpreading of all features"
    row = compare(name, lambda: ours.fit(views, known), lambda: theirs.fit(wide, known), repeats=5)
    right = np.mean(ours.transduction_ == y), np.mean(theirs.transduction_ == y)
    return replace(row, found=f"{right[0]:.1%} right, theirs {right[1]:.1%}")


def graphs(*sizes: int) -> Comparison:
    """Neighbour graphs of two views, eighty eigenvectors; memory at the largest size."""
    works = {}
    for n in sizes:
        views, y = clouds(n)
        works[n] = partial(transducer().fit, views, few(y))
    measured = seconds_by_size(works)
    prepare = f"views, y = clouds({sizes[-1]}); known = few(y)"
    peak = resident_peak("bench_transduction", prepare, "transducer().fit(views, known)")
    return growing("SpectralGraphTransducer", *measured, extra_bytes=peak)


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


SHORT = (
    partial(switching, 500),
    partial(hinge, 250, 500),
    partial(squared_hinge, 500, 1_000),
    partial(spreading, 1_000),
    partial(graphs, 1_000, 4_000),
)
ALL = (
    partial(switching, 2_000),
    partial(hinge, 1_000, 2_000, 4_000),
    partial(squared_hinge, 4_000, 16_000, 32_000),
    partial(spreading, 4_000),
    partial(graphs, 4_000, 16_000, 64_000),
)
