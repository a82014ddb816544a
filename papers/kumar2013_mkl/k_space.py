"""Pairs in the space of their kernels: Figures 5.1 and 6.1, and the two circles."""

from __future__ import annotations

import numpy as np

from manyviews.data import Dataset, Views
from manyviews.typing import BoolArray, FloatArray

DEGREES = tuple(str(angle) for angle in range(0, 91, 15))
"""Directions of μ in the plane of two kernels: 0 is the first alone, 45 both, 90 the second."""
N_OBJECTS = 200
COMBINATIONS = {"linear": 1, "polynomial": 2}
"""Degrees of the K-examples."""
PLAIN, SQUARED = "K1, K2", "K1², K2²"


def two_noisy_views(seed: int, n_objects: int = N_OBJECTS) -> Dataset:
    """Draw two classes that each of two features tells with errors of its own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % 2
    centres = 2.0 * y - 1.0
    views = {name: (centres + 0.8 * rng.normal(size=n_objects))[:, None] for name in ("K1", "K2")}
    return Dataset(Views(views), y)


def circles(seed: int, n_objects: int = N_OBJECTS) -> Dataset:
    """Draw two concentric circles; each coordinate is a view (section 6.2.1.1)."""
    from manyviews.datasets import make_two_circles

    return make_two_circles(n_objects, random_state=seed)


def k_examples(drawn: Dataset) -> tuple[FloatArray, BoolArray]:
    """K-examples of all pairs i ≤ j under the linear kernel of each view, and who is of one class.

    Rows are pairs and columns kernels, Eq. (5.1).
    """
    from manyviews.mkl import KernelLibrary

    y = np.asarray(drawn.y)
    first, second = np.triu_indices(len(y))
    kernels = KernelLibrary(["linear"]).fitted(drawn.views)
    values = np.column_stack([kernels.gram(l)[first, second] for l in range(len(kernels))])  # noqa: E741
    return values, y[first] == y[second]


def separation(values: FloatArray, same: BoolArray, degrees: float) -> float:
    """How often a pair of one class has a larger projection than a pair of two (area under ROC)."""
    from sklearn.metrics import roc_auc_score

    angle = np.deg2rad(degrees)
    return float(roc_auc_score(same, values @ [np.cos(angle), np.sin(angle)]))


def figure_5_1(degrees: str, seed: int) -> list[float]:
    """One point of the curve that Figure 5.1 shows at 0, 45 and 90 degrees."""
    return [separation(*k_examples(two_noisy_views(seed)), float(degrees))]


def figure_6_1(degrees: str, seed: int) -> list[float]:
    """The same for two circles, among the kernels and among their squares."""
    values, same = k_examples(circles(seed))
    return [separation(some, same, float(degrees)) for some in (values, values**2)]


def circle_accuracy(combination: str, seed: int) -> list[float]:
    """Training accuracy in % of the linear or the polynomial combination of both kernels."""
    from manyviews.mkl import TwoStageMKL

    views, y = circles(seed)
    model = TwoStageMKL(["linear"], COMBINATIONS[combination], random_state=seed)
    return [100.0 * float(model.fit(views, y).score(views, y))]
