"""Each example runs without a warning and shows what its text says."""

from __future__ import annotations

from pathlib import Path


def test_digits_are_told_best_by_all_views_and_gaps_hurt_single_views_most(run, capsys):
    scores = {name: values.mean() for name, values in run("plot_1_digits")["scores"].items()}
    single = [name for name in scores if name.endswith(" alone")]
    lost = {name: scores[name] - scores[f"{name}, a third hidden"] for name in single}
    assert scores["all three"] > max(scores[name] for name in single)
    assert scores["all three"] - scores["all three, a third hidden"] < min(lost.values())
    assert "all three, a third hidden" in capsys.readouterr().out


def test_each_situation_gets_its_finding(run):
    found = {
        name: {finding.kind for finding in diagnosis.findings}
        for name, diagnosis in run("plot_2_worth_it")["diagnoses"].items()
    }
    assert {"independent_given_class", "adds"} <= found["independent given the class"]
    assert "duplicates" in found["copies"]
    assert "contradiction" in found["contradictory"]
    assert {"adds", "independent_given_class"} <= found["a third missing"]
    assert "adds" not in found["copies"]
    assert "contradiction" not in found["independent given the class"]


def test_gaps_are_as_large_as_asked_and_only_the_tail_is_special(run):
    names = run("plot_3_gaps")
    lengths = names["lengths"]
    short = {
        pattern: lengths[~views.observed.all(axis=1)].mean() < 0.5 * lengths.mean()
        for pattern, views in names["gaps"].items()
    }
    assert short == {"random": False, "outage": False, "single": False, "tail": True}
    for pattern in ("random", "outage", "tail"):
        assert (~names["gaps"][pattern].observed).sum() == round(0.3 * 3 * len(lengths))


def test_tables_with_different_rows_keep_every_patient(run):
    names = run("plot_4_two_tables")
    everyone = set(names["mean"].index) | set(names["worst"].index)
    assert set(names["views"].sample_ids) == everyone
    assert len(names["both"]) == len(names["mean"].index.intersection(names["worst"].index))
    assert min(names["scores"].values()) > 0.9
    assert names["right"] > 0.9
    assert everyone.isdisjoint(names["newcomers"].index)
    assert names["apart"].names == ("mean", "worst")
    assert names["apart"].shape == names["joined"].shape


def test_own_method_keeps_the_contract_and_the_blind_one_does_not(run, capsys):
    names = run("plot_5_own_method")
    assert names["broken"] == {}
    assert names["agreement"]["both, 600 objects"] == max(names["agreement"].values())
    assert "every_view_counts" in capsys.readouterr().out


def test_every_example_is_tested_and_says_what_it_is():
    here = Path(__file__).parent
    examples = sorted((here.parents[1] / "examples").glob("plot_*.py"))
    tests = "".join(path.read_text(encoding="utf-8") for path in here.glob("test_*examples.py"))
    for path in examples:
        assert f'run("{path.stem}")' in tests
        assert path.read_text(encoding="utf-8").startswith('"""\n')
