"""One view as it stands in a file of its own: rows with keys, columns with names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from manyviews.typing import Matrix

ID = "id"
"""Column with the keys of the objects."""

_WHOLE = re.compile(r"(-?\d+)(\.0+)?")


@dataclass(frozen=True)
class Table:
    """The rows of a view that a file holds; ``keys`` says which objects they are, if it knows."""

    matrix: Matrix
    names: Sequence[str] | None
    """Names of the columns, if the file has any."""
    keys: Sequence[str] | None
    id_column: str | None = None
    """Name of the column that the keys come from."""
    aside: Mapping[str, list[str]] = field(default_factory=dict)
    """Columns that were asked for as text and are no features, such as labels."""

    def with_plain_keys(self) -> Table:
        """Keys as people mean them: without spaces around, and no ``7.0`` for ``7``."""
        if self.keys is None:
            return self
        keys = [key.strip() for key in self.keys]
        whole = [_WHOLE.fullmatch(key) for key in keys]
        return replace(self, keys=[found[1] for found in whole if found] if all(whole) else keys)

    def __len__(self) -> int:
        return int(self.matrix.shape[0])
