"""Code outside the package reaches it as its users do, and the package needs none of it."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
OUTSIDE = {"papers", "benchmarks", "tests"}
READERS = ("tests", "papers", "benchmarks", "examples", "docs", "conftest.py", "README.md")
IMPORT_LINE = re.compile(r"^(?:>>> |\.\.\. )? *((?:from|import) manyviews\b.*)$", re.M)
"""An import on a page, in a block of code or behind a prompt."""


def imported(source: str) -> list[tuple[str, str | None]]:
    """Modules that a piece of code imports, each with the name that it takes from there."""
    found: list[tuple[str, str | None]] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(node.module or "", alias.name) for alias in node.names]
    return found


def not_public(source: str) -> list[str]:
    """What a piece of code takes from the library that is not offered there."""
    taken = [(m, name) for m, name in imported(source) if m.partition(".")[0] == "manyviews"]
    return [f"{m}: {name}" for m, name in taken if not is_public(m, name)]


def is_public(module: str, name: str | None) -> bool:
    if any(part.startswith("_") for part in module.split(".")):
        return False
    if name is None:
        return True
    home = import_module(module)
    offered = getattr(home, "__all__", None) or [own for own in dir(home) if own[0] != "_"]
    return name in offered or is_module(getattr(home, name, None), f"{module}.{name}")


def is_module(found: object, path: str) -> bool:
    return isinstance(found, ModuleType) and found.__name__ == path and is_public(path, None)


def of_outside(source: str) -> set[str]:
    return {module.partition(".")[0] for module, _ in imported(source)} & OUTSIDE


def private_modules(path: Path) -> list[str]:
    """Private modules of the library that a script or a page imports."""
    text = path.read_text(encoding="utf-8")
    sources = [text]
    if path.suffix != ".py":  # names in brackets stand on further lines
        sources = [re.sub(r"\(.*$", "x", line) for line in IMPORT_LINE.findall(text)]
    taken = [one for source in sources for one in imported(source)]
    found = {
        f"{module}.{name}" if is_own_module(module, name) else module for module, name in taken
    }
    return sorted(module for module in found if re.match(r"manyviews\b.*\._", module))


def is_own_module(module: str, name: str | None) -> bool:
    """Whether a name that is imported from a module of ours is a module itself."""
    place = (ROOT / "src" / module.replace(".", "/")) / f"{name}"
    return place.with_suffix(".py").is_file() or place.is_dir()


def test_private_modules_are_imported_by_the_package_only():
    places = [ROOT / reader for reader in READERS]
    files = [f for p in places for f in (p.rglob("*") if p.is_dir() else [p])]
    refused = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sorted(files)
        if path.suffix in {".py", ".md"}
        for module in private_modules(path)
        if not module.endswith("._shared")  # of a family, whose methods have none of their own
    ]
    assert refused == []


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.py", "from manyviews.mkl._new import x", ["manyviews.mkl._new"]),
        ("a.py", "def f():\n    import manyviews.data._io", ["manyviews.data._io"]),
        ("a.py", "from manyviews.maths import _random", ["manyviews.maths._random"]),
        ("a.py", "from manyviews.maths import eigen, no_such_name", []),
        ("a.py", "from manyviews import __version__", []),
        ("a.md", "so:\n\n>>> from manyviews.mkl._new import x\n", ["manyviews.mkl._new"]),
        ("a.md", "```python\nfrom manyviews.mkl._new import (\n```", ["manyviews.mkl._new"]),
        ("a.md", "Import manyviews.mkl._new, from manyviews or not.", []),
    ],
)
def test_private_modules_are_seen(name, text, expected, tmp_path):
    (tmp_path / name).write_text(text)
    assert private_modules(tmp_path / name) == expected


def test_papers_use_public_names_only():
    files = sorted((ROOT / "papers").rglob("*.py"))
    assert files
    found = {str(path.relative_to(ROOT)): not_public(path.read_text()) for path in files}
    assert {path: names for path, names in found.items() if names} == {}


def test_the_package_imports_nothing_from_outside():
    found = {path: of_outside(path.read_text()) for path in (ROOT / "src").rglob("*.py")}
    assert {str(path): names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("from manyviews.cluster import FusedSpectral", []),
        ("from manyviews import datasets", []),
        ("import manyviews as mv", []),
        ("from manyviews.cluster import _trees", ["manyviews.cluster: _trees"]),
        ("from manyviews.cluster._trees import x", ["manyviews.cluster._trees: x"]),
        ("def f():\n    import manyviews.data._io", ["manyviews.data._io: None"]),
        ("from manyviews.ensemble import np", ["manyviews.ensemble: np"]),
    ],
)
def test_names_that_are_not_public_are_seen(line, expected):
    assert not_public(line) == expected


def test_an_import_from_outside_is_seen():
    assert of_outside("def f():\n    from papers._frame import Table") == {"papers"}
    assert of_outside("import papersplease") == set()
