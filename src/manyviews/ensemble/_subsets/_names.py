"""Which subsets of the views get a classifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from manyviews.exceptions import UnknownViewError

Subset: TypeAlias = tuple[str, ...]
"""Names of views, in the order of the views."""

MOST_VIEWS = 10
"""Beyond this, all subsets are too many to train: they double with every view."""


def all_subsets(names: Sequence[str]) -> list[Subset]:
    """Every subset but the empty one, small ones first.

    Examples
    --------
    >>> all_subsets(["a", "b"])
    [('a',), ('b',), ('a', 'b')]
    >>> len(all_subsets("CSHVPZ"))
    63
    """
    sizes = range(1, len(names) + 1)
    return [subset for size in sizes for subset in combinations(names, size)]


def few_subsets(names: Sequence[str]) -> list[Subset]:
    """Each view alone, all but each, and all.

    Examples
    --------
    >>> few_subsets("abc")
    [('a',), ('b',), ('c',), ('b', 'c'), ('a', 'c'), ('a', 'b'), ('a', 'b', 'c')]
    """
    whole = tuple(names)
    without = [whole[:place] + whole[place + 1 :] for place in range(len(whole))]
    return [*((name,) for name in whole), *without, whole]


def read_subsets(given: Any, names: Sequence[str]) -> list[Subset]:
    """Read subsets as a user gave them: "auto", "all", or a list of view names and lists of such.

    Examples
    --------
    >>> read_subsets(["text", ["links", "text"]], ["text", "links"])
    [('text',), ('text', 'links')]
    """
    if isinstance(given, str):
        many = given == "auto" and len(names) > MOST_VIEWS
        return few_subsets(names) if many else _all_of(names)
    subsets = [_read_one(subset, names) for subset in given]
    if not subsets:
        raise ValueError("subsets is empty; name at least one subset of the views, or say 'all'.")
    for place, subset in enumerate(subsets):
        if subset in subsets[:place]:
            raise ValueError(f"subsets names {spoken(subset)} twice; leave one out.")
    return subsets


def spoken(subset: Iterable[str]) -> str:
    """How a subset is called in messages.

    Examples
    --------
    >>> spoken(("text", "links"))
    "'text' + 'links'"
    """
    return " + ".join(repr(name) for name in subset)


def _all_of(names: Sequence[str]) -> list[Subset]:
    if len(names) > MOST_VIEWS:
        raise ValueError(
            f"{len(names)} views have {2 ** len(names) - 1} subsets, which are too many to train; "
            "give a list of subsets."
        )
    return all_subsets(names)


def _read_one(subset: Any, names: Sequence[str]) -> Subset:
    wanted = [subset] if isinstance(subset, str) else list(subset)
    if not wanted:
        raise ValueError("subsets holds an empty one; name at least one view in each.")
    for name in wanted:
        if name not in names:
            known = ", ".join(repr(view) for view in names)
            raise UnknownViewError(
                f"subsets names the view {name!r}, which is not among the views {known}; "
                "rename or remove it."
            )
    return tuple(name for name in names if name in wanted)
