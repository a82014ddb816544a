"""Would choosing pay: learning curves of a criterion beside random choice, on known labels.

From the top: what is known at the start and after actions; which actions there are and which are
chosen; one run; all runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Annotated, Any, Literal

import numpy as np
from sklearn.base import clone

from manyviews.acquire.campaign import Campaign, Choosing, read_campaign
from manyviews.acquire.criteria import (
    CRITERIA,
    Scores,
    last_step,
    name_of,
    order_by_score,
    score_objects,
)
from manyviews.acquire.learning_curves import RANDOM, LearningCurve, LearningCurves, Taken
from manyviews.acquire.plan import plan
from manyviews.acquire.plan_report import Kind
from manyviews.acquire.simulation_state import Question, State, Step, Store, described, facts_of
from manyviews.base import BaseMultiView, check_argument, seeded
from manyviews.data import Views
from manyviews.exceptions import ParameterError
from manyviews.typing import (
    AnyArray,
    BoolArray,
    Count,
    FloatArray,
    Having,
    IntArray,
    Interval,
    Verbosity,
    ViewsLike,
)

__all__ = ["simulate"]

FIT, CHOOSE = 0, 1
"""What a generator is for: the draws of a fit do not depend on how a choice was made."""
INFORMATION = "information_gain"
"""The criterion that compares labels with views, of a model that ``plan`` takes."""
ROUNDING = 1e-9
"""By so much of the budget its last action may be above what is left: sums of tenths are inexact,
and no price list is so fine."""
Jobs = Annotated[int, Interval(1, 1000)] | Annotated[int, Interval(-1000, -1)] | None
Inside = Annotated[float, Interval(0, 1, above=True, below=True)]

# -- what is known ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """What has been found out: labels and views of the objects that are learnt from."""

    labelled: BoolArray
    observed: BoolArray

    def after(self, actions: Sequence[Question]) -> Known:
        """The same once some actions were taken."""
        labelled, observed = self.labelled.copy(), self.observed.copy()
        for action in actions:
            if action.view is None:
                labelled[action.row] = True
            else:
                observed[action.row, action.view] = True
        return Known(labelled, observed)


@dataclass(frozen=True)
class Start:
    """Which objects are learnt from, which are scored, and what is known at first."""

    pool: IntArray
    scored: IntArray
    known: Known


def draw_start(campaign: Campaign, seed: int) -> Start:
    """Hold objects out, label a few of each class, hide views: the same for every criterion."""
    rng = np.random.default_rng([seed])
    observed = hide(campaign.views.observed, campaign.hidden, rng)
    codes = campaign.labels.codes
    held_out, labelled = np.zeros((2, len(codes)), dtype=bool)
    for code in range(len(campaign.labels.classes)):
        rows = rng.permutation(np.flatnonzero(codes == code))
        n_test = 0
        if campaign.evaluation == "inductive":
            n_test = min(round(campaign.test_size * len(rows)), max(len(rows) - campaign.start, 0))
        held_out[rows[:n_test]] = True
        labelled[rows[n_test : n_test + campaign.start]] = True
    scored = held_out if campaign.evaluation == "inductive" else (codes >= 0) & ~labelled
    if not scored.any():
        raise ValueError(
            f"no labelled object is left to score beside {campaign.start} of each class at the "
            "start; give more labels, or lower start."
        )
    return Start(np.flatnonzero(~held_out), np.flatnonzero(scored), Known(labelled, observed))


def hide(observed: BoolArray, hidden: float | BoolArray, rng: np.random.Generator) -> BoolArray:
    """Which views are shown at first: a share hidden at random, of each object all but one at most.

    Examples
    --------
    >>> hide(np.ones((3, 2), dtype=bool), 1.0, np.random.default_rng(0)).sum(axis=1)
    array([1, 1, 1])
    """
    if isinstance(hidden, np.ndarray):
        return observed & ~hidden
    lots = np.where(observed, rng.random(observed.shape), -1.0)
    kept = lots.argmax(axis=1)  # a random one of those observed
    shown = observed & (rng.random(observed.shape) >= hidden)
    shown[np.arange(len(shown)), kept] = True
    return shown


# -- which actions there are, and which are chosen -------------------------------------------------


def open_questions(campaign: Campaign, start: Start, known: Known) -> list[Question]:
    """Everything that is not known yet, can be found out and has a cost; labels first."""
    found, costs, pool = [], campaign.costs, start.pool
    if "label" in campaign.kinds:
        asked = ~known.labelled & (campaign.labels.codes >= 0) & known.observed.any(axis=1)
        rows = pool[(asked & ~np.isnan(costs[:, 0]))[pool]]
        found += [Question(int(i), None, float(costs[i, 0])) for i in rows]
    if "view" in campaign.kinds:
        absent = campaign.views.observed & ~known.observed & ~np.isnan(costs[:, 1:])
        rows, places = np.nonzero(absent[pool])
        cells = zip(pool[rows].tolist(), places.tolist(), strict=True)
        found += [Question(i, v, float(costs[i, 1 + v])) for i, v in cells]
    return found


def choose(
    campaign: Campaign,
    start: Start,
    known: Known,
    model: Any,
    criterion: Choosing,
    left: float,
    rng: np.random.Generator,
) -> list[Question]:
    """The next batch: the best by a criterion, one by one, as far as the money goes."""
    left += ROUNDING * campaign.budget
    actions = [action for action in open_questions(campaign, start, known) if action.cost <= left]
    chosen: list[Question] = []
    if not actions:
        return chosen
    for action in in_order(campaign, start, known, model, criterion, actions, rng):
        if action.cost <= left and len(chosen) < campaign.batch:
            chosen.append(action)
            left -= action.cost
    return chosen


def in_order(
    campaign: Campaign,
    start: Start,
    known: Known,
    model: Any,
    criterion: Choosing,
    actions: list[Question],
    rng: np.random.Generator,
) -> list[Question]:
    """Actions from the best on; in random order if that is asked for."""
    if criterion == RANDOM:
        return [actions[place] for place in rng.permutation(len(actions))]
    if criterion == INFORMATION:
        return by_information(campaign, start, known, model, actions)
    scored = [action for action in actions if action.view is None]
    rows = np.array([action.row for action in scored], dtype=np.intp)
    scores = score_objects(model, shown(campaign, known, rows), criterion)
    worth = per_cost(scores, np.array([action.cost for action in scored]))
    return [scored[place] for place in order_by_score(worth, rng)]


def by_information(
    campaign: Campaign, start: Start, known: Known, model: Any, actions: list[Question]
) -> list[Question]:
    """A batch of labels and views as a plan has it, each gain given those before it."""
    pool, names = start.pool, campaign.views.names
    by_place = {(action.row, action.view): action for action in actions}
    prices = np.full(campaign.costs.shape, np.nan)
    for action in actions:
        prices[action.row, 0 if action.view is None else 1 + action.view] = action.cost
    found = plan(
        model,
        shown(campaign, known, pool),
        spelt(np.where(known.labelled, campaign.labels.codes, -1)[pool], campaign.labels.classes),
        campaign.batch * float(np.nanmax(prices)),  # a whole batch, whatever it costs
        {
            "label": prices[pool, 0],
            "view": {name: prices[pool, 1 + place] for place, name in enumerate(names)},
        },
        campaign.kinds,
    )
    return [
        by_place[int(pool[each.row]), None if each.view is None else names.index(each.view)]
        for each in found
    ]


def per_cost(scores: FloatArray, costs: FloatArray) -> FloatArray:
    """Score for each unit of cost; what is worth something and free comes first.

    Examples
    --------
    >>> per_cost(np.array([1.0, 1.0, 0.5, 0.0]), np.array([1.0, 2.0, 0.0, 0.0]))
    array([1. , 0.5, inf, 0. ])
    """
    gains = scores - min(float(scores.min(initial=0.0)), 0.0)  # a function may give any numbers
    free = np.where(gains > 0, np.inf, 0.0)
    return np.divide(gains, costs, out=free, where=costs > 0)


# -- one run ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """One criterion from one start."""

    campaign: Campaign
    criterion: Choosing
    seed: int
    store: Store | None = None
    verbose: bool = False

    @property
    def name(self) -> str:
        """Name of the criterion."""
        return self.criterion if isinstance(self.criterion, str) else name_of(self.criterion)


def run(job: Run) -> LearningCurve:
    """Fit, score, choose, take, and again, until the money or the questions run out."""
    campaign, start = job.campaign, draw_start(job.campaign, job.seed)
    state = begun(job)
    known, model = start.known.after([a for step in state.steps for a in step.actions]), None
    if not state.steps:
        model, state = take(job, start, known, state, ())
    while not state.done:
        number = len(state.steps) - 1
        if model is None:
            model = fitted(job, start, known, number)
        left = campaign.budget - state.spent
        rng = np.random.default_rng([job.seed, number, CHOOSE])
        actions = choose(campaign, start, known, model, job.criterion, left, rng)
        if not actions:
            state = replace(state, done=True)
            keep(job, state)
            break
        known = known.after(actions)
        model, state = take(job, start, known, state, tuple(actions))
    return as_curve(job, start, state)


def take(
    job: Run, start: Start, known: Known, state: State, actions: tuple[Question, ...]
) -> tuple[Any, State]:
    """Fit to what is known after some actions, score, and write both down."""
    number = len(state.steps)
    model = fitted(job, start, known, number)
    state = State((*state.steps, Step(actions, scored(job, start, known, model, number))))
    keep(job, state)
    if job.verbose:
        print(
            f"simulate: {job.name}, seed {job.seed}, step {number}: cost {state.spent:g} of "
            f"{job.campaign.budget:g}, score {state.steps[-1].score:.3f}",
            flush=True,
        )
    return model, state


def begun(job: Run) -> State:
    """How far the run is on disk, if that was asked for."""
    if job.store is None:
        return State()
    return job.store.read(job.name, job.seed, described(job.criterion))


def keep(job: Run, state: State) -> None:
    """Write the state to disk, if that was asked for."""
    if job.store is not None:
        job.store.write(job.name, job.seed, described(job.criterion), state)


def fitted(job: Run, start: Start, known: Known, number: int) -> Any:
    """The model, fitted to what is known of the objects that are learnt from."""
    campaign, pool = job.campaign, start.pool
    codes = np.where(known.labelled, campaign.labels.codes, -1)[pool]
    rng = np.random.default_rng([job.seed, number, FIT])
    model = seeded(clone(campaign.model), rng)
    # a method of others knows no unlabelled objects
    learnt = np.ones(len(pool), dtype=bool)
    if not isinstance(last_step(model), BaseMultiView):
        learnt = codes >= 0
    y = spelt(codes[learnt], campaign.labels.classes)
    try:
        return model.fit(shown(campaign, known, pool[learnt]), y)
    except Exception as error:
        raise RuntimeError(_failed(job, number, "fitted", known, error)) from error


def scored(job: Run, start: Start, known: Known, model: Any, number: int) -> float:
    """The score on held-out objects, or on those of the pool that had no label at the start."""
    campaign = job.campaign
    y = campaign.labels.classes[campaign.labels.codes[start.scored]]
    views = shown(campaign, known, start.scored)
    try:
        return float(scorer_of(campaign.scoring)(model, views, y))
    except Exception as error:
        raise RuntimeError(_failed(job, number, "scored", known, error)) from error


def _failed(job: Run, number: int, what: str, known: Known, error: Exception) -> str:
    happened = str(error).rstrip(". \n")
    return (
        f"{job.campaign.name} could not be {what} at step {number} of {job.name} with seed "
        f"{job.seed}, from {int(known.labelled.sum())} labels ({type(error).__name__}: {happened})."
    )


def shown(campaign: Campaign, known: Known, rows: IntArray) -> Views:
    """Objects with the views that are known of them."""
    chosen: Views = campaign.views[rows]
    if (known.observed[rows] == chosen.observed).all():
        return chosen
    return chosen.with_observed(known.observed[rows])


def spelt(codes: IntArray, classes: AnyArray) -> AnyArray:
    """Labels as ``fit`` takes them: integers with -1, other classes with None."""
    if classes.dtype.kind in "iu":
        return np.where(codes >= 0, classes[codes], -1)
    labels = classes[codes].astype(object)
    labels[codes < 0] = None
    return labels if (codes < 0).any() else classes[codes]


def as_curve(job: Run, start: Start, state: State) -> LearningCurve:
    """A run in numbers, with rows and views named as the user knows them."""
    n_actions = [
        [sum(action.view is None for action in step.actions), len(step.actions)]
        for step in state.steps
    ]
    n_labels, n_all = np.cumsum(n_actions, axis=0).T
    names = job.campaign.views.names
    return LearningCurve(
        job.name,
        job.seed,
        np.cumsum([sum(action.cost for action in step.actions) for step in state.steps]),
        n_labels + int(start.known.labelled.sum()),
        n_all - n_labels,
        np.array([step.score for step in state.steps]),
        tuple(
            Taken(
                number,
                "label" if action.view is None else "view",
                int(job.campaign.rows[action.row]),
                None if action.view is None else names[action.view],
                action.cost,
            )
            for number, step in enumerate(state.steps)
            for action in step.actions
        ),
    )


# -- all runs --------------------------------------------------------------------------------------


def simulate(
    model: Any,
    views: ViewsLike,
    y: Any,
    criterion: Choosing | Sequence[Choosing] = "entropy",
    budget: float = 50.0,
    batch: int = 1,
    seeds: int | Sequence[int] = 10,
    *,
    costs: Any = None,
    kinds: Sequence[Kind] = ("label",),
    start: int = 2,
    hidden: Any = 0.0,
    evaluation: Literal["inductive", "transductive"] = "inductive",
    test_size: float = 0.3,
    scoring: Any = "accuracy",
    path: str | PathLike[str] | None = None,
    n_jobs: int | None = None,
    verbose: bool | int = False,
) -> LearningCurves:
    """Try on labels that you have whether choosing what to label next beats labelling at random.

    Each run hides most labels, fits the model to the rest, lets the criterion choose what to ask,
    reveals that, and so on until the budget is spent. Random choice is always run beside it, from
    the same starts, on the same objects. Take it before a campaign, on labelled data of the same
    kind; take :func:`manyviews.acquire.rank` in the campaign.

    Parameters
    ----------
    model : classifier
        Any of this library, or a pipeline that takes views; it is fitted anew after each batch.
    views : views in any accepted form
        See :class:`manyviews.Views`. Objects that no view shows are left out.
    y : array-like
        Labels. Objects without one are learnt from as unlabelled ones, and never asked about.
    criterion : str, callable, or list of them
        As in :func:`manyviews.acquire.rank`; or ``"information_gain"``, which is
        :func:`manyviews.acquire.plan` and compares labels with views, of a
        :class:`BayesianCoTraining`. ``"random"`` is always run, too.
    budget : float
        What may be spent beyond the start; ``inf`` goes on until nothing is left to ask.
    batch : int
        Actions between two fits.
    seeds : int or sequence of int
        How many starts, or which.
    costs : number, dict or DataFrame, optional
        As in :func:`manyviews.acquire.plan`: of a ``"label"``, and of a ``"view"`` or each by its
        name, a number, or one for each object, NaN for what cannot be had. 1 each by default.
        Criteria choose by their score per cost.
    kinds : sequence of {"label", "view"}
        What may be asked for.
    start : int
        Labelled objects of each class at the start, drawn by the seed.
    hidden : float or array of bool of shape (n_objects, n_views)
        Share of the views that are hidden at the start, drawn by the seed, though never all of an
        object; or which. Hidden views can be measured if ``kinds`` has ``"view"``.
    evaluation : {"inductive", "transductive"}
        Whether scores are of objects held out from everything, or of all objects of the pool that
        had no label at the start, whether they were asked about since or not. The first tells how
        good the model is on new objects, the second how well these ones get sorted out.
    test_size : float
        Share of the objects of each class that is held out.
    scoring : str or callable
        A name of scikit-learn's, or a function of model, views and labels; more is better.
    path : path, optional
        A folder for the state, written after each step. Call again with the same arguments to go
        on where a run was stopped or killed; with more seeds or other criteria, to add these.
    n_jobs : int, optional
        Runs at the same time, as in scikit-learn.
    verbose : bool
        Whether to print each step.

    Returns
    -------
    LearningCurves
        All runs, with bands, the area between the curves, costs saved, and a sentence.

    Examples
    --------
    >>> from manyviews.acquire import simulate
    >>> from manyviews.datasets import make_correlated_views
    >>> from manyviews.semi_supervised import CoRLS
    >>> views, y = make_correlated_views(rho=0.0, n_objects=60, random_state=0)
    >>> curves = simulate(CoRLS(), views, y, "margin", budget=6, batch=2, seeds=2)
    >>> curves.criteria, curves.seeds
    (('margin', 'random'), (0, 1))
    >>> curves.curves[0].n_labels
    array([ 4,  6,  8, 10])

    Notes
    -----
    **Same chances**
        A seed draws held-out objects, labels and hidden views for all criteria; the random states
        of a model that has none follow from the seed and the number of the step.

    **Batches**
        A batch is the best few by one fitted model, as far as the budget goes: what is too dear is
        passed over. The standard criteria may ask nearly the same thing twice in a batch.

    **Views**
        Only random choice and the information gain measure views; all other criteria ask for
        labels.

    **Complexity**
        One fit and one prediction of the pool for each step of each run.
    """
    check_argument("budget", budget, Annotated[float, Interval(0, infinite=True)])
    check_argument("batch", batch, Count)
    check_argument("start", start, Count)
    check_argument("evaluation", evaluation, Literal["inductive", "transductive"])
    check_argument("test_size", test_size, Inside)
    check_argument("n_jobs", n_jobs, Jobs)
    check_argument("verbose", verbose, Verbosity)
    campaign = read_campaign(
        model,
        views,
        y,
        costs,
        kinds,
        hidden,
        budget=float(budget),
        batch=batch,
        start=start,
        evaluation=evaluation,
        test_size=float(test_size),
        scoring=scoring,
    )
    wanted, chosen = read_criteria(criterion), read_seeds(seeds)
    scorer_of(scoring)  # refused before the first fit
    refuse_pointless(campaign, chosen)
    store = None if path is None else Store.opened(path, facts_of(campaign))
    jobs = [Run(campaign, each, seed, store, bool(verbose)) for each in wanted for seed in chosen]

    from joblib import Parallel, delayed

    curves: list[LearningCurve] = Parallel(n_jobs=n_jobs)(delayed(run)(job) for job in jobs)
    return LearningCurves(
        tuple(curves),
        method=campaign.name,
        measure=scoring if isinstance(scoring, str) else name_of(scoring),
        evaluation=_evaluated(campaign, chosen[0]),
        budget=campaign.budget,
        batch=batch,
        kinds=campaign.kinds,
        n_objects=len(campaign.views),
        n_start=int(curves[0].n_labels[0]),
    )


def read_criteria(criterion: Any) -> list[Choosing]:
    """Criteria in order, each once by its name, and random behind them."""
    given: list[Choosing] = list(criterion) if isinstance(criterion, list | tuple) else [criterion]
    for each in given:
        if isinstance(each, str) and each not in (INFORMATION, *CRITERIA):
            raise ParameterError(
                f"criterion={each!r} is not known; there are {INFORMATION}, "
                f"{', '.join(CRITERIA)}, or give a function of a model and views."
            )
        if not isinstance(each, str):
            check_argument("criterion", each, Scores)
    named = {each if isinstance(each, str) else name_of(each): each for each in given}
    if len(named) < len(given):
        raise ParameterError("criterion names one twice; give each once, and functions own names.")
    named.pop(RANDOM, None)
    return [*named.values(), RANDOM]


def scorer_of(scoring: Any) -> Any:
    """A function of model, views and labels; scikit-learn's where a name is given."""
    if not isinstance(scoring, str):
        check_argument("scoring", scoring, Annotated[Any, Having("a scorer", "__call__")])
        return scoring
    from sklearn.metrics import get_scorer, get_scorer_names

    if scoring not in get_scorer_names():
        raise ParameterError(
            f"scoring={scoring!r} is no name of scikit-learn's, such as 'balanced_accuracy'; "
            "sklearn.metrics.get_scorer_names() lists them."
        )
    return get_scorer(scoring)


def read_seeds(seeds: Any) -> list[int]:
    """Seeds as given, or the first so many."""
    if np.ndim(seeds) == 0:
        check_argument("seeds", seeds, Annotated[int, Interval(1, 10_000)])
        return list(range(seeds))
    found = list(seeds)
    for seed in found:
        check_argument("seeds", seed, Annotated[int, Interval(0)])
    if not found or len(set(found)) < len(found):
        raise ParameterError("seeds should be integers, at least one and each once.")
    return [int(seed) for seed in found]


def refuse_pointless(campaign: Campaign, seeds: Sequence[int]) -> None:
    """Refuse a start from which nothing can be asked."""
    start = draw_start(campaign, seeds[0])
    cheapest = min((a.cost for a in open_questions(campaign, start, start.known)), default=None)
    if cheapest is None:
        raise ValueError(
            "nothing is left to ask about at the start; lower start or test_size, hide views, or "
            "give more labels and costs."
        )
    if cheapest > campaign.budget:
        raise ValueError(
            f"budget={campaign.budget:g} is below the cheapest action, which costs {cheapest:g}; "
            "raise it."
        )


def _evaluated(campaign: Campaign, seed: int) -> str:
    n_scored = len(draw_start(campaign, seed).scored)
    if campaign.evaluation == "inductive":
        return f"{n_scored:,} objects held out"
    return f"the {n_scored:,} objects of the pool without a label at the start"
