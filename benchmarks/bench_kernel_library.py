"""``KernelLibrary`` beside the same kernels made one by one, all in memory, as they usually are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from benchmarks._measure import Comparison, compare, growing, seconds_by_size
from manyviews import Views
from manyviews.mkl import KernelLibrary, kumar2013_kernels

REPEATS = 5
SHARE = 20
"""How many times less memory than all matrices take is asked for."""
LARGE = 2_000
"""Objects from which the times are judged: the goals are set for this size."""
N_PAIRS, PAIRS_AT_A_TIME = 100_000, 5_000
PASSES = 6
"""To fit and to sum may cost as much as so many sums over all matrices."""


def rows(n_objects: int, n_features: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n_objects, n_features))


def by_scikit_learn(X: np.ndarray) -> Iterator[np.ndarray]:
    """The thirteen kernels, one by one, centred and scaled."""
    for power in range(-10, -1):
        yield normalized(rbf_kernel(X, gamma=2.0**power))
    for degree in (2, 3, 4):
        yield normalized(polynomial_kernel(X, degree=degree, gamma=1.0, coef0=1.0))
    yield normalized(linear_kernel(X))


def normalized(raw: np.ndarray) -> np.ndarray:
    means = raw.mean(axis=0)
    raw -= means
    raw -= means[:, None] - means.mean()
    raw /= np.diag(raw).mean()
    return raw


def all_in_memory(X: np.ndarray) -> np.ndarray:
    """All kernels on whole rows and on single features: kernels × objects × objects."""
    columns = [X[:, [place]] for place in range(X.shape[1])]
    return np.stack([one for source in (X, *columns) for one in by_scikit_learn(source)])


def many(n_objects: int, n_features: int) -> Comparison:
    """Fit hundreds of kernels and sum them: time, and memory beside that of all matrices."""
    X, n_kernels = rows(n_objects, n_features), 13 * n_features + 13
    views, weights = Views(X), np.full(n_kernels, 1.0 / n_kernels)
    found = compare(
        f"{n_kernels} kernels of {n_objects} objects, fitted and summed; beside scikit-learn's",
        lambda: (
            KernelLibrary(kumar2013_kernels(), on="both", keep=False)
            .fitted(views)
            .combined(weights)
        ),
        lambda: np.tensordot(weights, all_in_memory(X), axes=1),
        at_most=1.0,
        repeats=REPEATS,
    )
    lean = (
        found.extra_bytes is not None and found.extra_bytes <= 8 * n_kernels * n_objects**2 / SHARE
    )
    goal = f"{found.goal}, memory at most p·n² / {SHARE}"
    return replace(found, goal=goal, met=found.met and lean)


def pairs(n_objects: int, n_features: int) -> Comparison:
    """K-examples of 100,000 pairs, some at a time, from a library and from all matrices."""
    X = rows(n_objects, n_features)
    kernels, stack = (
        KernelLibrary(kumar2013_kernels(), on="both", keep=False).fitted(Views(X)),
        all_in_memory(X),
    )
    left, right = np.random.default_rng(1).integers(0, n_objects, (2, N_PAIRS))
    parts = [slice(start, start + PAIRS_AT_A_TIME) for start in range(0, N_PAIRS, PAIRS_AT_A_TIME)]
    return compare(
        f"{N_PAIRS:,} K-examples of {len(kernels)} kernels; beside looking them up",
        lambda: [kernels.pairs(left[part], right[part]).sum() for part in parts],
        lambda: [stack[:, left[part], right[part]].T.sum() for part in parts],
        at_most=2.0,
        repeats=REPEATS,
    )


def whole(n_objects: int, n_features: int) -> Comparison:
    """The thirteen kernels on whole rows, fitted and summed."""
    X = rows(n_objects, n_features)
    views, weights = Views(X), np.full(13, 1.0 / 13)
    return compare(
        f"13 kernels of {n_objects:,} × {n_features}, fitted and summed; beside scikit-learn's",
        lambda: KernelLibrary(kumar2013_kernels(), keep=False).fitted(views).combined(weights),
        lambda: sum(by_scikit_learn(X)),
        at_most=0.5,
        repeats=REPEATS,
    )


def matrices(n_objects: int, n_kernels: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    made = {}
    for number in range(n_kernels):
        one = rng.normal(size=(n_objects, 20))
        made[f"kernel{number}"] = one @ one.T
    return made


def given(n_objects: int, n_kernels: int) -> Comparison:
    """Kernels that are there already: what a fit costs besides learning and the classifier."""
    made, weights = matrices(n_objects, n_kernels), np.full(n_kernels, 1.0 / n_kernels)
    library = KernelLibrary.from_matrices(made, keep=False)
    views = Views(np.arange(float(n_objects))[:, None])
    return compare(
        f"{n_kernels} matrices of {n_objects:,} objects, fitted and summed; beside one plain sum",
        lambda: library.fitted(views).combined(weights),
        lambda: [matrix.sum() for matrix in made.values()],
        at_most=PASSES if n_objects >= LARGE else None,
        repeats=REPEATS,
    )


def fold(n_objects: int, n_kernels: int) -> Comparison:
    """Three quarters of the objects, as in a cross-validation, beside cutting them out."""
    made, weights = matrices(n_objects, n_kernels), np.full(n_kernels, 1.0 / n_kernels)
    library = KernelLibrary.from_matrices(made, keep=False)
    some = np.random.default_rng(1).permutation(n_objects)[: 3 * n_objects // 4]
    views = Views(some[:, None].astype(float))
    return compare(
        f"three quarters of {n_objects:,} objects in {n_kernels} matrices; beside cutting them out",
        lambda: library.fitted(views).combined(weights),
        lambda: [matrix[np.ix_(some, some)] for matrix in made.values()],
        at_most=1.0 if n_objects >= LARGE else None,
        repeats=REPEATS,
    )


def growth(*sizes: int) -> Comparison:
    """Time of the thirteen kernels against the number of objects: that of their pairs."""
    works = {n: partial(_fit, Views(rows(n, 20))) for n in sizes}
    return growing("13 kernels", *seconds_by_size(works, REPEATS), power=2, at_most=2.2)


def _fit(views: Views) -> object:
    return KernelLibrary(kumar2013_kernels(), keep=False).fitted(views)


SHORT = (
    partial(many, 208, 60),
    partial(pairs, 208, 20),
    partial(whole, 500, 50),
    partial(given, 500, 13),
    partial(fold, 500, 13),
    partial(growth, 250, 1_000),
)
ALL = (
    partial(many, 208, 60),
    partial(many, 768, 8),
    partial(pairs, 208, 60),
    partial(whole, 2_000, 50),
    partial(given, 2_000, 13),
    partial(fold, 2_000, 13),
    partial(growth, 500, 1_000, 2_000, 4_000),
)
