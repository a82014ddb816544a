from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from manyviews.maths import (
    canonical_pairs,
    centre_gram,
    effective_rank,
    entropy_rank,
    hsic,
    independence_test,
    median_rbf,
    without_group_means,
)


def random_grams(seed: int, n: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return median_rbf(rng.normal(size=(n, 2))), median_rbf(rng.normal(size=(n, 3)))


# -- effective rank ------------------------------------------------------------------------------


def test_equal_energies_count_themselves():
    assert entropy_rank(np.full(7, 0.3)) == pytest.approx(7.0)


def test_hand_worked_energies():
    # shares 1/2, 1/4, 1/4: entropy 1.5 bits, so 2 ** 1.5
    assert entropy_rank(np.array([2.0, 1.0, 1.0])) == pytest.approx(2**1.5)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_effective_rank_is_that_of_the_singular_values(shape, kind):
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=shape) * (rng.random(shape) < 0.6) + 0.0
    singular = np.linalg.svd(matrix - matrix.mean(axis=0), compute_uv=False)
    shares = singular**2 / (singular**2).sum()
    shares = shares[shares > 1e-14]
    expected = np.exp(-(shares * np.log(shares)).sum())
    assert effective_rank(kind(matrix)) == pytest.approx(expected, rel=1e-9)


def test_the_mean_does_not_count():
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(40, 5))
    assert effective_rank(matrix + 100.0) == pytest.approx(effective_rank(matrix), rel=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_constant_matrix_has_rank_nought(kind):
    assert effective_rank(kind(np.zeros((5, 3)))) == 0.0
    assert effective_rank(kind(np.zeros((5, 3))), exact_limit=1) == 0.0
    assert effective_rank(np.empty((4, 0))) == 0.0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_estimate_for_large_matrices_comes_near_the_exact_rank(kind):
    rng = np.random.default_rng(2)
    matrix = (
        rng.normal(size=(400, 300)) * np.linspace(0.1, 2.0, 300) * (rng.random((400, 300)) < 0.2)
    )
    exact = effective_rank(kind(matrix))
    for seed in range(3):
        estimate = effective_rank(kind(matrix), exact_limit=10, random_state=seed)
        assert estimate == pytest.approx(exact, rel=0.05)


def test_the_estimate_stops_well_when_the_rank_is_smaller_than_the_steps():
    rng = np.random.default_rng(3)
    matrix = np.outer(rng.normal(size=200), rng.normal(size=150))
    assert effective_rank(matrix, exact_limit=10) == pytest.approx(1.0, abs=1e-6)


# -- canonical correlations ----------------------------------------------------------------------


def correlated_views(n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    hidden = rng.normal(size=(n, 2))
    x = hidden @ rng.normal(size=(2, 4)) + 0.7 * rng.normal(size=(n, 4))
    y = hidden @ rng.normal(size=(2, 3)) + 0.7 * rng.normal(size=(n, 3))
    return x, y


def test_canonical_correlations_are_those_of_the_normal_equations():
    x, y = correlated_views()
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    cross = x.T @ y
    product = np.linalg.solve(x.T @ x, cross) @ np.linalg.solve(y.T @ y, cross.T)
    expected = np.sqrt(np.sort(np.linalg.eigvals(product).real)[::-1][:3])
    np.testing.assert_allclose(canonical_pairs(x, y).correlations, expected, rtol=1e-8)


def test_canonical_correlations_are_those_of_scikit_learn():
    from sklearn.cross_decomposition import CCA

    x, y = correlated_views()
    first, second = CCA(2, max_iter=5000, tol=1e-12).fit_transform(x, y)
    expected = [np.corrcoef(first[:, i], second[:, i])[0, 1] for i in range(2)]
    np.testing.assert_allclose(
        canonical_pairs(x, y, n_components=2).correlations, expected, atol=1e-5
    )


def test_held_out_points_correlate_as_stated_and_wide_noise_does_not():
    rng = np.random.default_rng(5)
    x, y = correlated_views(400)
    pairs = canonical_pairs(x[:300], y[:300], n_components=1)
    by_hand = np.corrcoef(x[300:] @ pairs.x_weights[:, 0], y[300:] @ pairs.y_weights[:, 0])[0, 1]
    assert pairs.held_out(x[300:], y[300:])[0] == pytest.approx(by_hand)
    noise, other = rng.normal(size=(80, 60)), rng.normal(size=(80, 60))
    fitted = canonical_pairs(noise[:50], other[:50], n_components=1)
    assert fitted.correlations[0] > 0.99
    assert abs(fitted.held_out(noise[50:], other[50:])[0]) < 0.5


def test_constant_columns_and_regularisation_do_no_harm():
    x, y = correlated_views()
    padded = np.column_stack([x, np.ones(len(x))])
    np.testing.assert_allclose(
        canonical_pairs(padded, y).correlations, canonical_pairs(x, y).correlations, rtol=1e-8
    )
    plain, shrunk = canonical_pairs(x, y), canonical_pairs(x, y, regularization=0.5)
    assert 0.5 < shrunk.correlations[0] <= plain.correlations[0] + 1e-12


# -- the Hilbert-Schmidt independence criterion --------------------------------------------------


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_hsic_is_the_trace_formula(seed):
    K, L = random_grams(seed)
    H = np.eye(7) - 1.0 / 7
    assert hsic(K, L) == pytest.approx(np.trace(K @ H @ L @ H) / 49, abs=1e-14)
    np.testing.assert_allclose(centre_gram(K), H @ K @ H, atol=1e-14)


def test_hsic_is_the_sum_over_pairs_triples_and_quadruples():
    K, L = random_grams(0, n=5)
    n, every = 5, range(5)
    pairs = sum(K[i, j] * L[i, j] for i in every for j in every) / n**2
    apart = sum(K[i, j] for i in every for j in every) * sum(L[i, j] for i in every for j in every)
    triples = sum(K[i, j] * L[i, q] for i in every for j in every for q in every) / n**3
    assert hsic(K, L) == pytest.approx(pairs + apart / n**4 - 2 * triples, abs=1e-14)


def test_the_kernel_has_the_median_distance():
    points = np.array([[0.0], [1.0], [3.0]])  # distances 1, 2, 3
    expected = np.exp(-np.square(points - points.T) / (2 * 2.0**2))
    np.testing.assert_allclose(median_rbf(points), expected)
    np.testing.assert_allclose(median_rbf(np.zeros((3, 2))), np.ones((3, 3)))


def test_p_values_are_uniform_under_independence():
    found = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        K, L = median_rbf(rng.normal(size=(30, 2))), median_rbf(rng.normal(size=(30, 2)))
        found.append(independence_test(K, L, n_permutations=49, random_state=rng))
    values = np.array([test.p_value for test in found])
    assert np.mean(values <= 0.1) < 0.2
    assert 0.35 < values.mean() < 0.65
    assert abs(np.mean([test.dependence for test in found])) < 0.03


def test_dependence_without_correlation_is_found():
    rng = np.random.default_rng(7)
    angle = rng.uniform(0, 2 * np.pi, size=100)
    K, L = median_rbf(np.cos(angle)[:, None]), median_rbf(np.sin(angle)[:, None])
    found = independence_test(K, L, random_state=0)
    assert found.p_value == 0.005
    assert found.dependence > 0.05
    assert found.statistic == pytest.approx(hsic(K, L))


def test_what_the_group_explains_is_not_dependence_given_the_group():
    rng = np.random.default_rng(8)
    groups = np.repeat([0, 1, 2], 40)
    x = groups[:, None] * 3.0 + rng.normal(size=(120, 2)) * (1 + groups[:, None])
    y = groups[:, None] * 3.0 + rng.normal(size=(120, 2)) * (1 + groups[:, None])
    assert independence_test(median_rbf(x), median_rbf(y), random_state=0).p_value < 0.01
    left, right = without_group_means(x, groups), without_group_means(y, groups)
    given_group = independence_test(
        median_rbf(left), median_rbf(right), groups=groups, random_state=0
    )
    assert given_group.p_value > 0.1
    assert abs(given_group.dependence) < 0.03


def test_groups_of_one_leave_nothing_to_exchange():
    K, L = random_grams(1)
    found = independence_test(K, L, groups=np.arange(7), random_state=0)
    assert found.p_value == 1.0


def test_points_without_spread_are_independent_of_everything():
    K, _ = random_grams(2)
    found = independence_test(np.ones((7, 7)), K, random_state=0)
    assert (found.dependence, found.p_value) == (0.0, 1.0)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000))
def test_permutations_stay_within_groups(seed):
    # a kernel that only sees the group is unchanged by every permutation within groups
    groups = np.random.default_rng(seed).integers(3, size=9)
    same = (groups[:, None] == groups).astype(float)
    assert independence_test(same, same, groups=groups, random_state=seed).p_value == 1.0
