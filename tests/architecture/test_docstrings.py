"""Class docstrings begin with use and end with the mathematics."""

from __future__ import annotations

import pytest

from manyviews.app.cli.docstrings import documentation
from manyviews.registry import estimators

ORDER = ("Parameters", "Attributes", "Examples", "Notes", "References")
ESTIMATORS = estimators()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_docstring_has_use_first_and_mathematics_in_its_notes(name):
    doc = documentation(ESTIMATORS[name])
    assert list(doc.sections) == [section for section in ORDER if section in doc.sections]
    assert "Examples" in doc.sections
    elsewhere = (doc.text, *(doc.sections.get(part, "") for part in ORDER[:3]))
    assert not any("**Objective**" in part for part in elsewhere)
