"""What a fitted method remembers of its views: their names, widths and features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate

import numpy as np

from manyviews.typing import AnyArray


@dataclass(frozen=True)
class Layout:
    """Names and widths of views, in order, with feature names where the data have them."""

    names: tuple[str, ...]
    widths: tuple[int, ...]
    feature_names: Mapping[str, AnyArray] = field(default_factory=dict)

    @property
    def n_features(self) -> int:
        """Width of all views together."""
        return sum(self.widths)

    def width(self, name: str) -> int:
        """Width of one view."""
        return self.widths[self.names.index(name)]

    def slices(self) -> dict[str, slice]:
        """Return the columns of each view in the wide matrix."""
        ends = list(accumulate(self.widths))
        return {
            name: slice(end - width, end)
            for name, width, end in zip(self.names, self.widths, ends, strict=True)
        }

    def column_names(self) -> AnyArray:
        """Names of the wide matrix's columns: ``view__feature``."""
        columns = [
            f"{name}__{feature}"
            for name, width in zip(self.names, self.widths, strict=True)
            for feature in self.feature_names.get(name, range(width))
        ]
        return np.asarray(columns, dtype=object)
