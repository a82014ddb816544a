"""From scores to labels: the paper's assignments, for objects that may lack views [@dalvi2015].

A view *shows* an object if it gives it a direction: it is observed there, and not all zero. What
it then counts is its *share*, one where nothing else is said; views whose share is zero, as those
that do not show an object, take no part in what is decided about it.
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


def members(rule: Rule, scores: Sequence[FloatArray], shares: FloatArray) -> list[BoolArray]:
    """Which objects each view is to be centred on, class by class.

    An object whose scores are all zero has nothing to say and joins no class.
    """
    weighted = weigh(scores, shares)
    if rule.method == "max_agree":
        found = _agreeing_by_pattern(rule, weighted, shares > 0)
    elif rule.method == "cotrain":
        views = range(len(scores))
        found = [rule.best(_scores_of_others(weighted, shares > 0, view)) for view in views]
    else:
        found = [rule.best(effective_scores(rule.method, scores, shares))] * len(scores)
    heard: BoolArray = np.any([score.any(axis=1) for score in weighted], axis=0)
    if heard.all():
        return found
    return [bits & heard[:, None] for bits in found]


def weigh(scores: Sequence[FloatArray], shares: FloatArray) -> list[FloatArray]:
    """The scores of each view times its share, in the precision of the scores."""
    pairs = zip(scores, shares.T, strict=True)
    return [score * share[:, None].astype(score.dtype) for score, share in pairs]


def effective_scores(
    method: Method, scores: Sequence[FloatArray], shares: FloatArray
) -> FloatArray:
    """One score per object and class from all views that show the object, Section 2.2."""
    total = reduce(np.add, weigh(scores, shares))
    if method != "product":
        return total
    pairs = zip(scores, shares.T, strict=True)  # a view without a share gives the factor one
    powers = (np.maximum(score, 0) ** own[:, None].astype(score.dtype) for score, own in pairs)
    product = reduce(np.multiply, powers)
    decided: BoolArray = np.logical_and(product.any(axis=1), shares.any(axis=1))
    return np.where(decided[:, None], product, total)


def decide(rule: Rule, scores: Sequence[FloatArray], shares: FloatArray) -> BoolArray:
    """One set of labels per object, from all views together."""
    if rule.method != "max_agree":
        return rule.best(effective_scores(rule.method, scores, shares))
    total = effective_scores("sum", scores, shares)
    if rule.ontology is None:  # exactly one label, on which the views agree: Eq. (7) without slack
        return rule.best(total)
    whole = shares.sum(axis=1, keepdims=True)
    return rule.agreeing([total / np.where(whole > 0, whole, 1)])[0]  # Eq. (10) for equal labels


def _agreeing_by_pattern(
    rule: Rule, scores: Sequence[FloatArray], heard: BoolArray
) -> list[BoolArray]:
    """Let those views agree that have a share in an object; the others get no labels."""
    if heard.all():
        return _agreeing(rule, scores)
    found = [np.zeros(score.shape, dtype=bool) for score in scores]
    for rows, views in _patterns(heard):
        for view, bits in zip(
            views, _agreeing(rule, [scores[v][rows] for v in views]), strict=True
        ):
            found[view][rows] = bits
    return found


def _agreeing(rule: Rule, scores: Sequence[FloatArray]) -> list[BoolArray]:
    """Solve Eq. (7) for those objects only whose views could gain by differing.

    If a score is never worth a label too many, the best label that is on in all V views stands
    alone, at no price. Any other solution has labels in some views only, each of which differs
    from at least V - 1 pairs of views; there are two of them, or one and a view without a label,
    which pays ``alpha_3`` and loses its score. It gains no more than the best label of each view
    instead of the best label of all; who gains less than the least of these prices has found the
    optimum.
    """
    gain, differ, slack = rule.alpha
    most = max(float(np.abs(score).max(initial=0)) for score in scores)
    if rule.ontology is not None or rule.solver != "auto" or slack <= gain * most:
        return rule.agreeing(scores)
    total = reduce(np.add, scores)
    common = rule.best(total)
    if len(scores) == 1:
        return [common]
    best = [_largest(score) for score in scores]
    apart = gain * (reduce(np.add, best) - _largest(total))
    price = differ * (len(scores) - 1)
    least = price + np.minimum(price, slack + gain * reduce(np.minimum, best))
    open_rows = np.flatnonzero(apart >= least)
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


def _patterns(heard: BoolArray) -> Iterator[tuple[IntArray, IntArray]]:
    """Objects in which the same views have a share, with these views; none where no view has."""
    patterns, which = np.unique(heard, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if pattern.any():
            yield np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern)


def _scores_of_others(scores: Sequence[FloatArray], heard: BoolArray, view: int) -> FloatArray:
    """Summed scores of the other views, or its own for objects in which no other has a share."""
    others = [score for other, score in enumerate(scores) if other != view]
    if not others:
        return scores[view]
    alone: BoolArray = np.logical_not(np.delete(heard, view, axis=1).any(axis=1))
    return np.where(alone[:, None], scores[view], reduce(np.add, others))
