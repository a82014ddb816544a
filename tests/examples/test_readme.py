"""The code in the README runs as written, and says what its comments say."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
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
assert views.shape == (4, 5)
assert views.observed.tolist()[1] == [True, False]
""",
    """
assert round(1 - gappy.observed.mean(), 3) == 0.3
""",
    """
from manyviews.metrics import adjusted_rand_score
assert adjusted_rand_score(y[1500:], model.predict(gappy[1500:])) > 0.4
""",
    """
assert (model.transduction_ == y).mean() > 0.7
""",
    """
assert retriever.top_n_accuracy(documents[300:], "en", "fr", n=10)[10] > 0.9
""",
    """
assert len(model.kernel_names_) == len(model.kernel_weights_) > 1
assert (~seen).any() and sensors.observed.any(axis=1).all()
assert classifier.score(sensors[200:400], classes[200:400]) > 0.6
""",
]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def commands() -> list[list[str]]:
    lines = "\n".join(blocks("sh")).splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def test_every_block_of_python_runs_in_order_in_a_process_of_its_own(tmp_path):
    written = blocks("python")
    assert len(written) == len(CHECKS)
    program = "".join(block + check for block, check in zip(written, CHECKS, strict=True))
    (tmp_path / "readme.py").write_text(program, encoding="utf-8")
    without_data = {name: value for name, value in os.environ.items() if name != "MANYVIEWS_DATA"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "readme.py"],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env=without_data,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("Diagnosis of 3 views")  # which is all that is printed


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
    assert {words[0] for words in commands()} == {"make", "pip", "manyviews"}


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


def test_commands_that_only_need_a_file_run(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    views = {name: rng.normal(size=(60, 3)) + 3.0 * y[:, None] for name in ("a", "b")}
    write(views, tmp_path / "file.npz", y=y)
    monkeypatch.chdir(tmp_path)
    stand_for = {"FILE": "file.npz", "METHOD": "FusedSpectral", "DIR": "model"}
    ran = []
    for program, *words in commands():
        if program != "manyviews" or words[0] in {"retrieve", "reproduce"}:  # data, and minutes
            continue
        done = CliRunner().invoke(cli, [stand_for.get(word, word) for word in words])
        assert done.exit_code == 0, (words, done.output)
        ran.append(words[0])
    assert ran == ["info", "diagnose", "methods", "fit", "datasets"]
