"""Kernels that are given as matrices: as views, or looked up by the numbers of objects."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone

from manyviews import Views
from manyviews.maths import generator
from manyviews.mkl import KernelLibrary, kumar2013_kernels
from manyviews.similarity import Linear, Lookup, Precomputed
from manyviews.similarity.base import PositiveSimilarity


def linear_grams(n=20, seed=0):
    rng = generator(seed)
    rows = {name: rng.normal(size=(n, 4)) for name in ("follows", "mentions")}
    return rows, {name: matrix @ matrix.T for name, matrix in rows.items()}


def stacked(kernels):
    return np.stack(list(kernels))


def numbers(rows):
    return Views(np.asarray(rows, dtype=float)[:, None])


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("normalize", [True, False])
def test_matrices_give_what_their_kernels_do(keep, normalize):
    rows, matrices = linear_grams()
    training, new = generator(1).permutation(20)[:13], np.arange(20)
    expected = KernelLibrary("linear", normalize=normalize).fitted(Views(rows)[training])
    library = KernelLibrary.from_matrices(matrices, normalize=normalize, keep=keep)
    found = library.fitted(numbers(training))
    assert found.names == ["follows", "mentions"]
    left, right = generator(2).integers(0, 13, (2, 30))
    pairs = [(found, expected), (found.new(numbers(new)), expected.new(Views(rows)))]
    for one, other in pairs:
        assert_allclose(stacked(one), stacked(other), atol=1e-12)
        assert_allclose(one.pairs(left, right), other.pairs(left, right), atol=1e-12)
        assert_allclose(one.examples(slice(2, 9)), other.examples(slice(2, 9)), atol=1e-12)
        weights = np.array([0.2, 0.8])
        assert_allclose(one.combined(weights), other.combined(weights), atol=1e-12)


def test_views_that_are_kernels_give_what_their_kernels_do():
    rows, matrices = linear_grams()
    chosen = np.array([2, 3, 5, 8, 9, 14, 17])
    observed = np.ones((20, 2), dtype=bool)
    observed[[3, 10], 1] = False
    expected = KernelLibrary(Linear()).fitted(Views(rows, observed=observed), chosen)
    views = Views(matrices, observed=observed)
    found = KernelLibrary(Precomputed(), keep=False).fitted(views, chosen)
    assert found.names == ["follows", "mentions"]
    assert_allclose(stacked(found), stacked(expected), atol=1e-12)
    assert_allclose(
        stacked(found.new(views)), stacked(expected.new(Views(rows, observed=observed))), atol=1e-12
    )


@pytest.mark.parametrize("kind", [csr_array, lambda matrix: matrix.astype(np.float32)])
def test_matrices_may_be_sparse_or_of_single_precision(kind):
    _, matrices = linear_grams()
    expected = stacked(KernelLibrary.from_matrices(matrices).fitted(numbers(range(9))))
    library = KernelLibrary.from_matrices({name: kind(K) for name, K in matrices.items()})
    for keep in (True, False):
        found = library.set_params(keep=keep).fitted(numbers(range(9)))
        assert_allclose(stacked(found), expected, atol=1e-6)
        every = np.arange(9)
        assert_allclose(found.pairs(every, every), stacked(found)[:, every, every].T)
    views = Views({name: kind(K) for name, K in matrices.items()})
    found = KernelLibrary(Precomputed(), keep=False).fitted(views, np.arange(9))
    assert_allclose(stacked(found), expected, atol=1e-6)


def test_a_view_may_be_missing_in_a_kernel_that_is_looked_up():
    rows, matrices = linear_grams()
    observed = {"follows": np.ones(20, bool), "mentions": np.arange(20) % 3 > 0}
    ids = {name: np.arange(20.0)[:, None] for name in rows}
    library = KernelLibrary({name: Lookup(matrices[name]) for name in rows})
    found = library.fitted(Views(ids, observed=observed))
    expected = KernelLibrary("linear").fitted(Views(rows, observed=observed))
    assert found.names == ["follows", "mentions"]
    assert_allclose(stacked(found), stacked(expected), atol=1e-12)


def test_a_copy_of_the_library_shares_the_matrices():
    _, matrices = linear_grams()
    library = KernelLibrary.from_matrices(matrices)
    copy = clone(library)
    assert copy is not library
    assert copy.kernels[0] is not library.kernels[0]
    assert copy.kernels[0].matrix is library.kernels[0].matrix is matrices["follows"]


def test_small_asymmetries_are_averaged():
    _, matrices = linear_grams()
    matrices["follows"][0, 1] += 1e-9
    found = KernelLibrary.from_matrices(matrices).fitted(numbers(range(20))).gram(0)
    assert np.array_equal(found, found.T)
    kernels = KernelLibrary(Precomputed(), keep=False).fitted(Views(matrices))
    assert_allclose(kernels.gram(0), found, atol=1e-15)
    there, back = (kernels.pairs(np.array([one]), np.array([1 - one])) for one in (0, 1))
    assert_allclose(there, back, rtol=1e-12)


def test_any_other_positive_similarity_is_formed():
    class Overlap(PositiveSimilarity):
        """The smaller of two numbers, a kernel that is no function of products."""

        def gram(self, X):
            return self.cross(X, X)

        def cross(self, new, X):
            return np.minimum(new, X.T)

        def diagonal(self, X):
            return X.ravel()

        def columns(self, X):
            return lambda number: self.cross(X, X[[number]]).ravel()

    views = Views({"a": generator(0).gamma(1.0, size=(9, 1))})
    plain = np.minimum(views["a"], views["a"].T)
    for keep in (True, False):
        kernels = KernelLibrary([Overlap(), "linear"], normalize=False, keep=keep).fitted(views)
        assert_allclose(kernels.gram(1), plain)
        assert_allclose(kernels.new(views[:3]).gram(1), plain[:3])
        assert_allclose(kernels.pairs(np.arange(3), np.arange(3))[:, 1], np.diag(plain)[:3])


# -- what is refused -----------------------------------------------------------------------------


def asymmetric(K):
    K = K.copy()
    K[4, 2] += 1.0
    return K


def indefinite(K):
    return K - 0.5 * np.eye(len(K)) * np.linalg.norm(K)


@pytest.mark.parametrize("spoil", [asymmetric, indefinite])
def test_what_is_no_kernel_is_refused(spoil):
    _, matrices = linear_grams()
    matrices["mentions"] = spoil(matrices["mentions"])
    reason = "is not symmetric: object 2 with 4" if spoil is asymmetric else "eigenvalues go from -"
    message = rf"^the kernel matrix 'mentions' [^\n]*{reason}[^\n]*\.$"
    with pytest.raises(ValueError, match=message):
        KernelLibrary.from_matrices(matrices)
    with pytest.raises(ValueError, match=message):
        KernelLibrary(Precomputed()).fitted(Views(matrices))


def test_a_matrix_that_is_looked_up_unchecked_is_checked_in_fit():
    K = indefinite(linear_grams()[1]["follows"])
    with pytest.raises(ValueError, match="'bad' is not positive semi-definite"):
        KernelLibrary([Lookup(K, "bad")]).fitted(numbers(range(20)))
    K = asymmetric(linear_grams()[1]["follows"])
    with pytest.raises(ValueError, match="'bad' is not symmetric: object 2 with 4"):
        KernelLibrary([Lookup(K, "bad")]).fitted(numbers([3, 2, 4]))
    K[0, 3] = np.nan
    with pytest.raises(ValueError, match="'bad' has NaN"):
        KernelLibrary([Lookup(K, "bad")]).fitted(numbers([0, 3]))


def test_rounding_to_single_precision_leaves_a_kernel():
    X = generator(0).normal(size=(300, 3))
    K = (X @ X.T).astype(np.float32).astype(float)
    assert np.linalg.eigvalsh(K)[0] < -1e-7  # no kernel any more, strictly
    KernelLibrary.from_matrices({"rounded": K}).fitted(numbers(range(300)))


def test_of_many_objects_some_are_looked_at():
    K = np.eye(700)
    K[::2, ::2] -= 0.1
    with pytest.raises(ValueError, match="not positive semi-definite"):
        KernelLibrary(Precomputed()).fitted(Views({"a": K}))


@pytest.mark.parametrize(
    ("matrices", "message"),
    [
        ({}, "there are no kernel matrices"),
        ({"a": np.eye(3), "b": np.eye(4)}, "'a' is of 3 objects but 'b' of 4"),
        ({"a": np.ones((3, 2))}, r"'a' has shape \(3, 2\)"),
        ({"a": np.full((2, 2), np.nan)}, "'a' has NaN or infinite entries"),
    ],
)
def test_sets_of_matrices_that_do_not_fit_are_refused(matrices, message):
    with pytest.raises(ValueError, match=rf"^[^\n]*{message}[^\n]*\.$"):
        KernelLibrary.from_matrices(matrices)


# -- memory --------------------------------------------------------------------------------------


def peak(work):
    tracemalloc.start()
    try:
        result = work()
        return tracemalloc.get_traced_memory()[1], result
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("n", "n_features"), [(208, 60), (768, 8)])
def test_hundreds_of_kernels_are_never_in_memory_together(n, n_features):
    views = Views(generator(0).normal(size=(n, n_features)))
    n_kernels = 13 * n_features + 13
    fitting, kernels = peak(lambda: KernelLibrary(kumar2013_kernels(), on="both").fitted(views))
    assert len(kernels) == n_kernels
    summing, _ = peak(lambda: kernels.combined(np.ones(n_kernels)))
    everything = 8 * n_kernels * n**2
    assert fitting < everything / 20
    assert summing < everything / 20


def test_fitting_to_given_matrices_copies_none():
    matrices = {f"k{number}": np.eye(400) + number for number in range(6)}
    library = KernelLibrary.from_matrices(matrices, keep=False)
    used, kernels = peak(lambda: library.fitted(numbers(range(400))))
    assert used < 400**2 * 8 / 2
    used, _ = peak(lambda: kernels.combined(np.ones(6)))
    assert used < 400**2 * 8 * 2.5
