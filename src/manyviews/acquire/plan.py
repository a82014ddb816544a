"""Which label to ask for and which view to measure next, within a budget [@krishnapuram2005].

From the top: the questions that can be asked, with their gains; which of them are chosen; and all
of it for a model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Annotated, Any, TypeAlias

import numpy as np
from sklearn.base import clone

from manyviews.acquire.information_gain import (
    ExpectedView,
    MeasuredView,
    expected_view_gains,
    expected_view_increment,
    label_gains,
    label_increment,
    measured_view_gains,
    measured_view_increment,
    updated,
)
from manyviews.acquire.plan_report import Action, Expectation, Kind, Plan, counted
from manyviews.acquire.posterior import Posterior
from manyviews.acquire.question_costs import object_name, read_costs
from manyviews.acquire.view_mixture import (
    ViewMixture,
    conditional_means,
    fit_view_mixture,
    graph_moments,
    label_moments,
    second_moments,
    shares,
)
from manyviews.base import check_argument
from manyviews.data import Views, check_views, codes_among, in_row_order, match_layout
from manyviews.similarity.neighbors import choose_search, nearest
from manyviews.typing import BoolArray, FloatArray, IntArray, Interval, ViewsLike

__all__ = ["plan"]

KINDS: tuple[Kind, ...] = ("label", "view")

LABEL = -1
"""Stands for the label where questions are numbered by their view."""
ROUNDING = 1e-9
"""Share of the budget by which costs may miss it: sums of decimal fractions do, three times 0.1
being more than 0.3."""
FEW_SHARED = 10
"""Objects that show a view and another one, below which a plan says how few tell what the view
would show. A judgement, as many as folds and neighbours are elsewhere."""
COPIED = 10_000
"""Objects whose rows are copied at a time. A judgement: 34 MB of 430 features."""

# -- the questions, and what they gain -------------------------------------------------------------

Target: TypeAlias = MeasuredView | ExpectedView


@dataclass(frozen=True)
class Questions:
    """All that can be asked, as numbered rows and views."""

    row: IntArray
    view: IntArray
    """``LABEL``, or the number of a view."""
    cost: FloatArray
    rows: tuple[FloatArray, ...]
    """Coordinates of all objects in each view; rows of zeros where unobserved."""
    targets: Mapping[int, Target]
    """What each view is expected to show, of the questions about it in their order."""
    place: IntArray
    """Which of these a question is."""

    def __len__(self) -> int:
        return len(self.row)

    def gains(self, posterior: Posterior, chosen: IntArray) -> FloatArray:
        """Nats of some questions."""
        found = np.zeros(len(chosen))
        for view in np.unique(self.view[chosen]):
            here = self.view[chosen] == view
            numbers = chosen[here]
            if view == LABEL:
                found[here] = self._label_gains(posterior, self.row[numbers])
                continue
            target = self.targets[int(view)].take(self.place[numbers])
            if isinstance(target, ExpectedView):
                found[here] = expected_view_gains(posterior, target)
            else:
                found[here] = measured_view_gains(posterior, target)
        return np.maximum(found, 0.0)  # rounding of what tells nothing

    def _label_gains(self, posterior: Posterior, objects: IntArray) -> FloatArray:
        """Nats of labels, whose rows are copied for some objects at a time."""
        starts = range(0, len(objects), COPIED)
        parts = [objects[start : start + COPIED] for start in starts]
        return np.concatenate([label_gains(posterior, [r[p] for r in self.rows]) for p in parts])

    def increment(self, posterior: Posterior, number: int) -> FloatArray:
        """What one question adds to the precision."""
        if self.view[number] == LABEL:
            return label_increment(posterior, [rows[self.row[number]] for rows in self.rows])
        target = self.targets[int(self.view[number])].take(self.place[number : number + 1])
        if isinstance(target, ExpectedView):
            return expected_view_increment(posterior, target)
        return measured_view_increment(posterior, target)


def find_questions(
    posterior: Posterior,
    rows: Sequence[FloatArray],
    observed: BoolArray,
    labelled: BoolArray,
    costs: FloatArray,
    expectation: Expectation,
) -> Questions:
    """List what is unknown and has a cost; the label of an object that shows no view tells nothing.

    Parameters
    ----------
    posterior : Posterior
    rows : sequence of arrays of shape (n_objects, n_weights of the view)
        The model's coordinates, zero where unobserved, with the intercept in the last column.
    observed : array of bool of shape (n_objects, n_views)
    labelled : array of bool of shape (n_objects,)
    costs : array of shape (n_objects, 1 + n_views)
    expectation : {"conditional-mean", "mixture"}
    """
    possible = ~np.isnan(costs) & ~np.column_stack([labelled, observed])
    possible[:, 0] &= observed.any(axis=1)
    possible[:, 1:] &= [part.shape[1] > 1 for part in rows]  # the model knows what it would show
    row, column = np.nonzero(possible)
    view = column - 1
    place = np.zeros(len(row), dtype=np.intp)
    targets: dict[int, Target] = {}
    views = [int(v) for v in np.unique(view) if v != LABEL]
    if views:
        features = [each[:, :-1] for each in rows]
        mixture = fit_view_mixture(features, observed)
        given = shares(mixture, features, observed)
    for v in views:
        asked = np.flatnonzero(view == v)
        place[asked] = np.arange(len(asked))
        make = _expected if expectation == "mixture" else _measured
        targets[v] = make(posterior, mixture, given, v, row[asked], rows, observed, labelled)
    return Questions(row, view, costs[possible], tuple(rows), targets, place)


def _measured(
    posterior: Posterior,
    mixture: ViewMixture,
    given: FloatArray,
    view: int,
    asked: IntArray,
    rows: Sequence[FloatArray],
    observed: BoolArray,
    labelled: BoolArray,
) -> MeasuredView:
    """The view as its conditional mean, with the neighbours that this would have."""
    means = conditional_means(mixture, view, given[asked])
    there = rows[view][observed[:, view]]
    n_neighbors = len(there) if posterior.n_neighbors is None else posterior.n_neighbors
    if not posterior.smoothness[view] > 0:
        n_neighbors = 0  # they would add nothing
    features = np.ascontiguousarray(there[:, :-1])
    found = nearest(features, means, n_neighbors, choose_search(features, n_neighbors, "auto"))
    return MeasuredView(
        view=view,
        means=np.column_stack([means, np.ones(len(means))]),
        rows=tuple(each[asked] for each in rows),
        observed=observed[asked],
        neighbours=there,
        nearest=found.indices,
        kernels=np.exp(-(found.distances**2) / (2 * posterior.widths[view] ** 2)),  # Eq. (19)
        labelled=labelled[asked],
    )


def _expected(
    posterior: Posterior,
    mixture: ViewMixture,
    given: FloatArray,
    view: int,
    asked: IntArray,
    rows: Sequence[FloatArray],
    observed: BoolArray,
    labelled: BoolArray,
) -> ExpectedView:
    """The view as the mixture expects it, near all objects that show it."""
    means = conditional_means(mixture, view, given[asked])
    there = rows[view][observed[:, view]][:, :-1]
    weights = posterior.mean[:, posterior.slices[view]]
    return ExpectedView(
        view=view,
        shares=given[asked],
        means=np.column_stack([means, np.ones(len(means))]),
        seconds=second_moments(mixture, view),
        graphs=graph_moments(mixture, view, there, posterior.widths[view]),
        labels=label_moments(mixture, view, weights),
        rows=tuple(each[asked] for each in rows),
        observed=observed[asked],
        labelled=labelled[asked],
    )


# -- the choice ------------------------------------------------------------------------------------

BATCH = 16
"""Questions whose gain is found anew at a time; twice as many when these did not settle it, and so
on, since each pass through Python costs as much as some ten of them."""


@dataclass(frozen=True)
class Choice:
    """Questions in the order in which they are asked, with what each adds."""

    numbers: tuple[int, ...]
    gains: tuple[float, ...]

    @property
    def total(self) -> float:
        return float(sum(self.gains))


def choose(
    questions: Questions, posterior: Posterior, budget: float, *, diverse: bool
) -> tuple[Choice, bool]:
    """Choose by gain per cost, and tell whether one expensive question had to go first.

    Gains per cost alone may fill the budget with trifles beside a question that is worth more than
    all of them. Where one gains more by itself than what was chosen, it goes first, and the rest
    of the budget is spent as before.
    """
    gains = questions.gains(posterior, np.arange(len(questions)))
    useful = (gains > 0) & (questions.cost <= budget * (1 + ROUNDING))
    if not useful.any():
        return Choice((), ()), False
    greedy = _lazy_greedy if diverse else _ranked
    found = greedy(questions, posterior, gains, useful, budget, None)
    single = int(np.argmax(np.where(useful, gains, -1.0)))
    if gains[single] <= found.total * (1 + ROUNDING):
        return found, False
    return greedy(questions, posterior, gains, useful, budget, single), True


def _priorities(gains: FloatArray, costs: FloatArray) -> tuple[FloatArray, FloatArray]:
    """What questions are sorted by: free ones first, by their gain; the others by gain per cost."""
    paid = costs > 0
    return paid.astype(float), -np.divide(gains, costs, out=gains.copy(), where=paid)


def _ranked(
    questions: Questions,
    posterior: Posterior,  # noqa: ARG001 (the signature of a way to choose)
    gains: FloatArray,
    useful: BoolArray,
    budget: float,
    first: int | None,
) -> Choice:
    """Take questions by gain per cost, each for itself, passing over what is too expensive."""
    paid, priority = _priorities(gains, questions.cost)
    order = np.lexsort((priority, paid)).tolist()
    if first is not None:
        order.remove(first)
        order.insert(0, first)
    left, chosen = budget, []
    for number in order:
        if useful[number] and questions.cost[number] <= left + ROUNDING * budget:
            chosen.append(number)
            left -= questions.cost[number]
    return Choice(tuple(chosen), tuple(gains[chosen].tolist()))


def _lazy_greedy(
    questions: Questions,
    posterior: Posterior,
    gains: FloatArray,
    useful: BoolArray,
    budget: float,
    first: int | None,
) -> Choice:
    """Take the best question, update the posterior as if it were answered, and go on.

    A gain only falls as the precision grows, so that one found earlier is an upper bound, and only
    the questions whose bound is best are found anew [@leskovec2007].
    """
    costs, n_asked, left = questions.cost, 0, budget
    chosen: list[int] = []
    added: list[float] = []
    paid, priority = _priorities(gains, costs)
    heap = [
        (paid[number], priority[number], int(number), 0, float(gains[number]))
        for number in np.flatnonzero(useful)
        if number != first
    ]
    heapify(heap)
    cheapest = float(costs[useful].min())
    following = None if first is None else (first, float(gains[first]))
    while True:
        if following is None:
            following = _next_question(
                heap, questions, posterior, left + ROUNDING * budget, n_asked
            )
            if following is None:
                return Choice(tuple(chosen), tuple(added))
        number, gain = following
        following = None
        chosen.append(number)
        added.append(gain)
        n_asked += 1
        left -= float(costs[number])
        if heap and cheapest <= left + ROUNDING * budget:
            posterior = updated(posterior, questions.increment(posterior, number))


def _next_question(
    heap: list[tuple[float, float, int, int, float]],
    questions: Questions,
    posterior: Posterior,
    left: float,
    n_asked: int,
) -> tuple[int, float] | None:
    """The best question that can still be paid, its gain found anew; None if there is none."""
    batch = BATCH
    while heap:
        stale: list[int] = []
        while heap and heap[0][3] != n_asked and len(stale) < batch:
            number = heappop(heap)[2]
            if questions.cost[number] <= left:
                stale.append(number)
        if stale:
            batch *= 2
            numbers = np.array(stale)
            gains = questions.gains(posterior, numbers)
            paid, priority = _priorities(gains, questions.cost[numbers])
            for entry in zip(paid, priority, stale, gains, strict=True):
                heappush(heap, (*entry[:3], n_asked, float(entry[3])))
        elif heap:
            _, _, number, _, gain = heappop(heap)
            if questions.cost[number] <= left:
                return number, gain
    return None


# -- the whole -------------------------------------------------------------------------------------


def plan(
    model: Any,
    views: ViewsLike,
    y: Any,
    budget: float,
    costs: Any = None,
    kinds: Sequence[Kind] | Kind = KINDS,
    *,
    expectation: Expectation = "conditional-mean",
    diverse: bool = True,
) -> Plan:
    r"""Say which labels to ask for and which views to measure next, within a budget.

    Take it where answers cost something and a :class:`BayesianCoTraining` fits the objects; for
    labels by another estimator take the criteria of this room.

    Parameters
    ----------
    model : BayesianCoTraining
        Fitted, as a rule to these objects. A copy of one that is not fitted is fitted to them.
    views : views in any accepted form
        The objects of the campaign. Views that are not observed can be measured.
    y : array-like
        Their labels, with -1, None or NaN for those that can be asked for; matched by id where
        both have ids.
    budget : float
        What the answers may cost together; ``inf`` ranks all questions.
    costs : None, number, dict or DataFrame, optional
        1 for each question by default. A dict gives the cost of a ``"label"`` and of a ``"view"``,
        the latter one for all views or a dict by name: ``{"label": 1, "view": {"radar": 5}}``, or
        flat, ``{"label": 1, "radar": 5}``. Each cost is a number, or an array or Series of one for
        each object, matched by id. A DataFrame has one column per question, "label" and the names
        of the views. NaN is a question that cannot be asked; 0 is one that is free and goes first.
    kinds : sequence of {"label", "view"}
        What can be asked for.
    expectation : {"conditional-mean", "mixture"}
        What stands for a view before it is measured. "conditional-mean" puts its expected value
        into the formulas, as the paper's experiments do. "mixture" takes the expectation over a
        Gaussian mixture, which is an upper bound of the information, and is large where little is
        known of a view. Both with the same mixture.
    diverse : bool
        Whether each gain is found as if the questions above it had been answered, so that a batch
        does not ask the same thing twice. Without, each is ranked by itself.

    Returns
    -------
    Plan
        Actions, best first, with gain, cost and gain per cost. An empty one says why in ``notes``.

    Examples
    --------
    >>> from manyviews.acquire import BayesianCoTraining, plan
    >>> from manyviews.datasets import make_correlated_views
    >>> views, y = make_correlated_views(rho=0.2, n_objects=60, random_state=0)
    >>> y[10:] = -1
    >>> found = plan(BayesianCoTraining(), views, y, budget=5)
    >>> len(found), found.total_cost, found[0].kind
    (5, 5.0, 'label')

    Notes
    -----
    **Objective**
        Information in nats, ``½ log |Δ'| − ½ log |Δ|``, Δ being the precision of the weights of
        all views together (Eq. 7) and Δ' what it becomes. A label adds Eq. (15); a view adds Eq.
        (16), and Eq. (21) if the object is labelled: that is, it is coupled to each view the
        object shows, joins the graph of its own view, and learns from the label. It is how far the
        weights become known, not how far the error falls. Each view learns from a label on its own
        and Δ is that of a Gaussian, so that a label may gain more than the log of the number of
        classes, which is all it can hold: gains rank questions.

    **Symbols**
        Δ, ``posterior``; λ_co, ``coupling``; λ of a view, ``smoothness``; K_ij, ``kernels``;
        ``m_1``, ``means``; π'_c, ``shares``; ``M_2``, ``S_ij``, ``M_6``, the moments of
        ``ExpectedView``.

    **Algorithm**
        1. The model's coordinates, and its posterior with the weights of the prior as they are.
        2. A mixture of Gaussians in which views are independent within a component
           (``fit_view_mixture``): what an object shows gives shares of the components, and these
           what its other views would show (Eq. 18).
        3. All gains at once by the determinant lemma (``label_gains``, ``measured_view_gains``);
           with the whole mixture a determinant as large as the view (``expected_view_gains``).
        4. Greedy by gain per cost, the posterior being updated after each choice; gains found
           earlier are upper bounds, so that few are found anew (CELF, [@leskovec2007]). If one
           question gains more than the whole choice, it goes first.

    **Guarantee**
        For two classes, with fixed weights in the formulas, the information of a set of questions
        is submodular, and the choice has at least (1 − 1/e) / 2 of the most that any choice within
        the budget has, (1 − 1/e) if all costs are equal; without ``diverse`` half of the largest
        sum of gains. With more classes each choice is the best next one, and no more is promised.

    **Deviations**
        The ½ of Eq. (8), which Eq. (9) and (10) drop, is there: gains are nats. In Eq. (17) and
        (20) all dots are those of the view that is measured; ``μ_cj = Λ_c (Σ_c⁻¹ μ_c + Σ_κ⁻¹ x_j)``
        and Eq. (21) has K_ij once. K_ij is not divided by the normaliser of Eq. (19), as in the
        model. With the conditional mean, K_ij is kept for the nearest neighbours of ``m_1`` as in
        the model, one more column each; neighbours whom an object would drive out of others' lists
        stay. In the mixture, K_ij is summed over all objects that show the view: the closed form
        needs them, and more of them keep the bound one. ``M_6`` is integrated numerically, exactly
        where the paper approximates σ(z) σ(−z) by a normal density. With three classes and more, a
        label adds (diag p − p pᵀ) ⊗ x xᵀ exactly; the update after a choice, and the bound for
        views of labelled objects, keep the blocks between classes at zero as the posterior does;
        by Fischer's inequality it is a bound all the same. Covariances of the mixture have the
        principal axes of the view, and are drawn towards the common ones. A question is valued as
        if its object's other questions were not asked: a label and a view of one object in one
        plan are worth more than it says.

    **Complexity**
        For n questions and p weights O(n p²) for labels, and for each neighbour of a view;
        O(n p_v³) with the mixture. Each action of a diverse plan takes O(p³) more. Times the
        number of classes if there are more than two.

    References
    ----------
    [@krishnapuram2005]; [@leskovec2007]
    """
    kinds = _checked_kinds(kinds)
    check_argument("budget", budget, Annotated[float, Interval(0, infinite=True)])
    check_argument("expectation", expectation, Expectation)
    check_argument("diverse", diverse, bool)
    notes: list[str] = []
    objects, fitted = _objects_and_model(model, views, y, notes)
    codes = codes_among(y, fitted.classes_, objects)
    gaps = [name for name in objects.names if not objects.observed_in(name).all()]
    prices = read_costs(costs, objects, kinds, measurable=gaps)
    posterior: Posterior = fitted.posterior_
    rows = _coordinates(fitted, objects)
    questions = find_questions(posterior, rows, objects.observed, codes >= 0, prices, expectation)
    choice, is_guarded = choose(questions, posterior, float(budget), diverse=diverse)
    notes += _notes(questions, choice, objects, codes, kinds, float(budget), is_guarded=is_guarded)
    return Plan(
        actions=tuple(_actions(questions, choice, objects)),
        budget=float(budget),
        n_candidates=len(questions),
        expectation=expectation,
        diverse=diverse,
        is_upper_bound=expectation == "mixture" and bool(questions.targets),
        notes=tuple(notes),
    )


def _checked_kinds(kinds: Sequence[Kind] | Kind) -> tuple[Kind, ...]:
    """Kinds as a tuple, refusing others and none."""
    given = (kinds,) if isinstance(kinds, str) else tuple(kinds)
    for kind in given:
        check_argument("kinds", kind, Kind)
    if not given:
        raise ValueError("kinds is empty; ask for 'label', for 'view', or for both.")
    return given


def _objects_and_model(model: Any, views: ViewsLike, y: Any, notes: list[str]) -> tuple[Views, Any]:
    """Read the objects by the model's layout; fit a copy of the model if it is not fitted."""
    if isinstance(model, type) or not all(hasattr(model, name) for name in ("fit", "coordinates")):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"plan asks a model for the posterior of its weights, which {name} does not have; "
            "give it a BayesianCoTraining(), or rank labels by a criterion of manyviews.acquire."
        )
    if isinstance(getattr(model, "posterior_", None), Posterior):
        return _checked(match_layout(views, model.layout_, allow_absent=True)), model
    objects = _checked(views if isinstance(views, Views) else Views(views))
    shown = np.flatnonzero(objects.observed.any(axis=1))
    labels = in_row_order(y, objects.sample_ids)
    labels = labels.iloc[shown] if hasattr(labels, "iloc") else np.asarray(labels)[shown]
    fitted = clone(model).fit(objects[shown], labels)
    notes.append("the model was not fitted; a copy was, to these objects.")
    return objects, fitted


def _checked(objects: Views) -> Views:
    """Refuse what no model reads; objects that show no view yet are welcome."""
    shown = objects.observed.any(axis=1)
    if shown.any():
        check_views(objects[np.flatnonzero(shown)], method="plan")
    return objects


def _coordinates(fitted: Any, objects: Views) -> list[FloatArray]:
    """The model's coordinates of each view; zero where it is unobserved."""
    shown = np.flatnonzero(objects.observed.any(axis=1))
    if len(shown) == len(objects) > 0:
        whole: list[FloatArray] = fitted.coordinates(objects)
        return whole
    places = fitted.posterior_.slices
    found = [np.zeros((len(objects), place.stop - place.start)) for place in places]
    if len(shown):
        for wider, part in zip(found, fitted.coordinates(objects[shown]), strict=True):
            wider[shown] = part
    return found


def _actions(questions: Questions, choice: Choice, objects: Views) -> Iterator[Action]:
    """The chosen questions by the names of objects and views."""
    for number, gain in zip(choice.numbers, choice.gains, strict=True):
        row, view = int(questions.row[number]), int(questions.view[number])
        yield Action(
            kind="label" if view == LABEL else "view",
            row=row,
            sample_id=object_name(objects, row),
            view=None if view == LABEL else objects.names[view],
            gain=gain,
            cost=float(questions.cost[number]),
        )


def _notes(
    questions: Questions,
    choice: Choice,
    objects: Views,
    codes: IntArray,
    kinds: Sequence[Kind],
    budget: float,
    *,
    is_guarded: bool,
) -> Iterator[str]:
    """What one should know of a plan: why it is empty, and what it rests on."""
    observed = objects.observed
    if not len(questions):
        yield _nothing_to_ask(observed, codes, kinds)
    elif not choice.numbers:
        cheapest = float(questions.cost.min())
        yield (
            f"the budget of {budget:g} is below the cheapest question, which costs {cheapest:g}."
            if cheapest > budget * (1 + ROUNDING)
            else "no question tells the model anything."
        )
    if is_guarded:
        yield "the first action gains more than all that its cost would buy otherwise."
    for view in questions.targets:
        seen = observed[:, view]
        shared = int((seen & (observed.sum(axis=1) > 1)).sum())
        if shared < FEW_SHARED:
            objects_show = f"{counted(shared, 'object')} show{'s' * (shared == 1)}"
            yield (
                f"only {objects_show} {objects.names[view]!r} together with another view, so "
                "that little is known of what it would show; its gains are rough."
            )
    hidden = int((~observed.any(axis=1) & (codes < 0)).sum())
    if hidden and "label" in kinds:
        yield (
            f"{counted(hidden, 'object')} without label show{'s' * (hidden == 1)} no view; a "
            "label tells nothing before one is measured."
        )


def _nothing_to_ask(observed: BoolArray, codes: IntArray, kinds: Sequence[Kind]) -> str:
    """Why there is no question."""
    unknown = {"label": bool((codes < 0).any()), "view": not observed.all()}
    if not len(codes):
        return "there are no objects."
    if not any(unknown[kind] for kind in kinds):
        what = {"label": "every object is labelled", "view": "every view is measured"}
        return " and ".join(what[kind] for kind in kinds) + "; nothing is left to ask."
    return (
        "nothing that is unknown can be asked: it has no cost, its object shows no view, or its "
        "view is new to the model."
    )
