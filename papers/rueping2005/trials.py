"""Both models of a fold, learnt once, and what every detector of patterns makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from manyviews.data import Views
from manyviews.explain.pattern_detectors import (
    Clustering,
    Regions,
    by_classifier,
    by_medoids,
    clustered,
    shown,
)
from manyviews.explain.restricted_models import Columns, Data, Judged, Way, fit_columns, judge
from manyviews.typing import AnyArray, FloatArray, IntArray
from papers.rueping2005.tables import BOUNDS, DETECTORS, FILES, STUDY, TEXT

FOLDS = 5
PAIRS = ((1, 4), (1, 7), (3, 4), (3, 7))
"""Digits of which the training part of the UCI set has 776, as many as the paper."""
N_PATTERNS = 2
"""Medoids, as in section 6.1."""
GENRES = 8
"""Clusters of the initial bottleneck, as many as the paper's."""


# Data ---------------------------------------------------------------------------------------------


@cache
def problems(name: str, folder: str) -> tuple[tuple[FloatArray, IntArray], ...]:
    """A set as one problem of two classes, or as several where the paper does not say which."""
    if name == "digits":
        return tuple(_digits(pair) for pair in PAIRS)
    data = np.load(f"{folder}/{FILES[name]}/{FILES[name]}.npz")
    X, y = np.asarray(data["X"], dtype=np.float64), np.asarray(data["y"])
    complete = ~np.isnan(X).any(axis=1)
    X, y = X[complete], y[complete]
    if name == "balance":  # without the 49 that are balanced
        return ((X[y != 1], (y[y != 1] == 2).astype(int)),)
    if name == "wine":
        return tuple((X, (y == one).astype(int)) for one in range(3))
    return ((X, y),)


def _digits(pair: tuple[int, int]) -> tuple[FloatArray, IntArray]:
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    rows = np.isin(y, pair)
    return X[rows], (y[rows] == pair[1]).astype(int)


@cache
def pages(folder: str) -> tuple[Views, AnyArray]:
    """Pages of courses and others: words of the page, and of the links to it."""
    from manyviews.datasets import load

    found: Any = load(TEXT, data_home=folder)
    views = {name: csr_array(found.views[name]) for name in ("page", "link")}
    return Views(views), np.asarray(found.y)


# Experiments --------------------------------------------------------------------------------------


def machine() -> Any:
    """The linear support vector machine."""
    from sklearn.svm import LinearSVC

    return LinearSVC(dual=False)


def few(n_features: int) -> int:
    """A tenth of the features, one at least."""
    return max(1, round(0.1 * n_features))


def splits(y: AnyArray, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """The folds of one seed."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    yield from folds.split(np.zeros(len(y)), y)


@dataclass(frozen=True)
class Trial:
    """Both models of one fold, which all detectors share, and the objects to test on."""

    train: Data
    test: Data
    columns: Columns
    simple: Way
    judged: Judged
    truth: IntArray

    @classmethod
    def of(
        cls,
        views: Views,
        y: IntArray,
        rows: tuple[IntArray, IntArray],
        names: tuple[str, ...],
        n_features: int,
    ) -> Trial:
        """Learn both models: the global one on few features of some views."""
        known, new = (views[each] for each in rows)
        columns = fit_columns(known)
        train, test = (Data(each, columns.matrix(each)) for each in (known, new))
        simple, full = (
            Way(machine(), of, columns.of(of), limit, "machine")
            for of, limit in ((names, n_features), (views.names, None))
        )
        judged = judge(simple, full, train, y[rows[0]], len(np.unique(y)), FOLDS)
        return cls(train, test, columns, simple, judged, y[rows[1]])

    def regions(self, detector: str, max_local: float) -> Regions:
        """Find the patterns."""
        if detector == "SVM":
            return by_classifier(self.simple, self.train, self.judged, max_local)
        seen = shown(self.train, self.columns, self.simple.names)
        weighted = "local" if detector.endswith("local examples") else "all"
        background: FloatArray | None = None
        if detector.startswith("CIB, clusters"):
            n = len(seen.p_v)
            background = clustered(np.full(n, 1 / n), seen.p_v, GENRES, None, None)
        elif detector.startswith("CIB"):
            background = self.judged.shares
        way = Clustering(
            N_PATTERNS, self.simple.n_features, None, background, weighted == "local", max_local
        )
        return by_medoids(seen, self.train, self.judged, way)

    def answers(self) -> tuple[IntArray, IntArray]:
        """What each model says of the objects to test on."""
        n_classes = self.judged.shares.shape[1]
        simple, full = self.judged.simple, self.judged.full
        return simple.ask(self.test, n_classes).codes, full.ask(self.test, n_classes).codes

    def combined(self, detector: str, max_local: float) -> IntArray:
        """What both say together."""
        simple, full = self.answers()
        local = self.regions(detector, max_local).find(self.test) >= 0
        return np.where(local, full, simple)


@cache
def trials_on(name: str, seed: int, folder: str) -> tuple[Trial, ...]:
    """All folds of a set, and of all its problems."""
    return tuple(
        Trial.of(Views(X), y, rows, ("view0",), few(X.shape[1]))
        for X, y in problems(name, folder)
        for rows in splits(y, seed)
    )


def on_set(name: str, max_local: float, seed: int, folder: str) -> tuple[float, ...]:
    """One row of Table 2, mean over folds and problems."""
    layers = [
        [
            float((said == trial.truth).mean())
            for said in (
                *trial.answers(),
                *(trial.combined(detector, max_local) for detector in DETECTORS),
            )
        ]
        for trial in trials_on(name, seed, folder)
    ]
    return tuple(np.mean(layers, axis=0).tolist())


@cache
def trials_on_pages(n_features: int, seed: int, folder: str) -> tuple[Trial, ...]:
    """All folds of the pages: words of the page explain, words and links decide."""
    views, y = pages(folder)
    return tuple(Trial.of(views, y, rows, ("page",), n_features) for rows in splits(y, seed))


@cache
def on_pages(
    detector: str, max_local: float, n_features: int, seed: int, folder: str
) -> tuple[float, ...]:
    """One row of Table 1."""
    layers = []
    for trial in trials_on_pages(n_features, seed, folder):
        both, (simple, full) = trial.combined(detector, max_local), trial.answers()
        right = [float((each == trial.truth).mean()) for each in (simple, full, both)]
        layers.append([*right, float((both != simple).mean())])
    return tuple(np.mean(layers, axis=0).tolist())


def study(row: str, seed: int, folder: str) -> tuple[float, ...]:
    """Conditional patterns against an initial clustering, at one τ and number of features."""
    return on_pages("CIB, clusters", *STUDY[row], seed, folder)


def plain_or_conditional(row: str, seed: int, folder: str) -> tuple[float, ...]:
    """Section 6.1: the accuracy with a plain bottleneck instead."""
    del row  # there is one
    conditional = study("τ .05, 10 features", seed, folder)
    plain = on_pages("IB", *STUDY["τ .05, 10 features"], seed, folder)
    return (*conditional[:3], plain[2])


def measure(table: str, row: str, seed: int, folder: str) -> tuple[float, ...]:
    """One row of a table."""
    if table == "1":
        return study(row, seed, folder)
    if table == "text":
        return plain_or_conditional(row, seed, folder)
    return on_set(row, BOUNDS[table], seed, folder)
