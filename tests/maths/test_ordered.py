"""A reordered matrix does what the matrix itself does, from closer by."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from manyviews.maths import LowRank, Ordered, in_order


def random_graph(n, density, seed):
    half = sparse.random_array((n, n), density=density, rng=np.random.default_rng(seed))
    return sparse.csr_array(half + half.T)


def shuffled_path(n, seed=0):
    """A path through all objects, whose numbers say nothing of their place on it."""
    path = np.random.default_rng(seed).permutation(n)
    ends = (np.append(path[:-1], path[1:]), np.append(path[1:], path[:-1]))
    return sparse.csr_array((np.ones(2 * (n - 1)), ends), shape=(n, n))


def bandwidth(matrix):
    rows, columns = matrix.tocoo().coords
    return int(np.abs(rows - columns).max())


@given(
    n=st.integers(1, 40),
    density=st.sampled_from([0.0, 0.02, 0.2, 1.0]),
    width=st.sampled_from([None, 1, 3]),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=30)
def test_products_are_those_of_the_matrix(n, density, width, seed):
    gram = random_graph(n, density, seed)
    shape = (n,) if width is None else (n, width)
    block = np.random.default_rng(seed).standard_normal(shape)
    ordered = Ordered.of(gram)
    assert ordered.shape == gram.shape
    np.testing.assert_allclose(ordered @ block, gram @ block, atol=1e-13)
    np.testing.assert_array_equal(ordered.restored(ordered.arranged(block)), block)


def test_neighbours_lie_close_together():
    gram = shuffled_path(300)
    assert bandwidth(gram) > 200
    assert bandwidth(Ordered.of(gram).matrix) == 1


def test_weights_of_the_objects_find_their_rows_and_columns():
    gram = random_graph(30, 0.1, seed=1)
    weights = np.arange(1.0, 31.0)
    block = np.random.default_rng(0).standard_normal((30, 2))
    expected = weights[:, None] * (gram @ (weights[:, None] * block))
    np.testing.assert_allclose(Ordered.of(gram).scaled(weights) @ block, expected)


@pytest.mark.parametrize("index_type", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_types_are_kept(index_type, dtype):
    gram = random_graph(20, 0.2, seed=0).astype(dtype)
    gram.indices, gram.indptr = gram.indices.astype(index_type), gram.indptr.astype(index_type)
    ordered = Ordered.of(gram)
    assert ordered.dtype == dtype
    assert (ordered @ np.ones((20, 2), dtype)).dtype == dtype
    np.testing.assert_allclose(ordered @ np.ones(20), gram @ np.ones(20), rtol=1e-6)


def test_only_large_sparse_matrices_are_ordered(monkeypatch):
    monkeypatch.setitem(in_order.__globals__, "_LARGE", 10)
    assert isinstance(in_order(random_graph(11, 0.2, seed=0)), Ordered)
    factor = np.ones((11, 1))
    for gram in (random_graph(10, 0.2, seed=0), np.eye(11), LowRank(factor, factor)):
        assert in_order(gram) is gram
