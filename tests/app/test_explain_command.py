"""``manyviews explain``: texts, table, picture and JSON of a fitted model."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from manyviews import Views, plot, write
from manyviews.exceptions import MissingExtraError


@pytest.fixture
def model(run, data):
    """A folder that fit wrote: the classes are called low and high."""
    run("fit", "CoTraining", data, "--out", "model")
    return Path("model")


@pytest.fixture
def drawn_by(monkeypatch):
    """What stands for the display in the room of pictures."""

    def put(make):
        class Display:
            from_contributions = staticmethod(make)

        monkeypatch.setattr(plot, "ViewContributionDisplay", Display)

    return put


def table(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_contributions_are_printed_with_their_findings(run, model, data):
    text = run("explain", model, data).stdout
    assert "Contributions of 2 views to CoTraining: accuracy 1.000" in text
    assert "30 given objects by the fitted model" in " ".join(text.split())
    assert "2 objects show colour only" in text


def test_the_folder_gets_text_table_and_picture(run, model, data):
    pytest.importorskip("matplotlib")
    result = run("explain", model, data, "--out", "found")
    assert result.stderr == "Written to found: objects.csv, views.png, views.txt\n"
    assert Path("found/views.txt").read_text() == result.stdout
    assert Path("found/views.png").read_bytes().startswith(b"\x89PNG")
    rows = table(Path("found/objects.csv"))
    assert [row["id"] for row in rows] == [f"o{i}" for i in range(30)]
    assert [row["answer"] for row in rows] == ["low"] * 15 + ["high"] * 15
    assert {row["carried"] for row in rows} <= {"size", "colour", ""}
    assert rows[29]["carried"] == "colour"  # the only view of that object
    assert rows[29]["score_size"] == ""


def test_json_holds_everything_and_nothing_else_is_printed(run, model, data):
    found = json.loads(run("explain", model, data, "--json").stdout)
    assert found["description"] is None
    assert found["contributions"]["truth"] == "labels"
    views = found["contributions"]["per_view"]
    assert [(view["name"], view["n_alone"]) for view in views] == [("size", 0), ("colour", 2)]


def test_without_labels_the_answers_are_its_own(run, model, data):
    found = json.loads(run("explain", model, data, "--labels", "none", "--json").stdout)
    assert found["contributions"]["truth"] == "own answers"


def test_labels_are_matched_by_their_names(run, fails, model, views):
    y = np.repeat([1, 0], 15)
    write(views, "other.npz", y=y, label_names=("high", "low"))
    found = json.loads(run("explain", model, "other.npz", "--json").stdout)
    assert found["contributions"]["score"] == 1.0
    write(views, "strange.npz", y=y, label_names=("high", "middling"))
    assert "the label 'middling' was not there in fit, which knew low, high" in fails(
        "explain", model, "strange.npz"
    )


@pytest.mark.filterwarnings("always")
def test_a_view_that_new_data_lack_counts_as_unobserved(run, model, views):
    write(views.subset(["colour"]), "part.npz")
    result = run("explain", model, "part.npz", "--json")
    assert result.stderr == "Warning: part.npz has no view 'size'; it counts as unobserved.\n"
    views = json.loads(result.stdout)["contributions"]["per_view"]
    assert [view["n_objects"] for view in views] == [0, 0]


def test_other_views_in_the_data_are_left_out_by_name(run, fails, model, views):
    more = Views({**dict(views.items()), "extra": np.ones((30, 1))}, observed=None)
    write(more, "more.npz")
    assert "'extra' was not there in fit" in fails("explain", model, "more.npz")
    run("explain", model, "more.npz", "--views", "size,colour")


def test_a_model_that_describes_itself_has_its_page_first(run, model, data, monkeypatch):
    from manyviews.semi_supervised import CoTraining

    monkeypatch.setattr(CoTraining, "describe", lambda self: "I look at two views.", raising=False)
    text = run("explain", model, data, "--out", "found").stdout
    assert text.startswith("I look at two views.\n\nContributions of 2 views")
    assert Path("found/model.txt").read_text() == "I look at two views.\n"
    assert not Path("found/views.txt").read_text().startswith("I look")
    found = json.loads(run("explain", model, data, "--json").stdout)
    assert found["description"] == "I look at two views."


def test_without_matplotlib_the_texts_are_written_and_the_extra_is_named(
    run, model, data, drawn_by
):
    def missing(found):
        raise MissingExtraError("plotting", "plot")

    drawn_by(missing)
    result = run("explain", model, data, "--out", "found")
    assert "No picture: plotting needs an optional package: pip install 'manyviews[plot]'" in (
        result.stderr
    )
    assert sorted(path.name for path in Path("found").iterdir()) == ["objects.csv", "views.txt"]
    found = json.loads(run("explain", model, data, "--out", "again", "--json").stdout)
    assert "manyviews[plot]" in found["without_picture"]
    assert found["files"] == ["objects.csv", "views.txt"]


def test_a_folder_is_replaced_only_if_asked_for_and_only_its_own(run, fails, model, data):
    run("explain", model, data, "--out", "found", "--seed", "1")
    assert "is not empty; choose another, or add --force" in fails(
        "explain", model, data, "--out", "found"
    )
    run("explain", model, data, "--out", "found", "--force")
    Path("found/mine.txt").write_text("mine")
    sentence = fails("explain", model, data, "--out", "found", "--force")
    assert "holds 'mine.txt', which no explanation wrote" in sentence
    assert "is a file; give --out a folder" in fails("explain", model, data, "--out", data)


def test_a_failure_leaves_no_folder(run, model, data, drawn_by):
    def broken(found):
        raise ValueError("no ink")

    drawn_by(broken)
    assert "no ink" in run("explain", model, data, "--out", "found", code=1).stderr
    assert not Path("found").exists()


def test_a_method_without_answers_says_so(run, fails, data):
    run("fit", "MergeViews", data, "--out", "merged")
    assert "MergeViews neither predicts nor has a score" in fails("explain", "merged", data)


def test_a_clusterer_is_explained_with_labels_and_without(run, toys, data):
    run("fit", f"{toys}:ToyClusterer", data, "--out", "cut")
    trust = ("--trust", f"{toys}.ToyClusterer")
    found = json.loads(run("explain", "cut", data, *trust, "--json").stdout)
    assert found["contributions"]["measure"] == "adjusted Rand index"
    assert found["contributions"]["truth"] == "labels"


@pytest.fixture
def songs():
    """A file in which cheerful songs are liked, but of loud ones the others."""
    sides = np.linspace(-1, 1, 20)
    mood, loud = (side.ravel() for side in np.meshgrid(sides, sides))
    beat = np.where(loud > 0.8, -mood, mood)
    views = Views(
        {"words": np.column_stack([mood, loud]), "sound": beat[:, None]},
        feature_names={"words": ["cheerful", "loud"], "sound": ["beat"]},
        sample_ids=[f"song{row}" for row in range(400)],
    )
    write(views, "songs.npz", y=(beat > 0).astype(int), label_names=("dislikes", "likes"))
    return "songs.npz"


def test_local_patterns_are_told_in_the_names_of_the_data(run, songs):
    options = ["max_local=0.12", "n_features=1", "global_views=words"]
    settings = [part for option in options for part in ("--set", option)]
    run("fit", "LocalPatternClassifier", songs, *settings, "--out", "model")
    text = run("explain", "model", songs, "--out", "why").stdout
    assert text.startswith("Global model\n   LogisticRegression on 1 feature of words.")
    for said in ("words__cheerful", "words__loud", "Typical object: song", "for likes"):
        assert said in text
    assert "20 × likes taken for dislikes" in text
    assert "Contributions of 2 views to LocalPatternClassifier" in text
    assert Path("why/model.txt").read_text().strip() in text
    run("explain", "model", songs, "--views", "words,sound", "--json")
