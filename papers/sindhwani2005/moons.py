"""Two moons and two lines with one label per class: Figures 2 and 3 as shares of right classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.typing import FloatArray, IntArray

MOONS, LINES = "moons", "lines"
N_OBJECTS = 200
NOISE = 0.15
"""Of the moons in the lower half of Figure 3: they touch."""
WIDTH_2, WIDTH_3 = 0.5, 3.0
"""``gamma`` of the Gaussian kernel on the moons in the two figures."""
NORM, COUPLING, INTRINSIC = 0.001, 1.0, 1.0
"""γ, γ_C and γ_I: one for all."""
N_NEIGHBORS = 8

RLS, ONE_ROUND, ALL_ROUNDS, CO_RLS = (
    "RLS",
    "Co-trained RLS, one round",
    "Co-trained RLS, until all are labelled",
    "Co-RLS",
)
FIGURE_2 = (RLS, ONE_ROUND, ALL_ROUNDS, CO_RLS)
COLUMNS_2 = (MOONS, LINES, "moons, misleading labels", "lines, misleading labels")
LAP, LAP_NOISE, CO_LAP_NOISE = "LapSVM", "LapSVM, noise", "Co-LapSVM, noise"
FIGURE_3 = (LAP, LAP_NOISE, CO_LAP_NOISE)
NOISES = ("0", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35")
CURVES = ("LapSVM", "Co-LapSVM", "LapSVM, ranking", "Co-LapSVM, ranking")
"""Right classes of the moons, and pairs of unlike objects that the moons rank rightly."""


def kernels(width: float) -> dict[str, Any]:
    """Gaussian on the moons, linear on the lines."""
    from manyviews.similarity import RBF

    return {MOONS: RBF(width), LINES: "linear"}


def drawn(seed: int, noise: float = 0.0) -> tuple[Views, IntArray, IntArray]:
    """Objects, their classes, and one random label of each class."""
    from manyviews.datasets import make_two_moons_two_lines

    views, y = make_two_moons_two_lines(N_OBJECTS, noise, random_state=seed)
    rng = generator(seed)
    known = np.full(len(y), -1)
    for code in (0, 1):
        known[rng.choice(np.flatnonzero(y == code))] = code
    return views, np.asarray(y), known


def misleading(views: Views, y: IntArray) -> IntArray:
    """One label of each class, at opposite ends in both views, and so that ends tell the other way.

    The far end of the first moon then lies on the side of the second label, and that of the second
    moon on the side of the first.
    """
    far = (views[MOONS][:, 0] - 0.5) / 1.5 + views[LINES].sum(axis=1) / 2
    known = np.full(len(y), -1)
    known[np.where(y == 0, far, -np.inf).argmax()] = 0
    known[np.where(y == 1, far, np.inf).argmin()] = 1
    return known


def fitted(method: str, views: Views, known: IntArray) -> Callable[[Views], dict[str, FloatArray]]:
    """Fit a method, and return what gives the decision of each view about objects."""
    if method in (ONE_ROUND, ALL_ROUNDS):
        trained = co_trained(views, known, 1 if method == ONE_ROUND else None)
        return lambda new: _above_half(trained.view_probabilities(new))
    if method in (RLS, CO_RLS):
        from manyviews.semi_supervised import CoRLS

        coupled = method == CO_RLS
        coupling = COUPLING if coupled else 0.0
        model = CoRLS(
            kernels(WIDTH_2),
            gamma=NORM,
            coupling=coupling,
            center=coupled,
            relative=False,
            view_weights=None,
        )
        return model.fit(views, known).view_decisions
    parts = [views] if method == CO_LAP_NOISE else [views.subset([name]) for name in views.names]
    machines = [(part.names, _smooth_machine(part, known)) for part in parts]

    def decide(new: Views) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        for names, machine in machines:
            found |= machine.view_decisions(new.subset(names))
        return found

    return decide


def rates_2(method: str, seed: int) -> list[float]:
    """Share of right classes in each view, in percent, from random and from misleading labels."""
    views, y, known = drawn(seed)
    return [
        _right(found[name], y)
        for found in (fitted(method, views, own)(views) for own in (known, misleading(views, y)))
        for name in (MOONS, LINES)
    ]


def rates_3(method: str, seed: int) -> list[float]:
    """Share of right classes in each view, in percent."""
    views, y, known = drawn(seed, 0.0 if method == LAP else NOISE)
    found = fitted(method, views, known)(views)
    return [_right(found[name], y) for name in (MOONS, LINES)]


def noise_rates(noise: str, seed: int) -> list[float]:
    """The curves at one level of noise."""
    views, y, known = drawn(seed, float(noise))
    alone = fitted(LAP_NOISE, views, known)(views)[MOONS]
    joint = fitted(CO_LAP_NOISE, views, known)(views)[MOONS]
    return [_right(alone, y), _right(joint, y), _ranked(alone, y), _ranked(joint, y)]


def co_trained(views: Views, known: IntArray, rounds: int | None) -> Any:
    """Co-training of least squares in both views, from all objects."""
    from manyviews.semi_supervised import CoTraining
    from papers.sindhwani2005.machines import KernelMachine

    members = {MOONS: KernelMachine(gamma=NORM, width=WIDTH_2), LINES: KernelMachine(gamma=NORM)}
    model = CoTraining(
        members,
        pool_size=None,
        per_class=1,
        confirm=False,
        max_iter=rounds,
        random_state=0,
        view_weights=None,
    )
    return model.fit(views, known)


def _above_half(shares: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    return {name: own[:, 1] - 0.5 for name, own in shares.items()}


def _smooth_machine(views: Views, known: IntArray) -> Any:
    from manyviews.semi_supervised import CoLaplacianSVM
    from manyviews.similarity import KNNGraph

    chosen = {name: kernels(WIDTH_3)[name] for name in views.names}
    model = CoLaplacianSVM(
        chosen,
        KNNGraph(N_NEIGHBORS),
        gamma=NORM,
        intrinsic=INTRINSIC,
        relative=False,
        proportions=None,
        view_weights=None,
    )
    return model.fit(views, known)


def _right(decisions: FloatArray, y: IntArray) -> float:
    return 100 * float(np.mean((decisions > 0) == (y == 1)))


def _ranked(decisions: FloatArray, y: IntArray) -> float:
    apart = decisions[y == 1][:, None] - decisions[y == 0]
    return 50 * float(np.sign(apart).mean() + 1)
