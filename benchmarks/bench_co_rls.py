"""Co-RLS on sparse documents: time, memory, growth, and distance from the dense solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks._measure import (
    Comparison,
    compare,
    growing,
    resident_peak,
)
from manyviews import Views
from manyviews.semi_supervised import CoRLS
from manyviews.similarity import RBF, LowRankKernel

N_LABELLED = 100
WIDTHS = {"words": 20_000, "links": 10_000}
LENGTHS = {"words": 80, "links": 40}
LIMIT = 4 * 2**30
MIDDLE = {"gamma": 1e-3, "coupling": 10.0}
HARD = {"gamma": 1e-4, "coupling": 100.0}


def linear(**params: Any) -> CoRLS:
    """The method without choosing a kernel or judging the views: what both sides do."""
    return CoRLS("linear", view_weights=None, **params)


def beside_products(n_objects: int, n_classes: int, **params: float) -> Comparison:
    """100 labelled documents and the others not, beside the sparse products that it makes."""
    views, y, _ = documents(n_objects, n_classes)
    model = linear(**params)
    n_iter = model.fit(views, y).n_iter_
    n_targets = 1 if n_classes == 2 else n_classes
    row = compare(
        f"{n_objects:,} documents, {n_classes} classes, {said(params)}, beside its products",
        lambda: model.fit(views, y),
        lambda: bare_products(views, n_targets, n_iter),
        repeats=5,
    )
    return replace(row, found=f"{n_iter} steps", goal="60 s", met=row.seconds <= 60)


def memory(n_objects: int, n_classes: int) -> Comparison:
    views, _, _ = documents(n_objects, n_classes)
    prepare = f"views, y, _ = documents({n_objects}, {n_classes})"
    peak = resident_peak("bench_co_rls", prepare, "linear().fit(views, y)")
    size = sum(X.data.nbytes + X.indices.nbytes for _, X in views.items())
    name = f"{n_objects:,} documents, {n_classes} classes: GiB of a fit, beside those of the views"
    return Comparison(name, peak / 2**30, size / 2**30, peak, "4 GiB", peak <= LIMIT)


def said(params: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in params.items()) or "as by default"


def bare_products(views: Views, n_targets: int, times: int) -> None:
    """``X w`` and ``Xᵀ r`` in every view, as often as there are steps."""
    for X in (views[name] for name in views.names):
        weights, forces = np.ones((X.shape[1], n_targets)), np.ones((len(views), n_targets))
        for _ in range(times):
            X @ weights, X.T @ forces


def growth(*sizes: int) -> Iterator[Comparison]:
    """The exponent with which the time grows with the number of unlabelled documents."""
    rows = [beside_products(n, 2) for n in sizes]
    yield from rows[:-1]
    yield growing("documents", sizes, [row.seconds for row in rows], at_most=1.1)
    yield growing("bare products", sizes, [row.reference_seconds for row in rows])


def beside_the_dense_solution(n_objects: int, **params: float) -> Comparison:
    """Conjugate gradients on the features and the factorised dual."""
    views, y, _ = documents(n_objects, 2)
    primal, dual = (linear(solver=solver, **params) for solver in ("primal", "dual"))
    one, other = (model.fit(views, y).decision_function(views) for model in (primal, dual))
    error = float(np.abs(one - other).max() / np.abs(other).max())
    row = compare(
        f"{n_objects:,} documents, primal beside dual, {said(params)}",
        lambda: primal.fit(views, y),
        lambda: dual.fit(views, y),
        repeats=5,
    )
    return replace(row, found=f"differ by {error:.0e}", goal="differ by 1e-3", met=error <= 1e-3)


def beside_the_papers_system(n: int) -> Comparison:
    """The dual by its residuals, and the coupled system as it is printed, twice as large."""
    rng = np.random.default_rng(0)
    gamma, coupling = 0.01, 1.0
    data = {name: rng.standard_normal((n, 10)) for name in ("one", "two")}
    y = np.where(np.arange(n) < N_LABELLED, np.arange(n) % 2, -1)
    model = CoRLS(
        RBF(0.05),
        gamma=gamma,
        coupling=coupling,
        center=False,
        relative=False,
        view_weights=None,
    )

    def plain() -> Any:
        first, second = (RBF(0.05).gram(matrix) for matrix in data.values())
        fit, tie = np.diag((y >= 0) / N_LABELLED), coupling / n
        own = [fit @ K + gamma * np.eye(n) + tie * K for K in (first, second)]
        system = np.block([[own[0], -tie * second], [-tie * first, own[1]]])
        target = np.where(y >= 0, 2.0 * y - 1.0, 0.0) / N_LABELLED
        return np.linalg.solve(system, np.concatenate([target, target]))

    found = np.concatenate([own[0] for own in model.fit(data, y).dual_coef_.values()])
    np.testing.assert_allclose(found, plain(), atol=1e-8)
    name = f"{n:,} objects, RBF, beside the system as printed"
    return compare(name, lambda: model.fit(data, y), plain, at_most=0.5, repeats=5)


def low_rank(n: int) -> Comparison:
    """A Gaussian kernel of rank 200, beside the making of its factors."""
    rng = np.random.default_rng(0)
    data = Views({name: rng.standard_normal((n, 10)) for name in ("one", "two")})
    y = np.where(np.arange(n) < N_LABELLED, np.arange(n) % 2, -1)
    kernel = LowRankKernel(RBF(0.05), 200)
    return compare(
        f"{n:,} objects, RBF of rank 200, beside its factors",
        lambda: CoRLS(kernel, view_weights=None).fit(data, y),
        lambda: [kernel.gram(data[name]) for name in data.names],
        repeats=5,
    )


def documents(n: int, n_classes: int) -> tuple[Views, Any, Any]:
    """Documents of unit length whose words are as frequent as one over their rank."""
    rng = np.random.default_rng(0)
    groups = rng.integers(n_classes, size=n)
    views = {name: text(rng, groups, WIDTHS[name], LENGTHS[name]) for name in WIDTHS}
    y = np.where(np.arange(n) < N_LABELLED, groups, -1)
    return Views(views), y, groups


def text(rng: np.random.Generator, groups: Any, width: int, length: int) -> sparse.csr_array:
    """Every class prefers a fiftieth of the words."""
    n = len(groups)
    drawn = np.empty((n, length), dtype=np.int32)
    for group in np.unique(groups):
        frequency = 1.0 / np.arange(1, width + 1)
        frequency[rng.permutation(width)[: width // 50]] *= 5.0
        edges = np.cumsum(frequency / frequency.sum())
        here = np.flatnonzero(groups == group)
        places = np.searchsorted(edges, rng.random((len(here), length)))
        drawn[here] = np.minimum(places, width - 1)
    indptr = np.arange(0, n * length + 1, length, dtype=np.int32)
    X = sparse.csr_array((np.ones(n * length), drawn.ravel(), indptr), shape=(n, width))
    X.sum_duplicates()
    shown = np.bincount(X.indices, minlength=width)
    X.data *= np.log((1.0 + n) / (1.0 + shown))[X.indices]
    sizes = np.sqrt(np.asarray(X.power(2).sum(axis=1)))
    X.data /= np.repeat(np.where(sizes > 0, sizes, 1.0), np.diff(X.indptr))
    return X


SHORT = (
    partial(growth, 3_000, 12_000),
    partial(beside_the_dense_solution, 1_000),
    partial(beside_the_papers_system, 500),
    partial(low_rank, 3_000),
)
ALL = (
    partial(beside_products, 100_100, 2),
    partial(beside_products, 100_100, 10),
    partial(beside_products, 100_100, 2, **HARD),
    partial(memory, 100_100, 10),
    partial(growth, 12_600, 25_100, 50_100, 100_100),
    partial(beside_the_dense_solution, 3_000),
    partial(beside_the_dense_solution, 3_000, **MIDDLE),
    partial(beside_the_dense_solution, 3_000, **HARD),
    partial(beside_the_papers_system, 1_500),
    partial(low_rank, 20_000),
)
