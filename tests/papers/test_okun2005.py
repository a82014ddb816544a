"""Tables are typed right, ensembles are those of the estimator, every difference has its reason."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from manyviews.data import Views
from manyviews.ensemble import HyperplaneKNN, ViewSubsetEnsemble
from papers._frame import DataFolder, load_experiment, silent
from papers.okun2005 import evidence as evidence
from papers.okun2005 import tables as tables
from papers.okun2005.layers import LAYERS

KEPT = Path(__file__).parents[2] / "papers" / "found" / "okun2005.json"


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("okun2005")


@pytest.fixture(scope="module")
def found():
    """Three letters of small proteins: 60 to train on, 60 to test, a few of them repeated."""
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    views = {
        name: rng.standard_normal((4, 3))[y] + rng.standard_normal((120, 3))
        for name in ("composition", "hydrophobicity", "volume")
    }
    for matrix in views.values():
        matrix[60:64] = matrix[:4]
    views = Views(views)
    repeated = np.arange(60) < 4
    split = evidence.Split(views[:60], y[:60], views[60:], y[60:], repeated)
    evidence.SPLITS["toy"] = lambda seed, folder: split
    evidence.LETTERS["toy"] = evidence.LETTERS[tables.FOLDS]
    yield evidence.evidence("toy", 0, "")
    del evidence.SPLITS["toy"], evidence.LETTERS["toy"]


@pytest.mark.parametrize(
    ("table", "row", "column", "value"),
    [
        ("1", "1", "CRV: test error", 44.67),
        ("1", "9", "vote: test error", 36.36),
        ("1", "2", "CRV: LOO error", 55.27),
        ("1", "9", "vote: LOO error", 66.13),
        ("1", "9", "held-out vote: LOO error", None),
        ("subsets", "CPZV", "LOO error", 61.66),
        ("subsets", "C", "LOO error", 62.30),
        ("numbers", "gain", "five sets, CRV", 4.68),
        ("numbers", "best single subset, test error", "five sets, vote", 41.04),
    ],
)
def test_published_numbers_are_those_of_the_paper(experiment, table, row, column, value):
    assert experiment.paper.table(table).published(row, column) == value


def test_published_numbers_of_the_text_follow_from_the_table():
    best, ensemble, gain, lowest, members, spread = tables.PUBLISHED_NUMBERS
    assert gain == pytest.approx(best - ensemble)
    assert ensemble == min(tables.TEST_ERRORS)
    assert lowest == tables.LOO_ERRORS[0] == min(tables.LOO_ERRORS)
    assert members == len(tables.TEST_ERRORS)
    assert spread == pytest.approx(max(tables.LOO_ERRORS) - min(tables.LOO_ERRORS))


def test_every_table_is_measured(experiment):
    assert {table.key for table in experiment.paper.tables} == set(LAYERS)


def test_subsets_are_named_by_their_letters(found):
    assert found.names == ("C", "H", "V", "CH", "CV", "HV", "CHV")


@pytest.mark.parametrize("combine", ["crv", "vote"])
def test_chosen_on_the_test_set_is_what_the_estimator_chooses_there(found, combine):
    split = found.split
    model = ViewSubsetEnsemble(
        HyperplaneKNN(standardize=True, hyperplanes="joint"),
        selection="validation",
        combine=combine,
        validation=(split.test, split.truth),
    ).fit(split.views, split.codes)
    chosen = found.chosen_on_test(combine)
    assert [found.candidates.subsets[i] for i in chosen.chosen] == model.members_
    assert np.allclose(chosen.history, 100 * model.selection_history_)
    assert np.allclose(found.staged_errors(combine, chosen.chosen), chosen.history)
    assert found.error(combine, chosen.chosen) == pytest.approx(
        100 * (1 - model.score(split.test, split.truth))
    )


@pytest.mark.parametrize("combine", ["crv", "vote"])
def test_chosen_by_left_out_errors_is_what_the_estimator_chooses(found, combine):
    model = ViewSubsetEnsemble(
        HyperplaneKNN(standardize=True, hyperplanes="joint"),
        selection="validation",
        combine=combine,
        validation="left_out",
    ).fit(found.split.views, found.split.codes)
    chosen = found.chosen_left_out(combine).chosen
    assert [found.candidates.subsets[i] for i in chosen] == model.members_


def test_clean_leaves_out_the_repeated(found):
    clean = found.clean()
    assert len(clean.truth) == 56
    direct = HyperplaneKNN(standardize=True, hyperplanes="joint").fit(
        found.split.views, found.split.codes
    )
    wrong = direct.predict(found.split.test) != found.split.truth
    assert found.singles[-1] == pytest.approx(100 * wrong.mean())
    assert clean.singles[-1] == pytest.approx(100 * wrong[4:].mean())


def test_gains_of_segments_by_hand(found):
    order = np.argsort(found.candidates.errors, kind="stable")
    sizes = found.candidates.sizes
    order = np.array(sorted(order, key=lambda i: (found.candidates.errors[i], sizes[i], i)))
    gains = found.segments("vote", 3)
    assert len(gains) == 5
    for start, gain in enumerate(gains):
        run = order[start : start + 3]
        assert gain == pytest.approx(found.singles[run].min() - found.error("vote", run))


def test_ways_are_as_many_as_the_table_has(found):
    errors = evidence.ways(found, "vote", 0)
    assert len(errors) == len(tables.WAYS)
    named = dict(zip(tables.WAYS, errors, strict=True))
    assert named["all views side by side"] == found.singles[-1]
    assert named["chosen on the test set (optimistic)"] <= named["subset of the lowest LOO error"]


@pytest.mark.data
def test_real_folds_fill_the_table_of_subsets(experiment, data_folder):
    folder = DataFolder(data_folder)
    measured = experiment.run("subsets", seeds=range(1), data=folder, progress=silent)
    table = experiment.paper.table("subsets")
    assert measured.values.shape == (1, len(table.rows), len(table.columns))
    published = np.array([row[0] for row in table.values])
    assert np.abs(measured.values[0, :, 0] - published).max() < 5
    assert (measured.values[0, :, 2] > measured.values[0, :, 1]).all()  # the repeated are easy


def test_kept_report_is_of_these_tables_and_every_difference_has_its_reason(experiment):
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert [table["key"] for table in kept["tables"]] == [
        table.key for table in experiment.paper.tables
    ]
    for table in kept["tables"]:
        known = experiment.paper.table(table["key"])
        assert {cell["row"] for cell in table["cells"]} == set(known.rows)
        assert {cell["column"] for cell in table["cells"]} == set(known.columns)
        assert not [cell for cell in table["cells"] if cell["reason"] == "unexplained"]


def test_kept_report_shows_what_the_guide_says():
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    cells = {
        (table["key"], cell["row"], cell["column"]): cell["mean"]
        for table in kept["tables"]
        for cell in table["cells"]
    }
    assert cells["numbers", "gain", "five sets, vote"] > 1.5
    assert cells["numbers", "gain", "six embedded sets, vote"] > 4.68
    assert cells["numbers", "gain", "five sets, CRV"] < 0
    held = cells["selection", "chosen on a held-out quarter", "five sets, vote"]
    assert held > cells["selection", "chosen on the test set (optimistic)", "five sets, vote"]
