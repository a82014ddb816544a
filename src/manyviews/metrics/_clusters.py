"""How well clusters match known classes, from the table that counts one against the other.

The entropy is that of [@bickel2005]; the pairwise scores are those reported in [@kumar2013].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn import metrics

from manyviews.data import in_row_order, row_ids
from manyviews.maths import read_labels
from manyviews.metrics._encode import encode
from manyviews.typing import IntArray


class PairwiseScores(NamedTuple):
    """Scores over pairs of objects; unpacks as ``precision, recall, f = …``."""

    precision: float
    """Share of the pairs put into one cluster that are of one class."""
    recall: float
    """Share of the pairs of one class that were put into one cluster."""
    f: float
    """Harmonic mean of the two."""


class _Contingency(NamedTuple):
    """How often each class meets each cluster: the cells that are not zero, and the margins."""

    cells: IntArray
    clusters: IntArray
    """Which cluster each cell belongs to."""
    class_sizes: IntArray
    cluster_sizes: IntArray


def adjusted_rand_score(labels_true: Any, labels_pred: Any) -> float:
    """Score by pairs of objects, 0 for chance and 1 for the same clusters: scikit-learn's.

    Two labellings that both have an index are matched by it, which scikit-learn's own leaves out.

    Examples
    --------
    >>> adjusted_rand_score(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    return float(metrics.adjusted_rand_score(labels_true, _matched(labels_true, labels_pred)))


def normalized_mutual_info_score(
    labels_true: Any, labels_pred: Any, *, average_method: str = "arithmetic"
) -> float:
    """Score by shared information, 0 for none and 1 for the same clusters: scikit-learn's.

    Two labellings that both have an index are matched by it, which scikit-learn's own leaves out.

    Examples
    --------
    >>> normalized_mutual_info_score(["a", "a", "b", "b"], [1, 1, 0, 0])
    1.0
    """
    found = metrics.normalized_mutual_info_score(
        labels_true, _matched(labels_true, labels_pred), average_method=average_method
    )
    return float(found)


def cluster_entropy(labels_true: Any, labels_pred: Any) -> float:
    r"""Bits still needed to name an object's class once its cluster is known; 0 is best.

    .. math:: H = \sum_j \frac{n_j}{n} \Bigl(-\sum_i p_{i|j} \log_2 p_{i|j}\Bigr)

    with :math:`n_j` the size of cluster :math:`j` and :math:`p_{i|j}` the share of class
    :math:`i` in it: the conditional entropy of the classes given the clusters. It is at most
    the entropy of the classes, which one single cluster reaches, and it falls as clusters are
    split, so compare it at equal numbers of clusters.

    Deviations
    ----------
    Equation 23 of [@bickel2005] calls :math:`p_{i|j}` a count; the formula needs it as a share
    of the cluster. Its logarithm has no base there; bits, of which the text speaks, need base 2.
    Where [@desa2005] restates the measure, the weight is the size of the *class* in its words;
    it is that of the cluster.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_objects,)
        Known classes, and clusters; two with an index are matched by it.

    Returns
    -------
    float
        Bits per object.

    Examples
    --------
    >>> cluster_entropy(["a", "a", "b", "b"], [0, 0, 1, 1])
    0.0
    >>> cluster_entropy(["a", "a", "b", "b"], [0, 0, 0, 0])
    1.0
    """
    table = _contingency(labels_true, labels_pred)
    surprise = np.log2(table.cluster_sizes[table.clusters] / table.cells)  # -log2 p_{i|j}
    return float(table.cells @ surprise / table.cells.sum())  # Eq. (23), a cell is n_j p_{i|j}


def pairwise_precision_recall_f(labels_true: Any, labels_pred: Any) -> PairwiseScores:
    """Precision, recall and F over all pairs of objects: who belongs together is put together.

    A pair is *found* if both objects are in one cluster and *right* if both are of one class.
    Precision is the share of right pairs among the found, recall the share of found pairs among
    the right, and F their harmonic mean. Where no pair is found, no claim is made and none is
    wrong: precision is 1; where no pair is right, there is nothing to find: recall is 1. So two
    partitions into single objects match perfectly, and F is 0 whenever exactly one side has no
    pair.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_objects,)
        Known classes, and clusters; two with an index are matched by it.

    Returns
    -------
    PairwiseScores
        With the fields ``precision``, ``recall`` and ``f``.

    Examples
    --------
    >>> pairwise_precision_recall_f([0, 0, 1, 1], [0, 0, 0, 1])  # 3 found, 2 right, 1 both
    PairwiseScores(precision=0.3333333333333333, recall=0.5, f=0.4)
    """
    table = _contingency(labels_true, labels_pred)
    both = _n_pairs(table.cells)
    right = _n_pairs(table.class_sizes)
    found = _n_pairs(table.cluster_sizes)
    return PairwiseScores(
        precision=both / found if found else 1.0,
        recall=both / right if right else 1.0,
        f=2 * both / (found + right) if found + right else 1.0,
    )


def _n_pairs(sizes: IntArray) -> int:
    sizes = sizes.astype(np.int64)
    return int(np.sum(sizes * (sizes - 1) // 2))


def _matched(labels_true: Any, labels_pred: Any) -> Any:
    """Clusters in the order of the classes, where both have an index."""
    return in_row_order(labels_pred, row_ids(labels_true), "labels_pred")


def _contingency(labels_true: Any, labels_pred: Any) -> _Contingency:
    labels_pred = _matched(labels_true, labels_pred)
    classes = encode(read_labels(labels_true, "labels_true"), "labels_true")
    clusters = encode(read_labels(labels_pred, "labels_pred"), "labels_pred")
    if len(classes) != len(clusters):
        raise ValueError(
            f"labels_true has {len(classes)} labels and labels_pred has {len(clusters)}; "
            "give both for the same objects."
        )
    if len(classes) == 0:
        raise ValueError("labels_true and labels_pred are empty; give at least one object.")
    cluster_sizes = np.bincount(clusters)
    pairs = classes.astype(np.int64) * len(cluster_sizes) + clusters
    found, cells = np.unique(pairs, return_counts=True)
    return _Contingency(cells, found % len(cluster_sizes), np.bincount(classes), cluster_sizes)
