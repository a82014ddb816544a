"""Arrows point down only: the imports of every file against the house's floor plan."""

import ast
import shutil
from pathlib import Path

import pytest

import manyviews

PACKAGE = Path(manyviews.__file__).parent

ANYONE = {"typing", "exceptions", "_version"}
LEARNERS = {"compose", "cluster", "embed", "semi_supervised", "mkl", "ensemble"}
BELOW_LEARNERS = {"base", "similarity", "data", "maths", "metrics"}
READERS = {"acquire", "explain", "plot"}
BELOW_READERS = {"base", "data", "similarity", "maths", "metrics"}

MAY_IMPORT = {
    "maths": set(),
    "metrics": {"data", "maths"},
    "data": {"maths"},
    "datasets": {"data", "maths"},
    "similarity": {"base", "data", "maths"},
    "base": {"data", "maths"},
    **dict.fromkeys(LEARNERS, BELOW_LEARNERS),
    **dict.fromkeys(READERS, BELOW_READERS),
}
FREE = {"app", "testing", "__init__", "__main__", "registry"}
NOT_TO_BE_IMPORTED = {"app", "testing"}
FORBIDDEN_NAMES = {"utils", "util", "common", "helpers", "misc"}


def room_of(path: Path, package: Path = PACKAGE) -> str:
    return path.relative_to(package).parts[0].removesuffix(".py")


def imported_rooms(source: str) -> set[str]:
    """Our rooms that a piece of code imports, also inside functions and for types only."""
    rooms = set()
    for node in ast.walk(ast.parse(source)):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            modules = [node.module or ""]
            if node.module == "manyviews":
                modules = [f"manyviews.{alias.name}" for alias in node.names]
        for module in modules:
            head, _, rest = module.partition(".")
            if head == "manyviews":
                rooms.add(rest.split(".")[0] if rest else "__init__")
    return rooms


def broken_arrows(room: str, source: str) -> set[str]:
    imported = imported_rooms(source) - {room} - ANYONE
    if room == "__main__":  # python -m manyviews is the command line
        imported -= {"app"}
    if room in FREE:
        return imported & (NOT_TO_BE_IMPORTED - {room})
    return imported - MAY_IMPORT.get(room, set())


FILES = sorted(PACKAGE.rglob("*.py"))


def test_no_arrow_points_up():
    broken = {
        str(path.relative_to(PACKAGE)): found
        for path in FILES
        if (found := broken_arrows(room_of(path), path.read_text()))
    }
    assert broken == {}


def test_every_room_is_on_the_floor_plan():
    assert {room_of(path) for path in FILES} <= MAY_IMPORT.keys() | FREE | ANYONE


@pytest.mark.parametrize(
    ("room", "line", "expected"),
    [
        ("maths", "from manyviews.data import Views", {"data"}),
        ("data", "import manyviews.base", {"base"}),
        ("base", "from manyviews.cluster import X", {"cluster"}),
        ("cluster", "from manyviews.embed import X", {"embed"}),
        ("embed", "from manyviews.app.cli import main", {"app"}),
        ("explain", "from manyviews.plot import X", {"plot"}),
        ("app", "from manyviews.testing import X", {"testing"}),
        ("datasets", "def f():\n    from manyviews.explain import diagnose", {"explain"}),
        ("cluster", "from manyviews import Views", {"Views"}),
        ("cluster", "from manyviews.base import ViewTags", set()),
    ],
)
def test_an_upward_import_is_seen(room, line, expected):
    assert broken_arrows(room, line) == expected


def test_an_upward_import_in_the_house_is_found(tmp_path):
    house = shutil.copytree(PACKAGE, tmp_path / "manyviews")
    (house / "maths" / "_shortcut.py").write_text("from manyviews.compose import PerView\n")
    found = {
        path.name: broken_arrows(room_of(path, house), path.read_text())
        for path in house.rglob("*.py")
    }
    assert {name: rooms for name, rooms in found.items() if rooms} == {"_shortcut.py": {"compose"}}


def test_there_is_no_room_for_odds_and_ends():
    assert not [path for path in FILES if path.stem.lstrip("_") in FORBIDDEN_NAMES]


def test_only_plot_imports_matplotlib():
    guilty = [
        path
        for path in FILES
        if room_of(path) != "plot" and "import matplotlib" in path.read_text()
    ]
    assert guilty == []
