"""From scores to labels: the paper's assignments, for objects that may lack views [@dalvi2015].

A view *shows* an object if it gives it a direction: it is observed there, and not all zero. Views
that do not show an object take no part in what is decided about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, TypeAlias, get_args

import numpy as np

from manyviews.maths import Ontology, assign_labels, best_and_score
from manyviews.typing import BoolArray, FloatArray, IntArray

Method: TypeAlias = Literal["sum", "product", "max_agree", "cotrain"]
METHODS: tuple[str, ...] = get_args(Method)
Solver: TypeAlias = Literal["auto", "exact", "milp"]


@dataclass(frozen=True)
class Rule:
    """How labels are assigned; without an ontology, all classes exclude each other."""

    method: Method = "max_agree"
    ontology: Ontology | None = None
    alpha: tuple[float, float, float] = (0.5, 0.1, 1.0)
    solver: Solver = "auto"

    def best(self, scores: FloatArray) -> BoolArray:
        """Labels of largest total score: Eq. (3), or with an ontology Eq. (9)."""
        return assign_labels([scores], "sum", ontology=self.ontology, solver=self.solver)[0]

    def agreeing(self, scores: Sequence[FloatArray]) -> list[BoolArray]:
        """Labels by view that score well and differ little: Eq. (7), (8) or (10)."""
        return assign_labels(
            list(scores), "max_agree", ontology=self.ontology, alpha=self.alpha, solver=self.solver
        )


def members(rule: Rule, scores: Sequence[FloatArray], shown: BoolArray) -> list[BoolArray]:
    """Which objects each view is to be centred on, class by class.

    An object whose scores are all zero has nothing to say and joins no class.
    """
    if rule.method == "max_agree":
        found = _agreeing_by_pattern(rule, scores, shown)
    elif rule.method == "cotrain":
        found = [rule.best(_scores_of_others(scores, shown, view)) for view in range(len(scores))]
    else:
        found = [rule.best(effective_scores(rule.method, scores, shown))] * len(scores)
    heard: BoolArray = np.any([score.any(axis=1) for score in scores], axis=0)
    if heard.all():
        return found
    return [bits & heard[:, None] for bits in found]


def effective_scores(method: Method, scores: Sequence[FloatArray], shown: BoolArray) -> FloatArray:
    """One score per object and class from all views that show the object, Section 2.2."""
    total = reduce(np.add, scores)  # where a view does not show an object, its score is zero
    if method != "product":
        return total
    seen = shown.T[:, :, None]
    product = reduce(
        np.multiply,
        (np.where(s, np.maximum(score, 0), 1) for score, s in zip(scores, seen, strict=True)),
    )
    decided: BoolArray = np.logical_and(product.any(axis=1), shown.any(axis=1))
    return np.where(decided[:, None], product, total)


def decide(rule: Rule, scores: Sequence[FloatArray], shown: BoolArray) -> BoolArray:
    """One set of labels per object, from all views together."""
    if rule.method != "max_agree":
        return rule.best(effective_scores(rule.method, scores, shown))
    if rule.ontology is None:  # exactly one label, on which the views agree: Eq. (7) without slack
        return rule.best(effective_scores("sum", scores, shown))
    count = np.maximum(shown.sum(axis=1), 1)[:, None]
    return rule.agreeing([reduce(np.add, scores) / count])[0]  # Eq. (10) for equal labels


def _agreeing_by_pattern(
    rule: Rule, scores: Sequence[FloatArray], shown: BoolArray
) -> list[BoolArray]:
    """Let those views agree that show an object; the others, having no use for labels, get none."""
    if shown.all():
        return _agreeing(rule, scores)
    found = [np.zeros(score.shape, dtype=bool) for score in scores]
    for rows, views in _patterns(shown):
        for view, bits in zip(
            views, _agreeing(rule, [scores[v][rows] for v in views]), strict=True
        ):
            found[view][rows] = bits
    return found


def _agreeing(rule: Rule, scores: Sequence[FloatArray]) -> list[BoolArray]:
    """Solve Eq. (7) for those objects only whose views could gain by differing.

    A label more or less in a view gains at most ``alpha_1`` (scores are cosines) and ``alpha_2``
    for each other view, so that a larger ``alpha_3`` leaves one label per view. Views that then
    differ pay for two labels and all other views at least. Who gains no more than that from having
    the best label of each view instead of the best label of all has found the optimum.
    """
    gain, differ, slack = rule.alpha
    price = differ * (len(scores) - 1)
    if rule.ontology is not None or rule.solver != "auto" or slack <= gain + price:
        return rule.agreeing(scores)
    total = reduce(np.add, scores)
    apart = reduce(np.add, [_largest(score) for score in scores]) - _largest(total)
    common = rule.best(total)
    open_rows = np.flatnonzero(gain * apart >= 2.0 * price)
    if len(open_rows) == 0:
        return [common] * len(scores)
    found = [common.copy() for _ in scores]
    solved = rule.agreeing([score[open_rows] for score in scores])
    for bits, own in zip(found, solved, strict=True):
        bits[open_rows] = own
    return found


def _largest(scores: FloatArray) -> FloatArray:
    """Largest score of each object."""
    return best_and_score(scores.T)[1]


def _patterns(shown: BoolArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Objects that the same views show, with these views; none for objects that no view shows."""
    patterns, which = np.unique(shown, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if pattern.any():
            yield np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern)


def _scores_of_others(scores: Sequence[FloatArray], shown: BoolArray, view: int) -> FloatArray:
    """Summed scores of the other views, or its own for objects that no other view shows."""
    others = [score for other, score in enumerate(scores) if other != view]
    if not others:
        return scores[view]
    alone: BoolArray = np.logical_not(np.delete(shown, view, axis=1).any(axis=1))
    return np.where(alone[:, None], scores[view], reduce(np.add, others))
