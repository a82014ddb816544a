"""One step of EM from incomplete rows, beside scikit-learn's on complete ones, and its limit."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growing,
    medians,
    peak_bytes,
    seconds_by_size,
)
from manyviews.maths import conditionals
from manyviews.similarity import IncompleteGaussianMixture

N_FEATURES, N_COMPONENTS, N_VIEWS = 34, 4, 4
STEPS = 10


def groups(n_objects: int, rng: np.random.Generator) -> np.ndarray:
    """Correlated rows around as many centres as there are components."""
    mixing = rng.normal(size=(N_FEATURES, N_FEATURES)) / np.sqrt(N_FEATURES)
    centres = 3 * rng.normal(size=(N_COMPONENTS, N_FEATURES))
    member = rng.integers(N_COMPONENTS, size=n_objects)
    return rng.normal(size=(n_objects, N_FEATURES)) @ mixing + centres[member]


def views_missing(n_objects: int) -> np.ndarray:
    """Rows that each lack one of four views, or none."""
    rng = np.random.default_rng(0)
    rows = groups(n_objects, rng)
    lacking = rng.integers(N_VIEWS + 1, size=n_objects)
    for view, columns in enumerate(np.array_split(np.arange(N_FEATURES), N_VIEWS)):
        rows[np.ix_(lacking == view, columns)] = np.nan
    return rows


def cells_missing(n_objects: int) -> np.ndarray:
    """Rows that lack half of their cells at random, so that no two lack the same."""
    rng = np.random.default_rng(0)
    rows = groups(n_objects, rng)
    rows[rng.random(rows.shape) < 0.5] = np.nan
    return rows


def fitted(rows: np.ndarray) -> IncompleteGaussianMixture:
    """A mixture after two steps from random responsibilities."""
    shares = np.random.default_rng(1).dirichlet(np.ones(N_COMPONENTS), size=len(rows))
    model = IncompleteGaussianMixture(N_COMPONENTS, init=shares, max_iter=2, tol=0.0)
    return _quietly(model, rows)


def step(model: IncompleteGaussianMixture, rows: np.ndarray) -> None:
    """E-step and M-step, with all the checks of input that they pass as methods."""
    model.update(model.summarize(rows))


def _quietly(model: Any, rows: np.ndarray) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(rows)


def _step_of(model: Any, rows: np.ndarray) -> float:
    """Seconds of one step of a fit: the difference of a long and a short one."""

    def fit(n_steps: int) -> float:
        model.set_params(max_iter=n_steps, tol=0.0, random_state=0)
        return cpu_seconds(lambda: _quietly(model, rows))

    return (fit(STEPS + 1) - fit(1)) / STEPS


def beside_scikit_learn(n_objects: int) -> Comparison:
    rows, complete = views_missing(n_objects), groups(n_objects, np.random.default_rng(0))
    ours = IncompleteGaussianMixture(N_COMPONENTS)
    theirs = GaussianMixture(N_COMPONENTS)
    found = medians(lambda: {"ours": _step_of(ours, rows), "theirs": _step_of(theirs, complete)})
    model = fitted(rows)
    judged = n_objects > 2_000  # of fewer, a step takes a few milliseconds
    return Comparison(
        f"step, {n_objects:,} × {N_FEATURES}, five patterns, beside complete rows in scikit-learn",
        found["ours"],
        found["theirs"],
        peak_bytes(lambda: step(model, rows)),
        "at most 1.5×" if judged else "",
        not judged or found["ours"] <= 1.5 * found["theirs"],
    )


def beside_cholesky(n_objects: int) -> Iterator[Comparison]:
    """Both a step and the conditionals need a factor for each pattern and component."""
    rows = cells_missing(n_objects)
    model = fitted(rows)
    stack = np.tile(model.covariances_, (n_objects, 1, 1))
    parameters = model.weights_, model.means_, model.covariances_

    def factorise() -> object:
        return np.linalg.cholesky(stack)

    where = f"{n_objects:,} × {N_FEATURES}, all patterns distinct, beside batched Cholesky"
    name = f"step, {where}"
    yield compare(name, lambda: step(model, rows), factorise, at_most=3, repeats=5)
    name = f"conditionals, {where}"
    yield compare(name, lambda: conditionals(rows, *parameters), factorise, at_most=3, repeats=5)


def beside_loop(n_objects: int) -> Comparison:
    rows = cells_missing(n_objects)
    model = fitted(rows)
    parameters = model.weights_, model.means_, model.covariances_
    return compare(
        f"conditionals, {len(rows):,} × {N_FEATURES}, all patterns distinct, beside a plain loop",
        lambda: conditionals(rows, *parameters),
        lambda: [_conditional(row, *parameters) for row in rows],
        at_most=1 / 3,
        repeats=5,
    )


def _conditional(
    row: np.ndarray, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray
) -> tuple[Any, ...]:
    """Eq. (2) of Williams and Carin for one row, as it is written."""
    seen, logs, filled, spread = ~np.isnan(row), [], [], []
    for weight, mean, covariance in zip(weights, means, covariances, strict=True):
        oo, mo = covariance[np.ix_(seen, seen)], covariance[np.ix_(~seen, seen)]
        deviation = row[seen] - mean[seen]
        omega = np.linalg.solve(oo, mo.T).T
        distance = deviation @ np.linalg.solve(oo, deviation)
        logs.append(np.log(weight) - 0.5 * (distance + np.linalg.slogdet(2 * np.pi * oo)[1]))
        filled.append(mean[~seen] + omega @ deviation)
        spread.append(covariance[np.ix_(~seen, ~seen)] - omega @ mo.T)
    shares = np.exp(np.array(logs) - max(logs))
    return shares / shares.sum(), filled, spread


def growth(kind: str, *sizes: int) -> Comparison:
    made = {n: KINDS[kind](n) for n in sizes}
    works = {n: partial(step, fitted(rows), rows) for n, rows in made.items()}
    extra = peak_bytes(works[sizes[-1]])
    name = f"step, rows × {N_FEATURES}, {kind}"
    return growing(name, *seconds_by_size(works), at_most=1.1, extra_bytes=extra)


KINDS = {"four missing views": views_missing, "all patterns distinct": cells_missing}
SHORT = (
    partial(beside_scikit_learn, 5_000),
    partial(beside_cholesky, 300),
    partial(beside_loop, 200),
    partial(growth, "four missing views", 5_000, 20_000),
)
ALL = (
    *(partial(beside_scikit_learn, n) for n in (2_000, 5_000, 20_000)),
    *(partial(beside_cholesky, n) for n in (2_000, 4_000)),
    partial(beside_loop, 500),
    partial(growth, "four missing views", 2_000, 5_000, 20_000),
    partial(growth, "all patterns distinct", 500, 1_000, 2_000, 4_000),
)
