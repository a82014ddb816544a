"""Numbers as small whole numbers: between which cuts each value of a feature falls."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from manyviews.typing import FloatArray, IntArray

MOST_CUTS = 255
"""With so many cuts the number of a bin fits into a byte."""
_SAME = 1e-6
"""Values that differ by less, relative to their size, are never cut apart."""


@dataclass(frozen=True)
class Bins:
    """Cuts of every feature."""

    cuts: FloatArray = field(repr=False)
    """Features × 255, rising; infinite where a feature has fewer."""

    def check_indices(self) -> None:
        """Refuse cuts of another number than the search for a bin halves."""
        if self.cuts.ndim != 2 or self.cuts.shape[1] != MOST_CUTS:
            raise ValueError(f"the cuts have the shape {self.cuts.shape}")

    def codes(self, values: FloatArray) -> IntArray:
        """How many cuts of its feature lie below each value, rows × features."""
        from manyviews.mkl._forest._kernels import count_cuts

        if values.shape[1] != len(self.cuts):
            raise ValueError(f"there are cuts for {len(self.cuts)} features of {values.shape[1]}.")
        return count_cuts(np.ascontiguousarray(values), self.cuts)


def choose_bins(values: FloatArray) -> Bins:
    """Cut every feature at up to 255 places, with equally many values between two of them.

    A cut lies midway between two values, so that what differs from them by rounding only falls
    on the same side. A feature of at most 256 values is cut between any two of them.

    Examples
    --------
    >>> choose_bins(np.array([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]])).cuts[:, :3]
    array([[1.5, 3. , inf],
           [inf, inf, inf]])
    """
    cuts = np.full((values.shape[1], MOST_CUTS), np.inf)
    for row, column in zip(cuts, np.asarray(values, dtype=np.float64).T, strict=True):
        found = _cuts(column)
        row[: len(found)] = found
    return Bins(cuts)


def _cuts(column: FloatArray) -> FloatArray:
    ordered = np.sort(column)
    low, high = ordered[:-1], ordered[1:]
    size = np.maximum(np.abs(low), np.abs(high)) + _SAME * (ordered[-1] - ordered[0])
    places = np.flatnonzero(high - low > _SAME * size)
    if len(places) > MOST_CUTS:
        wanted = np.linspace(0, len(ordered), MOST_CUTS + 2)[1:-1]
        places = np.unique(places[np.searchsorted(places[:-1], wanted)])
    return (low[places] + high[places]) / 2
