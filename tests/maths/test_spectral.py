from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import manifold

from manyviews.maths import (
    column_signs,
    fix_signs,
    leading_eigenvectors,
    normalize_by_degree,
    spectral_embedding,
)


def points_affinity(n: int = 12, seed: int = 0) -> np.ndarray:
    points = np.random.default_rng(seed).normal(size=(n, 3))
    return np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2) / 2)


def symmetric(n: int) -> st.SearchStrategy[np.ndarray]:
    entries = st.floats(0.01, 1.0)
    return arrays(np.float64, (n, n), elements=entries).map(lambda A: (A + A.T) / 2)


def brute_force_embedding(A: np.ndarray, k: int) -> np.ndarray:
    """Through the random walk D^-1 A, whose eigenvectors are D^-1/2 times those wanted."""
    degrees = A.sum(axis=1)
    values, vectors = np.linalg.eig(A / degrees[:, None])
    order = np.argsort(-values.real)[:k]
    wanted = np.sqrt(degrees)[:, None] * vectors.real[:, order]
    wanted = wanted / np.linalg.norm(wanted, axis=0)
    return wanted / np.linalg.norm(wanted, axis=1, keepdims=True)


@settings(deadline=None, max_examples=40)
@given(A=symmetric(6))
def test_projection_on_the_leading_space_is_that_of_the_random_walk(A):
    values = np.linalg.eigvalsh(normalize_by_degree(A))[::-1]
    if values[1] - values[2] < 1e-3:  # the cut goes through an eigenspace: nothing to compare
        return
    ours, theirs = spectral_embedding(A, 2), brute_force_embedding(A, 2)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-6)


@settings(deadline=None, max_examples=40)
@given(A=symmetric(5), scale=st.floats(1e-12, 1e12))
def test_first_eigenvector_is_the_root_of_the_degrees_at_any_scale(A, scale):
    embedding = spectral_embedding(A * scale, 1, normalize_rows=False)
    degrees = A.sum(axis=1)
    np.testing.assert_allclose(embedding[:, 0], np.sqrt(degrees / degrees.sum()), rtol=1e-8)


def test_diagonal_left_out_is_the_embedding_of_scikit_learn():
    A = points_affinity()
    ours = spectral_embedding(A, 4, normalize_rows=False, zero_diagonal=True)
    degrees = (A - np.diag(np.diag(A))).sum(axis=1)
    theirs = manifold.spectral_embedding(
        A, n_components=4, eigen_solver="arpack", random_state=0, drop_first=False
    )
    ours = ours / np.sqrt(degrees)[:, None]
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-7)


def test_blocks_worked_by_hand():
    # Blocks of ones of sizes 3 and 2: eigenvalue 1 twice, unit rows equal within a block,
    # orthogonal across.
    A = np.zeros((5, 5))
    A[:3, :3] = 1
    A[3:, 3:] = 1
    Y = spectral_embedding(A, 2)
    np.testing.assert_allclose(Y @ Y.T, A, atol=1e-12)
    values, _ = leading_eigenvectors(normalize_by_degree(A), 3)
    np.testing.assert_allclose(values, [1, 1, 0], atol=1e-12)


def test_path_of_three_worked_by_hand():
    # 0 - 1 - 2: degrees 1, 2, 1; L has 1/sqrt 2 off the diagonal, eigenvalues 1, 0, -1.
    path = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    values, vectors = leading_eigenvectors(normalize_by_degree(path), 3)
    np.testing.assert_allclose(values, [1, 0, -1], atol=1e-12)
    np.testing.assert_allclose(vectors[:, 0], [0.5, np.sqrt(0.5), 0.5])
    np.testing.assert_allclose(vectors[:, 1], [np.sqrt(0.5), 0, -np.sqrt(0.5)], atol=1e-12)
    np.testing.assert_allclose(vectors[:, 2], [-0.5, np.sqrt(0.5), -0.5])


def test_diagonal_matters_only_when_kept():
    A = points_affinity(6)
    heavier = A + np.diag(np.arange(6.0))
    zeroed = [spectral_embedding(each, 2, zero_diagonal=True) for each in (A, heavier)]
    np.testing.assert_array_equal(*zeroed)
    assert not np.allclose(spectral_embedding(A, 2), spectral_embedding(heavier, 2))


def test_isolated_objects_are_at_the_origin_and_move_nobody():
    A = points_affinity(6)
    gap = np.zeros((8, 8))
    others = [0, 1, 3, 4, 6, 7]
    gap[np.ix_(others, others)] = A
    Y = spectral_embedding(gap, 3)
    np.testing.assert_array_equal(Y[[2, 5]], 0)
    np.testing.assert_allclose(Y[others], spectral_embedding(A, 3), atol=1e-12)


def test_more_blocks_than_components_give_unit_rows_or_zeros():
    Y = spectral_embedding(np.kron(np.eye(3), np.ones((2, 2))), 2)
    lengths = np.linalg.norm(Y, axis=1)
    assert np.all(np.isclose(lengths, 1) | (lengths == 0))


@settings(deadline=None, max_examples=40)
@given(V=arrays(np.float64, (4, 3), elements=st.floats(-5, 5)))
def test_signs_do_not_depend_on_the_signs_given(V):
    np.testing.assert_array_equal(np.abs(fix_signs(V)), np.abs(V))
    flipped = V * np.array([-1.0, 1.0, -1.0])
    np.testing.assert_array_equal(fix_signs(flipped), fix_signs(V))
    np.testing.assert_array_equal(fix_signs(V), V * column_signs(V))


def test_sign_of_a_tie_is_that_of_the_first_entry_despite_rounding():
    column = np.array([[-0.5], [0.5 + 1e-15]])
    np.testing.assert_array_equal(fix_signs(column), -column)


@pytest.mark.parametrize("n", [17, 20, 26, 30, 57])
def test_copies_of_one_object_have_eigenvectors(n):
    A = (np.ones((n, n)) - np.eye(n)) / (n - 1)  # all eigenvalues but one are equal
    for k in (1, 5, 13, n - 2):
        values, vectors = leading_eigenvectors(A, k)
        np.testing.assert_allclose(values, [1.0, *[-1 / (n - 1)] * (k - 1)], atol=1e-12)
        np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-10)


def test_rectangular_weights_are_normalised_by_rows_and_columns():
    W = np.array([[1.0, 0, 2], [0, 0, 0]])
    expected = [[1 / np.sqrt(3 * 1), 0, 2 / np.sqrt(3 * 2)], [0, 0, 0]]
    np.testing.assert_allclose(normalize_by_degree(W), expected)


def test_input_is_not_changed():
    A = points_affinity(5)
    A.setflags(write=False)
    before = A.copy()
    spectral_embedding(A, 2, zero_diagonal=True)
    np.testing.assert_array_equal(A, before)


@pytest.mark.parametrize(
    ("affinity", "n_components", "message"),
    [
        (np.ones((2, 3)), 1, "square"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), 1, r"NaN or infinity at \(0, 1\)"),
        (np.array([[1.0, 2.0], [1.0, 1.0]]), 1, r"not symmetric: \(0, 1\) is 2"),
        (np.array([[1.0, -2.0], [-2.0, 5.0]]), 1, "row 0 of the weights sums to -1"),
        (np.diag([1.0, 1.0, 0.0]), 3, "2 of 3 objects"),
        (np.eye(2), 0, "from 1 to 2"),
        (np.zeros((2, 2)), 1, "all zero"),
    ],
)
def test_bad_affinities_are_refused_with_the_place(affinity, n_components, message):
    with pytest.raises(ValueError, match=message):
        spectral_embedding(affinity, n_components)
