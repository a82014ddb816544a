"""Similarities that are looked up by the numbers of objects."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array, issparse
from sklearn.base import clone

from manyviews.maths import generator
from manyviews.similarity import Lookup

ROWS = generator(0).normal(size=(6, 3))
K = ROWS @ ROWS.T
SOME = np.array([[4], [0], [2]])


def test_rows_and_columns_are_found_by_number():
    lookup = Lookup(K).fitted(SOME)
    assert_array_equal(lookup.gram(SOME), K[np.ix_([4, 0, 2], [4, 0, 2])])
    assert_array_equal(lookup.cross(np.array([[5.0], [5.0]]), SOME), K[np.ix_([5, 5], [4, 0, 2])])
    assert_array_equal(lookup.diagonal(SOME), np.diag(K)[[4, 0, 2]])
    assert_array_equal(lookup.columns(SOME)(1), K[[4, 0, 2], 0])


def test_sparse_matrices_stay_sparse():
    lookup = Lookup(csr_array(K))
    found = lookup.gram(csr_array(SOME.astype(float)))
    assert issparse(found)
    assert_array_equal(found.toarray(), Lookup(K).gram(SOME))
    assert_array_equal(lookup.diagonal(SOME), np.diag(K)[[4, 0, 2]])
    assert_array_equal(lookup.columns(SOME)(2), K[[4, 0, 2], 2])


def test_copies_share_the_matrix():
    lookup = Lookup(K, "mine")
    copy = clone(lookup)
    assert copy is not lookup
    assert copy.matrix is K
    assert (copy.name, repr(copy)) == ("mine", "Lookup(name='mine')")


@pytest.mark.parametrize(
    ("matrix", "rows", "message"),
    [
        (K, np.array([[0.0], [1.5]]), "row 1 asks Lookup.* for object 1.5"),
        (K, np.array([[6]]), "for object 6, and its objects are numbered from 0 to 5"),
        (K, np.array([[-1]]), "for object -1"),
        (K, np.zeros((2, 3)), "reads one column, the numbers of the objects, and got 3"),
        (K[:4], SOME, r"needs a square array, objects × objects, and has \(4, 6\)"),
        ("K", SOME, "matrix='K' of Lookup should be an array or sparse matrix"),
    ],
)
def test_what_is_no_object_is_refused(matrix, rows, message):
    with pytest.raises(ValueError, match=rf"^[^\n]*{message}[^\n]*\.$"):
        Lookup(matrix).fitted(rows)
