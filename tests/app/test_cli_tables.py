"""From two tables to clusters and to a cross-validated classifier, as a person would type it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

N = 60


@pytest.fixture
def tables(tmp_path):
    """Two tables of sixty patients, nine lacking genes, and their outcome."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], N // 3)
    clinic = rng.normal(size=(N, 2)) * [10, 0.1] + np.column_stack([50 + 60 * y, y])
    genes = rng.normal(size=(N, 3)) * 0.1 + y[:, None]
    names = ["well", "ill", "worse"]
    files = {
        "clinic.csv": [["patient_id", "age", "ratio", "ward"]]
        + [[f"P{i:02d}", *clinic[i], names[y[i]]] for i in range(N)],
        "genes.csv": [["patient_id", "g1", "g2", "g3"]]
        + [[f"P{i:02d}", *genes[i]] for i in rng.permutation(N)[:51]],
        "lab.csv": [["patient_id", "g1", "g2", "g3"]]
        + [[f"P{i:02d}", *genes[i]] for i in range(N)],
        "outcome.csv": [["patient_id", "outcome"]] + [[f"P{i:02d}", names[y[i]]] for i in range(N)],
    }
    for name, rows in files.items():
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file, delimiter=";" if name == "genes.csv" else ",").writerows(rows)
    return ("clinic.csv", "genes.csv", "--labels", "ward")


def scores(folder):
    return json.loads(Path(folder, "scores.json").read_text())


def test_info_tells_of_several_tables(run, tables):
    found = json.loads(run("info", *tables, "--json").stdout)
    assert [view["name"] for view in found["views"]] == ["clinic", "genes"]
    assert (found["n_objects"], found["labels"]["n_labelled"]) == (60, 60)
    assert any("9 of 60 objects" in note for note in found["notes"])


def test_diagnose_takes_several_tables(run, tables):
    found = run("diagnose", *tables, "--id", "patient_id")
    assert "2 views of 60 objects" in found.stdout
    assert "Note: 9 of 60" in found.stderr


def test_two_tables_to_clusters(run, tables):
    run("fit", "KMeans", *tables, "--set", "n_clusters=3", "--seed", 0, "--out", "out")
    assert scores("out")["adjusted_rand_index"] > 0.7
    rows = list(csv.DictReader(Path("out/labels.csv").read_text().splitlines()))
    assert (rows[0]["id"], len(rows)) == ("P00", 60)


def test_two_tables_to_a_cross_validated_classifier(run, tables):
    words = ("clinic.csv", "genes.csv", "--id", "patient_id")
    result = run("fit", "LogisticRegression", *words, "--labels", "ward", "--cv", 5, "--out", "out")
    found = scores("out")
    assert found["held_out_accuracy"].keys() == {"mean", "sd", "folds"}
    assert 0.8 < found["held_out_accuracy"]["mean"] <= found["training_accuracy_on_labelled"]
    assert "over 5 folds" in result.stdout
    assert "training data" not in result.stdout


def test_held_out_scores_are_those_of_objects_never_seen(run, tables):
    """One neighbour knows every object that it has seen, and nothing of random labels."""
    rng = np.random.default_rng(0)
    lines = [f"P{i:02d},{rng.integers(2)}" for i in range(N)]
    Path("coin.csv").write_text("\n".join(["id,coin", *lines]))
    words = ("--labels", "coin.csv", "--cv", 5, "--set", "n_neighbors=1", "--out", "out")
    run("fit", "KNeighborsClassifier", "lab.csv", *words)
    found = scores("out")
    assert found["training_accuracy_on_labelled"] > 0.9
    assert found["held_out_accuracy"]["mean"] < 0.75


def test_without_folds_the_output_says_where_the_score_is_from(run, tables):
    result = run("fit", "LogisticRegression", "lab.csv", "--labels", "outcome.csv", "--out", "o")
    assert "on the training data; --cv 5" in result.stdout


def test_a_method_of_ours_is_cross_validated_with_unlabelled_objects(run, tables):
    Path("few.csv").write_text(
        "\n".join(["id,y", *(f"P{i:02d},{i // 20}" for i in range(0, N, 4))])
    )
    words = ("--labels", "few.csv", "--cv", 5, "--seed", 0, "--out", "out", "--standardize")
    run("fit", "CoTraining", "lab.csv", "numbers=lab.csv", *words)
    assert scores("out")["held_out_accuracy"]["folds"] == 5


@pytest.mark.parametrize(
    ("method", "words", "match"),
    [
        ("KMeans", ("--labels", "outcome.csv"), "KMeans is a clusterer"),
        ("PCA", ("--labels", "outcome.csv"), "PCA is a transformer"),
        ("CoRegularizedSpectral", (), "is a clusterer"),
        ("LogisticRegression", ("--labels", "rare.csv"), "'a' has 2 labelled objects, too few"),
    ],
)
def test_folds_that_mean_nothing_are_refused(fails, run, tables, method, words, match):
    rare = [f"P{i:02d},{'ab'[i > 1]}" for i in range(N)]
    Path("rare.csv").write_text("\n".join(["id,y", *rare]))
    data = ("lab.csv", "numbers=lab.csv", "--id", "patient_id", "--out", "out")
    assert match in fails("fit", method, *data, *words, "--cv", 5, code=2)
    assert not Path("out").exists()


def test_new_tables_are_read_as_the_old_ones_were(run, tables):
    run("fit", "LogisticRegression", *tables, "--id", "patient_id", "--out", "out")
    again = run("predict", "out", "clinic.csv", "genes.csv").stdout
    Path("newcomers.csv").write_text(Path("genes.csv").read_text())
    lines = Path("clinic.csv").read_text().splitlines()
    Path("ward.csv").write_text("\n".join(line.rpartition(",")[0] for line in lines))
    assert run("predict", "out", "clinic=ward.csv", "genes=newcomers.csv").stdout == again
    assert again == Path("out/labels.csv").read_text()
    failed = run("predict", "out", "newcomers.csv", code=1).stderr
    assert "clinic=file.csv" in failed


def test_ids_are_named_for_each_view(run, tables):
    Path("genes.csv").write_text(Path("genes.csv").read_text().replace("patient_id", "sample"))
    words = ("--id", "clinic=patient_id", "--id", "genes=sample", "--labels", "ward")
    found = json.loads(run("info", "clinic.csv", "genes.csv", *words, "--json").stdout)
    assert found["n_objects"] == 60
    assert "name a view in each" in run("info", "genes.csv", *words[:2], "--id", "a", code=2).stderr


def test_empty_cells_are_filled_when_that_is_asked_for(run, fails, tables):
    text = Path("genes.csv").read_text().splitlines()
    first = text[1].split(";")
    Path("genes.csv").write_text("\n".join([text[0], f"{first[0]};;1;1", *text[2:]]))
    words = ("fit", "CoSphericalKMeans", "genes.csv", "b=genes.csv", "--id", "patient_id")
    words += ("--set", "n_clusters=3", "--seed", 0, "--out", "out")
    assert f"the first '{first[0]}'" in (error := fails(*words))
    assert "--standardize" in error
    run(*words, "--standardize")
    assert scores("out")["n_objects"] == 51


def test_a_fit_of_scikit_learns_is_repeated_from_its_configuration(run, tables):
    run("fit", "LogisticRegression", *tables, "--set", "C=0.5", "--out", "out")
    config = json.loads(Path("out/config.json").read_text())
    assert config["method"] == "sklearn.pipeline:Pipeline"
    words = ("--config", "out/config.json", "--out", "again")
    run("fit", "sklearn.pipeline:Pipeline", *tables, *words)
    assert Path("again/labels.csv").read_text() == Path("out/labels.csv").read_text()


def test_the_checksum_is_that_of_all_files(run, tables):
    def found(out):
        run("fit", "LogisticRegression", *tables, "--out", out)
        return json.loads(Path(out, "config.json").read_text())["data"]["sha256"]

    one = found("a")
    assert one == found("b")
    Path("genes.csv").write_text(Path("genes.csv").read_text() + "\n")
    assert one != found("c")


def test_a_misspelt_method_of_scikit_learns_is_recognised(fails, tables):
    words = ("fit", "LogisticRegresion", *tables, "--out", "out")
    assert "did you mean 'LogisticRegression'" in fails(*words, code=2)


def test_a_regressor_is_scored_on_held_out_objects(run, fails, tables):
    words = ("fit", "Ridge", "lab.csv", "--id", "patient_id", "--cv", 5, "--out", "out")
    run(*words, "--labels", "g1")
    assert scores("out")["held_out_r2"]["mean"] > 0.8
    assert "labels are words" in fails(*words, "--labels", "outcome.csv", "--force")
