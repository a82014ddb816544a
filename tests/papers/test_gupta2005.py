"""The phoneme trees: measures by hand, and the tables from the real data."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy

from manyviews.maths import SquaredEuclidean, cluster_cost
from papers._frame import DataFolder, load_experiment, silent
from papers.gupta2005 import (
    BINS,
    CLAIMS,
    MEASURES,
    TREES,
    PhonemeTree,
    build_trees,
    phoneme_views,
)

CATERPILLAR = np.array([[0, 1, 1.0, 2], [2, 4, 2.0, 3], [3, 5, 3.0, 4]])
"""((0, 1), 2), 3"""


def test_purity_by_hand():
    tree = PhonemeTree.of(CATERPILLAR, None, np.zeros(3))
    families = np.array(["a", "b", "a", "a"])
    # pairs (0, 2): {0, 1, 2} is two thirds a; (0, 3) and (2, 3): all four, three quarters
    assert tree.purity(families) == pytest.approx((2 / 3 + 3 / 4 + 3 / 4) / 3)
    assert tree.purity(families, {0, 1, 2}) == pytest.approx(2 / 3)


def test_overlap_and_shared_clusters_by_hand():
    tree = PhonemeTree.of(CATERPILLAR, None, np.zeros(3))
    assert tree.apart(frozenset({0, 1})) == 1.0
    assert tree.apart(frozenset({1, 2})) == pytest.approx(2 / 3)
    balanced = np.array([[0, 1, 1.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]])
    assert tree.shared(PhonemeTree.of(balanced, None, np.zeros(3))) == pytest.approx(2 / 3)


def test_similarities_from_costs():
    X = np.array([[0.0], [2.0], [10.0]])
    tree = PhonemeTree.of(
        hierarchy.ward(X), lambda rows: cluster_cost(SquaredEuclidean(), X[rows]), None
    )
    assert_allclose(tree.similarities, [0.0, 2 / 56])


@pytest.fixture
def folder(data_folder):
    return DataFolder(data_folder)


@pytest.mark.data
def test_single_trees_are_wards(folder):
    views, _ = phoneme_views(folder, "middle")
    assert views["acoustic"].shape == (39, 39) == views["context"].shape
    assert_allclose(views["context"].sum(axis=1), 1.0)
    assert views["context"].min() > 0
    trees = build_trees(views)
    expected = PhonemeTree.of(hierarchy.ward(views["acoustic"]), None, np.zeros(38))
    assert set(trees["acoustic"].clusters) == set(expected.clusters)


@pytest.mark.data
def test_the_tables_hang_together(folder):
    experiment = load_experiment("gupta2005")
    tables = {
        key: experiment.run(key, seeds=range(1), data=folder, progress=silent).values[0]
        for key in ("claims", "trees", "figure-6")
    }
    assert tables["claims"].shape == (len(CLAIMS), 2)
    assert set(np.unique(tables["claims"])) <= {0.0, 1.0}
    assert tables["trees"].shape == (len(TREES), len(MEASURES))
    assert ((tables["trees"] >= 0) & (tables["trees"] <= 1)).all()
    assert tables["figure-6"].shape == (len(BINS), len(TREES))
    assert_array_equal(tables["figure-6"].sum(axis=0), [38] * 4)
    similarity = dict(zip(TREES, tables["trees"][:, 0], strict=True))
    less_alike = similarity["hybrid"] < min(similarity["acoustic"], similarity["context"])
    assert tables["claims"][CLAIMS.index("hybrid halves are less alike"), 0] == less_alike
