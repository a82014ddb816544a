"""Products of kernels: every one once, the same by BLAS, and never all at once."""

from __future__ import annotations

import tracemalloc
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.data import Views
from manyviews.mkl import KernelLibrary, k_examples
from manyviews.mkl.k_examples import (
    KExamples,
    PolynomialCombination,
    expand,
    n_terms,
    polynomial_values,
    term_names,
)
from manyviews.mkl.stochastic import Stochastic


def products(values, degree):
    return np.column_stack(
        [
            np.prod(values[:, list(factors)], axis=1)
            for power in range(1, degree + 1)
            for factors in combinations_with_replacement(range(values.shape[1]), power)
        ]
    )


@given(seed=st.integers(0, 99), n_kernels=st.integers(1, 6), degree=st.integers(1, 3))
@settings(deadline=None, max_examples=30)
def test_terms_are_the_products_and_blas_sums_them(seed, n_kernels, degree):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((5, n_kernels))
    terms = products(values, degree)
    assert terms.shape[1] == n_terms(n_kernels, degree)
    assert expand(values, degree) == pytest.approx(terms)
    weights = rng.random(terms.shape[1]) * (rng.random(terms.shape[1]) < 0.5)
    assert polynomial_values(values, weights, degree) == pytest.approx(terms @ weights)
    names = term_names([str(kernel) for kernel in range(n_kernels)], degree)
    assert len(names) == terms.shape[1]


def test_names_stand_with_their_products():
    values = np.array([[2.0, 3.0, 5.0]])
    named = dict(zip(term_names("abc", 3), expand(values, 3)[0], strict=True))
    assert named["a × c"] == 10
    assert named["b × b"] == 9
    assert named["a × b × c"] == 30
    assert named["c × c × c"] == 125


@pytest.mark.parametrize("degree", [2, 3])
def test_the_learnt_kernel_is_the_sum_of_products_and_positive(degree, monkeypatch):
    rng = np.random.default_rng(0)
    views = Views({"a": rng.standard_normal((17, 3)), "b": rng.standard_normal((17, 2))})
    kernels = KernelLibrary(["linear", "rbf"]).fitted(views)
    weights = rng.random(n_terms(len(kernels), degree))
    matrices = np.stack(list(kernels), axis=-1)
    expected = (products(matrices.reshape(-1, 4), degree) @ weights).reshape(17, 17)
    combination = PolynomialCombination(weights, degree)
    assert combination.gram(kernels) == pytest.approx(expected)
    assert np.linalg.eigvalsh(combination.gram(kernels)).min() > -1e-9
    monkeypatch.setattr(k_examples, "BLOCK_VALUES", 3 * 17 * 4)
    assert combination.gram(kernels) == pytest.approx(expected)


def test_forty_thousand_terms_need_no_room():
    rng = np.random.default_rng(0)
    signs = np.tile([1, -1], 2500)
    values = rng.standard_normal((5000, 60)) / 10
    values[:, 0] += 0.5 * signs
    examples = KExamples(values, signs, 3)
    assert not examples.fits  # 1.6 GB
    Stochastic(1, 50).solve(examples, 0.1)  # compiled, if it was not
    tracemalloc.start()
    weights = Stochastic(20, 50).solve(examples, 0.1).weights
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 2**20
    assert weights.argmax() == 0
