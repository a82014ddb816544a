"""The example of learning curves runs without a warning and shows what its text says."""

from __future__ import annotations


def test_choosing_pays_for_a_rare_class_and_not_for_labels_without_sense(run):
    names = run("plot_acquire_3_learning_curves")
    assert names["curves"].lead("margin").verdict == "better"
    assert names["hopeless"].lead("margin").verdict == "not told apart"
    assert names["asked"]["margin"] > 2 * names["asked"]["random"]
    assert [len(names[each].curves) for each in ("first", "more")] == [4, 9]
    assert len(names["ranking"]) == 6
    assert (names["known"][names["ranking"].rows] == -1).all()
