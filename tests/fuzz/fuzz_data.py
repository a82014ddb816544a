"""Estimators × data as they come: few objects, odd types, odd numbers, gaps, odd labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from fuzz_judge import Case, fit_and_answer
from scipy import sparse
from sklearn.base import clone

from manyviews.data import Views
from manyviews.testing.check import prepared, takes_labels
from manyviews.testing.runner import contract_instances

INSTANCES = [prepared(instance) for instance in contract_instances()]
COUNT = 24 * len(INSTANCES)

CONTENTS: dict[str, Callable[[np.random.Generator, int, int], Any]] = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "grouped": lambda rng, n, d: rng.normal(size=(n, d)) + 4 * (np.arange(n) % 3)[:, None],
    "counts": lambda rng, n, d: rng.poisson(1.0, size=(n, d)),
    "shares": lambda rng, n, d: rng.dirichlet(np.ones(d), size=n),
    "binary": lambda rng, n, d: rng.random((n, d)) < 0.4,
    "constant": lambda rng, n, d: np.full((n, d), 3.0),
    "zeros": lambda rng, n, d: np.zeros((n, d)),
    "large": lambda rng, n, d: 1e12 * rng.normal(size=(n, d)),
    "enormous": lambda rng, n, d: 1e140 * rng.normal(size=(n, d)),
    "beyond": lambda rng, n, d: 1e200 * rng.normal(size=(n, d)),
    "tiny": lambda rng, n, d: 1e-12 * rng.normal(size=(n, d)),
    "vanishing": lambda rng, n, d: 1e-200 * rng.normal(size=(n, d)),
    "subnormal": lambda rng, n, d: rng.integers(0, 3, size=(n, d)) * 5e-324,
    "far": lambda rng, n, d: 1e9 + rng.normal(size=(n, d)),
    "mixed": lambda rng, n, d: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9, size=d),
    "one direction": lambda rng, n, d: np.outer(rng.normal(size=n), rng.normal(size=d)),
    "ties": lambda rng, n, d: rng.integers(0, 2, size=(n, d)),
    "one object apart": lambda rng, n, d: (
        np.where(np.arange(n)[:, None] == 0, 1e6, 1.0) * np.ones(d)
    ),
    "a feature that is zero": lambda rng, n, d: rng.normal(size=(n, d)) * (np.arange(d) > 0),
    "an object that is zero": lambda rng, n, d: (
        rng.normal(size=(n, d)) * (np.arange(n) > 0)[:, None]
    ),
}
USUAL = ("normal", "grouped", "counts", "shares", "binary")

TYPES: dict[str, Callable[[Any], Any]] = {
    "float64": lambda m: np.asarray(m, dtype=np.float64),
    "float32": lambda m: np.asarray(np.clip(m, -1e30, 1e30), dtype=np.float32),
    "float16": lambda m: np.asarray(np.clip(m, -6e4, 6e4), dtype=np.float16),
    "longdouble": lambda m: np.asarray(m, dtype=np.longdouble),
    "integers": lambda m: np.clip(m, -1e9, 1e9).astype(np.int64),
    "objects": lambda m: np.asarray(m, dtype=object),
    "column by column": lambda m: np.asfortranarray(m, dtype=np.float64),
    "backwards": lambda m: np.asarray(m, dtype=np.float64)[:, ::-1],
    "lists": lambda m: np.asarray(m, dtype=np.float64).tolist(),
    "masked": lambda m: np.ma.masked_array(m, mask=np.zeros_like(m) + _last_row(m)),
    "frame": lambda m: pd.DataFrame(np.asarray(m, dtype=np.float64)).add_prefix("c"),
    "CSR": lambda m: sparse.csr_array(np.asarray(m, dtype=np.float64)),
    "CSC": lambda m: sparse.csc_matrix(np.asarray(m, dtype=np.float64)),
    "COO with repeats": lambda m: _with_repeats(np.asarray(m, dtype=np.float64)),
    "CSR with zeros": lambda m: _with_stored_zeros(np.asarray(m, dtype=np.float64)),
}

LABELS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "integers": lambda rng, n: np.arange(n) % 3,
    "two classes": lambda rng, n: np.arange(n) % 2,
    "words": lambda rng, n: np.array(["ja", "nein"], dtype=object)[np.arange(n) % 2],
    "few": lambda rng, n: np.where(np.arange(n) < 6, np.arange(n) % 2, -1),
    "words with gaps": lambda rng, n: np.array(["ja", "nein", None], dtype=object)[
        np.arange(n) % 3
    ],
    "one class": lambda rng, n: np.zeros(n, dtype=int),
    "all different": lambda rng, n: np.arange(n),
    "one of a class": lambda rng, n: np.r_[2, np.arange(n - 1) % 2],
    "none": lambda rng, n: np.full(n, -1),
    "Booleans": lambda rng, n: np.arange(n) % 2 == 0,
    "a series": lambda rng, n: pd.Series(np.arange(n) % 2),
    "a shuffled series": lambda rng, n: pd.Series(np.arange(n) % 2, index=rng.permutation(n)),
    "a column": lambda rng, n: (np.arange(n) % 2)[:, None],
    "nothing": lambda rng, n: None,
}


def case(number: int) -> Case:
    """The data and the estimator of a number."""
    rng = np.random.default_rng([15, number])
    estimator = INSTANCES[number % len(INSTANCES)]
    n = int(rng.choice([1, 2, 3, 5, 8, 20, 40], p=[0.02, 0.03, 0.05, 0.1, 0.1, 0.3, 0.4]))
    n_views = int(rng.choice([1, 2, 3, 4], p=[0.1, 0.5, 0.3, 0.1]))
    odd = rng.random() < 0.7
    X, said = {}, []
    for view in range(n_views):
        content = str(rng.choice(list(CONTENTS) if odd else USUAL))
        kind = str(rng.choice(list(TYPES))) if rng.random() < 0.5 else "float64"
        X[f"v{view}"] = TYPES[kind](CONTENTS[content](rng, n, int(rng.choice([1, 2, 3, 7]))))
        said.append(f"{content} as {kind}")
    X, gaps = _with_gaps(rng, X, n)
    labels = str(rng.choice(list(LABELS))) if rng.random() < 0.5 else "integers"
    y = LABELS[labels](rng, n) if takes_labels(estimator) or rng.random() < 0.1 else None
    form = str(rng.choice(["dict", "list", "Views"]))
    title = f"{estimator!r} on {n} objects, {'; '.join(said)}; {gaps}; labels: {labels}; {form}"

    def act() -> None:
        data: Any = X if form == "dict" else list(X.values()) if form == "list" else Views(X)
        fit_and_answer(clone(estimator), data, y, data)

    return Case(" ".join(title.split()), act)


def _with_gaps(rng: np.random.Generator, X: dict[str, Any], n: int) -> tuple[dict[str, Any], str]:
    """Take away rows, cells or a whole view of the dense arrays, now and then."""
    kind = str(
        rng.choice(
            ["no gaps", "rows", "cells", "a view", "no overlap"], p=[0.5, 0.3] + [0.2 / 3] * 3
        )
    )
    dense = [
        name for name, view in X.items() if isinstance(view, np.ndarray) and view.dtype == float
    ]
    if kind == "no gaps" or not dense:
        return X, "no gaps"
    X = dict(X)
    if kind == "a view":
        X[dense[-1]] = None
    elif kind == "no overlap":
        for place, name in enumerate(dense):
            X[name] = np.where((np.arange(n) % len(dense) == place)[:, None], X[name], np.nan)
    else:
        for name in dense:
            shape = (n, 1) if kind == "rows" else X[name].shape
            X[name] = np.where(rng.random(shape) < 0.3, np.nan, X[name])
    return X, f"gaps: {kind}"


def _last_row(matrix: Any) -> Any:
    return (np.arange(len(matrix)) == len(matrix) - 1)[:, None]


def _with_stored_zeros(matrix: Any) -> Any:
    stored = sparse.csr_array(np.ones_like(matrix))
    stored.data = matrix.ravel().copy()
    return stored


def _with_repeats(matrix: Any) -> Any:
    half = sparse.coo_array(matrix / 2)
    rows, columns = half.coords
    parts = np.r_[half.data, half.data], (np.r_[rows, rows], np.r_[columns, columns])
    return sparse.coo_array(parts, shape=matrix.shape)
