"""Co-trained spectral clustering against the printed example, brute force and its own laws."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from manyviews import Views
from manyviews.cluster import CoTrainedSpectral, FusedSpectral
from manyviews.cluster.spectral import co_trained
from manyviews.cluster.spectral.co_trained import (
    agreement,
    co_train,
    project_on_others,
    smallest_entry,
)
from manyviews.datasets import (
    hide_views,
    make_complementary_affinities,
    make_contradictory_affinities,
    make_low_quality_affinities,
)
from manyviews.exceptions import UnknownViewError
from manyviews.maths import LowRank, in_order, spectral_embedding
from manyviews.similarity import RBF, KNNGraph, LowRankKernel

seeds = st.integers(0, 10**6)


def blobs(n_objects=90, n_clusters=3, n_views=2, spread=0.7, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_objects) % n_clusters
    views = {}
    for view in range(n_views):
        centres = rng.normal(scale=2.0, size=(n_clusters, 4))
        views[f"view {view}"] = centres[y] + rng.normal(scale=spread, size=(n_objects, 4))
    return Views(views), y


def rbf_grams(n_objects=60, n_views=2, seed=0, width=1.0):
    views, _ = blobs(n_objects, n_views=n_views, seed=seed)
    grams = {}
    for name, X in views.items():
        squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        grams[name] = np.exp(-squares / (2 * width * np.median(squares[squares > 0])))
    return grams


def projector(vectors):
    return vectors @ vectors.T


def leading(similarities, k):
    degrees = similarities.sum(axis=1)
    normalised = similarities / np.sqrt(np.outer(degrees, degrees))
    return np.linalg.eigh(normalised)[1][:, -k:]


def algorithm_1(grams, k, n_iter):
    """The printed algorithm with whole matrices; the smallest entry, if negative, subtracted."""
    U = [leading(K, k) for K in grams]
    shifts = []
    for _ in range(n_iter):
        P = [u @ u.T for u in U]
        S = [(sum(P) - own) @ K for own, K in zip(P, grams, strict=True)]
        S = [(one + one.T) / 2 for one in S]
        shifts.append([max(0.0, -one.min()) for one in S])
        S = [one + shift for one, shift in zip(S, shifts[-1], strict=True)]
        U = [leading(one, k) for one in S]
    return U, np.array(shifts)


# The core


@given(values=st.lists(st.floats(0.0, 10.0), min_size=6, max_size=6))
@settings(deadline=None, max_examples=20)
def test_the_projected_graph_is_the_one_printed_after_equation_3_1(values):
    b, c, d, e, f, g = values
    K = np.array([[0, b, c, d], [b, 0, e, f], [c, e, 0, g], [d, f, g, 0]])
    U = np.array([[1, 0], [1, 0], [1, 0], [0, np.sqrt(3)]]) / np.sqrt(3)
    upper = [
        [b + c, b + (c + e) / 2, c + (b + e) / 2, 2 * d + (f + g) / 2],
        [0, b + e, e + (b + c) / 2, 2 * f + (d + g) / 2],
        [0, 0, c + e, 2 * g + (d + f) / 2],
        [0, 0, 0, 0],
    ]
    printed = np.array(upper) / 3
    printed += np.triu(printed, 1).T
    found = project_on_others(K, {"first": U, "second": np.zeros((4, 2))}, "second")
    np.testing.assert_allclose(found.toarray(), printed, atol=1e-12)


@pytest.mark.parametrize("width", [1.0, 0.05])
@pytest.mark.parametrize("n_views", [2, 3])
def test_the_spaces_are_those_of_the_algorithm_with_whole_matrices(n_views, width):
    grams = rbf_grams(n_views=n_views, seed=1, width=width)
    for n_iter in (1, 2, 5):
        expected, shifts = algorithm_1(list(grams.values()), 3, n_iter)
        found = co_train(grams, 3, n_iter)
        for one, other in zip(found.embeddings.values(), expected, strict=True):
            np.testing.assert_allclose(projector(one), projector(other), atol=1e-8)
        np.testing.assert_allclose(found.shifts, shifts, atol=1e-10)
        assert (shifts > 0.001).any() == (width < 1)


def test_negative_entries_occur_and_are_lifted_to_zero():
    grams = rbf_grams(seed=2, width=0.05)
    vectors = co_train(grams, 3, 0).embeddings
    graph = project_on_others(grams["view 0"], vectors, "view 0")
    theirs = vectors["view 1"]
    projected = theirs @ theirs.T @ grams["view 0"]
    assert projected.min() < -1e-4
    shift = -((projected + projected.T) / 2).min()
    assert graph.core[-1, -1] == pytest.approx(shift, rel=1e-12)
    assert graph.toarray().min() == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("n_views", [2, 3])
def test_dense_sparse_and_low_rank_similarities_lead_to_the_same(n_views):
    dense = rbf_grams(n_views=n_views, seed=3)
    shapes = {"sparse": {}, "low": {}}
    for name, K in dense.items():
        values, vectors = np.linalg.eigh(K)
        shapes["sparse"][name] = sparse.csr_array(K)
        shapes["low"][name] = LowRank(vectors * values, vectors)
    expected = co_train(dense, 3, 4)
    for grams in shapes.values():
        found = co_train(grams, 3, 4)
        for name in dense:
            np.testing.assert_allclose(
                projector(found.embeddings[name]), projector(expected.embeddings[name]), atol=1e-6
            )


@pytest.mark.parametrize("n_views", [1, 3])
def test_graphs_whose_rows_are_kept_in_another_order_lead_to_the_same(monkeypatch, n_views):
    views, _ = blobs(450, n_views=n_views, spread=2.0, seed=4)
    grams = {name: KNNGraph(8).gram(X) for name, X in views.items()}
    monkeypatch.setattr(co_trained, "_ROUGH", co_trained._EXACT)
    plain = co_train(grams, 3, 3)
    monkeypatch.setitem(in_order.__globals__, "_LARGE", 400)
    found = co_train(grams, 3, 3)
    np.testing.assert_allclose(found.shifts, plain.shifts, atol=1e-8)
    placed = found.place(grams)
    for name, vectors in plain.embeddings.items():
        np.testing.assert_allclose(found.embeddings[name], vectors, atol=1e-6)
        np.testing.assert_allclose(placed[name], vectors, atol=1e-6)


@pytest.mark.parametrize("n_iter", [0, 1, 5])
@pytest.mark.parametrize("spread", [0.7, 2.0])
def test_rounds_forgive_that_a_graph_is_looked_at_in_single_precision(monkeypatch, n_iter, spread):
    views, _ = blobs(1500, n_views=3, spread=spread, seed=5)
    grams = {name: KNNGraph(8).gram(X) for name, X in views.items()}
    found = co_train(grams, 3, n_iter)
    monkeypatch.setattr(co_trained, "_ROUGH", co_trained._EXACT)
    exact = co_train(grams, 3, n_iter)
    for name, vectors in exact.embeddings.items():
        gap = np.abs(projector(found.embeddings[name]) - projector(vectors)).max()
        assert gap <= 5e-4 * np.abs(projector(vectors)).max()
        assert (gap == 0.0) == (n_iter == 0)  # what no round changes is exact


@given(seed=seeds, factor=st.floats(1e-6, 1e6))
@settings(deadline=None, max_examples=15)
def test_the_units_of_the_similarities_and_the_order_of_the_views_do_not_matter(seed, factor):
    grams = rbf_grams(30, n_views=3, seed=seed)
    first = co_train(grams, 2, 3)
    other = {name: grams[name] * (factor if name == "view 1" else 1.0) for name in reversed(grams)}
    second = co_train(other, 2, 3)
    for name in grams:
        np.testing.assert_allclose(
            projector(first.embeddings[name]), projector(second.embeddings[name]), atol=1e-6
        )
    np.testing.assert_allclose(first.agreement, second.agreement[:, ::-1], atol=1e-6)


@given(seed=seeds)
@settings(deadline=None, max_examples=15)
def test_views_that_are_the_same_agree_throughout(seed):
    K = rbf_grams(30, n_views=1, seed=seed)["view 0"]
    found = co_train({"one": K, "two": K.copy()}, 2, 3)
    np.testing.assert_allclose(found.agreement, 1.0, atol=1e-9)


def test_agreement_is_the_share_of_common_directions():
    axes = np.eye(6)
    bases = [axes[:, [0, 1]], axes[:, [1, 2]], axes[:, [3, 4]]]
    np.testing.assert_allclose(agreement(bases), [0.25, 0.25, 0.0])


def test_no_large_matrix_is_formed_for_a_sparse_graph():
    n, k = 6000, 4
    rng = np.random.default_rng(0)
    part = np.arange(n) % k
    grams = {}
    for name in ("one", "two", "three"):
        rows = np.repeat(np.arange(n), 8)
        columns = (rows + k * rng.integers(1, n // k, size=len(rows))) % n
        stray = rng.random(len(rows)) < 0.1
        columns[stray] = rng.integers(n, size=int(stray.sum()))
        graph = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
        grams[name] = sparse.csr_array(graph + graph.T)
    tracemalloc.start()
    found = co_train(grams, k, 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * 8 / 4
    assert found.agreement[-1].min() > 0.9
    rows = found.embeddings["one"]
    same = part[:, None] == part[:40]
    cosines = rows @ rows[:40].T / np.outer(*[np.linalg.norm(r, axis=1) for r in (rows, rows[:40])])
    assert cosines[same].mean() > 0.7 > 0.3 > np.abs(cosines[~same]).mean()


# The smallest entry


@pytest.fixture
def small_groups(monkeypatch):
    for name, value in (("_PLAIN", 0), ("_GROUP", 4), ("_AT_ONCE", 3), ("_LONGEST", 2)):
        monkeypatch.setattr(co_trained, name, value)


@pytest.mark.usefixtures("small_groups")
@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e30])
@pytest.mark.parametrize("case", ["noise", "clusters", "outlier", "deficient", "zero", "positive"])
def test_the_smallest_entry_is_that_of_the_whole_matrix(case, scale):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n, m = int(rng.integers(5, 120)), int(rng.integers(1, 6))
        U, W = rng.normal(size=(2, n, m))
        if case == "clusters":
            U, W = (np.eye(m)[rng.integers(m, size=n)] + 0.1 * part for part in (U, W))
        elif case == "outlier":
            U[n // 2] *= 50
        elif case == "deficient":
            U[:, -1], W[:, -1] = U[:, 0], 0.0
        elif case == "zero":
            W[:] = 0.0
        elif case == "positive":
            U, W = np.abs(U), np.abs(W)
        expected = (U @ W.T + W @ U.T).min() / 2
        found = smallest_entry(U, W * scale)
        assert found == pytest.approx(expected * scale, rel=1e-9, abs=1e-12 * scale)


def test_many_rows_are_searched_exactly_and_mostly_skipped(monkeypatch):
    rng = np.random.default_rng(0)
    n, k = 5000, 5
    part = rng.integers(k, size=n)
    U = np.eye(k)[part] * rng.gamma(9, size=(n, 1)) + 0.2 * rng.normal(size=(n, k))
    W = U * rng.uniform(1, 2, size=k) + 0.2 * rng.normal(size=(n, k))
    counted = []
    inner = np.flatnonzero
    monkeypatch.setattr(
        co_trained.np, "flatnonzero", lambda x: counted.append(inner(x).size) or inner(x)
    )
    expected = (U @ W.T + W @ U.T).min() / 2
    assert smallest_entry(U, W) == pytest.approx(expected, rel=1e-12)
    groups = len(counted)
    assert groups >= n / 64
    assert sum(counted) < 0.1 * groups * n / 2


# The estimator


@pytest.mark.parametrize("combine", ["concat", "view 1"])
@pytest.mark.parametrize("n_views", [1, 2, 3])
def test_training_objects_that_come_again_are_at_their_places(n_views, combine):
    views, y = blobs(n_views=n_views, seed=4)
    if combine not in ("concat", *views.names):
        combine = "view 0"
    model = CoTrainedSpectral(3, combine=combine, random_state=0).fit(views)
    np.testing.assert_allclose(model.place(views), model.embedding_, atol=1e-9)
    np.testing.assert_array_equal(model.predict(views), model.labels_)
    np.testing.assert_array_equal(model.predict(views[::7]), model.labels_[::7])
    assert model.embedding_.shape[1] == 3 * (n_views if combine == "concat" else 1)
    assert adjusted_rand_score(y, model.labels_) > 0.8


def test_so_are_objects_with_gaps():
    views, y = blobs(n_objects=120, n_views=3, seed=5)
    gaps = hide_views(views, 0.3, seed=0)
    model = CoTrainedSpectral(3, random_state=0).fit(gaps)
    np.testing.assert_allclose(model.place(gaps), model.embedding_, atol=1e-9)
    assert adjusted_rand_score(y, model.labels_) > 0.8
    alone = views.subset(["view 1"])
    new = {name: alone[name] if name in alone.names else None for name in views.names}
    assert adjusted_rand_score(y, model.predict(new)) > 0.5


def test_low_rank_similarities_place_new_objects_too():
    views, y = blobs(n_objects=600, seed=6)
    low = LowRankKernel(RBF(), rank=60, random_state=0)
    model = CoTrainedSpectral(3, low, random_state=0).fit(views[:400])
    np.testing.assert_array_equal(model.predict(views[:400]), model.labels_)
    assert adjusted_rand_score(y[400:], model.predict(views[400:])) > 0.9


def test_neighbour_graphs_place_new_objects_too():
    views, y = blobs(n_objects=500, seed=7)
    model = CoTrainedSpectral(3, KNNGraph(10), random_state=0).fit(views[:400])
    np.testing.assert_array_equal(model.predict(views[:400]), model.labels_)
    assert adjusted_rand_score(y[400:], model.predict(views[400:])) > 0.9


def test_one_view_is_the_clustering_of_ng_jordan_and_weiss():
    grams = rbf_grams(seed=8)
    K = grams["view 0"]
    model = CoTrainedSpectral(3, "precomputed", random_state=0).fit({"only": K})
    expected = spectral_embedding(K, 3)
    np.testing.assert_allclose(projector(model.embedding_), projector(expected), atol=1e-8)
    assert model.n_iter_ == 0
    assert model.shift_history_.shape == (0, 1)
    np.testing.assert_array_equal(model.agreement_history_, [[1.0]])


def test_without_rounds_each_view_is_as_it_is_alone():
    grams = rbf_grams(seed=9)
    model = CoTrainedSpectral(3, "precomputed", n_iter=0, random_state=0).fit(grams)
    for name, K in grams.items():
        np.testing.assert_allclose(
            projector(model.view_embeddings_[name]), projector(spectral_embedding(K, 3)), atol=1e-8
        )


def test_what_each_round_did_is_kept():
    views, _ = blobs(n_views=3, seed=10)
    model = CoTrainedSpectral(3, n_iter=4, random_state=0).fit(views)
    assert model.agreement_history_.shape == (5, 3)
    assert model.shift_history_.shape == (4, 3)
    assert (model.shift_history_ >= 0).all()
    assert list(model.view_embeddings_) == list(views.names)
    assert (model.agreement_history_[-1] > model.agreement_history_[0]).all()


def test_unusable_parameters_are_refused():
    views, _ = blobs()
    with pytest.raises(UnknownViewError, match=r"combine='sound' is none of 'concat', 'view 0'"):
        CoTrainedSpectral(3, combine="sound").fit(views)
    with pytest.raises(ValueError, match="n_iter=-1 should be an integer from 0 to 10000"):
        CoTrainedSpectral(3, n_iter=-1).fit(views)


# The constructed cases of section 3.3


def information(y, labels):
    return normalized_mutual_info_score(y, labels)


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # the sum has rank two
@pytest.mark.parametrize("alpha", [5.0, 50.0])
def test_complementary_corruption_is_overcome_where_one_view_and_the_sum_fail(alpha):
    views, y = make_complementary_affinities(alpha, 400, random_state=0)
    model = CoTrainedSpectral(2, "precomputed", random_state=0)
    alone = [information(y, model.fit({"v": views[name]}).labels_) for name in views.names]
    added = FusedSpectral(2, "precomputed", fusion="sum", random_state=0).fit(views)
    assert max(*alone, information(y, added.labels_)) < 0.05
    assert information(y, model.fit(views).labels_) > 0.4


def noisy(views, scale, seed):
    rng = np.random.default_rng(seed)
    noise = {name: rng.random(views[name].shape) * scale for name in views.names}
    return {name: views[name] + noise[name] + noise[name].T for name in views.names}


@pytest.mark.filterwarnings("ignore:view 'constant' looks empty")  # so it is, up to rounding
def test_a_view_that_says_nothing_spoils_the_other():
    """Published: 0.35, which is what one round gives in either view; 1 without the second view."""
    views, y = make_low_quality_affinities(400)
    found = []
    for seed in range(4):
        for name in views.names:
            model = CoTrainedSpectral(
                2, "precomputed", n_iter=1, combine=name, view_weights=None, random_state=0
            )
            found.append(information(y, model.fit(noisy(views, 1e-6, seed)).labels_))
    assert 0.25 < np.mean(found) < 0.45
    assert information(y, model.set_params(n_iter=0, combine="informative").fit(views).labels_) == 1


def test_contradictory_views_swing_and_do_not_help():
    views, y = make_contradictory_affinities(200)
    model = CoTrainedSpectral(2, "precomputed", n_iter=6, random_state=0)
    model.fit(noisy(views, 1e-6, 0))
    steps = np.diff(model.agreement_history_[:, 0])
    assert (steps > 0.05).any()
    assert (steps < -0.05).any()
    assert information(y, model.labels_) < 0.5


def test_nothing_is_left_of_views_that_contradict_each_other_exactly():
    views, _ = make_contradictory_affinities(40)
    model = CoTrainedSpectral(2, "precomputed", random_state=0)
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model.fit(views)
    assert np.isfinite(model.embedding_).all()
    np.testing.assert_allclose(model.embedding_, model.embedding_[:1].repeat(40, axis=0))
    np.testing.assert_allclose(model.place(views), model.embedding_, atol=1e-12)
