"""``KernelCCA`` by 200 pivots and exact, beside mvlearn and cca-zoo at the same penalty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from benchmarks._measure import (
    Comparison,
    growing,
    medians,
    peak_bytes,
    peer,
    seconds_by_size,
    timed,
)
from manyviews.embed import KernelCCA
from manyviews.similarity import RBF

N_COMPONENTS, TAU, GAMMA, RANK = 2, 0.5, 0.02, 200
LARGE = 3_000
"""Objects at which the times are judged."""
N_NEW = 1_000
ALIKE = 0.005

Fit = Callable[[list[Any]], Callable[[list[Any]], list[Any]]]
"""From training views to what places new ones."""


def beside(name: str, n_objects: int) -> Iterator[Comparison]:
    works = {"pivots": _by_pivots, "exact": _exact, name: REFERENCES[name]()}
    found = medians(lambda: _round(n_objects, works))
    yield _beside(found, "pivots", name, n_objects, 0.02)
    yield _beside(found, "exact", name, n_objects, 0.25)


def pair(n_objects: int, n_new: int = 0) -> tuple[list[Any], list[Any]]:
    """Two bent views of two hidden causes, ten features each, with noise; and unseen objects."""
    rng = np.random.default_rng(0)
    z = rng.uniform(-1, 1, (n_objects + n_new, 2))
    causes = (
        np.column_stack([np.sin(2 * z[:, 0]), z[:, 1], z[:, 0] * z[:, 1]]),
        np.column_stack([z[:, 0], z[:, 1] ** 3, np.exp(z[:, 0])]),
    )
    views = [
        cause @ rng.standard_normal((3, 10)) + 0.5 * rng.standard_normal((len(z), 10))
        for cause in causes
    ]
    return [view[:n_objects] for view in views], [view[n_objects:] for view in views]


def _round(n_objects: int, work: dict[str, Fit]) -> dict[str, float]:
    """Seconds of each fit, and the mean correlation that unseen objects show."""
    old, new = pair(n_objects, N_NEW)
    found = {}
    for name, fit in work.items():
        found[name], place = timed(lambda fit=fit: fit(old))
        one, other = place(new)
        across = np.corrcoef(one, other, rowvar=False)[:N_COMPONENTS, N_COMPONENTS:]
        found[f"{name} shows"] = float(np.abs(across.diagonal()).mean())
    return found


def _beside(
    found: dict[str, float], ours: str, peer: str, n_objects: int, at_most: float
) -> Comparison:
    shown = found[f"{ours} shows"], found[f"{peer} shows"]
    judged = n_objects == LARGE
    fine = found[ours] <= at_most * found[peer] and abs(shown[0] - shown[1]) <= ALIKE
    return Comparison(
        f"{n_objects:,} × 2, {ours}, beside {peer}",
        found[ours],
        found[peer],
        None,
        f"at most {at_most:g}×, alike ±{ALIKE:g}" if judged else "",
        fine or not judged,
        f"correlation of new objects {shown[0]:.3f}, theirs {shown[1]:.3f}",
    )


def growth(*sizes: int) -> Comparison:
    """Time and memory at a fixed number of pivots."""
    works = {n: partial(_by_pivots, pair(n)[0]) for n in sizes}
    extra = peak_bytes(works[sizes[-1]])
    name = f"objects × 2, {RANK} pivots"
    return growing(name, *seconds_by_size(works), at_most=1.2, extra_bytes=extra)


def _by_pivots(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
    model = KernelCCA(N_COMPONENTS, RBF(GAMMA), TAU, 1e-4, max_rank=RANK).fit(views)
    return lambda new: list(model.transform_views(new).values())


def _exact(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
    model = KernelCCA(N_COMPONENTS, RBF(GAMMA), TAU, 0.0).fit(views)
    return lambda new: list(model.transform_views(new).values())


def _mvlearn() -> Fit:
    kind = peer("mvlearn.embed", "KMCCA")
    # Its check for having been fitted does not know today's scikit-learn.
    peer("mvlearn.compose", "split").check_is_fitted = lambda *_, **__: None

    def fit(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
        model = kind(
            N_COMPONENTS,
            kernel="rbf",
            kernel_params={"gamma": GAMMA},
            regs=TAU,
            sval_thresh=None,
        )
        return model.fit(views).transform

    return fit


def _cca_zoo() -> Fit:
    kind = peer("cca_zoo.nonparametric", "KCCA")

    def fit(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
        ridge = TAU / ((1 - TAU) * (len(views[0]) - 1))  # (1 − c) K² / (n − 1) + c K
        model = kind(
            n_components=N_COMPONENTS, kernel="rbf", gamma=GAMMA, shrinkage=ridge / (1 + ridge)
        )
        return model.fit(views).transform

    return fit


def _plain(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
    """All eigenvectors of both centred Gram matrices, then all singular vectors between them."""
    bases, means = [], []
    for view in views:
        gram = RBF(GAMMA).gram(view)
        means.append(gram.mean(axis=0))
        values, vectors = np.linalg.eigh(gram - means[-1] - means[-1][:, None] + means[-1].mean())
        kept = values > 1e-10 * values[-1]
        bases.append((vectors[:, kept], values[kept]))
    (u, s), (v, t) = bases
    one, other = (np.sqrt(each / ((1 - TAU) * each + TAU)) for each in (s, t))
    left, _, right = np.linalg.svd((u * one).T @ (v * other), full_matrices=False)
    turns = left[:, :N_COMPONENTS], right[:N_COMPONENTS].T
    weights = [
        basis @ (turn / np.sqrt(values * ((1 - TAU) * values + TAU))[:, None])
        for (basis, values), turn in zip(bases, turns, strict=True)
    ]

    def place(new: list[Any]) -> list[Any]:
        crosses = [RBF(GAMMA).cross(n, old) for n, old in zip(new, views, strict=True)]
        return [
            (cross - mean) @ (own - own.mean(axis=0))
            for cross, mean, own in zip(crosses, means, weights, strict=True)
        ]

    return place


REFERENCES: dict[str, Callable[[], Fit]] = {
    "eigh and svd": lambda: _plain,
    "mvlearn": _mvlearn,
    "cca-zoo": _cca_zoo,
}
SHORT = (*(partial(beside, name, 500) for name in REFERENCES), partial(growth, 3_000, 12_000))
ALL = (
    *(partial(beside, name, n) for n in (500, 1_000, LARGE) for name in REFERENCES),
    partial(growth, 3_000, 10_000, 30_000, 100_000),
)
