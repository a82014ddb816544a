"""Table 2 for random quarters: pages that were there in training, and pages that were not."""

from __future__ import annotations

import numpy as np

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.metrics import precision_recall_break_even
from manyviews.typing import IntArray
from papers.sindhwani2005.pages import draw_labelled

GAMMA = 0.01
"""γ_A."""


def quarter_scores(views: Views, y: IntArray, seed: int, ratio: float) -> list[float]:
    """Break-even points of each view on test and on unlabelled pages, in percent.

    ``ratio`` is γ_I / γ_A.
    """
    from manyviews.semi_supervised import CoLaplacianSVM
    from manyviews.similarity import Cosine, KNNGraph

    order = generator(seed).permutation(len(y))
    test, train = np.split(order, [len(y) // 4])
    known = np.full(len(train), -1)
    labelled = draw_labelled(y[train], seed)
    known[labelled] = y[train][labelled]
    graph = KNNGraph(50, "similarity", kernel=Cosine(), metric="cosine", symmetric="mean")
    pair = views.subset(["page", "link"])
    model = CoLaplacianSVM(
        "linear",
        graph,
        gamma=GAMMA,
        intrinsic=ratio * GAMMA,
        relative=False,
        concatenate=True,
        normalized=True,
        power=2,
        proportions="labelled",
        view_weights=None,
    ).fit(pair[train], known)
    unlabelled = train[known < 0]
    found = [model.view_decisions(pair[rows]) for rows in (test, unlabelled)]
    return [
        100 * precision_recall_break_even(y[rows], decided[view])
        for view in ("page+link", "page", "link")
        for rows, decided in zip((test, unlabelled), found, strict=True)
    ]
