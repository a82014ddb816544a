"""One trial: objects, a partition of them, and what every method makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from papers.williams2005.data import (
    DIGITS,
    IONOSPHERE,
    Objects,
    digits,
    ionosphere,
    naturally_incomplete,
    partition,
)
from papers.williams2005.methods import (
    AS_MEASURED,
    COMPLETE,
    ESTIMATED,
    Choices,
    Kernels,
    fitted_mixture,
    kernel_matrices,
    mean_auc,
    relative_distance,
)

Draw = Callable[[float, np.random.Generator, str], Objects]
"""From a share, a generator and a folder to objects with so much missing."""

DRAWS: dict[str, Draw] = {IONOSPHERE: ionosphere, DIGITS: digits}

NARROW = Choices(width=0.25, inverse_penalty=1e4)
"""A narrow kernel (of ionosphere near one, the range of its features) and hardly a penalty."""

READINGS: dict[str, Choices] = {
    "as measured": AS_MEASURED,
    "one component": Choices(n_components=1),
    "two components": Choices(n_components=2),
    "three components": Choices(n_components=3),
    "0.001 added to variances": Choices(reg_covar=0.001),
    "0.1 added to variances": Choices(reg_covar=0.1),
    "a quarter of the width": Choices(width=0.25),
    "half the width": Choices(width=0.5),
    "double the width": Choices(width=2.0),
    "C = 1": Choices(inverse_penalty=1.0),
    "C = 10,000": Choices(inverse_penalty=1e4),
    "a quarter of the width, C = 10,000": NARROW,
    "proposed kernel normalised": Choices(normalized=True),
    "a quarter of the width, normalised": Choices(width=0.25, normalized=True),
}
"""Other answers to what the paper leaves open, one at a time."""


@dataclass(frozen=True)
class Trial:
    """What came of one trial, by method."""

    auc: dict[str, float]
    distance: dict[str, float]
    """From the true kernel matrix."""


@cache
def artificial_trial(
    name: str, share: float, seed: int, folder: str, choices: Choices = AS_MEASURED
) -> Trial:
    """Hide a share of what there is and judge all methods on one partition: Figures 1 and 2.

    Like in the paper both are drawn anew for each share, so that complete data vary as well.
    """
    objects, rng = _drawn(name, share, seed, folder)
    mixture = _mixture(name, share, seed, folder, choices.n_components, choices.reg_covar)
    kernels = kernel_matrices(objects, mixture, choices)
    auc = judged(kernels, objects, rng, choices)
    true = kernels[COMPLETE]
    return Trial(auc, {name: relative_distance(kernels[name], true) for name in ESTIMATED})


def _drawn(name: str, share: float, seed: int, folder: str) -> tuple[Objects, np.random.Generator]:
    rng = np.random.default_rng([seed, round(1000 * share)])
    return DRAWS[name](share, rng, folder), rng


@cache
def _mixture(
    name: str, share: float, seed: int, folder: str, n_components: int | None, reg_covar: float
) -> Any:
    """A mixture of all objects of a trial, which several readings share."""
    objects, _ = _drawn(name, share, seed, folder)
    number = n_components or _n_components(name, share, folder, reg_covar)
    return fitted_mixture(objects.rows, Choices(number, reg_covar), seed)


@cache
def _n_components(name: str, share: float, folder: str, reg_covar: float) -> int:
    """As many as the first trial with this share asks for; the others take the same."""
    objects, _ = _drawn(name, share, 0, folder)
    return int(fitted_mixture(objects.rows, Choices(reg_covar=reg_covar), 0).n_components)


@cache
def natural_trial(
    name: str, seed: int, folder: str, choices: Choices = AS_MEASURED
) -> dict[str, float]:
    """One trial in the layout of Table 2: another partition, nothing else is drawn."""
    objects, kernels = natural_kernels(name, folder, choices)
    return judged(kernels, objects, np.random.default_rng(seed), choices)


@cache
def natural_kernels(name: str, folder: str, choices: Choices) -> tuple[Objects, Kernels]:
    """Objects with the gaps they came with, compared once for all partitions."""
    objects = naturally_incomplete(name, folder)
    mixture = fitted_mixture(objects.rows, choices, 0)
    return objects, kernel_matrices(objects, mixture, choices)


def judged(
    kernels: Kernels, objects: Objects, rng: np.random.Generator, choices: Choices
) -> dict[str, float]:
    """AUC of every method on one random partition."""
    training, test = partition(len(objects.y), rng)
    return {
        name: mean_auc(kernel, objects.y, training, test, choices)
        for name, kernel in kernels.items()
    }
