"""Who labelled what, when, how surely, and against whom: the record that a user can audit."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from manyviews.exceptions import MissingExtraError
from manyviews.typing import AnyArray, BoolArray, FloatArray, IntArray

_SHOWN = 5


@dataclass(frozen=True, repr=False, eq=False)
class Provenance:
    """Labels that a method gave to objects, in the order in which it did.

    Examples
    --------
    >>> import numpy as np
    >>> none = np.zeros(2, dtype=bool)
    >>> record = Provenance(
    ...     np.array([1, 1]), np.array([7, 3]), np.array(["text", "links"]), np.array([0, 1]),
    ...     np.array([0.9, 0.8]), np.array([True, False]), none
    ... )
    >>> record
    Provenance of 2 labels in 1 round, 1 disputed, 0 contested
    round  object  view   label  confidence  disputed  contested
    1      7       text   0      0.9         yes       no
    1      3       links  1      0.8         no        no
    >>> record[record.disputed].object
    array([7])
    """

    round: IntArray
    """The round in which the object was labelled, from 1."""
    object: IntArray
    """The object's row."""
    view: AnyArray
    """The view that proposed the label; the surest one, if several did."""
    label: AnyArray
    """The class it was given."""
    confidence: FloatArray
    """The probability of that class to the view at the time."""
    disputed: BoolArray
    """Whether another view that shows the object would have labelled it otherwise."""
    contested: BoolArray
    """Whether another view did propose another label in the same round, being less sure."""
    sample_id: AnyArray | None = None
    """The object's name, if the views have names for objects."""

    def __len__(self) -> int:
        return len(self.round)

    def __getitem__(self, entries: Any) -> Provenance:
        """Return some entries, chosen by a mask, a slice or numbers."""
        if isinstance(entries, int | np.integer):
            entries = [entries]
        return Provenance(**{name: column[entries] for name, column in self._columns().items()})

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per label given."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("to_frame", "mudata") from error
        return pd.DataFrame(self._columns())

    def _columns(self) -> dict[str, AnyArray]:
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: column for name, column in found.items() if column is not None}

    def __repr__(self) -> str:
        rounds = int(self.round.max()) if len(self) else 0
        title = (
            f"Provenance of {len(self)} labels in {rounds} round{'s' * (rounds != 1)}, "
            f"{int(self.disputed.sum())} disputed, {int(self.contested.sum())} contested"
        )
        more = [f"… and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []
        return "\n".join([title, *self._head(), *more])

    def _head(self) -> list[str]:
        if not len(self):
            return []
        columns = [
            [name, *(_as_text(value) for value in column[:_SHOWN])]
            for name, column in self._columns().items()
        ]
        widths = [max(map(len, column)) for column in columns]
        return [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in zip(*columns, strict=True)
        ]


def _as_text(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
