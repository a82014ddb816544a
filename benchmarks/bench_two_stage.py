"""``TwoStageMKL``: its learning against objects, classes and kernels; both solvers; a plain one.

Kernels are given: thirteen (or a hundred) linear kernels of 20 features each, of which the first
four have three features that know the classes and the others none. The regularisation and C are
fixed where time is taken, as they are in the plain version.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks._measure import (
    Comparison,
    growing,
    medians,
    peak_bytes,
    seconds_by_size,
    timed,
)
from manyviews.data import Views
from manyviews.mkl import KernelLibrary, TwoStageMKL
from manyviews.mkl.interior_point import Exact
from manyviews.mkl.k_examples import KExamples
from manyviews.mkl.stochastic import Stochastic
from manyviews.mkl.two_stage import MOST_PAIRS, NO_LINKS, draw_pairs

N_INFORMATIVE, N_FEATURES = 4, 20
REGULARIZATION, C = 1e-3, 1.0
PLAIN_PAIRS, PLAIN_STEPS = 200_000, 2_000
SHAPES = {
    "objects": (lambda n: (n, 2, 13), 0.25),
    "classes": (lambda k: (2_000, k, 13), 0.15),
    "kernels": (lambda p: (1_000, 2, p), 1.3),
}
"""Objects, classes and kernels by the one that grows, and the exponent asked for."""


def features(n_objects: int, n_classes: int, n_kernels: int) -> tuple[dict[str, Any], Any]:
    """Views of which the first four know the classes a little."""
    rng = np.random.default_rng(0)
    y = np.arange(n_objects) % n_classes
    centres = rng.choice([-0.7, 0.7], (n_classes, 3)) if n_classes > 2 else [[-0.7] * 3, [0.7] * 3]
    views = {}
    for number in range(n_kernels):
        rows = rng.standard_normal((n_objects, N_FEATURES))
        if number < N_INFORMATIVE:
            rows[:, :3] += np.asarray(centres)[y]
        views[f"kernel{number}"] = rows
    return views, y


def given(n_objects: int, n_kernels: int) -> tuple[dict[str, Any], Any]:
    """The same as matrices."""
    views, y = features(n_objects, 2, n_kernels)
    return {name: rows @ rows.T for name, rows in views.items()}, y


def learning(n_objects: int, n_classes: int, n_kernels: int) -> Callable[[], object]:
    """From kernels that are there to weights; means of kernels, of n² terms, are not taken."""
    views, y = features(n_objects, n_classes, n_kernels)
    kernels = KernelLibrary(["linear"], normalize=False, keep=False).fitted(Views(views))

    def work() -> object:
        return Stochastic().solve(k_examples(kernels, y), REGULARIZATION)

    work()
    return work


def k_examples(kernels: Any, y: Any, degree: int = 1) -> KExamples:
    """As many K-examples as are drawn by default."""
    pairs = draw_pairs(y, NO_LINKS, MOST_PAIRS["linear"], np.random.default_rng(0))
    return KExamples(kernels.pairs(pairs.left, pairs.right), pairs.signs, degree)


def growth(what: str, *values: int) -> Comparison:
    """How the time to learn grows with one number; it hardly does with objects and classes."""
    shape, most = SHAPES[what]
    works = {value: learning(*shape(value)) for value in values}
    power = 1 if what == "kernels" else 0
    return growing(f"weights, {what}", *seconds_by_size(works), power=power, at_most=most)


def many_products() -> Comparison:
    """Sixty kernels have 39,710 products of up to three: seconds, and no room.

    Beside the sixty alone.
    """
    views, y = features(400, 2, 60)
    kernels = KernelLibrary(["linear"]).fitted(Views(views))

    def work(degree: int = 3) -> object:
        return Stochastic(n_steps=100).solve(k_examples(kernels, y, degree), REGULARIZATION)

    work()
    found = medians(lambda: {"all": timed(work)[0], "sixty": timed(lambda: work(1))[0]})
    room, all_at_once = peak_bytes(work), 50_000 * 39_710 * 8
    return Comparison(
        f"39,710 products, 100 steps, beside 60; all at once were {all_at_once / 2**30:.0f} GiB",
        found["all"],
        found["sixty"],
        room,
        "at most 1 % of that",
        room <= all_at_once / 100,
    )


def beside_plain(n_objects: int, n_kernels: int) -> Comparison:
    matrices, y = given(n_objects, n_kernels)
    model = TwoStageMKL(
        KernelLibrary.from_matrices(matrices),
        regularization=REGULARIZATION,
        C=C,
        random_state=0,
    )
    numbers = np.arange(n_objects)[:, None]
    model.fit(numbers, y)
    listed = [_centred(matrix) for matrix in matrices.values()]  # which ours has yet to do
    found = medians(
        lambda: {
            "ours": timed(lambda: model.fit(numbers, y))[0],
            "plain": timed(lambda: plain(listed, y))[0],
        }
    )
    weights = model.kernel_weights_
    share = float(weights[:N_INFORMATIVE].sum() / weights.sum())
    other = plain(listed, y)
    shares = f"{share:.2f} and {other[:N_INFORMATIVE].sum() / other.sum():.2f}"
    return Comparison(
        f"n = {n_objects:,}, p = {n_kernels}, with SVC, beside plain numpy",
        found["ours"],
        found["plain"],
        peak_bytes(lambda: model.fit(numbers, y)),
        "at most 1×" + (", weight 0.9" if n_kernels == 13 else ""),
        found["ours"] <= found["plain"] and (share >= 0.9 or n_kernels != 13),
        f"informative {shares}",
    )


def plain(matrices: list[Any], y: Any) -> Any:
    """TS-MKL as one writes it down, on centred matrices: pairs, Pegasos in numpy, sum, SVC."""
    rng = np.random.default_rng(0)
    left, right = rng.integers(len(y), size=(2, PLAIN_PAIRS))
    signs = np.where(y[left] == y[right], 1.0, -1.0)
    signed = np.stack([one[left, right] for one in matrices], axis=1) * signs[:, None]
    weights = np.zeros(len(matrices))
    for step in range(1, PLAIN_STEPS + 1):
        start = (step - 1) * 100 % PLAIN_PAIRS
        batch = signed[start : start + 100]
        pull = batch[batch @ weights < 1].sum(axis=0) / 100 - REGULARIZATION * weights
        weights = np.maximum(weights + pull / (REGULARIZATION * step), 0)
        weights *= min(1.0, 1 / np.sqrt(REGULARIZATION) / (np.linalg.norm(weights) + 1e-12))
    gram = sum(weight * one for weight, one in zip(weights, matrices, strict=True))
    SVC(C=C, kernel="precomputed").fit(gram, y)
    return weights


def _centred(matrix: Any) -> Any:
    means = matrix.mean(axis=0)
    one = matrix - means - means[:, None] + means.mean()
    return one / np.trace(one) * len(one)


def examples(n_objects: int) -> KExamples:
    """50,000 K-examples of the thirteen kernels."""
    views, y = features(n_objects, 2, 13)
    kernels = KernelLibrary(["linear"]).fitted(Views(views))
    return k_examples(kernels, y)


def solvers(regularization: float) -> Comparison:
    problem = examples(1_000)
    ways = {"stochastic": Stochastic(), "exact": Exact()}
    costs = {name: way.solve(problem, regularization).objective for name, way in ways.items()}
    found = medians(
        lambda: {
            name: timed(lambda way=way: way.solve(problem, regularization))[0]
            for name, way in ways.items()
        }
    )
    apart = costs["stochastic"] - costs["exact"]
    return Comparison(
        f"stochastic beside exact, λ = {regularization:g}",
        found["stochastic"],
        found["exact"],
        None,
        "objective at most 1e-3 higher",
        abs(apart) <= 1e-3,
        f"higher by {apart:.1e}",
    )


def choosing(n_objects: int) -> Comparison:
    """What λ by held-out K-examples adds."""
    views, y = features(n_objects, 2, 13)
    fixed = TwoStageMKL(["linear"], regularization=REGULARIZATION, C=C, random_state=0)
    auto = TwoStageMKL(["linear"], C=C, random_state=0)
    found = medians(
        lambda: {
            "auto": timed(lambda: auto.fit(views, y))[0],
            "fixed": timed(lambda: fixed.fit(views, y))[0],
        }
    )
    return Comparison(
        f"whole fit from features of {n_objects:,}, λ of 17 chosen, beside λ given",
        found["auto"],
        found["fixed"],
        None,
        "",
        True,
    )


SHORT = (
    partial(growth, "objects", 500, 4_000),
    partial(beside_plain, 500, 13),
    partial(choosing, 300),
)
ALL = (
    partial(growth, "objects", 500, 2_000, 5_000, 20_000),
    partial(growth, "classes", 2, 10, 50),
    partial(growth, "kernels", 13, 50, 200),
    many_products,
    *(partial(beside_plain, n, 13) for n in (500, 1_000, 2_000)),
    partial(beside_plain, 2_000, 100),
    *(partial(solvers, regularization) for regularization in (1e-2, 1e-4)),
    partial(choosing, 1_000),
)
