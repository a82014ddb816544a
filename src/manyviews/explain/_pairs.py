"""What two views have to do with each other: agreement, correlations and a test of dependence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from manyviews.explain._clusters import cluster_agreement
from manyviews.explain._look import Look
from manyviews.explain._quality import Folds, agreement
from manyviews.explain._report import PairReport
from manyviews.explain._thresholds import (
    CORRELATION_COMPONENTS,
    CORRELATIONS,
    FEW_SHARED_OBJECTS,
    FOLDS,
    PERMUTATIONS,
    RIDGE,
    TEST_CLASSES,
    TEST_OBJECTS,
)
from manyviews.maths import (
    IndependenceTest,
    canonical_pairs,
    independence_test,
    median_rbf,
    without_group_means,
)
from manyviews.typing import FloatArray, IntArray


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
        rows = rows & folds.used
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
