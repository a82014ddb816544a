"""Which object to ask about next, by what any classifier says of it [@settles2009; @muslea2000].

From the top: scores on arrays of probabilities, larger for what is more worth asking; what a model
or a committee says of objects; and both in one, ``rank``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from scipy.special import expit, softmax

from manyviews.base import check_argument
from manyviews.data import Views, match_layout, split_labelled
from manyviews.exceptions import MissingExtraError
from manyviews.maths import generator
from manyviews.typing import (
    AnyArray,
    BoolArray,
    Count,
    FloatArray,
    Having,
    IntArray,
    RandomState,
    ViewsLike,
)

__all__ = [
    "CRITERIA",
    "Criterion",
    "Ranking",
    "aggressive_contention",
    "committee_probabilities",
    "conservative_contention",
    "contention_points",
    "entropy",
    "kl_to_mean",
    "least_confident",
    "margin",
    "naive_contention",
    "order_by_score",
    "probabilities",
    "rank",
    "vote_entropy",
]

BLOCK = 2_048
"""Objects scored at a time, so that what is computed between stays in the processor's cache:
entropies of 100,000 objects and ten classes take 2 ms, as one block 5 ms; flat from 1,024 to 4,096.
"""
TINY = np.finfo(float).tiny
"""In place of a probability of zero under a logarithm, which then is multiplied by zero."""
SAME_DIGITS = 9
"""Scores that agree in so many digits after the point, relative to the largest, are equal: sums
differ in the fifteenth from processor to processor, and nothing that matters differs in the tenth.
"""

# -- scores of one model: objects × classes --------------------------------------------------------


def entropy(probabilities: FloatArray) -> FloatArray:
    """How unsure the whole answer is, in nats: nothing for a certain one, log K for a blank one.

    Examples
    --------
    >>> entropy(np.array([[1.0, 0.0], [0.5, 0.5]])).round(3)
    array([0.   , 0.693])
    """
    return _in_blocks(_entropy, probabilities)


def least_confident(probabilities: FloatArray) -> FloatArray:
    """How probable it is that the predicted class is wrong.

    Examples
    --------
    >>> least_confident(np.array([[1.0, 0.0], [0.7, 0.3]])).round(3)
    array([0. , 0.3])
    """
    return _in_blocks(lambda p: _beside_best(p)[0], probabilities)


def margin(probabilities: FloatArray) -> FloatArray:
    """How near the second best class is to the best: 1 less the margin between the two.

    Examples
    --------
    >>> margin(np.array([[1.0, 0.0, 0.0], [0.5, 0.4, 0.1]])).round(3)
    array([0. , 0.9])
    """
    return _in_blocks(_narrowness, probabilities)


def _entropy(p: FloatArray) -> FloatArray:
    """Over the classes, which are the last axis but one: H(p) = -Σ_k p_k log p_k."""
    terms = np.maximum(p, TINY)
    np.log(terms, out=terms)
    terms *= p
    return np.asarray(0.0 - terms.sum(axis=-2))  # no minus before a zero


def _narrowness(p: FloatArray) -> FloatArray:
    others, second = _beside_best(p)
    return np.asarray(others + second)  # 1 - (best - second)


def _beside_best(p: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sum of all classes but the best, and the second: 1 - best has no digits left near 1."""
    best, second, others = p[0], np.zeros(p.shape[1]), np.zeros(p.shape[1])
    for column in p[1:]:
        lower = np.minimum(best, column)
        others += lower
        second = np.maximum(second, lower)
        best = np.maximum(best, column)
    return others, second


def _in_blocks(score: Callable[[FloatArray], FloatArray], table: FloatArray) -> FloatArray:
    """Score some objects at a time, objects last: sums over few classes are of long rows then."""
    found = np.empty(table.shape[-2])
    for start in range(0, len(found), BLOCK):
        rows = slice(start, start + BLOCK)
        found[rows] = score(np.ascontiguousarray(np.swapaxes(table[..., rows, :], -1, -2)))
    return found


# -- scores of a committee: members × objects × classes, NaN where a member says nothing -----------


def vote_entropy(committee: FloatArray) -> FloatArray:
    """How far the members' votes are spread, in nats [@dagan1995]; NaN where nobody votes.

    A member that cannot decide between classes splits its vote.

    Examples
    --------
    >>> first, second = [[0.9, 0.1], [0.6, 0.4]], [[0.8, 0.2], [0.1, 0.9]]
    >>> vote_entropy(np.array([first, second])).round(3)
    array([0.   , 0.693])
    """
    return _in_blocks(_vote_entropy, committee)


def kl_to_mean(committee: FloatArray) -> FloatArray:
    """Mean divergence of the members from their mean, in nats [@mccallum1998]; NaN for none.

    Examples
    --------
    >>> first, second = [[0.9, 0.1], [1.0, 0.0]], [[0.9, 0.1], [0.0, 1.0]]
    >>> kl_to_mean(np.array([first, second])).round(3)
    array([0.   , 0.693])
    """
    return _in_blocks(_kl_to_mean, committee)


def contention_points(committee: FloatArray) -> BoolArray:
    """Objects on which views disagree: no class is the best one of every view [@muslea2000].

    Examples
    --------
    >>> first, second = [[0.9, 0.1], [0.6, 0.4]], [[0.8, 0.2], [0.1, 0.9]]
    >>> contention_points(np.array([first, second]))
    array([False,  True])
    """
    return _in_blocks(lambda p: _contended(p).astype(float), committee) > 0


def naive_contention(committee: FloatArray) -> FloatArray:
    """1 for contention points and 0 for others, so that any of them may be asked about."""
    return _in_blocks(lambda p: _at_contention(p, np.ones(p.shape[2])), committee)


def aggressive_contention(committee: FloatArray) -> FloatArray:
    """How sure the least sure view is at a contention point: one of the views learns most there.

    Examples
    --------
    >>> first, second = [[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.1, 0.9]]
    >>> aggressive_contention(np.array([first, second]))
    array([0.8, 0.6])
    """
    return _in_blocks(lambda p: _at_contention(p, np.fmin.reduce(p.max(axis=1))), committee)


def conservative_contention(committee: FloatArray) -> FloatArray:
    """How alike in sureness the views are at a contention point: for views that may be noisy.

    Examples
    --------
    >>> first, second = [[0.9, 0.1], [0.6, 0.4]], [[0.2, 0.8], [0.1, 0.9]]
    >>> conservative_contention(np.array([first, second])).round(3)
    array([0.9, 0.7])
    """
    return _in_blocks(_alike, committee)


def _said(p: FloatArray) -> BoolArray:
    return ~np.isnan(p[:, 0])


def _tops(p: FloatArray) -> BoolArray:
    """Which classes are a member's best."""
    return np.asarray(p == p.max(axis=1, keepdims=True))


def _vote_entropy(p: FloatArray) -> FloatArray:
    tops, counts = _tops(p), _said(p).sum(axis=0)
    votes = tops.sum(axis=0, dtype=float)
    if votes.sum() > counts.sum():  # some member cannot decide
        votes = (tops / np.maximum(tops.sum(axis=1, keepdims=True), 1)).sum(axis=0)
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN of an object of which nobody speaks
        return _entropy(votes / counts)  # -Σ_k V(k)/C log V(k)/C


def _kl_to_mean(p: FloatArray) -> FloatArray:
    said = _said(p)
    counts = said.sum(axis=0)
    known = p if said.all() else np.where(said[:, None], p, 0.0)
    with np.errstate(invalid="ignore"):
        consensus = known.sum(axis=0) / counts
        # 1/C Σ_c KL(p_c ‖ mean) = H(mean) - 1/C Σ_c H(p_c); rounding must not make it negative
        own = _entropy(known).sum(axis=0) / counts
    return np.maximum(_entropy(consensus) - own, 0.0)


def _contended(p: FloatArray) -> BoolArray:
    shared = (_tops(p) | ~_said(p)[:, None]).all(axis=0).any(axis=0)
    return np.asarray(~shared)  # of one view, or of none, some class is always shared


def _at_contention(p: FloatArray, scores: FloatArray) -> FloatArray:
    """Scores of contention points, 0 for others, NaN where no view says anything."""
    return np.where(_said(p).any(axis=0), np.where(_contended(p), scores, 0.0), np.nan)


def _alike(p: FloatArray) -> FloatArray:
    sureness = p.max(axis=1)
    return _at_contention(p, 1.0 - (np.fmax.reduce(sureness) - np.fmin.reduce(sureness)))


# -- all of them by name ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Criterion:
    """A score of objects, and what it is a score of."""

    score: Callable[[FloatArray], FloatArray]
    of: Literal["model", "committee"]


CRITERIA: Mapping[str, Criterion] = {
    "entropy": Criterion(entropy, "model"),
    "margin": Criterion(margin, "model"),
    "least_confident": Criterion(least_confident, "model"),
    "vote_entropy": Criterion(vote_entropy, "committee"),
    "kl_to_mean": Criterion(kl_to_mean, "committee"),
    "naive_contention": Criterion(naive_contention, "committee"),
    "aggressive_contention": Criterion(aggressive_contention, "committee"),
    "conservative_contention": Criterion(conservative_contention, "committee"),
    "random": Criterion(lambda p: np.zeros(len(p)), "model"),
}
"""Every criterion that ``rank`` knows."""

Scores: TypeAlias = Annotated[Any, Having("a function of a model and views", "__call__")]
CriterionName: TypeAlias = Literal[
    "entropy",
    "margin",
    "least_confident",
    "vote_entropy",
    "kl_to_mean",
    "naive_contention",
    "aggressive_contention",
    "conservative_contention",
    "random",
]

# -- what models say -------------------------------------------------------------------------------


def probabilities(model: Any, views: ViewsLike) -> FloatArray:
    """Probabilities of the classes by a model, or the mean of a committee's: objects × classes.

    A model without ``predict_proba`` is taken by its ``decision_function``: the logistic function
    of it for two classes, its softmax for more. These are in the right order and not calibrated.

    Examples
    --------
    >>> from manyviews.acquire import probabilities
    >>> from manyviews.datasets import make_correlated_views
    >>> from manyviews.semi_supervised import CoRLS
    >>> views, y = make_correlated_views(rho=0.0, n_objects=50, random_state=0)
    >>> probabilities(CoRLS().fit(views, y), views).shape
    (50, 2)
    """
    if isinstance(model, list | tuple):
        return np.asarray(committee_probabilities(model, views).mean(axis=0))
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(views), dtype=float)
    if hasattr(model, "decision_function"):
        return _from_decisions(np.asarray(model.decision_function(views), dtype=float))
    raise TypeError(
        f"{type(last_step(model)).__name__} has neither predict_proba nor decision_function, so "
        "that nothing says how sure it is; take another classifier, or criterion='random'."
    )


def committee_probabilities(model: Any, views: ViewsLike) -> FloatArray:
    """What each member says, members × objects × classes; NaN where a member says nothing.

    A list or tuple of fitted classifiers is a committee, over all classes that any of them knows.
    One estimator is a committee if its views have scores of their own: ``view_probabilities``;
    ``view_decisions``, taken as in :func:`probabilities`; or ``view_confidences``, as shares.

    Examples
    --------
    >>> from manyviews.acquire import committee_probabilities
    >>> from manyviews.datasets import make_correlated_views
    >>> from manyviews.semi_supervised import CoTraining
    >>> views, y = make_correlated_views(rho=0.0, n_objects=50, random_state=0)
    >>> committee_probabilities(CoTraining().fit(views, y), views).shape
    (2, 50, 2)
    """
    if isinstance(model, list | tuple):
        return _members(model, views)
    last = last_step(model)
    own = next((name for name in _SPREAD_BY_VIEW if hasattr(last, name)), None)
    if own is None:
        raise TypeError(
            f"{type(last).__name__} has no scores of its own for each view; give a list of fitted "
            "models as the committee, or take criterion='entropy'."
        )
    seen = views if last is model else model[:-1].transform(views)
    found = getattr(last, own)(seen).values()
    return np.stack([_SPREAD_BY_VIEW[own](np.asarray(each, dtype=float)) for each in found])


def _members(models: Any, views: ViewsLike) -> FloatArray:
    if not models:
        raise ValueError("the committee has no members; give at least one fitted model.")
    said = [probabilities(model, views) for model in models]
    labels = [list(np.asarray(model.classes_).tolist()) for model in models]
    place: dict[Any, int] = {}
    for label in (label for known in labels for label in known):
        place.setdefault(label, len(place))
    committee = np.zeros((len(said), len(said[0]), len(place)))
    for member, (values, known) in enumerate(zip(said, labels, strict=True)):
        committee[member][:, [place[label] for label in known]] = values
    return committee


def _from_decisions(decisions: FloatArray) -> FloatArray:
    """One number of each object is positive for the second of two classes."""
    if decisions.ndim == 1:
        return np.column_stack([expit(-decisions), expit(decisions)])
    return np.asarray(softmax(decisions, axis=1))


def _from_confidences(confidences: FloatArray) -> FloatArray:
    """Shares of the classes; equal ones where a view has no confidence in any."""
    total = confidences.sum(axis=1, keepdims=True)
    shares = confidences / np.where(total == 0, 1.0, total)
    return np.where(total == 0, 1.0 / confidences.shape[1], shares)


_SPREAD_BY_VIEW: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "view_probabilities": lambda values: values,
    "view_decisions": _from_decisions,
    "view_confidences": _from_confidences,
}
"""Methods by which an estimator declares scores of each view, and how they become probabilities."""


def last_step(model: Any) -> Any:
    """The step of a pipeline that answers; other models are that themselves."""
    steps = getattr(model, "steps", None)
    return last_step(steps[-1][1]) if isinstance(steps, list) and steps else model


# -- the front -------------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False, eq=False)
class Ranking:
    """The answer of :func:`rank`: rows to ask about, the best first."""

    criterion: str
    rows: IntArray
    scores: FloatArray
    sample_ids: AnyArray | None
    """Ids of these rows, if the objects have any."""
    n_candidates: int
    """Objects without a label that some view shows."""
    n_unseen: int
    """Objects without a label that no view shows: a model has nothing to learn from them."""

    def __len__(self) -> int:
        return len(self.rows)

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row per object to ask about: row, id if any, score."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        ids = {} if self.sample_ids is None else {"sample_id": self.sample_ids}
        return pandas.DataFrame({"row": self.rows, **ids, self.criterion: self.scores})

    def __repr__(self) -> str:
        names = self.rows if self.sample_ids is None else self.sample_ids
        first = ", ".join(
            f"{name} ({score:.3g})"
            for name, score in zip(names[:5].tolist(), self.scores, strict=False)
        )
        more = ", …" if len(self) > 5 else ""
        return (
            f"Ranking of {len(self):,} of {self.n_candidates:,} objects by {self.criterion}: "
            f"{first or 'nothing is left to ask'}{more}"
        )


def rank(
    model: Any,
    views: ViewsLike,
    y: Any = None,
    *,
    criterion: CriterionName | Callable[[Any, Views], FloatArray] = "entropy",
    n: int | None = None,
    random_state: RandomState = 0,
) -> Ranking:
    """Rank objects by how much their labels are worth asking for, by any fitted classifier.

    Take it with any method of this library, a pipeline that takes views, or a list of them; take
    :func:`manyviews.acquire.simulate` first, to see on labels that you have whether choosing pays.

    Parameters
    ----------
    model : fitted classifier, or list of them
        A list is a committee.
    views : views in any accepted form
        The objects that may be asked about; some may lack views. See :class:`manyviews.Views`.
    y : array-like, optional
        Labels; what has one is not asked about again.
    criterion : str or callable
        ``"entropy"``, ``"margin"`` and ``"least_confident"`` take the model's probabilities, of a
        committee their mean. ``"vote_entropy"`` and ``"kl_to_mean"`` take a committee, which is
        a list of models or the views of one that has scores of each view. So do
        ``"naive_contention"``, ``"aggressive_contention"`` and ``"conservative_contention"``:
        objects on which views disagree come first. A function is given model and views, and
        returns a number for each object, larger for what is more worth asking. ``"random"`` is
        what to beat.
    n : int, optional
        How many; all by default. The first ones do not depend on it.
    random_state : int, generator or None
        Breaks ties.

    Returns
    -------
    Ranking
        ``rows``, the best first, and their ``scores``. Objects that no view shows are not in it.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews.acquire import rank
    >>> from manyviews.datasets import make_correlated_views
    >>> from manyviews.semi_supervised import CoTraining
    >>> views, y = make_correlated_views(rho=0.0, n_objects=200, random_state=0)
    >>> known = np.where(np.arange(200) < 20, y, -1)
    >>> model = CoTraining(random_state=0).fit(views, known)
    >>> ranking = rank(model, views, known, criterion="aggressive_contention", n=5)
    >>> len(ranking), ranking.n_candidates
    (5, 180)
    >>> bool((np.diff(ranking.scores) <= 0).all())
    True

    Notes
    -----
    **Criteria**
        Entropy, margin and least confidence are those of [@settles2009]; vote entropy is
        [@dagan1995], the mean divergence from the mean of a committee [@mccallum1998]. Co-testing
        [@muslea2000] asks about contention points, on which views predict different classes:
        about any (naive), where the least sure view is surest (aggressive), or where views are
        equally sure (conservative).

    **Deviations**
        Co-testing is for two views; of more, an object is a contention point if no class is the
        best one of all views that show it. Where there is none any more, the others follow in
        random order. A view's confidence is its highest probability. A view that cannot decide
        between classes disagrees with none of them, and splits its vote.

    **Complexity**
        One prediction of all objects; then some 3 ns for each class and member of each object.

    References
    ----------
    [@settles2009], [@dagan1995], [@mccallum1998], [@muslea2000]
    """
    check_argument("criterion", criterion, CriterionName | Scores)
    check_argument("n", n, Count | None)
    check_argument("random_state", random_state, RandomState)
    objects = _read_objects(views, model)
    free = _unlabelled(y, objects)
    seen = objects.observed.any(axis=1)
    candidates = np.flatnonzero(free & seen)
    scores = score_objects(model, objects[candidates], criterion)
    order = order_by_score(scores, generator(random_state), n)
    rows = candidates[order]
    return Ranking(
        criterion if isinstance(criterion, str) else name_of(criterion),
        rows,
        scores[order],
        None if objects.sample_ids is None else objects.sample_ids[rows],
        len(candidates),
        int((free & ~seen).sum()),
    )


def score_objects(
    model: Any, views: Views, criterion: str | Callable[[Any, Views], FloatArray]
) -> FloatArray:
    """Score each object by a criterion; of no objects nothing is asked."""
    if not len(views):
        return np.empty(0)
    if not isinstance(criterion, str):
        scores = np.asarray(criterion(model, views), dtype=float)
        if scores.shape != (len(views),) or np.isnan(scores).any():
            raise ValueError(
                f"{name_of(criterion)} gave scores of the shape {scores.shape} for {len(views)} "
                "objects; give one number for each, and no NaN."
            )
        return scores
    if criterion == "random":
        return np.zeros(len(views))
    chosen = CRITERIA[criterion]
    ask = probabilities if chosen.of == "model" else committee_probabilities
    # a model that says nothing of an object that views show has no reason to ask about it
    return np.nan_to_num(chosen.score(ask(model, views)), nan=0.0)


def order_by_score(scores: FloatArray, rng: np.random.Generator, n: int | None = None) -> IntArray:
    """Places from the largest score on, the first ``n``; equal ones in random order.

    Examples
    --------
    >>> order_by_score(np.array([0.1, 0.7, 0.4]), np.random.default_rng(0))
    array([1, 2, 0])
    """
    finite = np.abs(scores[np.isfinite(scores)])
    scale = float(finite.max(initial=0.0)) or 1.0
    keys = np.round(scores / scale, SAME_DIGITS)
    lots = rng.random(len(scores))
    places = np.arange(len(scores))
    if n is not None and n < len(scores):  # to sort all would take longer than to score them
        places = np.flatnonzero(keys >= np.partition(keys, -n)[-n])
    return places[np.lexsort((lots[places], -keys[places]))][:n]


def name_of(criterion: Callable[..., Any]) -> str:
    """Say what a function is called."""
    return str(getattr(criterion, "__name__", type(criterion).__name__))


def _read_objects(views: ViewsLike, model: Any) -> Views:
    """Read the objects by the layout that the model, or the first of a committee, remembers."""
    first = model[0] if isinstance(model, list | tuple) and model else model
    layout = getattr(first, "layout_", None)
    if layout is not None:
        return match_layout(views, layout, allow_absent=True)
    return views if isinstance(views, Views) else Views(views)


def _unlabelled(y: Any, views: Views) -> BoolArray:
    if y is None:
        return np.ones(len(views), dtype=bool)
    labelled = split_labelled(y, views).labelled
    if len(labelled) != len(views):
        raise ValueError(
            f"y has {len(labelled)} labels for {len(views)} objects; give one for each, with -1 "
            "or None where there is none."
        )
    return ~labelled
