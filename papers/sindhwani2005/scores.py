"""Every setting of a method scored on every draw; the best of them, and the one validated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from manyviews.data import Views
from manyviews.maths import generator
from manyviews.metrics import precision_recall_break_even
from manyviews.typing import BoolArray, FloatArray, IntArray
from papers.sindhwani2005.methods import Rule
from papers.sindhwani2005.pages import VIEWS, draw_labelled

N_FOLDS = 3
"""Folds of the labelled pages; fewer where a class has fewer labels."""
N_TENTHS = 10


@dataclass(frozen=True)
class Trial:
    """Pages whose labels are shown, and pages that the score is of."""

    labelled: IntArray
    scored: IntArray
    seed: int


@dataclass(frozen=True)
class Scores:
    """Break-even points in percent and what cross-validation says, settings × trials × views."""

    break_even: FloatArray
    """NaN for views that a method has no function for."""
    validation: FloatArray
    """Share of pairs told apart in the folds; NaN for settings that peek."""
    seeds: IntArray
    """The seed of each trial."""

    def best(self) -> FloatArray:
        """Seeds × views, by the setting that is best on average, chosen by the score itself."""
        means = self.break_even.mean(axis=1)
        chosen = np.where(np.isnan(means), -np.inf, means).argmax(axis=0)
        return self._by_seed(self.break_even[chosen, :, np.arange(len(chosen))].T)

    def validated(self) -> FloatArray:
        """Seeds × views, by the setting that the folds prefer in each trial.

        Where they prefer several alike it is the mean over these, as if one were drawn.
        """
        honest = ~np.isnan(self.validation)
        top = np.where(honest, self.validation, -np.inf).max(axis=0)
        tied: BoolArray = honest & (self.validation == top)
        total = np.where(tied, self.break_even, 0.0).sum(axis=0)
        known = tied.any(axis=0)
        means = np.full(total.shape, np.nan)
        np.divide(total, tied.sum(axis=0), out=means, where=known)
        return self._by_seed(means)

    def _by_seed(self, of_trials: FloatArray) -> FloatArray:
        return np.array(
            [of_trials[self.seeds == seed].mean(axis=0) for seed in np.unique(self.seeds)]
        )


def score(rules: Iterable[Rule], y: IntArray, trials: list[Trial], *, validate: bool) -> Scores:
    """Try every setting in every trial, and in every fold of its labels."""
    found = [
        [_score_trial(rule, y, trial, validate=validate) for trial in trials] for rule in rules
    ]
    both = np.array(found)
    return Scores(both[:, :, 0], both[:, :, 1], np.array([trial.seed for trial in trials]))


def _score_trial(rule: Rule, y: IntArray, trial: Trial, *, validate: bool) -> FloatArray:
    found = np.full((2, len(VIEWS)), np.nan)
    decided = rule.decide(trial.labelled)
    for view, values in decided.items():
        here = trial.scored
        found[0, VIEWS.index(view)] = 100 * precision_recall_break_even(y[here], values[here])
    if validate and not rule.peeks:
        told = [_told_apart(rule, y, kept, held) for kept, held in folds(y, trial.labelled)]
        shares = np.mean(told, axis=0) if told else np.zeros(len(VIEWS))
        found[1] = np.where(np.isnan(found[0]), np.nan, shares)
    return found


def _told_apart(rule: Rule, y: IntArray, kept: IntArray, held: IntArray) -> FloatArray:
    """By view, the share of pairs of pages held out whose decisions are in the right order."""
    found = np.zeros(len(VIEWS))
    for view, values in rule.decide(kept).items():
        courses, others = values[held[y[held] == 1]], values[held[y[held] == 0]]
        apart = courses[:, None] - others
        found[VIEWS.index(view)] = (np.sign(apart).mean() + 1) / 2
    return found


def folds(y: IntArray, labelled: IntArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Labelled pages to learn from and to hold out, with both classes among either.

    There are none where a class has a single label.

    Examples
    --------
    >>> y = np.array([0, 0, 1, 0, 1])
    >>> [held.tolist() for _, held in folds(y, np.arange(5))]
    [[0, 2, 3], [1, 4]]
    """
    by_class = [labelled[y[labelled] == code] for code in np.unique(y[labelled])]
    n_folds = min(N_FOLDS, *map(len, by_class))
    if n_folds < 2:
        return
    for fold in range(n_folds):
        held = np.sort(np.concatenate([own[fold::n_folds] for own in by_class]))
        yield np.setdiff1d(labelled, held), held


def draws(y: IntArray, seeds: range) -> list[Trial]:
    """Twelve labelled pages for each seed; all others are scored."""
    rows = [draw_labelled(y, seed) for seed in seeds]
    every = np.arange(len(y))
    return [
        Trial(own, np.setdiff1d(every, own), seed) for own, seed in zip(rows, seeds, strict=True)
    ]


def labelled_in(trials: list[Trial]) -> IntArray:
    """Every page that is labelled in some trial."""
    return np.unique(np.concatenate([trial.labelled for trial in trials]))


def tenths(y: IntArray, seeds: range) -> list[Trial]:
    """Ten trials for each seed, in each of which another tenth of the pages is scored."""
    found = []
    for seed in seeds:
        rng = generator(seed)
        dealt = np.empty(len(y), dtype=np.intp)
        for code in np.unique(y):
            rows = rng.permutation(np.flatnonzero(y == code))
            dealt[rows] = np.arange(len(rows)) % N_TENTHS
        found += [
            Trial(np.flatnonzero(dealt != tenth), np.flatnonzero(dealt == tenth), seed)
            for tenth in range(N_TENTHS)
        ]
    return found


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
