"""The distributions against SciPy, brute force and the laws that sums and maxima obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import approx_fprime
from scipy.sparse import csr_array
from scipy.special import ive

from manyviews.base import check_params
from manyviews.exceptions import ViewsError
from manyviews.maths import Bernoulli, Gaussian, Multinomial, VonMisesFisher, read_likelihood
from manyviews.maths.likelihoods.families import (
    bessel_ratio,
    concentration,
    log_bessel,
    log_normalizer,
)

FAMILIES = (
    Multinomial(alpha=0),
    Multinomial(alpha=0.3),
    Bernoulli(alpha=0),
    Bernoulli(alpha=0.3),
    Gaussian("full", reg=0),
    Gaussian("diag", reg=0),
    Gaussian("spherical", reg=0),
    VonMisesFisher(),
)
quick = settings(deadline=None, max_examples=25)


def rows_for(family, seed, n=24, d=4):
    rng = np.random.default_rng(seed)
    if isinstance(family, Multinomial):
        return rng.poisson(2.0, size=(n, d)).astype(float)
    if isinstance(family, Bernoulli):
        return (rng.random((n, d)) < 0.4).astype(float)
    return rng.normal(1.0, 1.0, size=(n, d))


def weights_for(n, k, seed):
    return np.random.default_rng(seed + 1000).dirichlet(np.ones(k), size=n)


def numbers(found):
    return list(vars(found).values())


def assert_same_numbers(one, other, tolerance=1e-9):
    for a, b in zip(numbers(one), numbers(other), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


# -- sums ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@quick
@given(seed=st.integers(0, 1000), first=st.integers(0, 24), second=st.integers(0, 24))
def test_sums_over_subsets_add_up_to_those_of_all(family, seed, first, second):
    X, R = rows_for(family, seed), weights_for(24, 3, seed)
    low, high = sorted((first, second))
    one, two, three = (
        family.summarize(X[rows], R[rows])
        for rows in (slice(0, low), slice(low, high), slice(high, None))
    )
    whole = family.summarize(X, R)
    assert_same_numbers(one + two + three, whole)
    assert_same_numbers(three + (one + two), whole)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_sparse_rows_are_the_dense_ones(family):
    X, R = rows_for(family, 3), weights_for(24, 3, 3)
    dense, sparse = family.summarize(X, R), family.summarize(csr_array(X), R)
    assert_same_numbers(dense, sparse)
    parameters = family.update(dense)
    np.testing.assert_allclose(
        family.log_density(X, parameters), family.log_density(csr_array(X), parameters)
    )
    np.testing.assert_allclose(family.log_base(X), family.log_base(csr_array(X)))
    np.testing.assert_array_equal(family.informative(X), family.informative(csr_array(X)))


def test_moments_far_from_zero_keep_their_digits():
    rng = np.random.default_rng(0)
    X, R = 1e6 + rng.normal(size=(300, 2)), np.ones((300, 1))
    for covariance, expected in (("full", np.cov(X.T, bias=True)), ("diag", X.var(axis=0))):
        family = Gaussian(covariance, reg=0)
        stats_ = family.summarize(X[:100], R[:100]) + family.summarize(X[100:], R[100:])
        np.testing.assert_allclose(family.update(stats_).covariances[0], expected, rtol=1e-7)


def test_single_precision_adds_up_in_double():
    n = 200_000
    X = csr_array(np.full((n, 1), 0.1, dtype=np.float32))
    total = Multinomial().summarize(X, np.ones((n, 1), dtype=np.float32)).totals[0, 0]
    assert total == pytest.approx(n * float(np.float32(0.1)), rel=5e-4)  # 1 percent in one go


# -- densities -----------------------------------------------------------------------------------


def test_multinomial_density_is_that_of_scipy():
    X = rows_for(Multinomial(), 1)
    family = Multinomial(alpha=0.5)
    parameters = family.update(family.summarize(X, weights_for(24, 2, 1)))
    ours = family.log_density(X, parameters) + family.log_base(X)[:, None]
    for j, p in enumerate(parameters.probabilities):
        np.testing.assert_allclose(ours[:, j], stats.multinomial(X.sum(axis=1), p).logpmf(X))


@pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
def test_gaussian_density_is_that_of_scipy(covariance):
    family = Gaussian(covariance, reg=0.1)
    X = rows_for(family, 2)
    parameters = family.update(family.summarize(X, weights_for(24, 2, 2)))
    ours = family.log_density(X, parameters)
    for j, mean in enumerate(parameters.means):
        spread = parameters.covariances[j]
        full = spread if covariance == "full" else np.eye(4) * spread
        np.testing.assert_allclose(ours[:, j], stats.multivariate_normal(mean, full).logpdf(X))


def test_bernoulli_density_is_the_product_over_features():
    family = Bernoulli(alpha=0.5)
    X = rows_for(family, 3)
    parameters = family.update(family.summarize(X, weights_for(24, 2, 3)))
    for j, p in enumerate(parameters.probabilities):
        expected = stats.bernoulli(p).logpmf(X.astype(int)).sum(axis=1)
        np.testing.assert_allclose(family.log_density(X, parameters)[:, j], expected)


def test_von_mises_fisher_density_and_fit_are_those_of_scipy():
    X = rows_for(VonMisesFisher(), 4)
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    family = VonMisesFisher()
    parameters = family.update(family.summarize(X, np.ones((24, 1))))
    direction, kappa = stats.vonmises_fisher.fit(units)
    np.testing.assert_allclose(parameters.directions[0], direction)
    np.testing.assert_allclose(parameters.concentrations[0], kappa, rtol=1e-6)
    expected = stats.vonmises_fisher(direction, kappa).logpdf(units)
    np.testing.assert_allclose(family.log_density(X, parameters)[:, 0], expected, rtol=1e-6)


# -- maxima --------------------------------------------------------------------------------------


@quick
@given(seed=st.integers(0, 1000), shift=st.integers(0, 1000))
def test_update_gives_the_most_probable_multinomial(seed, shift):
    X, R, family = rows_for(Multinomial(), seed), weights_for(24, 2, seed), Multinomial(alpha=0)
    best = family.update(family.summarize(X, R))
    other = family.update(family.summarize(X, weights_for(24, 2, shift + 5000)))
    reached = (R * family.log_density(X, best)).sum()
    assert (R * family.log_density(X, other)).sum() <= reached + 1e-9


@pytest.mark.parametrize("covariance", ["full", "diag", "spherical"])
def test_update_gives_a_stationary_gaussian(covariance):
    family = Gaussian(covariance, reg=0)
    X, R = rows_for(family, 6), weights_for(24, 1, 6)
    found = family.update(family.summarize(X, R))

    def likelihood_at(scale_and_shift):
        scale, shift = scale_and_shift[0], scale_and_shift[1:]
        moved = type(found)(
            found.means + shift, found.covariances * scale, found.factors * np.sqrt(scale)
        )
        return (R * family.log_density(X, moved)).sum()

    slope = approx_fprime(np.array([1.0, 0, 0, 0, 0]), likelihood_at, 1e-6)
    np.testing.assert_allclose(slope, 0, atol=1e-3)
    assert likelihood_at(np.array([1.1, 0, 0, 0, 0])) < likelihood_at(np.array([1.0, 0, 0, 0, 0]))


def test_multinomial_without_smoothing_is_the_relative_frequency():
    X, R = np.array([[2.0, 0.0], [1.0, 3.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    found = Multinomial(alpha=0).update(Multinomial().summarize(X, R)).probabilities
    np.testing.assert_allclose(found, [[2.5 / 4, 1.5 / 4], [0.25, 0.75]])


def test_what_is_impossible_stays_finite_and_least_probable():
    family = Multinomial(alpha=0)
    X = np.array([[3.0, 0.0], [0.0, 3.0]])
    found = family.update(family.summarize(X, np.eye(2)))
    density = family.log_density(X, found)
    np.testing.assert_allclose(np.diag(density), 0)
    assert np.isfinite(density).all()
    assert density[0, 1] < -2000


@pytest.mark.parametrize("family", [f for f in FAMILIES if not getattr(f, "alpha", 0)], ids=repr)
def test_a_component_without_weight_is_as_all_rows_together(family):
    X = rows_for(family, 7)
    R = np.column_stack([np.ones(24), np.zeros(24)])
    found = family.update(family.summarize(X, R))
    for values in numbers(found):
        np.testing.assert_allclose(values[0], values[1])


def test_a_gaussian_without_spread_says_what_to_do():
    X, R = np.ones((4, 2)), np.ones((4, 1))
    for covariance in ("full", "diag", "spherical"):
        family = Gaussian(covariance, reg=0)
        with pytest.raises(ValueError, match="raise reg"):
            family.update(family.summarize(X, R))


# -- Bessel functions ----------------------------------------------------------------------------


def ratio_by_continued_fraction(kappa, dimension, depth=4000):
    """I_{d/2} / I_{d/2-1} from the inside out."""
    tail = 0.0
    for place in range(depth, -1, -1):
        tail = 1.0 / ((dimension + 2.0 * place) / kappa + tail)
    return tail


@pytest.mark.parametrize("dimension", [1, 2, 3, 20, 59, 61, 62, 100, 1000, 20_000])
def test_ratio_of_bessel_functions_in_any_dimension(dimension):
    for kappa in (1e-3, 0.5, 10.0, dimension / 2, 3.0 * dimension):
        found = bessel_ratio(np.array([kappa]), dimension)[0]
        expected = ratio_by_continued_fraction(kappa, dimension, depth=max(4000, 3 * dimension))
        assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("order", [-0.5, 0.0, 3.5, 29.5, 30.0, 45.5])
def test_log_bessel_is_that_of_scipy_where_scipy_has_one(order):
    kappa = np.array([0.5, 2.0, 30.0, 400.0])
    np.testing.assert_allclose(log_bessel(order, kappa), np.log(ive(order, kappa)) + kappa)


@pytest.mark.parametrize("dimension", [2, 3, 50, 5000])
def test_concentration_has_the_mean_length_asked_for(dimension):
    lengths = np.array([0.01, 0.3, 0.7, 0.95])
    kappa = concentration(lengths, dimension, limit=1e9)
    np.testing.assert_allclose(bessel_ratio(kappa, dimension), lengths, rtol=1e-6)


def test_directions_all_alike_are_held_at_the_bound():
    assert concentration(np.array([1.0]), 5, limit=1e4)[0] == 1e4


def test_density_on_the_circle_integrates_to_one():
    angles = np.linspace(0, 2 * np.pi, 2001)[:-1]
    for kappa in (1e-4, 1.0, 50.0):
        density = np.exp(log_normalizer(np.array([kappa]), 2)[0] + kappa * np.cos(angles))
        assert density.mean() * 2 * np.pi == pytest.approx(1.0, rel=1e-6)


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_values_outside_the_domain_are_named(make):
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    X[2, 1] = -2
    with pytest.raises(ViewsError, match=r"view 'text', row 2, holds -2"):
        Multinomial().check(make(X), view="text")
    X[2, 1] = 2
    Multinomial().check(make(X), view="text")
    with pytest.raises(ViewsError, match=r"view 'tags', row 2, holds 2"):
        Bernoulli().check(make(X), view="tags")


@pytest.mark.parametrize(
    "family",
    [
        Multinomial(alpha=-1),
        Bernoulli(alpha="much"),
        Gaussian("round"),
        Gaussian(reg=-1),
        VonMisesFisher(max_concentration=0),
    ],
    ids=repr,
)
def test_parameters_that_mean_nothing_are_refused(family):
    with pytest.raises(ValueError, match="should be"):
        check_params(family)


def test_rows_that_say_nothing():
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert Multinomial().informative(X).tolist() == [False, True]
    assert VonMisesFisher().informative(X).tolist() == [False, True]
    assert Bernoulli().informative(X).all()
    assert Gaussian().informative(X).all()


def test_names_of_likelihoods():
    assert read_likelihood("von_mises_fisher") == VonMisesFisher()
    own = Gaussian("diag")
    assert read_likelihood(own) is own
    with pytest.raises(ValueError, match="'poisson' should be one of 'bernoulli'"):
        read_likelihood("poisson")


@pytest.mark.parametrize("covariance", ["full", "diag"])
def test_shrinkage_takes_a_share_of_the_variance_of_all_rows(covariance):
    X = np.random.default_rng(0).standard_normal((30, 2)) @ np.array([[3.0, 1.0], [0.0, 0.1]])
    R = np.random.default_rng(1).dirichlet(np.ones(2), size=30)
    plain, shrunk = (Gaussian(covariance, reg=0, shrinkage=s) for s in (0.0, 0.3))
    own = plain.update(plain.summarize(X, R)).covariances
    found = shrunk.update(shrunk.summarize(X, R)).covariances
    spread = X.var(axis=0) if covariance == "diag" else np.diag(X.var(axis=0))
    np.testing.assert_allclose(found, 0.7 * own + 0.3 * spread, atol=1e-12)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_products_lose_no_digits_of_diagonal_gaussians(offset):
    """Tight groups far from each other, where squares less squares would cancel."""
    rng = np.random.default_rng(0)
    X = np.repeat([[0.0, 0.0], [offset, -offset]], 20, axis=0) + rng.standard_normal((40, 2))
    R = np.repeat(np.eye(2), 20, axis=0)
    family = Gaussian("diag", reg=0)
    found = family.update(family.summarize(X, R))
    groups = X.reshape(2, 20, 2)
    np.testing.assert_allclose(found.covariances, groups.var(axis=1), rtol=1e-6)
    gaps = (X[:, None] - found.means) ** 2 / found.covariances
    expected = -0.5 * (gaps + np.log(2 * np.pi * found.covariances)).sum(axis=2)
    np.testing.assert_allclose(family.log_density(X, found), expected, rtol=1e-7, atol=1e-7)
