from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import papers
from papers.__main__ import main
from papers._frame import DataFolder, MissingDataError, load_experiment, paper_keys

PAPER_FILE = '''
"""A paper for the tests."""
import numpy as np
from papers._frame import Measured, Paper, Table

PAPER = Paper(
    "nobody1999", "On [nothing]", ("N. Nobody",), 1999, seeds=3, quick_seeds=1,
    deviations=("The moon was full.",),
    tables=(
        Table("1", "Sizes", ("r",), ("A", "B", "C"), ((1.0, 2.0, 3.0),), higher_is_better=True,
              reasons={"B": "B is [smaller] here."}, data=("things",)),
        Table("2", "Nothing read", ("r",), ("A",), ((None,),)),
    ),
)


def run(table, *, seeds, data, progress):
    progress(0, 1, table)
    if table == "2":
        return Measured(np.array([[[float(seed)]] for seed in seeds]), ("A note.",))
    base = float((data.path("things") / "number.txt").read_text())
    return Measured(np.array([[[base + seed / 10, base, np.nan]] for seed in seeds]))
'''


@pytest.fixture
def paper(tmp_path, monkeypatch) -> str:
    """A paper that is found because its file is there."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "nobody1999.py").write_text(PAPER_FILE)
    monkeypatch.setattr(papers, "__path__", [*papers.__path__, str(folder)])
    monkeypatch.delenv("MANYVIEWS_DATA", raising=False)
    yield "nobody1999"
    sys.modules.pop("papers.nobody1999", None)


@pytest.fixture
def data(tmp_path) -> Path:
    folder = tmp_path / "data"
    (folder / "things" / "deep").mkdir(parents=True)
    (folder / "things" / "number.txt").write_text("1.0")
    (folder / "things" / "deep" / "more.txt").write_text("more")
    return folder


def invoke(*arguments: object, **options) -> Result:
    options = {"catch_exceptions": False, "env": {"COLUMNS": "200"}, **options}
    return CliRunner().invoke(main, [str(each) for each in arguments], **options)


def test_without_a_key_papers_and_tables_are_listed(paper):
    result = invoke()
    assert result.exit_code == 0
    for text in ("nobody1999", "On [nothing]", "things", "desa2005", "section-2"):
        assert text in result.stdout
    listing = {entry["key"]: entry for entry in json.loads(invoke("--json").stdout)}
    assert listing[paper]["tables"] == ["1", "2"]
    assert listing[paper]["data"] == ["things"]


def test_numbers_stand_beside_the_published_ones_with_verdict_and_reason(paper, data):
    result = invoke(paper, "--data", data)
    assert result.exit_code == 0
    lines = [" ".join(line.replace("│", " ").split()) for line in result.stdout.splitlines()]
    assert "r A 1.00 1.100 ± 0.100 within the spread" in lines
    assert "B 2.00 1.000 ± 0.000 worse [1]" in lines
    assert "C 3.00 – not measured" in lines
    assert "r A – 1.000 ± 1.000 not published" in lines
    assert "[1] B is [smaller] here." in lines
    assert "· A note." in lines
    assert "· The moon was full." in lines
    expected = "1 within the spread, 1 worse, 1 not measured, 1 not published."
    assert f"4 cells over 3 seeds: {expected}" in lines


def test_difference_without_a_reason_is_called_unexplained(paper, data):
    (data / "things" / "number.txt").write_text("0.0")
    result = invoke(paper, "--table", "1", "--data", data)
    assert "worse, unexplained" in result.stdout
    assert "1 of them unexplained" in result.stdout


def test_json_has_everything_needed_to_believe_it(paper, data):
    result = invoke(paper, "--data", data, "--seeds", 2, "--json")
    report = json.loads(result.stdout)
    assert result.stderr == ""
    assert report["paper"]["key"] == paper
    assert datetime.fromisoformat(report["date"]).utcoffset() == timedelta(0)
    assert {"python", "manyviews", "numpy", "scipy", "scikit-learn"} <= set(report["versions"])
    assert report["data"] == {
        "things/deep/more.txt": sha256(b"more").hexdigest(),
        "things/number.txt": sha256(b"1.0").hexdigest(),
    }
    assert report["seeds"] == [0, 1]
    first, second, third = report["tables"][0]["cells"]
    assert (first["values"], first["mean"]) == ([1.0, 1.1], 1.05)
    assert first["spread"] == pytest.approx(0.1 / 2**0.5)
    assert (second["verdict"], second["reason"]) == ("worse", "B is [smaller] here.")
    assert (third["values"], third["mean"], third["verdict"]) == ([None] * 2, None, "not measured")


def test_out_is_written_whole_and_alone(paper, data, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    out = folder / "found.json"
    out.write_text("old")
    result = invoke(paper, "--data", data, "--quick", "--out", out)
    assert result.exit_code == 0
    assert json.loads(out.read_text())["seeds"] == [0]
    assert [file.name for file in folder.iterdir()] == ["found.json"]


def test_failed_writing_leaves_the_old_file_and_no_other(paper, data, tmp_path, monkeypatch):
    out = tmp_path / "found.json"
    out.write_text("old")

    def full_disk(self, text, **options):
        self.touch()
        raise OSError("no space left")

    monkeypatch.setattr(Path, "write_text", full_disk)
    result = invoke(paper, "--table", "2", "--out", out)
    assert result.exit_code == 1
    assert "could not be written: no space left" in result.stderr
    assert out.read_text() == "old"
    assert not list(tmp_path.glob(".found*"))


def test_table_that_reads_nothing_runs_without_data(paper, tmp_path):
    result = invoke(paper, "--table", "2", "--json", "--data", tmp_path / "nowhere")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["data"] == {}


def test_missing_data_are_named_with_the_place(paper, tmp_path):
    nowhere = tmp_path / "nowhere"
    result = invoke(paper, "--table", "1", "--data", nowhere)
    assert result.exit_code == 1
    assert "the data set 'things' is missing" in result.stderr
    assert f"{nowhere / 'things'} (from --data)" in result.stderr
    assert "Traceback" not in result.output
    result = invoke(paper, "--table", "1", env={"MANYVIEWS_DATA": str(nowhere)})
    assert result.exit_code == 1
    assert "(from the environment variable MANYVIEWS_DATA)" in result.stderr


def test_tables_without_their_data_are_left_out_and_named(paper, tmp_path):
    result = invoke(paper, "--data", tmp_path / "nowhere")
    assert result.exit_code == 0
    assert result.stderr.startswith("Tables left out: 1; the data set 'things' is missing")
    assert "1: Sizes" not in result.stdout
    assert "1 cells over 3 seeds: 1 not published." in result.stdout


def test_paper_all_of_whose_data_are_missing_does_not_run(tmp_path):
    result = invoke("bickel2005", "--data", tmp_path)
    assert result.exit_code == 1
    assert "bickel2005 could not run: the data set" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("unheard2000",), "there is no paper 'unheard2000'"),
        (("desa2005", "--table", "9"), "desa2005 has no table '9'; its tables are 'section-2'"),
        (("desa2005", "--seeds", "0"), "--seeds"),
        (("desa2005", "--seeds", "2", "--quick"), "give one of them"),
        (("--table", "1"), "need the KEY"),
        (("desa2005", "--out", "no/such/folder/out.json"), "there is no folder"),
        (("_frame",), "there is no paper '_frame'"),
    ],
)
def test_wrong_usage_ends_with_code_two(arguments, message):
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_file_is_named_after_its_paper(paper, tmp_path):
    (tmp_path / "papers" / "other2000.py").write_text(PAPER_FILE)
    try:
        with pytest.raises(ValueError, match="name it after the key"):
            load_experiment("other2000")
    finally:
        sys.modules.pop("papers.other2000", None)


def test_checksums_are_those_of_the_files_asked_for(data):
    folder = DataFolder(data)
    assert folder.checksums() == {}
    folder.path("things/number.txt")
    assert list(folder.checksums()) == ["things/number.txt"]
    with pytest.raises(MissingDataError, match="'others' is missing"):
        folder.path("others")


def test_listing_papers_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from papers._frame import load_experiment, paper_keys\n"
        "print([load_experiment(key).paper.title for key in paper_keys()] != [])\n"
        "print(sorted({'sklearn', 'pandas', 'matplotlib', 'numba'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True", "[]"]


@pytest.mark.parametrize("key", paper_keys())
def test_every_paper_is_in_order(key):
    paper = load_experiment(key).paper
    assert paper.key == key
    assert paper.title
    assert paper.authors
    assert 0 < paper.quick_seeds <= paper.seeds
    assert len({table.key for table in paper.tables}) == len(paper.tables) > 0


def test_tables_that_are_curves_are_drawn(paper, tmp_path):
    curves = PAPER_FILE.replace(
        'Table("2", "Nothing read", ("r",), ("A",), ((None,),))',
        'Table("2", "Nothing read", ("0.5",), ("A",), ((None,),), axes=("noise", "NMI"))',
    )
    (tmp_path / "papers" / "nobody1999.py").write_text(curves)
    result = invoke(paper, "--table", "2", "--plots", tmp_path / "pictures")
    assert result.exit_code == 0
    drawn = list((tmp_path / "pictures").iterdir())
    assert [path.name for path in drawn] == ["nobody1999-2.png"]
    assert drawn[0].read_bytes().startswith(b"\x89PNG")
    assert f"Drawn in {drawn[0]}." in result.stderr
