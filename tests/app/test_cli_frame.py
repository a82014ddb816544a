"""The frame of the command line: help without weight, versions, exit codes, quiet ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from manyviews import __version__
from manyviews.app.cli import COMMANDS, cli

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "rich")


def python(*arguments, **options):
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False, **options
    )


def test_no_help_loads_anything_heavy():
    script = f"""
import sys
from manyviews.app.cli import cli
for words in [[], *([name] for name in {list(COMMANDS)}), ["datasets", "export"]]:
    try:
        cli.main([*words, "--help"], prog_name="manyviews")
    except SystemExit as stop:
        assert stop.code == 0, words
loaded = [name for name in {HEAVY} if name in sys.modules]
assert not loaded, loaded
"""
    result = python("-c", script)
    assert result.returncode == 0, result.stderr
    assert "Usage: manyviews fit" in result.stdout


def test_the_list_of_commands_loads_no_command():
    script = """
import sys
from manyviews.app.cli import cli
try:
    cli.main(["--help"], prog_name="manyviews")
except SystemExit:
    pass
print([name for name in sys.modules if name.startswith("manyviews.app.cli.")], file=sys.stderr)
"""
    assert python("-c", script).stderr.strip() == "['manyviews.app.cli.frame']"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name):
    command = cli.get_command(None, name)
    assert command.name == name
    assert command.help.split("\n")[0] == COMMANDS[name].help


def test_version_by_module():
    result = python("-m", "manyviews", "--version")
    assert result.stdout == f"manyviews {__version__}\n"


@pytest.mark.parametrize(
    "words", [("fi",), ("fit",), ("fit", "--no-such-option"), ("datasets", "x")]
)
def test_wrong_usage_is_two(run, words):
    assert "Error: " in run(*words, code=2).stderr


def test_a_mistyped_command_gets_a_suggestion(run):
    assert "did you mean 'diagnose'?" in run("diagnos", code=2).stderr


def test_interruption_is_quiet(run, toys, data):
    result = run("fit", f"{toys}:Interrupted", data, "--out", "out", code=130)
    assert result.output == ""
    assert not Path("out").exists()


def test_a_bug_is_one_sentence_and_with_debug_a_traceback(fails, run, toys, data, monkeypatch):
    words = ("fit", f"{toys}:Broken", data, "--out", "out")
    assert "KeyError: 'nothing'" in fails(*words)
    assert isinstance(run("--debug", *words, code=1).exception, KeyError)
    monkeypatch.setenv("MANYVIEWS_DEBUG", "1")
    assert isinstance(run(*words, code=1).exception, KeyError)


def test_debug_shows_where_in_a_real_process(tmp_path):
    quiet = python("-m", "manyviews", "info", tmp_path / "absent.npz")
    assert quiet.returncode == 1
    assert quiet.stderr.startswith("Error: ")
    assert quiet.stderr.count("\n") == 1
    loud = python("-m", "manyviews", "--debug", "info", tmp_path / "absent.npz")
    assert loud.returncode == 1
    assert "Traceback" in loud.stderr


def test_a_closed_pipe_is_quiet(tmp_path, data):
    script = "import sys; sys.argv[0] = 'manyviews'; from manyviews.app.cli import main; main()"
    for words in (("info", str(data), "--json"), ("info", str(data))):
        with subprocess.Popen(
            [sys.executable, "-c", script, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            process.stdout.close()
            assert process.stderr.read() == b"", words


def test_colour_needs_a_terminal_and_no_objection(data):
    environment = {**os.environ, "NO_COLOR": "1", "PYTHONIOENCODING": "ascii:strict"}
    result = python("-m", "manyviews", "info", data, "--json", env=environment)
    assert json.loads(result.stdout)["n_objects"] == 30
    plain = python("-m", "manyviews", "info", data, env={**os.environ, "NO_COLOR": "1"})
    assert plain.returncode == 0
    assert "\x1b" not in plain.stdout


def test_warnings_are_sentences_on_the_error_stream(run, toys, views, data, tmp_path):
    (tmp_path / "labels.csv").write_text("o1,x\no20,y\nstranger,y\n", encoding="utf-8")
    script = "import sys; from manyviews.app.cli import main; main()"
    words = ["fit", f"{toys}:ToyClassifier", str(data), "--labels", "labels.csv", "--out", "out"]
    folder = str(tmp_path / "third_party")
    environment = {**os.environ, "PYTHONPATH": folder}
    result = python("-c", script, *words, "--json", cwd=tmp_path, env=environment)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["scores"]["n_labelled"] == 2
    assert result.stderr.startswith(
        "Warning: labels.csv labels objects that are not in the data (1,"
    )
    assert result.stderr.count("\n") == 1
