"""The commands that show something: methods, info, diagnose, datasets, demo."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from manyviews import Views, datasets, read, write
from manyviews.app.cli import demo as demo_module
from manyviews.app.cli.docstrings import papers, read_docstring
from manyviews.app.cli.frame import cell, plain
from manyviews.registry import estimators


def document(result):
    return json.loads(result.stdout)


def test_methods_lists_every_exported_estimator(run):
    rooms = document(run("methods", "--json"))
    assert [m["name"] for room in rooms.values() for m in room] == list(estimators())
    assert all(m["purpose"].endswith(".") for room in rooms.values() for m in room)
    text = run("methods").stdout
    assert all(name in text for name in estimators())
    assert "compose" in text.splitlines()[0]


def test_a_method_is_described_from_signature_and_docstring(run):
    method = document(run("methods", "MergeViews", "--json"))
    fill, indicator, _balance = method["parameters"]
    assert (fill["name"], fill["type"], fill["default"]) == (
        "fill",
        '{"mean", "zero", "nan"}',
        "mean",
    )
    assert fill["may_be"] == "'mean', 'zero', or 'nan'"
    assert indicator["default"] is False
    assert "one column per view" in indicator["description"]
    assert method["takes"]["unobserved_views"] is True
    assert [a["name"] for a in method["attributes"]] == ["scales_", "means_", "layout_"]
    shown = run("methods", "MergeViews").stdout
    assert "Takes 1 or more views; unobserved views, sparse views, missing cells too." in shown
    assert "True or False" in shown
    assert "After fitting" in shown


def test_a_method_is_described_use_first_and_mathematics_last(run):
    method = document(run("methods", "CoTraining", "--json"))
    assert "\nObjective\n" not in method["text"]
    assert method["notes"].startswith("Objective\n")
    shown = run("methods", "CoTraining").stdout
    assert shown.index("After fitting") < shown.index("\nObjective\n")


def test_a_method_is_described_in_plain_text_with_pythons_words(run):
    shown = run("methods", "HybridTree").stdout
    assert ":class:" not in shown
    assert "``" not in shown
    assert "None" in shown
    assert "null" not in shown


def test_a_third_partys_method_is_described_too(run, toys):
    method = document(run("methods", f"{toys}:ToyClusterer", "--json"))
    assert method["papers"] == ["toy2020"]
    assert method["kind"] == "clusterer"
    assert method["parameters"][0]["description"] == "How many, which is two."
    assert method["takes"]["min_views"] == 2
    required = document(run("methods", f"{toys}:Transductive", "--json"))["parameters"][0]
    assert required["required"] is True
    assert "no missing cells" in run("methods", f"{toys}:ToyClusterer").stdout
    assert "required" in run("methods", f"{toys}:Transductive").stdout
    run("methods", "sklearn.cluster:KMeans")


def test_an_unknown_method_gets_a_suggestion(fails):
    assert "did you mean 'SplitViews'" in fails("methods", "splitview", code=2)


def test_docstrings_are_cut_into_sections():
    doc = read_docstring(
        """Do it
        well.

        More words.

        Parameters
        ----------
        a, b : int
            Numbers,
            both.
        *rest
            Others.

        Returns
        -------
        int
        """
    )
    assert doc.purpose == "Do it well."
    assert doc.text == "Do it\nwell.\n\nMore words."
    entries = doc.entries("Parameters")
    assert list(entries) == ["a", "b", "rest"]
    assert entries["b"].description == "Numbers, both."
    assert read_docstring(None).purpose == ""
    assert papers(dict) == []


def test_info_counts_labels_and_patterns(run, data):
    found = document(run("info", data, "--json"))
    assert (found["n_objects"], found["n_features"], found["has_ids"]) == (30, 5, True)
    assert [view["name"] for view in found["views"]] == ["size", "colour"]
    assert found["views"][0]["observed"] == pytest.approx(28 / 30)
    assert found["labels"] == {
        "n_labelled": 28,
        "n_unlabelled": 2,
        "classes": [{"label": "low", "n_objects": 14}, {"label": "high", "n_objects": 14}],
    }
    assert {e["name"]: e["shape"] for e in found["extra"]} == {"other": [30], "table": [30, 2]}
    assert found["patterns"] == [
        {"views": ["size", "colour"], "n_objects": 28},
        {"views": ["colour"], "n_objects": 2},
    ]
    text = run("info", data).stdout
    for words in (
        "93.3%",
        "2 classes, 28 objects labelled, 2 not",
        "30 × 2",
        "Patterns of presence",
    ):
        assert words in text


def test_info_without_labels_and_gaps(run, tmp_path):
    write(Views({"[bold]a": np.eye(3)}), tmp_path / "plain.npz")
    text = run("info", "plain.npz").stdout
    assert "No labels." in text
    assert "Every object is seen in the same views." in text
    assert "[bold]a" in text


def test_long_lists_are_cut_for_people_but_not_for_programs(run, tmp_path):
    observed = np.array([[bool(i >> bit & 1) for bit in range(5)] for i in range(1, 32)])
    views = Views({f"v{i}": np.ones((31, 1)) for i in range(5)}, observed=observed)
    write(views, tmp_path / "many.npz", y=np.arange(31))
    found = document(run("info", "many.npz", "--json"))
    assert len(found["patterns"]) == 31
    assert len(found["labels"]["classes"]) == 31
    text = run("info", "many.npz").stdout
    assert "15 more patterns" in text
    assert "1 more classes" in text


def test_info_refuses_other_files(fails):
    assert "absent.npz" in fails("info", "absent.npz")
    Path("text.npz").write_text("hello", encoding="utf-8")
    assert "text.npz" in fails("info", "text.npz", "--json")


@pytest.fixture
def two_views(tmp_path):
    dataset = datasets.make_kumar1(n_objects=90, random_state=0)
    write(dataset, tmp_path / "two.npz")
    return "two.npz"


def test_diagnose_says_it_in_words_and_as_data(run, fails, two_views):
    found = document(run("diagnose", two_views, "--json"))
    assert [view["name"] for view in found["per_view"]] == list(read(two_views).views.names)
    text = run("diagnose", two_views, "--plot", "picture.png").stdout
    assert found["findings"][0]["sentence"] in " ".join(text.split())
    assert Path("picture.png").read_bytes().startswith(b"\x89PNG")
    assert "end in one of" in fails("diagnose", two_views, "--plot", "picture.doc")
    unlabelled = document(run("diagnose", two_views, "--labels", "none", "--json"))
    assert unlabelled["joint"]["measure"] == "silhouette"


def test_datasets_are_listed_shown_and_exported(run, fails):
    found = document(run("datasets", "list", "--json"))
    assert [e["name"] for e in found["real"]] == [e.name for e in datasets.available()]
    assert "make_kumar1" in [e["name"] for e in found["made"]]
    assert "make_kumar1" in run("datasets", "list").stdout
    cora = document(run("datasets", "show", "cora", "--json"))
    assert cora["views"] == {"words": 1433, "cites": 2708}
    assert "cites" in run("datasets", "show", "cora").stdout
    assert "n_objects" in run("datasets", "show", "make_kumar1").stdout
    assert "did you mean 'cora'" in fails("datasets", "show", "corra", code=2)


def test_made_data_are_exported_with_parameters(run, fails):
    words = ("datasets", "export", "make_kumar1", "out.npz")
    found = document(run(*words, "--set", "n_objects=40", "--seed", 3, "--json"))
    assert found["n_objects"] == 40
    again = datasets.make_kumar1(n_objects=40, random_state=3)
    assert read("out.npz").views.equals(again.views)
    assert "exists already" in fails(*words)
    run(*words, "--force")
    assert "has no parameter 'n_object'" in fails(*words, "--force", "--set", "n_object=4", code=2)
    missing = ("datasets", "export", "make_correlated_views", "rho.npz")
    assert "needs a value for 'rho'" in fails(*missing, code=2)


def test_real_data_are_exported_or_explained(run, fails, tmp_path, monkeypatch):
    run("datasets", "export", "digits_views", "digits")
    assert len(read("digits").views) == 1797
    empty = ("--data", tmp_path)
    assert "MANYVIEWS_DATA" in fails("datasets", "export", "cora", "cora.npz", *empty)
    assert "leave out --set" in fails("datasets", "export", "cora", "c.npz", "--seed", 1, code=2)


@pytest.mark.data
def test_text_is_not_exported_as_views(run, fails):
    assert "is text" in fails("datasets", "export", "wnut17", "out.npz")
    found = document(run("datasets", "export", "3sources", "news.npz", "--json"))
    assert sum(p["n_objects"] for p in found["patterns"]) == found["n_objects"] == 416
    assert found["patterns"][0]["n_objects"] == 169


@pytest.fixture
def few_digits(monkeypatch):
    whole = datasets.load_digits_views()
    some = replace(whole, views=whole.views[:240], y=whole.y[:240])
    monkeypatch.setattr(datasets, "load_digits_views", lambda: some)


def test_the_demo_ends_with_pictures(run, few_digits):
    text = run("demo", "--out", "tour").stdout
    n_steps = len(demo_module.STEPS)
    for number in range(1, n_steps + 1):
        assert f"{number}/{n_steps}" in text
    pictures = [Path("tour/clusters.png"), Path("tour/diagnosis.png")]
    assert text.splitlines()[-2:] == [str(path) for path in pictures]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)


def test_the_demo_measures_what_it_says(run, few_digits, monkeypatch):
    monkeypatch.setattr(demo_module, "STEPS", demo_module.STEPS[:3])
    found = document(run("demo", "--json"))
    alone = {name: a for name, a in found["accuracy"].items() if name != demo_module.TOGETHER}
    assert list(alone) == ["pixels", "fourier", "profiles"]
    assert all(0.6 < accuracy < 1.0 for accuracy in alone.values())
    hidden = found["share_right_with_views_hidden"]
    assert hidden[demo_module.TOGETHER] > max(hidden[name] for name in alone)


def test_the_demo_clusters_by_every_view_and_beside_noise(run, few_digits, monkeypatch):
    monkeypatch.setattr(demo_module, "STEPS", [demo_module.cluster_the_digits])
    found = document(run("demo", "--json"))
    scores, noisy = found["adjusted_rand_index"], found["adjusted_rand_index_with_noise"]
    together = [demo_module.TOGETHER, demo_module.PLAIN, demo_module.BALANCED]
    assert list(scores) == ["pixels", "fourier", "profiles", *together]
    assert list(noisy) == together
    assert scores[demo_module.TOGETHER] > scores[demo_module.PLAIN]
    assert abs(noisy[demo_module.TOGETHER] - scores[demo_module.TOGETHER]) < 0.05
    assert noisy[demo_module.BALANCED] < scores[demo_module.BALANCED] - 0.1
    assert ["'noise' looks empty" in warning for warning in found["warnings"]] == [True]


@pytest.mark.parametrize(
    ("pixels", "said"),
    [
        (0.9, "Best is pixels alone, which nobody can know without labels; all views together"),
        (0.5, "Best is all together; all views together reach 0.80 (0.70 beside noise)"),
    ],
)
def test_the_demo_says_which_clustering_was_best(pixels, said):
    together, balanced = demo_module.TOGETHER, demo_module.BALANCED
    found = {"pixels": pixels, together: 0.8, balanced: 0.6}
    assert said in demo_module._what_clusters_show(found, {together: 0.7, balanced: 0.3})


def test_the_demo_learns_from_twenty_labels(run, few_digits, monkeypatch):
    monkeypatch.setattr(demo_module, "STEPS", [demo_module.learn_from_twenty_labels])
    found = document(run("demo", "--json"))["accuracy_with_twenty_labels"]
    assert list(found)[:4] == ["pixels", "fourier", "profiles", demo_module.TOGETHER]
    assert found["SpectralGraphTransducer"] > found[demo_module.TOGETHER]


def test_the_demo_without_matplotlib_says_so(run, monkeypatch, few_digits):
    from manyviews.exceptions import MissingExtraError

    def absent(make, path):
        raise MissingExtraError("plotting", "plot")

    monkeypatch.setattr("manyviews.app.cli.frame.draw", absent)
    monkeypatch.setattr(demo_module, "STEPS", demo_module.STEPS[3:])
    assert run("demo").stdout.count("No picture: plotting needs") == 2
    assert document(run("demo", "--json"))["pictures"] == {"clusters": None, "diagnosis": None}


def test_values_for_people_and_for_programs():
    assert cell(None) == cell(float("nan")) == "–"
    assert (cell(True), cell(12345), cell(0.123456)) == ("yes", "12,345", "0.1235")
    assert cell({"a": [1, 2]}) == "a 1, 2"
    assert plain({"x": np.inf, "y": {1}, "z": np.int64(3), "w": Path("p")}) == {
        "x": None,
        "y": [1],
        "z": 3,
        "w": "p",
    }


def test_a_column_taken_for_ids_is_said(run, tmp_path):
    folder = tmp_path / "people"
    folder.mkdir()
    (folder / "views.toml").write_text('[views.a]\nfile = "a.csv"\n', encoding="utf-8")
    (folder / "a.csv").write_text("patient_id,x\n7,1\n3,2\n5,4\n", encoding="utf-8")
    said = "the ids of view 'a' are taken from its column 'patient_id'"
    assert said in run("info", folder).output
    assert json.loads(run("info", folder, "--json").stdout)["notes"] == [said]
    assert f"Note: {said}." in run("diagnose", folder).stderr
