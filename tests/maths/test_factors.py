"""Orthonormal columns, however the columns they come from lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.maths.factors import factors, quick_factors, weighted_triangle


def columns_of_condition(n, width, condition, seed=0):
    rng = np.random.default_rng(seed)
    left = np.linalg.qr(rng.standard_normal((n, width)))[0]
    right = np.linalg.qr(rng.standard_normal((width, width)))[0]
    return (left * np.geomspace(1.0, 1.0 / condition, width)) @ right.T


def assert_factors(block, basis, triangle):
    width = block.shape[1]
    np.testing.assert_allclose(basis.T @ basis, np.eye(width), atol=1e-13)
    np.testing.assert_allclose(basis @ triangle, block, atol=1e-13 * np.abs(block).max())
    np.testing.assert_allclose(triangle, np.triu(triangle), atol=0)


@given(
    width=st.integers(1, 12),
    condition=st.sampled_from([1.0, 1e2, 1e3, 1e5, 1e9, 1e15]),
    size=st.sampled_from([1e-100, 1.0, 1e100]),
    seed=st.integers(0, 1000),
)
@settings(deadline=None, max_examples=30)
def test_they_are_orthonormal_whatever_the_condition(width, condition, size, seed):
    block = size * columns_of_condition(60, width, condition, seed)
    for method in (factors, quick_factors):
        assert_factors(block, *method(block))


@pytest.mark.parametrize("column", ["zero", "copy"])
def test_columns_may_depend_on_each_other(column):
    block = columns_of_condition(50, 4, 2.0)
    block[:, 3] = 0.0 if column == "zero" else block[:, 0]
    assert_factors(block, *quick_factors(block))


def test_the_lengths_of_columns_do_not_make_them_dependent(monkeypatch):
    def refused(block):
        raise AssertionError("products alone are enough here")

    monkeypatch.setitem(quick_factors.__globals__, "factors", refused)
    block = columns_of_condition(50, 4, 10.0) * [1.0, 1e-6, 1e6, 1.0]
    basis, triangle = quick_factors(block)
    np.testing.assert_allclose(basis.T @ basis, np.eye(4), atol=1e-13)
    np.testing.assert_allclose(basis @ triangle, block, rtol=1e-10)


def test_the_given_columns_stay_as_they_are():
    block = np.asfortranarray(columns_of_condition(50, 4, 10.0))
    before = block.copy()
    factors(block), quick_factors(block)
    np.testing.assert_array_equal(block, before)


def test_single_precision_stays_single():
    block = columns_of_condition(200, 6, 10.0).astype(np.float32)
    basis, triangle = quick_factors(block)
    assert basis.dtype == np.float32
    np.testing.assert_allclose(basis.T @ basis, np.eye(6), atol=1e-5)
    np.testing.assert_allclose(basis @ triangle, block, atol=1e-6)


@pytest.mark.parametrize("condition", [1.0, 1e3, 1e9])
@pytest.mark.parametrize("n", [50, 5000])
def test_the_triangle_alone_is_that_of_the_weighted_rows(n, condition):
    tall = columns_of_condition(n, 6, condition)
    weights = np.random.default_rng(1).uniform(0.0, 2.0, n)
    found = weighted_triangle([tall[:, :4], tall[:, 4:]], weights)
    _, expected = factors(weights[:, None] * tall)
    signs = np.sign(np.diag(found)) * np.sign(np.diag(expected))
    np.testing.assert_allclose(signs[:, None] * found, expected, atol=1e-13)
    np.testing.assert_array_equal(found, np.triu(found))
