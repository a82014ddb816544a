"""One step of EM from incomplete rows, beside scikit-learn's on complete ones, and its limit."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from benchmarks._measure import (
    Comparison,
    compare,
    cpu_seconds,
    growth_exponent,
    medians,
    peak_bytes,
)
from manyviews.maths import conditionals
from manyviews.similarity import IncompleteGaussianMixture

N_FEATURES, N_COMPONENTS, N_VIEWS = 34, 4, 4
FEW_SIZES = (2_000, 5_000, 20_000)
DISTINCT_SIZES = (500, 1_000, 2_000, 4_000)
STEPS = 10


def run() -> Iterator[Comparison]:
    for n_objects in FEW_SIZES:
        yield _beside_scikit_learn(n_objects)
    for n_objects in DISTINCT_SIZES[-2:]:
        yield from _beside_cholesky(n_objects)
    yield _beside_loop()
    yield _growth("four missing views", FEW_SIZES, views_missing)
    yield _growth("all patterns distinct", DISTINCT_SIZES, cells_missing)


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


def _beside_scikit_learn(n_objects: int) -> Comparison:
    rows, complete = views_missing(n_objects), groups(n_objects, np.random.default_rng(0))
    ours = IncompleteGaussianMixture(N_COMPONENTS)
    theirs = GaussianMixture(N_COMPONENTS)
    found = medians(lambda: {"ours": _step_of(ours, rows), "theirs": _step_of(theirs, complete)})
    model = fitted(rows)
    judged = n_objects > FEW_SIZES[0]  # there a step takes a few milliseconds
    return Comparison(
        f"step, {n_objects:,} × {N_FEATURES}, five patterns, beside complete rows in scikit-learn",
        found["ours"],
        found["theirs"],
        peak_bytes(lambda: step(model, rows)),
        "at most 1.5×" if judged else "",
        not judged or found["ours"] <= 1.5 * found["theirs"],
    )


def _beside_cholesky(n_objects: int) -> Iterator[Comparison]:
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


def _beside_loop() -> Comparison:
    rows = cells_missing(DISTINCT_SIZES[0])
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


def _growth(kind: str, sizes: tuple[int, ...], make: Any) -> Comparison:
    seconds = []
    for n_objects in sizes:
        rows = make(n_objects)
        model = fitted(rows)
        found = medians(lambda: {"step": cpu_seconds(lambda: step(model, rows))})  # noqa: B023
        seconds.append(found["step"])
    growth = growth_exponent(sizes, seconds)
    return Comparison(
        f"step, {sizes[-1]:,} × {N_FEATURES}, {kind}, exponent {growth:.2f}",
        seconds[-1],
        seconds[0] * sizes[-1] / sizes[0],
        peak_bytes(lambda: step(model, rows)),
        "exponent at most 1.1",
        growth <= 1.1,
    )
