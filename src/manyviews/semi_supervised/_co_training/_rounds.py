"""Rounds in which judges label the objects they are surest of, from a pool refilled at random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal, Protocol, TypeAlias

import numpy as np

from manyviews.typing import BoolArray, FloatArray, IntArray

Ending: TypeAlias = Literal["all_labeled", "max_iter", "no_change"]

_TIED = 1e-15
"""Probabilities near one are known to so much; those of other sizes are hardly ever as close."""


@dataclass(frozen=True)
class Verdicts:
    """What is said of the objects of a pool."""

    labels: IntArray
    """The class each judge takes each object for, judges × objects; -1 where it is silent."""
    confidence: FloatArray
    """The probability that the judge gives to it."""
    opinions: IntArray
    """The class each view takes each object for, views × objects; -1 where it is silent."""


class Panel(Protocol):
    """Who learns from labels and judges objects."""

    def learn(self, codes: IntArray, added: IntArray) -> None:
        """Take up the labels of the objects added."""

    def judge(self, rows: IntArray) -> Verdicts:
        """Say what some objects are taken for."""


@dataclass(frozen=True)
class Plan:
    """How much is labelled at a time."""

    pool_size: int | None
    quotas: IntArray | None
    """Most objects of each class that a judge labels in a round; None: all that it is sure of."""
    max_iter: int | None
    threshold: float = 0.0
    """Objects are labelled with more confidence than this."""


@dataclass(frozen=True)
class Joined:
    """Objects that were labelled, in the order in which they were."""

    round: IntArray
    row: IntArray
    judge: IntArray
    code: IntArray
    confidence: FloatArray
    disputed: BoolArray
    """Whether a view took the object for something else."""
    contested: BoolArray
    """Whether another judge proposed another label in the same round, and was less sure."""


@dataclass(frozen=True)
class Outcome:
    """Where the rounds led."""

    codes: IntArray
    joined: Joined
    n_iter: int
    ending: Ending

    def untaught(self) -> Outcome:
        """The labels that were given, without those that joined them."""
        codes = self.codes.copy()
        codes[self.joined.row] = -1
        parts = (getattr(self.joined, part.name)[:0] for part in fields(Joined))
        return replace(self, codes=codes, joined=Joined(*parts))


class Pool:
    """The objects that are shown; the others wait in their order.

    Examples
    --------
    >>> pool = Pool(np.array([4, 7, 5, 2]), size=2)
    >>> pool.replace(np.array([False, True]))
    >>> pool.rows, pool.n_waiting
    (array([7, 5]), 1)
    """

    def __init__(self, order: IntArray, size: int | None) -> None:
        self._size = len(order) if size is None else size
        self.rows = order[: self._size]
        self._waiting = order[self._size :]

    @property
    def n_waiting(self) -> int:
        """How many objects are not shown yet."""
        return len(self._waiting)

    def replace(self, kept: BoolArray) -> None:
        """Fill the places of the objects that are not kept."""
        n_free = len(kept) - int(kept.sum())
        self.rows = np.concatenate([self.rows[kept], self._waiting[:n_free]])
        self._waiting = self._waiting[n_free:]

    def exchange(self) -> None:
        """Send all to the end of the queue and show the next ones."""
        order = np.concatenate([self._waiting, self.rows])
        self.rows, self._waiting = order[: self._size], order[self._size :]


def label_in_rounds(
    panel: Panel,
    codes: IntArray,
    order: IntArray,
    plan: Plan,
    report: Callable[[int, int, int], None] | None = None,
) -> Outcome:
    """Let a panel label the objects in ``order`` until none is left, or it may or can no more.

    ``codes`` has the class of every object, -1 for the unlabelled ones; ``report`` is told the
    round, how many objects it labelled and how many are left.
    """
    codes = codes.copy()
    panel.learn(codes, np.flatnonzero(codes >= 0))
    pool = Pool(order, plan.pool_size)
    found: list[Joined] = []
    while len(pool.rows) and len(found) != plan.max_iter:
        joined, kept = _next_joined(panel, pool, plan, number=len(found) + 1)
        if not len(joined.row):
            return Outcome(codes, _stack(found), len(found), "no_change")
        codes[joined.row] = joined.code
        panel.learn(codes, joined.row)
        pool.replace(kept)
        found.append(joined)
        if report is not None:
            report(len(found), len(joined.row), len(pool.rows) + pool.n_waiting)
    ending: Ending = "max_iter" if len(pool.rows) else "all_labeled"
    return Outcome(codes, _stack(found), len(found), ending)


def _next_joined(panel: Panel, pool: Pool, plan: Plan, number: int) -> tuple[Joined, BoolArray]:
    """Objects to label next; a pool of which nobody dares to label any is exchanged."""
    n_left = len(pool.rows) + pool.n_waiting
    while True:
        shown = len(pool.rows)
        verdicts = panel.judge(pool.rows)
        judges, places = choose(verdicts.labels, verdicts.confidence, plan)
        joined, places = _join(judges, places, verdicts, pool.rows, number)
        n_left -= shown
        if len(places) or n_left <= 0:
            kept = np.ones(shown, dtype=bool)
            kept[places] = False
            return joined, kept
        pool.exchange()


def choose(labels: IntArray, confidence: FloatArray, plan: Plan) -> tuple[IntArray, IntArray]:
    """The objects that each judge is surest of, up to the quota of each class.

    Returns the judges and the places of the objects in the pool, one pair per proposal.

    Examples
    --------
    >>> plan = Plan(pool_size=None, quotas=np.array([1, 2]), max_iter=1)
    >>> labels = np.array([[0, 0, 1, 1, 1, -1]])
    >>> judges, places = choose(labels, np.array([[0.6, 0.9, 0.7, 0.6, 0.8, 0.0]]), plan)
    >>> places
    array([1, 2, 4])
    """
    chosen: list[IntArray] = []
    judges: list[IntArray] = []
    for judge, (taken_for, sure) in enumerate(zip(labels, confidence, strict=True)):
        for code in np.flatnonzero(np.bincount(taken_for + 1)[1:]):
            places = np.flatnonzero((taken_for == code) & (sure > plan.threshold))
            if plan.quotas is not None:
                places = places[most_confident(sure[places], int(plan.quotas[code]))]
            chosen.append(places)
            judges.append(np.full(len(places), judge))
    if not chosen:
        return np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    return np.concatenate(judges), np.concatenate(chosen)


def most_confident(confidence: FloatArray, count: int) -> IntArray:
    """Places of the largest values in ascending order; of equal ones the first are taken.

    Probabilities that are all but one differ by rounding only, and are equal.

    Examples
    --------
    >>> most_confident(np.array([0.5, 0.9, 0.7, 0.7]), 2)
    array([1, 2])
    """
    if count >= len(confidence):
        return np.arange(len(confidence))
    if count <= 0:
        return np.empty(0, dtype=np.intp)
    limit = np.partition(confidence, -count)[-count]
    taken = confidence > limit + _TIED
    level = np.flatnonzero(~taken & (confidence >= limit - _TIED))
    taken[level[: count - int(taken.sum())]] = True
    return np.flatnonzero(taken)


def _join(
    judges: IntArray, places: IntArray, verdicts: Verdicts, rows: IntArray, number: int
) -> tuple[Joined, IntArray]:
    """One label per proposed object: that of the surest judge, of equals the first class."""
    codes = verdicts.labels[judges, places]
    confidence = verdicts.confidence[judges, places]
    order = np.lexsort((judges, codes, -confidence, places))
    places, starts = np.unique(places[order], return_index=True)
    best = order[starts]
    others = verdicts.opinions[:, places]
    disputed = ((others >= 0) & (others != codes[best])).any(axis=0)
    joined = Joined(
        round=np.full(len(places), number),
        row=rows[places],
        judge=judges[best],
        code=codes[best],
        confidence=confidence[best],
        disputed=disputed,
        contested=_contested(codes[order], starts),
    )
    return joined, places


def _contested(codes: IntArray, starts: IntArray) -> BoolArray:
    """Whether the proposals of each object, which stand together, differ."""
    if not len(starts):
        return np.zeros(0, dtype=bool)
    return np.asarray(np.minimum.reduceat(codes, starts) != np.maximum.reduceat(codes, starts))


def _stack(rounds: list[Joined]) -> Joined:
    if not rounds:
        none, never = np.empty(0, dtype=np.intp), np.empty(0, dtype=bool)
        return Joined(none, none, none, none, np.empty(0), never, never)
    parts = {
        name: np.concatenate([getattr(each, name) for each in rounds])
        for name in ("round", "row", "judge", "code", "confidence", "disputed", "contested")
    }
    return Joined(**parts)
