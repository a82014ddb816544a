"""Similarities that a view lacks, filled in three shapes, against one entry at a time."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from manyviews.maths import LowRank, to_dense
from manyviews.similarity import views as views_module
from manyviews.similarity.views import fill_unobserved


def one_by_one(found, rows, columns, scales, typical=0.0):
    """What the definition says, entry by entry."""
    names = list(found)
    seats = [(np.cumsum(rows[:, v]) - 1, np.cumsum(columns[:, v]) - 1) for v in range(len(names))]
    filled = {}
    for view, name in enumerate(names):
        result = np.zeros((len(rows), len(columns)))
        for i in range(len(rows)):
            for j in range(len(columns)):
                shown = {
                    names[v]: found[names[v]][seats[v][0][i], seats[v][1][j]]
                    for v in range(len(names))
                    if rows[i, v] and columns[j, v]
                }
                others = [shown[o] / scales[o] for o in shown if scales[o] > 0]
                if rows[i, view] and columns[j, view]:
                    result[i, j] = shown[name]
                elif others:
                    result[i, j] = scales[name] * np.mean(others)
                else:
                    result[i, j] = scales[name] * typical
        filled[name] = result
    return filled


def problem(seed, n_views, *, symmetric):
    """Matrices of low rank with zeros, masks and scales; some masks with objects in no view."""
    rng = np.random.default_rng(seed)
    rows = rng.random((9, n_views)) < 0.6
    columns = rows if symmetric else rng.random((7, n_views)) < 0.6
    factors, scales = {}, {}
    for view in range(n_views):
        left = rng.standard_normal((rows[:, view].sum(), 2))
        right = left if symmetric else rng.standard_normal((columns[:, view].sum(), 2))
        left, right = np.round(left), np.round(right)  # so that there are zeros
        factors[f"v{view}"] = LowRank(left, right)
        scales[f"v{view}"] = float(rng.choice([0.0, 0.5, 2.0], p=[0.15, 0.45, 0.4]))
        if scales[f"v{view}"] == 0.0:
            factors[f"v{view}"] = LowRank(0 * left, 0 * right)
    return factors, rows, columns, scales


SHAPES = {
    "dense": lambda gram: gram.toarray(),
    "sparse": lambda gram: sparse.csr_array(gram.toarray()),
    "low-rank": lambda gram: gram,
}


@given(seed=st.integers(0, 10_000), n_views=st.integers(1, 4), symmetric=st.booleans())
@settings(deadline=None, max_examples=30)
def test_all_shapes_are_filled_as_the_definition_says(seed, n_views, symmetric):
    factors, rows, columns, scales = problem(seed, n_views, symmetric=symmetric)
    dense = {name: gram.toarray() for name, gram in factors.items()}
    for kind, shape in SHAPES.items():
        expected = one_by_one(dense, rows, columns, scales, 0.0 if kind == "sparse" else 0.7)
        given_shape = {name: shape(gram) for name, gram in factors.items()}
        found = fill_unobserved(given_shape, rows, columns, scales, typical=0.7)
        for name, gram in found.items():
            assert type(gram) is type(given_shape[name]), kind
            np.testing.assert_allclose(to_dense(gram), expected[name], atol=1e-10)
            if symmetric and kind != "low-rank":
                assert abs(gram - gram.T).max() < 1e-14


@given(seed=st.integers(0, 10_000), kinds=st.permutations(["dense", "sparse", "low-rank"]))
@settings(deadline=None, max_examples=20)
def test_mixed_shapes_are_filled_alike(seed, kinds):
    factors, rows, columns, scales = problem(seed, 3, symmetric=False)
    rows, columns = rows.copy(), columns.copy()
    rows[:, 0] = columns[:, 0] = True  # the first view shows all
    factors["v0"] = LowRank(np.ones((9, 1)), np.arange(7.0)[:, None])
    dense = {name: gram.toarray() for name, gram in factors.items()}
    expected = one_by_one(dense, rows, columns, scales)
    mixed = {
        name: SHAPES[kind](gram) for (name, gram), kind in zip(factors.items(), kinds, strict=True)
    }
    found = fill_unobserved(mixed, rows, columns, scales)
    assert found["v0"] is mixed["v0"]  # nothing to fill
    for name, gram in found.items():
        np.testing.assert_allclose(to_dense(gram), expected[name], atol=1e-10)


def test_by_hand():
    seen = np.array([[True, True], [True, True], [True, False]])
    found = {"a": np.array([[4.0, 2, 6], [2, 4, 8], [6, 8, 4]]), "b": np.array([[9.0, 5], [5, 9]])}
    filled = fill_unobserved(found, seen, seen, {"a": 2.0, "b": 10.0})
    assert filled["a"] is found["a"]
    np.testing.assert_allclose(filled["b"], [[9, 5, 30], [5, 9, 40], [30, 40, 20]])


def test_where_all_is_seen_nothing_is_touched():
    seen = np.ones((3, 1), dtype=bool)
    K = np.eye(3)
    assert fill_unobserved({"a": K}, seen, seen, {"a": 1.0})["a"] is K


def test_a_large_mixture_without_a_dense_view_is_refused(monkeypatch):
    monkeypatch.setattr(views_module, "_MOST_ENTRIES", 8)
    seen = np.array([[True, True], [True, True], [True, False]])
    found = {"a": sparse.eye_array(3, format="csr"), "b": LowRank(np.ones((2, 1)), np.ones((2, 1)))}
    with pytest.raises(ValueError, match="one kind in all views"):
        fill_unobserved(found, seen, seen, {"a": 1.0, "b": 1.0})


def test_dense_filling_holds_one_matrix_beside_its_result():
    n = 600
    rng = np.random.default_rng(0)
    seen = rng.random((n, 3)) < 0.8
    found = {f"v{v}": np.ones((seen[:, v].sum(),) * 2) for v in range(3)}
    tracemalloc.start()
    fill_unobserved(found, seen, seen, dict.fromkeys(found, 1.0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < (3 + 2) * n * n * 8


def test_the_rank_grows_as_said():
    seen = np.array([[True, True], [True, True], [True, False], [False, True]])
    one = LowRank(np.ones((3, 1)), np.ones((3, 1)))
    filled = fill_unobserved({"a": one, "b": one}, seen, seen, {"a": 1.0, "b": 1.0})
    assert [gram.rank for gram in filled.values()] == [3, 3]  # its own, and two of the other's
