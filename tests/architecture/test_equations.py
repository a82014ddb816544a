"""From the class of a method to a line that does an equation of its paper: two files at most."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import layout

MOST_FILES = 2


def far_from_their_equations(package: Path) -> Iterator[str]:
    """A sentence for each method whose equations take more files, or are nowhere."""
    known = layout.read(package)
    for method, home in sorted(layout.methods(known).items()):
        place = layout.place_of_equation(method, home, known)
        path = known[home].path.relative_to(package.parent)
        if place is None:
            yield (
                f"{method} leads to no line that cites an equation of its paper: put the number "
                "of the equation, or of the section or algorithm that states it, in a comment on "
                f"the line that does it, in {path}."
            )
        elif len(place.files) > MOST_FILES:
            yield (
                f"{method} leads to an equation of its paper only in {place.files[-1]}, through "
                f"{len(place.files)} files: move the line nearer to {path}, or cite there the "
                "equation that the line does which calls it."
            )


def test_equations_of_every_method_are_two_files_away_at_most():
    found = list(far_from_their_equations(Path(layout.ROOT) / "src" / "manyviews"))
    assert not found, "\n".join(["", *found])


ROOM = '''"""A room."""
from manyviews.cluster.toy import Toy

__all__ = ["Toy"]
'''
METHOD = '''"""A method [@toy2005]."""
from manyviews.cluster._shared import total

class Toy:
    """A method.

    Attributes
    ----------
    sum_ : float
        By Eq. (1).
    """

    def fit(self, X):
        self.sum_ = total(X)
        return self
'''
HELPER = '''"""What many use."""
from manyviews.maths.sums import plain

def total(x):
    return plain(x)
'''
FAR = '''"""Sums."""

def plain(x):
    return sum(x)  # Eq. (1){of}
'''


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        (" of [@toy2005]", "Toy leads to an equation of its paper only in manyviews.maths.sums"),
        (" of [@other2005]", "Toy leads to no line that cites an equation of its paper"),
        ("", "Toy leads to no line that cites an equation of its paper"),
    ],
)
def test_equations_that_are_far_or_of_another_paper_are_noticed(tmp_path, of, sentence):
    package = tmp_path / "manyviews"
    files = {
        "__init__.py": "",
        "cluster/__init__.py": ROOM,
        "cluster/toy.py": METHOD,
        "cluster/_shared.py": HELPER,
        "maths/__init__.py": "",
        "maths/sums.py": FAR.format(of=of),
    }
    for name, text in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text)
    found = list(far_from_their_equations(package))
    assert len(found) == 1
    assert found[0].startswith(sentence)
