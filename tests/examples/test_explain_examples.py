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
