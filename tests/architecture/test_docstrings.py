"""Class docstrings begin with use and end with the mathematics."""

from __future__ import annotations

from manyviews.app.cli.docstrings import documentation
from manyviews.registry import estimators

ORDER = ("Parameters", "Attributes", "Examples", "Notes", "References")


def misplaced(doc) -> bool:
    """Whether sections lack or stand in another order, or the mathematics is not in the notes."""
    in_order = [section for section in ORDER if section in doc.sections]
    elsewhere = (doc.text, *(doc.sections.get(part, "") for part in ORDER[:3]))
    return (
        list(doc.sections) != in_order
        or "Examples" not in doc.sections
        or any("**Objective**" in part for part in elsewhere)
    )


def test_docstrings_have_use_first_and_mathematics_in_their_notes():
    wrong = [name for name, kind in estimators().items() if misplaced(documentation(kind))]
    assert wrong == []
