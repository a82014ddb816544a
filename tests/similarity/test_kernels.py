"""Kernels against scikit-learn's, and the laws that kernels keep."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.base import clone
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel

from manyviews.similarity import RBF, Cosine, Linear, LowRankKernel, Polynomial, SelfTuningRBF
from manyviews.similarity import kernels as kernels_module
from manyviews.similarity import rows as rows_module

KERNELS = [RBF(), RBF(gamma=0.3), Linear(), Polynomial(), Polynomial(3, 0.5, 0.2), Cosine()]
ALL = [*KERNELS, SelfTuningRBF(3)]
NAMES = [repr(kernel) for kernel in ALL]


def rows(seed=0, n=17, width=4):
    return np.random.default_rng(seed).standard_normal((n, width))


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of a few rows, so that small data have several."""
    monkeypatch.setattr(rows_module, "_BLOCK_ENTRIES", 40)
    monkeypatch.setattr(rows_module, "_SPARSE_BLOCK_ENTRIES", 40)


@pytest.mark.parametrize(
    ("kernel", "reference"),
    [
        (RBF(gamma=0.3), lambda X, Y: rbf_kernel(X, Y, gamma=0.3)),
        (Linear(), lambda X, Y: X @ Y.T),
        (Polynomial(3, 0.5, 0.2), lambda X, Y: polynomial_kernel(X, Y, 3, 0.5, 0.2)),
        (Cosine(), cosine_similarity),
    ],
)
@pytest.mark.usefixtures("small_blocks")
def test_kernels_are_scikit_learns(kernel, reference):
    X, Y = rows(0), rows(1, n=6)
    np.testing.assert_allclose(kernel.gram(X), reference(X, X), atol=1e-12)
    np.testing.assert_allclose(kernel.cross(Y, X), reference(Y, X), atol=1e-12)


@pytest.mark.parametrize("kernel", ALL, ids=NAMES)
@given(seed=st.integers(0, 10_000), copies=st.booleans(), size=st.floats(1e-3, 1e3))
@settings(deadline=None, max_examples=10)
def test_laws_of_every_kernel(kernel, seed, copies, size):
    X = rows(seed) * size
    if copies:
        X[5:9] = X[0]
    K = kernel.fitted(X).gram(X)
    unit = np.abs(K).max()
    assert np.array_equal(K, K.T)
    np.testing.assert_allclose(kernel.fitted(X).cross(X, X), K, atol=1e-10 * unit)
    np.testing.assert_allclose(kernel.gram(sparse.csr_array(X)), K, atol=1e-10 * unit)
    order = np.random.default_rng(seed).permutation(len(X))
    np.testing.assert_allclose(kernel.gram(X[order]), K[np.ix_(order, order)], atol=1e-10 * unit)
    if not isinstance(kernel, SelfTuningRBF):
        assert np.linalg.eigvalsh(K).min() >= -1e-10 * unit * len(X)
    if isinstance(kernel, RBF | SelfTuningRBF):
        assert (np.diag(K) == 1.0).all()


@pytest.mark.parametrize("kernel", ALL, ids=NAMES)
@pytest.mark.usefixtures("small_blocks")
def test_each_kind_of_rows_gives_the_same(kernel):
    X, new = rows(0), rows(1, n=5)
    fitted = kernel.fitted(X)
    expected = fitted.cross(new, X)
    packed = kernel.fitted(sparse.csr_array(X))
    for one in (new, sparse.csr_array(new)):
        np.testing.assert_allclose(fitted.cross(one, X), expected, atol=1e-10)
        np.testing.assert_allclose(packed.cross(one, sparse.csr_array(X)), expected, atol=1e-10)


@pytest.mark.parametrize("kernel", ALL, ids=NAMES)
def test_single_precision_is_kept_and_counted_in_double(kernel):
    X = (rows(0) + 50.0).astype(np.float32)
    fitted = kernel.fitted(X)
    K = fitted.gram(X)
    assert K.dtype == fitted.cross(X[:3], X).dtype == np.float32
    np.testing.assert_allclose(K, kernel.gram(X.astype(float)), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kernel", ALL, ids=NAMES)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_no_rows_and_rows_of_zeros_are_rows_too(kernel, make):
    X, nothing, zeros = make(rows(0)), make(np.zeros((0, 4))), make(np.zeros((3, 4)))
    assert kernel.fitted(nothing).gram(nothing).shape == (0, 0)
    assert kernel.fitted(X).cross(nothing, X).shape == (0, 17)
    assert np.isfinite(kernel.fitted(X).cross(zeros, X)).all()
    assert np.isfinite(kernel.fitted(zeros).gram(zeros)).all()


def test_the_input_is_left_alone():
    X = rows()
    before = X.copy()
    for kernel in ALL:
        kernel.fitted(X).gram(X)
        kernel.fitted(X).cross(X[:2], X)
    assert np.array_equal(X, before)


def test_distances_far_from_the_origin_keep_their_digits():
    X = rows()
    for kernel in (RBF(gamma=0.3), SelfTuningRBF(3)):
        np.testing.assert_allclose(kernel.gram(X + 1e7), kernel.gram(X), rtol=1e-6)


@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=10)
def test_the_median_width_is_that_of_all_pairs_that_differ(seed):
    X = rows(seed, n=9)
    X[3] = X[1]
    distances = pdist(X)
    expected = 0.5 / np.median(distances[distances > 0]) ** 2
    assert RBF().fitted(X).gamma == pytest.approx(expected, rel=1e-9)
    assert RBF().fitted(sparse.csr_array(X)).gamma == pytest.approx(expected, rel=1e-6)


def test_of_many_rows_an_even_part_gives_the_median(monkeypatch):
    monkeypatch.setattr(kernels_module, "MEDIAN_SAMPLE", 10)
    X = np.arange(91.0)[:, None]
    assert RBF().fitted(X).gamma == RBF().fitted(X[::10]).gamma


def test_equal_rows_have_some_width():
    assert RBF().fitted(np.ones((4, 2))).gamma == 1.0


def test_the_unit_of_a_polynomial_does_not_matter():
    X = rows()
    np.testing.assert_allclose(Polynomial().gram(X), Polynomial().gram(1000 * X), rtol=1e-9)


def test_self_tuning_by_its_definition():
    X, new, k = rows(0), rows(1, n=3), 4
    gaps = np.linalg.norm(X[:, None] - X[None], axis=2)
    widths = np.sort(gaps, axis=1)[:, k]  # the first is the row itself
    np.testing.assert_allclose(
        SelfTuningRBF(k).gram(X), np.exp(-(gaps**2) / np.outer(widths, widths)), atol=1e-10
    )
    gaps = np.linalg.norm(new[:, None] - X[None], axis=2)
    new_widths = np.sort(gaps, axis=1)[:, k - 1]
    np.testing.assert_allclose(
        SelfTuningRBF(k).cross(new, X),
        np.exp(-(gaps**2) / np.outer(new_widths, widths)),
        atol=1e-10,
    )


def test_self_tuning_of_equal_rows_keeps_them_together():
    X = np.repeat([[0.0], [1.0]], 5, axis=0)
    K = SelfTuningRBF(2).gram(X)
    assert (K[:5, :5] == 1.0).all()
    assert (K[:5, 5:] < 0.5).all()


@pytest.mark.parametrize(
    ("kernel", "word"),
    [
        (RBF(gamma="mean"), "gamma"),
        (RBF(gamma=0.0), "gamma"),
        (RBF(gamma=np.nan), "gamma"),
        (Polynomial(degree=0), "degree"),
        (Polynomial(degree=1.5), "degree"),
        (Polynomial(coef0=-1.0), "coef0"),
        (Polynomial(gamma="median"), "gamma"),
        (Polynomial(degree=10**6), "degree=1000000 of Polynomial makes similarities of about 10"),
        (Polynomial(gamma=1e300, degree=2), "too large for float64"),
        (SelfTuningRBF(0), "n_neighbors"),
    ],
)
def test_parameters_that_cannot_be_are_refused(kernel, word):
    with pytest.raises(ValueError, match=word):
        kernel.fitted(rows()).gram(rows())


@pytest.mark.filterwarnings("error")
def test_a_width_near_zero_has_the_identity_as_its_limit():
    np.testing.assert_array_equal(RBF(gamma=1e300).gram(1e9 * rows()), np.eye(len(rows())))


@pytest.mark.parametrize("wrong", [0, 1, 2.5, np.nan, "all", None])
@pytest.mark.parametrize("kernel", [RBF(), LowRankKernel(), SelfTuningRBF()], ids=repr)
def test_numbers_of_neighbours_are_checked(kernel, wrong):
    with pytest.raises(ValueError, match=f"n_neighbors={wrong!r} of KNNGraph should be an integer"):
        kernel.graph(rows(), wrong)


@pytest.mark.parametrize("kernel", ALL, ids=NAMES)
def test_kernels_are_cloned_and_set(kernel):
    copy = clone(kernel)
    assert copy is not kernel
    assert copy == kernel
    for name in kernel.get_params():
        assert getattr(copy.set_params(**{name: 5}), name) == 5


@pytest.mark.parametrize("kernel", KERNELS, ids=NAMES[:-1])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_columns_and_diagonal_are_those_of_the_matrix(kernel, make):
    X = make(rows())
    fitted = kernel.fitted(X)
    K, column = fitted.gram(X), fitted.columns(X)
    np.testing.assert_allclose(fitted.diagonal(X), np.diag(K), atol=1e-12)
    for number in (0, 7):
        np.testing.assert_allclose(column(number), K[:, number], atol=1e-12)


@pytest.mark.parametrize("density", [0.02, 0.6])
def test_rows_that_are_hardly_sparse_are_multiplied_dense_and_others_are_not(density, monkeypatch):
    X = sparse.csr_array(
        sparse.random_array((30, 50), density=density, rng=np.random.default_rng(0))
    )
    seen = []
    plain = rows_module.products
    monkeypatch.setattr(
        rows_module,
        "products",
        lambda left, right, out=None: seen.append(sparse.issparse(left)) or plain(left, right, out),
    )
    gram, cross = Cosine().gram(X), Cosine().cross(X[:4], X)
    assert set(seen) == {density < 0.1}
    np.testing.assert_allclose(gram, Cosine().gram(X.toarray()), atol=1e-12)
    np.testing.assert_allclose(cross, gram[:4], atol=1e-12)


def test_rows_stay_sparse_where_they_would_not_fit_into_memory(monkeypatch):
    X = sparse.csr_array(np.random.default_rng(0).random((20, 4000)))
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "100KB")
    (kept,) = rows_module._dense_if_quicker(X)
    assert kept is X
