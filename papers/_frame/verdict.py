"""One verdict per cell: whether our number is the published one, up to the spread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from papers._frame.paper import Measured, Table

UNEXPLAINED = "unexplained"

_ROUNDING = 1e-9
"""Relative difference that decimal numbers make on their own."""


class Verdict(StrEnum):
    """What can be said of one cell."""

    WITHIN = "within the spread"
    BETTER = "better"
    WORSE = "worse"
    DIFFERENT = "different"
    NOT_MEASURED = "not measured"
    NOT_PUBLISHED = "not published"

    @property
    def needs_reason(self) -> bool:
        """Whether a reader is owed an explanation."""
        return self in {Verdict.WORSE, Verdict.DIFFERENT}


def judge(
    ours: float | None,
    published: float | None,
    *,
    spread: float = 0.0,
    resolution: float = 0.0,
    higher_is_better: bool | None = None,
) -> Verdict:
    """Compare two numbers.

    They agree when they differ by no more than the larger of ``spread`` and ``resolution``, the
    limit included. Otherwise ours is better or worse where there is a direction, and merely
    different where there is none.

    Parameters
    ----------
    ours, published : float or None
        ``None`` where there is no number.
    spread : float
        Both standard deviations combined, see :func:`combined_spread`.
    resolution : float
        The smallest difference that counts.
    higher_is_better : bool or None
        The direction, if there is one.

    Examples
    --------
    >>> str(judge(0.80, 0.81, resolution=0.01))
    'within the spread'
    >>> str(judge(0.70, 0.81, spread=0.05, higher_is_better=True))
    'worse'
    """
    if ours is None:
        return Verdict.NOT_MEASURED
    if published is None:
        return Verdict.NOT_PUBLISHED
    difference, allowed = abs(ours - published), max(spread, resolution)
    near = math.isclose(ours, published, rel_tol=_ROUNDING)
    if near or difference <= allowed * (1 + _ROUNDING):
        return Verdict.WITHIN
    if higher_is_better is None:
        return Verdict.DIFFERENT
    return Verdict.BETTER if (ours > published) == higher_is_better else Verdict.WORSE


def combined_spread(ours: float | None, published: float | None) -> float:
    """Return the standard deviation of a difference: the root of the sum of squares.

    Examples
    --------
    >>> combined_spread(3.0, 4.0), combined_spread(None, 4.0), combined_spread(None, None)
    (5.0, 4.0, 0.0)
    """
    return math.hypot(ours or 0.0, published or 0.0)


@dataclass(frozen=True)
class Cell:
    """One number of a table: theirs, ours, and the verdict."""

    row: str
    column: str
    published: float | None
    published_spread: float | None
    """Standard deviation over the paper's runs."""
    values: tuple[float | None, ...]
    """Ours, one per seed."""
    mean: float | None
    spread: float | None
    """Standard deviation over our seeds; ``None`` for fewer than two."""
    verdict: Verdict
    reason: str | None

    @property
    def n_measured(self) -> int:
        """For how many seeds there is a number."""
        return sum(value is not None for value in self.values)


def compare(table: Table, measured: Measured) -> tuple[Cell, ...]:
    """Judge every cell of a table, row by row.

    Examples
    --------
    >>> import numpy as np
    >>> table = Table("1", "", ("r",), ("A",), ((0.5,),), resolution=0.01)
    >>> compare(table, Measured(np.array([[[0.50]], [[0.52]]])))[0].verdict.value
    'within the spread'
    """
    shape = (len(table.rows), len(table.columns))
    if measured.values.shape[1:] != shape:
        raise ValueError(
            f"table {table.key!r} is {shape[0]} × {shape[1]} but was measured as "
            f"{' × '.join(map(str, measured.values.shape[1:]))}."
        )
    return tuple(
        _cell(table, row, column, measured.values[:, i, j])
        for i, row in enumerate(table.rows)
        for j, column in enumerate(table.columns)
    )


def _cell(table: Table, row: str, column: str, per_seed: np.ndarray) -> Cell:
    known = per_seed[~np.isnan(per_seed)]
    mean = float(known.mean()) if len(known) else None
    spread = float(known.std(ddof=1)) if len(known) > 1 else None
    published, published_spread = table.published(row, column), table.published_spread(row, column)
    verdict = judge(
        mean,
        published,
        spread=combined_spread(spread, published_spread),
        resolution=table.resolution,
        higher_is_better=table.direction(column),
    )
    reason = table.reason(row, column)
    if verdict.needs_reason:
        reason = reason or UNEXPLAINED
    elif verdict is not Verdict.NOT_MEASURED:
        reason = None
    values = tuple(None if np.isnan(value) else float(value) for value in per_seed)
    return Cell(row, column, published, published_spread, values, mean, spread, verdict, reason)
