"""The counts of ``python -m benchmarks.layout``, on a package of a few lines."""

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
PAPER = '"""From a paper [@toy2005]."""\n'
FILES = {
    "__init__.py": "",
    "maths/__init__.py": "from manyviews.maths.sums import total\n",
    "maths/sums.py": PAPER
    + "def other(x):\n    return x  # Eq. (2)\n\n\n"
    + 'def total(x):\n    """Eq. 3."""\n    return sum(x)\n',
    "cluster/__init__.py": "__all__ = ['Far', 'Near', 'Nowhere', 'ByModule', 'stated', 'told']\n",
    "cluster/near.py": PAPER
    + "from manyviews.cluster import far\n"
    + CLASS.format(name="Near")
    + "\n    total = 1  # Eq. (5)\n",
    "cluster/far.py": PAPER
    + "from manyviews.cluster._shared import size\n"
    + CLASS.format(name="Far")
    + "\n    size = size\n",
    "cluster/_shared.py": "from manyviews.maths import total\n\nsize = total  # Eq. (9)\n",
    "cluster/nowhere.py": PAPER
    + "def beside(x):\n    return x  # Eq. (5)\n"
    + CLASS.format(name="Nowhere"),
    "cluster/by_module.py": PAPER
    + CLASS.format(name="ByModule")
    + "\n    def fit(self, x):\n        from manyviews.maths import sums\n\n"
    + "        return sums.other(x)\n",
    "explain/__init__.py": "__all__ = ['stated', 'told']\n",
    "explain/stated.py": PAPER
    + 'def stated(x):\n    """**Objective** of Eq. (1)."""\n    return x  # section 3\n\n\n'
    + 'def told(x):\n    """A report."""\n    return x\n',
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


def test_lines_of_equations_are_found_by_the_names_that_a_class_uses(source):
    found = {line.split()[0]: line.split()[1:] for line in layout.found(source, seed=0)}
    assert (found["Near"][0], found["Near"][6]) == ("1", "manyviews/cluster/near.py:12")
    assert found["Near"][-3:] == ["#", "Eq.", "(5)"]
    assert found["ByModule"][0] == "2"
    assert found["ByModule"][-3:] == ["#", "Eq.", "(2)"]
    assert (found["Far"][0], found["Far"][6]) == ("3", "manyviews/maths/sums.py:6")
    assert found["Nowhere"][0] == "no"


def test_methods_are_fitted_classes_and_what_states_an_objective(source):
    known = layout.read(source / "manyviews")
    assert set(layout.methods(known)) == {"Near", "Far", "Nowhere", "ByModule", "stated"}


@pytest.mark.parametrize(
    ("text", "numbered"),
    [
        ("# Eq. (5)", True),
        ("# σ, Eqs. 5.1 and 6.1", True),
        ("# step 2 of Algorithm 1", True),
        ("# the constant of §3.2.1", True),
        ("# kernel addition, section 3.4", True),
        ("# the cut of [@joachims2003]", True),
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
