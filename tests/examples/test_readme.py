"""The code in the README runs as written, and says what its comments say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from manyviews import write
from manyviews.app.cli import cli

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
CHECKS = [
    """
assert views.names == ("clinic", "genes") and sorted(set(y)) == ["ill", "well"]
assert not views.observed.all()
""",
    """
assert round(1 - gappy.observed.mean(), 3) == 0.3
supervised = model.fit(gappy[:40], y[:40]).score(gappy[40:], y[40:])
assert f"{supervised:.1f}" == "0.7"  # what the block on few labels says of it
""",
    """
from sklearn.cluster import KMeans
for merge in (MergeViews(), MergeViews(balance=True)):
    means = make_pipeline(merge, KMeans(10, n_init=40, random_state=0)).fit(gappy[:1500])
    assert adjusted_rand_score(y[1500:], means.predict(gappy[1500:])) < 0.25
""",
    "",
    """
assert len(weights) > len(views.names)
""",
    """
assert len(retriever.query_words("fish boat", view="en", k=3).indices[0]) == 3
""",
    """
assert asked[0].gain > 0 and {each.kind for each in asked} <= {"label", "view"}
""",
]
BESIDE_A_PRINT = re.compile(r"^print\(f.*# (\d+\.\d)", re.M)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def commands() -> list[list[str]]:
    lines = "\n".join(blocks("sh")).splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


@pytest.fixture
def tables(tmp_path):
    """The files README speaks of: two tables in different orders, and the outcomes."""
    pandas = pytest.importorskip("pandas", reason="it writes the tables")
    rng = np.random.default_rng(0)
    outcome = pandas.Series(["well", "ill"] * 40, name="outcome")
    outcome.index = pandas.Index([f"P{number:03d}" for number in range(80)], name="patient_id")
    level = (outcome == "ill").to_numpy()[:, None]
    clinic = pandas.DataFrame(rng.normal(size=(80, 3)) + 3.0 * level, outcome.index, list("abc"))
    genes = pandas.DataFrame(rng.normal(size=(80, 4)) + level, outcome.index, list("stuv"))
    outcome.to_csv(tmp_path / "outcome.csv")
    clinic.to_csv(tmp_path / "clinic.csv")
    genes[:5:-1].to_csv(tmp_path / "genes.csv")  # the other way round, and without six patients
    return tmp_path


def test_every_block_of_python_runs_in_order_in_a_process_of_its_own(tables):
    written = blocks("python")
    assert len(written) == len(CHECKS)
    program = "".join(block + check for block, check in zip(written, CHECKS, strict=True))
    (tables / "readme.py").write_text(program, encoding="utf-8")
    without_data = {name: value for name, value in os.environ.items() if name != "MANYVIEWS_DATA"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "readme.py"],
        capture_output=True,
        check=False,
        cwd=tables,
        env=without_data | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    findings, *numbers = re.split(r"^(?=\d+\.\d$)", done.stdout, flags=re.M)
    assert "clinic" in findings
    assert [number.strip() for number in numbers] == BESIDE_A_PRINT.findall(TEXT)
    assert len(numbers) == len(CHECKS) - 1


@pytest.mark.parametrize(
    ("room", "names"), re.findall(r"^\| `(manyviews\.\w+)` \| (.*) \|$", TEXT, re.M)
)
def test_every_method_named_in_the_table_exists(room, names):
    exported = set(import_module(room).__all__)
    assert set(re.findall(r"`([A-Z]\w+)`", names)) <= exported


def test_every_page_that_is_linked_exists():
    linked = re.findall(r"\]\((\S+)\)", TEXT)
    assert linked[0] == "docs/guide/choose.md"
    assert all((ROOT / page).is_file() for page in linked)


def test_every_target_of_make_exists():
    makefile = (ROOT / "Makefile").read_text()
    named = {words[1] for words in commands() if words[0] == "make"}
    named |= set(re.findall(r"`make (\w+)`", TEXT))
    assert named >= {"demo", "test", "docs"}
    for target in named:
        assert re.search(rf"^{target}:", makefile, flags=re.M), target


def test_every_extra_exists():
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for words in commands():
        if words[0] == "pip":
            assert words[:2] == ["pip", "install"]
            named = re.fullmatch(r"\.(?:\[(\w+)\])?", words[2])
            assert named, words
            assert named[1] is None or named[1] in extras["optional-dependencies"]


def test_every_program_named_is_one_that_is_checked_here():
    assert {words[0] for words in commands()} == {"make", "pip", "manyviews", "python"}


@pytest.mark.parametrize(
    "words", [words[1:] for words in commands() if words[0] == "manyviews"], ids=" ".join
)
def test_every_command_and_option_exists(words):
    command, rest = cli, list(words)
    while isinstance(command, click.Group):
        command = command.get_command(click.Context(command), rest.pop(0))
        assert command is not None, words
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in rest if word.startswith("--")} | {"--json"} <= known


def test_every_module_named_is_a_paper_that_is_there():
    from papers._frame import paper_keys

    named = [words[1:] for words in commands() if words[0] == "python"]
    assert named
    for words in named:
        assert words[:2] == ["-m", "papers"]
        assert words[2] in paper_keys()


def test_commands_that_only_need_files_run(tables, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    views = {name: rng.normal(size=(60, 3)) + 3.0 * y[:, None] for name in ("a", "b")}
    write(views, tables / "file.npz", y=y)
    monkeypatch.chdir(tables)
    stand_for = {"FILE": "file.npz", "METHOD": "FusedSpectral", "DIR": "fitted"}
    ran = []
    for program, *words in commands():
        if program != "manyviews" or words[0] == "retrieve":  # needs data
            continue
        done = CliRunner().invoke(cli, [stand_for.get(word, word) for word in words])
        assert done.exit_code == 0, (words, done.output)
        ran.append(words[0])
    assert ran == ["diagnose", "fit", "info", "methods", "fit", "plan", "explain", "datasets"]
