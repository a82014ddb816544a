"""Tables 5.2, 5.3, 6.1 and 6.3 as printed: mean accuracies over ten splits, and deviations."""

from __future__ import annotations

from typing import TypeAlias

from papers._frame import published

Row: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]
"""Values and spreads."""

_PRINTED = published("kumar2013-mkl")

BEST, AVERAGE, ALIGNMENT = "Best Kernel", "Average", "Targ. Align"
SIMPLE, L2, UFO, TWO_STAGE = "MKL (SILP/Simple)", "L2-MKL", "UFO-MKL", "TS-MKL"
AVERAGE_LINEAR, LINEAR = "Average Kernel", "TS-MKL Linear"
POLYNOMIAL_2, POLYNOMIAL_3 = "TS-MKL Polynomial-2", "TS-MKL Polynomial-3"
FOREST = "TS-MKL RF"

SETS: tuple[str, ...] = _PRINTED["6.3"]["columns"]
N_KERNELS = {"Sonar": 793, "Ionosphere": 442, "Pima": 117, "Vertebral": 91}
"""With those on single features; without them there are 13."""

KERNEL_SETS: tuple[str, ...] = _PRINTED["5.2"]["columns"]


def _rows(table: str) -> dict[str, Row]:
    values, spreads = _PRINTED[table]["values"], _PRINTED[table]["spreads"]
    return {name: (values[name], spreads[name]) for name in values}


ALL_KERNELS = _rows("5.2")
SINGLE_FEATURES = _rows("6.3")
"""Table 6.1 is the same without its last row."""
SECONDS: dict[str, dict[str, float]] = {
    row: dict(zip(_PRINTED["5.3"]["columns"], values, strict=True))
    for row, values in _PRINTED["5.3"]["values"].items()
}
"""Table 5.3 without Caltech 101."""
CIRCLES: dict[str, tuple[float]] = _PRINTED["two-circles"]["values"]
"""Training accuracies of section 6.2.1.1."""
