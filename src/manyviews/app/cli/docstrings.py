"""Numpydoc docstrings cut into their parts: purpose, parameters, attributes, papers."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, field
from itertools import pairwise

PAPER = re.compile(r"\[@([\w:.-]+?)\]")
ROLE = re.compile(r":\w+:`(?:~[\w.]*\.)?([^`<]+?)(?:\s*<[^`]*>)?`")
BOLD = re.compile(r"\*\*(\w[^*\n]*)\*\*")
HEADING = re.compile(r"^(\S[^\n]*)\n-{3,}[ ]*$", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """One line of a list of parameters or attributes."""

    name: str
    type: str
    description: str


@dataclass(frozen=True)
class Documentation:
    """The parts of a numpydoc docstring that a list of methods shows."""

    purpose: str = ""
    text: str = ""
    """All before the first section, the purpose included."""
    sections: dict[str, str] = field(default_factory=dict)

    def entries(self, section: str) -> dict[str, Entry]:
        """Return the entries of a section such as Parameters, by name."""
        found = {}
        for name, kind, description in _split_entries(self.sections.get(section, "")):
            for single in name.split(","):
                found[single.strip().lstrip("*")] = Entry(single.strip(), kind, description)
        return found


def read_docstring(text: str | None) -> Documentation:
    """Cut a docstring into its sections.

    Examples
    --------
    >>> doc = read_docstring('''Do it.
    ...
    ... Parameters
    ... ----------
    ... speed : float
    ...     How fast.
    ... ''')
    >>> doc.purpose, doc.entries("Parameters")["speed"].description
    ('Do it.', 'How fast.')
    """
    clean = without_markup(inspect.cleandoc(text or ""))
    headings = list(HEADING.finditer(clean))
    ends = [heading.start() for heading in headings] + [len(clean)]
    sections = {
        heading[1].strip(): clean[heading.end() : end].strip("\n")
        for heading, (_, end) in zip(headings, pairwise(ends), strict=True)
    }
    opening = clean[: ends[0]].strip()
    return Documentation(" ".join(opening.split("\n\n")[0].split()), opening, sections)


def without_markup(text: str) -> str:
    """Leave out what only a web page can show: links, bold headings, marks of code.

    Examples
    --------
    >>> without_markup(":class:`~manyviews.maths.Gram` and :class:`PerView`, ``n`` times")
    'Gram and PerView, n times'
    """
    return BOLD.sub(r"\1", ROLE.sub(r"\1", text)).replace("``", "")


def documentation(cls: type) -> Documentation:
    """Return the documentation of a class (that of a base does not count)."""
    return read_docstring(cls.__dict__.get("__doc__"))


def papers(cls: type) -> list[str]:
    """Keys of the papers a method comes from, in the order in which they are named."""
    module = sys.modules.get(cls.__module__)
    text = f"{getattr(module, '__doc__', '') or ''}\n{cls.__dict__.get('__doc__') or ''}"
    return list(dict.fromkeys(PAPER.findall(text)))


def _split_entries(section: str) -> list[tuple[str, str, str]]:
    entries: list[tuple[str, str, list[str]]] = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            name, _, kind = line.partition(" : ")
            entries.append((name.strip(), kind.strip(), []))
        elif entries:
            entries[-1][2].append(line.strip())
    return [(name, kind, _joined(lines)) for name, kind, lines in entries]


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
