"""Means over sets, paired differences with their errors, and ranks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

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
    """Over sets, of the mean over seeds. A failure of ours scores zero; other packages are judged
    on the sets they take."""
    difference: float
    """From the reference, paired by set."""
    error: float
    """Standard error of the difference, over sets."""
    rank: float
    """Mean rank over sets."""
    sets: int
    """On how many sets it was judged."""
    failures: int
    seconds: float
    """Median of a fit."""


def by_set(cells: Iterable[Any]) -> dict[str, dict[str, float]]:
    """Mean over seeds: recipe → set → score. Views alone become their best and their mean."""
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    single: dict[tuple[str, int], list[float]] = defaultdict(list)
    for cell in cells:
        if cell["score"] is None and cell["kind"] == "peer":
            continue
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
    recipes = [recipe for recipe in table if table[recipe]]
    scores = np.array([[table[recipe].get(name, np.nan) for name in sets] for recipe in recipes])
    fixed = [recipe not in (BEST_ALONE, MEAN_ALONE) for recipe in recipes]
    ranks = np.full(scores.shape, np.nan)
    ranks[fixed] = rankdata(-scores[fixed], axis=0, nan_policy="omit")
    reference = table.get(REFERENCE[task], {})
    against = scores - np.array([reference.get(name, np.nan) for name in sets])
    kinds = {cell["recipe"]: cell["kind"] for cell in cells}
    found = []
    for place, recipe in enumerate(recipes):
        own = [cell for cell in cells if cell["recipe"] == recipe]
        judged = against[place][np.isfinite(scores[place])]
        found.append(
            Row(
                recipe=recipe,
                kind=kinds.get(recipe, "alone"),
                mean=float(np.nanmean(scores[place])),
                difference=float(np.mean(judged)),
                error=float(np.std(judged, ddof=1) / np.sqrt(len(judged)))
                if len(judged) > 1
                else np.nan,
                rank=float(np.nanmean(ranks[place])) if fixed[place] else np.nan,
                sets=len(judged),
                failures=sum(cell["score"] is None for cell in own),
                seconds=float(np.median([cell["seconds"] for cell in own])) if own else np.nan,
            )
        )
    return sorted(found, key=lambda row: -row.mean)


def condensed(cells: list[Any]) -> list[dict[str, Any]]:
    """The cells of a recipe in one task and condition as one record, for a small file."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for cell in sorted(cells, key=lambda cell: (cell["set"], cell["seed"])):
        key = cell["task"], cell["condition"], cell["recipe"]
        record = found.setdefault(
            key,
            {
                **{name: cell[name] for name in ("task", "condition", "recipe", "kind")},
                "scores": {},
                "seconds": {},
                "failures": [],
            },
        )
        record["scores"].setdefault(cell["set"], []).append(cell["score"])
        record["seconds"].setdefault(cell["set"], []).append(cell["seconds"])
        if cell["score"] is None and cell["note"] not in record["failures"]:
            record["failures"].append(cell["note"])
    return [found[key] for key in sorted(found)]


def expanded(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The cells that were condensed, without their notes."""
    return [
        {
            **{name: record[name] for name in ("task", "condition", "recipe", "kind")},
            "set": name,
            "seed": seed,
            "score": score,
            "seconds": seconds,
        }
        for record in records
        for name, scores in record["scores"].items()
        for seed, (score, seconds) in enumerate(zip(scores, record["seconds"][name], strict=True))
    ]
