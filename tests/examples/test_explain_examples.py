"""Each example of an explanation runs without a warning and shows what its text says."""

from __future__ import annotations


def test_the_plain_bottleneck_finds_subjects_and_the_conditional_one_styles(run, capsys):
    names = run("plot_explain_1_information_bottleneck")
    scores = names["scores"]
    by_subject, by_style = 0, 1
    assert scores["plain"][by_subject] > 0.9 > 0.1 > scores["plain"][by_style]
    assert scores["conditional"][by_style] > 0.9 > 0.1 > scores["conditional"][by_subject]
    assert names["four"].n_clusters_ == 4
    assert "agreement with subjects" in capsys.readouterr().out


def test_live_songs_are_the_pattern_and_the_sounds_correct_it(run, capsys):
    names = run("plot_explain_2_local_patterns")
    page, scores = names["page"], names["scores"]
    assert page.patterns[0].features[0].name == "words__live"
    assert page.patterns[0].features[0].inside > 1.0 > page.patterns[0].features[0].elsewhere
    for feature in page.global_features:  # words of jazz and soul against those of metal and techno
        word = feature.name.removeprefix("words__")
        liked = word in names["GENRES"]["jazz"] + names["GENRES"]["soul"]
        disliked = word in names["GENRES"]["metal"] + names["GENRES"]["techno"]
        assert liked if feature.weights[0] > 0 else disliked
    assert page.disagreement <= page.local_share <= 0.15
    assert scores["global model"] < scores["both"] <= scores["local model"]
    assert min(names["gains"].values()) > 0.0
    assert "words__live" in capsys.readouterr().out
