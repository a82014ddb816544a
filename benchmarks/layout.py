"""How easily a reader finds their way: ``python -m benchmarks.layout [FOLDER ...]``.

Counts files, importers, comments and named numbers below a folder with the package (this
checkout's ``src`` by default), and follows the data of three fits through files and rooms. Of
several folders the figures stand side by side, such as of a checkout before and after a change.

The files to open for a method are those of its own room that its file leads to, itself included:
what it imports there, what they import, and so on.

``--find SEED`` draws six methods and says for each where a reader who starts at the class meets a
line that does an equation of the method's own paper, and how many files they have open by then.
They follow names: from the class to the functions and classes that it uses, to those that these
use, then to those of one more file, and so on. Such a line has a comment with the number of the
equation, or of the definition, the algorithm, its step, the table or the section that states it,
or with the key of a paper that is not at hand; failing that it is a function whose docstring has
one. Without a key it speaks of the paper that its module names, and that has to be one of the
method's: a line in a helper of many methods, or of another paper, is not the method's own. The
docstring of a class, which only states the mathematics, does not count.
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import random
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ROOMS_OF_METHODS = ("cluster", "embed", "ensemble", "mkl", "semi_supervised")
ROOMS_OF_EQUATIONS = (*ROOMS_OF_METHODS, "acquire", "explain")
"""Rooms whose methods come from papers; ``compose`` only carries views to them."""
THREE = ("TwoStageMKL", "CoTraining", "KernelCCA")  # methods with the most files in 2026-11
SMALL = 100  # lines below which a file with one importer is only in the way of its reader
NEW_LINE = "\n"
NOT_WHY = re.compile(r"#\s*(noqa|type:|pragma|fmt:)")
NUMBERED = re.compile(
    r"\b(Eqs?\.|Algorithm|Definition|Lemma|Theorem|Table|Figure|[Ss]ection|[Ss]teps?|OP) ?\(?\d"
    r"|§ ?\d|#.*\(\d+(\.\d+)?\)$|\[@\w+\]"
)
"""What comments and docstrings cite: ``Eq. (5)``, ``Eq. 5.3``, ``# log of θ (22)``, ``§3``."""
KEY = re.compile(r"@([a-z]+\d{4}[a-z]*)")
DRAWN = 6

FOLLOW = """
import sys
import manyviews
from manyviews.datasets import hide_views, load_digits_views
from manyviews.{room} import {name}

home = manyviews.__path__[0] + "/"
files, crossings = set(), set()

def own(frame):
    while frame is not None and not frame.f_code.co_filename.startswith(home):
        frame = frame.f_back
    return frame and frame.f_code.co_filename.removeprefix(home)

def follow(frame, event, _):
    if event == "call" and frame.f_code.co_filename.startswith(home):
        here, there = own(frame), own(frame.f_back)
        files.add(here)
        if there and there.split("/")[0] != here.split("/")[0]:
            crossings.add((there, here))

views, y = load_digits_views()
views = {views}
sys.setprofile(follow)
{name}({options}).fit(views[:200]{labels})
sys.setprofile(None)
print(len(files), len(crossings))
"""


class Fit(NamedTuple):
    """A fit to follow, in the words of its source."""

    room: str
    name: str
    options: str = ""
    views: str = "views"
    labels: str = ""


FITS = (
    Fit("cluster", "CoRegularizedSpectral", "10"),
    Fit("cluster", "CoEMMixture", "10", views="hide_views(views, share=0.1, seed=0)"),
    Fit("mkl", "TwoStageMKL", labels=", y[:200]"),
)


class Module(NamedTuple):
    """One file, read."""

    path: Path
    name: str
    tree: ast.Module
    text: str

    @property
    def room(self) -> str:
        return self.name.split(".")[1] if "." in self.name else ""

    @property
    def classes(self) -> list[str]:
        return [node.name for node in self.tree.body if isinstance(node, ast.ClassDef)]


def read(package: Path) -> dict[str, Module]:
    """Every module of a package by its dotted name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        text = path.read_text(encoding="utf-8")
        found[name] = Module(path, name, ast.parse(text), text)
    return found


def imports(module: Module, known: dict[str, Module]) -> set[str]:
    """Modules of the package that a module imports, also inside functions."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {name for name in found if name in known} - {module.name}


def is_package(module: Module) -> bool:
    return module.path.name == "__init__.py"


def files_of(start: str, arrows: dict[str, set[str]], known: dict[str, Module]) -> set[str]:
    """Files of its own room that a method's file leads to, itself included."""
    seen, todo = set(), [start]
    while todo:
        name = todo.pop()
        if name in seen or is_package(known[name]) or known[name].room != known[start].room:
            continue
        seen.add(name)
        todo += arrows[name]
    return seen


def code_lines(module: Module) -> int:
    """Lines with code: neither blank nor only comment or docstring."""
    return len(
        {line for token in _code(module) for line in range(token.start[0], token.end[0] + 1)}
    )


def _code(module: Module) -> Iterator[tokenize.TokenInfo]:
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    docstrings = {
        (node.value.lineno, node.value.col_offset)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type not in skipped and token.string and token.start not in docstrings:
            yield token


def comments(module: Module) -> int:
    """Comments but for those that speak to tools."""
    tokens = tokenize.generate_tokens(io.StringIO(module.text).readline)
    return sum(
        token.type == tokenize.COMMENT and not NOT_WHY.match(token.string) for token in tokens
    )


def named_numbers(module: Module) -> Iterator[bool]:
    """Of every number that a module gives a name: whether a comment or docstring is beside it."""
    lines = module.text.splitlines()
    body = module.tree.body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_number(node.value):
            own = lines[node.lineno - 2 : node.end_lineno]
            explained = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            yield explained or any("#" in line for line in own)


def _name_of(node: ast.Assign | ast.AnnAssign) -> str:
    return ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


def _is_number(value: ast.expr | None) -> bool:
    if value is None:
        return False
    try:
        found = eval(ast.unparse(value), {"__builtins__": {}})
    except (NameError, SyntaxError, TypeError, AttributeError):
        return False
    return isinstance(found, int | float) and not isinstance(found, bool)


def way(source: Path, fit: Fit) -> str:
    """Files that a fit runs through, and pairs of files by which it goes to another room."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FOLLOW.format(**fit._asdict())],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=True,
    )
    return "/".join(done.stdout.split())


def measured(source: Path) -> Iterator[tuple[str, str]]:
    """Each figure with its name."""
    known = read(source / "manyviews")
    arrows = {name: imports(module, known) for name, module in known.items()}
    homes = dict(_homes(known))
    yield "files; with exactly one importer; of these small", _importers(known, arrows)
    yield "files to open for a method: median; the three", _opened(known, arrows, homes)
    rooms = [module for module in known.values() if module.room in ROOMS_OF_METHODS]
    yield "lines of code per method", f"{sum(map(code_lines, rooms)) / len(homes):.0f}"
    code = sum(map(code_lines, known.values()))
    yield "comments per line of code", f"{sum(map(comments, known.values())) / code:.1%}"
    numbers = [explained for module in known.values() for explained in named_numbers(module)]
    yield "named numbers without origin", f"{numbers.count(False)} of {len(numbers)}"
    yield "lines of src", f"{sum(module.text.count(NEW_LINE) for module in known.values())}"
    for fit in FITS:
        yield f"files/crossings of {fit.name}", way(source, fit)


def _importers(known: dict[str, Module], arrows: dict[str, set[str]]) -> str:
    plain = [name for name, module in known.items() if not is_package(module)]
    single = [name for name in plain if sum(name in own for own in arrows.values()) == 1]
    small = [name for name in single if known[name].text.count(NEW_LINE) < SMALL]
    return f"{len(known)}; {len(single)}; {len(small)}"


def _opened(known: dict[str, Module], arrows: dict[str, set[str]], homes: dict[str, str]) -> str:
    counts = {kind: len(files_of(home, arrows, known)) for kind, home in homes.items()}
    return "; ".join(str(count) for count in (median(counts.values()), *map(counts.get, THREE)))


def _homes(known: dict[str, Module]) -> Iterator[tuple[str, str]]:
    """Estimators of the rooms of methods, each with the module that defines it."""
    for name, module in known.items():
        if module.room in ROOMS_OF_METHODS:
            exported = _exported(known[f"manyviews.{module.room}"])
            yield from (
                (kind, name) for kind in module.classes if kind in exported & _fitted(module)
            )


def _exported(package: Module) -> set[str]:
    for node in package.tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and _name_of(node) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def _fitted(module: Module) -> set[str]:
    """Classes that say what their fit learns, as every estimator's docstring does."""
    return {
        node.name
        for node in module.tree.body
        if isinstance(node, ast.ClassDef) and "Attributes\n" in (ast.get_docstring(node) or "")
    }


class Place(NamedTuple):
    """Lines that do equations, and the files that lead to them, the method's own first."""

    files: tuple[str, ...]
    lines: list[int]


class Way(NamedTuple):
    """Files opened one after the other, and the names that led into the last of them."""

    files: tuple[str, ...]
    names: list[str]


class Symbol(NamedTuple):
    """A name at the top of a module."""

    module: str
    name: str


def methods(known: dict[str, Module]) -> dict[str, str]:
    """Methods of the rooms whose papers have equations, each with the module that defines it.

    They are classes that are fitted, and whatever else states an objective.
    """
    found = {}
    for name, module in known.items():
        if module.room in ROOMS_OF_EQUATIONS and not is_package(module):
            exported = _exported(known[f"manyviews.{module.room}"])
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name in exported:
                    stated = "**Objective**" in (ast.get_docstring(node) or "")
                    if stated or node.name in _fitted(module):
                        found[node.name] = name
    return found


def place_of_equation(method: str, home: str, known: dict[str, Module]) -> Place | None:
    """Where equations of the method's paper are first met, by the fewest files."""
    papers = frozenset(KEY.findall(ast.get_docstring(known[home].tree) or ""))
    level = {home: Way((home,), [method])}
    seen = set[Symbol]()
    while level:
        further: dict[str, Way] = {}
        for name, way in level.items():
            inside, beyond = _reached(known[name], way.names, known)
            lines = _cited_lines(known[name], inside, papers)
            if lines:
                return Place(way.files, lines)
            seen |= {Symbol(name, own) for own in inside}
            for symbol in sorted(beyond - seen):
                new = Way((*way.files, symbol.module), [])
                further.setdefault(symbol.module, new).names.append(symbol.name)
        level = further
    return None


def _reached(
    module: Module, names: Iterable[str], known: dict[str, Module]
) -> tuple[set[str], set[Symbol]]:
    """Names of a module that some of them lead to, themselves included, and those of others."""
    inside, beyond, todo = set[str](), set[Symbol](), list(names)
    while todo:
        name = todo.pop()
        if name not in inside:
            inside.add(name)
            used = set(_uses(module, name, known))
            beyond |= {symbol for symbol in used if symbol.module != module.name}
            todo += [symbol.name for symbol in used if symbol.module == module.name]
    return inside, beyond


def _uses(module: Module, name: str, known: dict[str, Module]) -> Iterator[Symbol]:
    """Names at the top of modules of the package that one of them uses."""
    own, imported = definitions(module), _imported(module)
    for node in ast.walk(own[name]):
        used = None
        if isinstance(node, ast.Name) and node.id in own:
            used = Symbol(module.name, node.id)
        elif isinstance(node, ast.Name) and node.id in imported:
            used = imported[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            parent = imported.get(node.value.id)  # as ``kernels`` in ``kernels.merge``
            used = parent and Symbol(".".join(parent), node.attr)
        found = used and defined_at(used, known)
        if found:
            yield found


@cache
def definitions(module: Module) -> dict[str, ast.stmt]:
    """What a module defines: its functions, classes and named values."""
    found: dict[str, ast.stmt] = {}
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found[_name_of(node)] = node
    return found


@cache
def _imported(module: Module) -> dict[str, Symbol]:
    """What a module imports by name, also inside functions, and from where."""
    return {
        alias.asname or alias.name: Symbol(node.module, alias.name)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


def defined_at(symbol: Symbol, known: dict[str, Module]) -> Symbol | None:
    """Where a name is defined that a module imports, or a package hands on; None if not here.

    A package is no file to open: who asks an editor for a definition is led past it.
    """
    if symbol.module not in known or symbol.name in definitions(known[symbol.module]):
        return symbol if symbol.module in known else None
    handed_on = _imported(known[symbol.module]).get(symbol.name)
    return defined_at(handed_on, known) if handed_on else None


def _cited_lines(module: Module, names: set[str], papers: frozenset[str]) -> list[int]:
    """Lines within some definitions that cite one of the papers; docstrings if no comment does."""
    theirs = frozenset(KEY.findall(ast.get_docstring(module.tree) or ""))
    nodes = [node for name, node in definitions(module).items() if name in names]
    for cited in (_comment_lines(module), _docstring_lines(module)):
        lines = [
            line
            for line, text in cited.items()
            if (frozenset(KEY.findall(text)) or theirs) & papers
            and any(node.lineno <= line <= (node.end_lineno or line) for node in nodes)
        ]
        if lines:
            return sorted(lines)
    return []


@cache
def _comment_lines(module: Module) -> dict[int, str]:
    """Comments that cite something, by line."""
    return {
        token.start[0]: token.string
        for token in tokenize.generate_tokens(io.StringIO(module.text).readline)
        if token.type == tokenize.COMMENT and NUMBERED.search(token.string)
    }


@cache
def _docstring_lines(module: Module) -> dict[int, str]:
    """Docstrings of functions that cite something, by the function's line.

    One that states an objective tells the mathematics, and does none.
    """
    found = {
        node.lineno: ast.get_docstring(node) or ""
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef)
    }
    return {
        line: text
        for line, text in found.items()
        if NUMBERED.search(text) and "**Objective**" not in text
    }


def found(source: Path, seed: int) -> Iterator[str]:
    """For six methods drawn at random: the line, and the files open by then."""
    known = read(source / "manyviews")
    homes = methods(known)
    for kind in random.Random(seed).sample(sorted(homes), min(DRAWN, len(homes))):
        place = place_of_equation(kind, homes[kind], known)
        if place is None:
            yield f"{kind:25s} no line with the number of an equation"
            continue
        module = known[place.files[-1]]
        first, *more = place.lines
        shown = module.text.splitlines()[first - 1].strip()
        where = f"{module.path.relative_to(source)}:{first}"
        yield (
            f"{kind:25s} {len(place.files)} opened, {1 + len(more):2d} lines, the first "
            f"{where:55s} {shown[:60]}"
        )


def main() -> int:
    """Print the figures, one a line and a column for each folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.layout", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=[ROOT / "src"])
    parser.add_argument(
        "--find", type=int, metavar="SEED", help="lines of equations of six methods"
    )
    options = parser.parse_args()
    if options.find is not None:
        for folder in options.folders:
            print(*found(folder, options.find), sep=NEW_LINE)
        return 0
    columns = [dict(measured(folder)) for folder in options.folders]
    if len(columns) > 1:
        print(f"{'':55s}", *(f"{folder!s:>30s}" for folder in options.folders))
    for what in columns[0]:
        print(f"{what:55s}", *(f"{column[what]:>30s}" for column in columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
