"""``manyviews plan``: ranked questions as table, csv and JSON; costs from a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from manyviews import Views, read, write
from manyviews.acquire import BayesianCoTraining, plan


@pytest.fixture
def field(tmp_path):
    """A file of thirty objects, ten of them labelled, some seen by one sensor only."""
    rng = np.random.default_rng(0)
    truth = np.arange(30) % 2
    observed = np.ones((30, 2), dtype=bool)
    observed[10:20, 1] = observed[25:, 0] = False
    views = Views(
        {
            "radar": rng.standard_normal((30, 3)) + truth[:, None],
            "camera": rng.standard_normal((30, 2)) - truth[:, None],
        },
        observed=observed,
        sample_ids=[f"o{i}" for i in range(30)],
    )
    write(views, tmp_path / "field.npz", y=np.where(np.arange(30) < 10, truth, -1))
    return "field.npz"


@pytest.fixture
def costs(tmp_path):
    """Prices of the questions, the same for all objects."""
    (tmp_path / "costs.csv").write_text("question,cost\nlabel,1\nradar,5\ncamera,2\n")
    return "costs.csv"


def rows_of(text):
    return list(csv.DictReader(text.splitlines()))


def expected(budget, costs=None, **options):
    dataset = read("field.npz")
    model = BayesianCoTraining().fit(dataset.views, dataset.y)
    return plan(model, dataset.views, dataset.y, budget, costs, **options)


def test_a_table_of_ranked_questions_is_printed(run, field, costs):
    result = run("plan", field, "--labels", "y", "--costs", costs, "--budget", 12)
    found = expected(12, {"label": 1, "radar": 5, "camera": 2})
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"Plan of {len(found)} questions out of ")
    assert lines[0].endswith(f"at a cost of {found.total_cost:g} within a budget of 12")
    table = [line.split() for line in lines if line.split() and line.split()[0].isdigit()]
    assert [cells[:2] for cells in table] == [
        [str(rank), each.sample_id] for rank, each in enumerate(found, start=1)
    ]
    assert "gain/cost" in result.stdout


def test_csv_is_printed_and_written(run, field, costs):
    options = ("plan", field, "--costs", costs, "--budget", 12)
    result = run(*options, "--csv", "--out", "plan.csv")
    assert result.stderr == "Written to plan.csv.\n"
    assert Path("plan.csv").read_text() == result.stdout
    rows = rows_of(result.stdout)
    found = expected(12, {"label": 1, "radar": 5, "camera": 2})
    assert [(row["id"], row["kind"], row["view"]) for row in rows] == [
        (each.sample_id, each.kind, each.view or "") for each in found
    ]
    for row, each in zip(rows, found, strict=True):
        assert float(row["gain"]) == pytest.approx(each.gain)
        assert float(row["gain_per_cost"]) == pytest.approx(each.gain_per_cost)


def test_a_file_that_exists_is_replaced_when_forced_only(run, fails, field):
    options = ("plan", field, "--budget", 3, "--out", "plan.csv")
    run(*options)
    assert "plan.csv exists already; choose another name, or add --force" in fails(*options)
    run(*options, "--force")


def test_json_holds_everything_and_nothing_else_is_printed(run, field):
    result = run("plan", field, "--budget", 4, "--no-diverse", "--kinds", "label", "--json")
    assert result.stderr == ""
    found = json.loads(result.stdout)
    same = expected(4, kinds="label", diverse=False).to_dict()
    assert [each["sample_id"] for each in found["actions"]] == [
        each["sample_id"] for each in same["actions"]
    ]
    assert found["total_gain"] == pytest.approx(same["total_gain"])
    assert found["diverse"] is False
    assert found["out"] is None


def test_the_mixture_is_said_to_be_a_bound(run, field):
    text = run("plan", field, "--budget", 4, "--kinds", "view", "--expectation", "mixture").stdout
    assert ": at most " in text


def test_costs_by_object_say_who_can_be_asked(run, field):
    Path("costs.csv").write_text(
        "object,label,camera,radar\no15,1,2,\no16,,3,\no27,0,,1\n", encoding="utf-8-sig"
    )
    result = run("plan", field, "--costs", "costs.csv", "--budget", 100, "--csv")
    assert "costs.csv has no costs of 27 of 30 objects, which are not asked" in result.stderr
    rows = rows_of(result.stdout)
    assert {(row["id"], row["view"]) for row in rows} == {
        ("o15", ""), ("o15", "camera"), ("o16", "camera"), ("o27", ""), ("o27", "radar"),
    }  # fmt: skip
    assert (rows[0]["id"], rows[0]["gain_per_cost"]) == ("o27", "")


def test_a_fitted_model_is_taken(run, fails, field):
    run("fit", "BayesianCoTraining", field, "--out", "model")
    options = ("plan", field, "--budget", 5, "--csv")
    assert run(*options, "--model", "model").stdout == run(*options).stdout
    sentence = fails(*options, "--model", "model", "--set", "coupling=1", code=2)
    assert "--set is for the model that is fitted here" in sentence


def test_parameters_of_the_model_can_be_set(run, fails, field):
    options = ("plan", field, "--budget", 3, "--kinds", "view")
    settings = ("--set", "coupling=0", "--set", "smoothness=0")
    settings += ("--set", "update_hyperparameters=false")
    result = run(*options, *settings)
    assert "no question tells the model anything" in result.stderr
    assert "did you mean 'coupling'" in fails(*options, "--set", "couplin=1", code=2)


def test_a_model_of_another_kind_is_refused(run, fails, field):
    run("fit", "CoTraining", field, "--out", "model")
    sentence = fails("plan", field, "--budget", 5, "--model", "model")
    assert "plan asks a model for the posterior of its weights" in sentence


def test_an_empty_plan_says_why(run, field, costs):
    result = run("plan", field, "--costs", costs, "--budget", 0.5)
    assert result.stdout.startswith("An empty plan: nothing is asked")
    assert "the budget of 0.5 is below the cheapest question, which costs 1" in result.stderr
    text = run("plan", field, "--costs", costs, "--budget", 0.5, "--csv").stdout
    assert text == "rank,id,kind,view,gain,cost,gain_per_cost\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("question,cost\nlabel,1\nlabel,2\n", "costs.csv has the question 'label' twice"),
        ("question,cost\nlabel,one\n", "costs.csv has the cost 'one', which is no number"),
        ("question,cost\n", "costs.csv holds no costs"),
        ("question,cost\nlabel\n", "costs.csv has 1 cells in line 2 and 2 in its head"),
        ("question,cost\nlabel,1\n", "costs has no cost of the view 'radar'"),
        ("question,cost\nlabel,1\nsonar,2\n", "costs names 'sonar', which is neither"),
        ("id,label\no1,1\no1,2\n", "costs.csv has the object 'o1' twice"),
        ("id,label\nx1,1\n", "costs.csv names the object 'x1', which the data do not have"),
        ("question,cost\nlabel,-1\nradar,1\ncamera,1\n", "the cost of the label is -1"),
    ],
)
def test_costs_that_make_no_sense_are_refused(fails, field, text, sentence):
    Path("costs.csv").write_text(text)
    assert sentence in fails("plan", field, "--budget", 3, "--costs", "costs.csv")


def test_what_cannot_be_asked_for_is_refused(fails, field):
    assert "--kinds asks for 'weights'" in fails(
        "plan", field, "--budget", 3, "--kinds", "weights", code=2
    )
    assert "choose one" in fails("plan", field, "--budget", 3, "--csv", "--json", code=2)
    assert "field.npz has no labels to begin with" in fails(
        "plan", field, "--budget", 3, "--labels", "none", code=2
    )
    assert "nowhere.csv" in fails("plan", field, "--budget", 3, "--costs", "nowhere.csv")
