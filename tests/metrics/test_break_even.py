from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from manyviews.metrics import precision_recall_break_even

ranked = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(any),
        st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=n, max_size=n),
    )
)


@given(ranked)
@settings(deadline=None, max_examples=50)
def test_ties_count_as_the_mean_over_all_orders(case):
    labels, scores = np.array(case[0]), np.array(case[1])
    n_positive = labels.sum()
    found = []
    for order in permutations(range(len(labels))):
        order = list(order)
        top = np.array(order)[np.argsort(-scores[order], kind="stable")][:n_positive]
        found.append(labels[top].mean())
    assert precision_recall_break_even(labels, scores) == pytest.approx(np.mean(found))


@given(st.integers(2, 40), st.integers(0, 1000))
@settings(deadline=None, max_examples=50)
def test_without_ties_it_is_where_precision_meets_recall(n_objects, seed):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n_objects) % 2)
    scores = rng.permutation(n_objects).astype(float)
    precision, recall, _ = precision_recall_curve(labels, scores)
    value = precision_recall_break_even(labels, scores)
    meeting_points = precision[np.isclose(precision, recall) & (precision > 0)]
    assert meeting_points == pytest.approx([value] if value > 0 else [])


def test_a_constant_score_gives_the_share_of_positives():
    assert precision_recall_break_even([1, 0, 0, 1, 0], np.zeros(5)) == pytest.approx(0.4)


def test_perfect_and_reversed_rankings():
    labels = np.array([1, 1, 0, 0, 0])
    assert precision_recall_break_even(labels, labels) == 1.0
    assert precision_recall_break_even(labels, -labels) == 0.0
    assert precision_recall_break_even([1, 1], [0.2, 0.1]) == 1.0


@pytest.mark.parametrize("labels", [[-1, 1, 1], [False, True, True], [0.0, 1.0, 1.0]])
def test_ways_to_write_two_classes(labels):
    assert precision_recall_break_even(labels, [3.0, np.inf, 1.0]) == 0.5


def test_the_positive_class_can_be_named():
    labels = ["course", "other", "course"]
    assert precision_recall_break_even(labels, [3, 2, 1], pos_label="course") == 0.5
    assert precision_recall_break_even(labels, [3, 2, 1], pos_label="other") == 0.0


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([0, 0], [1.0, 2.0], "no object of the positive class 1"),
        ([0, 1, 2], [1.0, 2.0, 3.0], "3 classes"),
        (["a", "b"], [1.0, 2.0], "give pos_label"),
        ([0, 1], [1.0], r"scores has shape \(1,\) for 2 labels"),
        ([0, 1], [1.0, np.nan], "scores is NaN in row 1"),
        ([1, None], [1.0, 2.0], "y_true has no label in row 1"),
        ([], [], "no object of the positive class"),
        (3, [1.0], "y_true is 3; give a flat array"),
        ([0, 1], ["a", "b"], "scores are not all numbers"),
    ],
)
def test_bad_rankings_are_refused(labels, scores, message):
    with pytest.raises(ValueError, match=message):
        precision_recall_break_even(labels, scores)
