"""The fifteen rows of Table 1 as rules: from labelled pages to decisions about all, by view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from manyviews.typing import FloatArray, IntArray
from papers.sindhwani2005.machines import (
    KernelMachine,
    Loss,
    coefficients,
    decisions,
)
from papers.sindhwani2005.pages import (
    VIEWS,
    Graph,
    Pages,
    coupled_columns,
    places_of,
)

GAMMAS = (1e-4, 1e-3, 1e-2, 1e-1)
"""Weight of the norm, of every method that has one."""
NEIGHBORS = (10, 50)
GRAPHS = tuple(Graph(n_neighbors, power) for n_neighbors in NEIGHBORS for power in (1, 2))
RATIOS = (1.0, 10.0, 100.0, 1000.0)
"""γ_I / γ_A."""
COUPLINGS = (0.01, 0.1, 1.0, 10.0, 100.0)
"""γ_C."""
PULLS = (32.0, 3200.0, 100_000.0)
"""``c`` of the spectral graph transducer."""
N_CUTS = 80
COSTS = ((1.0, 0.1), (1.0, 1.0))
"""Cost of labelled and of unlabelled pages in the transductive machine."""

POOL_SIZE = 75
ROUNDS = 30
PER_ROUND = {1: 1, 0: 3}
"""Co-training as Blum and Mitchell had it on these pages."""

PAIR = ("link", "page")


@dataclass(frozen=True)
class Rule:
    """A method with its parameters."""

    decide: Callable[[IntArray], dict[str, FloatArray]]
    """From the labelled pages to the decisions of each view about all."""
    peeks: bool = False
    """Whether a parameter is read off the labels of the other pages."""


def supervised(pages: Pages, loss: Loss, *, constant: bool = True) -> Iterator[Rule]:
    """RLS and SVM, which know the labelled pages only."""
    kernels = {view: pages.plain(view) for view in VIEWS}

    def decide(rows: IntArray, gamma: float) -> dict[str, FloatArray]:
        return {
            view: decisions(kernel, pages.signs, rows, loss, gamma, constant=constant)
            for view, kernel in kernels.items()
        }

    for gamma in GAMMAS:
        yield Rule(partial(decide, gamma=gamma))


def laplacian(
    pages: Pages, loss: Loss, graphs: tuple[str, ...] = (), *, constant: bool = True
) -> Iterator[Rule]:
    """Laplacian machines, smooth over the mean of some graphs; each over its own if none is given.

    With ``graphs`` they are the Co-Laplacian machines.
    """

    def decide(rows: IntArray, graph: Graph, ratio: float, gamma: float) -> dict[str, FloatArray]:
        found = {}
        for view in VIEWS:
            kernel = pages.deformed(view, graphs or (view,), graph, ratio)
            found[view] = decisions(kernel, pages.signs, rows, loss, gamma, constant=constant)
        return found

    for graph, ratio, gamma in product(GRAPHS, RATIOS, GAMMAS):
        yield Rule(partial(decide, graph=graph, ratio=ratio, gamma=gamma))


def co_rls(pages: Pages) -> Iterator[Rule]:
    """Two functions that are orthogonal to constants and have to agree."""
    from manyviews.maths import centre_gram

    n, needed = len(pages.y), pages.needed
    grams = centre_gram(pages.grams["link"]), centre_gram(pages.grams["page"])
    places = places_of(needed, n)

    def decide(rows: IntArray, block: FloatArray) -> dict[str, FloatArray]:
        at = np.concatenate([places[rows], len(needed) + places[rows]])
        both = np.concatenate([rows, n + rows])
        signs = np.tile(pages.signs[rows], 2)
        own = block[:, at]
        # γ is in the kernel, and l is half the number of equations
        found, _ = coefficients(own[both], signs, "squared", 0.5, constant=False)
        values = own @ found
        return {"link": values[:n], "page": values[n:]}

    for gamma, coupling in product(GAMMAS, COUPLINGS):
        block = coupled_columns(grams, gamma, coupling, needed)
        yield Rule(partial(decide, block=block))


def co_trained(pages: Pages, loss: Loss) -> Iterator[Rule]:
    """Co-training of two linear machines."""
    from manyviews.semi_supervised import CoTraining

    views = pages.views.subset(PAIR)

    def decide(rows: IntArray, gamma: float) -> dict[str, FloatArray]:
        known = np.full(len(pages.y), -1)
        known[rows] = pages.y[rows]
        model = CoTraining(
            KernelMachine(loss, gamma),
            pool_size=POOL_SIZE,
            per_class=PER_ROUND,
            confirm=False,
            max_iter=ROUNDS,
            random_state=0,
            view_weights=None,
        ).fit(views, known)
        return {view: shares[:, 1] for view, shares in model.view_probabilities(views).items()}

    for gamma in GAMMAS:
        yield Rule(partial(decide, gamma=gamma))


def spectral_graph(pages: Pages) -> Iterator[Rule]:
    """Joachims' spectral graph transducer."""
    from manyviews.semi_supervised import SmoothCuts, cut_by_labels, cut_targets, smooth_cuts

    def decide(
        rows: IntArray, cuts: dict[str, SmoothCuts], pull: float, *, known_share: bool
    ) -> dict[str, FloatArray]:
        share = float(pages.y.mean() if known_share else pages.y[rows].mean())
        signs = np.zeros(len(pages.y), dtype=np.intp)
        signs[rows] = pages.signs[rows]
        targets = cut_targets(signs, share)
        return {view: cut_by_labels(cuts[view], targets, pull) for view in VIEWS}

    for n_neighbors in NEIGHBORS:
        cuts = {
            view: smooth_cuts(pages.edges(view, n_neighbors), N_CUTS, normalized=True)
            for view in VIEWS
        }
        for pull, known in product(PULLS, (False, True)):
            yield Rule(partial(decide, cuts=cuts, pull=pull, known_share=known), peeks=known)


def transductive(pages: Pages) -> Iterator[Rule]:
    """Joachims' transductive support vector machine."""
    from manyviews.semi_supervised import TransductiveSVM

    def decide(
        rows: IntArray, costs: tuple[float, float], *, known_share: bool
    ) -> dict[str, FloatArray]:
        known = np.full(len(pages.y), -1)
        known[rows] = pages.y[rows]
        model = TransductiveSVM(
            "linear",
            C=costs[0],
            C_unlabelled=costs[1],
            proportions=float(pages.y.mean()) if known_share else "labelled",
            relative=False,
            view_weights=None,
        )
        found = {}
        for view in VIEWS:
            own = pages.views.subset([view])
            found[view] = model.fit(own, known).decision_function(own)
        return found

    for costs, known_share in product(COSTS, (False, True)):
        yield Rule(partial(decide, costs=costs, known_share=known_share), peeks=known_share)


METHODS: dict[str, Callable[[Pages], Iterator[Rule]]] = {
    "RLS (full)": partial(supervised, loss="squared"),
    "SVM (full)": partial(supervised, loss="hinge"),
    "RLS (12)": partial(supervised, loss="squared"),
    "SVM (12)": partial(supervised, loss="hinge"),
    "SGT": spectral_graph,
    "TSVM": transductive,
    "LapRLS": partial(laplacian, loss="squared"),
    "LapSVM": partial(laplacian, loss="hinge"),
    "Co-trained RLS": partial(co_trained, loss="squared"),
    "Co-RLS": co_rls,
    "Co-LapRLS1": partial(laplacian, loss="squared", graphs=PAIR),
    "Co-LapRLS2": partial(laplacian, loss="squared", graphs=VIEWS),
    "Co-trained SVM": partial(co_trained, loss="hinge"),
    "Co-LapSVM1": partial(laplacian, loss="hinge", graphs=PAIR),
    "Co-LapSVM2": partial(laplacian, loss="hinge", graphs=VIEWS),
}
"""The rows of Table 1."""

WITHOUT_CONSTANT: dict[str, Callable[[Pages], Iterator[Rule]]] = {
    "RLS (12)": partial(supervised, loss="squared", constant=False),
    "LapRLS": partial(laplacian, loss="squared", constant=False),
    "Co-LapRLS1": partial(laplacian, loss="squared", graphs=PAIR, constant=False),
    "Co-LapRLS2": partial(laplacian, loss="squared", graphs=VIEWS, constant=False),
}
"""The rows with least squares as the paper prints them."""
