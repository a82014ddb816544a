"""Means over sets, paired differences with their errors, and ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

REFERENCE = {
    "clustering": "KMeans, balanced views",
    "few labels": "LogisticRegression, balanced views",
    "supervised": "SVC, C chosen, balanced views",
}
"""What every recipe of a task is paired with: the balanced trick that users know."""
BEST_ALONE = "best view alone (by its score)"
MEAN_ALONE = "mean view alone"


@dataclass(frozen=True)
class Row:
    """One recipe in one task and condition."""

    recipe: str
    kind: str
    mean: float
    """Over sets, of the mean over seeds; a failure scores zero."""
    difference: float
    """From the reference, paired by set."""
    error: float
    """Standard error of the difference, over sets."""
    rank: float
    """Mean rank over sets."""
    sets: int
    failures: int
    seconds: float
    """Median of a fit."""


def by_set(cells: Iterable[Any]) -> dict[str, dict[str, float]]:
    """Mean over seeds: recipe → set → score. Views alone become their best and their mean."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    single: dict[tuple[str, int], list[float]] = defaultdict(list)
    for cell in cells:
        value = cell["score"] or 0.0
        if cell["kind"] == "alone":
            single[cell["set"], cell["seed"]].append(value)
        else:
            scores[cell["recipe"], cell["set"]].append(value)
    for (name, _), values in single.items():
        scores[BEST_ALONE, name].append(max(values))
        scores[MEAN_ALONE, name].append(float(np.mean(values)))
    table: dict[str, dict[str, float]] = defaultdict(dict)
    for (recipe, name), values in scores.items():
        table[recipe][name] = float(np.mean(values))
    return dict(table)


def rows(cells: list[Any], task: str) -> list[Row]:
    """All recipes of one task and condition, best mean first."""
    table = by_set(cells)
    sets = sorted({cell["set"] for cell in cells})
    recipes = list(table)
    scores = np.array([[table[recipe].get(name, np.nan) for name in sets] for recipe in recipes])
    fixed = [recipe not in (BEST_ALONE, MEAN_ALONE) for recipe in recipes]
    ranks = np.full(scores.shape, np.nan)
    from scipy.stats import rankdata

    ranks[fixed] = rankdata(-scores[fixed], axis=0)
    reference = table.get(REFERENCE[task], {})
    against = scores - np.array([reference.get(name, np.nan) for name in sets])
    kinds = {cell["recipe"]: cell["kind"] for cell in cells}
    found = []
    for place, recipe in enumerate(recipes):
        own = [cell for cell in cells if cell["recipe"] == recipe]
        found.append(
            Row(
                recipe,
                kinds.get(recipe, "alone"),
                float(np.mean(scores[place])),
                float(np.mean(against[place])),
                float(np.std(against[place], ddof=1) / np.sqrt(len(sets))) if len(sets) > 1 else 0,
                float(np.mean(ranks[place])),
                len(sets),
                sum(cell["score"] is None for cell in own),
                float(np.median([cell["seconds"] for cell in own])) if own else 0.0,
            )
        )
    return sorted(found, key=lambda row: -row.mean)
