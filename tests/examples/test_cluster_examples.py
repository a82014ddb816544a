"""Each example of a clustering runs without a warning and shows what its text says."""

from __future__ import annotations

import numpy as np

from manyviews.metrics import adjusted_rand_score


def test_narrow_widths_and_graphs_follow_the_moons(run, capsys):
    names = run("plot_cluster_0_similarity")
    printed = capsys.readouterr().out.splitlines()
    scores = {name: float(line.split()[-1]) for name, line in zip(names["chosen"], printed)}  # noqa: B905
    assert scores.pop('RBF(gamma="median")') < 0.5
    assert min(scores.values()) > 0.9
    lost = names["lost"]
    assert lost["cholesky"][-1] < lost["nystroem"][-1] < lost["fourier"][-1]


def test_co_em_finds_the_field_that_both_views_know(run):
    bits = run("plot_cluster_1_co_em")["bits"]
    field, style, decade = range(3)
    assert bits["co-EM"][field] < 0.1
    assert min(bits["co-EM"][style], bits["co-EM"][decade]) > 1.9
    assert bits["words"][style] < 0.1 < bits["words"][field]
    assert bits["side by side"][field] > 1.9


def test_two_views_tell_three_kinds_that_each_confuses(run):
    names = run("plot_cluster_2_co_spherical_k_means")
    scores = {
        name: adjusted_rand_score(names["kinds"], model.labels_)
        for name, model in names["found"].items()
    }
    assert scores["both views"] > 0.95
    assert max(scores["words alone"], scores["links alone"]) < 0.8


def test_pairs_teach_the_view_that_alone_sees_batches(run):
    names = run("plot_cluster_3_min_disagreement")
    seen = names["only_second"]
    scores = {
        name: adjusted_rand_score(names["kinds"][seen], labels)
        for name, labels in names["found"].items()
    }
    assert min(scores["tied by 40 pairs"], scores["sum of the graphs"]) > 0.8
    assert max(scores["second view alone"], scores["sum of the views"]) < 0.1
    assert names["scores"][-1] > names["scores"][0]


def test_every_fusion_wins_somewhere_and_breaks_somewhere(run):
    names = run("plot_cluster_4_fused_spectral")
    scores = names["scores"]
    for column in range(scores.shape[1]):
        known = scores[:, column][np.isfinite(scores[:, column])]
        assert known.max() > 0.9
        assert known.min() < 0.1
    assert names["best"].best_view_ == "clear"


def test_co_training_survives_wrong_edges_that_are_complementary(run):
    names = run("plot_cluster_5_co_trained_spectral")
    last = {name: found.mean(axis=0)[-1] for name, found in names["scores"].items()}
    assert max(last["first graph alone"], last["sum of the graphs"]) < 0.1
    assert last["co-trained, five rounds"] > 0.4


def test_agreement_draws_the_views_together_and_helps_each(run):
    names = run("plot_cluster_6_co_regularized_spectral")
    angles, scores = names["angles"].mean(axis=0), names["scores"]
    assert (np.diff(angles) < 0).all()
    for view in ("first", "second"):
        assert scores[view].mean(axis=0)[-1] > scores[view].mean(axis=0)[0] + 0.05


def test_suited_divergences_find_the_kinds_that_squares_do_not(run):
    names = run("plot_cluster_7_bregman_ward")
    scores = {
        title: adjusted_rand_score(names["kinds"], model.labels_)
        for title, model in names["models"].items()
    }
    assert scores["suited divergences"] > 0.9
    assert scores["squared distances"] < 0.1


def test_both_views_make_splits_of_the_hybrid_tree(run):
    names = run("plot_cluster_8_hybrid_tree")
    assert set(names["model"].split_views_) == {"build", "life"}
    assert (names["tree"].goodness >= 1).all()


def test_the_intersection_tells_the_moons_that_no_view_tells_alone(run):
    names = run("plot_cluster_9_dbscan")
    labels = {name: model.labels_ for name, model in names["found"].items()}
    assert len(set(labels["intersection"]) - {-1}) == 2
    assert len(set(labels["union"]) - {-1}) == 1
    assert len(set(labels["moons alone"]) - {-1}) > 2
