"""Kernels of incomplete rows as similarities: what they expect, choose, take and refuse."""

import pickle
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.hermite_e import hermegauss
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

from manyviews import Views
from manyviews.maths import conditionals
from manyviews.semi_supervised import CoRLS
from manyviews.similarity import (
    RBF,
    ConditionalMeanImputer,
    IncompleteGaussianMixture,
    IncompleteLinear,
    IncompletePolynomial,
    IncompleteRBF,
    Linear,
    LowRankKernel,
    Polynomial,
)
from manyviews.similarity.incomplete import kernels as pairs_module
from manyviews.similarity.incomplete.kernels import (
    ExpectedPolynomial,
    product_cumulants,
    total_variances,
)
from manyviews.similarity.incomplete.rbf import ExpectedRBF, median_sigma

KERNELS = [
    IncompleteRBF(),
    IncompleteRBF(sigma=1.5),
    IncompleteRBF(IncompleteGaussianMixture(2, random_state=0)),
    IncompleteLinear(),
    IncompletePolynomial(),
    IncompletePolynomial(3, 0.2, 0.5),
    IncompleteRBF(sigma=1.5, normalize=True),
]
NARROW = RBF(gamma=0.5 / 1.5**2)
COMPLETE = [RBF(), NARROW, RBF(), Linear(), Polynomial(), Polynomial(3, 0.2, 0.5), NARROW]
IDS = [f"{type(kernel).__name__}{number}" for number, kernel in enumerate(KERNELS)]

SHARED = ("tied", "spherical")


def rows(seed=0, n=24, width=4, missing=0.3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2)) @ rng.standard_normal((2, width))
    X += 0.3 * rng.standard_normal(X.shape)
    X[rng.random(X.shape) < missing] = np.nan
    return X


def by(way):
    return patch.object(pairs_module, "TOGETHER", way)


def random_conditionals(seed, n=6, width=2, n_components=2, missing=0.6):
    rng = np.random.default_rng(seed)
    roots = rng.standard_normal((n_components, width, width))
    X = rng.standard_normal((n, width))
    X[rng.random(X.shape) < missing] = np.nan
    return conditionals(
        X,
        rng.dirichlet(np.ones(n_components)),
        rng.standard_normal((n_components, width)),
        roots @ roots.transpose(0, 2, 1) + 0.2 * np.eye(width),
    )


def by_quadrature(known, i, j, function, n_nodes):
    """Expectation of a polynomial of two rows by Gauss-Hermite nodes, which is exact."""
    nodes, weights = hermegauss(n_nodes)
    weights = weights / weights.sum()
    width = known.means.shape[2]
    places = np.array(list(product(range(n_nodes), repeat=width)))
    z, shares = nodes[places], weights[places].prod(axis=1)
    total = 0.0
    for one, other in np.ndindex(known.weights.shape[1], known.weights.shape[1]):
        x, y = (
            known.means[row, component] + z @ root(known.covariances[known.pattern[row], component])
            for row, component in ((i, one), (j, other))
        )
        value = shares @ function(x @ y.T) @ shares
        total += known.weights[i, one] * known.weights[j, other] * value
    return total


def root(covariance):
    values, vectors = np.linalg.eigh(covariance)
    return np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T


@pytest.mark.parametrize("degree", [1, 2, 3, 4, 5])
def test_polynomials_are_exact_in_both_ways(degree):
    known = random_conditionals(degree)
    for way in (1, 10**9):
        with by(way):
            found = ExpectedPolynomial(degree, 0.7, 0.4)(known)
            diagonal = ExpectedPolynomial(degree, 0.7, 0.4).diagonal(known)
            across = ExpectedPolynomial(degree, 0.7, 0.4)(known[1:3], known)
        np.testing.assert_allclose(np.diag(found), diagonal, rtol=1e-12)
        np.testing.assert_allclose(found[1:3], across, rtol=1e-12)
        for i, j in [(0, 1), (2, 3), (4, 5), (3, 3), (1, 5)]:
            expected = by_quadrature(known, i, j, lambda s: (0.7 * s + 0.4) ** degree, degree)
            assert found[i, j] == pytest.approx(expected, rel=1e-10)


@given(seed=st.integers(0, 10_000), degree=st.integers(2, 4), coef0=st.floats(0.0, 3.0))
@settings(deadline=None, max_examples=10)
def test_polynomials_are_kernels(seed, degree, coef0):
    known = random_conditionals(seed, n=9, width=3, n_components=3)
    found = ExpectedPolynomial(degree, 0.5, coef0)(known)
    with by(1):
        np.testing.assert_allclose(ExpectedPolynomial(degree, 0.5, coef0)(known), found)
    assert np.array_equal(found, found.T)
    assert np.linalg.eigvalsh(found)[0] > -1e-10 * np.abs(found).max()


def test_degree_two_by_second_moments():
    """E (x·y)² is the inner product of the second moments."""
    known = random_conditionals(3, n=8, width=4, n_components=3)
    outer = np.einsum("izd,ize->izde", known.means, known.means) + known.covariances[known.pattern]
    moments = np.einsum("iz,izde->ide", known.weights, outer).reshape(len(known), -1)
    np.testing.assert_allclose(ExpectedPolynomial(2, 1.0, 0.0)(known), moments @ moments.T)


def test_cumulants_of_a_product_of_normals():
    """Of x·y, both standard: 0, 1, 0, 6, which are those of a difference of gamma variables."""
    one = np.ones((1, 1))
    found = product_cumulants(0 * one, one, 0 * one, one, 4)
    assert [cumulant.item() for cumulant in found] == [0.0, 1.0, 0.0, 6.0]


@pytest.mark.parametrize(("kernel", "usual"), list(zip(KERNELS, COMPLETE, strict=True)), ids=IDS)
def test_complete_rows_have_the_usual_kernel(kernel, usual):
    X, new = rows(missing=0.0), rows(1, n=5, missing=0.0)
    np.testing.assert_allclose(kernel.gram(X), usual.gram(X), rtol=1e-12)
    np.testing.assert_allclose(kernel.cross(new, X), usual.fitted(X).cross(new, X), rtol=1e-12)


def test_complete_rows_have_exactly_the_gaussian_kernel():
    X = rows(missing=0.0)
    assert np.array_equal(IncompleteRBF(sigma=2.0).gram(X), RBF(gamma=0.125).gram(X))
    assert IncompleteRBF(sigma=2.0).gamma == 0.125


@pytest.mark.parametrize("kernel", KERNELS, ids=IDS)
@given(seed=st.integers(0, 10_000), missing=st.floats(0.05, 0.8))
@settings(deadline=None, max_examples=5)
def test_laws_of_every_kernel(kernel, seed, missing):
    X = rows(seed, missing=missing)
    n_components = 1 if kernel.mixture is None else kernel.mixture.n_components
    rough = IncompleteGaussianMixture(n_components, reg_covar=0.1, tol=0.05, random_state=0)
    fitted = clone(kernel).set_params(mixture=rough).fitted(X)
    K = fitted.gram(X)
    unit = np.abs(K).max()
    assert np.array_equal(K, K.T)
    assert np.linalg.eigvalsh(K)[0] > -1e-10 * unit
    np.testing.assert_allclose(fitted.cross(X), K, atol=1e-10 * unit)
    np.testing.assert_allclose(fitted.cross(X, X), K, atol=1e-10 * unit)
    np.testing.assert_allclose(fitted.diagonal(X), np.diag(K), atol=1e-10 * unit)
    np.testing.assert_allclose(fitted.columns(X)(3), K[3], atol=1e-10 * unit)
    some = np.array([5, 2])
    np.testing.assert_allclose(fitted.restricted(some).cross(X), K[:, some], atol=1e-10 * unit)


def test_normalized_values_are_cosines():
    X, new = rows(missing=0.5), rows(1, n=5, missing=0.5)
    mixture = IncompleteGaussianMixture().fit(rows(n=100, missing=0.1))
    plain = IncompleteRBF(mixture, sigma=0.7).fitted(X)
    lengths, new_lengths = np.sqrt(plain.diagonal(X)), np.sqrt(plain.diagonal(new))
    found = IncompleteRBF(mixture, sigma=0.7, normalize=True).fitted(X)
    assert lengths.min() < 0.9
    np.testing.assert_allclose(np.diag(found.gram(X)), 1.0)
    np.testing.assert_allclose(found.gram(X), plain.gram(X) / np.outer(lengths, lengths))
    np.testing.assert_allclose(found.cross(new), plain.cross(new) / np.outer(new_lengths, lengths))


@pytest.mark.parametrize("kernel", KERNELS, ids=IDS)
def test_being_used_leaves_a_kernel_as_it_is(kernel):
    X, before = rows(), repr(kernel)
    seen = X.copy()
    kernel.gram(X)
    fitted = kernel.fitted(X)
    assert repr(kernel) == before
    assert not hasattr(kernel, "rows_")
    np.testing.assert_array_equal(X, seen)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.cross(X[:3]), fitted.cross(X[:3]))
    assert repr(clone(kernel)) == before


def test_a_fitted_mixture_is_kept_and_another_is_learnt():
    X, more = rows(0), rows(0, n=200, missing=0.1)
    mixture = IncompleteGaussianMixture().fit(more)
    kept = IncompleteRBF(mixture, sigma=1.0).fitted(X)
    assert kept.mixture is mixture
    assert IncompleteRBF(FrozenEstimator(mixture), sigma=1.0).fitted(X).mixture.means_ is (
        mixture.means_
    )
    learnt = IncompleteRBF(IncompleteGaussianMixture(), sigma=1.0).fitted(X)
    np.testing.assert_array_equal(learnt.gram(X), IncompleteRBF(sigma=1.0).gram(X))
    assert np.abs(kept.gram(X) - learnt.gram(X)).max() > 1e-3


def test_the_mixture_may_be_scikit_learns():
    X, complete = rows(0), rows(0, n=200, missing=0.0)
    theirs = GaussianMixture(2, random_state=0).fit(complete)
    parameters = theirs.weights_, theirs.means_, theirs.covariances_
    expected = ExpectedRBF(1.0)(conditionals(X, *parameters))
    np.testing.assert_array_equal(IncompleteRBF(theirs, sigma=1.0).gram(X), expected)


def test_a_mixture_learnt_from_views_reads_them_side_by_side():
    X = rows()
    views = Views({"left": X[:, :2], "right": X[:, 2:]})
    mixture = IncompleteGaussianMixture().fit(views)
    np.testing.assert_allclose(
        IncompleteRBF(mixture, sigma=1.0).gram(X), IncompleteRBF(sigma=1.0).gram(X), atol=1e-8
    )


def test_the_linear_kernel_is_that_of_conditional_means():
    X, new = rows(), rows(1, n=5)
    imputer = ConditionalMeanImputer().fit(X)
    filled, new_filled = imputer.transform(X), imputer.transform(new)
    kernel = IncompleteLinear().fitted(X)
    np.testing.assert_allclose(kernel.gram(X), filled @ filled.T, rtol=1e-8)
    np.testing.assert_allclose(kernel.cross(new), new_filled @ filled.T, rtol=1e-8)
    np.testing.assert_allclose(kernel.feature_rows(new), new_filled, rtol=1e-8)


def test_the_width_is_the_median_of_expected_distances():
    known = random_conditionals(0, n=9, width=3)
    rng, n = np.random.default_rng(0), 4000
    draws = np.empty((len(known), n, 3))
    for row in range(len(known)):
        components = rng.choice(2, size=n, p=known.weights[row])
        for component in range(2):
            at = np.flatnonzero(components == component)
            z = rng.standard_normal((len(at), 3))
            spread = root(known.covariances[known.pattern[row], component])
            draws[row, at] = known.means[row, component] + z @ spread
    spreads = ((draws - draws.mean(axis=1, keepdims=True)) ** 2).sum(axis=2).mean(axis=1)
    np.testing.assert_allclose(total_variances(known), spreads, rtol=0.1, atol=1e-12)
    pairs = [
        ((draws[i] - draws[j]) ** 2).sum(axis=1).mean() for i in range(len(known)) for j in range(i)
    ]
    assert median_sigma(known) == pytest.approx(np.sqrt(np.median(pairs)), rel=0.05)


def test_the_median_width_of_complete_rows_is_the_usual_one():
    X = rows(missing=0.0)
    assert IncompleteRBF().fitted(X).gamma == pytest.approx(RBF().fitted(X).gamma, rel=1e-12)


def test_equal_rows_have_a_width_too():
    X = np.ones((4, 2))
    assert np.array_equal(IncompleteRBF().gram(X), np.ones((4, 4)))


@pytest.mark.parametrize("kernel", KERNELS, ids=IDS)
def test_single_precision_in_single_precision_out(kernel):
    X = rows().astype(np.float32)
    found = kernel.gram(X)
    assert found.dtype == np.float32
    fitted = kernel.fitted(X)
    assert fitted.cross(X[:2]).dtype == np.float32
    assert fitted.cross(X[:2].astype(float), X).dtype == np.float64
    np.testing.assert_allclose(found, kernel.gram(X.astype(float)), rtol=1e-5)


def test_new_rows_of_which_nothing_is_known_are_like_the_mean():
    X = rows()
    fitted = IncompleteRBF().fitted(X)
    nothing = fitted.cross(np.full((1, 4), np.nan))
    mean = fitted.cross(fitted.mixture.means_)
    assert np.corrcoef(nothing, mean)[0, 1] > 0.9
    assert (nothing < mean).mean() > 0.5


def test_low_rank_factors_and_learners_take_it():
    X = rows(n=40)
    whole = IncompleteRBF(sigma=3.0).gram(X)
    for method in ("nystroem", "cholesky"):
        kernel = LowRankKernel(IncompleteRBF(sigma=3.0), rank=40, method=method, tol=1e-12)
        np.testing.assert_allclose(kernel.fitted(X).gram(X).toarray(), whole, atol=1e-5)
    views = Views({"a": rows(1, missing=0.0), "b": rows(2, missing=0.0)})
    labels = np.arange(24) % 2
    usual = CoRLS(RBF(0.5)).fit(views, labels).predict(views)
    ours = CoRLS(IncompleteRBF(sigma=1.0)).fit(views, labels).predict(views)
    np.testing.assert_array_equal(ours, usual)


@pytest.mark.parametrize("kernel", KERNELS, ids=IDS)
def test_sparse_rows_are_refused(kernel):
    X = rows(missing=0.0)
    with pytest.raises(ValueError, match="dense rows, in which NaN is what is missing"):
        kernel.gram(sparse.csr_array(X))
    with pytest.raises(ValueError, match="toarray"):
        kernel.fitted(X).cross(sparse.csr_array(X))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (IncompleteRBF(sigma=0.0), "sigma=0.0 of IncompleteRBF should be a number above 0"),
        (IncompleteRBF(sigma=1e-300), "sigma=1e-300 .* square is beyond all numbers"),
        (IncompleteRBF(sigma=1e300), r"sigma=1e\+300 .* square is beyond all numbers"),
        (IncompleteRBF(sigma="wide"), "sigma='wide' of IncompleteRBF .* or 'median'"),
        (IncompleteRBF(GaussianMixture()), "GaussianMixture cannot be learnt from rows of which"),
        (IncompleteRBF(LinearRegression()), "mixture=.* should be a Gaussian mixture"),
        (IncompletePolynomial(0), "degree=0 .* an integer of at least 1"),
        (IncompletePolynomial(2.5), "degree=2.5 .* an integer of at least 1"),
        (IncompletePolynomial(coef0=-1.0), "coef0=-1.0 .* a number of at least 0"),
        (IncompletePolynomial(gamma="most"), "gamma='most' .* a number above 0, or 'mean'"),
        (IncompletePolynomial(gamma=-1.0), "gamma=-1.0 .* a number above 0, or 'mean'"),
        (IncompletePolynomial(10**6), "too large for float64; lower degree"),
    ],
)
def test_bad_choices_are_named(kernel, message):
    with pytest.raises(ValueError, match=message):
        kernel.gram(rows())


@pytest.mark.parametrize(
    "mixture", [KernelDensity(), *(GaussianMixture(2, covariance_type=c) for c in SHARED)], ids=str
)
def test_mixtures_without_a_covariance_for_each_component_are_refused(mixture):
    with pytest.raises(ValueError, match="has no covariance matrix, and no variances, for each"):
        IncompleteRBF(mixture).gram(np.nan_to_num(rows()))


def test_rows_to_compare_with_are_needed():
    with pytest.raises(ValueError, match="IncompleteRBF has seen no rows to compare with"):
        IncompleteRBF().cross(rows())


@pytest.mark.parametrize("kernel", KERNELS, ids=IDS)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_rows_of_another_width_and_infinite_ones_are_refused(kernel, missing):
    X = rows(missing=missing)
    fitted = kernel.fitted(X)
    with pytest.raises(ValueError, match="3 features"):
        fitted.cross(X[:, :3])
    endless = X.copy()
    endless[2, 1] = np.inf
    with pytest.raises(ValueError, match="row 2 has inf in column 1"):
        fitted.cross(endless)
    with pytest.raises(ValueError, match="rows have 3 features and the mixture 4"):
        fitted.gram(X[:, :3])
