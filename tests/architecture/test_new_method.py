"""A method comes with its paper, its mathematics, an example and a place in the guide.

Each rule says in one sentence what is missing and where to add it. ``docs/add_a_method.md`` tells
the same to people; here a newcomer is told by a failing test.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from manyviews.registry import estimators

ROOT = Path(__file__).parents[2]
KEY = re.compile(r"@([a-z]+\d{4}[a-z]*)")
TOOLS = "manyviews.compose"
"""The one room whose estimators come from no paper: they carry views to other methods."""


@dataclass(frozen=True)
class Surroundings:
    """What stands around the package: the bibliography, the examples and the guide."""

    keys: frozenset[str]
    """Papers in the bibliography."""
    shown: frozenset[str]
    """Names that examples import; a name that only their prose mentions shows nothing."""
    guide: str
    """All pages of the guide."""


def around(root: Path) -> Surroundings:
    examples = (path.read_text(encoding="utf-8") for path in (root / "examples").glob("*.py"))
    pages = sorted((root / "docs" / "guide").glob("*.md"))
    return Surroundings(
        frozenset(re.findall(r"^@\w+\{(\w+),", (root / "docs/references.bib").read_text(), re.M)),
        frozenset(name for source in examples for name in imported_names(source)),
        "\n".join(path.read_text(encoding="utf-8") for path in pages),
    )


def imported_names(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("manyviews"):
            yield from (alias.name for alias in node.names)


def missing(kind: type, place: Surroundings) -> list[str]:
    """What a method lacks, a sentence each."""
    rules: list[Callable[[type, Surroundings], Iterator[str]]] = [example, guide_entry]
    if not kind.__module__.startswith(TOOLS):
        rules = [paper, mathematics, *rules]
    return [sentence for rule in rules for sentence in rule(kind, place)]


def paper(kind: type, place: Surroundings) -> Iterator[str]:
    name, cited = kind.__name__, KEY.findall(docstring(kind))
    if not KEY.search(sys.modules[kind.__module__].__doc__ or ""):
        yield f"{name} names no paper: add [@key] to the docstring of its module {kind.__module__}."
    if not cited:
        yield f"{name} names no paper: add [@key] under References in the docstring of the class."
    for key in sorted(set(cited) - place.keys):
        yield f"{name} cites [@{key}], which is not known: add it to docs/references.bib."


def mathematics(kind: type, place: Surroundings) -> Iterator[str]:
    for part in ("Objective", "Deviations"):
        if f"**{part}**" not in docstring(kind):
            yield (
                f"{kind.__name__} has no **{part}**: add it to Notes in the docstring of the "
                "class, as docs/add_a_method.md shows."
            )


def example(kind: type, place: Surroundings) -> Iterator[str]:
    if kind.__name__ not in place.shown:
        yield (
            f"{kind.__name__} is in no example: use it in a script in examples/, an own one or "
            "that of a method it is compared with."
        )


def guide_entry(kind: type, place: Surroundings) -> Iterator[str]:
    if not re.search(rf"\b{kind.__name__}\b", place.guide):
        yield (
            f"{kind.__name__} is not in the guide: add a page to docs/guide/, named in its "
            "index.md, or a paragraph to the page of its family."
        )


def docstring(kind: type) -> str:
    """Return what the class itself says; that of a base does not count."""
    return kind.__dict__.get("__doc__") or ""


def test_every_method_is_complete():
    place = around(ROOT)
    found = [sentence for kind in estimators().values() for sentence in missing(kind, place)]
    assert not found, "\n".join(["", *found])


class Toy:
    """A method of [@toy2005], said in the module docstring that a test gives it.

    Notes
    -----
    **Objective**
        None.

    **Deviations**
        None.
    """


COMPLETE = Surroundings(frozenset({"toy2005"}), frozenset({"Toy"}), "Take `Toy` for toys.")


def toy(text: str) -> type:
    return type("Toy", (Toy,), {"__doc__": text, "__module__": __name__})


@pytest.fixture
def named_paper(monkeypatch):
    """This module stands in for that of a method, whose docstring names its paper."""
    monkeypatch.setattr(sys.modules[__name__], "__doc__", "A toy [@toy2005].")


@pytest.mark.usefixtures("named_paper")
@pytest.mark.parametrize(
    ("kind", "place", "sentence"),
    [
        (
            toy(Toy.__doc__.replace("[@toy2005]", "somebody")),
            COMPLETE,
            "Toy names no paper: add [@key] under References in the docstring of the class.",
        ),
        (
            toy(Toy.__doc__.replace("2005", "2006")),
            COMPLETE,
            "Toy cites [@toy2006], which is not known: add it to docs/references.bib.",
        ),
        (
            toy(Toy.__doc__.replace("**Objective**", "Objective")),
            COMPLETE,
            "Toy has no **Objective**: add it to Notes in the docstring of the class, as "
            "docs/add_a_method.md shows.",
        ),
        (
            toy(Toy.__doc__.replace("**Deviations**", "")),
            COMPLETE,
            "Toy has no **Deviations**: add it to Notes in the docstring of the class, as "
            "docs/add_a_method.md shows.",
        ),
        (
            Toy,
            replace(COMPLETE, shown=frozenset({"ToyBox"})),
            "Toy is in no example: use it in a script in examples/, an own one or that of a "
            "method it is compared with.",
        ),
        (
            Toy,
            replace(COMPLETE, guide="Take `ToyBox`."),
            "Toy is not in the guide: add a page to docs/guide/, named in its index.md, or a "
            "paragraph to the page of its family.",
        ),
    ],
)
def test_what_a_method_lacks_is_said_in_a_sentence(kind, place, sentence):
    assert missing(kind, place) == [sentence]


@pytest.mark.usefixtures("named_paper")
def test_a_complete_method_lacks_nothing():
    assert missing(Toy, COMPLETE) == []


def test_a_module_without_its_paper_is_noticed():
    assert missing(Toy, COMPLETE) == [
        f"Toy names no paper: add [@key] to the docstring of its module {__name__}."
    ]


def test_a_docstring_of_a_base_does_not_count():
    assert "Toy has no **Objective**" in " ".join(missing(toy(""), COMPLETE))


def test_an_example_shows_what_it_imports_not_what_it_mentions():
    source = '"""CoRLS"""\nfrom manyviews.cluster import CCA\nfrom sklearn.svm import SVC'
    assert set(imported_names(source)) == {"CCA"}
