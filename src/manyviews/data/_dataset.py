"""Views with what comes along: labels, their names, and other columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from manyviews.data._views import Views
from manyviews.typing import AnyArray


@dataclass(frozen=True)
class Dataset:
    """What is read from a file or loaded by name; unpacks as ``views, y = dataset``."""

    views: Views
    y: AnyArray | None = None
    """Labels as in every ``fit``: -1, None or NaN where an object has none."""
    label_names: tuple[str, ...] = ()
    """What the integers in ``y`` stand for, if they stand for names."""
    extra: Mapping[str, AnyArray] = field(default_factory=dict)
    """Other arrays with one row per object: a second labelling, a split, groups."""
    name: str = ""
    notes: tuple[str, ...] = ()
    """What was decided in reading, of which a user should know."""

    def __iter__(self) -> Iterator[Any]:
        return iter((self.views, self.y))
