"""retrieve: words and objects find what the retriever in the folder finds, or one sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from manyviews import Views, datasets, write
from manyviews.app.model import load_model

SPACE = ("--set", "embedding=KernelCCA()", "--set", "embedding.n_components=10")


@pytest.fixture
def corpus():
    views = datasets.make_bilingual_topics(120, random_state=0).views
    return Views(views, sample_ids=[f"doc{row:03}" for row in range(120)])


@pytest.fixture
def model(run, corpus, tmp_path):
    """A folder with a retriever that has learnt from the first hundred documents."""
    write(corpus[:100], tmp_path / "known.npz")
    run("fit", "CrossViewRetriever", "known.npz", *SPACE, "--out", "model")
    return tmp_path / "model"


def document(result):
    return json.loads(result.stdout)


def ids(answer):
    return [hit["id"] for hit in answer["found"]]


def test_words_find_what_the_model_finds(run, model):
    answer = document(run("retrieve", model, "--query", "Salmon boat", "--k", 3, "--json"))
    expected = load_model(model / "model.skops").query_words("Salmon boat", "en", k=3)
    (query,) = answer["queries"]
    assert answer["n_indexed"] == 100
    assert (query["query"], query["view"]) == ("Salmon boat", "en")
    assert ids(query) == expected.ids[0].tolist()
    assert [hit["rank"] for hit in query["found"]] == [1, 2, 3]
    assert [hit["score"] for hit in query["found"]] == expected.scores[0].tolist()


def test_people_see_a_table_for_each_query(run, model):
    shown = run("retrieve", model, "--query", "salmon boat", "--query", "école").stdout
    assert "salmon boat (en)" in shown
    assert "école (fr)" in shown  # the language that knows the word
    assert shown.count("rank") == shown.count("score") == 2
    assert shown.count("doc") == 10


def test_a_word_can_be_said_to_be_of_a_view(run, fails, model):
    (query,) = document(run("retrieve", model, "--query", "port", "--view", "fr", "--json"))[
        "queries"
    ]
    assert query["view"] == "fr"
    assert "no word of the query 'port' is known in view 'en'" in fails(
        "retrieve", model, "--query", "port", "--view", "en"
    )


def test_objects_of_a_file_are_queries(run, model, corpus, tmp_path):
    write(corpus[[4, 110]], tmp_path / "new.npz")
    queries = document(run("retrieve", model, "--data", "new.npz", "--k", 2, "--json"))["queries"]
    assert [query["query"] for query in queries] == ["doc004", "doc110"]
    assert queries[0]["view"] is None
    assert ids(queries[0])[0] == "doc004"
    expected = load_model(model / "model.skops").query(corpus[[4, 110]], k=2)
    assert [ids(query) for query in queries] == expected.ids.tolist()
    only = document(
        run("retrieve", model, "--data", "new.npz", "--view", "fr", "--k", 2, "--json")
    )["queries"]
    expected = load_model(model / "model.skops").query({"fr": corpus["fr"][[4, 110]]}, k=2)
    assert [ids(query) for query in only] == expected.ids.tolist()


def test_objects_of_another_file_are_searched(run, model, corpus, tmp_path):
    write(corpus[100:], tmp_path / "other.npz")
    words = ("retrieve", model, "--query", "salmon boat", "--index", "other.npz", "--json")
    for target in ((), ("--target", "fr")):
        answer = document(run(*words, *target))
        assert answer["n_indexed"] == 20
        search = load_model(model / "model.skops")
        search.index(corpus[100:].subset(target[1:]) if target else corpus[100:])
        expected = search.query_words("salmon boat", "en", k=5)
        assert ids(answer["queries"][0]) == expected.ids[0].tolist()


def test_a_file_of_one_language_is_enough(run, model, corpus, tmp_path):
    write(corpus[100:].subset(["fr"]), tmp_path / "french.npz")
    result = run("retrieve", model, "--data", "french.npz", "--index", "french.npz", "--k", 1)
    assert result.stderr == ""
    assert result.stdout.count("doc100") == 2  # asked and found


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 2, "give either --query with words or --data"),
        (("--query", "fish", "--data", "known.npz"), 2, "give either --query with words or --data"),
        (("--query", "fish", "--target", "fr"), 2, "--target says by which view"),
        (("--query", "zebra"), 1, "no word of the query 'zebra' is known in any view (en, fr)"),
        (("--query", "fish", "--view", "de"), 1, "there is no view 'de'"),
        (("--data", "none.npz"), 1, "none.npz"),
        (("--data", "known.npz", "--view", "de"), 1, "there is no view 'de'"),
        (("--data", "stranger.npz"), 1, "has none of the views of the model (en, fr) but other"),
        (("--query", "fish", "--k", "0"), 2, ""),
    ],
)
def test_what_cannot_be_searched_is_one_sentence(run, fails, model, words, code, message):
    write(Views({"other": np.eye(3)}), "stranger.npz")
    if message:
        assert message in fails("retrieve", model, *words, code=code)
    else:
        run("retrieve", model, *words, code=code)


def test_words_mean_nothing_where_features_have_no_names(run, fails, tmp_path):
    rng = np.random.default_rng(0)
    write(Views({"a": rng.normal(size=(20, 4)), "b": rng.normal(size=(20, 4))}), "plain.npz")
    run("fit", "CrossViewRetriever", "plain.npz", "--out", "plain")
    assert "ask by objects with --data" in fails("retrieve", "plain", "--query", "fish")
    assert run("retrieve", "plain", "--data", "plain.npz", "--k", 1).stdout.count("rank") == 20


def test_a_model_that_does_not_search_says_so(run, fails, model):
    run("fit", "PerView", "known.npz", "--out", "plain")
    assert "holds a PerView, which does not search" in fails("retrieve", "plain", "--query", "fish")
    assert "no config.json" in fails("retrieve", ".", "--query", "fish")


@pytest.mark.filterwarnings("default:french.npz has no view")
def test_a_classifier_across_views_is_fitted_and_predicts_from_one(run):
    dataset = datasets.make_bilingual_topics(120, random_state=0)
    write(dataset.views[:80], "known.npz", y=dataset.y[:80], label_names=dataset.label_names)
    write(dataset.views[80:].subset(["fr"]), "french.npz")
    inner = ("--set", "estimator=LinearSVC()", "--set", "estimator.C=0.5")
    run("fit", "CrossViewClassifier", "known.npz", *SPACE, *inner, "--out", "classes")
    fitted = load_model("classes/model.skops")
    assert (fitted.embedding_.n_components, fitted.estimator_.C) == (10, 0.5)
    rows = run("predict", "classes", "french.npz").stdout.splitlines()
    topics = [row.split(",")[1] for row in rows[1:]]
    truth = [dataset.label_names[code] for code in dataset.y[80:]]
    assert np.mean(np.array(topics) == np.array(truth)) > 0.7
