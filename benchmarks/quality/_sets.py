"""Development sets as a user has them: raw views, a sample of the objects, gaps, a noise view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manyviews import Views, datasets
from manyviews.typing import IntArray

SETS = (
    *("3sources", "bbc", "bbcsport", "bbcsport4", "citeseer", "cora", "course", "digits_views"),
    *("kumar_synthetic2", "leaves100", "mfeat", "nutrimouse", "phonemes", "protein_fold12"),
    *("protein_fold_seq", "pubmed", "reuters5_600", "tcga_breast", "webkb", "wiki_uai2010"),
)
"""Every set at hand that has several views, features and classes."""

CONDITIONS = ("complete", "gaps", "noise")
MOST = 800
"""Objects drawn of a larger set: every method is quick, and each seed draws others."""
LEAST = 3
"""Objects a class must have to count: rarer ones cannot be learnt, nor found."""
HIDDEN = 0.3
"""Share of the views that are hidden under the condition "gaps"."""
NOISE_FEATURES = 100


@dataclass(frozen=True)
class Problem:
    """Views of objects, and the classes that methods are judged by."""

    name: str
    views: Views
    y: IntArray

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1

    def few_labels(self, per_class: int, seed: int) -> IntArray:
        """The classes of so many objects of each, and −1 for all others."""
        rng = np.random.default_rng(seed)
        labels = np.full(len(self.y), -1)
        for one in range(self.n_classes):
            members = np.flatnonzero(self.y == one)
            kept = rng.permutation(members)[: min(per_class, len(members) - 1)]
            labels[kept] = one
        return labels

    def half(self, seed: int) -> tuple[IntArray, IntArray]:
        """Rows to learn from, half of every class, and rows to be judged by."""
        rng = np.random.default_rng(seed)
        known = [
            rng.permutation(np.flatnonzero(self.y == one))[: max(np.sum(self.y == one) // 2, 1)]
            for one in range(self.n_classes)
        ]
        train = np.sort(np.concatenate(known))
        return train, np.setdiff1d(np.arange(len(self.y)), train)


def problem(name: str, condition: str, seed: int) -> Problem:
    """One draw of a set; the same objects under every condition.

    Gaps hide 30 % of what is observed. The noise view is standard normal, as long as the rows of
    the other views are in the mean, so that plain concatenation is not flooded by it.
    """
    whole = datasets.load(name)
    views, y = _drawn(whole.views, np.asarray(whole.y), np.random.default_rng(seed))
    if condition == "gaps":
        views = datasets.hide_views(views, share=HIDDEN, seed=seed)
    if condition == "noise":
        rng = np.random.default_rng(seed + 1)
        noise = rng.standard_normal((len(views), NOISE_FEATURES))
        size = np.mean([row_length(views, view) for view in views.names])
        views = Views(
            {**dict(views.items()), "noise": noise * size / np.sqrt(NOISE_FEATURES)},
            observed=np.column_stack([views.observed, np.ones(len(views), dtype=bool)]),
        )
    return Problem(name, views, y)


def row_length(views: Views, view: str) -> float:
    """Root mean squared length of the rows of a view."""
    rows = views[view][views.observed_in(view)]
    cells = rows.data if hasattr(rows, "indptr") else rows.ravel()
    return float(np.sqrt(np.sum(np.square(cells, dtype=float)) / rows.shape[0]))


def _drawn(views: Views, y: IntArray, rng: np.random.Generator) -> tuple[Views, IntArray]:
    """A random sample in random order, without rare classes and objects that nobody sees."""
    rows = rng.permutation(np.flatnonzero(views.observed.any(axis=1)))[:MOST]
    classes, counts = np.unique(y[rows], return_counts=True)
    rows = rows[np.isin(y[rows], classes[counts >= LEAST])]
    _, numbers = np.unique(y[rows], return_inverse=True)
    plain = {name: matrix[rows] for name, matrix in views.items()}
    return Views(plain, observed=views.observed[rows]), numbers.ravel()
