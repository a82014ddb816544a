"""Co-EM with a classifier per view: each learns from what the others believe [@nigam2000]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.semi_supervised._em._naive_bayes import one_hot
from manyviews.semi_supervised._em._view_naive_bayes import ViewNaiveBayes
from manyviews.semi_supervised._shared import probabilities
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix, is_sparse

_NEGLIGIBLE = float(np.finfo(np.float64).eps)
"""Weights that change no sum to which a whole object contributes."""


@dataclass(frozen=True)
class Problem:
    """What all sweeps share."""

    members: tuple[Any, ...]
    """A classifier per view, fitted anew in every sweep."""
    matrices: tuple[Matrix, ...]
    observed: BoolArray
    known: IntArray
    """Class of each labelled object, -1 for others."""
    n_classes: int
    weight: float
    """λ: what an unlabelled object counts, where a labelled one counts 1."""
    say: FloatArray
    """What each view counts for each object, objects × views."""


@dataclass(frozen=True)
class Sweep:
    """What the views believe after a pass over them."""

    beliefs: tuple[FloatArray, ...]
    """Probabilities of each view, objects × classes: the label of a labelled object, and zeros
    where the view is unobserved or has not learnt yet."""
    masses: tuple[FloatArray, ...]
    """Weight of each class in what the view learnt from."""
    change: float
    """Largest change of a probability in the last pass."""
    agreement: float


def begin(problem: Problem) -> Sweep:
    """Fit every view to its labelled objects; one that has fewer than two classes waits."""
    labels = one_hot(problem.known, problem.n_classes)
    beliefs, masses = [], []
    for view, seen in enumerate(problem.observed.T):
        weights = labels * seen[:, None]
        masses.append(weights.sum(axis=0))
        can_start = np.count_nonzero(masses[-1]) > 1
        beliefs.append(_learn(problem, view, weights) if can_start else np.zeros_like(labels))
    return Sweep(tuple(beliefs), tuple(masses), np.inf, agreement(problem, beliefs))


def sweep(problem: Problem, state: Sweep) -> Sweep:
    """One pass: each view learns from the latest beliefs of the others, then judges all objects."""
    beliefs, masses = list(state.beliefs), list(state.masses)
    for view, seen in enumerate(problem.observed.T):
        weights = taught(beliefs, view, problem.say) * seen[:, None]
        weights *= np.where(problem.known >= 0, 1.0, problem.weight)[:, None]
        masses[view] = weights.sum(axis=0)
        if np.count_nonzero(masses[view]) > 1:
            beliefs[view] = _learn(problem, view, weights)
    change = max(
        float(np.abs(new - old).max()) for new, old in zip(beliefs, state.beliefs, strict=True)
    )
    return Sweep(tuple(beliefs), tuple(masses), change, agreement(problem, beliefs))


def taught(beliefs: Sequence[FloatArray], view: int, say: FloatArray) -> FloatArray:
    """What a view is told of each object: the mean of the others' beliefs, else its own.

    ``say`` is what each view counts for each object.

    Examples
    --------
    >>> beliefs = [np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.2, 0.8], [0.0, 0.0]])]
    >>> taught(beliefs, 0, np.array([[1.0, 1.0], [1.0, 0.0]]))
    array([[0.2, 0.8],
           [0.5, 0.5]])
    """
    total = np.zeros_like(beliefs[view])
    for place, belief in enumerate(beliefs):
        if place != view:
            total += say[:, place, None] * belief
    mass = total.sum(axis=1, keepdims=True)
    told = np.divide(total, mass, out=total, where=mass > 0)
    return np.where(mass > 0, told, beliefs[view])


def agreement(problem: Problem, beliefs: Sequence[FloatArray]) -> float:
    """Probability that a label drawn by a view is the one drawn by those that teach it.

    It is the mean over the unlabelled objects of each view; 1 if there are none.
    """
    unlabelled = problem.known < 0
    shared, count = 0.0, 0.0
    for view, belief in enumerate(beliefs):
        own = belief[unlabelled]
        shared += float(np.einsum("ij,ij->", own, taught(beliefs, view, problem.say)[unlabelled]))
        count += float(own.sum())
    return shared / count if count else 1.0


def fit_weighted(member: Any, X: Matrix, weights: FloatArray) -> Any:
    """Fit a classifier to objects that belong to every class with some weight (rows × classes).

    Each object is given once per class in which it weighs anything. Classifiers for which only
    the weighted sums of the rows of each class matter are given those instead.

    Examples
    --------
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> counts, weights = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> fit_weighted(MultinomialNB(), counts, weights).feature_count_
    array([[2.5, 0.5],
           [0.5, 0.5]])
    """
    if isinstance(member, ViewNaiveBayes):
        return member.fit_weighted(X, weights)
    if _needs_sums_only(member):
        mass = weights.sum(axis=0)
        codes = np.flatnonzero(mass > 0)
        return member.fit(_class_means(X, weights[:, codes]), codes, sample_weight=mass[codes])
    rows, codes = np.nonzero(weights > _NEGLIGIBLE)
    once = len(rows) == X.shape[0] and np.array_equal(rows, np.arange(len(rows)))
    with np.errstate(over="ignore", invalid="ignore"):  # trees say what single precision lacks
        return member.fit(X if once else X[rows], codes, sample_weight=weights[rows, codes])


def _learn(problem: Problem, view: int, weights: FloatArray) -> FloatArray:
    """Fit the classifier of a view and return its beliefs, labels kept."""
    member, seen = problem.members[view], problem.observed[:, view]
    rows = problem.matrices[view] if seen.all() else problem.matrices[view][np.flatnonzero(seen)]
    fit_weighted(member, rows, weights[seen])
    beliefs = np.zeros_like(weights)
    beliefs[seen] = probabilities(member, rows, problem.n_classes)
    labels = one_hot(problem.known, problem.n_classes)
    return np.where((problem.known >= 0)[:, None], labels * seen[:, None], beliefs)


def _needs_sums_only(member: Any) -> bool:
    from sklearn.naive_bayes import ComplementNB, MultinomialNB

    return type(member) in (ComplementNB, MultinomialNB)


def _class_means(X: Matrix, weights: FloatArray) -> FloatArray:
    """Weighted mean row of each class; with the weight of the class it gives back the sums."""
    totals = (X.T @ weights).T if is_sparse(X) else weights.T @ X
    return np.asarray(totals / weights.sum(axis=0)[:, None])
