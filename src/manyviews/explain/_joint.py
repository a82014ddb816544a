"""All views together: what they reach beyond the best of them, and what each one adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from manyviews.data import Labels
from manyviews.explain._clusters import Clusters, find_clusters
from manyviews.explain._look import Look
from manyviews.explain._quality import Folds, accuracies, out_of_fold, summarise
from manyviews.explain._report import JointReport, ViewReport
from manyviews.explain._thresholds import CLUSTER_COMPONENTS
from manyviews.typing import FloatArray, IntArray

Answer = tuple[JointReport, tuple[ViewReport, ...]]


def join(looks: Sequence[Look], folds: Folds | None, labels: Labels | None, seed: int) -> Answer:
    """Measure all views together; return that, and the views' reports with what each adds."""
    joint = _start(looks, labels)
    reports = tuple(look.report for look in looks)
    if not any(look.usable for look in looks):
        return replace(joint, note="no view varies"), reports
    if labels is None:
        return _by_clusters(joint, looks, seed)
    if folds is None:
        note = "accuracy needs two classes with at least two labelled objects each"
        return replace(joint, note=note), tuple(replace(r, note=r.note or note) for r in reports)
    return _by_accuracy(joint, looks, folds)


def _start(looks: Sequence[Look], labels: Labels | None) -> JointReport:
    n_measured = len(looks[0].seen)
    if labels is None:
        return JointReport(n_measured, n_measured, "silhouette", 0.0, {})
    counts = zip(labels.classes.tolist(), labels.counts.tolist(), strict=True)
    return JointReport(
        n_objects=len(labels.codes),
        n_measured=n_measured,
        measure="balanced accuracy",
        labelled=float(labels.labelled.mean()),
        class_counts={str(name): count for name, count in counts},
    )


def _by_clusters(joint: JointReport, looks: Sequence[Look], seed: int) -> Answer:
    """Without labels the silhouette is the quality; across spaces it gives no gain."""
    reports = tuple(
        replace(look.report, quality=look.report.silhouette, chance=look.report.silhouette_chance)
        for look in looks
    )
    clusters = _joint_clusters([look.scores for look in looks if look.usable], seed)
    if clusters is None:
        return replace(joint, note="too few different objects for clusters"), reports
    known = [report for report in reports if report.quality is not None]
    best = max(known, key=lambda report: report.quality or 0.0, default=None)
    return (
        replace(
            joint,
            quality=clusters.silhouette,
            chance=clusters.chance,
            best_view=None if best is None else best.name,
        ),
        reports,
    )


def _joint_clusters(blocks: list[FloatArray], seed: int) -> Clusters | None:
    wide = np.hstack(blocks)
    left, values, _ = np.linalg.svd(wide - wide.mean(axis=0), full_matrices=False)
    scores = (left * values)[:, :CLUSTER_COMPONENTS]
    return find_clusters(scores, np.ones(len(scores), dtype=bool), seed)


def _by_accuracy(joint: JointReport, looks: Sequence[Look], folds: Folds) -> Answer:
    everything = _predict_together(looks, folds)
    together = accuracies(everything, folds)
    found = summarise(together)
    joint = replace(
        joint,
        n_folds=folds.n_folds,
        quality=found.value,
        quality_error=found.error,
        chance=1.0 / folds.n_classes,
    )
    reports = tuple(
        _beside_all(_with_gain(look, looks, folds, together), look.predictions, everything, folds)
        for look in looks
    )
    alone = [
        (look.report.quality, look.report.name, look.predictions)
        for look in looks
        if look.report.quality is not None and look.predictions is not None
    ]
    if not alone:
        return joint, reports
    _, name, predictions = max(alone, key=lambda entry: entry[0])
    beyond = summarise(_where(predictions, everything, folds) - accuracies(predictions, folds))
    return replace(joint, best_view=name, gain=beyond.value, gain_error=beyond.error), reports


def _predict_together(looks: Sequence[Look], folds: Folds) -> IntArray:
    """Predict from all components side by side; an unobserved view counts as its mean."""
    wide = np.hstack([look.scores for look in looks if look.usable])
    return out_of_fold(wide, np.ones(len(wide), dtype=bool), folds)


def _with_gain(look: Look, looks: Sequence[Look], folds: Folds, together: FloatArray) -> ViewReport:
    others = [other for other in looks if other is not look and other.usable]
    if not others or not look.usable:
        return look.report
    gain = summarise(together - accuracies(_predict_together(others, folds), folds))
    return replace(look.report, gain=gain.value, gain_error=gain.error)


def _beside_all(
    report: ViewReport, alone: IntArray | None, everything: IntArray, folds: Folds
) -> ViewReport:
    """Add what all views reach on the objects that have this one, to stand beside its quality."""
    if alone is None:
        return report
    found = summarise(_where(alone, everything, folds))
    return replace(report, together=found.value, together_error=found.error)


def _where(alone: IntArray, everything: IntArray, folds: Folds) -> FloatArray:
    """Accuracies of all views on the objects that one view alone can predict."""
    return accuracies(everything, folds, alone >= 0)
