"""``TwoStageMKL``: its learning against objects, classes and kernels; both solvers; a plain one.

Kernels are given: thirteen (or a hundred) linear kernels of 20 features each, of which the first
four have three features that know the classes and the others none. The regularisation and C are
fixed where time is taken, as they are in the plain version.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.svm import SVC

from benchmarks._measure import Comparison, growth_exponent, medians, peak_bytes, timed
from manyviews.data import Views
from manyviews.mkl import KernelLibrary, TwoStageMKL
from manyviews.mkl.interior_point import Exact
from manyviews.mkl.k_examples import KExamples
from manyviews.mkl.stochastic import Stochastic
from manyviews.mkl.two_stage import MOST_PAIRS, NO_LINKS, draw_pairs

N_INFORMATIVE, N_FEATURES = 4, 20
REGULARIZATION, C = 1e-3, 1.0
SIZES = (500, 2_000, 5_000, 20_000)
CLASSES = (2, 10, 50)
KERNELS = (13, 50, 200)
WHOLE = ((500, 13), (1_000, 13), (2_000, 13), (2_000, 100))
PLAIN_PAIRS, PLAIN_STEPS = 200_000, 2_000


def run() -> Iterator[Comparison]:
    yield _against("objects", SIZES, lambda n: (n, 2, 13), 0.25)
    yield _against("classes", CLASSES, lambda k: (2_000, k, 13), 0.15)
    yield _against("kernels", KERNELS, lambda p: (1_000, 2, p), 1.3)
    yield _many_products()
    for n_objects, n_kernels in WHOLE:
        yield from _beside_plain(n_objects, n_kernels)
    for regularization in (1e-2, 1e-4):
        yield _solvers(regularization)
    yield _choosing()


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


def _against(
    what: str, values: tuple[int, ...], shape: Callable[[int], tuple[int, int, int]], most: float
) -> Comparison:
    """How the time to learn grows with one number."""
    work = {value: learning(*shape(value)) for value in values}
    found = medians(lambda: {str(value): timed(one)[0] for value, one in work.items()})
    seconds = list(found.values())
    growth = growth_exponent(values, seconds)
    return Comparison(
        f"weights from {values[-1]:,} beside {values[0]:,} {what}, exponent {growth:.2f}",
        seconds[-1],
        seconds[0],
        None,
        f"exponent at most {most:g}",
        growth <= most,
    )


def _many_products() -> Comparison:
    """Sixty kernels have 39,710 products of up to three: seconds, and no room."""
    views, y = features(400, 2, 60)
    kernels = KernelLibrary(["linear"]).fitted(Views(views))

    def work() -> object:
        return Stochastic(n_steps=100).solve(k_examples(kernels, y, degree=3), REGULARIZATION)

    work()
    seconds = medians(lambda: {"fit": timed(work)[0]}, 3)["fit"]
    room, all_at_once = peak_bytes(work), 50_000 * 39_710 * 8
    return Comparison(
        f"39,710 products, 100 steps; all at once were {all_at_once / 2**30:.0f} GiB",
        seconds,
        seconds,
        room,
        "at most 1 % of that",
        room <= all_at_once / 100,
    )


def _beside_plain(n_objects: int, n_kernels: int) -> Iterator[Comparison]:
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
    yield Comparison(
        f"n = {n_objects:,}, p = {n_kernels}, with SVC, beside plain numpy; informative {shares}",
        found["ours"],
        found["plain"],
        peak_bytes(lambda: model.fit(numbers, y)),
        "at most 1×" + (", weight 0.9" if n_kernels == 13 else ""),
        found["ours"] <= found["plain"] and (share >= 0.9 or n_kernels != 13),
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


def _solvers(regularization: float) -> Comparison:
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
        f"stochastic beside exact, λ = {regularization:g}: objective higher by {apart:.1e}",
        found["stochastic"],
        found["exact"],
        None,
        "at most 1e-3",
        abs(apart) <= 1e-3,
    )


def _choosing() -> Comparison:
    """What λ by held-out K-examples adds."""
    views, y = features(1_000, 2, 13)
    fixed = TwoStageMKL(["linear"], regularization=REGULARIZATION, C=C, random_state=0)
    auto = TwoStageMKL(["linear"], C=C, random_state=0)
    found = medians(
        lambda: {
            "auto": timed(lambda: auto.fit(views, y))[0],
            "fixed": timed(lambda: fixed.fit(views, y))[0],
        }
    )
    return Comparison(
        "whole fit from features, λ of 17 chosen, beside λ given",
        found["auto"],
        found["fixed"],
        None,
        "",
        True,
    )
