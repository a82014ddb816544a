"""A classifier for every subset, and the error that ensembles of some of them make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from manyviews.data import Views
from manyviews.ensemble._subsets._members import Member, Training, train_member
from manyviews.ensemble._subsets._names import Subset, spoken
from manyviews.ensemble._subsets._panel import Memory, Panel, Rule
from manyviews.exceptions import ViewsError
from manyviews.typing import FloatArray, IntArray

Report = Callable[[Member], None]


@dataclass(frozen=True)
class Candidates:
    """Trained classifiers of subsets, and the classes of the objects they were trained on."""

    members: Sequence[Member]
    codes: IntArray
    n_classes: int

    @property
    def errors(self) -> FloatArray:
        """Left-out error of each."""
        return np.array([member.error for member in self.members])

    @property
    def sizes(self) -> IntArray:
        """Number of views of each."""
        return np.array([len(member.subset) for member in self.members])

    @property
    def n_judged(self) -> IntArray:
        """Number of objects that the left-out error of each is measured on."""
        return np.array([member.n_judged for member in self.members])

    @property
    def memory(self) -> Memory:
        """What they said of the training objects."""
        return Memory.of_members(self.members, self.codes, self.n_classes)


def train_candidates(
    views: Views, codes: IntArray, subsets: Sequence[Subset], way: Training, report: Report
) -> Candidates:
    """Train a classifier for each subset that enough objects show."""
    members = []
    for subset in subsets:
        member = train_member(views, codes, subset, way)
        if member is not None:
            report(member)
            members.append(member)
        elif way.needs_all:
            raise _untaught(subset)
    if not members:
        raise _untaught(subsets[0])
    return Candidates(members, codes, way.n_classes)


def _untaught(subset: Subset) -> ViewsError:
    return ViewsError(
        f"the views {spoken(subset)} are shown together by labelled objects of fewer than two "
        "classes; label more objects that show them, or leave this subset out."
    )


def error_on(
    candidates: Candidates, rule: Rule, views: Views, codes: IntArray
) -> Callable[[IntArray], float]:
    """Return the error, on objects held out, of an ensemble of some candidates."""
    members, memory = candidates.members, candidates.memory
    panel = Panel(
        [member.subset for member in members],
        [member.estimator for member in members],
        len(members),
    )
    said = panel.ask(views, candidates.n_classes, shares=rule.weighs_shares)

    def error(columns: IntArray) -> float:
        joint = rule(said.of(columns), memory.of(columns))
        return float(np.mean(joint.argmax(axis=1) != codes))

    return error


def left_out_error(candidates: Candidates, rule: Rule) -> Callable[[IntArray], float]:
    """Return the error, on the training objects, of an ensemble that has not seen them."""
    memory = candidates.memory

    def error(columns: IntArray) -> float:
        joint = rule.left_out(memory.of(columns))
        return float(np.mean(joint.argmax(axis=1) != candidates.codes))

    return error


def hold_out(codes: IntArray, share: float, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Rows to train on and rows held out: a share of each class, never all of one.

    Examples
    --------
    >>> train, held = hold_out(np.array([0, 0, 0, 0, 1]), 0.25, np.random.default_rng(0))
    >>> len(train), len(held)
    (4, 1)
    """
    held = []
    for code in np.unique(codes):
        rows = rng.permutation(np.flatnonzero(codes == code))
        held.append(rows[: min(int(np.floor(share * len(rows) + 0.5)), len(rows) - 1)])
    chosen = np.sort(np.concatenate(held))
    if not len(chosen):
        raise ValueError(
            f"validation={share!r} holds out none of {len(codes)} labelled objects; give a larger "
            "share, or 'left_out'."
        )
    return np.setdiff1d(np.arange(len(codes)), chosen), chosen
