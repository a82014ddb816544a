from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from papers import ando2007
from papers._frame import DataFolder, load_experiment, run_experiment, silent
from papers.ando2007 import claims
from papers.ando2007 import methods as _methods
from papers.ando2007.methods import Setting, draw


@pytest.fixture
def few_objects(monkeypatch):
    monkeypatch.setattr(_methods, "N_OBJECTS", 1200)
    monkeypatch.setattr(_methods, "N_LABELLED", 60)
    monkeypatch.setattr(_methods, "N_TEST", 200)
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
        for group in ("METHODS", "FOR_SUPER_CLASSES"):
            patch.setattr(_methods, group, dict.fromkeys(getattr(_methods, group), count))
        report = run_experiment(
            load_experiment("ando2007"), data=DataFolder("nowhere"), seeds=range(2)
        )
    n_rows = len(claims.DEPENDENCIES)
    n_measured = (1 + 2 * n_rows) * len(_methods.METHODS) + n_rows * len(_methods.FOR_SUPER_CLASSES)
    assert len(calls) == 2 * n_measured
    figures = [table for table in report.tables if table.table.key != "claims"]
    assert {cell.mean for table in figures for cell in table.cells} == {50.0}


def test_every_method_measures_something(few_objects, monkeypatch):
    monkeypatch.setattr(_methods, "POOL_SIZE", 500)
    found = _methods.accuracies(Setting(consecutive=False), 0)
    assert set(found) == set(ando2007.COLUMNS)
    assert all(10 < value <= 100 for value in found.values())


def test_features_for_super_classes_are_measured_where_there_are_such(few_objects, monkeypatch):
    monkeypatch.setattr(_methods, "METHODS", {})
    found = _methods.accuracies(Setting(super_classes=True), 0)
    assert set(found) == set(_methods.FOR_SUPER_CLASSES)
    assert _methods.accuracies(Setting(), 0) == {}
    assert all(10 < value <= 100 for value in found.values())


def test_the_mixture_gets_the_super_classes_of_each_view(few_objects, monkeypatch):
    from manyviews import embed
    from manyviews.datasets import make_token_views

    given = {}

    class Watched(embed.SubspaceFeatures):
        def __init__(self, super_classes=None, random_state=None):
            super().__init__(5)
            given.update(super_classes)

    monkeypatch.setattr(embed, "LogLinearMixtureFeatures", Watched)
    _methods.super_class_mixture(draw(Setting(super_classes=True), 0), 0)
    made = make_token_views(200, super_classes=True, consecutive=True, random_state=0)
    for name, mapping in given.items():
        told = np.array([mapping[label] for label in made.y])
        pairs = set(zip(told.tolist(), np.asarray(made.extra[name]).tolist(), strict=True))
        assert len(pairs) == 5


def test_features_come_before_the_same_classifier(few_objects):
    from manyviews.embed import LogLinearMixtureFeatures

    sample = draw(Setting(), 0)
    learnt = LogLinearMixtureFeatures(random_state=0).fit(sample.training, sample.labels)
    few = learnt.transform(sample.training[:60])
    model = LogisticRegression(max_iter=300).fit(few, sample.labels[:60])
    expected = model.score(learnt.transform(sample.test), sample.answers)
    assert _methods.log_linear_mixture(sample, 0) == expected


def found_with(changed):
    """Accuracies for which every claim is true, but for those given by data and method."""
    methods = ("supervised", "co-training", "NB-EM", "LS", "LLM")
    base = {
        "a": (23.0, 99.0, 99.5, 99.0, 99.0),
        "b": (28.0, 95.0, 80.0, 98.0, 99.0),
        "few": (27.0, 90.0, 70.0, 94.0, 98.0),
        "some": (26.0, 80.0, 60.0, 91.0, 92.0),
        "half": (25.0, 70.0, 50.0, 75.0, 70.0),
        "tied": (20.0, 19.0, 21.0, 21.0, 20.0),
        "super": (22.0, 25.0, 35.0, 60.0, 80.0),
    }
    named = {data: dict(zip(methods, values, strict=True)) for data, values in base.items()}
    named["super"] |= {"5-dim LS": 70.0, claims.INTERACTIONS: 80.0, "5-class LLM": 95.0}
    for (data, method), value in changed.items():
        named[data][method] = value
    places = zip(claims.DEPENDENCIES, ("b", "few", "some", "half", "tied"), strict=True)
    found = {claims.NAIVE_BAYES: named["a"]}
    found |= {claims.REDUNDANT[r]: named[data] for r, data in places}
    return found | dict.fromkeys(claims.NON_REDUNDANT.values(), named["super"])


@pytest.mark.parametrize(
    ("changed", "false"),
    [
        ({}, set()),
        ({("a", "co-training"): 60.0}, {"naive Bayes data: co-training nearly 100 %"}),
        ({("a", "LS"): 60.0}, {"naive Bayes data: LS nearly 100 %"}),
        ({("b", "NB-EM"): 99.9}, {"NB-EM is worse on non-naive Bayes data"}),
        ({("tied", "NB-EM"): 23.0}, {"r = 1: NB-EM does not benefit"}),
        ({("tied", "LS"): 23.0}, {"r = 1: LS does not benefit"}),
        ({("some", "LLM"): 89.0}, {"r = 0.3: LLM above 90 %"}),
        ({("super", "NB-EM"): 24.0}, {"non-redundant views: NB-EM before co-training"}),
        (
            {("few", "co-training"): 0.0, ("some", "co-training"): 0.0},
            {"redundant views: co-training before NB-EM"},
        ),
        ({("half", "co-training"): 10.0}, {"co-training degrades with r"}),
        (
            {("half", "LS"): 30.0},
            {"LS degrades smoothly", "LLM drops more rapidly than LS"},
        ),
        ({("super", "5-dim LS"): 59.0}, {"non-redundant views: 5-dim LS before LS"}),
        (
            {("super", claims.INTERACTIONS): 69.0},
            {"non-redundant views: interactions before 5-dim LS"},
        ),
        (
            {("super", "5-class LLM"): 80.0},
            {"non-redundant views, r = 0: 5-class LLM performs well"},
        ),
        (
            {("super", "LLM"): 24.0},
            {
                "non-redundant views, low r: LLM before co-training",
                "low r: LLM's lead is largest on non-redundant views",
            },
        ),
        (
            {("super", "LS"): 24.0},
            {"non-redundant views, low r: LS before co-training"},
        ),
        ({("few", "LLM"): 92.0}, {"low r: LLM before LS"}),
        ({("b", "LS"): 89.0}, {"non-naive Bayes data: LS performs well"}),
    ],
)
def test_claims_are_said_by_number(changed, false):
    rows = ando2007.fill("claims", found_with(changed))
    holds = dict(zip(claims.CLAIMS, (bool(row[0]) for row in rows), strict=True))
    assert {claim for claim, true in holds.items() if not true} == false


def test_run_gives_a_layer_per_seed(few_objects, monkeypatch):
    monkeypatch.setattr(
        _methods, "METHODS", {name: lambda sample, seed: 0.1 * seed for name in ando2007.COLUMNS}
    )
    measured = ando2007.run("figure-1", seeds=range(3), data=DataFolder("nowhere"), progress=silent)
    assert measured.values.shape == (3, 2, len(ando2007.COLUMNS))
    np.testing.assert_allclose(measured.values[2], 20.0)
