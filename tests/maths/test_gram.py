"""Similarities in three shapes: whatever is done to one shape is done to the matrix it means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from manyviews.maths import LowRank, frobenius, scaled, spread_gram, to_dense

SHAPES = ["dense", "sparse", "low-rank"]


def in_shape(kind, seed=0, rows=5, columns=4):
    """A matrix in one of the shapes, and the same matrix as an array."""
    rng = np.random.default_rng(seed)
    left, right = rng.standard_normal((rows, 2)), rng.standard_normal((columns, 2))
    if kind == "low-rank":
        return LowRank(left, right), left @ right.T
    dense = left @ right.T * (rng.random((rows, columns)) < 0.6)
    return (sparse.csr_array(dense) if kind == "sparse" else dense), dense


@pytest.mark.parametrize("kind", SHAPES)
@given(seed=st.integers(0, 99))
@settings(deadline=None, max_examples=15)
def test_what_is_done_to_a_shape_is_done_to_its_matrix(kind, seed):
    gram, dense = in_shape(kind, seed)
    rng = np.random.default_rng(seed + 1)
    left, right = rng.random(5), rng.random(4)
    np.testing.assert_allclose(to_dense(gram), dense, atol=1e-12)
    np.testing.assert_allclose(frobenius(gram), np.sqrt((dense**2).sum()), atol=1e-12)
    np.testing.assert_allclose(
        to_dense(scaled(gram, left, right)), np.diag(left) @ dense @ np.diag(right), atol=1e-12
    )
    np.testing.assert_allclose(gram @ np.ones(4), dense.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(to_dense(gram[[2, 0]]), dense[[2, 0]], atol=1e-12)
    for axis in (0, 1):
        np.testing.assert_allclose(gram.sum(axis=axis), dense.sum(axis=axis), atol=1e-12)


@pytest.mark.parametrize("kind", SHAPES)
def test_spreading_puts_entries_at_their_places_and_keeps_the_shape(kind):
    gram, dense = in_shape(kind, rows=2, columns=3)
    rows, columns = np.array([3, 1]), np.array([0, 4, 2])
    found = spread_gram(gram, rows, columns, (5, 6))
    expected = np.zeros((5, 6))
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            expected[row, column] = dense[i, j]
    assert type(found) is type(gram)
    np.testing.assert_allclose(to_dense(found), expected, atol=1e-12)


def test_products_of_low_rank_add_and_transpose():
    one, first = in_shape("low-rank", 1)
    two, second = in_shape("low-rank", 2)
    np.testing.assert_allclose((one + two).toarray(), first + second, atol=1e-12)
    np.testing.assert_allclose(one.T.toarray(), first.T, atol=1e-12)
    assert (one + two).rank == 4
