"""Labels of unlabelled objects, switched in pairs while their cost is raised [@joachims1999]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from manyviews.typing import BoolArray, FloatArray, IntArray

_FIRST_COST = 1e-5
"""What an unlabelled object costs at first, as in [@joachims1999]."""
_MOST_LEVELS = 100
"""Doubled so often the cost is 1e25; if it has to be higher, it rises by a larger factor."""


@dataclass(frozen=True)
class Machine:
    """A two-class support vector machine, and what it says of the objects it was trained on."""

    decisions: FloatArray
    """Value of the function at every object, also at those that cost nothing."""
    objective: float
    coefficients: FloatArray
    """Factors of the kernel at every object, or of the features."""
    intercept: float
    finished: bool = True
    """Whether it was trained to the end, and not stopped at its bound of steps."""


Solve: TypeAlias = Callable[[IntArray, FloatArray], Machine]
"""From a label, 1 or -1, and a cost for every object to the machine of the least objective."""


@dataclass(frozen=True)
class Step:
    """One machine that was trained on the way."""

    costs: tuple[float, float]
    """Cost of an unlabelled object labelled positive, and of one labelled negative."""
    objective: float
    n_switched: int
    """How many labels were switched before."""
    finished: bool = True
    """Whether the machine was trained to the end."""


@dataclass(frozen=True)
class Transduction:
    """Labels of all objects, 1 or -1, and the machine that is trained on them."""

    machine: Machine
    labels: IntArray
    steps: tuple[Step, ...]
    converged: bool


@dataclass(frozen=True)
class Costs:
    """What a unit of slack costs, by the label of an object."""

    labelled: float
    unlabelled: float
    positive_weight: float = 1.0
    negative_weight: float = 1.0

    def of(self, labels: IntArray, free: BoolArray, at: tuple[float, float]) -> FloatArray:
        """Cost of every object, those of free ones being at some level of the annealing."""
        plain = np.where(free, np.where(labels > 0, *at), self.labelled)
        return plain * np.where(labels > 0, self.positive_weight, self.negative_weight)


def transduce(
    solve: Solve,
    signs: IntArray,
    costs: Costs,
    share: float,
    *,
    max_switches: int | None = None,
    max_iter: int = 1000,
) -> Transduction:
    """Label the unlabelled objects so that a wide margin separates all objects.

    Parameters
    ----------
    solve : callable
        Trains a machine.
    signs : array of shape (n,)
        1 and -1 for labelled objects, 0 for unlabelled ones.
    costs : Costs
        ``C`` and ``C*`` of the paper.
    share : float
        Share of the unlabelled objects that is to be positive.
    max_switches : int, optional
        How many pairs switch their labels at a time; 1 in the paper, all of them if not given.
    max_iter : int
        How often at most labels are switched at one level of the cost.
    """
    free = signs == 0
    machine = solve(np.where(free, 1, signs), costs.of(signs, free, (0.0, 0.0)))
    first = Step((0.0, 0.0), machine.objective, 0, machine.finished)
    if not free.any():
        return Transduction(machine, signs, (first,), converged=True)
    n_positive = count_positive(share, int(free.sum()))
    labels = signs.copy()
    labels[free] = highest(machine.decisions[free], n_positive)
    found = Transduction(machine, labels, (first,), converged=True)
    for level in cost_levels(costs.unlabelled, n_positive, int(free.sum())):
        found = _settle(solve, found, free, costs, level, max_switches, max_iter)
    return found


def _settle(
    solve: Solve,
    found: Transduction,
    free: BoolArray,
    costs: Costs,
    level: tuple[float, float],
    max_switches: int | None,
    max_iter: int,
) -> Transduction:
    """Train at one level of the cost, then switch labels until no pair lowers the objective."""
    labels, steps = found.labels, list(found.steps)
    machine = solve(labels, costs.of(labels, free, level))
    steps.append(Step(level, machine.objective, 0, machine.finished))
    for _ in range(max_iter):
        pairs = pairs_to_switch(labels, machine.decisions, free)[:max_switches]
        if not len(pairs):
            break
        switched = labels.copy()
        switched[pairs] *= -1
        retrained = solve(switched, costs.of(switched, free, level))
        if retrained.objective >= machine.objective:  # the rest is within the solver's accuracy
            break
        labels, machine = switched, retrained
        steps.append(Step(level, machine.objective, pairs.size, machine.finished))
    else:
        return Transduction(machine, labels, tuple(steps), converged=False)
    return replace(found, machine=machine, labels=labels, steps=tuple(steps))


def pairs_to_switch(labels: IntArray, decisions: FloatArray, free: BoolArray) -> IntArray:
    """Pairs of a positive and a negative object that are cheaper the other way round.

    A pair is cheaper so for the same function if the negative one has the higher value: the loss
    never rises with the value for a positive label and never falls for a negative one, whatever
    the two labels cost. The worst positive is paired with the worst negative, and so on.

    Examples
    --------
    >>> labels, values = np.array([1, 1, -1, -1]), np.array([-0.5, 0.9, 0.7, -2.0])
    >>> pairs_to_switch(labels, values, np.ones(4, dtype=bool))
    array([[0, 2]])
    """
    positive, negative = np.flatnonzero(free & (labels > 0)), np.flatnonzero(free & (labels < 0))
    positive = positive[np.argsort(decisions[positive], kind="stable")]
    negative = negative[np.argsort(-decisions[negative], kind="stable")]
    n_pairs = min(len(positive), len(negative))
    pairs = np.column_stack([positive[:n_pairs], negative[:n_pairs]])
    return pairs[decisions[pairs[:, 0]] < decisions[pairs[:, 1]]]  # ξ_m + ξ_l > 2


def cost_levels(final: float, n_positive: int, n_free: int) -> Iterator[tuple[float, float]]:
    """Costs of positive and negative unlabelled objects, doubled until both are ``final``.

    Beyond ``_MOST_LEVELS`` of them they are more than doubled.

    Examples
    --------
    >>> [f"{plus:.0e} {minus:.0e}" for plus, minus in cost_levels(4e-5, 1, 3)]
    ['5e-06 1e-05', '1e-05 2e-05', '2e-05 4e-05', '4e-05 4e-05']
    """
    if final <= 0:
        return
    ratio = max(n_positive, 1) / max(n_free - n_positive, 1)
    positive, negative = min(_FIRST_COST * ratio, final), min(_FIRST_COST, final)
    factor = max(2.0, (final / min(positive, negative)) ** (1 / _MOST_LEVELS))
    yield positive, negative
    while positive < final or negative < final:
        positive, negative = min(factor * positive, final), min(factor * negative, final)
        yield positive, negative


def count_positive(share: float, n_free: int) -> int:
    """How many unlabelled objects are to be positive; at least one of each class if there can be.

    Examples
    --------
    >>> count_positive(0.25, 10), count_positive(0.01, 10), count_positive(0.9, 1)
    (2, 1, 1)
    """
    wanted = round(share * n_free)
    return min(max(wanted, 1), n_free - 1) if n_free > 1 else wanted


def highest(values: FloatArray, n_positive: int) -> IntArray:
    """1 for the largest values, -1 for the others.

    Examples
    --------
    >>> highest(np.array([0.1, 0.9, 0.5]), 1)
    array([-1,  1, -1])
    """
    labels = np.full(len(values), -1)
    labels[np.argsort(-values, kind="stable")[:n_positive]] = 1
    return labels
