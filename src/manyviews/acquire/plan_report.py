"""The answer of ``plan``: actions in their order, and how they print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from manyviews.base import aligned
from manyviews.exceptions import MissingExtraError

__all__ = ["Action", "Expectation", "Kind", "Plan", "counted", "headline"]

Kind: TypeAlias = Literal["label", "view"]
Expectation: TypeAlias = Literal["conditional-mean", "mixture"]

SHOWN = 20
"""Actions that a plan prints; what fits a window."""


@dataclass(frozen=True)
class Action:
    """One question: ask for the label of an object, or measure a view of it."""

    kind: Kind
    row: int
    sample_id: Any
    """The object's id; its row where the views have none."""
    view: str | None
    """Which view is to be measured; None for a label."""
    gain: float
    """Expected information in nats; in a diverse plan what is added to the actions above."""
    cost: float

    @property
    def gain_per_cost(self) -> float:
        """Nats for each unit of cost; infinite where the question is free."""
        return self.gain / self.cost if self.cost > 0 else float("inf")

    def __str__(self) -> str:
        what = "label" if self.view is None else f"view {self.view!r}"
        verb = "ask for the" if self.view is None else "measure"
        return f"{verb} {what} of {self.sample_id}"


@dataclass(frozen=True, repr=False)
class Plan(Sequence[Action]):
    """What to ask next, best first; prints as a table. The answer of :func:`plan`."""

    actions: tuple[Action, ...]
    budget: float
    n_candidates: int
    """Questions among which these were chosen."""
    expectation: Expectation
    """What stands for a view that is not measured yet."""
    diverse: bool
    """Whether each gain is what an action adds to those above it, or is that of it alone."""
    is_upper_bound: bool
    """Whether gains of views are upper bounds of what is expected, Eq. (13) and (14)."""
    notes: tuple[str, ...] = ()
    """What one should know of it, in sentences; why it is empty, if it is."""

    @property
    def total_gain(self) -> float:
        """Nats of all actions together; of a plan that is not diverse the sum is too large."""
        return float(sum(action.gain for action in self.actions))

    @property
    def total_cost(self) -> float:
        """Cost of all actions."""
        return float(sum(action.cost for action in self.actions))

    @overload
    def __getitem__(self, place: int) -> Action: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, place: int | slice) -> Action | tuple[Action, ...]:
        return self.actions[place]

    def __len__(self) -> int:
        return len(self.actions)

    def to_dict(self) -> dict[str, Any]:
        """Everything in plain types that JSON can hold; a free action has no gain per cost."""
        return {
            "actions": [
                {**asdict(each), "gain_per_cost": each.gain_per_cost if each.cost > 0 else None}
                for each in self.actions
            ],
            "total_gain": self.total_gain,
            "total_cost": self.total_cost,
            "budget": self.budget if np.isfinite(self.budget) else None,
            "n_candidates": self.n_candidates,
            "expectation": self.expectation,
            "diverse": self.diverse,
            "is_upper_bound": self.is_upper_bound,
            "notes": list(self.notes),
        }

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row per action, best first."""
        try:
            import pandas
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        names = ("kind", "row", "sample_id", "view", "gain", "cost", "gain_per_cost")
        columns = {name: [getattr(each, name) for each in self.actions] for name in names}
        rank = pandas.RangeIndex(1, len(self.actions) + 1, name="rank")
        return pandas.DataFrame(columns, index=rank)

    def __str__(self) -> str:
        return as_text(self)

    __repr__ = __str__


def as_text(found: Plan) -> str:
    """A headline, a table of the first actions, and the notes."""
    rest = len(found) - SHOWN
    parts = [headline(found)]
    if len(found):
        lines = aligned(table_of(found.actions[:SHOWN]), numbers=(0, 3, 4, 5))
        parts.append("\n".join([*lines, *([f"… and {rest:,} more"] if rest > 0 else [])]))
    if found.notes:
        parts.append("\n".join(f"Note: {note}" for note in found.notes))
    return "\n\n".join(parts)


def headline(found: Plan) -> str:
    """How many questions, their gain and their cost."""
    n = len(found)
    if not n:
        return f"An empty plan: nothing is asked, of {counted(found.n_candidates, 'question')}."
    most = "at most " if found.is_upper_bound and any(a.kind == "view" for a in found) else ""
    about = "" if found.diverse or n == 1 else ", each by itself"
    budget = "an unlimited budget" if np.isinf(found.budget) else f"a budget of {found.budget:g}"
    return (
        f"Plan of {counted(n, 'question')} out of {found.n_candidates:,}: "
        f"{most}{found.total_gain:.4g} nats{about}, at a cost of {found.total_cost:g} within "
        f"{budget}"
    )


def counted(n: int, what: str) -> str:
    """Say how many there are.

    Examples
    --------
    >>> counted(1, "question"), counted(1200, "question")
    ('1 question', '1,200 questions')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"


def table_of(actions: Sequence[Action]) -> list[list[str]]:
    """A row of heads, then a row for each action."""
    heads = ["rank", "object", "question", "gain", "cost", "gain/cost"]
    rows = [
        [
            f"{rank}",
            str(each.sample_id),
            "label" if each.view is None else f"view {each.view}",
            f"{each.gain:.4g}",
            f"{each.cost:g}",
            f"{each.gain_per_cost:.4g}" if each.cost > 0 else "free",
        ]
        for rank, each in enumerate(actions, start=1)
    ]
    return [heads, *rows]
