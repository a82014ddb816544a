"""Tables are typed right, splits keep debates and acts apart, shortcuts equal the estimators."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import average_precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer
from sklearn.svm import SVC

from manyviews import datasets
from manyviews.embed import CrossViewClassifier, CrossViewRetriever, KernelCCA
from manyviews.maths import to_dense
from papers._frame import DataFolder, load_experiment, silent
from papers.fortuna2005 import LAYERS
from papers.fortuna2005 import classification as classification
from papers.fortuna2005 import data as texts
from papers.fortuna2005 import derived as derived
from papers.fortuna2005 import published as published
from papers.fortuna2005 import retrieval as retrieval
from papers.fortuna2005 import spaces as spaces

KEPT = Path(__file__).parents[2] / "papers" / "found" / "fortuna2005.json"
needs_data = pytest.mark.skipif(
    not os.environ.get("MANYVIEWS_DATA"), reason="MANYVIEWS_DATA names no data folder"
)


@pytest.fixture(scope="module")
def experiment():
    return load_experiment("fortuna2005")


@pytest.fixture(scope="module")
def topical():
    """Two hundred pairs of counts in two languages, each row at unit length, and their topics."""
    data = datasets.make_bilingual_topics(200, random_state=0)
    rows = {name: spaces.unit(to_dense(data.views[name]).astype(float)) for name in ("en", "fr")}
    return rows, data.y


@pytest.mark.parametrize(
    ("table", "row", "column", "value"),
    [
        ("1", "French words", "ARTIFICIAL", 55425),
        ("2", "EN - EN", "5 keywords, Top1", 96),
        ("3", "human 1200", "EN-FR Top1", 66),
        ("3", "artificial 400", "FR-EN Top10", 87),
        ("4", "human 400", "FR-FR Top1", 90),
        ("4", "artificial 1200", "EN-EN Top10", 100),
        ("mates", "artificial 800", "EN-FR Top1", 96),
        ("7", "400 EN-EN", "mean, Hansard", 43.75),
        ("7", "800 FR-FR", "mean, artificial", 76.75),
        ("7", "800 FR-FR", "tax, artificial", None),
        ("6", "FRENCH", "mean", 81.25),
    ],
)
def test_published_numbers_are_those_of_the_paper(experiment, table, row, column, value):
    assert experiment.paper.table(table).published(row, column) == value


def test_every_table_is_measured(experiment):
    assert {table.key for table in experiment.paper.tables} == set(LAYERS)


def test_differences_of_the_published_tables_are_those_of_the_text():
    rows = dict(zip(derived.RETRIEVAL_ROWS, derived.published_differences(), strict=True))
    said = {"5 keywords across, Top1": 8, "10 keywords across, Top1": 7}
    said |= {"5 keywords across, Top10": 5, "10 keywords across, Top10": 2}
    for name, points in said.items():
        assert np.mean(rows[name]) == pytest.approx(points, abs=0.7)


def test_claims_hold_for_the_numbers_of_the_paper():
    human, artificial = (_published_shares(number) for number in (0, 1))
    evidence = derived.Evidence(human, artificial, published.TABLE_6, published.TABLE_7)
    assert [claim for claim, holds in derived.CLAIMS.items() if not holds(evidence)] == []


def _published_shares(corpus: int) -> dict[int, retrieval.Shares]:
    name = ("human", "artificial")[corpus]
    shares = {}
    for place, size in enumerate(retrieval.DIMENSIONS):
        found = {
            ((None, *way), top): published.MATES_TOP_1[name] if top == 1 else 100.0
            for way in retrieval.ACROSS
            for top in retrieval.TOPS
        }
        for count, table in published.KEYWORDS.items():
            columns = [(way, top) for way in retrieval.WAYS for top in retrieval.TOPS]
            for (way, top), value in zip(columns, table[3 * corpus + place], strict=True):
                found[(count, *way), top] = value
        shares[size] = retrieval.Shares(found)
    return shares


@settings(deadline=None, max_examples=30)
@given(
    groups=st.lists(st.integers(0, 8), min_size=9, max_size=60),
    sizes=st.lists(st.integers(1, 10), min_size=1, max_size=2),
    seed=st.integers(0, 50),
)
def test_no_group_is_in_two_parts(groups, sizes, seed):
    _, own = np.unique(groups, return_inverse=True)
    parts = texts.split_by_group(own, sizes, seed)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(own)))
    known = [set(own[part].tolist()) for part in parts]
    assert sum(map(len, known)) == len(set().union(*known))
    for part, size, rest in zip(parts, sizes, parts[1:], strict=False):
        assert len(part) >= size or len(rest) == 0


def test_topics_are_words_of_the_title():
    titles = np.array(["Bank Act", "Embankment Act", "Canada Marine Act", "Fish Tax Act"])
    expected = [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 0]]
    assert texts.topics_of(titles).astype(int).tolist() == expected


def test_neighbours_are_joined_within_their_debate():
    known = {"en": np.array(list("abcdefg"), dtype=object)}
    made, groups = texts.joined(known, np.array([0, 0, 0, 1, 1, 1, 1]), 2)
    assert made["en"].tolist() == ["a b", "d e", "f g"]
    assert groups.tolist() == [0, 1, 1]


def test_no_pair_of_an_artificial_corpus_is_written_on_both_sides():
    class Shout:
        def translate_ab(self, given):
            return [f"{text}>" for text in given]

        def translate_ba(self, given):
            return [f"<{text}" for text in given]

    known = {own: np.array([f"{own}{i}" for i in range(9)], dtype=object) for own in ("en", "fr")}
    made = spaces.half_translated(known, Shout(), 1)
    kept = {own: made[own] == known[own] for own in known}
    assert (kept["en"] != kept["fr"]).all()
    assert kept["en"].sum() == 5
    for row in np.flatnonzero(kept["en"]):
        assert made["fr"][row] == f"en{row}>"
    for row in np.flatnonzero(kept["fr"]):
        assert made["en"][row] == f"<fr{row}"


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 100), top=st.integers(1, 6))
def test_shares_break_ties_by_chance(seed, top):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, (5, 5)).astype(float)
    hits = []
    for row in range(5):
        order = np.sort(scores[row])[::-1]
        places = np.flatnonzero(order == scores[row, row])
        hits.append(np.mean(places < top))
    assert retrieval.share_found(scores, top) == pytest.approx(100.0 * np.mean(hits))


@pytest.mark.parametrize("size", [4, 12])
@pytest.mark.parametrize("n_keywords", [None, 5])
def test_leading_dimensions_find_what_the_retriever_finds(topical, size, n_keywords):
    rows, _ = topical
    pairs = {own: known[:120] for own, known in rows.items()}
    new = {own: known[120:] for own, known in rows.items()}
    space = spaces.learn_space(pairs, 12, cholesky_tol=0.2)
    found = retrieval.keyword_shares(space, new, (4, 12))[size]
    search = CrossViewRetriever(KernelCCA(size, cholesky_tol=0.2)).fit(pairs)
    expected = search.top_n_accuracy(new, "en", "fr", n_keywords=n_keywords)
    for top, share in expected.items():
        assert found.of((n_keywords, "en", "fr"), top) == pytest.approx(100.0 * share)


def test_directions_rank_as_the_classifier_does(topical):
    rows, y = topical
    pairs = {own: known[:80] for own, known in rows.items()}
    space = spaces.learn_space(pairs, 10)
    topics = np.column_stack([y == 0, y == 1])
    points = spaces.unit(space.place({"en": rows["en"][:150]})["en"])
    places = spaces.unit(space.place({"fr": rows["fr"][150:]})["fr"])
    ours = classification.average_precisions(
        places @ classification.directions(points, topics[:150]), topics[150:]
    )
    machine = make_pipeline(Normalizer(), SVC(kernel="linear", C=1.0))
    for column, value in enumerate(ours):
        model = CrossViewClassifier(FrozenEstimator(space.model), machine)
        model.fit({"en": rows["en"][:150]}, topics[:150, column].astype(int))
        scores = model.decision_function({"fr": rows["fr"][150:]})
        expected = 100.0 * average_precision_score(topics[150:, column], scores)
        assert value == pytest.approx(expected, abs=0.5)
    assert min(ours) > 50.0


def test_laws_are_split_by_act_and_their_languages_are_disjoint(monkeypatch):
    monkeypatch.setattr(texts, "N_LABELLED", 20)
    acts = np.repeat(np.arange(12), 10)
    known = texts.Laws({}, acts, np.zeros((120, 4), dtype=bool))
    for seed in range(3):
        split = texts.split_laws(known, seed)
        english, french = split.labelled.values()
        assert len(english) == len(french) == 20
        assert not set(english) & set(french)
        assert not set(acts[split.test]) & {*acts[english], *acts[french]}


@needs_data
def test_no_debate_is_on_two_sides():
    known = texts.debates(os.environ["MANYVIEWS_DATA"])
    sides = [set(known.debates[rows].tolist()) for rows in (known.test, known.part, known.rest)]
    assert sum(map(len, sides)) == len(set().union(*sides))
    assert len(known.test) == 896


@needs_data
def test_baseline_is_found_in_the_space_of_words(experiment):
    folder = DataFolder.locate()
    found = experiment.run("2", seeds=range(1), data=folder, progress=silent).values[0]
    assert (found[:, [1, 3]] == 100).all()
    assert found.min() > 96


def test_kept_report_is_of_these_tables_and_every_difference_has_its_reason(experiment):
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    assert kept["seeds"] == list(range(experiment.paper.seeds))
    assert [table["key"] for table in kept["tables"]] == [
        table.key for table in experiment.paper.tables
    ]
    for table in kept["tables"]:
        known = experiment.paper.table(table["key"])
        assert {cell["row"] for cell in table["cells"]} == set(known.rows)
        assert not [cell for cell in table["cells"] if cell["reason"] == "unexplained"]


def test_kept_report_shows_what_was_asked_for():
    tables = {table["key"]: table for table in json.loads(KEPT.read_text())["tables"]}
    exact = {(c["row"], c["column"]): c["mean"] for c in tables["exact"]["cells"]}
    for split in ("documents at random", "by debate"):
        for way in ("EN-FR", "FR-EN"):
            assert exact[split, f"0.4, {way}"] > exact[split, f"exact, {way}"] - 1.0
    topics = {c["row"]: c["mean"] for c in tables["7-differences"]["cells"]}
    assert topics["artificial - Hansard, 800"] > 0
