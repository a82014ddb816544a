"""What the thesis prints, how ours are judged against it, and where we had to choose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from papers._frame import Paper, Place, Table
from papers.kumar2013_mkl import k_space, methods, published, timings
from papers.kumar2013_mkl.reasons import (
    DEVIATIONS,
    HALF_PLANE,
    NOTES,
    OTHER_MACHINE,
    REASONS_5_2,
    REASONS_6,
    UNMEASURED,
)
from papers.kumar2013_mkl.splits import FOLDERS, FOOTBALL

__all__ = ["NOTES", "PAPER"]


def _accuracies(
    key: str,
    caption: str,
    columns: tuple[str, ...],
    rows: Mapping[str, published.Row],
    reasons: Mapping[Place, str],
) -> Table:
    return Table(
        key,
        f"{caption} (accuracy in %, ten splits of 80/20)",
        rows=tuple(rows),
        columns=columns,
        values=tuple(values for values, _ in rows.values()),
        spreads=tuple(spreads for _, spreads in rows.values()),
        higher_is_better=True,
        resolution=0.01,
        data=tuple(FOLDERS.values()),
        reasons=reasons,
    )


def _unpublished(
    key: str, caption: str, rows: tuple[str, ...], columns: tuple[str, ...], **more: Any
) -> Table:
    values = ((None,) * len(columns),) * len(rows)
    return Table(key, caption, rows, columns, values, **more)


def _seconds(row: str) -> tuple[float, ...]:
    known = published.SECONDS[row]
    ratio = known[published.ALIGNMENT] / known[published.TWO_STAGE]
    return (*(known[name] for name in timings.COLUMNS[:-1]), round(ratio, 2))


_WITHOUT_FOREST = {
    name: row for name, row in published.SINGLE_FEATURES.items() if name != published.FOREST
}
_ANGLE = "direction of μ in degrees: 0 is K1 alone, 90 is K2 alone"
_SEPARATION = "pairs of one class above pairs of two"

PAPER = Paper(
    key="kumar2013-mkl",
    title="Learning with multiple similarities, chapters 5 and 6",
    authors=("Abhishek Kumar",),
    year=2013,
    seeds=10,
    quick_seeds=1,
    deviations=DEVIATIONS,
    tables=(
        Table(
            "two-circles",
            "Training accuracy in % on two circles (section 6.2.1.1)",
            rows=tuple(published.CIRCLES),
            columns=("accuracy",),
            values=tuple(published.CIRCLES.values()),
            resolution=0.5,
            decimals=1,
            reasons={"linear": HALF_PLANE},
        ),
        _accuracies(
            "6.1",
            "Linear kernels on single features",
            published.SETS,
            _WITHOUT_FOREST,
            {place: why for place, why in REASONS_6.items() if published.FOREST not in place},
        ),
        _accuracies(
            "5.2",
            "Gaussian, polynomial and linear kernels",
            published.KERNEL_SETS,
            published.ALL_KERNELS,
            REASONS_5_2,
        ),
        Table(
            "5.3",
            "CPU seconds of one run at known parameters, and their ratio",
            rows=tuple(published.SECONDS),
            columns=timings.COLUMNS,
            values=tuple(_seconds(row) for row in published.SECONDS),
            higher_is_better=None,
            resolution=0.01,
            data=tuple(FOLDERS[row.split()[0]] for row in published.SECONDS),
            reasons={
                **dict.fromkeys(timings.COLUMNS, OTHER_MACHINE),
                published.UFO: UNMEASURED,
            },
        ),
        _unpublished(
            "solvers",
            "TS-MKL on Sonar with 793 kernels, solved more precisely and scaled otherwise",
            tuple(methods.SOLVERS),
            methods.SOLVER_COLUMNS,
            higher_is_better={"accuracy": True, "hinge loss held out": False},
            decimals=3,
            data=(FOLDERS["Sonar"],),
        ),
        _unpublished(
            "football",
            "Nine precomputed kernels, 20 classes (accuracy in %; shares in all weights)",
            methods.FOOTBALL_METHODS,
            methods.FOOTBALL_COLUMNS,
            higher_is_better={"accuracy": True},
            decimals=3,
            data=(FOOTBALL,),
        ),
        _accuracies(
            "6.3",
            "Linear kernels on single features, and a forest over their K-examples",
            published.SETS,
            published.SINGLE_FEATURES,
            REASONS_6,
        ),
        _unpublished(
            "figure-5.1",
            "Pairs told apart by directions in the space of two kernels",
            k_space.DEGREES,
            ("K1, K2",),
            axes=(_ANGLE, _SEPARATION),
        ),
        _unpublished(
            "figure-6.1",
            "Pairs of two circles told apart, by kernels and by their squares",
            k_space.DEGREES,
            (k_space.PLAIN, k_space.SQUARED),
            axes=(_ANGLE, _SEPARATION),
        ),
    ),
)
