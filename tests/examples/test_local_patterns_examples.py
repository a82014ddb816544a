"""The example of local patterns shows what its text says."""

from __future__ import annotations


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
