"""Seeded spherical k-means: score, assign, centre, until no label changes [@dalvi2015]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import blake2b
from typing import TypeAlias

import numpy as np

from manyviews.data import Views
from manyviews.maths import Directions, directions, sum_members, unit_length
from manyviews.semi_supervised._seeded._assignment import weigh
from manyviews.semi_supervised._shared import say
from manyviews.typing import BoolArray, FloatArray, Matrix

Assign: TypeAlias = Callable[[Sequence[FloatArray], FloatArray], Sequence[BoolArray]]
"""From scores by view, and the shares of views in objects, to the members of classes by view."""


@dataclass(frozen=True)
class Seeds:
    """What users say of the objects: the classes of those that are labelled."""

    members: BoolArray
    """Which object is in which class (objects × classes), none for unlabelled ones."""
    labelled: BoolArray


@dataclass(frozen=True)
class Problem:
    """Unlabelled directions, and the sums of the labelled ones by view and class."""

    unlabelled: Directions
    shares: FloatArray
    """What each view counts for each unlabelled object, zero where it does not show it."""
    seed_sums: tuple[FloatArray, ...]


@dataclass(frozen=True)
class Round:
    """Centres by view, and the labels that they come from."""

    centres: tuple[FloatArray, ...]
    bits: tuple[BoolArray, ...]
    """Labels of the unlabelled objects (objects × classes) by view."""
    flips: int
    """How many pairs of an object and a class changed in any view."""


@dataclass(frozen=True)
class Learnt:
    """Where the rounds led."""

    last: Round
    flips: tuple[int, ...]
    converged: bool
    circling: bool = False
    """Whether it came back to labels it had before, and so would go on for ever."""


def pose(views: Views, seeds: Seeds, weights: Mapping[str, float]) -> Problem:
    """Part the objects by whether they are labelled; the labelled count by their sums only."""
    labelled = directions_of(views[seeds.labelled])
    known = seeds.members[seeds.labelled]
    sums = tuple(sum_members(unit, known) for unit in labelled.units)
    unlabelled = directions_of(views[~seeds.labelled])
    return Problem(unlabelled, say(unlabelled.shown, weights), sums)


def learn(
    problem: Problem,
    assign: Assign,
    *,
    max_iter: int,
    tol: float = 0.0,
    report: Callable[[int, Round], None] | None = None,
) -> Learnt:
    """Go from round to round until no more than ``tol`` labels per unlabelled object change."""
    current, flips = start(problem), list[int]()
    met = {_fingerprint(current.bits)}
    for number in range(1, max_iter + 1):
        current = next_round(problem, assign, current)
        flips.append(current.flips)
        if report is not None:
            report(number, current)
        if current.flips <= tol * len(problem.unlabelled.shown):
            return Learnt(current, tuple(flips), converged=True)
        labels = _fingerprint(current.bits)
        if labels in met:
            return Learnt(current, tuple(flips), converged=False, circling=True)
        met.add(labels)
    return Learnt(current, tuple(flips), converged=False)


def start(problem: Problem) -> Round:
    """Centre on the labelled objects, with no label given to any other, line 4 of Algorithm 1."""
    centres = tuple(unit_length(sums) for sums in problem.seed_sums)
    filled = tuple(_filled(problem, centres, view) for view in range(len(centres)))
    n_objects, n_classes = len(problem.unlabelled.shown), len(centres[0])
    none = np.zeros((n_objects, n_classes), dtype=bool)
    return Round(filled, (none,) * len(centres), flips=0)


def next_round(problem: Problem, assign: Assign, before: Round) -> Round:
    """Score and assign the unlabelled objects, then centre every view on all of its members."""
    views = problem.unlabelled
    scores = scores_of(views.units, before.centres)  # line 7 of Algorithm 1
    bits = tuple(assign(scores, problem.shares))  # line 8
    centres = tuple(
        centred(seeds + sum_members(unit, own), old)  # line 10
        for unit, own, seeds, old in zip(
            views.units, bits, problem.seed_sums, before.centres, strict=True
        )
    )
    return Round(centres, bits, _count_flips(before.bits, bits))


def scores_of(units: Sequence[Matrix], centres: Sequence[FloatArray]) -> list[FloatArray]:
    """Cosine of every object (row) with every class (column), by view."""
    return [
        np.asarray(unit @ np.ascontiguousarray(rows.T))
        for unit, rows in zip(units, centres, strict=True)
    ]


def centred(sums: FloatArray, old: FloatArray) -> FloatArray:
    """Mean direction of each class; one without any direction stays where it was."""
    return np.where(sums.any(axis=1, keepdims=True), unit_length(sums), old)


def directions_of(views: Views) -> Directions:
    """The views at unit length."""
    return directions([matrix for _, matrix in views.items()], views.observed)


def _filled(problem: Problem, centres: Sequence[FloatArray], view: int) -> FloatArray:
    """Where no labelled object of a class shows this view, let the other views find some that do.

    Else the class would score zero here, and hardly ever be chosen against those that do not.
    """
    others = [other for other in range(len(centres)) if other != view]
    own = centres[view]
    if not others:
        return own
    known = np.any([centres[other].any(axis=1) for other in others], axis=0)
    lacking: BoolArray = np.logical_and(known, ~own.any(axis=1))
    if not lacking.any():
        return own
    units = problem.unlabelled.units
    scores = scores_of([units[v] for v in others], [centres[v] for v in others])
    total = reduce(np.add, weigh(scores, problem.shares[:, others]))
    chosen = (total == total.max(axis=1, keepdims=True)) & (total > 0) & lacking
    return centred(sum_members(units[view], chosen) * lacking[:, None], own)


def _count_flips(before: Sequence[BoolArray], after: Sequence[BoolArray]) -> int:
    """Labels that changed in any view; views that share their labels count once."""
    if all(bits is after[0] for bits in after) and all(bits is before[0] for bits in before):
        return int(np.count_nonzero(before[0] != after[0]))
    changed = (one != other for one, other in zip(before, after, strict=True))
    return int(np.count_nonzero(reduce(np.logical_or, changed)))


def _fingerprint(bits: Sequence[BoolArray]) -> bytes:
    """A few bytes that tell labels from other labels."""
    digest = blake2b(digest_size=16)
    for labels in bits:
        digest.update(np.packbits(labels).tobytes())
    return digest.digest()
