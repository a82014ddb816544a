"""One campaign: what is known at the start, what is asked next, and what a classifier finds then.

From the top: objects and what is known of them; the four panels, which say what can be asked; how
questions are chosen; how a classifier is judged; and all of it from one start.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from manyviews.data import Views
from manyviews.typing import BoolArray, FloatArray, IntArray

Measure = Literal["auc", "new_auc"]
Criterion = Literal["conditional-mean", "mixture", "doubt"]
"""Information with a view expected as its mean or by the whole mixture; or the entropy of the
prediction, which the paper does not try."""

N_OBJECTS = 400
N_NEW = 600
"""Objects that are not learnt from: about as many as there are pages beside the 400."""
N_LABELLED = 80
INCOMPLETE = 2 / 3
"""Of the objects, drawn at random, show one view only. With 80 labels 53 labelled objects and 213
unlabelled ones can be asked for a view, twice and 1.7 times as many as are."""
N_DIRECTIONS = 40
"""Principal directions of a view that the classifier keeps at most: four times as many as the
camera's features vary in, and a third of the time that all take. Settled before any curve was."""
N_RANDOM = 13
"""Random trials from each start: 130 in all from ten, where the paper has 100."""
FALSE_ALARMS = (0.0, *(round(0.01 * k, 2) for k in (1, 2, 3, 4, 5, 7, 10, 13, 16)), 0.2, 0.25)
FALSE_ALARMS += (0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0)
"""Where the curves of Figure 2 are read off."""

# -- what is known ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Objects:
    """Complete views and labels: all that there is to find out. 1 is what is looked for."""

    views: Views
    y: IntArray
    new_views: Views
    """Of objects that are not learnt from."""
    new_y: IntArray


@dataclass(frozen=True)
class Known:
    """What has been found out of it."""

    labelled: BoolArray
    observed: BoolArray
    """Objects × views."""

    def after(self, question: Question) -> Known:
        """The same with one answer more."""
        labelled, observed = self.labelled.copy(), self.observed.copy()
        row, view = question
        if view is None:
            labelled[row] = True
        else:
            observed[row, view] = True
        return Known(labelled, observed)


Question = tuple[int, int | None]
"""Row and view; None for the label."""


def two_sensors(seed: int, folder: str) -> Objects:  # noqa: ARG001 (needs no folder)
    """Mines and clutter, generated anew for each start."""
    from manyviews.datasets import make_two_sensors

    views, y, *_ = make_two_sensors(N_OBJECTS + N_NEW, random_state=seed)
    return divided(views, np.asarray(y), seed)


def web_pages(seed: int, folder: str) -> Objects:
    """Course pages among others by their words and by those of links; 400 others for each start."""
    from manyviews.datasets import load_course

    views, y, *_ = load_course(data_home=folder)
    return divided(views, np.asarray(y), seed)


def divided(views: Views, y: IntArray, seed: int) -> Objects:
    """Draw the objects of a campaign, and keep others to judge what it has taught."""
    chosen = np.zeros(len(y), dtype=bool)
    chosen[drawn_by_class(y, N_OBJECTS, np.random.default_rng([seed, 1]))] = True
    here, new = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    return Objects(views[here], y[here], views[new], y[new])


SETS: dict[str, Callable[[int, str], Objects]] = {"sensors": two_sensors, "pages": web_pages}


def drawn_by_class(y: IntArray, n_drawn: int, rng: np.random.Generator) -> IntArray:
    """Rows of which each class has its share, as near as whole objects come.

    Examples
    --------
    >>> np.bincount(np.repeat([0, 1], [90, 10])[
    ...     drawn_by_class(np.repeat([0, 1], [90, 10]), 20, np.random.default_rng(0))])
    array([18,  2])
    """
    n_positive = round(n_drawn * float((y == 1).mean()))
    positive = rng.choice(np.flatnonzero(y == 1), n_positive, replace=False)
    others = rng.choice(np.flatnonzero(y != 1), n_drawn - n_positive, replace=False)
    found: IntArray = np.sort(np.concatenate([positive, others]))
    return found


def known_at_first(objects: Objects, seed: int) -> Known:
    """Some labels, and one view only of most objects."""
    from manyviews.datasets import hide_views

    rng = np.random.default_rng([seed, 2])
    labelled = np.zeros(len(objects.y), dtype=bool)
    labelled[drawn_by_class(objects.y, N_LABELLED, rng)] = True
    shown = hide_views(objects.views, INCOMPLETE, pattern="single", seed=rng)
    return Known(labelled, shown.observed)


# -- the panels ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Panel:
    """One panel of Figure 2: what can be asked, and how much of it."""

    title: str
    n_questions: int
    labels: bool = False
    views_of_labelled: bool = False
    views_of_unlabelled: bool = False

    def open_questions(self, known: Known) -> list[Question]:
        """All that can be asked now."""
        found: list[Question] = []
        if self.labels:
            found += [(int(row), None) for row in np.flatnonzero(~known.labelled)]
        asked = (self.views_of_labelled & known.labelled) | (
            self.views_of_unlabelled & ~known.labelled
        )
        rows, views = np.nonzero(~known.observed & asked[:, None])
        return found + list(zip(rows.tolist(), views.tolist(), strict=True))


PANELS: dict[str, Panel] = {
    "2a": Panel("labels", 100, labels=True),
    "2b": Panel("views of labelled objects", 27, views_of_labelled=True),
    "2c": Panel("views of unlabelled objects", 129, views_of_unlabelled=True),
    "2d": Panel("views of either", 85, views_of_labelled=True, views_of_unlabelled=True),
}
"""As many questions as in the paper."""

# -- how questions are chosen ----------------------------------------------------------------------


def fitted(objects: Objects, known: Known) -> Any:
    """The paper's classifier, from what is known."""
    from manyviews.acquire import BayesianCoTraining

    views, y = shown(objects, known)
    return BayesianCoTraining(balance=0.0, max_features=N_DIRECTIONS).fit(views, y)


def shown(objects: Objects, known: Known) -> tuple[Views, IntArray]:
    """Views and labels, without what is not known."""
    return objects.views.with_observed(known.observed), np.where(known.labelled, objects.y, -1)


def planned(
    objects: Objects,
    known: Known,
    panel: Panel,
    model: Any,
    budget: float,
    **options: Any,
) -> list[tuple[Question, float]]:
    """Questions of a panel with the nats that the model expects of them, best first."""
    from manyviews.acquire import plan

    views, y = shown(objects, known)
    names = views.names
    costs = np.full((len(y), 1 + len(names)), np.nan)  # nan: cannot be asked
    for row, view in panel.open_questions(known):
        costs[row, 0 if view is None else 1 + view] = 1.0
    prices = {"label": costs[:, 0], "view": dict(zip(names, costs[:, 1:].T, strict=True))}
    kind: Literal["label", "view"] = "label" if panel.labels else "view"
    found = plan(model, views, y, budget, costs=prices, kinds=kind, **options)
    return [
        ((each.row, None if each.view is None else names.index(each.view)), each.gain)
        for each in found
    ]


def in_doubt(objects: Objects, known: Known, panel: Panel, model: Any) -> Question:
    """The question about the object whose class the model knows least; the first of equals."""
    shares = model.predict_proba(shown(objects, known)[0])
    questions = panel.open_questions(known)
    return questions[int(np.argmax(entropies(shares[[row for row, _ in questions]])))]


def entropies(shares: FloatArray) -> FloatArray:
    """Entropy of each row of probabilities, in nats."""
    found: FloatArray = -(shares * np.log(np.maximum(shares, 1e-300))).sum(axis=1)
    return found


def asked_actively(
    objects: Objects, known: Known, panel: Panel, criterion: Criterion
) -> tuple[list[Question], Known]:
    """Ask the best question, learn from the answer, and again."""
    questions: list[Question] = []
    while len(questions) < panel.n_questions:
        model = fitted(objects, known)
        if criterion == "doubt":
            best = in_doubt(objects, known, panel, model)
        else:
            ((best, _),) = planned(objects, known, panel, model, 1.0, expectation=criterion)
        questions.append(best)
        known = known.after(best)
    return questions, known


def asked_at_random(
    known: Known, panel: Panel, rng: np.random.Generator
) -> tuple[list[Question], Known]:
    """Ask as many questions in random order."""
    questions = panel.open_questions(known)
    chosen = [questions[place] for place in rng.permutation(len(questions))[: panel.n_questions]]
    for question in chosen:
        known = known.after(question)
    return chosen, known


@dataclass(frozen=True)
class Preferences:
    """What the information of all questions of a panel goes with, at the start."""

    nats: float
    """Mean gain of a question."""
    with_doubt: float
    """Rank correlation with the entropy of the prediction for the object."""
    with_length: float
    """Rank correlation with how far from the mean is what the object shows."""


def preferences(name: str, panel: str, seed: int, folder: str) -> Preferences:
    """Rank all questions at a start; correlations are means over the views that are asked for."""
    from scipy.stats import spearmanr

    objects = SETS[name](seed, folder)
    known = known_at_first(objects, seed)
    model = fitted(objects, known)
    views, _ = shown(objects, known)
    found = planned(objects, known, PANELS[panel], model, np.inf, diverse=False)
    rows = np.array([row for (row, _), _ in found])
    asked = np.array([-1 if view is None else view for (_, view), _ in found])
    gains = np.array([gain for _, gain in found])
    shares = model.predict_proba(views)[rows]
    doubt = entropies(shares)
    length = np.sqrt(sum((own[rows, :-1] ** 2).sum(axis=1) for own in model.coordinates(views)))
    ranks = [
        [spearmanr(gains[here], what[here]).statistic for what in (doubt, length)]
        for here in (asked == view for view in np.unique(asked))
    ]
    return Preferences(float(gains.mean()), *np.mean(ranks, axis=0).tolist())


# -- how a classifier is judged --------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """What came of some questions."""

    auc: float
    """On the objects without a label, from which it also learns, as in the paper."""
    new_auc: float
    """On other objects, which show both views."""
    detected: FloatArray
    """Share of what is looked for that is found without a label, by ``FALSE_ALARMS``."""
    n_found: FloatArray
    """How many of those asked about were looked for, after each question and before the first."""
    first_view: float
    """Share of the questions that ask for the first view."""


def judged(objects: Objects, known: Known, questions: list[Question]) -> Judged:
    """Learn from what is known, and judge the probabilities."""
    from sklearn.metrics import roc_auc_score

    model = fitted(objects, known)
    views, _ = shown(objects, known)
    positive = list(model.classes_).index(1)
    scores = model.predict_proba(views)[~known.labelled, positive]
    truth = objects.y[~known.labelled] == 1
    asked = [view is None and objects.y[row] == 1 for row, view in questions]
    return Judged(
        auc=float(roc_auc_score(truth, scores)),
        new_auc=float(
            roc_auc_score(objects.new_y == 1, model.predict_proba(objects.new_views)[:, positive])
        ),
        detected=detections(truth, scores),
        n_found=np.concatenate([[0.0], np.cumsum(asked, dtype=float)]),
        first_view=float(np.mean([view == 0 for _, view in questions])) if questions else 0.0,
    )


def detections(truth: BoolArray, scores: FloatArray) -> FloatArray:
    """Share detected at each share of false alarms: the most that does not exceed it.

    Examples
    --------
    >>> truth = np.array([True, False, True, False])
    >>> found = detections(truth, np.array([4.0, 3.0, 2.0, 1.0]))
    >>> float(found[0]), float(found[FALSE_ALARMS.index(0.5)])
    (0.5, 1.0)
    """
    from sklearn.metrics import roc_curve

    false_alarms, detected, _ = roc_curve(truth, scores, drop_intermediate=False)
    places = np.searchsorted(false_alarms, np.array(FALSE_ALARMS) + 1e-12, side="right") - 1
    found: FloatArray = detected[places]
    return found


# -- one start -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """One panel from one start."""

    start: Judged
    active: Judged
    random: tuple[Judged, ...]
    everything: Judged | None
    """All that the panel lets one ask is known; None where nothing would be left to judge."""

    def at_random(self, measure: Measure = "auc") -> FloatArray:
        """What the random choices came to."""
        return np.array([getattr(each, measure) for each in self.random])

    def lead(self, measure: Measure = "auc") -> float:
        """How far the active choice is ahead of the mean of random ones."""
        return float(getattr(self.active, measure) - self.at_random(measure).mean())

    def beaten(self, measure: Measure = "auc") -> float:
        """Share of the random choices that the active one beats; ties count half."""
        ours, others = getattr(self.active, measure), self.at_random(measure)
        return float(np.mean((ours > others) + 0.5 * (ours == others)))


@cache
def trial(
    name: str, panel: str, seed: int, folder: str, criterion: Criterion = "conditional-mean"
) -> Trial:
    """Active beside random choice of one panel, from one start."""
    objects = SETS[name](seed, folder)
    known = known_at_first(objects, seed)
    questions, then = asked_actively(objects, known, PANELS[panel], criterion)
    return replace(beside(name, panel, seed, folder), active=judged(objects, then, questions))


@cache
def beside(name: str, panel: str, seed: int, folder: str) -> Trial:
    """What active choice is compared with, the start standing for it; the same for all criteria."""
    objects = SETS[name](seed, folder)
    known = known_at_first(objects, seed)
    what = PANELS[panel]
    start = judged(objects, known, [])
    rng = np.random.default_rng([seed, 3])
    drawn = [asked_at_random(known, what, rng) for _ in range(N_RANDOM)]
    random = tuple(judged(objects, then, questions) for questions, then in drawn)
    if what.labels:
        return Trial(start, start, random, None)
    everything = known
    for question in what.open_questions(known):
        everything = everything.after(question)
    return Trial(start, start, random, judged(objects, everything, []))
