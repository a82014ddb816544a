from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from manyviews.exceptions import NumberOfViewsError, UnknownViewError
from manyviews.metrics import (
    disagreement_rate,
    view_agreement,
    view_disagreement_matrix,
    view_imbalance,
    view_unanimity,
)


def test_the_papers_example():
    first = np.zeros(1000, dtype=int)
    second = np.repeat([0, 1], 500)
    assert view_agreement([first, second]) == 0.5
    assert view_imbalance([55.0, 42.7]) == pytest.approx(12.3)


def test_only_objects_seen_in_both_views_count():
    predictions = {"text": ["a", "b", None, "a"], "links": ["a", "a", "b", "a"]}
    observed = np.array([[1, 1], [1, 1], [0, 1], [1, 0]], dtype=bool)
    assert view_agreement(predictions, observed) == 0.5
    by_name = {"text": observed[:, 0], "links": observed[:, 1]}
    assert view_agreement(predictions, by_name) == 0.5


def test_with_three_views_pairs_count_the_same():
    predictions = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 0, 0]]
    # agreement of pairs: 3/4, 2/4, 1/4
    assert view_agreement(predictions) == pytest.approx(0.5)
    assert disagreement_rate(predictions) == pytest.approx(0.5)
    assert view_unanimity(predictions) == 0.25


def test_pairs_without_common_objects_are_left_out():
    observed = np.array([[1, 1, 0], [1, 0, 1]], dtype=bool)
    matrix = view_disagreement_matrix([[0, 0], [0, 9], [9, 1]], observed)
    assert np.array_equal(matrix, [[0, 0, 1], [0, 0, np.nan], [1, np.nan, 0]], equal_nan=True)
    assert view_agreement([[0, 0], [0, 9], [9, 1]], observed) == 0.5
    assert view_unanimity([[0, 0], [0, 9], [9, 1]], observed) == 0.5


@given(st.integers(2, 4), st.integers(1, 8), st.integers(0, 10_000))
@settings(deadline=None, max_examples=50)
def test_against_counting_one_by_one(n_views, n_objects, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=(n_views, n_objects))
    observed = rng.random((n_objects, n_views)) < 0.8
    rates, unanimous = [], []
    for one, other in combinations(range(n_views), 2):
        common = [i for i in range(n_objects) if observed[i, one] and observed[i, other]]
        if common:
            rates.append(np.mean([labels[one, i] != labels[other, i] for i in common]))
    for i in range(n_objects):
        said = [labels[v, i] for v in range(n_views) if observed[i, v]]
        if len(said) > 1:
            unanimous.append(len(set(said)) == 1)
    assume(rates)
    assert disagreement_rate(list(labels), observed) == pytest.approx(np.mean(rates))
    assert view_unanimity(list(labels), observed) == pytest.approx(np.mean(unanimous))


def test_labels_keep_their_type_when_compared():
    assert view_agreement([[1, 2], ["1", "2"]]) == 0.0
    assert view_agreement([[1, 2], [1.0, 2.0]]) == 1.0
    assert view_agreement([["a", None], ["a", "b"]], [[True, True], [False, True]]) == 1.0


def test_imbalance_is_best_minus_worst():
    assert view_imbalance({"a": 0.5, "b": 0.9, "c": 0.6}) == pytest.approx(0.4)
    assert view_imbalance(np.array([0.3, 0.3])) == 0.0


@pytest.mark.parametrize(
    ("predictions", "observed", "message"),
    [
        ([[0, 1], [0]], None, "view 'view0' has 2 labels but view 'view1' has 1"),
        ([[], []], None, "empty"),
        (None, None, "predictions is None; give a dict or list"),
        ([1, 2], None, "view 'view0' is 1; give a flat array"),
        (np.zeros((2, 3)), None, "one table"),
        ([[0, None], [0, 1]], None, "view 'view0' has no label in row 1"),
        ([[0, 1], [0, 1]], np.ones((2, 3), dtype=bool), r"observed has shape \(2, 3\)"),
        ([[0, 1], [0, 1]], np.ones((2, 2)), "should be 2 booleans"),
        ([[0, 1], [0, 1]], np.array([[True, False], [False, True]]), "no object is seen in two"),
    ],
)
@pytest.mark.parametrize("score", [view_agreement, view_unanimity])
def test_bad_predictions_are_refused(score, predictions, observed, message):
    with pytest.raises(ValueError, match=message):
        score(predictions, observed)


def test_one_view_is_too_few():
    with pytest.raises(NumberOfViewsError, match=r"holds 1 view"):
        view_agreement({"only": [0, 1]})
    with pytest.raises(NumberOfViewsError, match=r"holds 1 view"):
        view_imbalance([0.5])


def test_unknown_views_and_odd_scores_are_refused():
    with pytest.raises(UnknownViewError, match="'sound'"):
        view_agreement({"a": [0], "b": [0]}, {"sound": np.array([True])})
    with pytest.raises(ValueError, match="score of view 'b' is not a finite number"):
        view_imbalance({"a": 0.5, "b": np.nan})
    for odd in ([[0.5, 0.4], [0.3, 0.2]], 0.5, np.array(0.5), [object(), object()]):
        with pytest.raises(ValueError, match="one number per view"):
            view_imbalance(odd)
