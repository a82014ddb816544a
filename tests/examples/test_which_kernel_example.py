"""The example about weights of kernels runs without a warning and shows what its text says."""

from __future__ import annotations


def test_learnt_weights_find_the_two_views_among_noise(run, capsys):
    names = run("plot_mkl_1_which_kernel")
    accuracy = names["accuracy"]
    assert accuracy["average"][0] > 0.92
    assert accuracy["average"][-1] < 0.65
    assert max(accuracy["best one"]) < 0.92
    for learnt in ("alignment", "two-stage"):
        assert min(accuracy[learnt]) > max(accuracy["best one"]) + 0.01
        assert names["share"][learnt] > 0.7
    printed = capsys.readouterr().out
    assert "% of all weight on the two real views" in printed
