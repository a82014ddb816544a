"""Conditionals of Gaussian mixtures against the formulas row by row, samples and SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from manyviews.maths import (
    GaussianComponents,
    assigned_gaussian_sums,
    components_of_sums,
    conditionals,
    expected_rows,
    gaussian_sums,
    gaussians,
    pattern_rows,
    responsibilities,
)

LAW = settings(deadline=None, max_examples=25)


def mixture(rng, n_components, width, diagonal=False):
    """Parameters of a mixture, drawn."""
    weights = rng.dirichlet(np.full(n_components, 3.0))
    means = rng.normal(size=(n_components, width))
    roots = rng.normal(size=(n_components, width, width + 2))
    covariances = roots @ roots.transpose(0, 2, 1) / width + 0.1 * np.eye(width)
    if diagonal:
        covariances = np.einsum("zii->zi", covariances).copy()
    return weights, means, covariances


def with_gaps(rng, n, width, share=0.4):
    """Rows of which a share of the entries is NaN."""
    rows = rng.normal(size=(n, width))
    rows[rng.random(rows.shape) < share] = np.nan
    return rows


def by_hand(row, weights, means, covariances):
    """Eq. (2) of Williams and Carin for one row, by solving."""
    seen = ~np.isnan(row)
    logs, filled, spread = [], [], []
    for weight, mean, covariance in zip(weights, means, covariances, strict=True):
        oo, mo = covariance[np.ix_(seen, seen)], covariance[np.ix_(~seen, seen)]
        density = multivariate_normal.logpdf(row[seen], mean[seen], oo) if seen.any() else 0.0
        logs.append(np.log(weight) + density)
        whole, gap = row.copy(), np.zeros_like(covariance)
        solved = np.linalg.solve(oo, np.column_stack([row[seen] - mean[seen], mo.T]))
        whole[~seen] = mean[~seen] + mo @ solved[:, 0]
        gap[np.ix_(~seen, ~seen)] = covariance[np.ix_(~seen, ~seen)] - mo @ solved[:, 1:]
        filled.append(whole)
        spread.append(gap)
    total = logsumexp(logs)
    return np.exp(np.array(logs) - total), np.array(filled), np.array(spread), total


@LAW
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 90),
    width=st.integers(1, 6),
    n_components=st.integers(1, 3),
    share=st.sampled_from([0.0, 0.2, 0.5, 1.0]),
    diagonal=st.booleans(),
)
def test_conditionals_are_those_of_each_row(seed, n, width, n_components, share, diagonal):
    rng = np.random.default_rng(seed)
    weights, means, covariances = mixture(rng, n_components, width, diagonal)
    rows = with_gaps(rng, n, width, share)
    found = conditionals(rows, weights, means, covariances)
    full = np.array([np.diag(each) for each in covariances]) if diagonal else covariances
    shares, log_likelihood = responsibilities(rows, GaussianComponents(weights, means, covariances))
    for place, row in enumerate(rows):
        pi, mu, sigma, total = by_hand(row, weights, means, full)
        np.testing.assert_allclose(found.weights[place], pi, atol=1e-10)
        np.testing.assert_allclose(found.means[place], mu, atol=1e-9)
        np.testing.assert_allclose(found.covariances[found.pattern[place]], sigma, atol=1e-9)
        np.testing.assert_array_equal(found.observed[found.pattern[place]], ~np.isnan(row))
        np.testing.assert_allclose(shares[place], pi, atol=1e-10)
        np.testing.assert_allclose(log_likelihood[place], total, atol=1e-8)


@LAW
@given(seed=st.integers(0, 10**6), share=st.sampled_from([0.1, 0.5, 0.9]))
def test_observed_entries_are_kept_to_the_bit(seed, share):
    rng = np.random.default_rng(seed)
    parameters = mixture(rng, 3, 5)
    rows = with_gaps(rng, 60, 5, share) * 1e3
    seen = ~np.isnan(rows)
    found = conditionals(rows, *parameters)
    filled = expected_rows(rows, GaussianComponents(*parameters))
    for component in range(3):
        np.testing.assert_array_equal(found.means[:, component][seen], rows[seen])
    np.testing.assert_array_equal(filled[seen], rows[seen])
    np.testing.assert_array_equal(found.expected[seen], rows[seen])
    np.testing.assert_allclose(filled, found.expected, atol=1e-9)
    gaps = found.covariances[found.pattern]
    assert not gaps[seen[:, None, :].repeat(3, axis=1)].any()


def test_a_row_without_anything_observed_has_the_mixture_itself():
    weights, means, covariances = mixture(np.random.default_rng(0), 3, 4)
    found = conditionals(np.full((1, 4), np.nan), weights, means, covariances)
    np.testing.assert_allclose(found.weights[0], weights, rtol=1e-12)
    np.testing.assert_array_equal(found.means[0], means)
    np.testing.assert_allclose(found.covariances[0], covariances, rtol=1e-12)


def test_conditionals_have_the_moments_of_samples_near_what_is_observed():
    rng = np.random.default_rng(1)
    weights, means, covariances = mixture(rng, 2, 3)
    component = rng.choice(2, size=1_000_000, p=weights)
    drawn = np.empty((len(component), 3))
    for z in range(2):
        own = component == z
        drawn[own] = rng.multivariate_normal(means[z], covariances[z], own.sum())
    at = 0.3
    near = drawn[np.abs(drawn[:, 1] - at) < 0.02]
    found = conditionals(np.array([[np.nan, at, np.nan]]), weights, means, covariances)
    mean = found.expected[0]
    spread = np.einsum("z,zij->ij", found.weights[0], found.covariances[0])
    apart = found.means[0] - mean
    spread += np.einsum("z,zi,zj->ij", found.weights[0], apart, apart)
    chosen = [0, 2]
    tolerance = 5 * near[:, chosen].std() / np.sqrt(len(near))
    np.testing.assert_allclose(near[:, chosen].mean(axis=0), mean[chosen], atol=tolerance)
    np.testing.assert_allclose(np.cov(near[:, chosen].T), spread[np.ix_(chosen, chosen)], rtol=0.1)


@LAW
@given(seed=st.integers(0, 10**6))
def test_order_of_rows_and_of_entries_is_free(seed):
    rng = np.random.default_rng(seed)
    weights, means, covariances = mixture(rng, 2, 5)
    rows = with_gaps(rng, 40, 5)
    found = conditionals(rows, weights, means, covariances)
    turned, columns = rng.permutation(40), rng.permutation(5)
    other = conditionals(
        rows[turned][:, columns],
        weights,
        means[:, columns],
        covariances[:, columns][:, :, columns],
    )
    np.testing.assert_allclose(other.weights, found.weights[turned], atol=1e-10)
    np.testing.assert_allclose(other.means, found.means[turned][:, :, columns], atol=1e-9)
    np.testing.assert_allclose(
        other.covariances[other.pattern],
        found.covariances[found.pattern[turned]][:, :, columns][:, :, :, columns],
        atol=1e-9,
    )


def test_no_rows_have_no_conditionals():
    parameters = mixture(np.random.default_rng(6), 2, 4)
    found = conditionals(np.empty((0, 4)), *parameters)
    assert found.means.shape == (0, 2, 4)
    assert found.covariances.shape == (0, 2, 4, 4)


@pytest.mark.parametrize("width", [1, 63, 64, 65, 200])
def test_patterns_are_grouped_whatever_the_width(width):
    rng = np.random.default_rng(width)
    rows = with_gaps(rng, 5, width, 0.5)[rng.integers(5, size=40)]
    grouped = pattern_rows(rows)
    assert len(grouped.observed) == len(np.unique(np.isnan(rows), axis=0))
    np.testing.assert_array_equal(
        grouped.observed[grouped.pattern], ~np.isnan(rows[grouped.places])
    )
    np.testing.assert_array_equal(np.sort(grouped.places), np.arange(40))
    assert (np.diff(grouped.n_observed) >= 0).all()


def test_some_rows_of_conditionals_are_conditionals_of_those_rows():
    rng = np.random.default_rng(2)
    parameters = mixture(rng, 2, 4)
    rows = with_gaps(rng, 30, 4)
    found, chosen = conditionals(rows, *parameters), np.array([7, 3, 3, 20])
    some, alone = found[chosen], conditionals(rows[chosen], *parameters)
    assert len(some) == 4
    np.testing.assert_array_equal(some.pattern, alone.pattern)
    np.testing.assert_array_equal(some.observed, alone.observed)
    np.testing.assert_allclose(some.covariances, alone.covariances, atol=1e-12)
    np.testing.assert_allclose(some.means, alone.means, atol=1e-12)
    assert len(found[5]) == 1
    assert len(found[:0]) == 0


@pytest.mark.parametrize("many", [1, 10**6])
def test_rows_solved_together_or_pattern_by_pattern_are_the_same(monkeypatch, many):
    rng = np.random.default_rng(3)
    parameters = mixture(rng, 2, 3)
    rows = with_gaps(rng, 200, 3)
    usual = conditionals(rows, *parameters)
    monkeypatch.setattr(gaussians, "_MANY_ROWS", many)
    found = conditionals(rows, *parameters)
    np.testing.assert_allclose(found.means, usual.means, atol=1e-10)
    np.testing.assert_allclose(found.weights, usual.weights, atol=1e-10)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("size", [1, 40, 300])
def test_blocks_add_up(monkeypatch, size, diagonal):
    rng = np.random.default_rng(4)
    components = GaussianComponents(*mixture(rng, 2, 4, diagonal))
    rows = np.concatenate([with_gaps(rng, 60, 4), rng.normal(size=(50, 4))])
    whole = gaussian_sums(pattern_rows(rows), components)
    shares = rng.dirichlet(np.ones(3), size=len(rows))
    start = GaussianComponents(np.ones(1), np.zeros((1, 4)), np.ones((1, 4)))
    means = rng.normal(size=(3, 4))
    first = assigned_gaussian_sums(pattern_rows(rows), shares, start, means, diagonal=diagonal)
    everything = conditionals(rows, *vars(components).values())
    monkeypatch.setattr(gaussians, "_BLOCK", size)
    assert len(list(pattern_rows(rows).blocks(2))) > 1
    for one, other in (
        (whole, gaussian_sums(pattern_rows(rows), components)),
        (
            first,
            assigned_gaussian_sums(pattern_rows(rows), shares, start, means, diagonal=diagonal),
        ),
        (everything, conditionals(rows, *vars(components).values())),
    ):
        for name, value in vars(one).items():
            np.testing.assert_allclose(getattr(other, name), value, atol=1e-9, err_msg=name)


@LAW
@given(seed=st.integers(0, 10**6), diagonal=st.booleans())
def test_sums_are_those_of_the_conditionals(seed, diagonal):
    rng = np.random.default_rng(seed)
    weights, means, covariances = mixture(rng, 3, 4, diagonal)
    rows = with_gaps(rng, 80, 4)
    sums = gaussian_sums(pattern_rows(rows), GaussianComponents(weights, means, covariances))
    found = conditionals(rows, weights, means, covariances)
    apart = found.means - means
    outer = np.einsum("izk,izl->izkl", apart, apart) + found.covariances[found.pattern]
    second = np.einsum("iz,izkl->zkl", found.weights, outer)
    np.testing.assert_allclose(sums.mass, found.weights.sum(axis=0))
    np.testing.assert_allclose(sums.first, np.einsum("iz,izk->zk", found.weights, apart), atol=1e-9)
    expected = np.einsum("zkk->zk", second) if diagonal else second
    np.testing.assert_allclose(sums.second, expected, atol=1e-9)


def test_digits_are_kept_far_from_zero():
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(500, 2)) * 1e-3 + 1e6
    reference = GaussianComponents(np.ones(1), rows.mean(axis=0)[None], np.ones((1, 2)))
    sums = assigned_gaussian_sums(
        pattern_rows(rows), np.ones((500, 1)), reference, reference.means, diagonal=False
    )
    found = components_of_sums(sums, reference.means, 0.0)
    np.testing.assert_allclose(found.covariances[0], np.cov(rows.T, bias=True), rtol=1e-6)


def test_a_far_row_is_shared_without_underflow():
    weights, means, covariances = np.array([0.5, 0.5]), np.zeros((2, 1)), np.ones((2, 1, 1))
    means[1] = 1.0
    found = conditionals(np.array([[1e5]]), weights, means, covariances)
    np.testing.assert_array_equal(found.weights, [[0.0, 1.0]])


@pytest.mark.parametrize(
    ("rows", "parameters", "message"),
    [
        (np.ones((2, 3)), (np.ones(1), np.zeros((1, 2)), np.eye(2)[None]), "2 entries"),
        (np.ones((2, 2)), (np.ones(2), np.zeros((1, 2)), np.eye(2)[None]), "make a mixture"),
        (np.ones((2, 2)), (np.ones(1), np.zeros((1, 2)), np.eye(3)[None]), "make a mixture"),
        (np.ones((2, 2)), (np.ones(1), np.zeros((1, 2)), -np.eye(2)[None]), "positive definite"),
        (np.ones((2, 2)), (np.ones(1), np.zeros((1, 2)), np.zeros((1, 2))), "positive definite"),
    ],
)
def test_what_does_not_fit_is_refused(rows, parameters, message):
    with pytest.raises(ValueError, match=message):
        conditionals(rows, *parameters)
