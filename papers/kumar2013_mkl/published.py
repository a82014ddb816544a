"""Tables 5.2, 5.3, 6.1 and 6.3 as printed: mean accuracies over ten splits, and deviations."""

from __future__ import annotations

from typing import TypeAlias

Row: TypeAlias = tuple[tuple[float, ...], tuple[float, ...]]
"""Values and spreads."""

BEST, AVERAGE, ALIGNMENT = "Best Kernel", "Average", "Targ. Align"
SIMPLE, L2, UFO, TWO_STAGE = "MKL (SILP/Simple)", "L2-MKL", "UFO-MKL", "TS-MKL"
AVERAGE_LINEAR, LINEAR = "Average Kernel", "TS-MKL Linear"
POLYNOMIAL_2, POLYNOMIAL_3 = "TS-MKL Polynomial-2", "TS-MKL Polynomial-3"
FOREST = "TS-MKL RF"

SETS = ("Sonar", "Ionosphere", "Pima", "Vertebral")
N_KERNELS = {"Sonar": 793, "Ionosphere": 442, "Pima": 117, "Vertebral": 91}
"""With those on single features; without them there are 13."""

KERNEL_SETS = tuple(f"{name} p={p}" for name in SETS for p in (N_KERNELS[name], 13))
"""Columns of Table 5.2, in its order."""

ALL_KERNELS: dict[str, Row] = {
    BEST: (
        (86.90, 86.90, 95.00, 95.00, 76.10, 76.10, 83.65, 83.67),
        (4.23, 4.24, 2.04, 2.04, 2.63, 2.63, 5.73, 5.73),
    ),
    AVERAGE: (
        (85.00, 86.42, 92.00, 94.28, 76.82, 76.30, 81.58, 82.03),
        (4.5, 3.73, 2.87, 3.01, 2.76, 2.62, 5.92, 5.03),
    ),
    ALIGNMENT: (
        (80.24, 85.47, 91.57, 94.42, 75.97, 76.82, 82.88, 80.90),
        (4.2, 3.26, 2.28, 2.17, 3.03, 3.15, 6.18, 4.18),
    ),
    SIMPLE: (
        (85.23, 84.76, 92.54, 95.42, 75.71, 75.97, 82.72, 78.42),
        (5.11, 2.55, 1.56, 2.50, 3.28, 3.16, 4.16, 3.55),
    ),
    L2: (
        (86.42, 85.71, 91.85, 95.14, 75.45, 76.55, 79.68, 80.87),
        (4.05, 4.04, 1.51, 2.04, 2.31, 2.23, 4.84, 5.1),
    ),
    UFO: (
        (82.85, 86.19, 91.85, 96.14, 74.28, 74.02, 79.16, 79.09),
        (6.7, 4.3, 2.86, 1.9, 2.47, 3.46, 6.57, 6.03),
    ),
    TWO_STAGE: (
        (86.43, 86.19, 92.43, 94.29, 75.78, 76.42, 82.82, 81.10),
        (3.9, 3.38, 1.18, 2.12, 3.02, 2.87, 5.63, 4.42),
    ),
}

SINGLE_FEATURES: dict[str, Row] = {
    AVERAGE_LINEAR: ((74.52, 87.14, 75.84, 81.02), (5.9, 3.4, 2.5, 5.3)),
    LINEAR: ((73.10, 87.00, 76.43, 81.13), (3.4, 3.3, 2.1, 4.7)),
    POLYNOMIAL_2: ((83.57, 90.43, 76.56, 82.48), (2.9, 3.1, 2.8, 5.3)),
    POLYNOMIAL_3: ((82.10, 89.21, 74.83, 78.20), (5.9, 3.8, 2.6, 4.2)),
    FOREST: ((82.86, 92.71, 75.39, 81.26), (4.2, 3.5, 2.9, 6.9)),
}
"""Table 6.3; Table 6.1 is the same without its last row."""

SECONDS = {
    "Sonar p=793": {ALIGNMENT: 133.0, UFO: 3.018, TWO_STAGE: 1.09},
    "Pima p=117": {ALIGNMENT: 93.71, UFO: 17.97, TWO_STAGE: 1.3977},
}
"""Table 5.3 without Caltech 101."""

CIRCLES = {"linear": 54.0, "polynomial": 100.0}
"""Training accuracies of section 6.2.1.1."""
