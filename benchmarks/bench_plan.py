"""``plan`` beside determinants one by one, its promised seconds, and scikit-activeml.

The model has 430 weights: 420 and 8 features in two views, each with an intercept. The reference
takes the determinant of every candidate's whole precision, which is what Eq. (15) and (16) say; it
is timed on a few and multiplied. Models are fitted before the clock starts, on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks._measure import Comparison, compare, cpu_seconds, medians, peak_bytes, peer
from manyviews import Views
from manyviews.acquire import BayesianCoTraining, plan
from manyviews.acquire.information_gain import label_increment, measured_view_increment
from manyviews.acquire.plan import find_questions
from manyviews.acquire.question_costs import read_costs

WIDTHS = {"wide": 420, "narrow": 8}
FITTED = 500
"""Objects that the model is fitted to: the plan does not depend on how many."""
NAIVE = 30
"""Candidates whose determinants are taken one by one."""
LABELS_WITHIN, VIEWS_WITHIN = 5.0, 30.0
"""Seconds promised for 100,000 labels, and for the views of 10,000 objects."""


@cache
def objects(n_objects: int) -> tuple[Views, Any]:
    """Four kinds of objects that both views know, two classes, a tenth of them labelled."""
    rng = np.random.default_rng(0)
    kind = rng.integers(4, size=n_objects)
    views = {
        name: rng.standard_normal((n_objects, width))
        + (2 * np.random.default_rng(width).standard_normal((4, width)))[kind]
        for name, width in WIDTHS.items()
    }
    return Views(views), np.where(rng.random(n_objects) < 0.1, kind % 2, -1)


@cache
def fitted() -> BayesianCoTraining:
    """Strengths are given, for it is the plan that is timed."""
    views, y = objects(FITTED)
    return BayesianCoTraining(max_features=None, update_hyperparameters=False).fit(views, y)


def with_gaps(n_objects: int) -> tuple[Views, Any]:
    """The same with two fifths of the views not measured, none of them all of an object's."""
    views, y = objects(n_objects)
    seen = np.random.default_rng(1).random((n_objects, 2)) < 0.6
    seen[~seen.any(axis=1), 0] = True
    return Views(views, observed=seen), y


def labels(n_objects: int, within: float | None = None) -> Comparison:
    views, _ = objects(n_objects)
    unlabelled = np.full(n_objects, -1)
    work = partial(
        plan, fitted(), views, unlabelled, n_objects // 100, kinds="label", diverse=False
    )
    return promised(f"{n_objects:,} labels, 430 weights", work, naive(views, unlabelled), within)


def labels_in_a_batch(n_objects: int, n_asked: int) -> Comparison:
    """Each chosen as if those before it had been answered."""
    views, _ = objects(n_objects)
    unlabelled = np.full(n_objects, -1)
    work = partial(plan, fitted(), views, unlabelled, n_asked, kinds="label")
    name = f"{n_asked} of {n_objects:,} labels, diverse"
    return promised(name, work, naive(views, unlabelled) * n_asked, None)


def views_to_measure(n_objects: int, within: float | None = None) -> Comparison:
    views, y = with_gaps(n_objects)
    work = partial(plan, fitted(), views, y, n_objects // 100, kinds="view", diverse=False)
    return promised(f"views of {n_objects:,} objects", work, naive(views, y, "view"), within)


def naive(views: Views, y: Any, kind: str = "label") -> float:
    """Seconds that determinants one by one take, from a few of them."""
    model = fitted()
    posterior = model.posterior_
    some = np.arange(min(len(views), 200))
    shown, known = views[some], y[some] >= 0
    rows = model.coordinates(shown)
    costs = read_costs(None, shown, (kind,))  # type: ignore[arg-type]
    asked = find_questions(posterior, rows, shown.observed, known, costs, "conditional-mean")
    whole = [factor @ factor.T for factor in posterior.factors]

    def determinants() -> None:
        for number in range(min(NAIVE, len(asked))):
            view = int(asked.view[number])
            if kind == "label":
                more = label_increment(posterior, [part[asked.row[number]] for part in rows])
            else:
                place = int(asked.place[number])
                more = measured_view_increment(
                    posterior,
                    asked.targets[view].take(slice(place, place + 1)),  # type: ignore[arg-type]
                )
            np.linalg.slogdet(whole[0] + more[0])

    n_all = int((y < 0).sum()) if kind == "label" else int((~views.observed).sum())
    return cpu_seconds(determinants) / min(NAIVE, len(asked)) * n_all


def promised(
    name: str, work: Callable[[], object], reference: float, within: float | None
) -> Comparison:
    """CPU seconds of one thread, beside determinants one by one, and what was promised."""
    work()
    seconds = medians(lambda: {"mine": cpu_seconds(work)}, 3)["mine"]
    goal = "" if within is None else f"under {within:g} s"
    met = within is None or seconds < within
    return Comparison(name, seconds, reference, peak_bytes(work), goal, met)


def beside_expected_error(n_candidates: int) -> Comparison:
    """``MonteCarloEER``: information of a label about those of all others, by expected log-loss.

    It fits the model anew for each candidate and each label of it.
    """
    query, known, clf = activeml("MonteCarloEER", n_candidates, method="log_loss")
    wide, y = known
    return beside(
        f"{n_candidates} labels, beside scikit-activeml's MonteCarloEER by log-loss",
        n_candidates,
        lambda: query.query(wide, y, clf, fit_clf=True),
        at_most=0.1,
        repeats=1,
    )


def beside_mutual_information(n_candidates: int) -> Comparison:
    """``GreedyBALD``: mutual information of a label and which member of a committee is right."""
    query, known, clf = activeml("GreedyBALD", n_candidates)
    wide, y = known
    committee = [clf] * 10
    return beside(
        f"{n_candidates:,} labels, beside scikit-activeml's GreedyBALD of ten members",
        n_candidates,
        lambda: query.query(wide, y, committee, fit_ensemble=True),
        at_most=None,
        repeats=3,
    )


def activeml(name: str, n_candidates: int, **options: Any) -> tuple[Any, tuple[Any, Any], Any]:
    """A strategy, the views side by side with fifty labels, and a logistic regression."""
    strategy = peer("skactiveml.pool", name)
    wrapper = peer("skactiveml.classifier", "SklearnClassifier")
    from sklearn.linear_model import LogisticRegression

    views, _ = objects(n_candidates + 50)
    wide = np.asarray(views)
    y = np.full(len(wide), np.nan)
    y[:50] = np.arange(50) % 2
    clf = wrapper(LogisticRegression(), classes=[0, 1], random_state=0)
    return strategy(random_state=0, **options), (wide, y), clf


def beside(
    name: str,
    n_candidates: int,
    theirs: Callable[[], object],
    *,
    at_most: float | None,
    repeats: int,
) -> Comparison:
    views, _ = objects(n_candidates + 50)
    y = np.where(np.arange(len(views)) < 50, np.arange(len(views)) % 2, -1)
    model = fitted()
    return compare(
        name,
        lambda: plan(model, views, y, 1, kinds="label", diverse=False),
        theirs,
        at_most=at_most,
        repeats=repeats,
    )


SHORT = (
    partial(labels, 10_000),
    partial(views_to_measure, 1_000),
    partial(labels_in_a_batch, 10_000, 20),
    partial(beside_expected_error, 30),
    partial(beside_mutual_information, 2_000),
)
ALL = (
    partial(labels, 100_000, LABELS_WITHIN),
    partial(views_to_measure, 10_000, VIEWS_WITHIN),
    partial(labels_in_a_batch, 100_000, 100),
    partial(beside_expected_error, 100),
    partial(beside_mutual_information, 20_000),
)
