"""Names of views as names of files and of HDF5 groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_LONGEST = 60
_RESERVED = re.compile("con|prn|aux|nul|com[0-9]|lpt[0-9]", re.IGNORECASE)
"""Files that cannot be called so on Windows."""


def file_stems(names: Iterable[str]) -> list[str]:
    """Distinct file names without suffix, safe on every system, close to the names given.

    Examples
    --------
    >>> file_stems(["text", "Text", "a/b c", "…", "con"])
    ['text', 'Text_2', 'a_b_c', 'view', 'con_']
    """
    return _distinct(names, _plain)


def group_keys(names: Iterable[str]) -> list[str]:
    """Distinct keys for HDF5: the names themselves unless they hold a slash or the like.

    Examples
    --------
    >>> group_keys(["text", "a/b c", "é"])
    ['text', 'a_b_c', 'é']
    """
    return _distinct(names, lambda name: name if _is_key(name) else _plain(name))


def _is_key(name: str) -> bool:
    return bool(name) and name.isprintable() and "/" not in name and name.strip(". ") == name


def _plain(name: str) -> str:
    stem = re.sub(r"[^A-Za-z0-9-]+", "_", name).strip("_")[:_LONGEST] or "view"
    return f"{stem}_" if _RESERVED.fullmatch(stem) else stem


def _distinct(names: Iterable[str], simplified: Callable[[str], str]) -> list[str]:
    taken: set[str] = set()
    chosen = []
    for name in names:
        stem = candidate = simplified(name)
        number = 2
        while candidate.casefold() in taken:
            candidate, number = f"{stem}_{number}", number + 1
        taken.add(candidate.casefold())
        chosen.append(candidate)
    return chosen
