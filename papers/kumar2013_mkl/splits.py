"""The data, cut into four fifths to learn from and a fifth to test, with their base kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyviews.typing import FloatArray, IntArray
from papers._frame import DataFolder

FOLDERS = {
    "Sonar": "sonar",
    "Ionosphere": "ionosphere",
    "Pima": "pima",
    "Vertebral": "vertebral3",
}
"""Where each set of the UCI repository is found."""
FOOTBALL = "football_kernels"
TRAINING_SHARE = 0.8


@dataclass(frozen=True)
class Split:
    """Objects to learn from and others to test on; the rows of precomputed kernels are numbers."""

    train: FloatArray
    y_train: IntArray
    test: FloatArray
    y_test: IntArray


def uci_split(name: str, seed: int, data: DataFolder, *, standardized: bool = False) -> Split:
    """Cut a set at random and bring its features to [-1, 1], or to unit variance, by the training.

    All tables are measured on the former.
    """
    from manyviews.datasets import load_matrix

    folder = FOLDERS[name]
    data.path(folder)
    views, y = load_matrix(folder, data_home=data.root)
    rows = without_constants(np.asarray(views["X"], dtype=float))
    split = cut(rows, np.asarray(y), seed)
    return of_unit_variance(split) if standardized else scaled(split)


def without_constants(rows: FloatArray) -> FloatArray:
    """Leave out features that have one value: with them Ionosphere has 455 kernels, not 442."""
    return rows[:, np.ptp(rows, axis=0) > 0]


def cut(rows: FloatArray, y: IntArray, seed: int) -> Split:
    """Draw four fifths of the objects, whatever their classes."""
    drawn = np.random.default_rng(seed).permutation(len(y))
    train, test = np.split(drawn, [int(TRAINING_SHARE * len(y))])
    return Split(rows[train], y[train], rows[test], y[test])


def scaled(split: Split) -> Split:
    """Bring every feature to [-1, 1] among the objects to learn from."""
    low, width = split.train.min(axis=0), np.ptp(split.train, axis=0)
    width = np.where(width > 0, width, 1.0)
    train, test = (2 * (rows - low) / width - 1 for rows in (split.train, split.test))
    return Split(train, split.y_train, test, split.y_test)


def of_unit_variance(split: Split) -> Split:
    """Bring every feature to mean zero and variance one among the objects to learn from."""
    mean, deviation = split.train.mean(axis=0), split.train.std(axis=0)
    deviation = np.where(deviation > 0, deviation, 1.0)
    train, test = ((rows - mean) / deviation for rows in (split.train, split.test))
    return Split(train, split.y_train, test, split.y_test)


def football_split(seed: int, data: DataFolder) -> tuple[Split, dict[str, FloatArray]]:
    """Cut the objects of the nine kernels by class; return the kernels of all objects, too."""
    from sklearn.model_selection import train_test_split

    from manyviews.datasets import load_football_kernels

    data.path(FOOTBALL)
    views, y = load_football_kernels(data_home=data.root)
    codes, numbers = np.asarray(y), np.arange(len(y))
    train, test = train_test_split(
        numbers, train_size=TRAINING_SHARE, stratify=codes, random_state=seed
    )
    kernels = {name: np.asarray(views[name], dtype=float) for name in views.names}
    return Split(_column(train), codes[train], _column(test), codes[test]), kernels


def _column(numbers: Any) -> FloatArray:
    return np.asarray(numbers, dtype=float)[:, None]
