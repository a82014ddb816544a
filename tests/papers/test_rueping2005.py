"""Rüping's tables: typed right, on the data that are meant, by detectors that keep the bound."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.svm import LinearSVC

from manyviews import Views
from manyviews.explain import LocalPatternClassifier
from papers._frame import DataFolder, load_experiment, silent
from papers.rueping2005 import trials
from papers.rueping2005.tables import DETECTORS, SETS


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("rueping2005")


@pytest.mark.parametrize(
    ("table", "row", "column", "value"),
    [
        ("2", "balance", "IB", 0.909),
        ("2", "diabetes", "SVM", 0.701),
        ("2-loose", "wine", "CIB", 0.932),
        ("2", "liver", "IB, local examples", None),
        ("1", "τ .05, 20 features", "disagreement", 0.201),
        ("text", "songs", "IB", 0.627),
    ],
)
def test_tables_are_typed_right(experiment, table, row, column, value):
    assert experiment.paper.table(table).published(row, column) == value


def test_a_tenth_of_the_features_is_one_at_least():
    assert [trials.few(n) for n in (4, 6, 8, 9, 13, 64)] == [1, 1, 1, 1, 1, 6]


@pytest.fixture(scope="module")
def toy():
    """Sides that decide but the other way on top, and one fold of them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 4))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    rows = np.arange(200), np.arange(200, 300)
    return trials.Trial.of(Views(X), y, rows, ("view0",), 1), X, y


@pytest.mark.parametrize("detector", [*DETECTORS, "CIB, clusters"])
def test_all_detectors_share_the_models_and_keep_the_bound(toy, detector):
    trial, _, _ = toy
    simple, full = trial.answers()
    both = trial.combined(detector, 0.1)
    changed = both != simple
    assert_array_equal(both[changed], full[changed])
    known = trial.regions(detector, 0.1).find(trial.train) >= 0
    assert known.mean() <= 0.1
    assert (full == trial.truth).mean() > (simple == trial.truth).mean() + 0.1


@pytest.mark.parametrize(
    ("detector", "options"),
    [
        ("SVM", {"detector": "classifier"}),
        ("IB", {"detector": "bottleneck", "weighted": "all"}),
        ("CIB, local examples", {"detector": "conditional", "background": "model"}),
    ],
)
def test_a_trial_is_what_the_estimator_does(toy, detector, options):
    trial, X, y = toy
    machine = LinearSVC(dual=False)
    model = LocalPatternClassifier(machine, machine, max_local=0.2, n_features=1, **options)
    model.fit(X[:200], y[:200])
    assert_array_equal(model.predict(X[200:]), trial.combined(detector, 0.2))


@pytest.mark.data
def test_sets_have_the_papers_sizes(data_folder):
    sizes = {}
    for name in SETS:
        found = trials.problems(name, str(data_folder))
        assert all(set(np.unique(y)) == {0, 1} for _, y in found)
        sizes[name] = (len(found), *found[0][0].shape)
    assert sizes["balance"] == (1, 576, 4)
    assert sizes["breast"] == (1, 683, 9)
    assert sizes["diabetes"] == (1, 768, 8)
    assert sizes["liver"] == (1, 345, 6)
    assert sizes["wine"] == (3, 178, 13)
    assert sizes["digits"][0] == 4
    assert sizes["digits"][2] == 64


@pytest.mark.data
def test_a_table_is_measured(experiment, data_folder, monkeypatch):
    monkeypatch.setattr("papers.rueping2005.trials.on_set", lambda *given: (0.5,) * 7)
    found = experiment.run("2", seeds=range(2), data=DataFolder(data_folder), progress=silent)
    assert found.values.shape == (2, 6, 7)
    assert (found.values == 0.5).all()
