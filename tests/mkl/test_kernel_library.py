"""Base kernels are those of scikit-learn, centred and scaled, in whatever way they are asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import (
    cosine_similarity,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)

from manyviews import Views
from manyviews.maths import generator
from manyviews.mkl import KernelLibrary, kumar2013_kernels
from manyviews.similarity import RBF, Cosine, Linear, LowRankKernel, Polynomial

ALL_KINDS = [
    RBF(gamma=0.5),
    RBF(gamma=0.125),
    RBF(gamma=0.25),
    RBF(gamma=0.3),
    RBF(),
    Polynomial(2, gamma=1.0),
    Polynomial(5, gamma=1.0),
    Polynomial(3),
    Linear(),
    Cosine(),
]


def random_views(seed=0, n=25, *, gaps=False):
    rng = generator(seed)
    data = {"a": rng.normal(size=(n, 4)) + 3.0, "b": rng.normal(size=(n, 2))}
    if not gaps:
        return Views(data)
    observed = np.ones((n, 2), dtype=bool)
    observed[::4, 1], observed[1::5, 0] = False, False
    return Views(data, observed=observed)


def normalized(raw):
    """Centre by matrix products and divide by the mean of the diagonal."""
    n = len(raw)
    centring = np.eye(n) - np.full((n, n), 1 / n)
    centred = centring @ raw @ centring
    return centred / np.diag(centred).mean()


def thirteen(X):
    gaussians = [rbf_kernel(X, gamma=2.0**power) for power in range(-10, -1)]
    powers = [polynomial_kernel(X, degree=degree, gamma=1, coef0=1) for degree in (2, 3, 4)]
    return [*gaussians, *powers, linear_kernel(X)]


def symmetric(n, seed=5):
    root = generator(seed).normal(size=(n, n))
    return root + root.T


def block_of(matrix):
    return lambda rows, columns: matrix[rows][:, columns]


def grams(kernels):
    return np.stack(list(kernels))


def test_the_thirteen_kernels_are_those_of_scikit_learn_normalized():
    views = random_views()
    kernels = KernelLibrary(kumar2013_kernels()).fitted(views)
    expected = [normalized(raw) for name in views.names for raw in thirteen(views[name])]
    assert len(kernels) == 26
    assert_allclose(grams(kernels), expected, atol=1e-10)


def test_without_normalization_they_are_plain():
    views = random_views()
    kernels = KernelLibrary(kumar2013_kernels(), normalize=False).fitted(views)
    expected = [raw for name in views.names for raw in thirteen(views[name])]
    assert_allclose(grams(kernels), expected, rtol=1e-9)


def test_the_default_kernels_are_gaussians_around_the_median_cosines_and_products():
    views = random_views()
    kernels = KernelLibrary().fitted(views)
    expected = []
    for X in (views[name] for name in views.names):
        gamma = RBF().fitted(X).gamma
        raws = [rbf_kernel(X, gamma=times * gamma) for times in (0.25, 1.0, 4.0)]
        expected += [normalized(raw) for raw in (*raws, cosine_similarity(X), linear_kernel(X))]
    assert kernels.names[:3] == ["a RBF(0.25 median)", "a RBF(median)", "a RBF(4 median)"]
    assert_allclose(grams(kernels), expected, atol=1e-10)


@pytest.mark.parametrize("on", ["views", "features"])
def test_the_default_kernels_do_not_depend_on_the_unit_of_a_view(on):
    views = random_views()
    scaled = Views({name: 1e5 * views[name] for name in views.names})
    plain, other = (KernelLibrary(on=on).fitted(some) for some in (views, scaled))
    assert_allclose(grams(other), grams(plain), atol=1e-9)


def test_features_are_compared_one_by_one():
    views = random_views()
    kernels = KernelLibrary([RBF(gamma=0.5), RBF(), Polynomial(2), Cosine()], on="features")
    found = dict(zip((fitted := kernels.fitted(views)).names, fitted, strict=True))
    assert len(found) == 4 * 6
    for place in range(4):
        column = views["a"][:, [place]]
        assert_allclose(found[f"a[{place}] RBF(2^-1)"], normalized(rbf_kernel(column, gamma=0.5)))
        median = RBF().fitted(column).gamma
        expected = normalized(rbf_kernel(column, gamma=median))
        assert_allclose(found[f"a[{place}] RBF(median)"], expected, atol=1e-12)
        expected = normalized(Polynomial(2).matrix(column))
        assert_allclose(found[f"a[{place}] polynomial(2)"], expected, atol=1e-12)
    signs = np.sign(views["b"][:, [1]])
    assert_allclose(found["b[1] cosine"], normalized(signs @ signs.T), atol=1e-12)


def test_793_kernels_on_60_features():
    views = Views(generator(0).normal(size=(12, 60)))
    kernels = KernelLibrary(kumar2013_kernels(), on="both").fitted(views)
    assert len(kernels) == 793
    assert len(set(kernels.names)) == 793
    place = kernels.names.index("view0[7] polynomial(3)")
    raw = polynomial_kernel(views["view0"][:, [7]], degree=3, gamma=1, coef0=1)
    assert_allclose(kernels.gram(place), normalized(raw), atol=1e-10)


def test_more_features_than_are_looked_at_together():
    views = Views(generator(0).normal(size=(9, 150)))
    kernels = KernelLibrary([RBF(gamma=0.1), "linear"], on="features", keep=False).fitted(views)
    for place in (0, 63, 64, 149):
        column = views["view0"][:, [place]]
        expected = normalized(rbf_kernel(column, gamma=0.1))
        assert_allclose(kernels.gram(place), expected, atol=1e-11)
        assert_allclose(kernels.gram(150 + place), normalized(linear_kernel(column)), atol=1e-11)


@pytest.mark.parametrize("on", ["views", "features", "both"])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("gaps", [True, False])
@pytest.mark.parametrize("normalize", [True, False])
def test_every_way_to_ask_gives_the_same(on, keep, gaps, normalize):
    views, rng = random_views(gaps=gaps), generator(1)
    library = KernelLibrary([*ALL_KINDS, LowRankKernel(RBF(), 5)], "views", normalize, keep)
    if on != "views":
        library = KernelLibrary(ALL_KINDS, on, normalize, keep)
    among = library.fitted(views)
    expected = grams(among)
    left, right = rng.integers(0, len(views), (2, 60))
    weights = rng.random(len(among)) * (rng.random(len(among)) < 0.4)
    for kernels in (among, among.new(views)):
        assert_allclose(grams(kernels), expected, atol=1e-9)
        assert_allclose(kernels.pairs(left, right), expected[:, left, right].T, atol=1e-9)
        found = kernels.examples(slice(3, 11))
        assert found.flags.c_contiguous
        assert_allclose(found, np.moveaxis(expected[:, 3:11], 0, -1), atol=1e-9)
        some = slice(3, 11), slice(2, 20)
        assert_allclose(kernels.stacked(*some), expected[:, *some], atol=1e-9)
        assert_allclose(kernels.combined(weights), np.tensordot(weights, expected, 1), atol=1e-9)


@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("gaps", [True, False])
@pytest.mark.parametrize("normalize", [True, False])
def test_products_with_a_matrix_are_sums_over_all_pairs(keep, gaps, normalize, monkeypatch):
    monkeypatch.setattr("manyviews.mkl.kernel_values.BLOCK_ENTRIES", 200)
    views = random_views(gaps=gaps)
    kernels = KernelLibrary(ALL_KINDS, "both", normalize, keep).fitted(views)
    matrix = symmetric(len(views))
    expected = np.tensordot(grams(kernels), matrix, axes=2)
    assert_allclose(kernels.products(block_of(matrix)), expected, rtol=1e-9, atol=1e-9)


def test_small_blocks_add_up(monkeypatch):
    views = random_views(gaps=True)
    library = KernelLibrary(ALL_KINDS, on="both", keep=False)
    expected = grams(library.fitted(views))
    monkeypatch.setattr("manyviews.mkl.kernel_values.BLOCK_ENTRIES", 64)
    monkeypatch.setattr("manyviews.mkl.kernel_values.FEATURES_AT_A_TIME", 3)
    kernels = library.fitted(views)
    assert_allclose(grams(kernels), expected, atol=1e-10)
    assert_allclose(kernels.examples(slice(None)), np.moveaxis(expected, 0, -1), atol=1e-10)
    left, right = generator(1).integers(0, len(views), (2, 99))
    assert_allclose(kernels.pairs(left, right), expected[:, left, right].T, atol=1e-10)
    assert_allclose(grams(kernels.new(views)), expected, atol=1e-9)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10**6), n=st.integers(3, 30), on=st.sampled_from(["views", "both"]))
def test_rows_sum_to_zero_the_diagonal_is_one_and_nothing_is_negative(seed, n, on):
    found = grams(KernelLibrary(ALL_KINDS, on=on).fitted(random_views(seed, n)))
    diagonals = found.diagonal(axis1=1, axis2=2).mean(axis=1)
    told_apart = diagonals != 0  # signs of a feature may all be the same
    assert_allclose(diagonals[told_apart], 1.0)
    assert told_apart.sum() >= len(found) - 6
    assert_allclose(found.sum(axis=2), 0.0, atol=1e-8)
    assert np.array_equal(found, found.swapaxes(1, 2))
    assert np.linalg.eigvalsh(found).min() > -1e-9


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_order_of_objects_orders_the_kernels(seed):
    views = random_views(seed, gaps=True)
    order = generator(seed).permutation(len(views))
    library = KernelLibrary(ALL_KINDS, on="both")
    expected = grams(library.fitted(views))[:, order][:, :, order]
    assert_allclose(grams(library.fitted(views[order])), expected, atol=1e-9)


def test_statistics_are_those_of_the_training_objects():
    views = random_views(n=40)
    training, new = views[:30], views[30:]
    kernels = KernelLibrary(RBF(gamma=0.3)).fitted(training)
    raw = rbf_kernel(views["a"], gamma=0.3)
    among, cross = raw[:30, :30], raw[30:, :30]
    centred = cross - cross.mean(1, keepdims=True) - among.mean(0) + among.mean()
    expected = centred / (np.diag(among).mean() - among.mean())
    assert_allclose(kernels.new(new).gram(0), expected, atol=1e-12)


def test_some_objects_can_be_chosen():
    views, chosen = random_views(gaps=True), np.array([1, 2, 5, 7, 11, 13, 20])
    library = KernelLibrary(ALL_KINDS)
    expected = grams(library.fitted(views[chosen]))
    assert_allclose(grams(library.fitted(views, chosen)), expected)


def test_unobserved_objects_have_zeros_and_do_not_count():
    views = random_views(gaps=True)
    found = grams(KernelLibrary(["linear"], keep=False).fitted(views))
    for number, name in enumerate(views.names):
        seen = views.observed_in(name)
        expected = normalized(linear_kernel(views[name][seen]))
        assert_allclose(found[number][np.ix_(seen, seen)], expected, atol=1e-12)
        assert not found[number][~seen].any()
        assert not found[number][:, ~seen].any()


def test_new_objects_may_lack_a_view_altogether():
    views = random_views()
    kernels = KernelLibrary([*ALL_KINDS, LowRankKernel(RBF(), 5)]).fitted(views)
    hidden = Views(views, observed={"b": np.zeros(len(views), dtype=bool)})
    found = kernels.new(hidden)
    n_each = len(kernels) // 2
    expected = np.concatenate([grams(kernels)[:n_each], np.zeros((n_each, 25, 25))])
    assert_allclose(grams(found), expected, atol=1e-9)
    every = np.arange(25)
    assert_allclose(found.pairs(every, every)[:, n_each:], 0.0)
    assert_allclose(found.examples(slice(0, 5))[..., n_each:], 0.0)


@pytest.mark.parametrize("on", ["views", "features"])
def test_sparse_views_give_what_dense_ones_do(on):
    rng = generator(0)
    dense = rng.poisson(0.4, size=(20, 6)).astype(float)
    library = KernelLibrary(ALL_KINDS, on=on, keep=False)
    expected, found = (library.fitted(Views({"t": kind})) for kind in (dense, csr_array(dense)))
    assert_allclose(grams(found), grams(expected), atol=1e-9)
    new = expected.new(Views({"t": dense[:4]}))
    for kind in (dense[:4], csr_array(dense[:4])):
        assert_allclose(grams(found.new(Views({"t": kind}))), grams(new), atol=1e-9)
        assert_allclose(grams(expected.new(Views({"t": kind}))), grams(new), atol=1e-9)
    pairs = np.arange(20), np.arange(20)[::-1]
    assert_allclose(found.pairs(*pairs), expected.pairs(*pairs), atol=1e-9)


def test_single_precision_is_read_and_doubles_are_given():
    views = random_views()
    halved = Views({name: matrix.astype(np.float32) for name, matrix in views.items()})
    found = grams(KernelLibrary(ALL_KINDS, on="both").fitted(halved))
    assert found.dtype == np.float64
    expected = grams(KernelLibrary(ALL_KINDS, on="both").fitted(views))
    assert_allclose(found, expected, atol=2e-4)


def test_a_constant_kernel_is_zero():
    views = Views({"flat": np.ones((6, 2)), "b": generator(0).normal(size=(6, 2))})
    kernels = KernelLibrary(kumar2013_kernels(), on="both").fitted(views)
    found = grams(kernels)
    flat = [view == "flat" for view in kernels.views]
    assert not found[flat].any()
    assert_allclose(found[~np.array(flat)].diagonal(axis1=1, axis2=2).mean(axis=1), 1.0)
    assert not grams(kernels.new(views))[flat].any()


def test_far_away_rows_keep_their_digits():
    X = generator(0).normal(size=(20, 3))
    near, far = (
        grams(KernelLibrary([RBF(gamma=0.25)], keep=False).fitted(Views(X + shift)))
        for shift in (0.0, 1e6)
    )
    assert_allclose(near, far, atol=1e-8)


def test_matrices_after_fit_hold_rows_and_statistics_only():
    kernels = KernelLibrary(kumar2013_kernels(), on="both").fitted(random_views()).lean()
    assert kernels.stack is kernels._held is None
    assert grams(kernels).shape == (13 * 8, 25, 25)
    assert kernels.stack is kernels._held is None
    kept = KernelLibrary(kumar2013_kernels(), on="both", keep=True).fitted(random_views()).lean()
    assert kept.stack is not None
