"""What ``python -m benchmarks.layout`` counts, on a package of a few lines."""

from __future__ import annotations

import sys

import pytest

from benchmarks import layout

CLASS = '''
class {name}:
    """A method, by Eq. (1).

    Attributes
    ----------
    labels_ : array
    """
'''
FILES = {
    "__init__.py": "",
    "maths/__init__.py": "",
    "maths/sums.py": 'def total(x):\n    """Eq. 3."""\n    return sum(x)\n',
    "cluster/__init__.py": "__all__ = ['Far', 'Near', 'Nowhere']\n",
    "cluster/near.py": "from manyviews.cluster import far\n"
    + CLASS.format(name="Near")
    + "\n    total = 1  # Eq. (5)\n",
    "cluster/far.py": "from manyviews.cluster._shared import size\n" + CLASS.format(name="Far"),
    "cluster/_shared.py": "from manyviews.maths.sums import total\n\nsize = total\n",
    "cluster/nowhere.py": CLASS.format(name="Nowhere"),
}


@pytest.fixture
def source(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "manyviews" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_files_to_open_are_those_of_the_room(source):
    known = layout.read(source / "manyviews")
    arrows = {name: layout.imports(module, known) for name, module in known.items()}
    room = "manyviews.cluster."
    assert layout.files_of(f"{room}nowhere", arrows, known) == {f"{room}nowhere"}
    assert layout.files_of(f"{room}near", arrows, known) == {
        f"{room}near",
        f"{room}far",
        f"{room}_shared",
    }


def test_lines_of_equations_are_found_by_the_shortest_way(source):
    found = {line.split()[0]: line.split()[1:] for line in layout.found(source, seed=0)}
    assert found["Near"][:3] == ["1", "opened", "manyviews/cluster/near.py:11"]
    assert found["Near"][-3:] == ["#", "Eq.", "(5)"]
    assert found["Far"][:3] == ["3", "opened", "manyviews/maths/sums.py:1"]
    assert found["Nowhere"][0] == "no"


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("# Eq. (5)", True),
        ("# σ, Eqs. 5.1 and 6.1", True),
        ("# step 2 of Algorithm 1", True),
        ("# log of θ (22)", True),
        ("# an equation", False),
        ("# of 100 (and more)", False),
    ],
)
def test_what_counts_as_the_number_of_an_equation(text, numbered):
    assert bool(layout.NUMBERED.search(text)) is numbered


def test_several_folders_stand_side_by_side(monkeypatch, capsys):
    figures = {"before": "7", "after": "3"}
    monkeypatch.setattr(layout, "measured", lambda folder: [("files", figures[folder.name])])
    monkeypatch.setattr(sys, "argv", ["layout", "before", "after"])
    layout.main()
    head, line = capsys.readouterr().out.splitlines()
    assert head.split() == ["before", "after"]
    assert line.split() == ["files", "7", "3"]
