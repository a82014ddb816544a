"""The expected Gaussian kernel against the paper's formula, brute force, drawing and its laws."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag

from manyviews.maths import Conditionals, conditionals
from manyviews.similarity import RBF
from manyviews.similarity import rows as rows_module
from manyviews.similarity.incomplete import kernels as pairs_module
from manyviews.similarity.incomplete.rbf import ExpectedRBF

TOGETHER, ONE_BY_ONE = 1, 10**9


def random_mixture(rng, width, n_components):
    roots = rng.standard_normal((n_components, width, width)) / np.sqrt(width)
    covariances = roots @ roots.transpose(0, 2, 1) + 0.1 * np.eye(width)
    weights = rng.dirichlet(np.full(n_components, 4.0))
    return weights, rng.standard_normal((n_components, width)), covariances


def incomplete_rows(seed=0, n=12, width=5, n_components=3, missing=0.5):
    """Mixture and rows; the first row is complete and the second shows nothing."""
    rng = np.random.default_rng(seed)
    mixture = random_mixture(rng, width, n_components)
    rows = rng.standard_normal((n, width))
    rows[rng.random(rows.shape) < missing] = np.nan
    rows[0], rows[1] = rng.standard_normal(width), np.nan
    return rows, mixture


def known_rows(*args, **kwargs):
    rows, mixture = incomplete_rows(*args, **kwargs)
    return conditionals(rows, *mixture)


def by(way):
    """Compare all pairs of patterns in one way."""
    return patch.object(pairs_module, "TOGETHER", way)


def gaussian(gap, covariance):
    if not len(gap):
        return 1.0
    square = gap @ np.linalg.solve(covariance, gap)
    return np.exp(-0.5 * square) / np.sqrt(np.linalg.det(2 * np.pi * covariance))


def brute_force(left, right, sigma):
    """The Gaussian in the difference of the conditional means, term by term."""
    width = left.means.shape[2]
    unit = (2 * np.pi * sigma**2) ** (width / 2)
    found = np.zeros((len(left), len(right)))
    for i, j in np.ndindex(found.shape):
        for one, other in np.ndindex(left.weights.shape[1], right.weights.shape[1]):
            covariance = (
                sigma**2 * np.eye(width)
                + left.covariances[left.pattern[i], one]
                + right.covariances[right.pattern[j], other]
            )
            weight = left.weights[i, one] * right.weights[j, other]
            gap = left.means[i, one] - right.means[j, other]
            found[i, j] += weight * unit * gaussian(gap, covariance)
    return found


def paper_kernel(known: Conditionals, i: int, j: int, sigma: float) -> float:
    """Equation (4) by the paper's own chain of partitions, (a) to (j), in its names.

    Printed otherwise in the paper: the second block of K^{m_i} and of p(x_i^{m_i}) in (c) is
    called o_i ∩ m_j but is m_i ∩ o_j; all blocks of the covariance in (c) have one of two names;
    (e) conditions on x_j^{m_i ∩ o_j}, not x_j^{o_i ∩ m_j}; the covariance in G belongs to m_i,
    not m_j; and d in z_c is the number of features in m_j, not of all.
    """
    seen = known.observed[known.pattern]
    o_i, o_j = seen[i], seen[j]
    m_i, m_j = ~o_i, ~o_j
    x_i, x_j = known.means[i, 0], known.means[j, 0]  # read where they are observed only
    both, only_i, only_j, shared = m_i & m_j, m_i & o_j, o_i & m_j, o_i & o_j

    def kernel(features):
        return sigma**2 * np.eye(features.sum())

    total = 0.0
    for zeta, pi_i in enumerate(known.weights[i]):
        mu, spread = known.means[i, zeta], known.covariances[known.pattern[i], zeta]
        G = kernel(only_i) + spread[np.ix_(only_i, only_i)]
        upsilon = spread[np.ix_(both, only_i)] @ np.linalg.inv(G)
        f = mu[both] + upsilon @ (x_j[only_i] - mu[only_i])
        F = kernel(both) + spread[np.ix_(both, both)] - upsilon @ spread[np.ix_(only_i, both)]
        a, A = np.concatenate([f, x_i[only_j]]), block_diag(F, kernel(only_j))  # (g)
        inner = 0.0
        for xi, pi_j in enumerate(known.weights[j]):
            order = np.concatenate([np.flatnonzero(both), np.flatnonzero(only_j)])
            b = known.means[j, xi][order]
            B = known.covariances[known.pattern[j], xi][np.ix_(order, order)]  # (h)
            inner += pi_j * product_constant(a, A, b, B)
        total += pi_i * gaussian(x_j[only_i] - mu[only_i], G) * inner
    return gaussian(x_j[shared] - x_i[shared], kernel(shared)) * total


def product_constant(a, A, b, B):
    """z_c of step (i)."""
    if not len(a):
        return 1.0
    precision_a, precision_b = np.linalg.inv(A), np.linalg.inv(B)
    C = np.linalg.inv(precision_a + precision_b)
    c = C @ (precision_a @ a + precision_b @ b)
    squares = a @ precision_a @ a + b @ precision_b @ b - c @ np.linalg.solve(C, c)
    determinants = np.linalg.det(C) / (np.linalg.det(A) * np.linalg.det(B))
    return (2 * np.pi) ** (-len(a) / 2) * np.sqrt(determinants) * np.exp(-squares / 2)


def draw(known, row, n, rng):
    """Draw whole rows given what one of them shows."""
    components = rng.choice(known.weights.shape[1], size=n, p=known.weights[row])
    found = np.empty((n, known.means.shape[2]))
    for component in np.unique(components):
        at = components == component
        covariance = known.covariances[known.pattern[row], component]
        found[at] = rng.multivariate_normal(
            known.means[row, component], covariance, size=at.sum(), method="eigh"
        )
    return found


@pytest.mark.parametrize("way", [TOGETHER, ONE_BY_ONE])
def test_it_is_the_formula_of_the_paper_over_its_constant(way):
    known, sigma = known_rows(), 0.8
    constant = (2 * np.pi * sigma**2) ** (-known.means.shape[2] / 2)  # z_κ
    with by(way):
        found = ExpectedRBF(sigma)(known)
    for i, j in np.ndindex(found.shape):
        assert found[i, j] == pytest.approx(paper_kernel(known, i, j, sigma) / constant, rel=1e-9)


def test_it_is_the_mean_over_draws():
    known, rng, n = known_rows(3, n=6), np.random.default_rng(4), 20_000
    found = ExpectedRBF(1.1)(known)
    for i, j in [(2, 3), (4, 5), (0, 2), (1, 4), (5, 5)]:
        gaps = draw(known, i, n, rng) - draw(known, j, n, rng)
        values = np.exp(-(gaps**2).sum(axis=1) / (2 * 1.1**2))
        assert abs(values.mean() - found[i, j]) < 4 * values.std() / np.sqrt(n)


@given(
    seed=st.integers(0, 10_000),
    width=st.integers(1, 6),
    n_components=st.integers(1, 4),
    missing=st.floats(0.0, 1.0),
    sigma=st.floats(0.05, 20.0),
)
@settings(deadline=None, max_examples=15)
def test_both_ways_are_brute_force_and_a_kernel(seed, width, n_components, missing, sigma):
    known = known_rows(seed, 7, width, n_components, missing)
    expected = brute_force(known, known, sigma)
    for way in (TOGETHER, ONE_BY_ONE, 4):
        with by(way):
            found = ExpectedRBF(sigma)(known)
            np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
            assert np.array_equal(found, found.T)
            assert np.linalg.eigvalsh(found)[0] > -1e-12
            across = ExpectedRBF(sigma)(known[2:6], known)
            np.testing.assert_allclose(across, found[2:6], rtol=1e-9, atol=1e-13)
            diagonal = ExpectedRBF(sigma).diagonal(known)
            np.testing.assert_allclose(diagonal, np.diag(found), rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("sigma", [0.1, 1.0, 5.0])
def test_the_diagonal_of_one_draw_is_a_kernel_too(sigma):
    """Ones in the diagonal, instead of two draws: larger by what is uncertain, and no less PSD."""
    known = known_rows(7, n=20)
    independent = ExpectedRBF(sigma)(known)
    one_draw = independent.copy()
    np.fill_diagonal(one_draw, 1.0)
    seen = known.observed[known.pattern].all(axis=1)
    np.testing.assert_allclose(np.diag(independent)[seen], 1.0)
    assert (np.diag(independent)[~seen] < 1.0).all()
    assert np.linalg.eigvalsh(independent)[0] > -1e-12
    assert np.linalg.eigvalsh(one_draw)[0] > np.linalg.eigvalsh(independent)[0] - 1e-12


def test_one_component_worked_by_hand():
    """x = (0, ?) with ? ~ N(0, 1), y = (0, 1), σ = 1: N(1 | 0, 2) over N(0 | 0, 1)."""
    rows = np.array([[0.0, 1.0], [0.0, np.nan]])
    known = conditionals(rows, np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    across = np.exp(-0.25) / np.sqrt(2)
    for way in (TOGETHER, ONE_BY_ONE):
        with by(way):
            found = ExpectedRBF(1.0)(known)
            np.testing.assert_allclose(found, [[1, across], [across, 1 / np.sqrt(3)]], rtol=1e-14)


@pytest.mark.parametrize("way", [TOGETHER, ONE_BY_ONE])
def test_with_nothing_missing_it_is_the_usual_kernel(way):
    rng = np.random.default_rng(0)
    rows, mixture = rng.standard_normal((15, 4)), random_mixture(rng, 4, 3)
    with by(way):
        found = ExpectedRBF(0.9)(conditionals(rows, *mixture))
    np.testing.assert_allclose(found, RBF(0.5 / 0.9**2).gram(rows), rtol=1e-12)


def test_what_is_sure_is_as_if_it_were_observed():
    """Conditional covariances of zero give the usual kernel of the filled rows."""
    rows, (weights, means, covariances) = incomplete_rows(2, n_components=1)
    known = conditionals(rows, weights, means, covariances)
    sure = Conditionals(
        known.weights, known.means, 0 * known.covariances, known.pattern, known.observed
    )
    np.testing.assert_allclose(ExpectedRBF(1.3)(sure), RBF(0.5 / 1.3**2).gram(known.means[:, 0]))


def test_the_order_of_rows_and_features_does_not_matter():
    rows, (weights, means, covariances) = incomplete_rows(5)
    rng = np.random.default_rng(0)
    order, features = rng.permutation(len(rows)), rng.permutation(rows.shape[1])
    found = ExpectedRBF(0.7)(conditionals(rows, weights, means, covariances))
    turned = conditionals(
        rows[np.ix_(order, features)],
        weights,
        means[:, features],
        covariances[:, features][:, :, features],
    )
    np.testing.assert_allclose(ExpectedRBF(0.7)(turned), found[np.ix_(order, order)], rtol=1e-10)


def test_far_from_the_origin_no_digits_are_lost():
    rows, (weights, means, covariances) = incomplete_rows(6)
    near = ExpectedRBF(1.0)(conditionals(rows, weights, means, covariances))
    for way in (TOGETHER, ONE_BY_ONE):
        with by(way):
            far = ExpectedRBF(1.0)(conditionals(rows + 1e5, weights, means + 1e5, covariances))
        np.testing.assert_allclose(far, near, atol=1e-8)


def test_determinants_of_many_features_do_not_overflow():
    """300 features, each with a variance 1e6 of the kernel's: the determinant alone is 1e1800."""
    rows = np.full((3, 300), np.nan)
    rows[:, 0] = [0.0, 0.5, np.nan]
    rows[1, 1:] = 0.0
    known = conditionals(rows, np.ones(1), np.zeros((1, 300)), 1e6 * np.eye(300)[None])
    with by(TOGETHER):
        together = ExpectedRBF(1.0)(known)
    with by(ONE_BY_ONE):
        one_by_one = ExpectedRBF(1.0)(known)
    np.testing.assert_allclose(one_by_one, together, rtol=1e-9, atol=0)
    assert together[1, 1] == 1.0


def test_components_of_no_weight_add_nothing():
    known = known_rows(8)
    weights = known.weights.copy()
    weights[:, 0] = 1e-17
    weights[:, 1] = 1.0 - weights[:, 2]
    faint = Conditionals(weights, known.means, known.covariances, known.pattern, known.observed)
    for way in (TOGETHER, ONE_BY_ONE):
        with by(way):
            np.testing.assert_allclose(
                ExpectedRBF(0.8)(faint), brute_force(faint, faint, 0.8), rtol=1e-9, atol=1e-14
            )


def test_blocks_of_few_rows_give_the_same(monkeypatch):
    """Four patterns with many rows each, and some rows of patterns of their own."""
    rng = np.random.default_rng(0)
    rows, mixture = rng.standard_normal((90, 4)), random_mixture(rng, 4, 2)
    for pattern in range(1, 4):
        rows[pattern:80:4, pattern] = np.nan
    rows[80:] = np.where(rng.random((10, 4)) < 0.6, np.nan, rows[80:])
    known = conditionals(rows, *mixture)
    whole = ExpectedRBF(0.9)(known)
    monkeypatch.setattr(rows_module, "_BLOCK_ENTRIES", 100)
    np.testing.assert_allclose(ExpectedRBF(0.9)(known), whole, rtol=1e-12)
    np.testing.assert_allclose(ExpectedRBF(0.9)(known, known), whole, rtol=1e-12)
    with by(ONE_BY_ONE):
        np.testing.assert_allclose(ExpectedRBF(0.9)(known), whole, rtol=1e-10)
