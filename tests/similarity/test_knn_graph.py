"""The graph of nearest neighbours against scikit-learn's, and between its own methods."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

from manyviews.cluster import CoRegularizedSpectral
from manyviews.exceptions import MissingExtraError
from manyviews.semi_supervised import CoLaplacianRLS
from manyviews.similarity import RBF, Cosine, KNNGraph, Linear, Precomputed, SelfTuningRBF
from manyviews.similarity import neighbors as neighbors_module
from manyviews.similarity import rows as rows_module

METHODS = ["faiss", "scikit-learn", "auto"]


def rows(seed=0, n=40, width=8):
    return np.random.default_rng(seed).standard_normal((n, width))


def need(method):
    if method in ("faiss", "approximate"):
        pytest.importorskip("faiss")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("width", [2, 8])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_neighbours_are_scikit_learns(method, width, metric):
    need(method)
    X = rows(width=width)
    theirs = kneighbors_graph(X, 5, include_self=True, metric=metric)
    ours = KNNGraph(5, metric=metric, method=method, symmetric="mean").gram(X)
    np.testing.assert_array_equal(ours.toarray(), (theirs + theirs.T).toarray() / 2)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_sparse_rows_have_the_neighbours_of_dense_ones(metric, monkeypatch):
    monkeypatch.setattr(rows_module, "_SPARSE_BLOCK_ENTRIES", 100)
    monkeypatch.setattr(sparse.csr_array, "toarray", refuse_wide(sparse.csr_array.toarray, 300))
    X = np.where(np.random.default_rng(1).random((40, 300)) < 0.1, rows(n=40, width=300), 0.0)
    packed = sparse.csr_array(X)
    for mode in ("connectivity", "similarity"):
        graph = KNNGraph(5, mode, metric=metric)
        dense, found = graph.fitted(X), graph.fitted(packed)
        np.testing.assert_allclose((dense.edges - found.edges).data, 0.0, atol=1e-10)
        new = X[:7] + X[7:14]
        expected = dense.cross(new, X)
        one, other = found.cross(new, packed), found.cross(sparse.csr_array(new), packed)
        np.testing.assert_allclose((one - expected).data, 0.0, atol=1e-10)
        np.testing.assert_allclose((other - expected).data, 0.0, atol=1e-10)


def refuse_wide(toarray, width):
    """Making rows of a view dense is what must not happen."""

    def checked(self, *args, **kwargs):
        assert self.shape[1] != width
        return toarray(self, *args, **kwargs)

    return checked


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 25),
    n_neighbors=st.integers(2, 12),
    symmetric=st.sampled_from(["union", "mutual", "mean"]),
    mode=st.sampled_from(["connectivity", "similarity"]),
    copies=st.booleans(),
)
@settings(deadline=None, max_examples=30)
def test_laws_of_the_graph(seed, n, n_neighbors, symmetric, mode, copies):
    X = rows(seed, n, width=3)
    if copies:
        X[: n // 2] = X[0]
    graph = KNNGraph(n_neighbors, mode, symmetric=symmetric).fitted(X)
    A = graph.gram(X).toarray()
    assert np.array_equal(A, A.T)
    assert graph.edges.has_canonical_format
    assert (graph.edges.data > 0).all()
    isolated = ~A.any(axis=1)
    assert (np.diag(A)[~isolated] == 1.0).all()
    assert ((A > 0).sum(axis=1)[~isolated] > 1).all()  # nobody is joined to itself only
    if symmetric == "union" and not copies:
        assert ((A > 0).sum(axis=1) >= min(n_neighbors, n)).all()
    if not copies:
        assert np.array_equal(graph.cross(X, X).toarray(), A)


def test_rules_of_joining_by_hand():
    X = np.array([[0.0], [1.0], [3.0]])  # 1 is nearest to 0 and to 2, 0 is nearest to 1
    found = {rule: KNNGraph(2, symmetric=rule).gram(X).toarray() for rule in ("union", "mean")}
    np.testing.assert_array_equal(found["union"], [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    np.testing.assert_array_equal(found["mean"], [[1, 1, 0], [1, 1, 0.5], [0, 0.5, 1]])
    mutual = KNNGraph(2, symmetric="mutual").gram(X).toarray()
    np.testing.assert_array_equal(mutual, [[1, 1, 0], [1, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize("mode", ["connectivity", "similarity"])
@pytest.mark.parametrize("symmetric", ["union", "mutual", "mean"])
def test_a_training_row_that_comes_again_gets_its_row(mode, symmetric):
    X = rows(n=30)
    graph = KNNGraph(5, mode, symmetric=symmetric).fitted(X)
    new = np.vstack([rows(9, n=2), X[[4, 11]], rows(8, n=1), X[[0]]])
    found = graph.cross(new, X)
    assert (found[[2, 3, 5]] != graph.edges[[4, 11, 0]]).nnz == 0
    assert np.diff(found.indptr)[[0, 1, 4]].tolist() == [5, 5, 5]


@pytest.mark.parametrize("kernel", [RBF(gamma=0.1), RBF(), Linear(), Cosine(), SelfTuningRBF(6)])
def test_weights_are_those_of_the_kernel(kernel):
    X, new = rows(n=30), rows(5, n=4)
    graph = KNNGraph(9, "similarity", kernel=kernel).fitted(X)
    K, A = kernel.fitted(X).gram(X), graph.edges
    dense = A.toarray()
    np.testing.assert_allclose(dense[dense != 0], K[dense != 0], rtol=1e-9)
    assert A.nnz == KNNGraph(9).gram(X).nnz  # also where a weight is negative
    cross, expected = graph.cross(new, X).toarray(), kernel.fitted(X).cross(new, X)
    assert ((cross != 0).sum(axis=1) == 9).all()
    np.testing.assert_allclose(cross[cross != 0], expected[cross != 0], rtol=1e-9)


def test_with_all_rows_as_neighbours_it_is_the_kernel():
    X, new = rows(n=12), rows(3, n=3)
    graph = KNNGraph(12, "similarity").fitted(X)
    np.testing.assert_allclose(graph.edges.toarray(), SelfTuningRBF().gram(X), rtol=1e-9)
    np.testing.assert_allclose(
        graph.cross(new, X).toarray(), SelfTuningRBF().cross(new, X), rtol=1e-9
    )


def test_few_rows_are_all_neighbours():
    X = rows(n=3)
    np.testing.assert_array_equal(KNNGraph(10).gram(X).toarray(), np.ones((3, 3)))
    assert KNNGraph(10).gram(X[:1]).nnz == 0
    nothing = KNNGraph(10).fitted(X[:0])
    assert nothing.gram(X[:0]).shape == (0, 0)
    assert nothing.cross(X, X[:0]).shape == (3, 0)
    assert KNNGraph(10).fitted(X).cross(X[:0], X).shape == (0, 3)


def test_more_equal_rows_than_neighbours_keep_themselves():
    X = np.zeros((20, 8))
    for method in METHODS:
        need(method)
        A = KNNGraph(4, method=method).gram(X)
        assert (A.diagonal() == 1.0).all()


def test_empty_documents_are_nobodys_neighbours():
    X = sparse.csr_array(np.array([[1.0, 0], [1, 0.1], [0, 0], [0, 1], [0.1, 1]]))
    for form in (X, X.toarray()):
        graph = KNNGraph(2, metric="cosine").fitted(form)
        assert graph.edges[[2]].nnz == 0
        assert graph.edges.toarray()[[0, 3]].tolist() == [[1, 1, 0, 0, 0], [0, 0, 0, 1, 1]]
        again = graph.cross(form[[2, 0]], form)
        assert again.toarray().tolist() == [[0, 0, 0, 0, 0], [1, 1, 0, 0, 0]]


def test_far_from_the_origin_neighbours_are_the_same():
    pytest.importorskip("faiss")
    X = rows(n=60)
    near, far = (KNNGraph(5, method="faiss").gram(X + shift) for shift in (0.0, 1e6))
    assert (near != far).nnz == 0


def test_single_precision_has_the_same_graph():
    X = rows(n=50).astype(np.float32)
    assert (KNNGraph(5).gram(X) != KNNGraph(5).gram(X.astype(float))).nnz == 0


def test_an_approximate_search_states_its_recall(monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setattr(neighbors_module, "_SMALLEST_INDEX", 500)
    X = rows(n=1500)
    exact = KNNGraph(8).fitted(X)
    found = KNNGraph(8, method="approximate").fitted(X)
    assert exact.recall == 1.0
    assert 0.95 <= found.recall <= 1.0
    shared = exact.edges.multiply(found.edges).nnz / exact.edges.nnz
    assert abs(shared - found.recall) < 0.04
    assert (found.cross(X[:50], X) != found.edges[:50]).nnz == 0
    assert (KNNGraph(8, method="approximate").gram(X) != found.edges).nnz == 0
    monkeypatch.setattr(neighbors_module, "_WANTED_RECALL", 0.3)
    assert KNNGraph(8, method="approximate").fitted(X).recall < found.recall


def test_without_faiss_it_says_so_or_does_without(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    X = rows()
    for method in ("faiss", "approximate"):
        with pytest.raises(MissingExtraError, match=r"manyviews\[ann\]"):
            KNNGraph(method=method).gram(X)
    assert KNNGraph(5).fitted(X).found_by == "scikit-learn"


def test_auto_takes_the_fitting_search():
    pytest.importorskip("faiss")
    chosen = {width: KNNGraph(5).fitted(rows(width=width)).found_by for width in (2, 20)}
    assert chosen == {2: "scikit-learn", 20: "faiss"}
    assert KNNGraph(5).fitted(sparse.csr_array(rows())).found_by == "sparse"


@pytest.mark.parametrize(
    ("graph", "word"),
    [
        (KNNGraph(1), "n_neighbors=1"),
        (KNNGraph(mode="distance"), "mode='distance'"),
        (KNNGraph(metric="manhattan"), "'euclidean', or 'cosine'"),
        (KNNGraph(symmetric="yes"), "symmetric='yes'"),
        (KNNGraph(method="guess"), "method='guess'"),
        (KNNGraph(kernel=RBF()), "mode='similarity'"),
        (KNNGraph(mode="similarity", kernel=Precomputed()), "Precomputed cannot weigh"),
    ],
)
def test_parameters_that_cannot_be_are_refused(graph, word):
    with pytest.raises(ValueError, match=word):
        graph.gram(rows())


def test_a_number_of_numpy_is_a_number():
    X = rows(width=20)  # which faiss searches, if it is there
    np.testing.assert_array_equal(
        KNNGraph(np.int64(3)).gram(X).toarray(), KNNGraph(3).gram(X).toarray()
    )


def test_faiss_asked_for_sparse_rows_is_refused():
    pytest.importorskip("faiss")
    with pytest.raises(ValueError, match="dense rows only"):
        KNNGraph(method="faiss").gram(sparse.csr_array(rows()))


def test_it_is_cloned_and_set():
    graph = KNNGraph(5, "similarity", kernel=RBF(gamma=1.0))
    copy = clone(graph).set_params(kernel__gamma=2.0, n_neighbors=3)
    assert (copy.kernel.gamma, copy.n_neighbors) == (2.0, 3)
    assert graph.kernel.gamma == 1.0


@pytest.mark.parametrize("similarity", [RBF(), Cosine(), SelfTuningRBF(), KNNGraph()])
def test_any_similarity_gives_a_graph(similarity):
    X = rows()
    found = similarity.graph(X, 6)
    assert sparse.issparse(found)
    assert (np.diff(found.indptr) >= 6).all()
    pattern = KNNGraph(6, metric=getattr(similarity, "metric", "euclidean")).gram(X)
    assert np.array_equal(found.indices, pattern.indices)


def test_the_graph_of_given_similarities_has_their_largest():
    K = RBF().gram(rows())
    found = Precomputed().graph(K, 6)
    np.testing.assert_allclose(found.toarray(), RBF().graph(rows(), 6).toarray(), rtol=1e-9)


def test_of_more_equal_rows_than_neighbours_one_stands_for_all():
    X = np.repeat([[0.0], [4.0], [9.0]], 12, axis=0)
    graph = KNNGraph(n_neighbors=5).fitted(X)
    edges, cross = graph.gram(X).toarray(), graph.cross(X, X).toarray()
    for first in (0, 12, 24):
        copies = slice(first, first + 12)
        assert len(np.unique(edges[copies], axis=0)) > 1
        assert len(np.unique(cross[copies], axis=0)) == 1
        assert (edges[copies] == cross[first]).all(axis=1).any()


@pytest.mark.parametrize("method", ["faiss", "auto"])
@pytest.mark.parametrize("unit", [1e-150, 1e-22, 1e22, 1e100])
def test_units_that_single_precision_cannot_square_change_nothing(method, unit):
    need(method)
    X = rows(n=60, width=10)
    graph, scaled = (KNNGraph(5, method=method).fitted(each) for each in (X, X * unit))
    np.testing.assert_array_equal(scaled.gram(X * unit).toarray(), graph.gram(X).toarray())
    new = rows(seed=1, n=5, width=10)
    expected = graph.cross(new, X).toarray()
    np.testing.assert_array_equal(scaled.cross(new * unit, X * unit).toarray(), expected)


@pytest.mark.parametrize("method", METHODS)
def test_new_rows_out_of_reach_have_neighbours(method):
    need(method)
    X = rows(n=60, width=10)
    found = KNNGraph(5, method=method).fitted(X).cross(X[:3] * 1e60, X)
    np.testing.assert_array_equal(found.sum(axis=1), 5.0)


def test_a_row_far_from_all_others_does_not_blur_these():
    X = rows(n=60, width=10)
    far = np.vstack([X, np.full((1, 10), 1e22)])
    expected = KNNGraph(5, symmetric="mean").gram(X).toarray()
    found = KNNGraph(5, symmetric="mean").gram(far).toarray()
    outside = found[:-1, -1]
    np.testing.assert_array_equal(found[:-1, :-1][outside == 0], expected[outside == 0])


@pytest.mark.parametrize("method", METHODS)
def test_missing_cells_are_refused(method):
    need(method)
    X = rows(n=60, width=10)
    X[3] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        KNNGraph(5, method=method).gram(X)


# -- how long it takes ---------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_search_of_minutes_is_announced_before_it_begins(monkeypatch, form):
    X = form(np.random.default_rng(0).normal(size=(60, 8)))
    monkeypatch.setattr(neighbors_module, "LONG", 1e-7)
    said = "^KNNGraph compares all pairs of 60 rows, which takes minutes; .*'approximate'"
    for model in (CoRegularizedSpectral(2), CoLaplacianRLS()):
        with pytest.warns(UserWarning, match=said):
            model.fit({"a": X, "b": X}, np.arange(60) % 2)


@pytest.mark.parametrize(
    ("shape", "method", "long"),
    [
        ((10**6, 2), "scikit-learn", False),
        ((50_000, 20), "faiss", False),
        ((200_000, 20), "faiss", True),
        ((200_000, 20), "approximate", False),
    ],
)
def test_trees_indexes_and_small_data_take_no_minutes(shape, method, long):
    X = np.broadcast_to(1.0, shape)
    assert neighbors_module.compares_long(X, neighbors_module.Search(method)) == long
