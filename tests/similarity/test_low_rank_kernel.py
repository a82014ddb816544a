"""Kernels of low rank against the kernels they stand for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from manyviews.maths import LowRank
from manyviews.similarity import (
    RBF,
    Cosine,
    KNNGraph,
    Linear,
    LowRankKernel,
    Polynomial,
    Precomputed,
    SelfTuningRBF,
)

METHODS = ["nystroem", "cholesky", "fourier"]


def rows(seed=0, n=40, width=3):
    return np.random.default_rng(seed).standard_normal((n, width))


@pytest.mark.parametrize("method", ["nystroem", "cholesky"])
@pytest.mark.parametrize("kernel", [RBF(), Linear(), Polynomial(), Cosine()])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_with_full_rank_it_is_the_kernel(method, kernel, make):
    X, new = make(rows()), make(rows(1, n=5))
    found = LowRankKernel(kernel, 40, method=method, tol=1e-12).fitted(X)
    np.testing.assert_allclose(found.gram(X).toarray(), kernel.fitted(X).gram(X), atol=1e-6)
    np.testing.assert_allclose(
        found.cross(new, X).toarray(), kernel.fitted(X).cross(new, X), atol=1e-3
    )


@given(seed=st.integers(0, 10_000), tol=st.sampled_from([0.2, 1e-2, 1e-4]))
@settings(deadline=None, max_examples=15)
def test_pivots_reach_their_tolerance_in_trace_norm(seed, tol):
    X = rows(seed)
    K = RBF(gamma=0.2).gram(X)
    left = K - RBF(gamma=0.2).factor(X, 40, method="cholesky", tol=tol).toarray()
    assert np.linalg.norm(left, "nuc") <= tol * np.trace(K) * (1 + 1e-8)
    assert np.linalg.eigvalsh(left).min() > -1e-8


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_a_training_row_that_comes_again_gets_its_row(method, make):
    X = make(rows())
    found = LowRankKernel(RBF(), 10, method=method).fitted(X)
    K = found.gram(X)
    assert isinstance(K, LowRank)
    assert K.rank <= 10
    np.testing.assert_allclose(found.cross(X[[3, 5]], X).toarray(), K.toarray()[[3, 5]], atol=1e-10)


def test_fourier_features_come_closer_the_more_there_are():
    X = rows()
    K = RBF().gram(X)
    errors = [
        np.sqrt(((RBF().factor(X, rank, method="fourier").toarray() - K) ** 2).mean())
        for rank in (50, 1250, 31250)
    ]
    ratios = [errors[0] / errors[1], errors[1] / errors[2]]
    assert min(ratios) > 3  # five times, as one over the root of their number
    assert errors[-1] < 0.005
    np.testing.assert_allclose(
        np.diag(RBF().factor(X, 50, method="fourier").toarray()), 1.0, atol=1e-12
    )


def test_pivots_beat_landmarks_at_equal_rank():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.standard_normal((300, 2)) * 0.1, rng.uniform(-9, 9, (20, 2))])
    K = RBF(gamma=1.0).gram(X)
    lost = {
        method: np.trace(K - RBF(gamma=1.0).factor(X, 30, method=method).toarray())
        for method in ("nystroem", "cholesky")
    }
    assert lost["cholesky"] < 0.2 * lost["nystroem"]


def test_of_given_similarities_only_some_columns_are_read():
    X = rows()
    K = RBF().gram(X)
    hidden = K.copy()
    found = LowRankKernel(Precomputed(), 12, method="cholesky").fitted(K)
    unread = np.setdiff1d(np.arange(40), found.kernel.objects)
    hidden[:, unread] = np.nan
    np.testing.assert_allclose(
        found.gram(hidden).toarray(), RBF().factor(X, 12, method="cholesky").toarray(), atol=1e-8
    )
    packed = LowRankKernel(Precomputed(), 12, method="cholesky").fitted(sparse.csr_array(K))
    assert np.array_equal(packed.kernel.objects, found.kernel.objects)


@pytest.mark.parametrize("method", METHODS)
def test_no_rows_are_rows_too(method):
    X = rows()
    nothing = LowRankKernel(RBF(), 6, method=method).fitted(X[:0])
    assert nothing.gram(X[:0]).shape == (0, 0)
    assert LowRankKernel(RBF(), 6, method=method).fitted(X).cross(X[:0], X).shape == (0, 40)


@pytest.mark.parametrize("method", ["nystroem", "fourier"])
def test_the_draw_is_that_of_the_seed(method):
    X = rows()
    one, again, other = (
        LowRankKernel(RBF(), 6, method=method, random_state=seed).gram(X).left for seed in (1, 1, 2)
    )
    assert np.array_equal(one, again)
    assert not np.allclose(one, other)


@pytest.mark.parametrize(
    ("kernel", "word"),
    [
        (LowRankKernel(method="svd"), "'nystroem', 'cholesky', or 'fourier'"),
        (LowRankKernel(rank=0), "rank=0"),
        (LowRankKernel(rank=1, method="fourier"), "rank=1 should be from 2"),
        (LowRankKernel(rank=10**6, method="fourier"), "rank=1000000 should be .* to 32768"),
        (LowRankKernel(Linear(), method="fourier"), "RBF only, not for Linear"),
        (LowRankKernel(SelfTuningRBF()), "SelfTuningRBF need not be positive"),
        (LowRankKernel(KNNGraph()), "KNNGraph need not be positive"),
    ],
)
def test_what_cannot_be_is_refused(kernel, word):
    with pytest.raises(ValueError, match=word):
        kernel.gram(rows())


def test_it_is_cloned_and_set():
    kernel = LowRankKernel(RBF(gamma=1.0), 7)
    copy = clone(kernel).set_params(kernel__gamma=3.0, method="cholesky")
    assert (copy.kernel.gamma, copy.rank, copy.method) == (3.0, 7, "cholesky")
    assert kernel.kernel.gamma == 1.0


def test_the_kernel_may_be_given_by_name():
    X = rows()
    by_name, by_object = (LowRankKernel(kernel, 5).gram(X) for kernel in ("rbf", RBF()))
    assert np.array_equal(by_name.left, by_object.left)
    with pytest.raises(ValueError, match="kernel='gauss' of LowRankKernel should be a Similarity"):
        LowRankKernel("gauss", 5).gram(X)


@pytest.mark.parametrize("kernel", [Linear(), Cosine(), LowRankKernel(RBF(), 10)])
def test_features_are_what_the_kernel_is_the_product_of(kernel):
    X = rows()
    fitted = kernel.fitted(X)
    features = fitted.feature_rows(X)
    np.testing.assert_allclose(features @ features.T, fitted.matrix(X), atol=1e-12)
    assert RBF().fitted(X).feature_rows(X) is None
