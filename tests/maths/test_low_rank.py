"""The pivoted Cholesky factor against the matrix it stands for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manyviews.maths import gram_cholesky, inverse_root, pivoted_cholesky


def whole_gram(gram):
    return gram_cholesky(gram)


def column_by_column(gram):
    return pivoted_cholesky(np.diag(gram), lambda place: gram[:, place], tol=1e-9)


def positive(seed, n=12, rank=12):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((n, rank)) * 0.5 ** np.arange(rank)
    return root @ root.T


class Columns:
    """The columns of a matrix, and which of them were read."""

    def __init__(self, matrix):
        self.matrix, self.read = matrix, []

    def __call__(self, number):
        self.read.append(number)
        return self.matrix[:, number]


@given(seed=st.integers(0, 10_000), tol=st.sampled_from([0.3, 1e-2, 1e-4, 1e-8]))
@settings(deadline=None, max_examples=30)
def test_it_stops_when_the_trace_that_is_left_is_small_and_not_before(seed, tol):
    K = positive(seed)
    columns = Columns(K)
    found = pivoted_cholesky(np.diag(K), columns, tol=tol)
    left = K - found.factor @ found.factor.T
    assert np.linalg.eigvalsh(left).min() > -1e-10 * np.trace(K)  # so the trace is a norm
    assert np.linalg.norm(left, "nuc") <= tol * np.trace(K) + 1e-10 * np.trace(K)
    assert found.residual == pytest.approx(np.trace(left), abs=1e-12 * np.trace(K))
    assert columns.read == found.pivots.tolist()  # no other column is asked for
    shorter = found.factor[:, :-1]
    assert np.trace(K - shorter @ shorter.T) > tol * np.trace(K)


def test_it_takes_the_largest_that_is_left():
    K = np.diag([1.0, 9.0, 4.0])
    found = pivoted_cholesky(np.diag(K), lambda j: K[:, j], max_rank=2)
    assert found.pivots.tolist() == [1, 2]
    np.testing.assert_allclose(found.factor, [[0, 0], [3, 0], [0, 2]])
    assert found.residual == 1.0


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_a_matrix_of_low_rank_is_found_out(rank):
    K = positive(1, n=200, rank=rank)
    found = pivoted_cholesky(np.diag(K), lambda j: K[:, j], tol=0.0)
    assert found.factor.shape == (200, rank)
    np.testing.assert_allclose(found.factor @ found.factor.T, K, atol=1e-10)


def test_the_room_grows_with_the_rank_and_pivot_rows_are_triangular():
    K = np.exp(-0.5 * np.subtract.outer(np.arange(150.0), np.arange(150.0)) ** 2)
    found = pivoted_cholesky(np.diag(K), lambda j: K[:, j], tol=0.0)
    assert len(found.pivots) == 150
    at_pivots = found.factor[found.pivots]
    assert np.array_equal(at_pivots, np.tril(at_pivots))
    np.testing.assert_allclose(found.factor @ found.factor.T, K, atol=1e-10)


@pytest.mark.parametrize("n", [0, 3])
def test_of_nothing_it_makes_nothing(n):
    found = pivoted_cholesky(np.zeros(n), lambda j: np.zeros(n))
    assert found.factor.shape == (n, 0)
    assert found.residual == 0.0


@given(seed=st.integers(0, 10_000), rank=st.integers(0, 6))
@settings(deadline=None, max_examples=20)
def test_the_inverse_root_squares_to_the_pseudo_inverse(seed, rank):
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.standard_normal((6, 6)))[0][:, :rank]
    core = basis @ np.diag(rng.uniform(0.1, 2.0, rank)) @ basis.T
    root = inverse_root(core)
    assert root.shape == (6, rank)
    np.testing.assert_allclose(root @ root.T, np.linalg.pinv(core, rcond=1e-12), atol=1e-9)


@pytest.mark.parametrize("n", [0, 3])
def test_of_a_gram_matrix_of_nothing_nothing_is_made(n):
    found = gram_cholesky(np.zeros((n, n)))
    assert found.factor.shape == (n, 0)
    assert found.residual == 0.0


@given(
    seed=st.integers(0, 10_000),
    row_tol=st.sampled_from([0.0, 1e-3, 0.1, 0.5]),
    bounds=st.sampled_from([(0, None), (5, None), (0, 3), (2, 7)]),
)
@settings(deadline=None, max_examples=30)
def test_a_whole_matrix_gives_the_factor_that_its_columns_give(seed, row_tol, bounds):
    K = positive(seed)
    options = {"row_tol": row_tol, "min_rank": bounds[0], "max_rank": bounds[1]}
    one = pivoted_cholesky(np.diag(K), lambda j: K[:, j], tol=0.0, **options)
    other = gram_cholesky(K, **options)
    assert one.pivots.tolist() == other.pivots.tolist()
    np.testing.assert_allclose(one.factor, other.factor, atol=1e-8)
    assert one.residual == pytest.approx(other.residual, abs=1e-10 * np.trace(K))


@given(seed=st.integers(0, 10_000), row_tol=st.sampled_from([0.02, 0.2, 0.6]))
@settings(deadline=None, max_examples=30)
def test_no_row_has_more_left_than_a_share_of_the_spread_and_one_pivot_less_would_not_do(
    seed, row_tol
):
    K = positive(seed)
    found = pivoted_cholesky(np.diag(K), lambda j: K[:, j], tol=0.0, row_tol=row_tol)

    def largest_and_spread(factor):
        left = np.diag(K) - (factor**2).sum(axis=1)
        return left.max(), np.trace(K) / len(K) - (factor.mean(axis=0) ** 2).sum()

    largest, spread = largest_and_spread(found.factor)
    assert largest <= row_tol * spread + 1e-12
    largest, spread = largest_and_spread(found.factor[:, :-1])
    assert largest > row_tol * spread - 1e-12


def test_the_spread_is_that_about_the_mean():
    points = np.array([[100.0, 0.0], [100.0, 1.0], [100.0, -1.0]])
    K = points @ points.T
    assert len(pivoted_cholesky(np.diag(K), lambda j: K[:, j], row_tol=0.4, tol=0.0).pivots) == 2
    assert len(pivoted_cholesky(np.diag(K), lambda j: K[:, j], tol=0.4).pivots) == 1


@pytest.mark.parametrize("how", [whole_gram, column_by_column])
def test_of_equal_diagonal_entries_the_first_is_the_pivot_however_they_are_rounded(how):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((60, 12))
    rows[20:40] = np.eye(12)[rng.integers(12, size=20)]  # many at right angles: ties to the end
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    gram = rows @ rows.T
    np.fill_diagonal(gram, 1.0)
    expected = how(gram).pivots
    assert expected[0] == 0
    for seed in range(5):
        shaken = gram.copy()
        noise = np.random.default_rng(seed).uniform(-4e-16, 4e-16, len(gram))
        np.fill_diagonal(shaken, 1.0 + noise)
        np.testing.assert_array_equal(how(shaken).pivots[:12], expected[:12])
