"""Each example of the embedding room runs without a warning and shows what its text says."""

from __future__ import annotations

import numpy as np


def test_what_two_photographs_have_in_common_is_the_digit(run):
    names = run("plot_embed_1_cca")
    assert names["nearest"]["CCA"] > 0.9
    assert names["nearest"]["PCA"] < 0.4
    seen, unseen = names["curves"]["none"]
    assert seen[11] > 0.65  # whatever the component, the training pairs correlate
    assert unseen.argmax() != 0
    _, shrunk = names["curves"]["auto"]
    assert (shrunk[:5] > 0.5).all()
    assert (abs(shrunk[5:]) < 0.1).all()
    assert (shrunk[:5] > unseen[:5]).all()


def test_few_pivots_find_the_phase_behind_two_bent_views(run):
    names = run("plot_embed_2_kernel_cca")
    assert names["scores"]["CCA"] < 0.4
    assert names["scores"]["KernelCCA"] > 0.98
    assert names["n_pivots"] == [2, 4, 8, 16, 32, 64, 128, 2000]
    curve = names["curve"]
    assert curve == sorted(curve)
    assert curve[5] > curve[-1] - 0.01  # tens of pivots are as good as all


def test_english_words_find_french_documents_of_their_topic(run, capsys):
    names = run("plot_embed_3_cross_lingual_search")
    data, found, topics = names["data"], names["found"], names["topics"]
    wanted = [data.label_names.index(name) for name in ("fishing", "health", "energy")]
    right = np.mean(topics[found.indices] == np.array(wanted)[:, None])
    assert right > 0.8  # 0.87 to 1 over ten orders of the pairs, an eighth by chance
    printed = capsys.readouterr().out
    whole, keywords = (
        [float(word.rstrip("%")) for word in line.split() if word.endswith("%")]
        for line in printed.splitlines()
        if line.startswith(("whole documents", "five keywords"))
    )
    assert whole[0] > 25
    assert whole[2] > 80
    assert whole[0] > keywords[0] > 5
    assert names["told"] > 0.9


def test_the_table_of_translations_becomes_a_diagonal(run, capsys):
    names = run("plot_embed_4_translation")
    first, *_, last = names["tables"]
    n_words = len(names["words"]) - 2  # never and the have two translations
    assert first.diagonal()[:n_words].max() < 0.5
    assert last.diagonal()[:n_words].min() > 0.9
    assert last[n_words, n_words : n_words + 2].min() > 0.45  # ne and jamais
    assert last[n_words + 1, n_words + 2 :].min() > 0.3  # le and la
    assert (np.diff(names["history"]) > 0).all()
    printed = capsys.readouterr().out
    assert "jeune chien voit la triste souris" in printed
    assert "the cow seeks the dog quick" in printed


def test_unlabelled_pairs_are_worth_more_than_words(run):
    names = run("plot_embed_5_features")
    views, y, test = names["views"], names["y"], names["test"]
    words = names["words"].score(views[test].concatenate(), y[test])
    accuracy = names["accuracy"]
    assert words < 0.55
    assert accuracy[-1] > 0.9
    assert accuracy[-1] > accuracy[1] + 0.2
    assert names["mixture_accuracy"] > 0.9
    strength = names["strength"]
    assert strength[9] - strength[10] > 2 * (strength[10] - strength[19])
