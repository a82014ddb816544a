"""Co-regularised spectral clustering: against brute force, and the laws of chapter 4."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import subspace_angles
from sklearn.cluster import SpectralClustering
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from manyviews import Views
from manyviews.cluster import CoRegularizedSpectral, CoTrainedSpectral
from manyviews.cluster.spectral.co_regularized import (
    Graph,
    centroid_coupling,
    co_regularize,
    consensus,
    pairwise_coupling,
)
from manyviews.cluster.spectral.self_consistent_field import rms_sine
from manyviews.datasets import (
    hide_views,
    make_contradictory_affinities,
    make_kumar1,
    make_low_quality_affinities,
)
from manyviews.exceptions import ViewsWarning
from manyviews.maths import LowRank, Ordered, in_order
from manyviews.similarity import RBF, KNNGraph, LowRankKernel, Neighbourhoods, Precomputed

COUPLINGS = {"pairwise": pairwise_coupling, "centroid": centroid_coupling}
modes = st.sampled_from(sorted(COUPLINGS))


def blobs(n=90, n_views=2, n_groups=3, spread=0.6, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_groups
    centres = rng.standard_normal((n_views, n_groups, 3)) * 3
    views = {
        f"view {v}": centres[v][y] + spread * rng.standard_normal((n, 3)) for v in range(n_views)
    }
    return views, y


def kernels(n, n_views, seed):
    """Positive similarities with weak structure."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(n_views):
        X = rng.standard_normal((n, 2))
        found.append(np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)))
    return found


def projector(U):
    return U @ U.T


def leading(matrix, k):
    return np.linalg.eigh(matrix)[1][:, ::-1][:, :k]


def brute_force(grams, k, agreement, mode, sweeps):
    """The alternation as the chapter writes it, with whole matrices."""
    graphs = [K / np.sqrt(np.outer(K.sum(axis=1), K.sum(axis=1))) for K in grams]
    U = [leading(L, k) for L in graphs]
    centre = leading(sum(projector(u) for u in U), k)
    for _ in range(sweeps):
        for v, L in enumerate(graphs):
            others = [centre] if mode == "centroid" else [u for w, u in enumerate(U) if w != v]
            U[v] = leading(L + agreement * sum(projector(u) for u in others), k)
        centre = leading(sum(projector(u) for u in U), k)
    total = sum(np.trace(u.T @ L @ u) for u, L in zip(U, graphs, strict=True))
    if mode == "centroid":
        agree = sum(np.trace(projector(u) @ projector(centre)) for u in U)
    else:
        agree = sum(
            np.trace(projector(U[v]) @ projector(U[w])) for v in range(len(U)) for w in range(v)
        )
    return U, centre, total + agreement * agree


@pytest.mark.parametrize("mode", COUPLINGS)
@pytest.mark.parametrize("n", [60, 160])
def test_it_ends_where_the_alternation_of_the_chapter_ends(mode, n):
    grams = kernels(n, 3, seed=1)
    U, centre, objective = brute_force(
        grams, 3, 0.05, mode, sweeps=200
    )  # with more agreement we end higher
    coupling = COUPLINGS[mode](0.05, np.ones(3))
    run = co_regularize([Graph.of(K) for K in grams], 3, coupling, tol=1e-7)
    assert run.converged
    assert run.objective == pytest.approx(objective, abs=1e-8)
    for ours, theirs in zip(run.state.views, U, strict=True):
        assert subspace_angles(ours, theirs).max() < 1e-4
    if mode == "centroid":
        assert subspace_angles(run.state.consensus, centre).max() < 1e-4


@given(
    mode=modes,
    n=st.sampled_from([30, 420]),
    n_views=st.integers(1, 3),
    agreement=st.floats(0.0, 3.0),
    tol=st.sampled_from([1e-2, 1e-4, 1e-8]),
    seed=st.integers(0, 100),
)
@settings(deadline=None, max_examples=20)
def test_the_objective_never_falls_however_roughly_it_is_solved(
    mode, n, n_views, agreement, tol, seed
):
    graphs = [Graph.of(K) for K in kernels(n, n_views, seed)]
    weights = np.random.default_rng(seed).uniform(0.1, 2.0, n_views)
    run = co_regularize(graphs, 3, COUPLINGS[mode](agreement, weights), max_iter=6, tol=tol)
    assert np.diff(run.history).min() >= -1e-10


@pytest.mark.parametrize("mode", COUPLINGS)
def test_without_agreement_each_view_stands_alone(mode):
    grams = kernels(450, 2, seed=3)
    run = co_regularize([Graph.of(K) for K in grams], 4, COUPLINGS[mode](0.0, np.ones(2)))
    assert run.converged
    for K, ours in zip(grams, run.state.views, strict=True):
        root = np.sqrt(K.sum(axis=1))
        assert subspace_angles(ours, leading(K / np.outer(root, root), 4)).max() < 1e-6


@pytest.mark.parametrize("mode", COUPLINGS)
def test_dense_sparse_and_low_rank_similarities_agree(mode):
    rng = np.random.default_rng(0)
    factors = [np.abs(rng.standard_normal((450, 12))) for _ in range(2)]
    shapes = {
        "dense": [F @ F.T for F in factors],
        "sparse": [sparse.csr_array(F @ F.T) for F in factors],
        "low rank": [LowRank(F, F) for F in factors],
    }
    runs = {
        kind: co_regularize(
            [Graph.of(gram) for gram in grams],
            3,
            COUPLINGS[mode](0.1, np.ones(2)),
            tol=1e-8,
        )
        for kind, grams in shapes.items()
    }
    for kind in ("sparse", "low rank"):
        for one, other in zip(runs["dense"].state.views, runs[kind].state.views, strict=True):
            assert subspace_angles(one, other).max() < 1e-5


@pytest.mark.parametrize("mode", COUPLINGS)
def test_graphs_whose_rows_are_kept_in_another_order_lead_to_the_same(monkeypatch, mode):
    grams = [KNNGraph(8).gram(X) for X in blobs(450, spread=2.0)[0].values()]
    coupling = COUPLINGS[mode](0.1, np.ones(2))
    plain = co_regularize([Graph.of(gram) for gram in grams], 3, coupling, tol=1e-8)
    monkeypatch.setitem(in_order.__globals__, "_LARGE", 400)
    graphs = [Graph.of(gram) for gram in grams]
    assert all(isinstance(graph.normalised, Ordered) for graph in graphs)
    ordered = co_regularize(graphs, 3, coupling, tol=1e-8)
    assert np.diff(ordered.history).min() >= -1e-10
    for one, other in zip(plain.state.views, ordered.state.views, strict=True):
        assert subspace_angles(one, other).max() < 1e-5


@pytest.mark.parametrize("mode", COUPLINGS)
def test_a_view_that_nothing_draws_is_embedded_exactly(mode):
    grams = kernels(450, 2, seed=3)
    run = co_regularize([Graph.of(K) for K in grams], 4, COUPLINGS[mode](0.5, np.array([1.0, 0.0])))
    root = np.sqrt(grams[1].sum(axis=1))
    exact = leading(grams[1] / np.outer(root, root), 4)
    assert subspace_angles(run.state.views[1], exact).max() < 1e-6


def test_the_consensus_is_the_leading_space_of_the_sum_of_projectors():
    rng = np.random.default_rng(0)
    U = [np.linalg.qr(rng.standard_normal((30, 3)))[0] for _ in range(3)]
    shares = np.array([1.0, 0.5, 2.0])
    expected = leading(sum(s * projector(u) for s, u in zip(shares, U, strict=True)), 3)
    found = consensus(U, shares)
    np.testing.assert_allclose(found.T @ found, np.eye(3), atol=1e-10)
    assert subspace_angles(found, expected).max() < 1e-8


@pytest.mark.parametrize("affinity", ["rbf", KNNGraph(12), LowRankKernel(RBF(), rank=40)])
@pytest.mark.parametrize("mode", COUPLINGS)
def test_training_objects_come_back_where_they_were(mode, affinity):
    views, _ = blobs()
    model = CoRegularizedSpectral(3, affinity, mode=mode, agreement=0.3, random_state=0).fit(views)
    np.testing.assert_allclose(model.place(views), model.embedding_, atol=1e-6)
    np.testing.assert_array_equal(model.predict(views), model.labels_)


@pytest.mark.parametrize("mode", COUPLINGS)
def test_training_objects_with_gaps_come_back_where_they_were(mode):
    views = hide_views(blobs()[0], 0.3, seed=0)
    model = CoRegularizedSpectral(3, mode=mode, agreement=0.3, random_state=0).fit(views)
    np.testing.assert_allclose(model.place(views), model.embedding_, atol=1e-6)
    np.testing.assert_array_equal(model.predict(views), model.labels_)


@pytest.mark.parametrize("mode", COUPLINGS)
def test_at_a_fixed_point_the_coordinates_are_the_eigenvectors(mode):
    views, _ = blobs(spread=1.5)
    model = CoRegularizedSpectral(
        3, mode=mode, agreement=0.1, tol=1e-8, max_iter=1000, random_state=0
    ).fit(views)
    parts = [model.consensus_] if mode == "centroid" else list(model.view_embeddings_.values())
    units = [part / np.linalg.norm(part, axis=1, keepdims=True) for part in parts]
    np.testing.assert_allclose(model.embedding_, np.hstack(units), atol=1e-5)


def test_the_readout_solves_the_coupled_equations():
    views, _ = blobs(spread=1.5)
    agreement = 0.1
    model = CoRegularizedSpectral(
        3, "rbf", agreement=agreement, tol=1e-8, max_iter=1000, random_state=0
    ).fit(views)
    one, two = model.view_embeddings_.values()
    images = [Graph.of(RBF().gram(X)) @ U for X, U in zip(views.values(), (one, two), strict=True)]
    overlap = agreement * one.T @ two
    system = np.block(
        [
            [one.T @ images[0] + overlap @ two.T @ one, -overlap],
            [-overlap.T, two.T @ images[1] + overlap.T @ one.T @ two],
        ]
    )  # u Λ − λ Σ u_w U_wᵀ U_v = l U
    np.testing.assert_allclose(model.readout_.coefficients @ system, np.eye(6), atol=1e-4)


def test_one_view_is_spectral_clustering():
    views, y = blobs(n_views=1, spread=0.2)
    model = CoRegularizedSpectral(3, "rbf", random_state=0).fit(views)
    reference = SpectralClustering(
        3, affinity="precomputed", assign_labels="kmeans", random_state=0
    ).fit(RBF().gram(views["view 0"]))
    assert adjusted_rand_score(model.labels_, reference.labels_) == 1.0
    assert adjusted_rand_score(model.labels_, y) == 1.0


def test_new_objects_join_their_groups_even_with_one_view():
    views, y = blobs(n=180, spread=0.2)
    rows = np.arange(180)
    train, test = rows < 90, rows >= 90
    whole = Views(views)
    model = CoRegularizedSpectral(3, random_state=0).fit(whole[train])
    assert adjusted_rand_score(model.predict(whole[test]), y[test]) == 1.0
    alone = Views(
        {"view 0": views["view 0"][test], "view 1": np.full((90, 3), np.nan)},
    )
    assert adjusted_rand_score(model.predict(alone), y[test]) > 0.95


def test_an_object_far_from_all_others_still_has_a_place():
    views, _ = blobs()
    model = CoRegularizedSpectral(3, RBF(gamma=1.0), random_state=0).fit(views)
    far = {name: X[:1] + 15.0 for name, X in views.items()}
    lengths = np.linalg.norm(np.split(model.place(far), 2, axis=1), axis=2)
    np.testing.assert_allclose(lengths, 1.0)


@pytest.mark.parametrize("mode", COUPLINGS)
def test_the_order_of_the_views_changes_nothing(mode):
    views, _ = blobs(n=150, n_views=3, spread=3.0)
    model = CoRegularizedSpectral(3, mode=mode, agreement=0.1, random_state=0)
    labels = model.fit_predict(views)
    angles = dict(model.view_embeddings_)
    for order in (["view 2", "view 0", "view 1"], ["view 1", "view 2", "view 0"]):
        again = model.fit_predict({name: views[name] for name in order})
        assert adjusted_rand_score(labels, again) == 1.0
        for name, embedding in model.view_embeddings_.items():
            assert subspace_angles(embedding, angles[name]).max() < 1e-6


@pytest.mark.parametrize("mode", COUPLINGS)
@pytest.mark.parametrize("agreement", [0.05, 0.3])
def test_converged_means_that_going_on_changes_nothing(mode, agreement):
    for seed in range(4):
        graphs = [Graph.of(K) for K in kernels(160, 3, seed)]
        coupling = COUPLINGS[mode](agreement, np.ones(3))
        run = co_regularize(graphs, 3, coupling, tol=1e-3)
        limit = co_regularize(graphs, 3, coupling, tol=1e-9, max_iter=500)
        assert run.converged
        assert rms_sine(run.state.views, limit.state.views) < 2e-3


@pytest.mark.parametrize("mode", COUPLINGS)
@pytest.mark.parametrize("agreement", [0.05, 0.3])
def test_small_spaces_lead_where_whole_matrices_lead(monkeypatch, mode, agreement):
    graphs = [Graph.of(K) for K in kernels(200, 3, seed=2)]
    coupling = COUPLINGS[mode](agreement, np.array([1.0, 0.5, 2.0]))
    found = co_regularize(graphs, 3, coupling, tol=1e-7)
    monkeypatch.setitem(co_regularize.__globals__, "_SMALL", 200)
    whole = co_regularize(graphs, 3, coupling, tol=1e-7)
    assert found.converged
    assert whole.converged
    assert found.objective == pytest.approx(whole.objective, abs=1e-10)
    assert rms_sine(found.state.views, whole.state.views) < 1e-5


def test_a_step_takes_one_product_with_each_graph(monkeypatch):
    graphs = [Graph.of(K) for K in kernels(500, 2, seed=0)]
    run = co_regularize(graphs, 3, pairwise_coupling(0.05, np.ones(2)), tol=1e-5)
    widths = []

    def counted(self, block, product=Graph.__matmul__):
        widths.append(block.shape[1])
        return product(self, block)

    monkeypatch.setattr(Graph, "__matmul__", counted)
    co_regularize(graphs, 3, pairwise_coupling(0.05, np.ones(2)), tol=1e-5)
    alone = [width for width in widths if width > 3]  # each view by itself, before any step
    assert widths[: len(alone)] == alone
    assert len(widths[len(alone) :]) <= 2 * (run.n_iter + 1) + len(graphs)


@pytest.mark.parametrize("model", [CoRegularizedSpectral, CoTrainedSpectral])
def test_copies_of_one_object_in_a_part_of_their_own_do_no_harm(model):
    views, _ = blobs(n=120, n_groups=3, spread=0.5)
    copies = {name: np.vstack([X, np.full((26, 3), 50.0)]) for name, X in views.items()}
    labels = model(14, Neighbourhoods(), random_state=0).fit_predict(copies)
    assert len(set(labels[120:].tolist())) == 1


def test_joint_steps_get_there_sooner_than_steps_in_turn():
    grams = kernels(160, 2, seed=0)
    coupling = pairwise_coupling(0.5, np.ones(2))
    run = co_regularize([Graph.of(K) for K in grams], 3, coupling, tol=1e-5)
    slow = brute_force(grams, 3, 0.5, "pairwise", sweeps=3 * run.n_iter)[2]
    assert run.converged
    assert run.objective >= slow - 1e-9


def test_a_view_of_noise_is_named_and_left_out():
    views, _ = blobs(n=150, spread=0.8)
    noise = {"noise": np.random.default_rng(0).standard_normal((150, 60))}
    alone = CoRegularizedSpectral(3, random_state=0).fit(views)
    model = CoRegularizedSpectral(3, random_state=0)
    with pytest.warns(ViewsWarning, match="view 'noise' looks empty of structure"):
        model.fit(views | noise)
    assert model.view_weights_ == {"view 0": 1.0, "view 1": 1.0, "noise": 0.0}
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    np.testing.assert_array_equal(model.predict(views | noise), model.labels_)


def test_names_of_views_change_nothing():
    views, _ = blobs(spread=2.0)
    renamed = dict(zip(("one", "two"), views.values(), strict=True))
    first, second = (CoRegularizedSpectral(3, random_state=0).fit(X) for X in (views, renamed))
    np.testing.assert_array_equal(first.embedding_, second.embedding_)


def test_a_view_that_says_nothing_does_no_harm():
    views, y = make_low_quality_affinities(60)
    for mode in COUPLINGS:
        model = CoRegularizedSpectral(
            2, Precomputed(), mode=mode, agreement=0.1, view_weights=None, random_state=0
        )
        with pytest.warns(ViewsWarning, match="'constant' looks empty"):
            labels = model.fit_predict(views)
        assert normalized_mutual_info_score(y, labels) == pytest.approx(1.0)


def test_contradictory_views_end_between():
    views, y = make_contradictory_affinities(60)
    model = CoRegularizedSpectral(
        2, Precomputed(), mode="centroid", agreement=0.1, random_state=0
    ).fit(views)
    assert 0.2 < normalized_mutual_info_score(y, model.labels_) < 0.5  # 0.35 in the paper


def test_agreement_makes_the_views_agree():
    views, _ = make_kumar1(300, random_state=0)
    angles = []
    for agreement in (0.0, 0.1, 1.0):
        model = CoRegularizedSpectral(2, agreement=agreement, random_state=0).fit(views)
        angles.append(subspace_angles(*model.view_embeddings_.values()).max())
    assert angles[0] > angles[1] > angles[2]


def test_a_view_without_weight_has_no_say():
    views, _ = blobs(spread=1.5)
    noise = {"noise": np.random.default_rng(0).standard_normal((90, 3))}
    weights = {"view 0": 1, "view 1": 1, "noise": 0}
    for mode in COUPLINGS:
        alone = CoRegularizedSpectral(3, mode=mode, random_state=0).fit(views)
        model = CoRegularizedSpectral(3, mode=mode, view_weights=weights, random_state=0)
        model.fit(views | noise)
        assert adjusted_rand_score(alone.labels_, model.labels_) == 1.0


def test_one_view_can_be_chosen_for_the_last_step():
    views, _ = blobs(spread=1.5)
    model = CoRegularizedSpectral(3, combine="view 1", random_state=0).fit(views)
    whole = CoRegularizedSpectral(3, random_state=0).fit(views)
    np.testing.assert_allclose(model.embedding_, whole.embedding_[:, 3:], atol=1e-8)


def test_a_second_fit_forgets_the_consensus():
    views, _ = blobs()
    model = CoRegularizedSpectral(3, mode="centroid", random_state=0).fit(views)
    assert not hasattr(model.set_params(mode="pairwise").fit(views), "consensus_")


def test_single_precision_gives_the_same_clusters():
    views, _ = blobs(n=450, spread=1.0)
    single = {name: X.astype(np.float32) for name, X in views.items()}
    one, two = (CoRegularizedSpectral(3, random_state=0).fit(X).labels_ for X in (views, single))
    assert adjusted_rand_score(one, two) > 0.99


def test_too_few_sweeps_are_warned_of():
    views, _ = make_kumar1(200, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 steps"):
        model = CoRegularizedSpectral(2, max_iter=1, tol=0, agreement=1.0).fit(views)
    assert not model.converged_


def test_progress_is_told(capsys):
    views, _ = blobs()
    CoRegularizedSpectral(3, verbose=2, random_state=0).fit(views)
    said = capsys.readouterr().out
    assert "step 1, objective" in said
    assert "steps" in said


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"agreement": -0.1}, "agreement=-0.1 should be a number from 0 to "),
        ({"mode": "both"}, "mode='both' should be 'pairwise', or 'centroid'"),
        ({"max_iter": 0}, "max_iter=0 should be an integer of at least 1"),
        ({"combine": "sound"}, "combine='sound' is none of 'concat', 'view 0', 'view 1'"),
        ({"combine": "view 0", "mode": "centroid"}, "has a consensus of all"),
        ({"view_weights": [1, -1]}, r"view_weights\[1\]=-1 should be a number of at least 0"),
        ({"view_weights": [0, 0]}, "all zero"),
        ({"view_weights": {"view 0": 1}}, "no value for the view 'view 1'"),
    ],
)
def test_what_cannot_be_is_told(params, message):
    views, _ = blobs()
    with pytest.raises(ValueError, match=message):
        CoRegularizedSpectral(3, **params).fit(views)
