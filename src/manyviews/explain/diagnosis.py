"""Look at every view alone, every pair and all together, before a method is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from manyviews.base import check_argument
from manyviews.data import Labels, Views, check_views, split_labelled
from manyviews.explain.findings import with_findings
from manyviews.explain.report import Diagnosis, JointReport, PairReport, ViewReport
from manyviews.explain.single_view import (
    CLUSTER_COMPONENTS,
    FOLDS,
    Clusters,
    Folds,
    Look,
    accuracies,
    agreement,
    cluster_agreement,
    deal_folds,
    find_clusters,
    look_at,
    mean_and_error,
    out_of_fold,
    view_facts,
)
from manyviews.maths import (
    IndependenceTest,
    canonical_pairs,
    generator,
    independence_test,
    median_rbf,
    without_group_means,
)
from manyviews.typing import FloatArray, IntArray, Interval, RandomState, ViewsLike

__all__ = ["diagnose"]

MAX_OBJECTS = 5_000
"""Objects beyond this many are left to chance: a random subset is measured."""
FEW_SHARED_OBJECTS = 30
"""Pairs seen together less often than this are not compared."""
CORRELATION_COMPONENTS = 20
"""Principal components per view for canonical correlations, at most one per ten objects."""
CORRELATIONS = 3
"""How many canonical correlations are reported."""
RIDGE = 0.1
"""Regularisation of the canonical correlations, as a share of the mean variance."""
TEST_OBJECTS = 400
"""Objects that enter the kernel test of dependence."""
TEST_CLASSES = 40
"""Classes among which these objects are drawn, so that each keeps some to be exchanged."""
PERMUTATIONS = 199
"""Re-pairings in that test."""
Jobs = Annotated[int, Interval(1, 1000)] | Annotated[int, Interval(-1000, -1)] | None
Answer = tuple[JointReport, tuple[ViewReport, ...]]


def diagnose(
    views: ViewsLike,
    y: Any = None,
    *,
    random_state: RandomState = 0,
    max_objects: int = MAX_OBJECTS,
    n_jobs: int | None = None,
) -> Diagnosis:
    r"""Tell what each view is worth, what the views share, and what that means for the choice.

    Every view is reduced to principal components (dense features standardised, rows of sparse
    views scaled to length 1, missing cells filled by the mean). On these are measured

    - of each view: the cross-validated balanced accuracy of a shrunken linear discriminant if
      there are labels, and the silhouette of k-means for 2 to 10 clusters against that of a
      Gaussian cloud;
    - of each pair: how far predictions and clusterings agree, canonical correlations on held-out
      objects, and the Hilbert-Schmidt independence criterion, given the class if there are
      labels, with a permutation p-value;
    - of all views together: the accuracy beyond the best single view, and what each view adds to
      the others.

    The findings follow from these numbers by the rules and thresholds of this room, which err on
    the silent side: no finding means no clear evidence.

    Parameters
    ----------
    views : views in any accepted form
        May have unobserved views and missing cells. See :class:`manyviews.Views`.
    y : array-like, optional
        Labels, with -1, None or NaN for unlabelled objects.
    random_state : int, generator or None
        Draws folds, starts, permutations and subsets.
    max_objects : int
        Of more objects than this a random subset is measured, labelled ones first.
    n_jobs : int, optional
        Views and pairs measured at the same time, as in scikit-learn.

    Returns
    -------
    Diagnosis
        Numbers per view, per pair and joint, and findings in words.

    Examples
    --------
    >>> import numpy as np
    >>> from manyviews import diagnose
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> signal = rng.normal(size=(200, 3)) + 4 * y[:, None]
    >>> found = diagnose({"text": signal, "noise": rng.normal(size=(200, 5))}, y)
    >>> print(*found.findings, sep="\n")
    noise is near chance ...: drop it, or check how it was made.
    ...
    """
    from joblib import Parallel, delayed

    check_argument("random_state", random_state, RandomState)
    check_argument("max_objects", max_objects, Annotated[int, Interval(2)])
    check_argument("n_jobs", n_jobs, Jobs)
    checked = check_views(views, accept_nan=True, method="diagnose")
    labels = _read_labels(y, checked)
    rng = generator(random_state)
    rows = _choose_rows(len(checked), labels, max_objects, rng)
    sample = checked[rows]
    folds = None
    if labels is not None:
        folds = deal_folds(Labels(labels.codes[rows], labels.classes), rng)
    seeds = rng.integers(2**31, size=(checked.n_views + 1, checked.n_views)).tolist()
    run = Parallel(n_jobs=n_jobs)
    looks: list[Look] = run(
        delayed(look_at)(
            view_facts(name, matrix, checked.observed_in(name)),
            sample[name],
            sample.observed_in(name),
            folds,
            seed,
        )
        for (name, matrix), seed in zip(checked.items(), seeds[-1], strict=True)
    )
    pairs: list[PairReport] = run(
        delayed(compare)(looks[i], looks[j], folds, labels is not None, seeds[i][j])
        for i, j in combinations(range(len(looks)), 2)
    )
    joint, reports = join(looks, folds, labels, seeds[0][0])
    # Shares of the objects are those of all of them, not only of the subset that was measured.
    joint = replace(joint, n_objects=len(checked), complete=_share_with(checked, checked.names))
    pairs = [replace(pair, shared=_share_with(checked, pair.views)) for pair in pairs]
    return with_findings(Diagnosis(reports, tuple(pairs), joint))


def _read_labels(y: Any, views: Views) -> Labels | None:
    if y is None:
        return None
    labels = split_labelled(y, views)
    if len(labels.codes) != len(views):
        raise ValueError(
            f"y has {len(labels.codes)} labels for {len(views)} objects; give one per object, "
            "with -1, None or NaN where there is none."
        )
    return labels if labels.labelled.any() else None


def _choose_rows(
    n_objects: int, labels: Labels | None, max_objects: int, rng: np.random.Generator
) -> IntArray:
    if n_objects <= max_objects:
        return np.arange(n_objects)
    order = rng.permutation(n_objects)
    if labels is not None:
        order = order[np.argsort(~labels.labelled[order], kind="stable")]
    return np.sort(order[:max_objects])


def _share_with(views: Views, names: Sequence[str]) -> float:
    return float(np.all([views.observed_in(name) for name in names], axis=0).mean())


def compare(
    first: Look, second: Look, folds: Folds | None, labelled: bool, seed: int
) -> PairReport:
    """Measure one pair on the objects that have both views."""
    both = first.seen & second.seen
    pair = PairReport((first.report.name, second.report.name), float(both.mean()))
    if not (first.usable and second.usable):
        return replace(pair, note="one of the two is constant or never observed")
    if both.sum() < FEW_SHARED_OBJECTS:
        return replace(pair, note=f"only {int(both.sum())} objects have both")
    rng = np.random.default_rng(seed)
    return replace(
        pair,
        correlations=held_out_correlations(first.scores[both], second.scores[both], rng),
        **_agreements(first, second, folds, labelled),
        **_dependence_of(first, second, folds, rng),
    )


def _agreements(first: Look, second: Look, folds: Folds | None, labelled: bool) -> dict[str, Any]:
    clusters = None
    if first.clusters is not None and second.clusters is not None:
        clusters = cluster_agreement(first.clusters, second.clusters)
    if not labelled:
        return {"agreement": clusters, "expected_agreement": 0.0, "cluster_agreement": clusters}
    shares: tuple[float | None, float | None] = (None, None)
    if folds is not None and first.predictions is not None and second.predictions is not None:
        shares = agreement(first.predictions, second.predictions, folds)
    return {
        "agreement": shares[0],
        "expected_agreement": shares[1],
        "cluster_agreement": clusters,
    }


def _dependence_of(
    first: Look, second: Look, folds: Folds | None, rng: np.random.Generator
) -> dict[str, Any]:
    """Given the class where enough labelled objects have both views, else given nothing."""
    rows = first.seen & second.seen
    classes = None
    if folds is not None and (rows & folds.used).sum() >= FEW_SHARED_OBJECTS:
        rows = rows & folds.used  # co-training assumes independence within a class, not overall
        classes = folds.codes[rows]
    test = dependence(first.scores[rows], second.scores[rows], classes, rng)
    return {
        "dependence": test.dependence,
        "p_value": test.p_value,
        "given": "nothing" if classes is None else "class",
    }


def held_out_correlations(
    first: FloatArray, second: FloatArray, rng: np.random.Generator
) -> tuple[float, ...]:
    """First canonical correlations on objects that did not help to find the directions.

    Directions come from the leading principal components, at most one per ten objects, so that
    wide views do not correlate by their width alone; correlations are averaged over five folds
    and may be slightly negative where the views share nothing.
    """
    n_objects = len(first)
    fold = rng.permutation(n_objects) % FOLDS
    width = max(1, min(CORRELATION_COMPONENTS, n_objects // 10))
    first, second = first[:, :width], second[:, :width]
    n_pairs = min(CORRELATIONS, first.shape[1], second.shape[1])
    found = np.zeros((FOLDS, n_pairs))
    for held in range(FOLDS):
        train, test = fold != held, fold == held
        pairs = canonical_pairs(
            first[train], second[train], n_components=n_pairs, regularization=RIDGE
        )
        values = pairs.held_out(first[test], second[test])
        found[held, : len(values)] = values
    return tuple(float(value) for value in found.mean(axis=0))


def dependence(
    first: FloatArray, second: FloatArray, classes: IntArray | None, rng: np.random.Generator
) -> IndependenceTest:
    """Test whether two views are independent, given the class if classes are given.

    Class means are taken away from each view, so that what the class explains is gone; HSIC with
    Gaussian kernels of median width compares what is left; re-pairing objects within their class
    gives the p-value and the level of no dependence. At most 400 objects of at most 40 classes
    take part.
    """
    chosen = rng.permutation(len(first))
    if classes is not None and len(chosen) > TEST_OBJECTS:
        kept = rng.permutation(np.unique(classes))[:TEST_CLASSES]
        chosen = chosen[np.isin(classes[chosen], kept)]
    chosen = chosen[:TEST_OBJECTS]
    first, second = first[chosen], second[chosen]
    groups = None if classes is None else classes[chosen]
    if groups is not None:
        first, second = without_group_means(first, groups), without_group_means(second, groups)
    return independence_test(
        median_rbf(first),
        median_rbf(second),
        groups=groups,
        n_permutations=PERMUTATIONS,
        random_state=rng,
    )


def join(looks: Sequence[Look], folds: Folds | None, labels: Labels | None, seed: int) -> Answer:
    """Measure all views together; return that, and the views' reports with what each adds."""
    joint = _described(looks, labels)
    reports = tuple(look.report for look in looks)
    if not any(look.usable for look in looks):
        return replace(joint, note="no view varies"), reports
    if labels is None:
        return _by_clusters(joint, looks, seed)
    if folds is None:
        note = "accuracy needs two classes with at least two labelled objects each"
        return replace(joint, note=note), tuple(replace(r, note=r.note or note) for r in reports)
    return _by_accuracy(joint, looks, folds)


def _described(looks: Sequence[Look], labels: Labels | None) -> JointReport:
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
    name = None if best is None else best.name
    found = replace(joint, quality=clusters.silhouette, chance=clusters.chance, best_view=name)
    return found, reports


def _joint_clusters(blocks: list[FloatArray], seed: int) -> Clusters | None:
    wide = np.hstack(blocks)
    left, values, _ = np.linalg.svd(wide - wide.mean(axis=0), full_matrices=False)
    scores = (left * values)[:, :CLUSTER_COMPONENTS]
    return find_clusters(scores, np.ones(len(scores), dtype=bool), seed)


def _by_accuracy(joint: JointReport, looks: Sequence[Look], folds: Folds) -> Answer:
    everything = _predict_together(looks, folds)
    together = accuracies(everything, folds)
    quality, error = mean_and_error(together)
    chance = 1.0 / folds.n_classes
    joint = replace(
        joint, n_folds=folds.n_folds, quality=quality, quality_error=error, chance=chance
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
    # Paired by fold and on the same objects: the error of a difference, not of two accuracies.
    gain, error = mean_and_error(
        accuracies(everything, folds, predictions >= 0) - accuracies(predictions, folds)
    )
    return replace(joint, best_view=name, gain=gain, gain_error=error), reports


def _predict_together(looks: Sequence[Look], folds: Folds) -> IntArray:
    """Predict from all components side by side; an unobserved view counts as its mean."""
    wide = np.hstack([look.scores for look in looks if look.usable])
    return out_of_fold(wide, np.ones(len(wide), dtype=bool), folds)


def _with_gain(look: Look, looks: Sequence[Look], folds: Folds, together: FloatArray) -> ViewReport:
    others = [other for other in looks if other is not look and other.usable]
    if not others or not look.usable:
        return look.report
    gain, error = mean_and_error(together - accuracies(_predict_together(others, folds), folds))
    return replace(look.report, gain=gain, gain_error=error)


def _beside_all(
    report: ViewReport, alone: IntArray | None, everything: IntArray, folds: Folds
) -> ViewReport:
    """Add what all views reach on the objects that have this one, to stand beside its quality."""
    if alone is None:
        return report
    together, error = mean_and_error(accuracies(everything, folds, alone >= 0))
    return replace(report, together=together, together_error=error)
