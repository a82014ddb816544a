"""The example of an ensemble over subsets of views runs and shows what its text says."""

from __future__ import annotations


def test_subsets_gain_little_when_complete_and_much_with_gaps(run):
    names = run("plot_ensemble_1_subsets_of_views")
    vote, crv = (names["curves"][rule] for rule in ("vote", "crv"))
    assert len(vote) == len(crv) == 15
    assert vote[0] == crv[0]  # the rule plays no role for one good member
    assert vote[-1] < vote[0] - 0.5
    assert abs(vote[-1] - names["together"]) < 1.5
    subsets, native, filled = names["with_gaps"].values()
    assert names["shares"][-1] == 0.6
    assert subsets[-1] < filled[-1] / 2
    assert abs(subsets[-1] - native[-1]) < 3
    assert abs(subsets[0] - filled[0]) < 1.5
