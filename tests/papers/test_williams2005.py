"""Gaps, kernels and scores are what they are called; claims can fail; what was kept adds up."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.linear_model import LogisticRegression

from manyviews.data import Views
from manyviews.similarity import IncompleteGaussianMixture
from papers import williams2005
from papers._frame import DataFolder, load_experiment, run_experiment, silent
from papers.williams2005 import claims as _claims
from papers.williams2005 import data as _data
from papers.williams2005 import methods, tables
from papers.williams2005 import trials as _trials
from papers.williams2005.methods import (
    AS_MEASURED,
    COMPLETE,
    CONDITIONAL,
    ESTIMATED,
    METHODS,
    PROPOSED,
    UNCONDITIONAL,
    Choices,
)

KEPT = Path(__file__).parents[2] / "papers" / "found" / "williams2005.json"
needs_data = pytest.mark.skipif(
    not os.environ.get("MANYVIEWS_DATA"), reason="MANYVIEWS_DATA names no data folder"
)


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("williams2005")


def tied_features(n_objects=120, n_features=6, n_classes=2, seed=0):
    """Features that all follow one hidden number, hence can be told from each other."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n_objects)
    hidden = y + 0.4 * rng.standard_normal(n_objects)
    signs = np.where(np.arange(n_features) % 2, -1.0, 1.0)
    return hidden[:, None] * signs + 0.2 * rng.standard_normal((n_objects, n_features)), y


def gaps(share=0.4, **options):
    rows, y = tied_features(**options)
    views = _data.one_view_per_feature(rows)
    return _data.with_gaps(views, y, share, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        ("land mines, area A", PROPOSED, 0.6865),
        ("land mines, area A", CONDITIONAL, 0.5604),
        ("land mines, area A", UNCONDITIONAL, 0.6305),
        ("land mines, area B", PROPOSED, 0.6579),
        ("land mines, area B", CONDITIONAL, 0.5355),
        ("land mines, area B", UNCONDITIONAL, 0.6171),
        ("3sources", PROPOSED, None),
    ],
)
def test_published_numbers_are_those_of_the_paper(experiment, row, column, value):
    assert experiment.paper.table("2").published(row, column) == value


def test_every_table_is_measured_in_as_many_trials_as_the_paper_had(experiment):
    keys = {table.key for table in experiment.paper.tables}
    claims = {"claims", "claims-narrow"}
    assert keys == {*williams2005.LAYERS, *claims}
    assert keys == {*tables.TRIALS, *claims}
    assert {key: tables.TRIALS[key] for key in ("figure-1a", "figure-1b", "figure-2", "2")} == {
        "figure-1a": 40,
        "figure-1b": 40,
        "figure-2": 10,
        "2": 100,
    }
    assert experiment.paper.seeds == max(tables.TRIALS.values())


@settings(deadline=None, max_examples=20)
@given(share=st.floats(0.0, 0.8), seed=st.integers(0, 99))
def test_so_much_is_hidden_and_something_is_left(share, seed):
    rows, y = tied_features(40)
    views = _data.one_view_per_feature(rows)
    made = _data.with_gaps(views, y, share, np.random.default_rng(seed))
    missing = np.isnan(made.rows)
    assert missing.sum() == round(share * rows.size)
    assert not missing.all(axis=1).any()
    np.testing.assert_array_equal(made.rows[~missing], rows[~missing])
    np.testing.assert_array_equal(made.complete, rows)


def test_a_quarter_is_for_training():
    training, test = _data.partition(351, np.random.default_rng(3))
    assert len(training) == 88
    assert sorted([*training, *test]) == list(range(351))
    other, _ = _data.partition(351, np.random.default_rng(4))
    assert set(other) != set(training)


def test_reduced_views_keep_their_gaps_and_weigh_the_same():
    rng = np.random.default_rng(0)
    wide = rng.standard_normal((60, 15)) * 100.0
    wide[:7] = np.nan
    made = _data.reduced(Views({"wide": wide, "narrow": rng.standard_normal((60, 4))}))
    assert made.layout.widths == (10, 4)
    np.testing.assert_array_equal(~made.observed[:, 0], np.isnan(wide).all(axis=1))
    for name in made.names:
        assert np.nanvar(made[name], axis=0).mean() == pytest.approx(1.0)


def test_texts_are_reduced_where_there_are_texts():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.5, (60, 40)).astype(float)
    counts[50:] = 0.0
    observed = np.ones((60, 2), dtype=bool)
    observed[50:, 0] = False
    made = _data.reduced(
        Views({"a": csr_array(counts), "b": csr_array(counts[::-1] + 1.0)}, observed=observed)
    )
    assert made.layout.widths == (10, 10)
    np.testing.assert_array_equal(np.isnan(made["a"]).all(axis=1), np.arange(60) >= 50)
    assert not np.isnan(made["b"]).any()


def test_all_kernels_are_the_same_where_nothing_is_missing():
    rows, y = tied_features()
    mixture = methods.fitted_mixture(rows, AS_MEASURED, 0)
    found = methods.kernel_matrices(_data.Objects(rows, y, rows), mixture, AS_MEASURED)
    assert set(found) == set(METHODS)
    distances = cdist(rows, rows)
    width = np.sqrt(np.median(distances[np.tri(len(rows), k=-1, dtype=bool)] ** 2))
    for kernel in found.values():
        np.testing.assert_allclose(kernel, np.exp(-0.5 * (distances / width) ** 2), atol=1e-12)


def test_kernels_of_filled_rows_have_the_width_of_the_proposed_one():
    objects = gaps()
    mixture = methods.fitted_mixture(objects.rows, Choices(n_components=2), 0)
    choices = Choices(width=0.5)
    found = methods.kernel_matrices(objects, mixture, choices)
    distances = cdist(objects.complete, objects.complete)
    gamma = -np.log(found[COMPLETE][0, 1]) / distances[0, 1] ** 2
    conditional = mixture.conditional(objects.rows).expected
    means = np.where(np.isnan(objects.rows), np.nanmean(objects.rows, axis=0), objects.rows)
    for name, filled in ((CONDITIONAL, conditional), (UNCONDITIONAL, means)):
        np.testing.assert_allclose(found[name], np.exp(-gamma * cdist(filled, filled) ** 2))
    rng = np.random.default_rng(0)
    known = mixture.conditional(objects.rows)
    draws = [_drawn(known, row, rng) for row in (0, 1)]
    expected = np.exp(-gamma * ((draws[0] - draws[1]) ** 2).sum(axis=1)).mean()
    assert found[PROPOSED][0, 1] == pytest.approx(expected, abs=0.01)


def _drawn(known, row, rng, n_draws=20_000):
    """Rows as one of them may be, given what it shows."""
    component = rng.choice(known.weights.shape[1], n_draws, p=known.weights[row])
    spread = known.covariances[known.pattern[row]]
    noise = np.stack(
        [rng.multivariate_normal(np.zeros(len(one)), one, n_draws, method="eigh") for one in spread]
    )
    return known.means[row][component] + noise[component, np.arange(n_draws)]


def test_components_are_added_while_the_criterion_falls():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.standard_normal((60, 2)) + shift for shift in (-8, 0, 8)])
    rows[rng.random(len(rows)) < 0.2, 1] = np.nan
    chosen = methods.fitted_mixture(rows, AS_MEASURED, 0)
    criteria = [
        IncompleteGaussianMixture(number, reg_covar=0.01, random_state=0).fit(rows).bic(rows)
        for number in (1, 2, 3, 4)
    ]
    assert chosen.n_components == 1 + int(np.argmin(criteria)) == 3
    assert methods.fitted_mixture(rows, Choices(n_components=2), 0).n_components == 2


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_score_is_the_share_of_pairs_in_the_right_order(n_classes):
    rows, y = tied_features(80, n_classes=n_classes)
    kernel = np.exp(-0.5 * cdist(rows, rows) ** 2)
    training, test = np.arange(30), np.arange(30, 80)
    areas = []
    for label in range(n_classes):
        model = LogisticRegression(C=100.0, max_iter=5000, tol=1e-8)
        model.fit(kernel[:30, :30], y[:30] == label)
        outputs, own = model.decision_function(kernel[30:, :30]), y[30:] == label
        areas.append(np.mean(outputs[own][:, None] > outputs[~own]))  # Eq. (5)
    found = methods.mean_auc(kernel, y, training, test, AS_MEASURED)
    assert found == pytest.approx(np.mean(areas) if n_classes > 2 else areas[1], abs=2e-3)


def test_distance_by_hand():
    true = np.array([[3.0, 0.0], [0.0, 4.0]])
    assert methods.relative_distance(true + 1.0, true) == pytest.approx(2.0 / 5.0)


def evidence(**changed):
    """Means for which every claim is true, but for those that are changed."""
    curves = {
        COMPLETE: np.full(8, 0.9),
        PROPOSED: np.array([0.91, 0.88, 0.86, 0.84, 0.82, 0.8, 0.78, 0.76]),
        CONDITIONAL: np.array([0.90, 0.87, 0.85, 0.80, 0.75, 0.7, 0.65, 0.6]),
        UNCONDITIONAL: np.array([0.90, 0.87, 0.84, 0.78, 0.72, 0.66, 0.6, 0.55]),
    }
    rising = np.linspace(0.1, 0.8, 8)
    distances = {PROPOSED: rising, CONDITIONAL: 0.9 * rising, UNCONDITIONAL: 1.1 * rising}
    natural = {
        PROPOSED: np.array([0.7, 0.8]),
        CONDITIONAL: np.array([0.5, 0.6]),
        UNCONDITIONAL: np.array([0.6, 0.7]),
    }
    sound = _claims.Evidence(curves, distances, curves, natural)
    return replace(sound, **{key: getattr(sound, key) | value for key, value in changed.items()})


@pytest.mark.parametrize(
    ("changed", "shares"),
    [
        ({}, {}),
        (
            {"radar": {CONDITIONAL: np.r_[np.full(7, 0.0), 0.77]}},
            {
                "ionosphere: proposed above conditional mean": 7 / 8,
                "ionosphere: lead largest where much is missing, over conditional mean": 0.0,
            },
        ),
        (
            {"radar": {COMPLETE: np.full(8, 0.92)}},
            {"ionosphere: proposed sometimes above complete data": 0.0},
        ),
        (
            {"distances": {CONDITIONAL: np.linspace(0.8, 0.1, 8)}},
            {
                "ionosphere: kernels farther from the true one with more missing": 14 / 21,
                "ionosphere: conditional mean nearer to the true kernel than proposed": 0.5,
            },
        ),
        (
            {"digits": {UNCONDITIONAL: np.full(8, 0.99)}},
            {
                "mfeat: proposed above unconditional mean": 0.0,
                "mfeat: lead largest where much is missing, over unconditional mean": 0.0,
            },
        ),
        (
            {"natural": {CONDITIONAL: np.array([0.65, 0.6])}},
            {"natural gaps: unconditional above conditional mean": 0.5},
        ),
    ],
)
def test_claims_can_fail(changed, shares):
    found = {claim: holds(evidence(**changed)) for claim, holds in _claims.CLAIMS.items()}
    expected = dict.fromkeys(_claims.CLAIMS, 1.0) | shares
    assert found == pytest.approx(expected)


@pytest.fixture
def generated(monkeypatch, tmp_path):
    """All data generated and small, so that no folder is needed."""

    def drawn(share, rng, folder):
        rows, y = tied_features(60, n_features=12, seed=int(rng.integers(100)))
        return _data.with_gaps(_data.one_view_per_feature(rows), y, share, rng)

    caches = (_trials.artificial_trial, _trials._mixture, _trials._n_components)
    caches += (_trials.natural_trial, _trials.natural_kernels)
    monkeypatch.setattr(_trials, "DRAWS", dict.fromkeys(_trials.DRAWS, drawn))
    monkeypatch.setattr(_trials, "naturally_incomplete", lambda name, folder: _natural(name))
    for one in caches:
        one.cache_clear()
    for name in load_experiment("williams2005").paper.data:
        (tmp_path / name).mkdir()
    yield DataFolder(tmp_path)
    for one in caches:
        one.cache_clear()


def _natural(name):
    made = gaps(0.3, n_classes=3, seed=len(name))
    return _data.Objects(made.rows, made.y)


def test_a_trial_knows_its_methods(generated):
    share, seed = 0.5, 4
    found = _trials.artificial_trial("ionosphere", share, seed, "")
    assert set(found.auc) == set(METHODS)
    assert set(found.distance) == set(ESTIMATED)
    whole = _trials.artificial_trial("ionosphere", 0.0, seed, "").auc
    assert whole == pytest.approx(dict.fromkeys(METHODS, whole[COMPLETE]))
    assert found.distance[CONDITIONAL] < found.distance[UNCONDITIONAL]
    _trials.artificial_trial.cache_clear()
    assert _trials.artificial_trial("ionosphere", share, seed, "") == found
    assert _trials.artificial_trial("ionosphere", share, seed + 1, "").auc != found.auc


def test_readings_share_a_mixture_and_nothing_else(generated):
    one, two = (
        _trials.artificial_trial("ionosphere", 0.5, 0, "", Choices(width=width))
        for width in (1.0, 0.25)
    )
    assert _trials._mixture.cache_info().misses == 1
    assert one.distance[PROPOSED] < two.distance[PROPOSED]
    _trials.artificial_trial("ionosphere", 0.5, 0, "", Choices(n_components=3))
    assert _trials._mixture.cache_info().misses == 2


def test_natural_gaps_are_compared_once(generated):
    trials = [_trials.natural_trial("3sources", seed, "") for seed in range(3)]
    assert _trials.natural_kernels.cache_info().misses == 1
    assert all(set(trial) == set(ESTIMATED) for trial in trials)
    assert trials[0] != trials[1]


def test_tables_are_filled_as_far_as_their_trials_go(generated, monkeypatch):
    monkeypatch.setattr(
        williams2005, "TRIALS", dict.fromkeys(tables.TRIALS, 1) | {"2": 3, "figure-1a": 2}
    )
    found = {
        key: williams2005.run(key, seeds=range(3), data=generated, progress=silent)
        for key in ("figure-1a", "figure-2", "2", "claims")
    }
    auc = found["figure-1a"].values
    assert np.isnan(auc[2]).all()
    assert not np.isnan(auc[:2]).any()
    assert found["figure-1a"].notes == ("Measured for the first 2 seeds.",)
    natural = found["2"].values
    assert np.isnan(natural[:, :2]).all()
    assert ((natural[:, 2:] > 0.5) & (natural[:, 2:] <= 1.0)).all()
    assert found["2"].notes == ()
    claims = found["claims"].values
    assert (claims == claims[0]).all()
    above = np.mean(auc[:2].mean(axis=0)[:, 1] > auc[:2].mean(axis=0)[:, 2])
    assert claims[0, 0, 0] == above


@pytest.fixture(scope="module")
def kept():
    if not KEPT.exists():
        pytest.skip("nothing is kept of this paper")
    return {table["key"]: table for table in json.loads(KEPT.read_text())["tables"]}


def _means(table, column):
    return np.array([cell["mean"] for cell in table["cells"] if cell["column"] == column], float)


def test_what_was_kept_is_what_the_tables_are(kept, experiment):
    assert set(kept) == {table.key for table in experiment.paper.tables}
    for table in experiment.paper.tables:
        cells = [(cell["row"], cell["column"]) for cell in kept[table.key]["cells"]]
        assert cells == [(row, column) for row in table.rows for column in table.columns]
        for cell in kept[table.key]["cells"]:
            assert cell["published"] == table.published(cell["row"], cell["column"])
            measured = sum(value is not None for value in cell["values"])
            is_mine = cell["row"] in tables.MINES
            assert measured == (0 if is_mine else tables.TRIALS.get(table.key, 100))


@pytest.mark.parametrize("suffix", tables.SUFFIXES)
def test_claims_that_were_kept_follow_from_the_figures_that_were_kept(kept, suffix):
    def curves(key, columns, last=0):
        return {column: _means(kept[key + suffix], column)[-last:] for column in columns}

    known = _claims.Evidence(
        curves("figure-1a", METHODS),
        curves("figure-1b", ESTIMATED),
        curves("figure-2", METHODS),
        curves("2", ESTIMATED, last=2),
    )
    said = {cell["row"]: cell["mean"] for cell in kept["claims" + suffix]["cells"]}
    assert said == pytest.approx({claim: holds(known) for claim, holds in _claims.CLAIMS.items()})


@pytest.mark.parametrize("suffix", tables.SUFFIXES)
def test_claims_that_do_not_hold_have_a_reason(kept, suffix):
    for cell in kept["claims" + suffix]["cells"]:
        assert cell["reason"] != "unexplained", cell["row"]


@needs_data
def test_radar_returns_lose_features_one_by_one():
    folder = os.environ["MANYVIEWS_DATA"]
    objects = _data.ionosphere(0.9, np.random.default_rng(0), folder)
    assert objects.rows.shape == (351, 34)
    assert np.isnan(objects.rows).sum() == round(0.9 * 351 * 34)
    found = _trials.artificial_trial("ionosphere", 0.9, 0, folder, Choices(n_components=1))
    assert found.auc[COMPLETE] > 0.9 > found.auc[PROPOSED] > 0.55


@needs_data
@pytest.mark.parametrize(
    ("name", "n_incomplete", "n_columns"), [("tcga_breast", 70, 30), ("3sources", 247, 30)]
)
def test_gaps_that_nobody_made_are_there(name, n_incomplete, n_columns):
    objects = _data.naturally_incomplete(name, os.environ["MANYVIEWS_DATA"])
    assert objects.rows.shape[1] == n_columns
    assert np.isnan(objects.rows).any(axis=1).sum() == n_incomplete
    assert objects.complete is None


@needs_data
def test_a_table_of_the_command(experiment):
    data = DataFolder(os.environ["MANYVIEWS_DATA"])
    report = run_experiment(experiment, data=data, tables=["2"], seeds=range(1))
    ours = {(cell.row, cell.column): cell.mean for cell in report.cells}
    assert ours["land mines, area A", PROPOSED] is None
    assert 0.9 < ours["tcga_breast", PROPOSED] <= 1.0
    assert any(name.startswith("3sources") for name in report.checksums)
