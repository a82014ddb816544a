"""The closed form of the distance to a hyperplane is the least-squares problem of the paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from manyviews.ensemble.hyperplane_knn import Grid, Members, class_distances


def drawn(seed, n_members=40, n_features=6, n_classes=3, n_queries=5):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_members, n_features))
    codes = np.arange(n_members) % n_classes
    return Members(rows, codes, n_classes), rng.normal(size=(n_queries, n_features))


def squares_by_least_squares(x, group, n_neighbors, penalty):
    """``min ‖x − N̄ − Vα‖² + λ‖α‖²``, solved as it is written."""
    order = np.argsort(((group - x) ** 2).sum(axis=1), kind="stable")
    near = group[order[:n_neighbors]]
    middle = near.mean(axis=0)
    V = (near - middle).T
    system = np.vstack([V, np.sqrt(penalty) * np.eye(V.shape[1])])
    target = np.concatenate([x - middle, np.zeros(V.shape[1])])
    alpha = np.linalg.lstsq(system, target)[0]
    gap = x - middle - V @ alpha
    return gap @ gap + penalty * alpha @ alpha


def stacked(queries, members, grid, itself=None):
    return np.stack(list(class_distances(queries, members, grid, itself)), axis=-1)


def by_least_squares(queries, members, grid):
    return np.array(
        [
            [
                [
                    [
                        squares_by_least_squares(
                            x, members.rows[members.codes == code], n_neighbors, penalty
                        )
                        for code in range(members.n_classes)
                    ]
                    for x in queries
                ]
                for penalty in grid.penalties
            ]
            for n_neighbors in grid.n_neighbors
        ]
    )


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    n_features=st.integers(1, 12),
    n_neighbors=st.lists(st.integers(1, 20), min_size=1, max_size=3),
    exponents=st.lists(st.floats(-4, 4), min_size=1, max_size=3),
)
def test_it_is_the_penalised_least_squares_problem(seed, n_features, n_neighbors, exponents):
    members, queries = drawn(seed, n_features=n_features)
    grid = Grid(tuple(n_neighbors), tuple(10.0**e for e in exponents))
    expected = by_least_squares(queries, members, grid)
    np.testing.assert_allclose(stacked(queries, members, grid), expected, rtol=1e-6, atol=1e-9)


def test_without_a_penalty_it_is_the_distance_to_the_flat():
    members, queries = drawn(0, n_features=8)
    grid = Grid((2, 4), (0.0,))
    expected = by_least_squares(queries, members, grid)
    np.testing.assert_allclose(stacked(queries, members, grid), expected, rtol=1e-7)


def test_through_more_neighbours_than_features_every_flat_passes():
    members, queries = drawn(1, n_features=3)
    grid = Grid((9,), (0.0, 1e-4))
    limit, small = stacked(queries, members, grid)[0]
    assert (limit < 1e-8).all()
    assert np.array_equal(limit.argsort(axis=1), small.argsort(axis=1))  # the limit decides


def test_a_large_penalty_leaves_the_distance_to_the_mean_of_the_neighbours():
    members, queries = drawn(2)
    found = stacked(queries, members, Grid((4,), (1e12,)))[0, 0]
    for x, row in zip(queries, found, strict=True):
        for code, square in enumerate(row):
            group = members.rows[members.codes == code]
            near = group[np.argsort(((group - x) ** 2).sum(axis=1))[:4]]
            assert square == pytest.approx(((x - near.mean(axis=0)) ** 2).sum(), rel=1e-5)


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 10_000), copies=st.booleans())
def test_leaving_out_is_really_leaving_out(seed, copies):
    members, _ = drawn(seed, n_members=17, n_features=3, n_classes=4)
    rows = np.vstack([members.rows, members.rows[:5]]) if copies else members.rows
    codes = np.concatenate([members.codes, [0, 0, 0, 0, 0]]) if copies else members.codes
    codes = np.where(np.arange(len(codes)) == 6, 4, codes)  # a class of one object
    members = Members(rows, codes, 5)
    grid = Grid((1, 3, 30), (0.1, 5.0))
    found = stacked(rows, members, grid, np.arange(len(rows)))
    assert np.isinf(found[:, :, 6, 4]).all()
    for left_out in range(len(rows)):
        others = np.arange(len(rows)) != left_out
        rest = Members(rows[others], codes[others], 5 if left_out != 6 else 4)
        expected = stacked(rows[[left_out]], rest, grid)[:, :, 0]
        given = found[:, :, left_out, : rest.n_classes]
        np.testing.assert_allclose(given, expected, rtol=1e-6, atol=1e-8)


def test_only_some_queries_are_members():
    members, queries = drawn(3)
    grid = Grid((3,), (1.0,))
    both = np.vstack([members.rows[:2], queries])
    itself = np.array([0, 1, -1, -1, -1, -1, -1])
    found = stacked(both, members, grid, itself)
    left_out = stacked(members.rows, members, grid, np.arange(40))
    np.testing.assert_allclose(found[:, :, :2], left_out[:, :, :2], rtol=1e-9)
    np.testing.assert_allclose(found[:, :, 2:], stacked(queries, members, grid), rtol=1e-9)


def test_blocks_change_nothing(monkeypatch):
    members, queries = drawn(4, n_queries=50)
    grid = Grid((2, 5), (0.5,))
    whole = stacked(queries, members, grid)
    monkeypatch.setattr("manyviews.ensemble.hyperplane_knn._BLOCK_ENTRIES", 100)
    np.testing.assert_allclose(stacked(queries, members, grid), whole, rtol=1e-9)


def test_sparse_rows_give_the_distances_of_dense_ones():
    members, queries = drawn(5)
    rows, asked = np.maximum(members.rows, 0.0), np.maximum(queries, 0.0)
    grid = Grid((2, 5), (0.5,))
    dense = stacked(asked, Members(rows, members.codes, 3), grid)
    sparse = stacked(csr_array(asked), Members(csr_array(rows), members.codes, 3), grid)
    np.testing.assert_allclose(sparse, dense, rtol=1e-9)


@pytest.mark.parametrize("penalty", [0.0, 1e-3, 10.0])
def test_outliers_and_copies_do_not_break_the_factors(penalty):
    members, queries = drawn(6)
    rows = members.rows.copy()
    rows[3] *= 1e6  # one object far away from all others
    rows[6::3] = rows[0]  # and nothing but copies in its class
    found = stacked(
        np.vstack([queries, rows]), Members(rows, members.codes, 3), Grid((5,), (penalty,))
    )
    assert np.isfinite(found).all()
    assert (found >= 0).all()


def test_a_class_without_members_is_infinitely_far():
    members, queries = drawn(7)
    one_more = Members(members.rows, members.codes, 4)
    found = stacked(queries, one_more, Grid((2, 5), (0.5,)))
    assert np.isinf(found[..., 3]).all()
    np.testing.assert_array_equal(found[..., :3], stacked(queries, members, Grid((2, 5), (0.5,))))
