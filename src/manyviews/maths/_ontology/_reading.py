"""Constraints and hierarchies as users write them, read into pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations
from typing import Any

Pair = tuple[Hashable, Hashable]


def read_pairs(pairs: Iterable[Any], what: str) -> list[Pair]:
    """Read constraints, each on two classes."""
    read: list[Pair] = []
    for place, pair in enumerate(pairs):
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ValueError(f"{what} has {pair!r} at place {place}; give pairs of two classes.")
        read.append((pair[0], pair[1]))
    return read


def read_classes(
    subset: list[Pair], mutex: list[Pair], classes: Iterable[Hashable] | None
) -> tuple[Hashable, ...]:
    """Return the classes as given, or else as the constraints name them."""
    if classes is None:
        found = tuple(dict.fromkeys(name for pair in (*subset, *mutex) for name in pair))
    else:
        found = tuple(classes)
        repeated = [name for name, count in Counter(found).items() if count > 1]
        if repeated:
            raise ValueError(f"classes has {repeated[0]!r} twice; name every class once.")
    if not found:
        raise ValueError("The ontology has no class; give subset or mutex pairs, or classes.")
    return found


def once_in_either_order(pairs: list[Pair]) -> tuple[Pair, ...]:
    """Keep the first of pairs that say the same."""
    kept: dict[frozenset[Hashable], Pair] = {}
    for pair in pairs:
        kept.setdefault(frozenset(pair), pair)
    return tuple(kept.values())


def walk(nested: Any, parent: Hashable) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield every class of a nested description, with its parent or None."""
    if nested is None:
        return
    if isinstance(nested, dict):
        for name, below in nested.items():
            yield name, parent
            yield from walk(below, name)
    elif isinstance(nested, list | tuple | set | frozenset):
        for entry in nested:
            if isinstance(entry, dict | list):
                yield from walk(entry, parent)
            else:
                yield entry, parent
    else:
        yield nested, parent


def sibling_pairs(edges: list[Pair], classes: Iterable[Hashable]) -> Iterator[Pair]:
    """Yield all pairs of children of one parent, and of classes without parents."""
    inner = {child for child, _ in edges}
    groups: dict[Hashable, dict[Hashable, None]] = {}
    for child, parent in edges:
        groups.setdefault(parent, {})[child] = None
    yield from combinations([name for name in classes if name not in inner], 2)
    for group in groups.values():
        yield from combinations(group, 2)
