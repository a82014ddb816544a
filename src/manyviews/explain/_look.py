"""One view alone: its components, its clusters, and how well it predicts the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from manyviews.explain._clusters import Clusters, find_clusters
from manyviews.explain._facts import fill_cells
from manyviews.explain._quality import Folds, accuracies, out_of_fold, summarise
from manyviews.explain._reduce import reduce_view
from manyviews.explain._report import ViewReport
from manyviews.maths import effective_rank
from manyviews.typing import BoolArray, FloatArray, IntArray, Matrix


@dataclass(frozen=True)
class Look:
    """One view as the rest of the diagnosis needs it."""

    report: ViewReport
    scores: FloatArray
    seen: BoolArray
    clusters: Clusters | None
    predictions: IntArray | None

    @property
    def usable(self) -> bool:
        """Whether there is anything to learn from."""
        return self.scores.shape[1] > 0


def look_at(
    report: ViewReport, matrix: Matrix, seen: BoolArray, folds: Folds | None, seed: int
) -> Look:
    """Measure one view alone."""
    scores = reduce_view(matrix, seen, seed)
    report = replace(
        report, effective_rank=effective_rank(fill_cells(matrix[seen]), random_state=seed)
    )
    if scores.shape[1] == 0:
        note = "never observed" if not seen.any() else "constant"
        return Look(replace(report, note=note), scores, seen, None, None)
    clusters = find_clusters(scores, seen, seed)
    if clusters is not None:
        report = replace(
            report,
            silhouette=clusters.silhouette,
            silhouette_chance=clusters.chance,
            n_clusters=clusters.n_clusters,
            largest_cluster=clusters.largest,
        )
    if folds is None:
        return Look(report, scores, seen, clusters, None)
    predictions = out_of_fold(scores, seen, folds)
    per_fold = accuracies(predictions, folds)
    if np.isnan(per_fold).any():
        note = "too few labelled objects have this view"
        return Look(replace(report, note=note), scores, seen, clusters, None)
    found = summarise(per_fold)
    n_classes = len(np.unique(folds.codes[folds.used & seen]))
    report = replace(report, quality=found.value, quality_error=found.error, chance=1.0 / n_classes)
    return Look(report, scores, seen, clusters, predictions)
