"""Chapters 3 and 4: the tables are typed right, and the claims that hold are measured to hold."""

from __future__ import annotations

import os

import numpy as np
import pytest

from manyviews.data import Views
from manyviews.similarity import RBF
from papers._frame import DataFolder, load_experiment, silent
from papers.kumar2013_clustering import figures as figures
from papers.kumar2013_clustering import methods as methods
from papers.kumar2013_clustering import published as published
from papers.kumar2013_clustering.settings import Setting, in_halves, setting

needs_data = pytest.mark.skipif(
    not os.environ.get("MANYVIEWS_DATA"), reason="MANYVIEWS_DATA names no data folder"
)


@pytest.fixture
def nowhere(tmp_path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("kumar2013-clustering")


@pytest.mark.parametrize(
    ("table", "row", "column", "value", "spread"),
    [
        ("3.1", "Co-trained (3)", "NMI", 0.989, 0.0),
        ("3.2", "Kernel product", "Recall", 0.381, 0.058),
        ("3.3", "Co-trained (2)", "Adj-RI", 0.695, 0.054),
        ("3.4", "Min-disagreement", "Entropy", 0.479, 0.093),
        ("3.5", "Best single view", "F-score", 0.387, 0.015),
        ("4.1", "Co-regularized (C) (2)", "Handwritten", 0.768, 0.025),
        ("4.1", "Co-trained (3)", "BBC", None, None),
    ],
)
def test_published_numbers_are_those_of_the_thesis(experiment, table, row, column, value, spread):
    known = experiment.paper.table(table)
    assert known.published(row, column) == value
    assert known.published_spread(row, column) == spread


def test_tables_3_and_4_publish_the_same_nmi():
    for name, rows in {
        "Reuters": published.rows_of("3.2"),
        "Handwritten": published.rows_of("3.3"),
    }.items():
        place, nmi = published.SETS.index(name), published.SCORES.index("NMI")
        for method, (values, _) in rows.items():
            assert published.rows_of("4.1")[method][0][place] == values[nmi]


def test_scores_of_a_perfect_clustering():
    y = np.array([0, 0, 1, 1])
    assert methods.score(y, 1 - y) == (1.0, 1.0, 1.0, 0.0, 1.0, 1.0)


def test_the_candidate_of_best_mean_nmi_is_reported():
    found = np.zeros((2, 3, 6))
    found[:, :, published.SCORES.index("NMI")] = [[0.5, 0.1, 0.4], [0.1, 0.1, 0.4]]
    found[:, 2, 0] = 7.0
    assert methods.best(found)[:, 0].tolist() == [7.0, 7.0]


def test_articles_in_four_segments_become_two_views():
    views = Views({name: np.full((2, 1), float(name)) for name in "1234"})
    halves = in_halves(views)
    assert halves["first"].tolist() == [[1.0, 2.0]] * 2
    assert halves["second"].tolist() == [[3.0, 4.0]] * 2


@pytest.fixture(scope="module")
def small() -> Setting:
    from manyviews.datasets import make_kumar2

    drawn = make_kumar2(120, random_state=0)
    return Setting(drawn.views, np.asarray(drawn.y), RBF(gamma="median"))


OF_FEW = pytest.mark.filterwarnings("ignore:view .* looks empty")  # a weak view of few objects


@OF_FEW
@pytest.mark.parametrize("method", published.rows_of("4.1"))
def test_every_method_of_the_tables_clusters_the_synthetic_data(small, method):
    candidates = methods.embeddings(method, small)
    assert all(len(rows) == 120 for rows in candidates)
    assert methods.scores(small, candidates, seed=0)[:, 4].max() > 0.3


@OF_FEW
def test_a_drawn_table_is_measured_as_it_is_shaped(experiment, nowhere, monkeypatch):
    from manyviews import datasets

    monkeypatch.setattr(
        datasets,
        "make_kumar2",
        lambda random_state, make=datasets.make_kumar2: make(80, random_state),
    )
    measured = experiment.run("3.1", seeds=range(2), data=nowhere, progress=silent)
    assert measured.values.shape == (2, 8, 6)
    assert np.isfinite(measured.values).all()


@pytest.mark.filterwarnings("ignore:view 'constant' looks empty")  # that is the example
def test_the_view_that_knows_nothing_does_not_harm_co_regularisation(nowhere):
    columns = ("first view", figures.PAIRWISE)
    assert figures.examples("low quality", columns, 0, nowhere) == [1.0, 1.0]


@pytest.mark.filterwarnings("ignore:Number of distinct clusters")  # the sum sees one cluster
def test_wrong_edges_break_a_view_alone_and_their_sum_but_not_their_product(nowhere):
    columns = (figures.BEST, figures.SUM, figures.PRODUCT, figures.TRAINED)
    alone, added, multiplied, trained = figures.complementary("20", columns, 0, nowhere)
    assert max(alone, added) < 0.01
    assert multiplied == 1.0
    assert 0.4 < trained < 1.0


@needs_data
def test_digits_come_out_as_published():
    data = DataFolder.locate(None)
    known = setting("Handwritten", 0, data)
    rows = methods.embeddings(published.TRAINED_2, known)
    nmi = [methods.scores(known, rows, seed)[0, 4] for seed in range(3)]
    value, spread = 0.765, 0.031
    assert abs(np.mean(nmi) - value) < 2 * spread
