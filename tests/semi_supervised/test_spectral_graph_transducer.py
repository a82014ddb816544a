"""The spectral graph transducer against dense algebra, the paper's eigenproblem and hand work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigh, eigvals
from scipy.sparse import csr_array
from sklearn.datasets import make_moons

from manyviews import Views
from manyviews.maths import LowRank
from manyviews.semi_supervised import SpectralGraphTransducer, spectral_graph_transducer
from manyviews.semi_supervised._shared import best_class
from manyviews.semi_supervised.spectral_graph_transducer import (
    SmoothCuts,
    cut_by_labels,
    cut_targets,
    fit_mean_graph,
    minimum_on_sphere,
    rank_penalties,
    smooth_cuts,
    without_constant,
)
from manyviews.similarity import RBF, Cosine, KNNGraph, LowRankKernel

seeds = st.integers(0, 2**32 - 1)


def random_graph(n, seed, density=0.5):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    ring = np.roll(np.eye(n), 1, axis=1)
    return weights + weights.T + ring + ring.T  # the ring keeps it in one piece


def moons(n=120, seed=0):
    points, y = make_moons(n, noise=0.04, random_state=seed)
    return points, y


def one_label_each(y):
    known = np.full(len(y), -1)
    for label in np.unique(y):
        known[np.flatnonzero(y == label)[0]] = label
    return known


# -- the minimum on a sphere -------------------------------------------------------------------


@settings(deadline=None, max_examples=30)
@given(seed=seeds, size=st.integers(1, 9), radius=st.floats(0.1, 50.0))
def test_the_multiplier_is_the_smallest_eigenvalue_of_the_paper(seed, size, radius):
    rng = np.random.default_rng(seed)
    half = rng.standard_normal((size, size))
    G, b = half @ half.T, rng.standard_normal(size) * 10 ** rng.uniform(-2, 2)
    w = minimum_on_sphere(G, b, radius**2)
    assert np.isclose(np.linalg.norm(w), radius, rtol=1e-7)
    joined = np.block([[G, -np.eye(size)], [-np.outer(b, b) / radius**2, G]])
    found = eigvals(joined)
    real = found.real[np.abs(found.imag) < 1e-6 * (1 + np.abs(found.real))]
    multiplier = float(w @ (G @ w - b)) / radius**2
    scale = np.abs(real).max() + 1.0
    assert abs(real.min() - multiplier) < 1e-5 * scale  # double eigenvalues lose half the digits


@settings(deadline=None, max_examples=30)
@given(seed=seeds, lacking=st.booleans())
def test_no_point_of_the_sphere_is_better(seed, lacking):
    rng = np.random.default_rng(seed)
    G = np.diag(np.array([1.0, 1.0, 2.0, 5.0]))
    b = rng.standard_normal(4)
    if lacking:
        b[:2] = 0.0  # as of labels that say nothing of the smoothest direction
    w = minimum_on_sphere(G, b, 4.0)
    others = rng.standard_normal((500, 4))
    others *= 2.0 / np.linalg.norm(others, axis=1, keepdims=True)
    values = np.einsum("ij,jk,ik->i", others, G, others) - 2 * others @ b
    assert np.isclose(w @ w, 4.0)
    assert w @ G @ w - 2 * b @ w <= values.min() + 1e-9


def test_a_direction_that_labels_lack_fills_the_length():
    w = minimum_on_sphere(np.diag([1.0, 3.0]), np.array([0.0, 1.0]), 4.0)
    assert np.allclose(w[1], 0.5)  # 1 / (3 - 1)
    assert np.allclose(w[0] ** 2, 4.0 - 0.25)


# -- eigenvectors ------------------------------------------------------------------------------


@pytest.mark.parametrize("normalized", [True, False])
def test_the_basis_is_that_of_the_generalised_eigenproblem(normalized):
    graph = random_graph(14, seed=2)
    degrees = graph.sum(axis=1)
    metric = np.diag(degrees / degrees.mean()) if normalized else np.eye(14)
    values, vectors = eigh(np.diag(degrees) - graph, metric)
    cuts = smooth_cuts(graph, 5, normalized=normalized)
    expected = vectors[:, 1:6]
    signs = np.sign(np.sum(expected * cuts.basis, axis=0))
    assert np.allclose(cuts.basis, expected * signs, atol=1e-8)
    assert cuts.penalties.tolist() == [1.0, 4.0, 9.0, 16.0, 25.0]
    assert values[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("normalized", [True, False])
def test_large_sparse_graphs_give_what_dense_algebra_gives(normalized):
    rng = np.random.default_rng(0)
    graph = KNNGraph(8).gram(rng.standard_normal((700, 2)))
    degrees = graph.sum(axis=1)
    metric = np.diag(degrees / degrees.mean()) if normalized else np.eye(700)
    values, vectors = eigh(np.diag(degrees) - graph.toarray(), metric, subset_by_index=(0, 5))
    assert values[1] > 1e-6  # in one piece, so that the vectors are unique
    cuts = smooth_cuts(graph, 5, normalized=normalized)
    expected = vectors[:, 1:]
    signs = np.sign(np.sum(expected * cuts.basis, axis=0))
    assert np.allclose(cuts.basis, expected * signs, atol=1e-4)


def test_low_rank_similarities_are_decomposed_in_their_range():
    rng = np.random.default_rng(0)
    factor = rng.random((20, 4))
    low = smooth_cuts(LowRank(factor, factor), 80, normalized=True)
    full = smooth_cuts(factor @ factor.T, 3, normalized=True)
    assert low.basis.shape == (20, 3)
    assert np.allclose(low.basis, full.basis, atol=1e-7)


def test_equal_eigenvalues_are_equally_dear():
    rotation = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    values = np.array([1.0, 1.0, 1.0])
    left, vectors = without_constant(rotation @ np.ones(3), values, rotation)
    assert vectors.shape == (3, 2)
    assert np.allclose(vectors.T @ (rotation @ np.ones(3)), 0.0)
    assert rank_penalties(left).tolist() == [2.5, 2.5]


def test_a_graph_in_pieces_is_cut_between_them():
    block = np.ones((4, 4))
    graph = csr_array(np.kron(np.eye(3), block))
    cuts = smooth_cuts(graph, 5, normalized=True)
    signs = np.array([1] + [0] * 3 + [-1] + [0] * 3 + [-1] + [0] * 3)
    z = cut_by_labels(cuts, cut_targets(signs, 1 / 3), 1000.0)
    assert np.allclose(z[:4], z[0])
    assert np.allclose(z[4:], z[4])
    assert z[0] > 0 > z[4]


# -- the cut -----------------------------------------------------------------------------------


@settings(deadline=None, max_examples=20)
@given(seed=seeds, normalized=st.booleans(), C=st.floats(0.01, 1e4))
def test_the_cut_keeps_the_constraints_and_nothing_smooth_is_better(seed, normalized, C):
    rng = np.random.default_rng(seed)
    n = 16
    graph = random_graph(n, seed)
    cuts = smooth_cuts(graph, 6, normalized=normalized)
    signs = np.zeros(n, dtype=int)
    signs[:3], signs[3:5] = 1, -1
    targets = cut_targets(signs, 0.4)
    z = cut_by_labels(cuts, targets, C)
    degrees = graph.sum(axis=1)
    metric = degrees / degrees.mean() if normalized else np.ones(n)
    assert np.isclose(z @ (metric * z), n)
    assert np.isclose(z @ metric, 0.0, atol=1e-6)

    def objective(w):
        values = cuts.basis @ w
        misses = values[targets.rows] - targets.wanted
        return w @ (cuts.penalties * w) + C * np.sum(targets.strengths * misses**2)

    best = objective(np.linalg.lstsq(cuts.basis, z, rcond=None)[0])
    for other in rng.standard_normal((100, 6)):
        assert best <= objective(other * np.sqrt(n) / np.linalg.norm(other)) * (1 + 1e-8)


def test_labels_without_strength_leave_the_smoothest_cut():
    graph = random_graph(12, seed=1)
    cuts = smooth_cuts(graph, 4, normalized=False)
    signs = np.zeros(12, dtype=int)
    signs[:2] = 1, -1
    z = cut_by_labels(cuts, cut_targets(signs, 0.5), 1e-9)
    smoothest = cuts.basis[:, 0] * np.sqrt(12)
    assert np.allclose(np.abs(z), np.abs(smoothest), atol=1e-6)


def test_both_classes_pull_alike():
    targets = cut_targets(np.array([1, 0, -1, -1, -1]), 0.25)
    positive = targets.wanted > 0
    assert targets.strengths[positive].sum() == pytest.approx(targets.strengths[~positive].sum())
    assert targets.positive == pytest.approx(np.sqrt(3))
    assert targets.negative == pytest.approx(-1 / np.sqrt(3))
    assert targets.standardised(np.array([targets.positive, targets.negative])).tolist() == (
        pytest.approx([1.0, -1.0])
    )


# -- the mean graph ----------------------------------------------------------------------------


def test_the_mean_graph_has_the_mean_of_the_laplacians():
    rng = np.random.default_rng(0)
    views = Views({"a": rng.random((9, 2)), "b": rng.random((9, 3))})
    mean, edges = fit_mean_graph(views, ["rbf", KNNGraph(4)], {"a": 1.0, "b": 3.0})

    def laplacian(graph):
        return np.diag(graph.sum(axis=1)) - graph

    one = mean.similarities.similarities["a"].gram(views["a"])
    two = mean.similarities.similarities["b"].gram(views["b"]).toarray()
    expected = 0.25 * laplacian(one) / one.sum(axis=1).mean()
    expected = expected + 0.75 * laplacian(two) / two.sum(axis=1).mean()
    assert np.allclose(laplacian(edges), expected)


def test_an_unobserved_view_has_no_edges():
    X = {"a": [[0.0], [1.0], [2.0], None], "b": [[0.0], None, [1.0], [2.0]]}
    mean, edges = fit_mean_graph(Views(X), KNNGraph(2), {"a": 1.0, "b": 1.0})
    dense = edges.toarray()
    assert dense[1, 3] == dense[3, 1] == 0.0  # no view shows both
    assert np.allclose(dense, mean.cross(Views(X)).toarray())
    new = Views({"a": [[1.0]], "b": [[2.0]]}, observed={"a": [False]})
    assert mean.cross(new).toarray()[0, 1] == 0.0


# -- the estimator -----------------------------------------------------------------------------


def test_one_label_each_is_enough_on_two_moons():
    points, y = moons()
    model = SpectralGraphTransducer(KNNGraph(8)).fit({"moons": points}, one_label_each(y))
    assert np.array_equal(model.transduction_, y)
    new, new_y = moons(60, seed=5)
    assert model.score({"moons": new}, new_y) == 1.0


def test_a_clear_view_helps_a_noisy_one():
    points, y = moons()
    rng = np.random.default_rng(1)
    noisy = points + 0.5 * rng.standard_normal(points.shape)
    lines = np.column_stack([y + 0.1 * rng.standard_normal(len(y)), rng.random(len(y))])
    known = one_label_each(y)
    alone = SpectralGraphTransducer(KNNGraph(8)).fit({"noisy": noisy}, known)
    both = SpectralGraphTransducer(KNNGraph(8)).fit({"noisy": noisy, "lines": lines}, known)
    assert np.mean(alone.transduction_ == y) < 0.9
    assert np.mean(both.transduction_ == y) > 0.97


def test_three_classes_and_labels_for_all():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = {
        "a": np.eye(3)[y] * 4 + rng.standard_normal((60, 3)),
        "b": y[:, None] + rng.random((60, 2)),
    }
    few = np.where(np.arange(60) % 10 == 0, y, -1)
    model = SpectralGraphTransducer().fit(X, few)
    assert np.mean(model.transduction_ == y) > 0.95
    assert model.embedding_.shape == (60, 3)
    assert model.decision_function(X).shape == (60, 3)
    assert np.array_equal(SpectralGraphTransducer().fit(X, y).transduction_, y)


def test_a_view_twice_is_a_view_once():
    points, y = moons(60)
    known = one_label_each(y)
    once = SpectralGraphTransducer().fit({"a": points}, known)
    twice = SpectralGraphTransducer().fit({"a": points, "b": points}, known)
    assert np.allclose(once.embedding_, twice.embedding_, atol=1e-6)


def test_a_view_without_weight_is_not_seen():
    points, y = moons(60)
    noise = np.random.default_rng(0).random((60, 2))
    known = one_label_each(y)
    alone = SpectralGraphTransducer().fit({"a": points}, known)
    weighed = SpectralGraphTransducer(view_weights=[1.0, 0.0]).fit({"a": points, "b": noise}, known)
    assert np.allclose(alone.embedding_, weighed.embedding_, atol=1e-6)


def test_new_objects_get_the_mean_of_their_neighbours():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    y = [0, -1, -1, -1, -1, 1]
    model = SpectralGraphTransducer(KNNGraph(3)).fit({"a": X}, y)
    new = np.array([[0.9], [5.9]])
    expected = [model.embedding_[:3, 0].mean(), model.embedding_[[1, 2, 3], 0].mean()]
    assert model.decision_function({"a": new}) == pytest.approx(expected)


def test_objects_without_edges_go_to_the_larger_class():
    X = csr_array(np.array([[1.0, 0], [2.0, 0.1], [0.1, 1], [0, 2.0], [0, 1.0], [0, 0], [0, 3.0]]))
    y = np.array([1, -1, 0, 0, -1, -1, 0])
    graph = KNNGraph(3, metric="cosine")
    model = SpectralGraphTransducer(graph).fit({"words": X}, y)
    assert model.transduction_[5] == 0
    assert model.embedding_[5] == pytest.approx(model.isolated_values_)
    assert model.predict({"words": csr_array((1, 2))}) == [0]


def test_the_share_moves_the_cut():
    rng = np.random.default_rng(0)
    X, known = {"a": rng.random((80, 1))}, np.full(80, -1)
    known[X["a"].argmin()], known[X["a"].argmax()] = 0, 1
    counts = [
        np.sum(SpectralGraphTransducer(proportions=share).fit(X, known).transduction_ == 1)
        for share in (0.2, 0.5, 0.8)
    ]
    assert counts[0] < counts[1] < counts[2]


def test_graphs_of_every_kind_are_taken():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    points = 4.0 * y[:, None] + rng.standard_normal((60, 3))
    for graph in ("rbf", LowRankKernel(RBF(), 20), KNNGraph(8, "similarity"), "self_tuning"):
        for normalized in (True, False):
            model = SpectralGraphTransducer(graph, normalized=normalized)
            found = model.fit({"a": points, "b": points[:, ::-1]}, one_label_each(y)).transduction_
            assert np.array_equal(found, y)


def test_text_is_joined_by_cosines():
    rng = np.random.default_rng(0)
    y = np.arange(90) % 2
    rates = np.where(y[:, None] == np.arange(40) % 2, 1.0, 0.3)
    X = {"text": csr_array(rng.poisson(rates).astype(float))}
    known = np.where(np.arange(90) < 8, y, -1)
    graph = KNNGraph(15, "similarity", kernel=Cosine(), metric="cosine", symmetric="mean")
    model = SpectralGraphTransducer(graph).fit(X, known)
    assert np.mean(model.transduction_ == y) > 0.95


def test_labels_that_must_be_kept_to_are():
    points, y = moons(20)
    known = one_label_each(y)
    kept = [SpectralGraphTransducer(C=C).fit({"a": points}, known) for C in (1e9, 1e300)]
    assert np.array_equal(kept[0].transduction_, kept[1].transduction_)
    np.testing.assert_allclose(kept[0].embedding_, kept[1].embedding_, atol=1e-3)


def test_a_view_may_be_left_to_the_usual_graph():
    points, y = moons(20)
    views, known = {"a": points, "b": points**3}, one_label_each(y)
    one = SpectralGraphTransducer({"a": "rbf", "b": None}).fit(views, known)
    other = SpectralGraphTransducer({"a": "rbf", "b": KNNGraph()}).fit(views, known)
    assert np.array_equal(one.embedding_, other.embedding_)


@pytest.mark.parametrize(
    ("params", "said"),
    [({"C": 0.0}, "C=0.0"), ({"n_components": 0}, "n_components=0"), ({"graph": "no"}, "'no'")],
)
def test_parameters_that_cannot_be_are_refused(params, said):
    points, y = moons(20)
    with pytest.raises(ValueError, match=said):
        SpectralGraphTransducer(**params).fit({"a": points}, one_label_each(y))


def test_graphs_without_edges_are_refused():
    rows = csr_array((6, 2))
    with pytest.raises(ValueError, match="no edges"):
        SpectralGraphTransducer(KNNGraph(3, metric="cosine")).fit({"a": rows}, [0, 1, -1, -1, 0, 1])
    rows = csr_array(np.array([[0.0], [0.0], [1.0], [2.0], [1.0]]))
    with pytest.raises(ValueError, match="no labelled object"):
        SpectralGraphTransducer(KNNGraph(3, metric="cosine")).fit({"a": rows}, [0, 1, -1, -1, -1])


def test_what_takes_long_is_said_before(monkeypatch):
    monkeypatch.setattr(spectral_graph_transducer, "LONG", 20 * 5**2)
    points, y = moons(20)
    known = one_label_each(y)
    SpectralGraphTransducer(n_components=4).fit({"a": points}, known)
    with pytest.warns(UserWarning, match="6 eigenvectors of a graph of 20 objects.*n_components"):
        SpectralGraphTransducer(n_components=5).fit({"a": points}, known)


def test_new_values_of_a_training_object_are_its_cuts_damped():
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    X = {"a": 2.0 * y[:, None] + rng.standard_normal((30, 2))}
    model = SpectralGraphTransducer("rbf", n_components=5, proportions=0.5)
    model.fit(X, one_label_each(y))
    graph = model.graph_.cross(Views(X))  # as among the training objects: all are joined
    degrees = graph.sum(axis=1)
    values, vectors = eigh(np.diag(degrees) - graph, np.diag(degrees))  # (B − A) v = λ B v
    weights = vectors.T @ (degrees * model.embedding_[:, 0])
    assert np.allclose(vectors[:, :6] @ weights[:6], model.embedding_[:, 0])
    assert np.allclose(model.decision_function(X), vectors @ ((1.0 - values) * weights))


def test_smooth_cuts_are_kept_as_they_are():
    cuts = SmoothCuts(np.eye(2), np.array([1.0, 4.0]))
    before = cuts.basis.copy()
    cut_by_labels(cuts, cut_targets(np.array([1, -1]), 0.5), 10.0)
    assert np.array_equal(cuts.basis, before)


def test_equal_values_of_classes_go_to_the_first_however_they_are_rounded():
    rounded = np.array([[0.25, -0.5, 0.25 + 4e-17], [0.25 - 4e-16, -0.5, 0.25]])
    assert best_class(rounded).tolist() == [0, 0]
    assert best_class(np.array([[0.25, 0.25 + 1e-6]])).tolist() == [1]
    assert best_class(np.array([[1e-15], [-1e-15], [1e-6]])).tolist() == [0, 0, 1]


def test_small_values_of_many_classes_are_told_apart_as_those_of_two_are():
    small = np.array([[-1.0, -2.0, 3.0], [3.0, -1.0, -2.0]]) * 1e-10
    assert best_class(small).tolist() == [2, 0]
    assert best_class(small[:, 2:]).tolist() == [1, 0]
    assert best_class(np.array([[0.0, 1e-15, -1e-15]])).tolist() == [0]


@pytest.mark.parametrize("graph", ["rbf", KNNGraph(10)])
def test_an_object_between_two_classes_gets_the_first_in_every_order(graph):
    half = 1.5 + 0.5 * np.random.default_rng(0).standard_normal((30, 3))
    X, y = np.vstack([half, -half]), np.full(60, -1)
    y[:3], y[30:33] = 1, 0
    found = []
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(60)
        model = SpectralGraphTransducer(graph, proportions=0.5).fit({"a": X[order]}, y[order])
        found += model.predict({"a": np.zeros((1, 3))}).tolist()
    assert found == [0] * 4
