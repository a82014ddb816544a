"""Which objects are labelled, whatever the labels are."""

import numpy as np
import pandas as pd
import pytest

from manyviews.base import split_labelled


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([3, -1, 7], [0, -1, 1], [3, 7]),
        (np.array([1.0, np.nan, 0.0]), [1, -1, 0], [0.0, 1.0]),
        ([True, False], [1, 0], [False, True]),
        (["b", None, "a"], [1, -1, 0], ["a", "b"]),
        (["b", np.nan, "a"], [1, -1, 0], ["a", "b"]),
        (np.array(["b", "a"]), [1, 0], ["a", "b"]),
        (pd.Series(["b", pd.NA, "a"]), [1, -1, 0], ["a", "b"]),
        ([("x", 1), None, ("x", 0)], [1, -1, 0], [("x", 0), ("x", 1)]),
        (["b", 2, None], [0, 1, -1], ["b", 2]),
        (np.array([[2], [-1]]), [0, -1], [2]),
        ([-1, -1], [-1, -1], []),
        ([1, None, 2], [0, -1, 1], [1, 2]),
    ],
    ids=str,
)
def test_labels_and_gaps(y, codes, classes):
    labels = split_labelled(y)
    assert labels.codes.tolist() == codes
    assert labels.classes.tolist() == classes
    assert labels.labelled.tolist() == [code >= 0 for code in codes]


def test_minus_one_among_objects_is_a_label():
    assert split_labelled(np.array([-1, None, "a"], dtype=object)).classes.tolist() == [-1, "a"]


def test_counts():
    assert split_labelled([0, 1, 1, -1]).counts.tolist() == [1, 2]


def test_tables_of_labels_are_refused():
    with pytest.raises(ValueError, match="one label per object"):
        split_labelled(np.eye(3))
