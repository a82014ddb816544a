"""A global model on few features, corrected in local patterns [@rueping2005].

Table 2 has six public sets, one of two classes each, in 5-fold cross-validation: a linear support
vector machine on a tenth of the features, one on all of them, and both combined by three detectors.
Table 1 studies the bound τ and the number of features on songs with words and sounds, which are
not public; here pages of universities in words and links stand for them, so that only its shape can
be compared.

The paper states τ for the songs only. Its Table 2 has gains of up to .265, more than τ = .05 lets
anybody gain, which its Table 1 explains: objects that tie in a few features are local together,
beyond τ. So the table is measured twice: with τ = .05, kept, and with τ = .3, the first tenth that
allows what the paper gained.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from manyviews.data import Views
from manyviews.typing import AnyArray, FloatArray, IntArray
from papers._frame import DataFolder, Measured, Paper, Progress, Table, published

FOLDS = 5
PUBLISHED = published("rueping2005")
SETS = tuple(PUBLISHED["2"]["values"])
FILES = {
    "balance": "balance_scale",
    "breast": "breast_cancer_wisconsin",
    "diabetes": "pima",
    "liver": "bupa",
    "wine": "wine",
}
"""Folders of the sets; digits are those that scikit-learn ships."""
PAIRS = ((1, 4), (1, 7), (3, 4), (3, 7))
"""Digits of which the training part of the UCI set has 776, as many as the paper."""
DETECTORS: dict[str, dict[str, Any]] = {
    "SVM": {"detector": "classifier"},
    "IB": {"detector": "bottleneck", "weighted": "all"},
    "CIB": {"detector": "conditional", "weighted": "all", "background": "model"},
    "IB, local examples": {"detector": "bottleneck"},
    "CIB, local examples": {"detector": "conditional", "background": "model"},
}
"""The paper's three, and its bottlenecks with our default: only local examples have weight."""
COLUMNS_2 = ("global", "local", *DETECTORS)
TEXT = "course"
STUDY = {
    "τ .05, 10 features": (0.05, 10),
    "τ .05, 20 features": (0.05, 20),
    "τ .025, 10 features": (0.025, 10),
    "τ .025, 20 features": (0.025, 20),
}
COLUMNS_1 = ("global", "local", "combined", "disagreement")


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


def model(**options: Any) -> Any:
    """Both models are such machines."""
    from manyviews.explain import LocalPatternClassifier

    return LocalPatternClassifier(machine(), machine(), **options)


def splits(X: Any, y: AnyArray, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """The folds of one seed."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    yield from folds.split(np.zeros(len(y)), y)


def few(n_features: int) -> int:
    """A tenth of the features, one at least."""
    return max(1, round(0.1 * n_features))


@cache
def on_set(name: str, max_local: float, seed: int, folder: str) -> tuple[float, ...]:
    """One row of Table 2, mean over folds and problems."""
    layers = []
    for X, y in problems(name, folder):
        for train, test in splits(X, y, seed):
            row: list[float] = []
            for options in DETECTORS.values():
                found = model(max_local=max_local, n_features=few(X.shape[1]), **options)
                found.fit(X[train], y[train])
                if not row:
                    alone = (found.predict_by(X[test], "global"), found.predict_by(X[test], "local"))
                    row = [float((each == y[test]).mean()) for each in alone]
                row.append(found.score(X[test], y[test]))
            layers.append(row)
    return tuple(np.mean(layers, axis=0))


@cache
def on_pages(options: tuple[tuple[str, Any], ...], seed: int, folder: str) -> tuple[float, ...]:
    """One row of Table 1: words of the page explain, words and links decide."""
    views, y = pages(folder)
    layers = []
    for train, test in splits(views, y, seed):
        found = model(global_views=["page"], **dict(options)).fit(views[train], y[train])
        simple = found.predict_by(views[test], "global")
        full, both = found.predict_by(views[test], "local"), found.predict(views[test])
        right = [float((each == y[test]).mean()) for each in (simple, full, both)]
        layers.append([*right, float((both != simple).mean())])
    return tuple(np.mean(layers, axis=0))


def study(row: str, seed: int, folder: str) -> tuple[float, ...]:
    """Conditional patterns against an initial clustering, at one τ and number of features."""
    max_local, n_features = STUDY[row]
    options = {
        "detector": "conditional",
        "weighted": "all",
        "max_local": max_local,
        "n_features": n_features,
    }
    return on_pages(tuple(options.items()), seed, folder)


def plain_or_conditional(row: str, seed: int, folder: str) -> tuple[float, ...]:
    """Section 6.1: the accuracy with a plain bottleneck instead."""
    del row  # there is one
    conditional = study("τ .05, 10 features", seed, folder)
    options = {"detector": "bottleneck", "weighted": "all", "max_local": 0.05, "n_features": 10}
    plain = on_pages(tuple(options.items()), seed, folder)
    return (*conditional[:3], plain[2])


def run(table: str, *, seeds: range, data: DataFolder, progress: Progress) -> Measured:
    """Measure a table, once per seed."""
    for name in PAPER.table(table).data:
        data.path(name)
    folder, rows = str(data.root), PAPER.table(table).rows
    values = np.empty((len(seeds), len(rows), len(PAPER.table(table).columns)))
    for i, row in enumerate(rows):
        for j, seed in enumerate(seeds):
            progress(i * len(seeds) + j, len(rows) * len(seeds), row)
            if table == "1":
                values[j, i] = study(row, seed, folder)
            elif table == "text":
                values[j, i] = plain_or_conditional(row, seed, folder)
            else:
                values[j, i] = on_set(row, BOUNDS[table], seed, folder)
    progress(len(rows) * len(seeds), len(rows) * len(seeds))
    return Measured(values)


BOUNDS = {"2": 0.05, "2-loose": 0.3}


def _numbers(table: str, rows: tuple[str, ...], width: int) -> tuple[tuple[float | None, ...], ...]:
    printed = (PUBLISHED[table]["values"][row] for row in rows)
    return tuple((*row, *[None] * (width - len(row))) for row in printed)


REASONS_2 = {}
REASONS_LOOSE = {}
OTHER = "Other data: the paper's songs and reviews are not public."


PAPER = Paper(
    key="rueping2005",
    title="Interpreting classifiers by multiple views",
    authors=("Stefan Rüping",),
    year=2005,
    seeds=3,
    quick_seeds=1,
    deviations=(
        "balance is L against R (576); breast has the 683 complete rows; digits are the 360 or so "
        "of scikit-learn, the mean over the four pairs of digits of which the UCI training set has "
        "the paper's 776; wine is one class against the rest, the mean over the three.",
        "Business and medicine are not public.",
        "τ is stated for the songs only (.05); with it nobody can gain the .265 of balance, so "
        "that the table is also measured with τ = .3.",
        "A tenth of the features is rounded, one at least; the paper says at times only one.",
        "Both machines are LinearSVC at C = 1 on standardised features; the paper says neither.",
        "Two medoids, as in section 6.1; β and the number of clusters are not stated.",
        "The bottlenecks weigh all objects by P(Y ≠ f(x)|x), as the paper writes it; columns called "
        "local examples have our default.",
        "For the songs stand 1051 pages of universities, courses or not: words of the page explain, "
        "words of the page and of links to it decide.",
    ),
    tables=(
        *(
            Table(
                key,
                f"Accuracy, 5-fold, τ = {bound:g}",
                rows=SETS,
                columns=COLUMNS_2,
                values=_numbers("2", SETS, len(COLUMNS_2)),
                higher_is_better=True,
                resolution=0.01,
                decimals=3,
                data=tuple(FILES.values()),
                reasons=reasons,
            )
            for (key, bound), reasons in zip(
                BOUNDS.items(), (REASONS_2, REASONS_LOOSE), strict=True
            )
        ),
        Table(
            "1",
            "Influence of τ and of the number of features, pages for songs",
            rows=tuple(STUDY),
            columns=COLUMNS_1,
            values=_numbers("1", tuple(STUDY), len(COLUMNS_1)),
            resolution=0.01,
            decimals=3,
            data=(TEXT,),
            reasons=dict.fromkeys(COLUMNS_1, OTHER),
        ),
        Table(
            "text",
            "Conditional and plain patterns, τ = .05, pages for songs",
            rows=("songs",),
            columns=("global", "local", "CIB", "IB"),
            values=_numbers("text", ("songs",), 4),
            resolution=0.01,
            decimals=3,
            data=(TEXT,),
            reasons={"songs": OTHER},
        ),
    ),
)
