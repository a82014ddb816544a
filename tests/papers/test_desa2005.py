from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.cluster import KMeans

from papers import desa2005
from papers._frame import DataFolder, load_experiment, run_experiment, silent
from papers.desa2005.example import (
    METHODS,
    READINGS,
    Reading,
    best_two_means,
    bipartite_embedding,
    is_wrong,
    two_means_once,
)


def within_scatter(rows, labels) -> float:
    return sum(
        ((rows[labels == c] - rows[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels)
    )


@settings(deadline=None, max_examples=30)
@given(rows=arrays(np.float64, (6, 2), elements=st.floats(-1, 1)))
def test_two_means_is_the_best_of_all_partitions(rows):
    best = min(
        within_scatter(rows, np.array(labels))
        for labels in product((0, 1), repeat=6)
        if 0 < sum(labels) < 6
    )
    labels = best_two_means(rows)
    assert labels[0] == 0
    assert within_scatter(rows, labels) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_two_means_is_no_worse_than_that_of_scikit_learn_or_one_start(seed):
    rows = np.random.default_rng(seed).normal(size=(8, 2))
    ours = within_scatter(rows, best_two_means(rows))
    theirs = KMeans(2, n_init=20, random_state=0).fit(rows).inertia_
    assert ours <= theirs * (1 + 1e-9)
    assert ours <= within_scatter(rows, two_means_once(rows, seed)) * (1 + 1e-9)


def test_bipartite_embedding_is_that_of_the_large_symmetric_matrix():
    # The paper: singular vectors of L_W are the parts of the eigenvectors of [[0, W], [W', 0]].
    W = np.random.default_rng(0).uniform(0.1, 1.0, size=(5, 5))
    large = np.block([[np.zeros((5, 5)), W], [W.T, np.zeros((5, 5))]])
    scale = large.sum(axis=1) ** -0.5
    vectors = np.linalg.eigh(scale[:, None] * large * scale)[1][:, ::-1][:, :2]
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = (rows[:5] + rows[5:]) / 2
    np.testing.assert_allclose(np.abs(bipartite_embedding(W, 2)), np.abs(expected), atol=1e-10)


@pytest.mark.parametrize("level", [1e-19, 1e-12, 1e-6, 1e-3])
def test_sum_and_minimizing_disagreement_break_where_the_paper_says(level):
    _, total, disagreement = Reading().break_points(level, seed=1)
    assert (total, disagreement) == (0.81, 0.92)


@pytest.mark.parametrize("level", [1e-16, 1e-12, 1e-8, 1e-5])
@pytest.mark.parametrize("seed", range(3))
def test_joint_breaks_near_the_root_of_the_noise(level, seed):
    reading = Reading()

    def wrong(m: float) -> bool:
        return is_wrong(reading.labels("JOINT", m, level, seed))

    assert not wrong(0.0)
    assert not wrong(0.3 * np.sqrt(level))
    assert wrong(10 * np.sqrt(level))


def test_noise_after_combining_cannot_be_what_the_paper_did():
    after = READINGS["noise after combining"]
    labels = after.labels("JOINT", 0.0, 1e-3, seed=0)
    assert is_wrong(labels)


def test_self_ties_decide_between_two_break_points_of_sum():
    kept = READINGS["diagonal kept"].break_points(1e-8, seed=0)
    zeroed = READINGS["as in section-2"].break_points(1e-8, seed=0)
    assert (kept[1], zeroed[1]) == (0.77, 0.81)


@pytest.mark.parametrize("name", list(READINGS))
def test_break_points_of_every_reading_lie_on_its_scan(name):
    reading = READINGS[name]
    steps = np.array(reading.break_points(1e-3, seed=0)) * 100 / reading.step
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert (steps >= 0).all()
    assert (steps * reading.step <= 100 + reading.step).all()


def test_report_explains_every_difference_and_repeats():
    experiment = load_experiment("desa2005")
    report = run_experiment(
        experiment, data=DataFolder("unused"), tables=["section-2"], seeds=range(2)
    )
    assert "unexplained" not in {cell.reason for cell in report.cells}
    again = desa2005.run("section-2", seeds=range(1, 2), data=DataFolder("unused"), progress=silent)
    second = np.array([cell.values[1] for cell in report.cells]).reshape(-1, len(METHODS))
    np.testing.assert_array_equal(again.values[0], second)
    verdicts = {(cell.row, cell.column): str(cell.verdict) for cell in report.cells}
    assert verdicts["1e-8", "SUM"] == verdicts["1e-8", "sM-D"] == "within the spread"
    assert verdicts["1e-8", "JOINT"] == "different"
