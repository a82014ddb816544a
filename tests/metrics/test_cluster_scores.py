from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import pair_confusion_matrix

from manyviews import metrics
from manyviews.metrics import cluster_entropy, pairwise_precision_recall_f

labellings = st.integers(1, 12).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(-1, 3), min_size=n, max_size=n)] * 2)
)


def pairs_by_hand(labels_true, labels_pred):
    pairs = list(combinations(range(len(labels_true)), 2))
    right = {(i, j) for i, j in pairs if labels_true[i] == labels_true[j]}
    found = {(i, j) for i, j in pairs if labels_pred[i] == labels_pred[j]}
    return len(right & found), len(found), len(right)


def test_entropy_by_hand():
    # cluster 0: a a b (0.918296 bits), cluster 1: b (0 bits)
    bits = -(2 / 3 * np.log2(2 / 3) + 1 / 3 * np.log2(1 / 3))
    assert cluster_entropy(["a", "a", "b", "b"], [0, 0, 0, 1]) == pytest.approx(0.75 * bits)


def test_entropy_of_one_cluster_is_that_of_the_classes():
    assert cluster_entropy([0, 1, 2, 3] * 5, [7] * 20) == pytest.approx(2.0)


def test_entropy_weighs_by_cluster_and_not_by_class():
    # clusters of 6 and 2; only the small one is mixed, half and half: 2/8 of one bit
    assert cluster_entropy([0] * 7 + [1], [0] * 6 + [1] * 2) == pytest.approx(0.25)


@given(labellings)
@settings(deadline=None, max_examples=50)
def test_entropy_is_what_the_clusters_do_not_tell(pair):
    classes, clusters = pair
    counts = np.unique(classes, return_counts=True)[1] / len(classes)
    expected = -np.sum(counts * np.log2(counts)) - mutual_info_score(classes, clusters) / np.log(2)
    assert cluster_entropy(classes, clusters) == pytest.approx(expected, abs=1e-12)


@given(labellings)
@settings(deadline=None, max_examples=50)
def test_pairs_are_counted_as_by_hand_and_as_in_scikit_learn(pair):
    both, found, right = pairs_by_hand(*pair)
    scores = pairwise_precision_recall_f(*pair)
    assert scores.precision == (both / found if found else 1.0)
    assert scores.recall == (both / right if right else 1.0)
    if scores.precision + scores.recall > 0:
        harmonic = 2 * scores.precision * scores.recall / (scores.precision + scores.recall)
        assert scores.f == pytest.approx(harmonic)
    else:
        assert scores.f == 0.0
    if len(pair[0]) > 1:
        (_, only_found), (only_right, shared) = pair_confusion_matrix(*pair)
        assert (both, found, right) == (
            shared // 2,
            (shared + only_found) // 2,
            (shared + only_right) // 2,
        )


@pytest.mark.parametrize(
    ("labels_true", "labels_pred", "expected"),
    [
        ([0, 1, 2], [0, 1, 2], (1.0, 1.0, 1.0)),
        ([0, 0, 0], [0, 1, 2], (1.0, 0.0, 0.0)),
        ([0, 1, 2], [0, 0, 0], (0.0, 1.0, 0.0)),
        (["x"], [3], (1.0, 1.0, 1.0)),
    ],
)
def test_what_happens_without_pairs(labels_true, labels_pred, expected):
    assert tuple(pairwise_precision_recall_f(labels_true, labels_pred)) == expected


def test_pairs_of_many_objects_do_not_overflow():
    n_objects = 200_000
    scores = pairwise_precision_recall_f(
        np.zeros(n_objects, dtype=np.int8), np.arange(n_objects) % 2
    )
    assert scores.precision == 1.0
    assert scores.recall == pytest.approx((n_objects / 2 - 1) / (n_objects - 1))


@pytest.mark.parametrize("score", [cluster_entropy, pairwise_precision_recall_f])
def test_names_of_labels_do_not_matter(score):
    classes, clusters = [0, 0, 1, 2, 2, 1], [1, 1, 0, 0, 2, 2]
    names = np.array(["c", "a", "b"])
    assert score(names[classes], [10 - c for c in clusters]) == score(classes, clusters)
    mixed = [("one", 1, ("x", "y"))[c] for c in classes]
    assert score(mixed, clusters) == score(classes, clusters)
    tuples = [(c, "x") for c in classes]
    assert score(tuples, clusters) == score(classes, clusters)


def test_numbers_and_their_names_are_different_labels():
    assert cluster_entropy([1, "1"], [0, 0]) == 1.0


@pytest.mark.parametrize(
    ("labels_true", "labels_pred", "message"),
    [
        ([0, 1], [0], "labels_true has 2 labels and labels_pred has 1"),
        ([], [], "empty"),
        ([0, None], [0, 1], "labels_true has no label in row 1"),
        ([0, 1], [np.nan, 1.0], "labels_pred has no label in row 0"),
        ([[0, 1], [1, 0]], [0, 1], r"labels_true has shape \(2, 2\)"),
    ],
)
@pytest.mark.parametrize("score", [cluster_entropy, pairwise_precision_recall_f])
def test_bad_labels_are_refused(score, labels_true, labels_pred, message):
    with pytest.raises(ValueError, match=message):
        score(labels_true, labels_pred)


def test_scores_of_scikit_learn_are_at_hand():
    assert metrics.normalized_mutual_info_score([0, 0, 1, 1], [1, 1, 0, 0]) == pytest.approx(1.0)
    assert metrics.adjusted_rand_score([0, 0, 1, 1], [1, 1, 0, 0]) == 1.0


def test_every_name_is_there_and_nothing_else():
    assert sorted(metrics.__all__) == metrics.__all__
    assert all(hasattr(metrics, name) for name in metrics.__all__)
