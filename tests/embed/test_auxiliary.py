"""Auxiliary problems: what is asked of other views, dense or sparse, with gaps and by functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from manyviews import Views
from manyviews.embed.features._shared import (
    Block,
    auxiliary_values,
    largest_entry,
    problems_of,
)
from manyviews.exceptions import UnknownViewError, UnobservedViewsError

small_rows = arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.integers(-2, 2)
)


@given(rows=small_rows)
@settings(deadline=None, max_examples=30)
def test_the_largest_stored_entry_is_the_largest(rows):
    expected = np.where(rows.any(axis=1), rows.argmax(axis=1), -1)
    np.testing.assert_array_equal(largest_entry(rows), expected)
    np.testing.assert_array_equal(largest_entry(sparse.csr_array(rows)), expected)


def test_zeros_that_are_stored_are_zeros():
    parts = np.array([0.0, -1.0, 0.0]), np.array([0, 1, 2]), np.array([0, 2, 3])
    rows = sparse.csr_array(parts, shape=(2, 3))
    np.testing.assert_array_equal(largest_entry(rows), [0, -1])
    np.testing.assert_array_equal(rows.data, [0.0, -1.0, 0.0])


def three_views():
    return Views(
        {
            "a": [[1.0, 0.0], [0.0, 1.0], None, [0.0, 2.0]],
            "b": sparse.csr_array(
                [[0.0, 3.0, 3.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
            ),
            "c": [[5.0], [0.0], [1.0], None],
        }
    )


def test_a_view_is_asked_what_all_others_show():
    views = three_views()
    problems = problems_of("a", auxiliary_values("argmax", views), views)
    np.testing.assert_array_equal(problems.rows, [0, 1])  # nobody else says anything of the last
    np.testing.assert_array_equal(problems.targets.toarray(), [[0, 1, 1], [1, 0, 0]])
    assert problems.blocks == (Block("b", slice(0, 2), True), Block("c", slice(2, 3), True))


def test_what_is_unobserved_is_not_asked_about():
    views = three_views()
    problems = problems_of("b", auxiliary_values("argmax", views), views)
    np.testing.assert_array_equal(problems.rows, [0, 1, 2, 3])
    expected = [[1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
    np.testing.assert_array_equal(problems.targets.toarray(), expected)


def test_all_entries_that_are_not_zero():
    views = three_views()
    values = auxiliary_values("nonzero", views)
    assert not values["b"].exclusive
    np.testing.assert_array_equal(values["b"].values.toarray(), views["b"].toarray() != 0)
    np.testing.assert_array_equal(values["a"].values.toarray()[2], [0, 0])


def test_an_only_view_is_asked_about_itself():
    views = Views({"a": np.array([[1.0, 2.0], [3.0, 0.0]])})
    problems = problems_of("a", auxiliary_values("argmax", views), views)
    np.testing.assert_array_equal(problems.targets.toarray(), [[0, 1], [1, 0]])


def test_functions_give_values_or_zeros_and_ones():
    views = three_views()

    def signs(rows):
        return np.where(rows[:, 0] > 0, 7, -1)

    def halves(rows):
        return sparse.csr_array(rows) > 1.5

    values = auxiliary_values({"a": signs, "b": halves, "c": "argmax"}, views)
    np.testing.assert_array_equal(values["a"].values.toarray(), [[1], [0], [0], [0]])
    assert values["a"].exclusive
    assert not values["b"].exclusive
    np.testing.assert_array_equal(values["b"].values.sum(axis=1), [2, 0, 0, 0])


def test_functions_see_observed_rows_only():
    seen = {}

    def count(name):
        def function(rows):
            seen[name] = rows.shape
            return np.zeros(rows.shape[0], dtype=int)

        return function

    auxiliary_values([count("a"), count("b"), count("c")], three_views())
    assert seen == {"a": (3, 2), "b": (4, 3), "c": (3, 1)}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda rows: rows[:, 0] / 3, "one integer per row"),
        (lambda rows: np.zeros(rows.shape[0] + 1, dtype=int), "one integer per row"),
        (lambda rows: np.full(rows.shape[0], -2), "-1 for no value"),
        (lambda rows: np.full((rows.shape[0], 2), 0.5), "other than 0 and 1"),
        (lambda rows: np.zeros((rows.shape[0] + 1, 2)), "one row for each"),
    ],
)
def test_useless_functions_are_refused_with_the_view(function, message):
    auxiliary = {"a": "argmax", "b": function, "c": "argmax"}
    with pytest.raises(ValueError, match=message) as caught:
        auxiliary_values(auxiliary, three_views())
    assert "'b'" in str(caught.value)


def test_functions_of_unknown_views_are_refused():
    with pytest.raises(UnknownViewError, match="'d'"):
        auxiliary_values(
            {"a": "argmax", "b": "argmax", "c": "argmax", "d": "argmax"}, three_views()
        )


def test_views_that_never_meet_teach_nothing():
    views = Views({"a": [[1.0], None], "b": [None, [1.0]]})
    with pytest.raises(UnobservedViewsError, match="'a'"):
        problems_of("a", auxiliary_values("argmax", views), views)


def test_only_the_most_frequent_problems_are_posed():
    codes = np.array([4, 2, 2, 0, 4, 1, 3, 2])
    views = Views({"a": np.eye(8), "b": codes[:, None] + 1.0})
    values = auxiliary_values({"a": "argmax", "b": lambda rows: rows[:, 0].astype(int)}, views)
    problems = problems_of("a", values, views, most=3)
    np.testing.assert_array_equal(
        problems.targets.toarray().T, [codes == 0, codes == 2, codes == 4]
    )
    np.testing.assert_array_equal(problems.rows, range(8))
