"""Clusters of objects by the votes of their views, and how alike objects and their centres are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from manyviews.maths import Directions, best_and_score, best_cluster
from manyviews.typing import FloatArray, IntArray


def vote_of_others(views: Directions, scores: Sequence[FloatArray], view: int) -> IntArray:
    """Cluster of each object by its other views, or by this one where it has no other."""
    others = [score for other, score in enumerate(scores) if other != view]
    if not others:
        return best_cluster(scores[view])
    labels = best_cluster(reduce(np.add, others))
    return _lone_by_themselves(labels, scores[view], views.alone[view])


def vote_and_similarity(views: Directions, scores: Sequence[FloatArray]) -> tuple[IntArray, float]:
    """Vote of the others on the first view, and the sum over objects of the largest score.

    The latter is of the scores added up over all views; one pass finds both.
    """
    from manyviews.cluster._directional import _kernels

    first, *others = scores
    if not others:
        labels, best = best_and_score(first)
        return labels, float(best.sum(dtype=np.float64))
    labels, total = _kernels.best_and_sum_of_best(reduce(np.add, others), first)
    return _lone_by_themselves(labels, first, views.alone[0]), float(total)


def _lone_by_themselves(labels: IntArray, scores: FloatArray, alone: IntArray) -> IntArray:
    """Give the objects that no other view shows the best cluster of this one."""
    if len(alone):
        labels[alone] = best_cluster(scores[:, alone])
    return labels
