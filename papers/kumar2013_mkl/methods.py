"""The methods of the tables as classifiers, and how many test objects they tell right."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from time import process_time
from typing import Any

import numpy as np

from manyviews.data import Views
from papers._frame import DataFolder
from papers.kumar2013_mkl import published
from papers.kumar2013_mkl.splits import Split, football_split, uci_split

N_STEPS = 1_000
"""Sub-gradient steps on the UCI sets, as in the text."""

Learner = Callable[[Any, int], Any]
"""Makes an unfitted classifier from base kernels and a seed."""


def learners(n_steps: int = N_STEPS) -> dict[str, Learner]:
    """The methods that are one classifier, by their names in the tables."""
    from manyviews import mkl

    def two_stage(degree: int) -> Learner:
        return lambda kernels, seed: mkl.TwoStageMKL(
            kernels, degree=degree, n_steps=n_steps, random_state=seed
        )

    return {
        published.BEST: lambda kernels, seed: mkl.BestKernel(kernels),  # noqa: ARG005
        published.AVERAGE: lambda kernels, seed: mkl.AverageKernel(kernels),  # noqa: ARG005
        published.ALIGNMENT: lambda kernels, seed: mkl.TargetAlignment(kernels),  # noqa: ARG005
        published.SIMPLE: lambda kernels, seed: mkl.SimpleMKL(kernels),  # noqa: ARG005
        published.L2: lambda kernels, seed: mkl.LpMKL(kernels, p=2),  # noqa: ARG005
        published.TWO_STAGE: two_stage(1),
        published.AVERAGE_LINEAR: lambda kernels, seed: mkl.AverageKernel(kernels),  # noqa: ARG005
        published.LINEAR: two_stage(1),
        published.POLYNOMIAL_2: two_stage(2),
        published.POLYNOMIAL_3: two_stage(3),
    }


# -- Table 5.2 -----------------------------------------------------------------------------------


def many_kernels(method: str, column: str, seed: int, data: DataFolder) -> float:
    """Accuracy in % with Gaussian, polynomial and linear kernels; NaN where not measured."""
    if method == published.UFO:
        return float("nan")
    name, p = column.split(" p=")
    split = uci_split(name, seed, data)
    if method == published.BEST and p != "13":
        return best_of_many(split)
    return accuracy(learners()[method](kernels_of(p), seed), split)


def kernels_of(p: str) -> Any:
    """The 13 kernels on all features together, or these and those on single features."""
    from manyviews.mkl import KernelLibrary, kumar2013_kernels

    thirteen = kumar2013_kernels()
    return KernelLibrary(thirteen) if p == "13" else KernelLibrary(thirteen, on="both", keep=True)


def best_of_many(split: Split) -> float:
    """Choose among the 13 kernels on all features and the best on a single one.

    The latter is the one with the fewest errors at C = 1: trying every C for each of hundreds of
    kernels takes seven times as long.
    """
    from manyviews.mkl import BestKernel, KernelLibrary, kumar2013_kernels

    thirteen = kumar2013_kernels()
    alone = BestKernel(KernelLibrary(thirteen, on="features"), C=1.0)
    alone.fit(split.train, split.y_train)
    kernel, feature = np.divmod(int(alone.kernel_weights_.argmax()), split.train.shape[1])
    kernels = {"all": thirteen, "one": [thirteen[kernel]]}
    model = BestKernel(KernelLibrary(kernels))
    model.fit(Views({"all": split.train, "one": split.train[:, [feature]]}), split.y_train)
    test = Views({"all": split.test, "one": split.test[:, [feature]]})
    return 100.0 * float(model.score(test, split.y_test))


def accuracy(model: Any, split: Split) -> float:
    """Learn from the one part and return the share in % of the other that is told right."""
    return 100.0 * float(model.fit(split.train, split.y_train).score(split.test, split.y_test))


SOLVERS: dict[str, dict[str, Any]] = {
    "1,000 steps": {"n_steps": 1_000},
    "10,000 steps": {"n_steps": 10_000},
    "exact": {"solver": "exact"},
    "1,000 steps, features of unit variance": {"n_steps": 1_000},
    "exact, features of unit variance": {"solver": "exact"},
}
SOLVER_COLUMNS = ("accuracy", "hinge loss held out", "share of kernels on all features")


def solver(row: str, seed: int, data: DataFolder) -> list[float]:
    """What becomes of TS-MKL on Sonar's 793 kernels solved better, and in another scale."""
    from manyviews.mkl import TwoStageMKL

    split = uci_split("Sonar", seed, data, standardized=row.endswith("unit variance"))
    model = TwoStageMKL(kernels_of("793"), random_state=seed, **SOLVERS[row])
    right = accuracy(model, split)
    weights = model.kernel_weights_
    return [right, model.validation_losses_.min(), weights[:13].sum() / weights.sum()]


# -- Tables 6.1 and 6.3 --------------------------------------------------------------------------


@cache
def single_features(method: str, name: str, seed: int, data: DataFolder) -> float:
    """Accuracy in % with linear kernels on single features; both tables share the numbers."""
    from manyviews.mkl import KernelLibrary

    split = uci_split(name, seed, data)
    kernels = KernelLibrary(["linear"], on="features")
    if method == published.FOREST:
        return fitted_forest(kernels, split, seed)[1]
    return accuracy(learners()[method](kernels, seed), split)


def fitted_forest(kernels: Any, split: Split, seed: int, n_trees: int = 500) -> tuple[Any, float]:
    """Learn similarities by a forest; return it and its accuracy in %, averaged over landmarks."""
    from manyviews.mkl import TwoStageMKL
    from papers.kumar2013_mkl.landmark_draws import LandmarkDraws

    model = TwoStageMKL(
        kernels,
        combiner="forest",
        n_trees=n_trees,
        classifier=LandmarkDraws(),
        C=None,
        random_state=seed,
    ).fit(split.train, split.y_train)
    codes = np.searchsorted(model.classes_, split.y_test)
    found = model.estimator_.accuracies(model.transform(split.test), codes)
    return model, 100.0 * float(np.mean(found))


# -- the nine kernels of football ----------------------------------------------------------------

NOISE = "kernel8"
"""The kernel that is close to noise."""
FOOTBALL_METHODS = (
    *(published.BEST, published.AVERAGE, published.ALIGNMENT, published.SIMPLE, published.L2),
    *(published.TWO_STAGE, published.POLYNOMIAL_2, published.FOREST),
)
FOOTBALL_COLUMNS = ("accuracy", f"share of {NOISE}", "largest share")
FOOTBALL_STEPS = 10_000


def football(method: str, seed: int, data: DataFolder) -> tuple[float, float, float]:
    """Accuracy in %, and the shares of the noise and of the heaviest kernel in all weights."""
    from manyviews.mkl import KernelLibrary

    split, matrices = football_split(seed, data)
    kernels = KernelLibrary.from_matrices(matrices)
    if method == published.FOREST:
        model, right = fitted_forest(kernels, split, seed)
    else:
        model = learners(FOOTBALL_STEPS)[method](kernels, seed)
        right = accuracy(model, split)
    shares = [kernel_share(model, name) for name in matrices]
    return right, shares[list(matrices).index(NOISE)], max(shares)


def kernel_share(model: Any, name: str) -> float:
    """Share of a kernel, and of its products with others, in all weights."""
    named = np.array([name in term.split(" × ") for term in model.kernel_names_])
    weights = model.kernel_weights_
    return float(weights[named].sum() / weights.sum()) if weights.any() else 0.0


RATIO = f"{published.ALIGNMENT} / {published.TWO_STAGE}"
TIMINGS = (published.ALIGNMENT, published.UFO, published.TWO_STAGE, RATIO)


def seconds(row: str, seed: int, data: DataFolder) -> list[float]:
    """Seconds of each method of the table, and how much longer alignment takes."""
    name, p = row.split(" p=")
    split = uci_split(name, seed, data)
    aligned, two_stage = (
        timed_fit(settled(learners()[method](kernels_of(p), seed), split), split)
        for method in (published.ALIGNMENT, published.TWO_STAGE)
    )
    return [aligned, float("nan"), two_stage, aligned / two_stage]


def settled(model: Any, split: Split) -> Any:
    """The same classifier with the parameters that it chooses for these objects."""
    model.fit(split.train, split.y_train)
    found: dict[str, Any] = {"C": model.C_}
    if hasattr(model, "regularization_"):
        found["regularization"] = model.regularization_
    return model.set_params(**found)


def timed_fit(model: Any, split: Split) -> float:
    """CPU seconds of one fit, base kernels included."""
    start = process_time()
    model.fit(split.train, split.y_train)
    return process_time() - start
