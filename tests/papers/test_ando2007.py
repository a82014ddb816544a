from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from manyviews.app.reproduce import DataFolder, ando2007, load_experiment, run_experiment, silent
from manyviews.app.reproduce.ando2007 import _data, _methods, _tables
from manyviews.app.reproduce.ando2007._data import Setting, draw


@pytest.fixture
def few_objects(monkeypatch):
    monkeypatch.setattr(_data, "N_OBJECTS", 1200)
    monkeypatch.setattr(_data, "N_LABELLED", 60)
    monkeypatch.setattr(_data, "N_TEST", 200)
    _methods.accuracies.cache_clear()
    yield
    _methods.accuracies.cache_clear()


def test_objects_are_labelled_unlabelled_or_for_the_test(few_objects):
    sample = draw(Setting(), 0)
    assert (sample.labels >= 0).sum() == 60
    assert len(sample.training) == 1000
    assert len(sample.test) == len(sample.answers) == 200
    whole = draw(Setting(), 0)
    np.testing.assert_array_equal(whole.answers, sample.answers)
    assert (draw(Setting(), 1).answers != sample.answers).any()


def test_the_baseline_is_a_linear_classifier_of_both_views(few_objects):
    sample = draw(Setting(consecutive=False), 0)
    few = sample.training[:60]
    model = LogisticRegression(max_iter=300).fit(few.concatenate(), sample.labels[:60])
    expected = model.score(sample.test.concatenate(), sample.answers)
    assert _methods.supervised(sample, 0) == expected


def test_the_paper_has_numbers_of_its_text_and_no_others():
    paper = load_experiment("ando2007").paper
    figure = paper.table("figure-1")
    assert figure.published("naive Bayes data", "supervised") == 23.0
    given = [value for row in figure.values for value in row if value is not None]
    assert given == [23.0]
    assert {value for row in paper.table("figure-2").values for value in row} == {None}


def test_tables_share_what_was_measured(few_objects):
    calls = []

    def count(sample, seed):
        calls.append(seed)
        return 0.5

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_methods, "METHODS", dict.fromkeys(_methods.METHODS, count))
        report = run_experiment(
            load_experiment("ando2007"), data=DataFolder("nowhere"), seeds=range(2)
        )
    n_settings = 1 + 2 * len(_tables.DEPENDENCIES)
    assert len(calls) == 2 * n_settings * len(_methods.METHODS)
    figures = [table for table in report.tables if table.table.key != "claims"]
    assert {cell.mean for table in figures for cell in table.cells} == {50.0}


def test_every_method_measures_something(few_objects, monkeypatch):
    monkeypatch.setattr(_methods, "POOL_SIZE", 500)
    found = _methods.accuracies(Setting(consecutive=False), 0)
    assert set(found) == set(_tables.COLUMNS)
    assert all(10 < value <= 100 for value in found.values())


def found_with(**changed):
    """Accuracies for which every claim is true, but for those given by figure and method."""
    base = {
        "a": {"supervised": 23.0, "co-training": 99.0, "NB-EM": 99.5},
        "b": {"supervised": 28.0, "co-training": 95.0, "NB-EM": 80.0},
        "half": {"supervised": 25.0, "co-training": 70.0, "NB-EM": 50.0},
        "tied": {"supervised": 20.0, "co-training": 19.0, "NB-EM": 21.0},
        "super": {"supervised": 22.0, "co-training": 25.0, "NB-EM": 35.0},
    }
    for place, value in changed.items():
        data, method = place.split("_", 1)
        base[data][method.replace("_", "-")] = value
    found = {_tables.NAIVE_BAYES: base["a"]}
    found |= dict.fromkeys(_tables.REDUNDANT.values(), base["half"])
    found[_tables.REDUNDANT["0"]] = base["b"]
    found[_tables.REDUNDANT["1"]] = base["tied"]
    return found | dict.fromkeys(_tables.NON_REDUNDANT.values(), base["super"])


@pytest.mark.parametrize(
    ("changed", "false"),
    [
        ({}, set()),
        ({"a_co_training": 60.0}, {"naive Bayes data: co-training nearly 100 %"}),
        ({"b_NB_EM": 99.9}, {"NB-EM is worse on non-naive Bayes data"}),
        ({"tied_NB_EM": 23.0}, {"r = 1: NB-EM does not benefit"}),
        ({"super_NB_EM": 24.0}, {"non-redundant views: NB-EM before co-training"}),
        (
            {"half_co_training": 10.0},
            {"co-training degrades with r", "redundant views: co-training before NB-EM"},
        ),
    ],
)
def test_claims_are_said_by_number(changed, false):
    rows = _tables.fill("claims", found_with(**changed))
    holds = dict(zip(_tables.CLAIMS, (bool(row[0]) for row in rows), strict=True))
    assert {claim for claim, true in holds.items() if not true} == false


def test_run_gives_a_layer_per_seed(few_objects, monkeypatch):
    monkeypatch.setattr(
        _methods, "METHODS", {name: lambda sample, seed: 0.1 * seed for name in _tables.COLUMNS}
    )
    measured = ando2007.run("figure-1", seeds=range(3), data=DataFolder("nowhere"), progress=silent)
    assert measured.values.shape == (3, 2, len(_tables.COLUMNS))
    np.testing.assert_allclose(measured.values[2], 20.0)
