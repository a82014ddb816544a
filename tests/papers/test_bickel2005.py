from __future__ import annotations

import os

import numpy as np
import pytest
from scipy.sparse import csr_array

from manyviews import Views
from papers import bickel2005
from papers._frame import DataFolder, load_experiment, silent
from papers.bickel2005 import PAPER, concatenated, entropy_of, merged

needs_data = pytest.mark.skipif(
    not os.environ.get("MANYVIEWS_DATA"), reason="MANYVIEWS_DATA names no folder of real data"
)


def linked_views():
    cites = csr_array(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
    words = csr_array(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]]))
    return Views({"words": words, "cites": cites, "cited by": csr_array(cites.T)})


def test_baselines_put_the_views_side_by_side():
    views = linked_views()
    assert concatenated(views).shape == (3, 8)
    either = merged(views)["all"].toarray()
    np.testing.assert_array_equal(either[:, 2:], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])


def test_significance_counts_columns_that_are_lower():
    rng = np.random.default_rng(0)
    one = rng.normal(0, 0.01, size=(20, 3))
    shift = np.array([-1.0, 1.0, 0.0]) + np.where(np.arange(20) % 2, 0.01, -0.01)[:, None]
    assert bickel2005._lower(one + shift, one) == 1
    assert bickel2005._lower(one, one + shift) == 1
    assert bickel2005._lower(one[:1], one[:1] + 1) == 0


def test_claims_are_counted_from_the_means():
    figure = np.tile([1.0, 2.0, 3.0], (5, 6, 1))
    figure[:, 4] = [2.0, 1.0, 3.0]
    splits = np.zeros((5, 5, 6)) + np.arange(5)[:, None]  # one view is best
    splits[:, 3, 0] = -1.0  # but four are in one collection
    weights = np.zeros((5, 5, 3)) - np.arange(5)[:, None]
    weights[:, 0, 2] = -9.0
    values = {f"figure-1-{name}": figure for name in bickel2005.LINKED}
    values |= {"figure-2-left": splits, "figure-2-center": weights}
    noise = np.random.default_rng(0).normal(0, 1e-3, size=splits.shape)
    values["figure-2-left"] = splits + noise
    assert bickel2005._count_claims(values) == [5, 5, 5, 1, 0, 0, 1, 2]


def test_entropy_is_zero_when_clusters_are_classes():
    rng = np.random.default_rng(0)
    classes = np.arange(60) % 2
    words = rng.poisson(np.where(classes[:, None] == np.arange(8) % 2, 6.0, 0.1)).astype(float)
    views = Views({"a": words, "b": words[:, ::-1]})
    assert entropy_of(views, classes, 2, seed=0) == 0


def test_published_numbers_are_what_the_text_states():
    claims = load_experiment("bickel2005").paper.table("claims")
    assert [row[0] for row in claims.values] == [6, 6, 6, 5, 4, 2, 4, 3]
    assert len(bickel2005.CLUSTERS) == len(PAPER.table("figure-2-left").columns) == 6


@needs_data
@pytest.mark.parametrize(("name", "n_clusters", "most"), [("citeseer", 6, 2.0), ("cora", 7, 1.7)])
def test_co_em_beats_the_baselines_by_far_on_linked_papers(name, n_clusters, most):
    folder = str(DataFolder.locate().root)
    co_em, *baselines = (
        bickel2005.by_clusters(str(n_clusters), method, 0, folder, name=name)
        for method in bickel2005.METHODS
    )
    assert co_em < most
    assert co_em < min(baselines) - 0.4


@needs_data
def test_a_cell_repeats_and_stands_in_its_table():
    data = DataFolder.locate()
    one, two = (bickel2005.by_annealing("webkb", "linear", 0, str(data.root)) for _ in range(2))
    assert one == two
    found = bickel2005.run("figure-1-webkb", seeds=range(1), data=data, progress=silent).values
    assert found.shape == (1, 6, 3)
    expected = bickel2005.by_clusters("4", "merged", 0, str(data.root), name="webkb")
    assert found[0, 1, 2] == expected
