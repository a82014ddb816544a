"""Every prompt in the pages of the site is run, in order, and its output compared."""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path
from pkgutil import resolve_name
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.glob("*.md")), *sorted((DOCS / "guide").glob("*.md"))]
BLOCK = re.compile(
    r"^(?P<data>% needs data\n\n)?```(?P<kind>pycon|console)\n(?P<text>.*?)^```$", re.M | re.S
)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Block(NamedTuple):
    kind: str
    text: str
    line: int
    needs_data: bool


def blocks_of(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(m["kind"], m["text"], text.count("\n", 0, m.start("text")) + 1, bool(m["data"]))
        for m in BLOCK.finditer(text)
    ]


def run_python(block: Block, page: Path, names: dict[str, object]) -> list[str]:
    text = block.text.replace("\n\n", "\n<BLANKLINE>\n")  # as doctest wants blank lines of output
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), block.line - 1)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    return said


def run_commands(block: Block, page: Path) -> list[str]:
    said = []
    for command in re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.M)[1:]:
        line, _, expected = command.partition("\n")
        found = invoke(line)
        if not doctest.OutputChecker().check_output(expected, found, OPTIONS):
            said.append(f"{page.name}: $ {line}\nexpected:\n{expected}\nfound:\n{found}")
    return said


def invoke(line: str) -> str:
    from click.testing import CliRunner

    from manyviews.app.cli import cli
    from papers.__main__ import main as papers

    program, *arguments = shlex.split(line.removeprefix("python -m "))
    command = {"manyviews": cli, "papers": papers}[program]
    nowhere = {"MANYVIEWS_DATA": None, "XDG_CACHE_HOME": "nowhere"}
    return CliRunner(env=nowhere).invoke(command, arguments, prog_name=program).output


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks_of(page)], ids=lambda page: page.stem
)
def test_page_is_true(page, tmp_path, monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="pages draw pictures")
    pyplot.switch_backend("agg")
    monkeypatch.setenv("COLUMNS", "88")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.syspath_prepend(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__page__"}
    said: list[str] = []
    for block in blocks_of(page):
        if block.needs_data and not os.environ.get("MANYVIEWS_DATA"):
            continue
        if block.kind == "pycon":
            said += run_python(block, page, names)
        else:
            said += run_commands(block, page)
    pyplot.close("all")
    assert not said, "\n".join(said)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("array([1., 0.])", "array([ 1., -0.])"),
        ("array([1., 0.])", "array([ 1.00000000e+00, -9.19e-19])"),
        ("array([[0.5, 0. ], [0. , 2. ]])", "array([[ 0.5, -0. ], [ 0. ,  2. ]])"),
        ("(1.0, 0.0)", "(0.9999999999999998, -0.0)"),
    ],
)
def test_zeros_may_be_rounded(expected, found):
    checker = doctest.OutputChecker()
    assert checker.check_output(f"{expected}\n", f"{found}\n", OPTIONS)


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ("array([1., 0.])", "array([1., 1.])"),
        ("array([1., 0.])", "array([1., 0., 0.])"),
        ("79.7%", "79.8%"),
        ("0.35", "0.36"),
        ("1.0", "1.0000001"),
        ("array([0, 1])", "array([1, 0])"),
    ],
)
def test_other_numbers_are_other_numbers(expected, found):
    checker = doctest.OutputChecker()
    assert not checker.check_output(f"{expected}\n", f"{found}\n", OPTIONS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_prompts_are_inside_blocks_that_are_run(page):
    text = page.read_text(encoding="utf-8")
    outside = BLOCK.sub("", text)
    assert not re.search(r"^(>>>|\$ (manyviews|python))", outside, flags=re.M)


def test_every_key_that_is_cited_is_in_the_references():
    known = set(re.findall(r"^@\w+\{(\w+),", (DOCS / "references.bib").read_text(), flags=re.M))
    cited = set()
    for source in (*(ROOT / "src").rglob("*.py"), *(ROOT / "papers").rglob("*.py")):
        cited.update(re.findall(r"@([a-z]+\d{4}[a-z]?)(?=[;\]])", source.read_text()))
    for page in PAGES:
        cited.update(re.findall(r"\{cite:t\}`(\w+)`", page.read_text()))
    assert cited - known == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_everything_that_a_page_links_to_exists(page):
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"\{(?:class|func|meth|mod)\}`(?:[^`<]*<)?~?(manyviews[\w.]*)>?`", text):
        assert resolve_name(name) is not None
    for other in re.findall(r"\]\(([\w/]+\.md)(?:#[\w-]+)?\)", text):
        assert (page.parent / other).is_file(), other
