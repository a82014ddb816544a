"""``KernelCCA`` by 200 pivots and exact, beside mvlearn and cca-zoo at the same penalty."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks._measure import Comparison, growth_exponent, medians, peak_bytes, timed
from manyviews.embed import KernelCCA
from manyviews.similarity import RBF

N_COMPONENTS, TAU, GAMMA, RANK = 2, 0.5, 0.02, 200
SIZES = (500, 1000, 3000)
LARGE_SIZES = (3_000, 10_000, 30_000, 100_000)
N_NEW = 1000
ALIKE = 0.005

Fit = Callable[[list[Any]], Callable[[list[Any]], list[Any]]]
"""From training views to what places new ones."""


def run() -> Iterator[Comparison]:
    peers = _peers()
    for n_objects in SIZES:
        repeats = 5 if n_objects < SIZES[-1] else 3  # the peers take a minute there
        work = {"pivots": _by_pivots, "exact": _exact, **peers}
        found = medians(lambda n=n_objects, work=work: _round(n, work), repeats)
        for peer in peers:
            yield _beside(found, "pivots", peer, n_objects, 0.02)
            yield _beside(found, "exact", peer, n_objects, 0.25)
    yield from _growth()


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
    judged = n_objects == SIZES[-1]
    fine = found[ours] <= at_most * found[peer] and abs(shown[0] - shown[1]) <= ALIKE
    return Comparison(
        f"{n_objects:,} × 2, {ours}, beside {peer}: shown by new objects "
        f"{shown[0]:.3f} and {shown[1]:.3f}",
        found[ours],
        found[peer],
        None,
        f"at most {at_most:g}×, alike ±{ALIKE:g}" if judged else "",
        fine or not judged,
    )


def _growth() -> Iterator[Comparison]:
    """Time at a fixed number of pivots, and memory beside that of the data."""
    seconds = []
    for n_objects in LARGE_SIZES:
        views = pair(n_objects)[0]
        found = medians(lambda views=views: {"fit": timed(lambda: _by_pivots(views))[0]})
        seconds.append(found["fit"])
    growth = growth_exponent(LARGE_SIZES, seconds)
    yield Comparison(
        f"{LARGE_SIZES[-1]:,} × 2, {RANK} pivots, exponent {growth:.2f}",
        seconds[-1],
        seconds[0] * LARGE_SIZES[-1] / LARGE_SIZES[0],
        peak_bytes(lambda: _by_pivots(views)),
        "exponent at most 1.2",
        growth <= 1.2,
    )


def _by_pivots(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
    model = KernelCCA(N_COMPONENTS, RBF(GAMMA), TAU, 1e-4, max_rank=RANK).fit(views)
    return lambda new: list(model.transform_views(new).values())


def _exact(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
    model = KernelCCA(N_COMPONENTS, RBF(GAMMA), TAU, 0.0).fit(views)
    return lambda new: list(model.transform_views(new).values())


def _peers() -> dict[str, Fit]:
    """Those that are installed; else what both do, written out."""
    found = {}
    try:
        from mvlearn.compose import split
        from mvlearn.embed import KMCCA

        # Its check for having been fitted does not know today's scikit-learn.
        split.check_is_fitted = lambda *_, **__: None
        found["mvlearn"] = _mvlearn(KMCCA)
    except ImportError:
        print("mvlearn is not installed and not compared with")
    try:
        from cca_zoo.nonparametric import KCCA

        found["cca-zoo"] = _cca_zoo(KCCA)
    except ImportError:
        print("cca-zoo is not installed and not compared with")
    return found or {"eigh and svd": _plain}


def _mvlearn(peer: Any) -> Fit:
    def fit(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
        model = peer(
            N_COMPONENTS,
            kernel="rbf",
            kernel_params={"gamma": GAMMA},
            regs=TAU,
            sval_thresh=None,
        )
        return model.fit(views).transform

    return fit


def _cca_zoo(peer: Any) -> Fit:
    def fit(views: list[Any]) -> Callable[[list[Any]], list[Any]]:
        ridge = TAU / ((1 - TAU) * (len(views[0]) - 1))  # (1 − c) K² / (n − 1) + c K
        model = peer(
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
