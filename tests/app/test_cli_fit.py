"""fit and predict: what is written, that it comes back, and that nothing is half done."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import sparse
from sklearn.metrics import normalized_mutual_info_score

from manyviews import PerView, Views, read, write
from manyviews.app.cli import cli
from manyviews.app.model import load_model
from manyviews.data import replaced_folder
from manyviews.data.io.atomic import Claim

PIPELINE = (
    "sklearn.pipeline:Pipeline",
    "--set",
    "steps=[[scale, PerView(StandardScaler())], [merge, MergeViews()], "
    "[classify, LogisticRegression()]]",
)


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def table(path):
    return rows_of(Path(path).read_text(encoding="utf-8"))


def content(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def test_a_clusterer_writes_labels_scores_config_and_model(run, toys, data):
    result = run("fit", f"{toys}:ToyClusterer", data, "--out", "out", "--seed", 4, "--json")
    summary = json.loads(result.stdout)
    files = ["config.json", "labels.csv", "model.skops", "scores.json"]
    assert sorted(path.name for path in Path("out").iterdir()) == files == summary["files"]
    rows = table("out/labels.csv")
    assert [row["id"] for row in rows[:2]] == ["o0", "o1"]
    assert [row["label"] for row in rows] == ["0"] * 15 + ["1"] * 15
    scores = content("out/scores.json")
    assert scores == summary["scores"]
    assert scores["objective"] == 1.5
    assert (scores["n_iter"], scores["converged"]) == (1, True)
    assert scores["view_weights"] == {"size": 1.0, "colour": 2.0}
    assert scores["label_counts"] == {"0": 15, "1": 15}
    assert scores["n_labelled"] == 28
    assert scores["normalized_mutual_information"] == pytest.approx(1.0)
    assert scores["adjusted_rand_index"] == pytest.approx(1.0)
    assert scores["cluster_entropy_bits"] == pytest.approx(0.0)


def test_the_configuration_tells_how_to_do_it_again(run, toys, data):
    run("fit", f"{toys}:ToyClusterer", data, "--out", "out", "--seed", 4)
    config = content("out/config.json")
    assert config["method"] == f"{toys}:ToyClusterer"
    assert config["kind"] == "clusterer"
    assert config["parameters"]["random_state"] == 4
    assert config["layout"] == {"names": ["size", "colour"], "widths": [3, 2]}
    assert config["trust"] == [f"{toys}.ToyClusterer"]
    assert len(config["data"]["sha256"]) == 64
    assert {"manyviews", "numpy", "scikit-learn"} <= set(config["versions"])


def test_what_a_method_prints_is_not_the_result(run, toys, data):
    result = run("fit", f"{toys}:ToyClusterer", data, "--out", "out", "--json")
    assert "talking" not in result.stdout
    assert "talking" in result.stderr


@pytest.mark.parametrize(("words", "got"), [((), False), (("--labels", "y"), True)])
def test_a_clusterer_learns_from_labels_only_when_told_to(run, toys, data, words, got):
    run("fit", f"{toys}:ToyClusterer", data, "--out", "out", *words)
    model = load_model("out/model.skops", trust=[f"{toys}.ToyClusterer"])
    assert model.got_labels_ is got


def test_clusters_are_scored_against_other_labels(run, toys, data):
    run("fit", f"{toys}:ToyClusterer", data, "--out", "out", "--labels", "other")
    expected = normalized_mutual_info_score(["a", "b", "c"] * 10, [0] * 15 + [1] * 15)
    assert content("out/scores.json")["normalized_mutual_information"] == pytest.approx(expected)
    run("fit", f"{toys}:ToyClusterer", data, "--out", "out2", "--labels", "none")
    assert "n_labelled" not in content("out2/scores.json")


def test_a_classifier_writes_names_and_probabilities(run, toys, data):
    run("fit", f"{toys}:ToyClassifier", data, "--out", "out")
    rows = table("out/labels.csv")
    assert list(rows[0]) == ["id", "label", "confidence", "probability_low", "probability_high"]
    assert [row["label"] for row in rows] == ["low"] * 15 + ["high"] * 15
    for row in rows:
        pair = float(row["probability_low"]), float(row["probability_high"])
        assert sum(pair) == pytest.approx(1.0)
        assert float(row["confidence"]) == max(pair)
    scores = content("out/scores.json")
    assert scores["training_accuracy_on_labelled"] == 1.0
    assert scores["n_labelled"] == 28
    assert scores["label_counts"] == {"high": 15, "low": 15}


@pytest.mark.parametrize("method", ["ToyClusterer", "ToyClassifier"])
def test_predicting_the_same_objects_gives_the_same_file(run, toys, data, method):
    run("fit", f"{toys}:{method}", data, "--out", "out")
    written = Path("out/labels.csv").read_text(encoding="utf-8")
    trust = ("--trust", f"{toys}.{method}")
    assert run("predict", "out", data, *trust).stdout == written
    run("predict", "out", data, *trust, "--out", "new.csv")
    assert Path("new.csv").read_text(encoding="utf-8") == written
    found = json.loads(run("predict", "out", data, *trust, "--json").stdout)
    assert [row[1] for row in found["rows"]] == [
        int(row["label"]) if row["label"].isdigit() else row["label"] for row in rows_of(written)
    ]


def test_a_method_without_predict_transforms(run, data, views):
    run("fit", "MergeViews", data, "--out", "out", "--set", "indicator=true")
    rows = table("out/coordinates.csv")
    assert list(rows[0])[-2:] == ["observed__size", "observed__colour"]
    text = run("predict", "out", data).stdout
    assert text == Path("out/coordinates.csv").read_text(encoding="utf-8")
    assert float(rows[3]["size__1"]) == views["size"][3, 1]
    assert rows[29]["observed__size"] == "0.0"


def test_views_come_out_by_view_and_feature(run, tmp_path):
    words = sparse.csr_array([[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]])
    views = Views(
        {"size": [[1.0], None, [3.5]], "text": words},
        observed={"text": np.array([True, True, False])},
        feature_names={"text": ["cat", "dog"]},
    )
    write(views, tmp_path / "data.npz")
    run("fit", "PerView", "data.npz", "--out", "out", "--set", "transformer.size=passthrough",
        "--set", "transformer.text=MaxAbsScaler()")  # fmt: skip
    assert Path("out/coordinates.csv").read_text(encoding="utf-8").splitlines() == [
        "id,size__0,text__cat,text__dog",
        "0,1.0,0.0,1.0",
        "1,,1.0,0.0",
        "2,3.5,,",
    ]
    assert content("out/config.json")["parameters"]["transformer"] == {
        "size": "passthrough",
        "text": "sklearn.preprocessing.MaxAbsScaler()",
    }


@pytest.mark.filterwarnings("default")
def test_scikit_learn_gets_labelled_objects_only(run, data):
    result = run("fit", *PIPELINE, data, "--out", "out")
    assert "Warning: LogisticRegression learns from labelled objects only; 2 of 30" in result.stderr
    rows = table("out/labels.csv")
    assert list(rows[0])[3:] == ["probability_low", "probability_high"]
    assert len(rows) == 30


def test_a_pipeline_of_scikit_learns_needs_labels_too(fails, data):
    words = ("fit", *PIPELINE, data, "--out", "out", "--labels", "none")
    assert "LogisticRegression learns from labels" in fails(*words)


def test_a_fit_is_repeated_from_its_own_configuration(run, data):
    words = ("--labels", "other", "--set", "classify.C=0.25", "--seed", 3)
    run("fit", *PIPELINE, data, "--out", "out", *words)
    run(
        "fit",
        PIPELINE[0],
        data,
        "--out",
        "again",
        "--labels",
        "other",
        "--config",
        "out/config.json",
    )
    assert content("again/config.json")["parameters"] == content("out/config.json")["parameters"]
    assert Path("again/labels.csv").read_bytes() == Path("out/labels.csv").read_bytes()


def test_a_transductive_method_writes_what_it_has_and_cannot_predict(run, fails, toys, data):
    run("fit", f"{toys}:Transductive", data, "--out", "out", "--set", "required=1")
    assert list(table("out/coordinates.csv")[0]) == ["id", "component0", "component1"]
    message = fails("predict", "out", data, "--trust", f"{toys}.Transductive")
    assert "neither predict nor transform" in message


def test_labels_from_a_csv_file(run, toys, data):
    Path("ids.csv").write_text("id,label\no20,up\no1,down\no5,\n", encoding="utf-8")
    run("fit", f"{toys}:ToyClassifier", data, "--out", "out", "--labels", "ids.csv")
    assert content("out/scores.json")["n_labelled"] == 2
    assert table("out/labels.csv")[29]["label"] == "up"
    run("fit", f"{toys}:ToyClassifier", data, "--out", "o4", "--labels", "out/labels.csv")
    assert content("o4/scores.json")["training_accuracy_on_labelled"] == 1.0


COLUMN = "x\n" * 15 + "y\n" * 14


@pytest.mark.parametrize(
    ("text", "n_labelled"),
    [
        (COLUMN + "y\n", 30),
        (COLUMN + "\n", 29),
        ("label\n" + COLUMN + "\n", 29),
        ("label\n" + COLUMN + "y\n\n\n", 30),
        ("species\n" + COLUMN + "y\n", 30),
    ],
)
def test_labels_from_one_column(run, toys, data, text, n_labelled):
    Path("column.csv").write_text(text, encoding="utf-8")
    run("fit", f"{toys}:ToyClassifier", data, "--out", "out", "--labels", "column.csv")
    scores = content("out/scores.json")
    assert scores["n_labelled"] == n_labelled
    assert scores["training_accuracy_on_labelled"] == 1.0
    assert set(scores["label_counts"]) == {"x", "y"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no rows"),
        ("a\nb\n", "2 labels for 30 objects"),
        ("z1,a\nz2,b\n", "labels none of the objects"),
        ("o1,a\no1,b\n", "'o1' twice"),
        ("o1,a\no2\n", "too few columns in row 2"),
        ("o1,a,b\n", "3 columns"),
        ('o1,"a', "cannot be read: it is no CSV"),
    ],
)
def test_label_files_that_cannot_be_used(fails, toys, data, text, says):
    Path("labels.csv").write_text(text, encoding="utf-8")
    words = ("fit", f"{toys}:ToyClassifier", data, "--out", "out", "--labels", "labels.csv")
    assert says in fails(*words)
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("option", "says", "code"),
    [
        ("othr", "did you mean 'other'?", 2),
        ("absent.csv", "no file 'absent.csv'", 1),
        ("table", "shape (30, 2)", 1),
    ],
)
def test_labels_that_are_not_there(fails, toys, data, option, says, code):
    words = ("fit", f"{toys}:ToyClassifier", data, "--out", "out", "--labels", option)
    assert says in fails(*words, code=code)


@pytest.mark.parametrize(
    ("words", "says", "code"),
    [
        (("ToyClusterer", "--set", "n_cluster=3"), "did you mean 'n_clusters'", 2),
        (("ToyClusterer", "--set", "n_clusters"), "write it as name=value", 2),
        (("ToyClusterer", "--set", "noise=Foo()"), "no class 'Foo'", 2),
        (("ToyClusterer", "--set", "n_clusters=3"), "n_clusters=3 should be 2", 1),
        (("MergeViews", "--set", "fill=median"), "fill='median' should be 'mean'", 2),
        (("ToyClusterer", "--views", "size"), "needs at least 2 views", 1),
        (("ToyClusterer", "--views", "size,weight"), "no view 'weight'", 1),
        (("ToyClassifier", "--labels", "none"), "learns from labels", 1),
        (("ToyClusterer", "--config", "absent.toml"), "absent.toml", 1),
        (("Transductive",), "needs a value for 'required'", 2),
        (("NOT_A_CLASS",), "no class 'NOT_A_CLASS'", 2),
    ],
)
def test_what_cannot_be_fitted_is_one_sentence_and_leaves_nothing(
    run, toys, data, tmp_path, words, says, code
):
    method, *rest = words
    result = run("fit", f"{toys}:{method}", data, "--out", "out", *rest, code=code)
    assert result.stdout == ""
    errors = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert says in errors[0]
    assert {path.name for path in tmp_path.iterdir()} == {"data.npz", "third_party"}


def test_an_unknown_method_and_an_absent_file(fails, data):
    assert "did you mean 'PerView'" in fails("fit", "PerViw", data, "--out", "out", code=2)
    assert "absent.npz" in fails("fit", "PerView", "absent.npz", "--out", "out")
    Path("bad.npz").write_bytes(b"not a zip")
    assert "bad.npz" in fails("fit", "PerView", "bad.npz", "--out", "out")


def test_a_wrong_value_is_told_before_the_data_are_read(fails):
    words = ("fit", "HyperplaneKNN", "absent.npz", "--out", "out", "--set", "penalty=-1")
    assert "penalty=-1 should be a number of at least 0" in fails(*words, code=2)


def test_an_existing_folder_is_replaced_only_by_force_and_only_if_ours(run, fails, data):
    run("fit", "PerView", data, "--out", "out")
    before = Path("out/config.json").read_bytes()
    assert "not empty" in fails("fit", "MergeViews", data, "--out", "out")
    assert Path("out/config.json").read_bytes() == before
    run("fit", "MergeViews", data, "--out", "out", "--force")
    assert content("out/config.json")["method"].endswith("MergeViews")
    Path("out/notes.txt").write_text("mine", encoding="utf-8")
    assert "notes.txt" in fails("fit", "PerView", data, "--out", "out", "--force")
    assert Path("out/notes.txt").exists()
    assert "is a file" in fails("fit", "PerView", data, "--out", data, "--force")


def test_a_failure_under_force_keeps_the_old_folder(run, fails, toys, data):
    run("fit", "MergeViews", data, "--out", "out")
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    fails("fit", f"{toys}:Broken", data, "--out", "out", "--force")
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_a_folder_that_appears_during_the_fit_is_not_replaced(run, toys, data, force):
    says = run("fit", f"{toys}:Crowded", data, "--out", "out", *force, code=1).stderr
    assert ("'theirs.txt', which no fit wrote" if force else "is not empty") in says
    assert [path.name for path in Path("out").iterdir()] == ["theirs.txt"]
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


def test_a_folder_that_another_fit_has_claimed_is_refused_before_any_work(fails, data):
    with replaced_folder(Path("out").absolute()):
        says = fails("fit", "PerView", "absent.npz", "--out", "out")
        assert "another process is writing" in says
        assert not Path("out").exists()


@pytest.mark.parametrize(("method", "code"), [("Broken", 1), ("Interrupted", 130)])
def test_a_fit_that_fails_gives_its_name_back_and_its_folders(run, toys, data, method, code):
    run("fit", f"{toys}:{method}", data, "--out", "deep/er/out", code=code)
    assert not Path("deep").exists()
    run("fit", f"{toys}:ToyClusterer", data, "--out", "deep/er/out")
    assert sorted(path.name for path in Path("deep/er").iterdir()) == ["out"]


def test_what_a_killed_fit_left_is_put_back_by_predict(run, data):
    run("fit", "PerView", data, "--out", "out")
    before = run("predict", "out", data).stdout
    claim = Claim.on(Path("out").resolve())
    Path("out").rename(claim.old)  # as if killed between its two moves
    claim.new.mkdir()
    claim.lock.write_text("out")
    assert run("predict", "out", data).stdout == before
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]


def test_predict_takes_configuration_and_model_of_one_fit(run, data, monkeypatch):
    run("fit", "PerView", data, "--out", "out")
    loads = []

    def load_and_be_overtaken(path, **options):
        model = load_model(path, **options)
        if not loads:
            run("fit", "MergeViews", data, "--out", "out", "--force")
        loads.append(type(model).__name__)
        return model

    monkeypatch.setattr("manyviews.app.model.load_model", load_and_be_overtaken)
    run("predict", "out", data)
    assert loads == ["PerView", "MergeViews"]


def test_an_empty_folder_and_a_deep_one_are_fine(run, data):
    Path("empty").mkdir()
    run("fit", "PerView", data, "--out", "empty")
    run("fit", "PerView", data, "--out", "a/b/c")
    assert Path("empty/model.skops").exists()
    assert Path("a/b/c/model.skops").exists()


def test_a_third_party_has_to_be_trusted(fails, run, toys, data):
    shown = run("fit", f"{toys}:ToyClusterer", data, "--out", "out").stdout
    assert f"--trust {toys}.ToyClusterer" in shown
    assert f"--trust {toys}.ToyClusterer" in fails("predict", "out", data)


def test_pickles_are_written_and_loaded_only_on_request(run, fails, data):
    run("fit", "PerView", data, "--out", "out", "--allow-pickle")
    assert not Path("out/model.skops").exists()
    assert "--allow-pickle" in fails("predict", "out", data)
    assert run("predict", "out", data, "--allow-pickle").stdout.startswith("id,size__0")


def test_predict_refuses_what_is_not_a_fitted_folder(run, fails, data):
    assert "no config.json" in fails("predict", "nowhere", data)
    run("fit", "PerView", data, "--out", "out")
    path, config = Path("out/config.json"), content("out/config.json")
    path.write_text(json.dumps({**config, "format": 2}), encoding="utf-8")
    assert "install a newer manyviews" in fails("predict", "out", data)
    for text in ("{", "{}", "[]", json.dumps({**config, "model": "../../other.skops"})):
        path.write_text(text, encoding="utf-8")
        assert "damaged" in fails("predict", "out", data)
    path.write_text(json.dumps(config), encoding="utf-8")
    Path("out/model.skops").write_bytes(b"rubbish")
    assert "model.skops is damaged" in fails("predict", "out", data)


def test_predict_does_not_overwrite_unasked(run, fails, data):
    run("fit", "PerView", data, "--out", "out")
    Path("new.csv").write_text("mine", encoding="utf-8")
    assert "exists already" in fails("predict", "out", data, "--out", "new.csv")
    run("predict", "out", data, "--out", "new.csv", "--force")
    assert Path("new.csv").read_text(encoding="utf-8").startswith("id,")


@pytest.mark.filterwarnings("default")
def test_new_data_are_matched_by_the_names_of_views(run, fails, toys, data, views):
    run("fit", f"{toys}:ToyClusterer", data, "--out", "out")
    trust = ("--trust", f"{toys}.ToyClusterer")
    write(views.subset(["colour", "size"]), "swapped.npz")
    written = Path("out/labels.csv").read_text(encoding="utf-8")
    assert run("predict", "out", "swapped.npz", *trust).stdout == written
    write(views.subset(["colour"]), "one.npz")
    result = run("predict", "out", "one.npz", *trust)
    assert result.stderr == "Warning: one.npz has no view 'size'; it counts as unobserved.\n"
    assert result.stdout == written
    write(Views({"smell": np.ones((2, 1))}), "none.npz")
    assert "none of the views" in fails("predict", "out", "none.npz", *trust)
    write(Views({"size": np.ones((2, 4)), "colour": np.ones((2, 2))}), "wide.npz")
    assert "view 'size' has 4 features but had 3 in fit" in fails(
        "predict", "out", "wide.npz", *trust
    )
    write(Views({**dict(views.items()), "smell": np.ones((30, 1))}), "more.npz")
    assert "'smell' was not there" in fails("predict", "out", "more.npz", *trust)
    run("predict", "out", "more.npz", *trust, "--views", "size,colour")


def test_a_folder_of_csv_files_is_data_too(run, views):
    write(views, "folder")
    run("fit", "PerView", "folder", "--out", "out")
    first = content("out/config.json")["data"]["sha256"]
    assert read("folder").views.equals(views)
    file = next(path for path in Path("folder").iterdir() if path.suffix == ".csv")
    text = file.read_text(encoding="utf-8").rstrip()
    file.write_text(text[:-1] + ("1" if text[-1] != "1" else "2"), encoding="utf-8")
    run("fit", "PerView", "folder", "--out", "out2")
    assert content("out2/config.json")["data"]["sha256"] != first


def test_the_command_line_and_python_agree(run, data, views):
    run("fit", "PerView", data, "--out", "out", "--set", "transformer=StandardScaler()")
    from sklearn.preprocessing import StandardScaler

    expected = PerView(StandardScaler()).fit_transform(views)
    assert load_model("out/model.skops").transform(views).equals(expected)


def test_too_large_an_array_is_told_with_its_size_and_remedy(fails, data, monkeypatch):
    monkeypatch.setenv("MANYVIEWS_MAX_MEMORY", "100")
    message = fails("fit", "FusedSpectral", data, "--out", "out", "--set", "affinity=rbf")
    assert "bytes of memory" in message or "KiB of memory" in message
    assert "KNNGraph()" in message
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [("layout", {"names": 5}), ("layout", {"names": [[]]}), ("labels", {"names": 5}), ("data", 5)],
)
def test_a_configuration_of_other_types_is_damaged(tmp_path, key, value):
    write(Views({"a": np.eye(4)}), tmp_path / "data.npz")
    words = [str(tmp_path / "data.npz"), "--out", str(tmp_path / "out")]
    assert CliRunner().invoke(cli, ["fit", "MergeViews", *words]).exit_code == 0
    path = tmp_path / "out" / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    result = CliRunner().invoke(cli, ["predict", str(tmp_path / "out"), words[0]])
    assert result.exit_code == 1
    assert "config.json is damaged" in result.output


@pytest.mark.parametrize(
    ("name", "text"), [("c.json", "[" * 100_000), ("c.toml", f"a={'[' * 9999}")]
)
def test_settings_without_end_are_refused_in_a_sentence(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    words = ["fit", "MergeViews", "none.npz", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(cli, [*words, "--config", str(tmp_path / name)])
    assert result.exit_code == 1
    assert "cannot be read" in result.output
