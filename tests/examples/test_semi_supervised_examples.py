"""Each example of learning from few labels runs without a warning and shows what its text says."""

from __future__ import annotations

import numpy as np


def test_the_ontology_helps_most_where_labels_are_few(run, capsys):
    names = run("plot_semi_1_ontology")
    scores = {kind: np.array(values) for kind, values in names["scores"].items()}
    gains = scores["ontology"] - scores["leaves only"]
    assert (gains[:2] > 0.02).all()
    assert gains[:2].mean() > gains[2:].mean()
    assert (scores["leaves only"] > scores["one view"])[1:].all()
    printed = capsys.readouterr().out
    assert "0 constraints are broken" in printed
    both, _, tables = (float(line.split()[-1]) for line in printed.splitlines()[-3:])
    assert both > tables  # patterns alone are about even with both, as the text says


def test_what_the_first_round_gets_wrong_stays_wrong(run):
    names = run("plot_semi_2_co_training")
    accuracies = names["accuracies"]
    assert accuracies.max() > 0.99
    assert accuracies.min() < 0.1
    assert np.median(accuracies) > 0.95
    worst = names["worst"].provenance_
    first = worst[worst.round == 1]
    assert (first.label != names["y"][first.object]).any()
    assert names["with_more"].min() > 0.95
    assert min(names["right"]["self-training"]) > 0.95
    assert np.mean(names["right"]["labels alone"]) < 0.97


def test_unlabelled_papers_help_a_right_model_and_hurt_a_wrong_one(run):
    names = run("plot_semi_3_em")
    helped, hurt = (curves.mean(axis=0) for curves in names["em"].values())
    assert helped[-1] > helped[0] + 0.1
    assert hurt[-1] < hurt[0] - 0.1
    assert min(names["co_em"].values()) > 0.95
    like_field, like_style = names["agreement"][1]
    assert like_style > like_field


def test_some_coupling_is_better_than_none_and_than_too_much(run):
    names = run("plot_semi_4_co_rls")
    moons, lines = names["mean_errors"].T
    middle = np.flatnonzero(names["couplings"] == 10.0)[0]
    assert moons[middle] < 0.05 < 0.1 < min(moons[0], moons[-1])
    assert lines[middle] == 0 < lines[0]
    assert (np.diff(names["mean_apart"]) <= 1e-9).all()
    assert names["mean_spread"][-1] < 0.01 < 0.1 < names["mean_spread"][middle]
    wrong = {
        title: np.mean((model.view_decisions(names["views"])["moons"] > 0) != names["truth"])
        for title, model in names["models"].items()
    }
    assert wrong["coupled"] < 0.5 * min(wrong["alone"], wrong["too much"])


def test_the_lines_recover_the_noisy_moons(run):
    names = run("plot_semi_5_co_laplacian")
    right = names["right"]
    assert right["SVM"] < 0.9
    assert right["Laplacian SVM"] > 0.98
    assert right["Laplacian SVM, noise"] < 0.85
    assert right["Co-Laplacian SVM, noise"] > 0.93
    assert names["squared_right"] > 0.93


def test_unlabelled_objects_help_if_the_balance_is_right_and_views_agree(run):
    names = run("plot_semi_6_transduction")
    plain, right_share, wrong_share = names["machine_scores"].values()
    assert right_share == 1.0
    assert plain < 0.9
    assert wrong_share < 0.8
    margin, one_graph, both_graphs = names["moon_scores"].values()
    assert both_graphs > 0.98
    assert max(margin, one_graph) < 0.95
    assert names["both_right"] > 0.97
    assert names["lines_right"] > 0.97


def test_numbers_are_learnt_and_ridge_is_hard_to_beat(run):
    scores = run("plot_semi_7_numbers")["scores"]
    ridge = np.array(scores.pop("ridge, views side by side"))
    for values in scores.values():
        assert values[-1] > values[0]
        assert (np.array(values) < ridge + 0.03).all()
    assert scores["CoRLSRegressor"][0] > scores["TargetAlignmentRegressor"][0] + 0.1
    assert scores["TargetAlignmentRegressor"][-1] > scores["CoRLSRegressor"][-1]
