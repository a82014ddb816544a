"""Measure how much each view adds to a model: leave it out, or give it to other objects.

From the top: measures on weighted objects; what each view says of an object; the scores with,
without and with a permuted view; and all of it for a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from scipy.sparse import csr_array

from manyviews.base import check_argument
from manyviews.data import Views
from manyviews.explain.contribution_report import (
    ViewContribution,
    ViewContributions,
    with_findings,
)
from manyviews.explain.inquiry import (
    Inquiry,
    Kind,
    Part,
    Truth,
    comparable,
    kind_of,
    last_step,
    make_inquiry,
    own_truth,
    permuted,
    read_objects,
    read_truth,
)
from manyviews.maths import generator
from manyviews.typing import (
    AnyArray,
    BoolArray,
    Count,
    FloatArray,
    IntArray,
    Interval,
    RandomState,
    ViewsLike,
)

__all__ = [
    "accuracies",
    "margins",
    "r_squared",
    "rand_indices",
    "view_contributions",
]

LEVEL = 0.95
"""Of the intervals; what people expect of one that is not said to be another."""
N_REPEATS = 5
"""Permutations of each view: scikit-learn's default in ``permutation_importance``."""
N_RESAMPLES = 1_000
"""Resamples of the objects: 25 lie beyond each end of an interval of 95 %."""
SCORE_RESAMPLES = 50
"""The same where each asks the method for a score anew, in every fold. A judgement: some 3,000
calls for three views, which take a few seconds."""
MAX_FITS = 30
"""Fits at most: five folds with, and without each of five views."""
MAX_OBJECTS = 5_000
"""Objects measured at most, a random subset of more; as many as ``diagnose`` measures."""
TIE = 1e-9
"""Two views whose scores differ by less, relatively, carry a decision together: rounding errors of
sums are smaller, and nothing that matters is."""

OWN_SCORES = ("view_probabilities", "view_decisions", "view_confidences")
"""Methods by which an estimator declares that its views have scores of their own: each takes
objects and returns, by the name of the view, one row per object of one number per class, or for two
classes one number that is positive for the second; NaN where the view is unobserved."""

Measure: TypeAlias = Callable[[AnyArray, AnyArray, FloatArray], FloatArray]
# -- measures on weighted objects: one value for each row of weights -------------------------------


def accuracies(truth: AnyArray, answers: AnyArray, weights: FloatArray) -> FloatArray:
    """Share of the weight of the objects that are answered rightly.

    Examples
    --------
    >>> accuracies(np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([[1.0, 1.0, 2.0]]))
    array([0.5])
    """
    return _divided(weights @ (truth == answers).astype(float), weights.sum(axis=1))


def r_squared(truth: AnyArray, answers: AnyArray, weights: FloatArray) -> FloatArray:
    """Share of the variance of numbers that is explained; NaN where they do not vary.

    Examples
    --------
    >>> r_squared(np.array([0.0, 2.0]), np.array([0.0, 1.0]), np.ones((1, 2)))
    array([0.5])
    """
    total = weights.sum(axis=1)
    means = _divided(weights @ truth, total)
    spread = (weights * (truth - means[:, None]) ** 2).sum(axis=1)
    return 1.0 - _divided(weights @ (truth - answers) ** 2, spread)


def rand_indices(truth: AnyArray, answers: AnyArray, weights: FloatArray) -> FloatArray:
    """Adjusted Rand index of two groupings; 1 where both make one group of everything.

    Examples
    --------
    >>> rand_indices(np.array([0, 0, 1, 1]), np.array([5, 5, 3, 3]), np.ones((1, 4)))
    array([1.])
    """
    first, second = (np.unique(each, return_inverse=True)[1] for each in (truth, answers))
    width = int(second.max(initial=0)) + 1
    counts = {
        "both": _counted(first * width + second, weights),
        "first": _counted(first, weights),
        "second": _counted(second, weights),
    }
    pairs = {name: (n * (n - 1)).sum(axis=1) / 2 for name, n in counts.items()}
    total = weights.sum(axis=1)
    chance = _divided(pairs["first"] * pairs["second"], total * (total - 1) / 2)
    best = (pairs["first"] + pairs["second"]) / 2
    alike = best == chance  # one group of everything, or every object a group of its own
    return np.where(alike, 1.0, _divided(pairs["both"] - chance, np.where(alike, 1, best - chance)))


def _counted(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Weight of each group, one row for each row of weights."""
    _, places = np.unique(codes, return_inverse=True)
    cells = (np.ones(len(places)), (np.arange(len(places)), places))
    return np.asarray(weights @ csr_array(cells))


def _divided(numbers: FloatArray, by: FloatArray) -> FloatArray:
    return np.divide(numbers, by, out=np.full(len(numbers), np.nan), where=by != 0)


MEASURES: Mapping[Kind, tuple[str, Measure]] = {
    "classes": ("accuracy", accuracies),
    "numbers": ("R²", r_squared),
    "groups": ("adjusted Rand index", rand_indices),
}


def resampled(n_objects: int, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """How often each object is drawn: once in the first row, by the bootstrap in the others."""
    shares = np.full(n_objects, 1.0 / n_objects)
    return np.vstack([np.ones(n_objects), rng.multinomial(n_objects, shares, size=n_resamples)])


def interval(values: FloatArray) -> tuple[float | None, float | None]:
    """Percentiles of resampled values between which the level lies; None if there are none."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None, None
    low, high = np.quantile(finite, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def permuted_scores(shuffles: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Mean over permutations (rows), which are themselves resampled in all columns but the first.

    So the interval holds both what the objects and what the permutations leave to chance.
    """
    n_repeats, width = shuffles.shape
    drawn = rng.integers(n_repeats, size=(n_repeats, width - 1))
    return np.append(shuffles[:, 0].mean(), shuffles[drawn, np.arange(1, width)].mean(axis=0))


# -- what each view says of an object --------------------------------------------------------------


def margins(scores: FloatArray, codes: IntArray) -> FloatArray:
    """By how much scores prefer the class that was decided for to the best of the others.

    Examples
    --------
    >>> margins(np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]]), np.array([0, 1]))
    array([ 0.5, -0.2])
    >>> margins(np.array([2.0, 2.0]), np.array([1, 0]))  # two classes in one number
    array([ 2., -2.])
    """
    if scores.ndim == 1:
        return np.where(codes == 1, scores, -scores)
    rows = np.arange(len(scores))
    others = scores.copy()
    others[rows, codes] = -np.inf
    return scores[rows, codes] - others.max(axis=1)


def leading_views(scores: FloatArray, observed: BoolArray, names: tuple[str, ...]) -> AnyArray:
    """The view that speaks most for each answer; None if none does, or several as much.

    The only view that an object shows carried its decision whatever it says.
    """
    known = np.where(np.isfinite(scores), scores, -np.inf)
    best, top = known.argmax(axis=1), known.max(axis=1)
    near = known >= (top - TIE * np.abs(top))[:, None]
    single = (top > 0) & np.isfinite(top) & (near.sum(axis=1) == 1)
    only = observed.sum(axis=1) == 1
    winner = np.where(only, observed.argmax(axis=1), np.where(single, best, -1))
    return np.array([*names, None], dtype=object)[winner]


def own_scores(model: Any, views: Views) -> dict[str, FloatArray] | None:
    """Scores by view that a model has of its own; None if it has none, or of more than views."""
    last = last_step(model)
    for method in OWN_SCORES:
        if hasattr(last, method):
            seen = views if last is model else model[:-1].transform(views)
            found: dict[str, FloatArray] = getattr(last, method)(seen)
            return found if set(found) == set(views.names) else None
    return None


def scores_by_view(inquiry: Inquiry, answers: AnyArray, kind: Kind) -> tuple[FloatArray, str]:
    """Objects × views: how much each view speaks for the answer; and how that was found."""
    if kind == "classes":
        own = [own_scores(part.model, inquiry.views[part.rows[:1]]) for part in inquiry.parts]
        if all(scores is not None for scores in own):
            return _own_margins(inquiry, answers)
    if inquiry.dropping == "none":
        return np.full((len(answers), inquiry.views.n_views), np.nan), "the only view"
    model = inquiry.parts[0].model
    if kind == "numbers":
        return _by_dropping(inquiry, answers, "predict", "numbers"), (
            "the view that moves the prediction most when it is dropped"
        )
    for method, what in (("predict_proba", "probability"), ("decision_function", "margin")):
        if hasattr(model, method):
            said = f"the view without which the {what} of the answer falls most"
            return _by_dropping(inquiry, answers, method, kind), said
    said = "the one view without which the answer is another"
    return _by_dropping(inquiry, answers, "predict", kind), said


def _own_margins(inquiry: Inquiry, answers: AnyArray) -> tuple[FloatArray, str]:
    """Margins by the method's own scores of each view, times the weight that the view has."""
    blocks, start = [], 0
    for part in inquiry.parts:
        codes = _codes(part.model, answers[start : start + len(part.rows)])
        start += len(part.rows)
        found = own_scores(part.model, inquiry.views[part.rows]) or {}
        weights = getattr(last_step(part.model), "view_weights_", None)
        weights = weights if isinstance(weights, Mapping) else {}
        own = [
            weights.get(name, 1.0) * margins(np.asarray(found[name]), codes)
            for name in inquiry.views.names
        ]
        blocks.append(np.column_stack(own))
    method = next(m for m in OWN_SCORES if hasattr(last_step(inquiry.parts[0].model), m))
    return np.vstack(blocks), f"the view of the largest margin by {method}, times its weight"


def _codes(model: Any, answers: AnyArray) -> IntArray:
    place = {label: code for code, label in enumerate(model.classes_.tolist())}
    return np.array([place[label] for label in answers.tolist()], dtype=np.intp)


def _by_dropping(inquiry: Inquiry, answers: AnyArray, method: str, kind: Kind) -> FloatArray:
    """How far the score of the answer falls without each view, on the objects that have another."""
    views, rows = inquiry.views, inquiry.rows
    found = np.full((len(rows), views.n_views), np.nan)
    for place, name in enumerate(views.names):
        chosen = comparable(views, name)
        here = chosen[rows]
        if here.any():
            before = inquiry.with_all(method, chosen)
            after = inquiry.without(name, method, chosen)
            found[here, place] = _fall(inquiry, answers[here], before, after, method, kind)
    return found


def _fall(
    inquiry: Inquiry,
    answers: AnyArray,
    before: AnyArray,
    after: AnyArray,
    method: str,
    kind: Kind,
) -> FloatArray:
    if method == "predict":
        return np.abs(before - after) if kind == "numbers" else (before != after).astype(float)
    model = inquiry.parts[0].model
    codes = _codes(model, answers) if kind == "classes" else before.argmax(axis=1)
    if method == "predict_proba":
        rows = np.arange(len(codes))
        return before[rows, codes] - after[rows, codes]
    return margins(before, codes) - margins(after, codes)


# -- the scores ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Draws:
    """How often chance is asked, and its source."""

    n_repeats: int
    n_resamples: int
    rng: np.random.Generator


def by_predictions(
    inquiry: Inquiry, name: str, answers: AnyArray, truth: Truth, measure: Measure, draws: Draws
) -> ViewContribution:
    """Scores of answers with, without and with a permuted view; ``answers`` are of all objects."""
    views, rows, rng = inquiry.views, inquiry.rows, draws.rng
    chosen = comparable(views, name)
    known = (chosen & truth.known)[rows]
    seen = views.observed_in(name)[rows]
    alone = int((seen & ~chosen[rows]).sum())
    start = ViewContribution(name, int(known.sum()), alone)
    if not known.any():
        return replace(start, note=_unmeasured(seen))
    here = truth.known[rows[chosen[rows]]]  # among the chosen objects
    weights = resampled(int(known.sum()), draws.n_resamples, rng)

    def scores(found: AnyArray) -> FloatArray:
        return measure(truth.values[rows[known]], truth.read(found), weights)

    full = scores(answers[known])
    shuffles = [
        scores(inquiry.permuted(name, "predict", chosen, rng)[here]) for _ in range(draws.n_repeats)
    ]
    mixed = permuted_scores(np.array(shuffles), rng)
    found = _described(start, full, mixed, "permuted", "loss")
    if inquiry.dropping == "none":
        return replace(found, note="nothing is left without the only view")
    return _described(
        found, full, scores(inquiry.without(name, "predict", chosen)[here]), "without", "drop"
    )


def _unmeasured(seen: BoolArray) -> str:
    if not seen.any():
        return "no object asked about shows it"
    return "no labelled object shows it together with another view"


def _described(
    found: ViewContribution, full: FloatArray, other: FloatArray, score: str, difference: str
) -> ViewContribution:
    """Write down a score, and its difference to that of all views with the interval."""
    apart = full - other
    low, high = interval(apart[1:])
    values: dict[str, Any] = {
        "score": _finite(full[0]),
        score: _finite(other[0]),
        difference: _finite(apart[0]),
        f"{difference}_low": low,
        f"{difference}_high": high,
    }
    return replace(found, **values)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def by_score(inquiry: Inquiry, name: str, draws: Draws) -> ViewContribution:
    """The same for a method that has a score of objects and no answers, which is asked anew."""
    chosen = comparable(inquiry.views, name)
    rng, start = draws.rng, ViewContribution(name, int(chosen[inquiry.rows].sum()), 0)
    if not start.n_objects:
        return replace(start, note="no object asked about shows it together with another view")
    n_resamples = min(draws.n_resamples, SCORE_RESAMPLES)
    drawn = _drawn_rows(inquiry, chosen, n_resamples, rng)
    full = _score_each(inquiry, drawn, lambda _, views: views)
    mixed = _score_each(inquiry, drawn, lambda _, views: permuted(views, name, rng))
    mixed[0] = np.mean(
        [
            _score_each(inquiry, drawn[:1], lambda _, views: permuted(views, name, rng))[0]
            for _ in range(draws.n_repeats)
        ]
    )
    found = _described(start, full, mixed, "permuted", "loss")
    if inquiry.dropping == "none":
        return replace(found, note="there is no score without it")
    dropped = _score_each(inquiry, drawn, lambda part, v: inquiry.changed(part, v, name))
    return _described(found, full, dropped, "without", "drop")


def _drawn_rows(
    inquiry: Inquiry, chosen: BoolArray, n_resamples: int, rng: np.random.Generator
) -> list[list[IntArray]]:
    """Rows of each part: all of them first, then as the bootstrap draws them."""
    own = [part.rows[chosen[part.rows]] for part in inquiry.parts]
    return [own, *([rng.choice(rows, len(rows)) for rows in own] for _ in range(n_resamples))]


def _score_each(
    inquiry: Inquiry, drawn: list[list[IntArray]], change: Callable[[Part, Views], Views]
) -> FloatArray:
    """Mean score over the parts for each draw of objects."""
    views, parts = inquiry.views, inquiry.parts
    return np.array(
        [
            np.mean(
                [
                    part.model.score(change(part, views[own]))
                    for part, own in zip(parts, rows, strict=True)
                    if len(own)
                ]
            )
            for rows in drawn
        ]
    )


# -- the whole -------------------------------------------------------------------------------------


def view_contributions(
    model: Any,
    views: ViewsLike,
    y: Any = None,
    *,
    drop: Literal["auto", "unobserved", "refit", "replace"] = "auto",
    n_repeats: int = N_REPEATS,
    n_resamples: int = N_RESAMPLES,
    max_fits: int = MAX_FITS,
    max_objects: int = MAX_OBJECTS,
    random_state: RandomState = 0,
) -> ViewContributions:
    r"""Tell what each view adds to the answers of a model, and which view carried each decision.

    Take it for any method of this library, or a pipeline that takes views, to see what would be
    lost without a view and how far the model relies on it; take :func:`manyviews.diagnose` for
    what the views are worth before there is a model.

    Parameters
    ----------
    model : estimator
        A fitted model is asked about the given objects. One that is not fitted is cross-validated
        over at most five folds, unlabelled objects staying in every fit; a clusterer, which learns
        no labels, is fitted once to all objects. The result says which.
    views : views in any accepted form
        May have unobserved views. See :class:`manyviews.Views`.
    y : array-like, optional
        Labels, with -1, None or NaN for unlabelled objects, or numbers for a regressor; matched by
        id where both have ids. Without, a fitted model or a clusterer is held to its own answers
        with all views: the scores then tell what the answers hang on, not whether they are right.
    drop : {"auto", "unobserved", "refit", "replace"}
        How a view is dropped: marked unobserved in the objects asked about; left out of a new fit
        of a model that is not fitted; or replaced by its mean. "auto" takes the first that the
        model allows: unobserved, else refit where it is not fitted and ``max_fits`` allows, else
        replace.
    n_repeats : int
        Permutations of each view.
    n_resamples : int
        Bootstrap resamples of the objects for the intervals.
    max_fits : int
        Fits at most.
    max_objects : int
        Of more objects than this a random subset is asked about, labelled ones first.
    random_state : int, generator or None
        Draws folds, permutations, resamples and subsets, and seeds models that are not.

    Returns
    -------
    ViewContributions
        Scores per view with 95 % intervals, and findings in words; for each object the answer and
        the view that carried it. A method that has a score and no ``predict`` (``CCA``) gets the
        scores only.

    Examples
    --------
    >>> from manyviews.datasets import make_correlated_views
    >>> from manyviews.explain import view_contributions
    >>> from manyviews.semi_supervised import CoEMClassifier
    >>> views, y = make_correlated_views(rho=0.0, n_objects=200, random_state=0)
    >>> found = view_contributions(CoEMClassifier(), views, y)
    >>> found.evaluated
    '200 objects held out in 5-fold cross-validation'
    >>> [view.drop > 0.02 for view in found.per_view]
    [True, True]

    Notes
    -----
    **Scores**
        Accuracy of classifiers, R² of regressors, adjusted Rand index of clusterers. Each
        difference is of the same objects, those that show the view and another one, resampled
        together: what an interval leaves out is that another training set gives another model.

    **Permuted**
        Objects get the view of another object of the same fold. ``loss`` tells how far the model
        relies on the view, and is misleading where views depend on each other: permuted objects
        are such as never occur. ``drop`` tells what would be lost. A view that others make up for
        has a large loss and no drop.

    **Carried**
        Classifiers with scores of their own for each view declare them by one of the methods
        ``view_probabilities``, ``view_decisions`` or ``view_confidences``. The view of the largest
        margin between the predicted class and the best other one, times the view's weight, carried
        the decision. Of other models it is the view without which the probability of the predicted
        class, else its margin in ``decision_function``, falls most; of regressors the one that
        moves the prediction most. Where no view has a positive score, or two have the same, no
        single view carried it.

    **Complexity**
        At most ``max_fits`` fits. Each object is predicted ``2 + n_repeats`` times for each view.
    """
    check_argument("drop", drop, Literal["auto", "unobserved", "refit", "replace"])
    check_argument("n_repeats", n_repeats, Annotated[int, Interval(1, 1000)])
    check_argument("n_resamples", n_resamples, Annotated[int, Interval(20, 100_000)])
    check_argument("max_fits", max_fits, Count)
    check_argument("max_objects", max_objects, Annotated[int, Interval(2)])
    check_argument("random_state", random_state, RandomState)
    kind = kind_of(model)
    objects = read_objects(views, model)
    truth = None if kind == "score" else read_truth(y, objects, kind)
    draws = Draws(n_repeats, n_resamples, generator(random_state))
    inquiry, said = make_inquiry(
        model, objects, truth, kind, drop, (max_fits, max_objects), draws.rng
    )
    facts = {"method": type(last_step(model)).__name__, "n_objects": len(objects), **said}
    found = (
        _scored(inquiry, draws, facts)
        if kind == "score"
        else _answered(inquiry, truth, kind, draws, facts)
    )
    return with_findings(found)


def _answered(
    inquiry: Inquiry, truth: Truth | None, kind: Kind, draws: Draws, facts: dict[str, Any]
) -> ViewContributions:
    """Contributions of views to answers for single objects."""
    views, rows = inquiry.views, inquiry.rows
    answers = inquiry.with_all("predict", np.ones(len(views), dtype=bool))
    if answers.ndim > 1:
        raise ValueError(
            f"{facts['method']} gives several answers for each object; measure one at a time, in "
            "a model of its own."
        )
    title, measure = MEASURES[kind]
    _refuse_strangers(inquiry, truth, kind)
    against = truth or own_truth(answers, rows, len(views), kind)
    known = against.known[rows]
    if not known.any():
        raise ValueError("no object asked about has a label; leave y out, or label some.")
    per_view = [
        by_predictions(inquiry, name, answers, against, measure, draws) for name in views.names
    ]
    scores, how = scores_by_view(inquiry, answers, kind)
    carried = leading_views(scores, views.observed[rows], views.names)
    weights = resampled(int(known.sum()), draws.n_resamples, draws.rng)
    whole = measure(against.values[rows[known]], against.read(answers[known]), weights)
    order = np.argsort(rows)
    return ViewContributions(
        per_view=tuple(
            replace(view, carried=float(np.mean([name == view.name for name in carried])))
            for view in per_view
        ),
        measure=title,
        truth="labels" if truth is not None else "own answers",
        n_measured=len(rows),
        decided_by=how,
        **_overall(whole),
        rows=rows[order],
        sample_ids=None if views.sample_ids is None else views.sample_ids[rows[order]],
        answers=answers[order],
        view_scores=scores[order],
        carried=carried[order],
        **facts,
    )


def _refuse_strangers(inquiry: Inquiry, truth: Truth | None, kind: Kind) -> None:
    """Refuse labels none of which the model knows: they are spelt in another way."""
    if truth is None or truth.classes is None or kind != "classes":
        return
    model = inquiry.parts[0].model
    known = model.classes_.tolist()
    if not set(known) & set(truth.classes.tolist()):
        raise ValueError(
            f"none of the labels in y, such as {truth.classes.tolist()[0]!r}, is a class of "
            f"{type(last_step(model)).__name__}, such as {known[0]!r}; give the labels as in fit."
        )


def _overall(scores: FloatArray) -> dict[str, Any]:
    low, high = interval(scores[1:])
    return {"score": _finite(scores[0]), "score_low": low, "score_high": high}


def _scored(inquiry: Inquiry, draws: Draws, facts: dict[str, Any]) -> ViewContributions:
    """Contributions of views to a score of all objects together."""
    everything = np.ones(len(inquiry.views), dtype=bool)
    n_resamples = min(draws.n_resamples, SCORE_RESAMPLES)
    drawn = _drawn_rows(inquiry, everything, n_resamples, draws.rng)
    return ViewContributions(
        per_view=tuple(by_score(inquiry, name, draws) for name in inquiry.views.names),
        measure="score",
        truth="own answers",
        n_measured=len(inquiry.rows),
        decided_by="",
        **_overall(_score_each(inquiry, drawn, lambda _, views: views)),
        rows=inquiry.rows,
        **facts,
    )
